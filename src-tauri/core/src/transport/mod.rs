//! Carrying requests to a server: [`http`] (Streamable HTTP, with [`sse`]) and [`stdio`] (with
//! [`lines`]).
//!
//! Promises: every way a request can end is told apart by whether a byte may have left ([`Fault::left`]); sizes and
//! times are bounded; a cancelled request is cancelled by the rule of its transport. Nothing is sent twice.
//!
//! Deliberately absent: re-sending, reconnecting and any knowledge of rounds.

pub mod http;
pub mod lines;
pub mod sse;
pub mod stdio;

use crate::wire::json::Json;
use crate::wire::rpc::Response;
use std::time::Duration;

/// Largest message, event or body that is read, in bytes.
pub const MAX_MESSAGE: usize = 4 * 1024 * 1024;

/// How long one request may take. A person's thinking time lies between requests and never counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Longest silence; every byte (and every progress notification) starts it anew. `None`: only `total` counts.
    pub idle: Option<Duration>,
    pub total: Duration,
}

impl Patience {
    /// `idle` for silence; ten times that, at least ten minutes, in all.
    pub fn of(idle: Duration) -> Self {
        Self {
            idle: Some(idle),
            total: idle.saturating_mul(10).max(Duration::from_secs(600)),
        }
    }

    /// For a retry that tells of an opened link: a server may hold it until the page is done.
    pub fn for_a_browser() -> Self {
        Self {
            idle: None,
            total: Duration::from_secs(600),
        }
    }
}

/// A notification that came while a request ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub method: String,
    pub params: Json,
}

/// The answer of a server, an error in its own words included.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub response: Response,
    /// The HTTP status, for details.
    pub status: Option<u16>,
}

/// Why there is no answer. These are ours, never the server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("{0}")]
    CannotConnect(String),
    #[error("the program cannot be started: {0}")]
    CannotStart(String),
    #[error("the server wants a sign-in (HTTP {status})")]
    SignIn { status: u16 },
    #[error("the server answered HTTP {status}{}", hint(*.status))]
    Status { status: u16 },
    #[error("the server sends this request on to {to}; requests go only where you added the server")]
    Redirected { to: String },
    #[error("the connection ended before the answer: {0}")]
    Lost(String),
    #[error("no answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    #[error("more than {limit} {what}")]
    TooLarge { limit: usize, what: &'static str },
    #[error("stopped by you")]
    Cancelled { left: bool },
}

impl Fault {
    /// Whether a byte of the request may have reached the server, so that it may have acted on it.
    pub fn left(&self) -> bool {
        match self {
            Self::CannotConnect(_) | Self::CannotStart(_) | Self::SignIn { .. } => false,
            Self::Cancelled { left } => *left,
            Self::Status { .. }
            | Self::Redirected { .. }
            | Self::Lost(_)
            | Self::TimedOut(_)
            | Self::Unreadable(_)
            | Self::TooLarge { .. } => true,
        }
    }
}

async fn within<T>(idle: Option<Duration>, work: impl Future<Output = T>) -> Result<T, Fault> {
    match idle {
        Some(idle) => tokio::time::timeout(idle, work)
            .await
            .map_err(|_| Fault::TimedOut(idle)),
        None => Ok(work.await),
    }
}

fn hint(status: u16) -> &'static str {
    match status {
        404 => ": there is nothing at this address",
        405 => ": this address does not take requests of this kind",
        413 | 431 => ": the request is too large for it",
        429 => ": it has too much to do for this client",
        500..=599 => ": it has a fault of its own",
        _ => "",
    }
}
