//! Streamable HTTP (2026-07-28, basic/transports/streamable-http): each request is one POST; the answer is JSON or a
//! stream of events that ends with it.
//!
//! Promises: the answer goes through bounded reads; redirects are followed only within the origin and only where the
//! method and body stay (307, 308), by this code, at most three times; the person's own headers never leave the
//! origin and never replace the protocol's. Dropping the future cancels the request: the stream closes.

use super::sse::Splitter;
use super::{Fault, MAX_MESSAGE, Note, Patience, Reply, within};
use crate::wire::REVISION;
use crate::wire::request::{Elicitation, Request};
use crate::wire::rpc::{Message, Response};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

const MAX_REDIRECTS: usize = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Common servers close an idle connection after 5 s. A person takes longer, and a request written into a connection
/// that is just being closed would end as "outcome unknown".
const POOL_IDLE: Duration = Duration::from_secs(3);

/// One server reached over HTTP.
#[derive(Clone)]
pub struct HttpPeer {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
}

/// A path, query or header may hold a secret, so they stay out of `{:?}`.
impl std::fmt::Debug for HttpPeer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HttpPeer({})", self.url.origin().ascii_serialization())
    }
}

const RESERVED: [&str; 12] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl HttpPeer {
    /// # Errors
    /// A sentence that names the header that cannot be sent.
    pub fn new(url: Url, headers: &[(String, String)]) -> Result<Self, String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("“{}” is not a header name.", crate::text::chip(name)))?;
            if reserved(header.as_str()) {
                continue;
            }
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                format!("The value of the header “{header}” holds characters that cannot be sent.")
            })?;
            value.set_sensitive(true);
            map.append(header, value);
        }
        let client = client(&url).map_err(|error| format!("HTTP cannot be used here: {}", told(&error)))?;
        Ok(Self {
            client,
            url,
            headers: map,
        })
    }

    /// Sends one request and reads to its answer. Notifications on the way go to `note`.
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
        note: &mut (dyn FnMut(Note) + Send),
    ) -> Result<Reply, Fault> {
        let running = async {
            let response = self.post(id, request, elicitation, patience).await?;
            read_reply(id, response, patience, note).await
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(Fault::Cancelled { left: true }),
            ended = tokio::time::timeout(patience.total, running) => {
                ended.unwrap_or(Err(Fault::TimedOut(patience.total)))
            }
        }
    }

    async fn post(
        &self,
        id: u64,
        request: &Request,
        elicitation: Elicitation,
        patience: Patience,
    ) -> Result<reqwest::Response, Fault> {
        let body = request.message(id, elicitation);
        let mut url = self.url.clone();
        for hop in 0..=MAX_REDIRECTS {
            let mut headers = self.headers.clone();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(
                ACCEPT,
                HeaderValue::from_static("application/json, text/event-stream"),
            );
            headers.insert("mcp-protocol-version", HeaderValue::from_static(REVISION));
            headers.insert("mcp-method", HeaderValue::from_static(request.method.name()));
            if let Some(name) = request.name_header() {
                let name = HeaderValue::from_str(&name)
                    .map_err(|_| Fault::CannotConnect("the name cannot be put into a header".to_owned()))?;
                headers.insert("mcp-name", name);
            }
            let sending = self
                .client
                .post(url.clone())
                .headers(headers)
                .body(body.clone())
                .send();
            let response = within(patience.idle, sending).await?.map_err(|error| {
                if hop == 0 {
                    send_fault(&error)
                } else {
                    lost(&error)
                }
            })?;
            match response.status().as_u16() {
                307 | 308 => url = redirect(&self.url, &url, &response)?,
                300..=399 => {
                    return Err(Fault::Status {
                        status: response.status().as_u16(),
                    });
                }
                _ => return Ok(response),
            }
        }
        Err(Fault::Lost(format!(
            "the server redirected more than {MAX_REDIRECTS} times"
        )))
    }
}

