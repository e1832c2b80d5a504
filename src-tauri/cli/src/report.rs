//! How a call ended, for people and for programs.

use crate::output;
use countersign_core::inbox::result;
use countersign_core::mrtr::driver::{End, Trouble};
use countersign_core::text;
use countersign_core::view::{Action, CallPhase, OfferKind, ResultPart, ServerText};
use countersign_core::wire::json::Json;

/// The exit codes; see the module doc of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    Done = 0,
    Server = 1,
    Usage = 2,
    Ours = 3,
    Stopped = 4,
    Undelivered = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    Failed,
    Stopped,
    Unknown,
    /// Kept, and not over.
    Waiting,
}

/// One question of one round, and what was answered, if anything was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) key: String,
    /// It asked to open a page.
    pub(crate) link: bool,
    pub(crate) action: Option<Action>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) status: Status,
    pub(crate) exit: Exit,
    pub(crate) rounds: u32,
    pub(crate) asks: Vec<Asked>,
    pub(crate) ending: Ending,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Result(Json),
    Error { code: Option<i64>, message: String },
}

impl Report {
    /// A call that never started.
    pub(crate) fn not_started(message: String) -> Self {
        Self {
            status: Status::Failed,
            exit: Exit::Ours,
            rounds: 0,
            asks: Vec::new(),
            ending: Ending::Error { code: None, message },
        }
    }

    /// A call that was stopped before its request left.
    pub(crate) fn stopped_before(message: String) -> Self {
        Self {
            status: Status::Stopped,
            exit: Exit::Stopped,
            ..Self::not_started(message)
        }
    }

    /// `told` is the core's sentence about this end; `stopped` is why we stopped it, if we did.
    pub(crate) fn of(
        end: End,
        rounds: u32,
        asks: Vec<Asked>,
        told: Option<String>,
        stopped: Option<String>,
    ) -> Self {
        let told = told.unwrap_or_default();
        let (status, exit, code, message) = match end {
            End::Done(result) => {
                let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
                return Self {
                    status: if failed { Status::Failed } else { Status::Done },
                    exit: if failed { Exit::Server } else { Exit::Done },
                    rounds,
                    asks,
                    ending: Ending::Result(result),
                };
            }
            End::Refused { error, .. } => (Status::Failed, Exit::Server, Some(error.code), error.message),
            End::Invalid(_) => (Status::Failed, Exit::Ours, None, told),
            End::Left(Trouble::NotDelivered(_) | Trouble::Refused(_)) => {
                (Status::Failed, Exit::Undelivered, None, told)
            }
            End::Left(Trouble::Unknown(_)) => (Status::Unknown, Exit::Undelivered, None, told),
            End::Left(Trouble::Cap { .. }) => (Status::Stopped, Exit::Stopped, None, told),
            End::Declined => (Status::Stopped, Exit::Stopped, None, told),
            End::Stopped { in_flight } => {
                let message = match stopped {
                    Some(why) if in_flight => format!("{why} It may still have happened."),
                    Some(why) => why,
                    None => told,
                };
                (Status::Stopped, Exit::Stopped, None, message)
            }
        };
        Self {
            status,
            exit,
            rounds,
            asks,
            ending: Ending::Error { code, message },
        }
    }

    /// A call that is kept as it stands, for later.
    pub(crate) fn kept(phase: CallPhase, rounds: u32, asks: Vec<Asked>, why: &str) -> Self {
        let (status, exit) = match phase {
            CallPhase::Unknown => (Status::Unknown, Exit::Undelivered),
            CallPhase::NotDelivered => (Status::Waiting, Exit::Undelivered),
            CallPhase::Asking
            | CallPhase::PausedAtCap
            | CallPhase::ServerMoved
            | CallPhase::Sending
            | CallPhase::Pacing
            | CallPhase::Done
            | CallPhase::DoneWithError
            | CallPhase::Failed
            | CallPhase::Stopped => (Status::Waiting, Exit::Stopped),
        };
        Self {
            status,
            exit,
            rounds,
            asks,
            ending: Ending::Error {
                code: None,
                message: why.to_owned(),
            },
        }
    }

