//! A question that a 2025-era server sent as a request of its own, and the way its answer goes back.
//!
//! Promises: it is answered at most once at a time, by whoever holds it; while it is open, the time of the requests on
//! its connection stands still; its end without an answer is told with the reason.

use super::Fault;
use crate::wire::json::Json;
use crate::wire::outcome::Entry;
use crate::wire::rpc::RpcError;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// One open question.
pub struct Question {
    pub entry: Entry,
    back: Box<dyn WayBack>,
    over: watch::Sender<Option<Over>>,
}

/// What was asked stays out of every log, so also out of `{:?}`.
impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").finish_non_exhaustive()
    }
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Why a question needs no answer any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// It was answered, or its call was stopped here.
    Settled,
    /// The server took it back (`notifications/cancelled`), with its reason.
    Withdrawn { reason: Option<String> },
    /// Its session or program has ended; a sentence.
    Closed(String),
}

/// Why an answer did not reach the server.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerFault {
    Fault(Fault),
    /// The server did not take it, in its words.
    Refused(RpcError),
}

/// How an answer is carried.
pub(crate) trait WayBack: Send + Sync {
    /// Sends the bare result as the answer.
    fn carry(&self, result: Json) -> Pin<Box<dyn Future<Output = Result<(), AnswerFault>> + Send + '_>>;

    /// The question is open no more.
    fn settled(&self);
}

impl Question {
    pub(crate) fn new(entry: Entry, back: Box<dyn WayBack>) -> Arc<Self> {
        Arc::new(Self {
            entry,
            back,
            over: watch::Sender::new(None),
        })
    }

    /// Sends the answer, a bare result. A failed try leaves the question open.
    ///
    /// # Errors
    /// [`AnswerFault`] says whether a byte may have left.
    pub async fn answer(&self, result: Json) -> Result<(), AnswerFault> {
        self.back.carry(result).await?;
        self.end(Over::Settled);
        Ok(())
    }

    /// The question is not answered at all: its call was stopped.
    pub fn abandon(&self) {
        self.end(Over::Settled);
    }

    /// Its end, once it has one.
    pub fn over(&self) -> watch::Receiver<Option<Over>> {
        self.over.subscribe()
    }

    pub(crate) fn end(&self, over: Over) {
        let first = self.over.send_if_modified(|known| {
            let first = known.is_none();
            if first {
                *known = Some(over);
            }
            first
        });
        if first {
            self.back.settled();
        }
    }
}

impl From<Fault> for AnswerFault {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
