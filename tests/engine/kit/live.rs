//! A server of the 2025 era whose streams a test holds in its hands: what is said on them, when, and how they end.

use super::{Desk, Http, Reply, Seen};
use countersign_core::session::Target;
use countersign_core::view::{AskId, AskPhase};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{Mutex as Turn, mpsc};

/// A stream of events that a test says things on. Kept until it is read, so that it may be said before.
#[derive(Clone)]
pub(crate) struct Feed {
    says: mpsc::UnboundedSender<Said>,
    said: Arc<Turn<mpsc::UnboundedReceiver<Said>>>,
}

/// One thing on a stream.
pub(crate) enum Said {
    Part(Vec<u8>),
    /// The stream ends as streams do.
    End,
    /// The connection breaks off.
    Break,
}

/// The server. Requests of the person's calls, the stream for everything and streams that are taken up again are
/// held; everything else is answered at once, unless the test says otherwise.
pub(crate) struct Live {
    pub(crate) http: Http,
    feeds: Feeds,
}

type Feeds = Arc<Mutex<HashMap<String, Feed>>>;

/// The answer to `initialize`.
pub(crate) fn handshake(revision: &str) -> String {
    format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"old","version":"1"}}}}"#
    )
}

/// An answer to `initialize` with the head lines of a session called `s-1`.
pub(crate) fn session(revision: &str) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":@id,"result":{}}}"#, handshake(revision));
    let head = "content-type: application/json\r\nMcp-Session-Id: s-1\r\n";
    Reply::Head(200, head.to_owned(), body)
}

/// A form that a server asks by itself, under its own id (JSON text).
pub(crate) fn asks(id: &str, message: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{"message":"{message}","requestedSchema":{}}}}}"#,
        super::name()
    )
}

/// The answer to a request of the client, as an event or a line.
pub(crate) fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The end of a question without an answer, in words.
pub(crate) async fn over(desk: &Desk, ask: AskId) -> String {
    desk.until("the end of a question", |desk| {
        if let AskPhase::Closed { reason } | AskPhase::Withdrawn { reason } = desk.phase(ask) {
            Some(reason)
        } else {
            None
        }
    })
    .await
}

impl Live {
    pub(crate) async fn new() -> Self {
        Self::but(|_| None).await
    }

    /// `otherwise` is asked first.
    pub(crate) async fn but(otherwise: impl Fn(&Seen) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let feeds = Feeds::default();
        let held = Arc::clone(&feeds);
        let http = Http::new(move |seen, _| otherwise(seen).unwrap_or_else(|| usual(seen, &held))).await;
        Self { http, feeds }
    }

    pub(crate) fn target(&self) -> Target {
        Target::Http {
            url: self.http.url.clone(),
            headers: Vec::new(),
        }
    }

    /// The stream of the call of a tool; it is opened by the request.
    pub(crate) fn call(&self, tool: &str) -> Feed {
        feed(&self.feeds, tool)
    }

    /// The stream for what the server says by itself.
    pub(crate) fn own(&self) -> Feed {
        feed(&self.feeds, "GET")
    }

    /// The stream that is taken up after the event with this id.
    pub(crate) fn after(&self, last_id: &str) -> Feed {
        feed(&self.feeds, &format!("GET {last_id}"))
    }

    /// What came with this method so far.
    pub(crate) fn heard(&self, method: &str) -> Vec<Seen> {
        let seen = self.http.seen().into_iter();
        seen.filter(|seen| seen.method == "POST" && seen.rpc_method() == method)
            .collect()
    }

    /// The answers to what the server asked, as bodies.
    pub(crate) fn answers(&self) -> Vec<String> {
        self.heard("").into_iter().map(|seen| seen.body).collect()
    }

    /// Waits for so many requests of a method; no method: answers.
    pub(crate) async fn until_heard(&self, method: &str, count: usize) -> Vec<Seen> {
        self.http
            .until(&format!("{count} of “{method}”"), || {
                self.heard(method).len() >= count
            })
            .await;
        self.heard(method)
    }

    /// Waits until streams are opened with GET, so many in all.
    pub(crate) async fn until_listening(&self, count: usize) -> Vec<Seen> {
        let gets = || {
            let seen = self.http.seen().into_iter();
            seen.filter(|seen| seen.method == "GET").collect::<Vec<_>>()
        };
        self.http
            .until(&format!("{count} streams"), || gets().len() >= count)
            .await;
        gets()
    }
}

impl Feed {
    pub(crate) fn new() -> Self {
        let (says, said) = mpsc::unbounded_channel();
        Self {
            says,
            said: Arc::new(Turn::new(said)),
        }
    }

    /// One event; `@id` is the id of the request whose stream it is.
    pub(crate) fn say(&self, message: &str) {
        self.part(&format!("data: {message}\n\n"));
    }

    /// A part of the stream as it is, but for `@id`.
    pub(crate) fn part(&self, part: &str) {
        self.send(Said::Part(part.as_bytes().to_vec()));
    }

    pub(crate) fn end(&self) {
        self.send(Said::End);
    }

    pub(crate) fn breaks(&self) {
        self.send(Said::Break);
    }

    /// Ends a call well.
    pub(crate) fn done(&self) {
        self.say(&result("@id", &super::done("ok")));
        self.end();
    }

    /// What is said next. The stream that came last waits until the one before is over.
    pub(crate) async fn next(&self) -> Said {
        self.said.lock().await.recv().await.unwrap_or(Said::End)
    }

    fn send(&self, said: Said) {
        self.says.send(said).expect("the feed lives");
    }
}

fn usual(seen: &Seen, feeds: &Feeds) -> Reply {
    match (seen.method.as_str(), seen.header("last-event-id")) {
        ("GET", Some(id)) => return Reply::Fed(feed(feeds, &format!("GET {id}"))),
        ("GET", None) => return Reply::Fed(feed(feeds, "GET")),
        ("DELETE", _) => return Reply::Body(200, "", String::new()),
        _ => {}
    }
    match seen.rpc_method().as_str() {
        "initialize" => session("2025-11-25"),
        "tools/call" => {
            let json = seen.json();
            let name = json.get("params").and_then(|params| params.get("name"));
            let name = name.and_then(|name| name.as_str()).unwrap_or_default();
            Reply::Fed(feed(feeds, name))
        }
        "tools/list" => Reply::Result(r#"{"tools":[]}"#.to_owned()),
        "ping" => Reply::Result("{}".to_owned()),
        _ => Reply::Body(202, "", String::new()),
    }
}

fn feed(feeds: &Feeds, name: &str) -> Feed {
    let mut feeds = feeds.lock().expect("no panic");
    feeds.entry(name.to_owned()).or_insert_with(Feed::new).clone()
}
