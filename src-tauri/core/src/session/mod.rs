//! One configured server: how it is reached, what it said of itself, what it offers.
//!
//! Promises: ids are never used twice; a server program that ended is started anew for the next request; lists are
//! read page by page within limits and odd entries are named. Every request declares what can be asked here.
//!
//! Deliberately absent: the rounds of a call (see [`crate::mrtr`]), revisions before 2026-07-28, sign-in.

pub mod address;
pub mod cache;
pub mod offers;

use crate::mrtr::driver::Line;
use crate::transport::http::HttpPeer;
use crate::transport::stdio::{Command, StdioPeer};
use crate::transport::{Fault, Note, Patience, Reply};
use crate::wire::REVISION;
use crate::wire::json::Json;
use crate::wire::request::{Elicitation, Method, Request};
use crate::wire::rpc::{RpcError, code};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    Http {
        url: Url,
        headers: Vec<(String, String)>,
    },
    Stdio(Command),
}

/// A path, query or header may hold a secret, so they stay out of `{:?}`.
impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http { url, .. } => write!(f, "Http({})", url.origin().ascii_serialization()),
            Self::Stdio(command) => write!(f, "Stdio({command:?})"),
        }
    }
}

/// A line to one server.
#[derive(Debug)]
pub struct Session {
    target: Target,
    elicitation: Elicitation,
    timeout: Duration,
    last_id: AtomicU64,
    /// Cancelled when the server was removed or the app ends: nothing is started or sent any more.
    over: CancellationToken,
    peer: tokio::sync::Mutex<Option<Peer>>,
}

#[derive(Clone, Debug)]
enum Peer {
    Http(Arc<HttpPeer>),
    Stdio(Arc<StdioPeer>),
}

/// What a server said of itself. Its name is a claim, no fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    pub claims: Option<String>,
    pub tools: bool,
    pub prompts: bool,
    pub resources: bool,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("{0}")]
    Fault(#[from] Fault),
    /// The server speaks, but not this revision.
    #[error("this server speaks {spoken}; this version of Countersign speaks {REVISION} only")]
    OtherRevision { spoken: String },
    #[error("the server refused: “{message}” ({code})")]
    Refused { code: i64, message: String },
    #[error("{0}")]
    Unusable(String),
}

impl Session {
    pub fn new(target: Target, elicitation: Elicitation, timeout: Duration) -> Self {
        Self {
            target,
            elicitation,
            timeout,
            last_id: AtomicU64::new(0),
            over: CancellationToken::new(),
            peer: tokio::sync::Mutex::new(None),
        }
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Asks the server what it is (`server/discover`).
    ///
    /// # Errors
    /// [`ConnectError`] says whether it cannot be reached, wants a sign-in or speaks another revision.
    pub async fn connect(&self) -> Result<Discovery, ConnectError> {
        let reply = self.ask(Request::new(Method::Discover)).await?;
        match reply.response.outcome {
            Ok(result) => discovery(&result),
            Err(error) => Err(refusal(&error)),
        }
    }

    /// One request outside a call, with the server's usual patience.
    ///
    /// # Errors
    /// [`Fault`] where there is no answer.
    pub async fn ask(&self, request: Request) -> Result<Reply, Fault> {
        self.send(
            &request,
            Patience::of(self.timeout),
            &CancellationToken::new(),
            &mut |_| {},
        )
        .await
    }

    /// The last lines of a server program's log; empty for others.
    pub async fn log(&self) -> Vec<String> {
        match &*self.peer.lock().await {
            Some(Peer::Stdio(peer)) => peer.log(),
            Some(Peer::Http(_)) | None => Vec::new(),
        }
    }

    /// How a server program ended, if it did.
    pub async fn exit(&self) -> Option<String> {
        let peer = match &*self.peer.lock().await {
            Some(Peer::Stdio(peer)) if peer.has_ended() => Arc::clone(peer),
            Some(Peer::Stdio(_) | Peer::Http(_)) | None => return None,
        };
        peer.exit().await
    }

    /// Ends the server program, orderly and for good: whatever still reads from it starts nothing anew.
    pub async fn shut_down(&self) {
        self.over.cancel();
        let peer = self.peer.lock().await.take();
        if let Some(Peer::Stdio(peer)) = peer {
            peer.shut_down().await;
        }
    }

    async fn peer(&self) -> Result<Peer, Fault> {
        let mut peer = self.peer.lock().await;
        if self.over.is_cancelled() {
            return Err(Fault::CannotConnect(
                "this server is not used any more".to_owned(),
            ));
        }
        let usable = match &*peer {
            Some(Peer::Stdio(running)) => !running.has_ended(),
            Some(Peer::Http(_)) => true,
            None => false,
        };
        if !usable {
            *peer = Some(match &self.target {
                Target::Http { url, headers } => Peer::Http(Arc::new(
                    HttpPeer::new(url.clone(), headers).map_err(Fault::CannotConnect)?,
                )),
                Target::Stdio(command) => Peer::Stdio(Arc::new(StdioPeer::start(command)?)),
            });
        }
        peer.clone()
            .ok_or_else(|| Fault::CannotConnect("there is no connection".to_owned()))
    }
}

impl Line for Session {
    fn patience(&self) -> Patience {
        Patience::of(self.timeout)
    }

