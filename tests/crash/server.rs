//! A server over HTTP that plays a scenario and counts what arrives. It can tell that a request came or was answered,
//! so that the client can be killed just then.

use crate::scenario::Scenario;
use countersign_core::wire::json::Json;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub(crate) struct Server {
    pub(crate) url: String,
    shared: Arc<Shared>,
    /// Ends with this.
    _running: Running,
}

/// A task that ends with its owner.
struct Running(tokio::task::JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Shared {
    scenario: Scenario,
    seen: Mutex<Seen>,
    trap: Mutex<Option<Trap>>,
}

/// What arrived so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Requests of any kind.
    pub(crate) requests: usize,
    /// First requests of the call, then answers to each of its rounds.
    pub(crate) arrivals: Vec<usize>,
    /// Replies that were written whole, in the same order.
    pub(crate) replies: Vec<usize>,
    /// Ids of requests that carried the call.
    ids: Vec<String>,
    /// What should never arrive, in words.
    pub(crate) wrong: Vec<String>,
}

/// At which request of the call something is to happen, and when.
pub(crate) struct Trap {
    /// From 1; counted from when the trap is set.
    pub(crate) count: usize,
    pub(crate) answered: bool,
    pub(crate) sprung: oneshot::Sender<()>,
    /// Ends when the client is gone.
    pub(crate) gone: oneshot::Receiver<()>,
}

impl Seen {
    /// Requests of the call, of any round.
    pub(crate) fn calls(&self) -> usize {
        self.arrivals.iter().sum()
    }
}

impl Server {
    pub(crate) async fn start(scenario: &Scenario) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let counts = vec![0; scenario.rounds.len() + 1];
        let shared = Arc::new(Shared {
            scenario: scenario.clone(),
            seen: Mutex::new(Seen {
                arrivals: counts.clone(),
                replies: counts,
                ..Seen::default()
            }),
            trap: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        let running = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                tokio::spawn(async move { shared.serve(stream).await });
            }
        });
        Self {
            url,
            shared,
            _running: Running(running),
        }
    }

    pub(crate) fn seen(&self) -> Seen {
        self.shared.seen().clone()
    }

    pub(crate) fn set(&self, trap: Option<Trap>) {
        *self.shared.trap.lock().expect("unbroken") = trap;
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("unbroken")
    }

    async fn serve(&self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let Some(body) = read(&mut stream).await else {
            return;
        };
        let Ok(request) = Json::parse(&body) else {
            self.seen().wrong.push(format!("no JSON: {body}"));
            return;
        };
        self.seen().requests += 1;
        if request.get("method").and_then(Json::as_str) == Some("server/discover") {
            write(&mut stream, &request, DISCOVERED).await;
            return;
        }
        let Some(place) = self.count(&request, &body) else {
            return;
        };
        let trap = {
            let mut trap = self.trap.lock().expect("unbroken");
            if let Some(trap) = trap.as_mut() {
                trap.count -= 1;
            }
            if trap.as_ref().is_some_and(|trap| trap.count == 0) {
                trap.take()
            } else {
                None
            }
        };
        let reply = self.scenario.reply(place);
        match trap {
            Some(trap) if !trap.answered => {
                let _ = trap.sprung.send(());
                let _ = trap.gone.await;
            }
            Some(trap) => {
                write(&mut stream, &request, &reply).await;
                self.seen().replies[place] += 1;
                let _ = trap.sprung.send(());
                let _ = trap.gone.await;
            }
            None => {
                // Counted before: who hears of it may ask at once.
                self.seen().replies[place] += 1;
                write(&mut stream, &request, &reply).await;
            }
        }
    }

    /// Looks at every byte that must be as it was, and says which request of the call it is: 0 the first, n the answers
    /// to round n.
    fn count(&self, request: &Json, body: &str) -> Option<usize> {
        let mut seen = self.seen();
        let params = request.get("params").unwrap_or(&Json::Null);
        let id = request.get("id").map(Json::to_string).unwrap_or_default();
        if request.get("method").and_then(Json::as_str) != Some("tools/call") {
            seen.wrong.push(format!("another method: {body}"));
            return None;
        }
        let exact = format!(
            r#""params":{{"name":"odd tool","arguments":{}"#,
            self.scenario.arguments
        );
        if !body.contains(&exact) {
            seen.wrong.push(format!("params are not as they were: {body}"));
        }
        let answers = params.get("inputResponses").and_then(Json::as_object);
        let state = params.get("requestState");
        let place = match answers {
            None if state.is_none() => Some(0),
            None => None,
            Some(answers) => {
                let keys: Vec<&str> = answers.keys().collect();
                let rounds = &self.scenario.rounds;
                let found = rounds
                    .iter()
                    .position(|round| round.is_answered_by(&keys, state.and_then(Json::as_str)));
                if let Some(round) = found {
                    for question in &rounds[round].questions {
                        let given = answers.get(question.key).map(Json::to_string);
                        if given.as_deref() != Some(question.answer.as_str()) {
                            let key = question.key;
                            seen.wrong.push(format!("{key} is answered by {given:?}"));
                        }
                    }
                }
                found.map(|round| round + 1)
            }
        };
        let Some(place) = place else {
            seen.wrong.push(format!("answers to no round: {body}"));
            return None;
        };
        if place > 0 && seen.replies[place - 1] == 0 {
            seen.wrong
                .push(format!("answers to round {place}, which was not asked"));
        }
        if seen.ids.contains(&id) {
            seen.wrong.push(format!("the id {id} came before"));
        }
        seen.arrivals[place] += 1;
        seen.ids.push(id);
        Some(place)
    }
}

const DISCOVERED: &str =
    r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;

async fn read(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    // A client that was killed in the middle has sent no request.
    stream.read_exact(&mut body).await.ok()?;
    String::from_utf8(body).ok()
}

async fn write(stream: &mut BufReader<TcpStream>, request: &Json, result: &str) {
    let id = request.get("id").unwrap_or(&Json::Null);
    let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        message.len()
    );
    // The client may be gone by now.
    let _ = stream.write_all(format!("{head}{message}").as_bytes()).await;
}
