//! Streamable HTTP (2026-07-28, basic/transports/streamable-http): each request is one POST; the answer is JSON or a
//! stream of events that ends with it. [`session`] is the transport of 2025 with its sessions, [`old`] that of 2024.
//!
//! Promises: the answer goes through bounded reads ([`read`]); who is spoken to and what leaves is decided in one
//! place ([`client`]). Dropping the future cancels the request: the stream closes.

pub(crate) mod client;
pub(crate) mod old;
pub(crate) mod proxy;
pub(crate) mod read;
pub(crate) mod session;
mod trust;

pub use client::reserved;

use super::{Fault, Incoming, Note, Patience, Reply};
use crate::wire::REVISION;
use crate::wire::request::{Elicitation, Request};
use crate::wire::rpc::{Message, Response};
use client::{Client, Verb};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;
use url::Url;

/// One server reached over HTTP.
#[derive(Clone, Debug)]
pub struct HttpPeer {
    client: Client,
}

impl HttpPeer {
    /// # Errors
    /// A sentence that names the header that cannot be sent.
    pub fn new(url: Url, headers: &[(String, String)]) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(url, headers)?,
        })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Sends one request and reads to its answer. What comes on the way goes to `incoming`.
    ///
    /// # Errors
    /// [`Fault`]; an error in the server's words is a [`Reply`].
    pub async fn exchange(
        &self,
        id: u64,
        request: &Request,
        elicitation: Elicitation,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> Result<Reply, Fault> {
        let running = async {
            let body = Verb::Post(request.message(id, elicitation));
            let response = self.client.send(&body, &headers(request)?, patience.idle).await?;
            read_reply(id, response, patience, incoming).await
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(Fault::Cancelled { left: true }),
            ended = tokio::time::timeout(patience.total, running) => {
                ended.unwrap_or(Err(Fault::TimedOut(patience.total)))
            }
        }
    }
}

/// The two media types that every POST must accept.
pub(crate) fn both_types() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
    headers
}

fn headers(request: &Request) -> Result<HeaderMap, Fault> {
    let mut headers = both_types();
    headers.insert("mcp-protocol-version", HeaderValue::from_static(REVISION));
    headers.insert("mcp-method", HeaderValue::from_static(request.method.name()));
    if let Some(name) = request.name_header() {
        let name = HeaderValue::from_str(&name).map_err(|_| cannot_be_a_header("Mcp-Name"))?;
        headers.insert("mcp-name", name);
    }
    for (name, value) in &request.mirrored {
        headers.insert(
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| cannot_be_a_header(name))?,
            HeaderValue::from_str(value).map_err(|_| cannot_be_a_header(name))?,
        );
    }
    Ok(headers)
}

fn cannot_be_a_header(name: &str) -> Fault {
    Fault::CannotConnect(format!("the header “{}” cannot be sent", crate::text::chip(name)))
}

async fn read_reply(
    id: u64,
    response: reqwest::Response,
    patience: Patience,
    incoming: &mut (dyn FnMut(Incoming) + Send),
) -> Result<Reply, Fault> {
    let status = response.status().as_u16();
    if matches!(status, 401 | 403) {
        return Err(Fault::SignIn { status });
    }
    let media_type = read::media_type(&response);
    if status == 200 && media_type == "text/event-stream" {
        return read_events(id, read::Events::new(response, patience.idle), incoming).await;
    }
    read::refuse_a_page(status, &media_type)?;
    let body = read::body(response, patience.idle).await?;
    match Message::parse(&body) {
        Ok(Message::Response(response)) => own(id, response, Some(status)),
        Ok(Message::Notification { .. } | Message::Request { .. }) if status == 200 => {
            Err(Fault::Unreadable("the answer is not an answer".to_owned()))
        }
        Err(error) if status == 200 => Err(Fault::Unreadable(error.to_string())),
        Ok(Message::Notification { .. } | Message::Request { .. }) | Err(_) => Err(Fault::Status { status }),
    }
}

async fn read_events(
    id: u64,
    mut events: read::Events,
    incoming: &mut (dyn FnMut(Incoming) + Send),
) -> Result<Reply, Fault> {
    while let Some(event) = events.next().await? {
        if !event.is_message() {
            continue;
        }
        match Message::parse(&event.data) {
            Ok(Message::Response(response)) => return own(id, response, Some(200)),
            Ok(Message::Notification { method, params }) => incoming(Incoming::Note(Note { method, params })),
            // A request of the server breaks this revision; answering it would break it too.
            Ok(Message::Request { .. }) => {}
            Err(error) => return Err(Fault::Unreadable(error.to_string())),
        }
    }
    Err(Fault::Lost("the stream closed".to_owned()))
}

/// The one answer to a POST is ours, unless it names another id.
fn own(id: u64, response: Response, status: Option<u16>) -> Result<Reply, Fault> {
    match response.id {
        Some(other) if other != id => Err(Fault::Unreadable(
            "the answer belongs to another request".to_owned(),
        )),
        Some(_) | None => Ok(Reply::new(response, status)),
    }
}
