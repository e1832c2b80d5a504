//! Runs one call to its end: sends what the [`Machine`] says, waits for what a person says.
//!
//! Promises: a request that carries answers, and any call, is sent once; whether a lost one is sent again is the
//! person's word. While a person thinks, no clock runs. Stopping is heard at every point.

use super::machine::{Machine, Step, Word};
use crate::fault::{self, Point};
use crate::transport::question::Question;
use crate::transport::{Fault, Incoming, Note, Patience, Reply};
use crate::wire::json::Json;
use crate::wire::outcome::OutcomeFault;
use crate::wire::request::Request;
use crate::wire::rpc::RpcError;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A way to one server.
pub trait Line: Send + Sync {
    fn patience(&self) -> Patience;

    /// Sends one request under a new id and waits for its answer.
    fn send(
        &self,
        request: &Request,
        patience: Patience,
        stop: &CancellationToken,
        incoming: &mut (dyn FnMut(Incoming) + Send),
    ) -> impl Future<Output = Result<Reply, Fault>> + Send;
}

/// What the driver tells, and what it needs decided. Every decision is somebody's act; none has a time limit.
pub trait Host: Send + Sync {
    /// Something changed that a person may see.
    fn happened(&self, event: Event);

    /// The server asks to be asked again a little later.
    fn pacing(&self, machine: &Machine);

    /// The next request of `machine` is about to leave: what is to outlive the app is kept now. With a fault no byte
    /// leaves.
    fn sending(&self, machine: &Machine) -> Result<(), Fault>;

    /// The answers to the round of `machine`; `None` when the call was stopped.
    fn answer(&self, machine: &Machine) -> impl Future<Output = Option<Answers>> + Send;

    /// What to do about a request without an answer.
    fn trouble(&self, trouble: Trouble, machine: &Machine) -> impl Future<Output = Next> + Send;
}

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Progress {
        progress: String,
        total: Option<String>,
        message: Option<String>,
    },
    /// The server has the last answers: it replied.
    Replied,
    /// A 2025-era server asks while the request runs; the answer goes its own way.
    Asked(Arc<Question>),
}

/// The answers of one round, a bare result for each key.
#[derive(Clone, PartialEq)]
pub struct Answers {
    pub results: Vec<(String, Json)>,
    pub word: Word,
    /// One of them tells of an opened link, so the server may take its time.
    pub opened_link: bool,
}

/// What was answered stays out of every log, so also out of `{:?}`.
impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answers")
            .field(
                "keys",
                &self.results.iter().map(|(key, _)| key).collect::<Vec<_>>(),
            )
            .field("word", &self.word)
            .field("opened_link", &self.opened_link)
            .finish()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// No byte left, or the server wants a sign-in first.
    NotDelivered(Fault),
    /// The server says that it refused answers before it acted on them.
    Refused(RpcError),
    /// It was sent; what became of it is not known.
    Unknown(Fault),
    /// Ten rounds without a word; `rounds` in all.
    Cap { rounds: u32 },
}

/// The person's word on a [`Trouble`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The same again, or on after the cap.
    GoOn,
    /// Put the same round before the person again.
    AskAgain,
    /// Leave it at that.
    Leave,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Done(Json),
    /// An error in the server's words.
    Refused {
        error: RpcError,
        status: Option<u16>,
    },
    /// The server broke the protocol.
    Invalid(OutcomeFault),
    /// The person left it after a [`Trouble`].
    Left(Trouble),
    /// The person did not want a page that the call needs; nothing more was sent.
    Declined,
    /// Stopped by the person; in flight, it may still have happened.
    Stopped {
        in_flight: bool,
    },
}

/// Where a call goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// With its first request.
    First,
    /// The round of the machine waits for the person, as it did before.
    Asking,
    /// The last request has no answer, as before, or the app ended while it was on its way.
    Trouble(Trouble),
}

