//! One address of one origin over HTTP: what may be sent there, and what of it never leaves.
//!
//! Promises: redirects are followed only within the origin and only where the method and body stay (307, 308), by
//! this code, at most three times; the person's own headers never leave the origin and never replace the protocol's;
//! `http:` is for this computer alone, which is never reached through a proxy; nothing is re-sent.

use super::super::{Fault, within};
use super::proxy::{self, Proxy};
use super::trust;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use url::Url;

const MAX_REDIRECTS: usize = 3;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Common servers close an idle connection after 5 s. A person takes longer, and a request written into a connection
/// that is just being closed would end as "outcome unknown".
const POOL_IDLE: Duration = Duration::from_secs(3);

/// One server's address with the person's headers.
#[derive(Clone)]
pub(crate) struct Client {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    proxy: Option<Proxy>,
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

const RESERVED: [&str; 15] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Client {
    /// # Errors
    /// A sentence: a header that cannot be sent, an address that would be spoken to in the clear, or no TLS here.
    pub(crate) fn new(url: Url, headers: &[(String, String)]) -> Result<Self, String> {
        let local = is_local(&url);
        if url.scheme() != "https" && !local {
            return Err(
                "An address that begins with http: is for this computer only; what is sent to others could be read on the way. Use https:."
                    .to_owned(),
            );
        }
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
        let client = client(&url, local)?;
        let proxy = proxy::on_the_way_to(&url);
        Ok(Self {
            client,
            url,
            headers: map,
            proxy,
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
            let response = within(idle, sending)
                .await?
                .map_err(|error| self.send_fault(&error, hop == 0))?;
            match response.status().as_u16() {
                307 | 308 => url = redirect(&self.url, &url, &response)?,
                status @ (301..=303) => return Err(moved(status, &url, &response)),
                status @ (300 | 304..=399) => return Err(Fault::Status { status }),
                _ => return Ok(response),
            }
        }
        Err(Fault::Lost(format!(
            "the server redirected more than {MAX_REDIRECTS} times"
        )))
    }

    /// `first`: nothing can have left before this connection.
    fn send_fault(&self, error: &reqwest::Error, first: bool) -> Fault {
        if !error.is_connect() && !error.is_builder() {
            return lost(error);
        }
        let reason = match &self.proxy {
            Some(proxy) => format!("through {proxy}: {}", told(error)),
            None => told(error),
        };
        if first {
            Fault::CannotConnect(reason)
        } else {
            Fault::Lost(reason)
        }
    }
}

/// Headers that belong to the protocol or to HTTP itself; a person's header of that name is not sent.
pub fn reserved(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    RESERVED.contains(&header.as_str()) || header.starts_with("mcp-")
}

/// The one place that builds an HTTP client: no redirects, no retries, no proxy and no foreign name for this computer.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that builds an HTTP client"
)]
fn client(url: &Url, local: bool) -> Result<reqwest::Client, String> {
    let secure = url.scheme() == "https";
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .https_only(secure)
        .tls_backend_preconfigured(if secure {
            trust::system()?
        } else {
            trust::nobody()?
        })
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")));
    if local {
        builder = builder.no_proxy();
    }
    if let (true, Some(url::Host::Domain(name))) = (local, url.host()) {
        // RFC 6761, 6.3: such a name is never looked up; a resolver could give any address for it.
        let here = [
            SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
        ];
        builder = builder.resolve_to_addrs(name, &here);
    }
    builder
        .build()
        .map_err(|error| format!("HTTP cannot be used here: {}", told(&error)))
}

/// Whether an address is this computer by its name alone.
pub(super) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

fn redirect(added: &Url, from: &Url, response: &reqwest::Response) -> Result<Url, Fault> {
    let elsewhere = |to: String| Fault::Redirected {
        from: added.origin().ascii_serialization(),
        to,
    };
    // Without a target it would be sent to the same place again.
    let target = target(from, response).ok_or_else(|| elsewhere("an address that is none".to_owned()))?;
    if !target.username().is_empty() || target.password().is_some() {
        return Err(elsewhere("an address with a name and password in it".to_owned()));
    }
    if target.origin() == added.origin() {
        Ok(target)
    } else {
        Err(elsewhere(origin(&target)))
    }
}

/// A redirect after which clients send something else than they were given (RFC 9110, 15.4).
fn moved(status: u16, from: &Url, response: &reqwest::Response) -> Fault {
    match target(from, response) {
        Some(target) if target.origin() == from.origin() => Fault::Moved {
            status,
            to: format!("another place on {}", origin(&target)),
        },
        Some(target) => Fault::Moved {
            status,
            to: origin(&target),
        },
        None => Fault::Status { status },
    }
}

fn target(from: &Url, response: &reqwest::Response) -> Option<Url> {
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    if target.is_empty() {
        return None;
    }
    from.join(target).ok()
}

fn origin(url: &Url) -> String {
    crate::text::line(&url.origin().ascii_serialization(), 200)
}

pub(crate) fn lost(error: &reqwest::Error) -> Fault {
    Fault::Lost(told(error))
}

/// The innermost reason, for a person. The outer texts repeat the address, whose query may hold a secret.
fn told(error: &reqwest::Error) -> String {
    let mut reason: &(dyn Error + 'static) = error;
    let mut looked_up = false;
    loop {
        if let Some(refused) = reason.downcast_ref::<rustls::Error>() {
            return trust::refused(refused);
        }
        looked_up |= reason.to_string() == "dns error";
        // The source of an I/O error is its content's source; its content would be passed over.
        let inner = reason
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn Error + 'static));
        match inner.or_else(|| reason.source()) {
            Some(inner) => reason = inner,
            None => break,
        }
    }
    let kind = reason.downcast_ref::<io::Error>().map(io::Error::kind);
    let text = reason.to_string();
    if error.is_connect() && error.is_timeout() {
        format!("no connection within {} s", CONNECT_TIMEOUT.as_secs())
    } else if kind == Some(io::ErrorKind::ConnectionRefused) {
        "nothing listens there (connection refused)".to_owned()
    } else if looked_up {
        let host = error.url().and_then(Url::host_str).unwrap_or_default();
        let host = crate::text::line(host, 100);
        format!("the name {host} is not known ({})", crate::text::line(&text, 200))
    } else if text == "tunnel error: proxy authorization required" {
        "it wants a name and password".to_owned()
    } else if text.starts_with("tunnel error: unsuccessful") {
        "it does not let this connection through".to_owned()
    } else {
        crate::text::line(&text, 300)
    }
}
