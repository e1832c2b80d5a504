//! Carrying requests to a server: [`http`] (Streamable HTTP of both eras and HTTP+SSE, with [`sse`]) and [`stdio`]
//! (with [`lines`]).
//!
//! Promises: every way a request can end is told apart by whether a byte may have left ([`Fault::left`]); sizes and
//! times are bounded; a cancelled request is cancelled by the rule of its transport. Nothing is sent twice.
//!
//! Deliberately absent: re-sending, reconnecting and any knowledge of rounds.

pub mod http;
pub mod lines;
pub mod question;
pub(crate) mod routes;
pub mod sse;
pub mod stdio;

use crate::wire::Revision;
use crate::wire::json::Json;
use crate::wire::rpc::Response;
use question::Question;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

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

    /// For what is asked without a person waiting for it to be done: what a server is and what it offers. `timeout` is
    /// the server's own, which counts where it is shorter.
    pub fn for_lists(timeout: Duration) -> Self {
        Self {
            idle: Some(timeout.min(Duration::from_secs(30))),
            total: Duration::from_secs(120),
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

/// What comes while a request runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Note(Note),
    /// A 2025-era server asks the person something before it answers.
    Question(Arc<Question>),
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
    /// What it is to be read as.
    pub revision: Revision,
}

impl Reply {
    pub fn new(response: Response, status: Option<u16>) -> Self {
        Self {
            response,
            status,
            revision: Revision::V2026_07_28,
        }
    }
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
    #[error("{from} sends this request on to {to}; requests go only where you added the server")]
    Redirected { from: String, to: String },
    /// A redirect that takes the body or method away (301, 302, 303).
    #[error(
        "the server says that it moved to {to} (HTTP {status}) in a way in which the request would be lost; if you trust that place, add the server with its new address"
    )]
    Moved { status: u16, to: String },
    #[error("the connection ended before the answer: {0}")]
    Lost(String),
    /// A 2025-era server answers 404 to a session that it knew (basic/transports, "Session Management").
    #[error("the server no longer knows this session (HTTP 404); the next request begins a new one")]
    SessionOver,
    #[error("no answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    #[error("more than {limit} {what}")]
    TooLarge { limit: usize, what: &'static str },
    #[error("stopped by you")]
    Cancelled { left: bool },
    /// What became of the request was told before this run of the app, or the app ended before it was known.
    #[error("{reason}")]
    Before { reason: String, left: bool },
    #[error("it could not be saved before it was sent: {0}")]
    NotKept(String),
    #[error(
        "this server had another address or command when it asked, and what was meant for one place goes to no other. Put the old one back to go on"
    )]
    ServerChanged,
}

/// A notification or the answer to a question that is not taken for this long could not be told.
const TELL: Duration = Duration::from_secs(30);

impl Fault {
    /// What a server is told of a request that was given up here (`notifications/cancelled`).
    fn reason_to_cancel(&self) -> Option<&'static str> {
        match self {
            Self::Cancelled { .. } => Some("stopped by the person"),
            Self::TimedOut(_) => Some("timed out"),
            Self::CannotConnect(_)
            | Self::CannotStart(_)
            | Self::SignIn { .. }
            | Self::Status { .. }
            | Self::Redirected { .. }
            | Self::Moved { .. }
            | Self::Lost(_)
            | Self::SessionOver
            | Self::Unreadable(_)
            | Self::TooLarge { .. }
            | Self::Before { .. }
            | Self::NotKept(_)
            | Self::ServerChanged => None,
        }
    }

    /// Whether a byte of the request may have reached the server, so that it may have acted on it.
    pub fn left(&self) -> bool {
        match self {
            Self::CannotConnect(_)
            | Self::CannotStart(_)
            | Self::SignIn { .. }
            | Self::NotKept(_)
            | Self::ServerChanged => false,
            Self::Cancelled { left } | Self::Before { left, .. } => *left,
            Self::Status { .. }
            | Self::Redirected { .. }
            | Self::Moved { .. }
            | Self::Lost(_)
            | Self::SessionOver
            | Self::TimedOut(_)
            | Self::Unreadable(_)
            | Self::TooLarge { .. } => true,
        }
    }
}

/// The patience of one request as it runs out. It stands still while a person is asked.
pub(crate) struct Limit {
    idle: Option<Duration>,
    idle_left: Option<Duration>,
    total: Duration,
    total_left: Duration,
    since: Option<Instant>,
    /// How many questions are open.
    asked: watch::Receiver<usize>,
}

impl Limit {
    pub(crate) fn new(patience: Patience, asked: watch::Receiver<usize>) -> Self {
        Self {
            idle: patience.idle,
            idle_left: patience.idle,
            total: patience.total,
            total_left: patience.total,
            since: None,
            asked,
        }
    }

    /// For a connection on which nobody is asked.
    pub(crate) fn plain(patience: Patience) -> Self {
        Self::new(patience, watch::Sender::new(0).subscribe())
    }

    /// Something came.
    pub(crate) fn heard(&mut self) {
        self.settle();
        self.idle_left = self.idle;
    }

    /// Resolves when time is up. May be dropped and called again; the time that passed counts.
    pub(crate) async fn expired(&mut self) -> Fault {
        loop {
            self.settle();
            if *self.asked.borrow_and_update() > 0 {
                self.idle_left = self.idle;
                if self.asked.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
                continue;
            }
            let left = self
                .idle_left
                .map_or(self.total_left, |idle| idle.min(self.total_left));
            self.since = Some(now());
            tokio::select! {
                biased;
                Ok(()) = self.asked.changed() => {}
                () = tokio::time::sleep(left) => {
                    let idle_first = self.idle_left.is_some_and(|idle| idle <= self.total_left);
                    return Fault::TimedOut(self.idle.filter(|_| idle_first).unwrap_or(self.total));
                }
            }
        }
    }

    fn settle(&mut self) {
        if let Some(since) = self.since.take() {
            let passed = now().saturating_duration_since(since);
            self.total_left = self.total_left.saturating_sub(passed);
            self.idle_left = self.idle_left.map(|idle| idle.saturating_sub(passed));
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the runtime's clock, which tests hold; time-outs are the transport's own"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn patience(idle: u32, total: u32) -> Patience {
        Patience {
            idle: Some(SECOND * idle),
            total: SECOND * total,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn time_stands_still_while_a_person_is_asked() {
        let asked = watch::Sender::new(0);
        let mut limit = Limit::new(patience(10, 100), asked.subscribe());
        assert!(tokio::time::timeout(SECOND * 9, limit.expired()).await.is_err());
        asked.send_replace(1);
        assert!(
            tokio::time::timeout(SECOND * 5000, limit.expired())
                .await
                .is_err()
        );
        asked.send_replace(0);
        assert!(
            tokio::time::timeout(SECOND * 9, limit.expired()).await.is_err(),
            "silence counts anew"
        );
        assert_eq!(limit.expired().await, Fault::TimedOut(SECOND * 10));
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_starts_the_silence_anew_but_not_the_whole() {
        let mut limit = Limit::plain(patience(10, 25));
        for _ in 0..3 {
            assert!(tokio::time::timeout(SECOND * 8, limit.expired()).await.is_err());
            limit.heard();
        }
        assert_eq!(limit.expired().await, Fault::TimedOut(SECOND * 25));
    }
}