/// Runs `machine` against `line` until it ends.
pub async fn run(
    mut machine: Machine,
    start: Start,
    line: &impl Line,
    host: &impl Host,
    stop: &CancellationToken,
) -> End {
    let mut patience = line.patience();
    let mut step = match start {
        Start::First => machine.start(),
        Start::Asking => Step::Ask,
        Start::Trouble(trouble) => match after(trouble, &mut machine, host).await {
            Ok(step) => step,
            Err(end) => return end,
        },
    };
    loop {
        step = match step {
            Step::Done(result) => return End::Done(result),
            Step::Failed(fault) => return End::Invalid(fault),
            Step::Declined => return End::Declined,
            Step::Ask => {
                let Some(answers) = host.answer(&machine).await else {
                    return End::Stopped { in_flight: false };
                };
                patience = if answers.opened_link && !machine.names_pages() {
                    Patience::for_a_browser()
                } else {
                    line.patience()
                };
                machine.answered(answers.results, answers.word)
            }
            Step::PauseAtCap => {
                let rounds = machine.rounds();
                match after(Trouble::Cap { rounds }, &mut machine, host).await {
                    Ok(step) => step,
                    Err(end) => return end,
                }
            }
            Step::Send { request, pause } => {
                if !pause.is_zero() {
                    host.pacing(&machine);
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => return End::Stopped { in_flight: false },
                        () = tokio::time::sleep(pause) => {}
                    }
                }
                if let Err(fault) = host.sending(&machine) {
                    step = match after(Trouble::NotDelivered(fault), &mut machine, host).await {
                        Ok(step) => step,
                        Err(end) => return end,
                    };
                    continue;
                }
                let mut incoming = |incoming| {
                    let event = match incoming {
                        Incoming::Note(note) => progress(&note),
                        Incoming::Question(question) => Some(Event::Asked(question)),
                    };
                    if let Some(event) = event {
                        host.happened(event);
                    }
                };
                fault::at(Point::SendBegun);
                let sent = line.send(&request, patience, stop, &mut incoming).await;
                fault::at(Point::ReceiveBegun);
                match sent {
                    Ok(Reply {
                        response,
                        status,
                        revision,
                    }) => match response.outcome {
                        Err(error)
                            if revision.is_modern()
                                && machine.carries_answers()
                                && error.refused_before_acting() =>
                        {
                            match after(Trouble::Refused(error.clone()), &mut machine, host).await {
                                Ok(step) => step,
                                Err(_) => return End::Refused { error, status },
                            }
                        }
                        outcome => {
                            host.happened(Event::Replied);
                            patience = line.patience();
                            match outcome {
                                Ok(result) => machine.replied(result, revision),
                                Err(error) => match machine.refused(&error, revision) {
                                    Some(step) => step,
                                    None => return End::Refused { error, status },
                                },
                            }
                        }
                    },
                    Err(Fault::Cancelled { left }) => return End::Stopped { in_flight: left },
                    Err(fault) => {
                        let trouble = if fault.left() {
                            Trouble::Unknown(fault)
                        } else {
                            Trouble::NotDelivered(fault)
                        };
                        match after(trouble, &mut machine, host).await {
                            Ok(step) => step,
                            Err(end) => return end,
                        }
                    }
                }
            }
        };
    }
}

/// What the person wants after a trouble.
async fn after(trouble: Trouble, machine: &mut Machine, host: &impl Host) -> Result<Step, End> {
    let capped = matches!(trouble, Trouble::Cap { .. });
    match host.trouble(trouble.clone(), machine).await {
        Next::GoOn | Next::AskAgain if capped => Ok(machine.go_on()),
        Next::GoOn => Ok(machine.send_again()),
        Next::AskAgain => Ok(Step::Ask),
        Next::Leave if capped => Err(End::Stopped { in_flight: false }),
        Next::Leave => Err(End::Left(trouble)),
    }
}

fn progress(note: &Note) -> Option<Event> {
    if note.method != "notifications/progress" {
        return None;
    }
    let number = |key: &str| note.params.get(key).and_then(Json::as_number).map(str::to_owned);
    Some(Event::Progress {
        progress: number("progress")?,
        total: number("total"),
        message: note
            .params
            .get("message")
            .and_then(Json::as_str)
            .map(crate::text::chip),
    })
}
