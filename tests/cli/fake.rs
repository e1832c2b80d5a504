//! A server over HTTP that gives prepared results, one a request, and keeps every request.

use countersign_core::wire::json::Json;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Fake {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

/// What is said to one call.
#[derive(Clone, Copy)]
pub(crate) enum Reply<'a> {
    Result(&'a str),
    Error(&'a str),
    /// The same result from here on.
    Always(&'a str),
    /// The connection ends without a word.
    HangUp,
}

impl Fake {
    /// Serves these replies; `server/discover` is answered by itself and not counted.
    pub(crate) async fn start(replies: &[Reply<'_>]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut script: VecDeque<Kept> = replies.iter().map(Kept::of).collect();
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serve(stream, &mut script, &kept).await;
            }
        });
        Self { url, requests }
    }

    /// Every request, `server/discover` too.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("unbroken").clone()
    }

    /// The requests but `server/discover`, read.
    pub(crate) fn calls(&self) -> Vec<Json> {
        let requests = self.requests();
        let calls = requests.iter().map(|request| Json::parse(request).expect("JSON"));
        calls
            .filter(|call| call.get("method").and_then(Json::as_str) != Some("server/discover"))
            .collect()
    }
}

enum Kept {
    Once(Option<String>),
    Always(String),
}

impl Kept {
    fn of(reply: &Reply<'_>) -> Self {
        match reply {
            Reply::Result(result) => Self::Once(Some(format!(r#""result":{result}"#))),
            Reply::Error(error) => Self::Once(Some(format!(r#""error":{error}"#))),
            Reply::Always(result) => Self::Always(format!(r#""result":{result}"#)),
            Reply::HangUp => Self::Once(None),
        }
    }
}

async fn serve(stream: TcpStream, script: &mut VecDeque<Kept>, kept: &Mutex<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.expect("a body");
    let body = String::from_utf8(body).expect("UTF-8");
    let request = Json::parse(&body).expect("JSON");
    kept.lock().expect("unbroken").push(body);
    let said = if request.get("method").and_then(Json::as_str) == Some("server/discover") {
        Some(r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}}}"#.to_owned())
    } else {
        match script.front() {
            Some(Kept::Always(said)) => Some(said.clone()),
            Some(Kept::Once(_)) | None => match script.pop_front() {
                Some(Kept::Once(said)) => said,
                Some(Kept::Always(_)) | None => {
                    Some(r#""error":{"code":-1,"message":"the script is over"}"#.to_owned())
                }
            },
        }
    };
    let Some(said) = said else { return };
    let id = request.get("id").expect("an id");
    let message = format!(r#"{{"jsonrpc":"2.0","id":{id},{said}}}"#);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        message.len()
    );
    // The client may have been stopped meanwhile.
    let _ = stream.write_all(format!("{head}{message}").as_bytes()).await;
}
