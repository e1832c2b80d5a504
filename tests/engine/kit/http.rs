//! A scripted server: for each request it keeps what came and answers as the test says.

use super::Gate;
use super::live::{Feed, Said};
use countersign_core::wire::json::Json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use url::Url;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    /// In the order of arrival, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// How one request is answered. `@id` in a text becomes the id of the request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A JSON-RPC result.
    Result(String),
    /// A JSON-RPC error: HTTP status, code, message.
    Error(u16, i64, &'static str),
    /// Status, media type, body.
    Body(u16, &'static str, String),
    /// Status, header lines as they are, body.
    Head(u16, String, String),
    /// Bytes as they are, instead of an answer; then the connection ends.
    Raw(Vec<u8>),
    /// Bytes as they are, then the same part again and again until the client closes.
    Endless {
        start: Vec<u8>,
        part: Vec<u8>,
        every: Duration,
    },
    /// A stream of events, each part a chunk of its own, then its end.
    Events(Vec<Vec<u8>>),
    /// Status and `Location`.
    Redirect(u16, Option<String>),
    /// The connection ends without an answer.
    Close,
    /// The answer waits for the gate; or the client closes first.
    Held(Gate, Box<Reply>),
    /// Head and parts of a stream of events, then silence until the client closes.
    Silent(Vec<u8>),
    /// A stream of events that the test holds; or the client closes first.
    Fed(Feed),
}

type Script = Arc<dyn Fn(&Seen, usize) -> Reply + Send + Sync>;

/// The server. It ends with the test's runtime.
pub(crate) struct Http {
    pub(crate) url: Url,
    shared: Arc<Shared>,
}

struct Shared {
    script: Script,
    seen: Mutex<Vec<Seen>>,
    changed: watch::Sender<u32>,
    /// Answers that were held when the client closed.
    closed: Mutex<usize>,
    /// Opened when the server dies.
    dead: Gate,
    connections: Mutex<usize>,
}

/// The head of a stream of events.
pub(crate) fn events_head() -> Vec<u8> {
    EVENTS.to_vec()
}

/// A part of a stream of events or of a body, as it travels.
pub(crate) fn chunk(part: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{:x}\r\n", part.len()).into_bytes();
    bytes.extend_from_slice(part);
    bytes.extend_from_slice(b"\r\n");
    bytes
}

impl Http {
    /// `script` gets the request and how many came before it.
    pub(crate) async fn new(script: impl Fn(&Seen, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::serving(None, script).await
    }

    /// The same over TLS, at `https://127.0.0.1`.
    pub(crate) async fn over_tls(
        tls: Arc<tokio_rustls::rustls::ServerConfig>,
        script: impl Fn(&Seen, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::serving(Some(tls.into()), script).await
    }

    async fn serving(
        tls: Option<TlsAcceptor>,
        script: impl Fn(&Seen, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            script: Arc::new(script),
            seen: Mutex::default(),
            changed: watch::Sender::new(0),
            closed: Mutex::default(),
            dead: Gate::closed(),
            connections: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            loop {
                let (stream, _) = tokio::select! {
                    biased;
                    () = serving.dead.opened() => return,
                    Ok(accepted) = listener.accept() => accepted,
                    else => return,
                };
                let _ = stream.set_nodelay(true);
                *serving.connections.lock().expect("no panic") += 1;
                serving.changed.send_modify(|n| *n += 1);
                let (shared, tls) = (Arc::clone(&serving), tls.clone());
                tokio::spawn(async move {
                    let dead = shared.dead.clone();
                    let answering = async {
                        match tls {
                            None => serve(stream, shared).await,
                            Some(tls) => {
                                if let Ok(stream) = tls.accept(stream).await {
                                    serve(stream, shared).await;
                                }
                            }
                        }
                    };
                    tokio::select! {
                        biased;
                        () = dead.opened() => {}
                        () = answering => {}
                    }
                });
            }
        });
        Self {
            url: Url::parse(&format!("{scheme}://127.0.0.1:{port}/mcp")).expect("an address"),
            shared,
        }
    }

    /// Answers in this order; a request too many gets an error that says so.
    pub(crate) async fn replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        Self::new(move |_, n| {
            replies
                .get(n)
                .cloned()
                .unwrap_or(Reply::Error(500, -32603, "one request too many"))
        })
        .await
    }

    /// A server that can be connected, asks this in every call, and is done with this after any answer.
    pub(crate) async fn asks(round: String, result: String) -> Self {
        const DISCOVERY: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}"#;
        Self::new(move |seen, _| match seen.rpc_method().as_str() {
            "tools/call" if seen.params().contains("inputResponses") => Reply::Result(result.clone()),
            "tools/call" => Reply::Result(round.clone()),
            "server/discover" => Reply::Result(DISCOVERY.to_owned()),
            _ => Reply::Error(404, -32601, "no"),
        })
        .await
    }

    /// Ends at once, as a program does that is killed: every connection breaks, nothing listens any more.
    pub(crate) fn dies(&self) {
        self.shared.dead.open();
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().expect("no panic").clone()
    }

    /// How many connections were opened so far.
    pub(crate) fn connections(&self) -> usize {
        *self.shared.connections.lock().expect("no panic")
    }

    /// The parameters of every request, without `_meta`.
    pub(crate) fn params(&self) -> Vec<String> {
        self.seen().iter().map(Seen::params).collect()
    }

    /// Waits until so many requests have arrived.
    pub(crate) async fn until_seen(&self, count: usize) -> Vec<Seen> {
        self.until(&format!("{count} requests"), || self.seen().len() >= count)
            .await;
        self.seen()
    }

    /// Waits until the client has closed so many held answers.
    pub(crate) async fn until_closed(&self, count: usize) {
        self.until(&format!("{count} answers closed"), || {
            *self.shared.closed.lock().expect("no panic") >= count
        })
        .await;
    }

    pub(crate) async fn until(&self, what: &str, is: impl Fn() -> bool) {
        let mut changes = self.shared.changed.subscribe();
        while !is() {
            super::patiently(what, changes.changed())
                .await
                .expect("the server lives");
        }
    }
}