    async fn send(
        &self,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        note: &mut (dyn FnMut(Note) + Send),
    ) -> Result<Reply, Fault> {
        let peer = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(Fault::Cancelled { left: false }),
            peer = self.peer() => peer?,
        };
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        match peer {
            Peer::Http(peer) => {
                peer.exchange(id, request, self.elicitation, patience, stop, note)
                    .await
            }
            Peer::Stdio(peer) => {
                peer.exchange(id, request, self.elicitation, patience, stop, note)
                    .await
            }
        }
    }
}

/// The name that a result says its server has.
pub fn claimed_name(result: &Json) -> Option<String> {
    let info = result.get("_meta")?.get("io.modelcontextprotocol/serverInfo")?;
    let name = info.get("title").or_else(|| info.get("name"))?.as_str()?.trim();
    (!name.is_empty()).then(|| crate::text::chip(name))
}

fn discovery(result: &Json) -> Result<Discovery, ConnectError> {
    let Some(versions) = result.get("supportedVersions").and_then(Json::as_array) else {
        return Err(ConnectError::Unusable(
            "the server answered, but does not say which revisions it speaks (supportedVersions)".to_owned(),
        ));
    };
    if !versions.iter().any(|version| version.as_str() == Some(REVISION)) {
        return Err(ConnectError::OtherRevision {
            spoken: spoken(versions),
        });
    }
    let has = |name: &str| result.get("capabilities").is_some_and(|c| c.get(name).is_some());
    Ok(Discovery {
        claims: claimed_name(result),
        tools: has("tools"),
        prompts: has("prompts"),
        resources: has("resources"),
    })
}

fn refusal(error: &RpcError) -> ConnectError {
    match error.code {
        code::UNSUPPORTED_VERSION => {
            let supported = error
                .data
                .as_ref()
                .and_then(|data| data.get("supported"))
                .and_then(Json::as_array);
            ConnectError::OtherRevision {
                spoken: spoken(supported.unwrap_or_default()),
            }
        }
        code::METHOD_NOT_FOUND => ConnectError::OtherRevision {
            spoken: "an older revision".to_owned(),
        },
        code => ConnectError::Refused {
            code,
            message: crate::text::chip(&error.message),
        },
    }
}

fn spoken(versions: &[Json]) -> String {
    let versions: Vec<_> = versions.iter().filter_map(Json::as_str).take(8).collect();
    if versions.is_empty() {
        "another revision".to_owned()
    } else {
        format!("“{}”", crate::text::chip(&versions.join(", ")))
    }
}