    pub(crate) fn print(&self, kind: OfferKind, json: bool) {
        match &self.ending {
            Ending::Result(_) if json => {}
            Ending::Result(result) => {
                for part in result::parts(kind, result) {
                    output::result(&part_text(&part));
                }
            }
            Ending::Error { code: None, message } => output::note(message),
            Ending::Error {
                code: Some(code),
                message,
            } => output::note(&format!(
                "The server refused: “{}” ({code}).",
                text::line(message, text::DESCRIPTION)
            )),
        }
        if json {
            output::object(&self.object());
            return;
        }
        let rounds = match self.rounds {
            1 => "1 round".to_owned(),
            rounds => format!("{rounds} rounds"),
        };
        output::note(&format!("[{}, {rounds}]", self.status.word()));
    }

    fn object(&self) -> Json {
        let asks = self.asks.iter().map(|ask| {
            Json::object([
                ("key", Json::string(&ask.key)),
                ("mode", Json::string(if ask.link { "url" } else { "form" })),
                (
                    "action",
                    ask.action
                        .map_or(Json::Null, |action| Json::string(action_word(action))),
                ),
            ])
        });
        let mut members = vec![
            ("status", Json::string(self.status.word())),
            ("rounds", Json::integer(i64::from(self.rounds))),
            ("asks", Json::Array(asks.collect())),
        ];
        members.push(match &self.ending {
            Ending::Result(result) => ("result", result.clone()),
            Ending::Error { code, message } => {
                let mut error: Vec<_> = code.iter().map(|code| ("code", Json::integer(*code))).collect();
                error.push(("message", Json::string(message)));
                ("error", Json::object(error))
            }
        });
        Json::object(members)
    }
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Unknown => "unknown",
            Self::Waiting => "waiting",
        }
    }
}

/// The word of the protocol.
pub(crate) fn action_word(action: Action) -> &'static str {
    match action {
        Action::Accept => "accept",
        Action::Decline => "decline",
        Action::Cancel => "cancel",
    }
}

fn part_text(part: &ResultPart) -> String {
    match part {
        ResultPart::Text { role, text } => {
            let text = words(text);
            role.as_ref()
                .map_or_else(|| text.clone(), |role| format!("{role}: {text}"))
        }
        ResultPart::Image { media_type, data, .. } => media("picture", media_type, data),
        ResultPart::Audio { media_type, data, .. } => media("sound", media_type, data),
        ResultPart::Link {
            uri,
            title,
            description,
        } => {
            let mut line = title
                .as_ref()
                .map_or_else(|| uri.clone(), |title| format!("{title}: {uri}"));
            line.extend(description.iter().map(|words| format!(" ({words})")));
            line
        }
        ResultPart::Document {
            uri,
            media_type,
            text,
            bytes,
        } => {
            let mut lines = uri.clone();
            lines.extend(media_type.iter().map(|kind| format!(" ({kind})")));
            lines.extend(text.iter().map(|text| format!("\n{}", words(text))));
            lines.extend(bytes.iter().map(|bytes| format!(" [{bytes} bytes, not shown]")));
            lines
        }
        ResultPart::Structured { rows } => {
            let rows = rows.iter().map(|row| {
                let indent = "  ".repeat(usize::try_from(row.depth).unwrap_or_default());
                match (row.name.as_str(), &row.value) {
                    ("", value) => format!("{indent}{}", value.as_deref().unwrap_or_default()),
                    (name, None) => format!("{indent}{name}:"),
                    (name, Some(value)) => format!("{indent}{name}: {value}"),
                }
            });
            rows.collect::<Vec<_>>().join("\n")
        }
        ResultPart::Other { note } => format!("[{note}]"),
    }
}

fn media(word: &str, media_type: &str, data: &str) -> String {
    format!(
        "[{word}, {media_type}, about {} bytes, not shown]",
        data.len() / 4 * 3
    )
}

fn words(text: &ServerText) -> String {
    text.whole.clone().unwrap_or_else(|| text.text.clone())
}