impl Seen {
    pub(crate) fn json(&self) -> Json {
        Json::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn rpc_method(&self) -> String {
        self.json()
            .get("method")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    /// Empty where the body is no message.
    pub(crate) fn id(&self) -> String {
        let json = Json::parse(&self.body).ok();
        let id = json.as_ref().and_then(|json| json.get("id"));
        id.map(ToString::to_string).unwrap_or_default()
    }

    /// The value of one header; several of a name are joined.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let values: Vec<&str> = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// The parameters without `_meta`, as text.
    pub(crate) fn params(&self) -> String {
        let json = self.json();
        let params = json.get("params").and_then(Json::as_object).expect("params");
        let rest = params.iter().filter(|(key, _)| *key != "_meta");
        Json::object(rest.map(|(key, value)| (key, value.clone()))).to_string()
    }

    pub(crate) fn meta(&self) -> String {
        let json = self.json();
        let meta = json.get("params").and_then(|params| params.get("_meta"));
        meta.map(ToString::to_string).unwrap_or_default()
    }
}

/// A connection, with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

async fn serve(mut stream: impl Stream, shared: Arc<Shared>) {
    let mut read = Vec::new();
    while let Some(seen) = request(&mut stream, &mut read).await {
        let count = {
            let mut all = shared.seen.lock().expect("no panic");
            all.push(seen.clone());
            all.len() - 1
        };
        let reply = (shared.script)(&seen, count);
        shared.changed.send_modify(|n| *n += 1);
        if !answer(&mut stream, &seen, reply, &shared).await {
            return;
        }
    }
}

/// The next request, or `None` at the end of the connection.
async fn request(stream: &mut impl Stream, read: &mut Vec<u8>) -> Option<Seen> {
    let head_end = loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&read[..head_end]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ').map(str::to_owned);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .chain(
            head.lines()
                .skip(1)
                .filter(|line| line.ends_with(':'))
                .map(|line| (line.trim_end_matches(':').to_ascii_lowercase(), String::new())),
        )
        .collect();
    let length: usize = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let whole = head_end + 4 + length;
    while read.len() < whole {
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&read[head_end + 4..whole]).into_owned();
    read.drain(..whole);
    Some(Seen {
        method: first.next()?,
        path: first.next()?,
        headers,
        body,
    })
}

/// Whether the connection goes on.
async fn answer(stream: &mut impl Stream, seen: &Seen, reply: Reply, shared: &Shared) -> bool {
    let id = seen.id();
    let filled = |text: &str| text.replace("@id", &id);
    let json = |status: u16, body: String| whole(status, "content-type: application/json\r\n", &body);
    let bytes = match reply {
        Reply::Result(result) => json(
            200,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, filled(&result)),
        ),
        Reply::Error(status, code, message) => json(
            status,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#),
        ),
        Reply::Body(status, media_type, body) => {
            let head = match media_type {
                "" => String::new(),
                media_type => format!("content-type: {media_type}\r\n"),
            };
            whole(status, &head, &filled(&body))
        }
        Reply::Head(status, head, body) => whole(status, &head, &filled(&body)),
        Reply::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            return false;
        }
        Reply::Endless { start, part, every } => {
            let _ = stream.write_all(&start).await;
            while stream.write_all(&part).await.is_ok() && stream.flush().await.is_ok() {
                let mut byte = [0];
                tokio::select! {
                    biased;
                    _ = stream.read(&mut byte) => break,
                    () = tokio::time::sleep(every), if !every.is_zero() => {}
                    () = std::future::ready(()), if every.is_zero() => {}
                }
            }
            shared.client_closed();
            return false;
        }
        Reply::Redirect(status, location) => {
            let head = location.map(|location| format!("location: {location}\r\n"));
            whole(status, &head.unwrap_or_default(), "")
        }
        Reply::Close => return false,
        Reply::Held(gate, then) => {
            let mut byte = [0];
            tokio::select! {
                () = gate.opened() => return Box::pin(answer(stream, seen, *then, shared)).await,
                _ = stream.read(&mut byte) => {
                    shared.client_closed();
                    return false;
                }
            }
        }
        Reply::Silent(part) => {
            let _ = stream.write_all(EVENTS).await;
            let _ = stream.write_all(&chunk(&part)).await;
            let mut byte = [0];
            let _ = stream.read(&mut byte).await;
            shared.client_closed();
            return false;
        }
        Reply::Fed(feed) => {
            let _ = stream.write_all(EVENTS).await;
            loop {
                let mut byte = [0];
                let said = tokio::select! {
                    said = feed.next() => said,
                    _ = stream.read(&mut byte) => {
                        shared.client_closed();
                        return false;
                    }
                };
                match said {
                    Said::Part(part) => {
                        let part = filled(&String::from_utf8_lossy(&part));
                        let _ = stream.write_all(&chunk(part.as_bytes())).await;
                    }
                    Said::End => break b"0\r\n\r\n".to_vec(),
                    Said::Break => return false,
                }
            }
        }
        Reply::Events(parts) => {
            let mut bytes = EVENTS.to_vec();
            for part in parts {
                let part = match String::from_utf8(part) {
                    Ok(text) => filled(&text).into_bytes(),
                    Err(error) => error.into_bytes(),
                };
                bytes.extend(chunk(&part));
            }
            bytes.extend_from_slice(b"0\r\n\r\n");
            bytes
        }
    };
    stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok()
}

impl Shared {
    fn client_closed(&self) {
        *self.closed.lock().expect("no panic") += 1;
        self.changed.send_modify(|n| *n += 1);
    }
}

const EVENTS: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";

fn whole(status: u16, head: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} Said\r\n{head}content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