/// Headers that belong to the protocol or to HTTP itself; a person's header of that name is not sent.
pub fn reserved(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    RESERVED.contains(&header.as_str()) || header.starts_with("mcp-")
}

/// The one place that builds an HTTP client: no redirects, no retries, no proxy for this computer.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that builds an HTTP client"
)]
fn client(url: &Url) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")));
    let local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if local {
        builder.no_proxy().build()
    } else {
        builder.build()
    }
}

fn redirect(added: &Url, from: &Url, response: &reqwest::Response) -> Result<Url, Fault> {
    // Without a target it would be sent to the same place again.
    let target = response
        .headers()
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .filter(|target| !target.is_empty())
        .and_then(|target| from.join(target).ok())
        .ok_or_else(|| Fault::Redirected {
            to: "an address that is none".to_owned(),
        })?;
    if target.origin() == added.origin() && target.username().is_empty() && target.password().is_none() {
        Ok(target)
    } else {
        Err(Fault::Redirected {
            to: target.origin().ascii_serialization(),
        })
    }
}

async fn read_reply(
    id: u64,
    response: reqwest::Response,
    patience: Patience,
    note: &mut (dyn FnMut(Note) + Send),
) -> Result<Reply, Fault> {
    let status = response.status().as_u16();
    if matches!(status, 401 | 403) {
        return Err(Fault::SignIn { status });
    }
    let media_type = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if status == 200 && media_type == "text/event-stream" {
        return read_events(id, response, patience, note).await;
    }
    // Nothing is read out of a page. A server that says no type at all is believed; so is an error of any type.
    if status == 200 && !matches!(media_type.as_str(), "application/json" | "") {
        return Err(Fault::Unreadable(format!(
            "it is “{}”, not JSON or events",
            crate::text::chip(&media_type)
        )));
    }
    let body = read_body(response, patience).await?;
    match Message::parse(&body) {
        Ok(Message::Response(response)) => own(id, response, Some(status)),
        Ok(Message::Notification { .. } | Message::Request { .. }) if status == 200 => {
            Err(Fault::Unreadable("the answer is not an answer".to_owned()))
        }
        Err(error) if status == 200 => Err(Fault::Unreadable(error.to_string())),
        Ok(Message::Notification { .. } | Message::Request { .. }) | Err(_) => Err(Fault::Status { status }),
    }
}

async fn read_body(mut response: reqwest::Response, patience: Patience) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(chunk) = within(patience.idle, response.chunk())
        .await?
        .map_err(|error| lost(&error))?
    {
        if body.len() + chunk.len() > MAX_MESSAGE {
            return Err(Fault::TooLarge {
                limit: MAX_MESSAGE,
                what: "bytes in one answer",
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn read_events(
    id: u64,
    mut response: reqwest::Response,
    patience: Patience,
    note: &mut (dyn FnMut(Note) + Send),
) -> Result<Reply, Fault> {
    let mut splitter = Splitter::default();
    while let Some(chunk) = within(patience.idle, response.chunk())
        .await?
        .map_err(|error| lost(&error))?
    {
        for event in splitter.push(&chunk)? {
            match Message::parse(&event) {
                Ok(Message::Response(response)) => return own(id, response, Some(200)),
                Ok(Message::Notification { method, params }) => note(Note { method, params }),
                // A request of the server breaks this revision; answering it would break it too.
                Ok(Message::Request { .. }) => {}
                Err(error) => return Err(Fault::Unreadable(error.to_string())),
            }
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
        Some(_) | None => Ok(Reply { response, status }),
    }
}

fn send_fault(error: &reqwest::Error) -> Fault {
    if error.is_connect() || error.is_builder() {
        Fault::CannotConnect(told(error))
    } else {
        lost(error)
    }
}

fn lost(error: &reqwest::Error) -> Fault {
    Fault::Lost(told(error))
}

/// The innermost reason. The outer texts repeat the address, whose query may hold a secret.
fn told(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    crate::text::line(&reason.to_string(), 300)
}
