//! One address of one origin over HTTP: what may be sent there, and what of it never leaves.
//!
//! Promises: redirects are followed only within the origin and only where the method and body stay (307, 308), by
//! this code, at most three times; the person's own headers never leave the origin and never replace the protocol's;
//! this computer is never reached through a proxy; nothing is re-sent.

use super::super::{Fault, within};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use std::time::Duration;
use url::Url;

const MAX_REDIRECTS: usize = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Common servers close an idle connection after 5 s. A person takes longer, and a request written into a connection
/// that is just being closed would end as "outcome unknown".
const POOL_IDLE: Duration = Duration::from_secs(3);

/// One server's address with the person's headers.
#[derive(Clone)]
pub(crate) struct Client {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
}

/// A path, query or header may hold a secret, so they stay out of `{:?}`.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.url.origin().ascii_serialization())
    }
}

/// What is sent.
#[derive(Clone)]
pub(crate) enum Verb {
    /// A JSON-RPC message.
    Post(String),
    Get,
    Delete,
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

impl Client {
    /// # Errors
    /// A sentence that names the header that cannot be sent.
    pub(crate) fn new(url: Url, headers: &[(String, String)]) -> Result<Self, String> {
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

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The same client for another address; `None` where that has another origin.
    pub(crate) fn at(&self, url: Url) -> Option<Self> {
        let same = url.origin() == self.url.origin() && url.username().is_empty() && url.password().is_none();
        same.then(|| Self { url, ..self.clone() })
    }

    /// Sends one message and waits for the head of the answer. `headers` are the protocol's own.
    ///
    /// # Errors
    /// [`Fault::CannotConnect`] where nothing left; the others where something may have.
    pub(crate) async fn send(
        &self,
        verb: &Verb,
        headers: &HeaderMap,
        idle: Option<Duration>,
    ) -> Result<reqwest::Response, Fault> {
        let mut url = self.url.clone();
        for hop in 0..=MAX_REDIRECTS {
            let mut all = self.headers.clone();
            for (name, value) in headers {
                all.insert(name, value.clone());
            }
            let request = match verb {
                Verb::Post(body) => self.client.post(url.clone()).body(body.clone()),
                Verb::Get => self.client.get(url.clone()),
                Verb::Delete => self.client.delete(url.clone()),
            };
            let sending = request.headers(all).send();
            let response = within(idle, sending).await?.map_err(|error| {
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

fn send_fault(error: &reqwest::Error) -> Fault {
    if error.is_connect() || error.is_builder() {
        Fault::CannotConnect(told(error))
    } else {
        lost(error)
    }
}

pub(crate) fn lost(error: &reqwest::Error) -> Fault {
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
