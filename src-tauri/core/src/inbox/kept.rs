//! Calls and their questions as they are kept in the store, and what becomes of them when the app comes back. Pure.
//!
//! Promises:
//! - Identity and bytes come back as they were: ids, keys, params, requestState, answers.
//! - What was on its way when the app ended is unknown, whatever became of it; nothing is sent for it by itself.
//! - A link whose browser was being asked may have been opened; it is not opened again by itself.
//! - A question that a 2025-era server put while a connection stood is over with that connection.
//! - Secrets are not kept: not in a draft, and not in an answer that the person sent all the same. Such an answer is
//!   asked for anew.
//!
//! Deliberately absent: the file ([`crate::store`]), and drafts, which have rows of their own there.

use super::ask::{Ask, Given, Stage};
use super::call::Call;
use super::guard::Look;
use super::moved;
use super::noted::Noted;
use super::visited::Visited;
use super::{NewCall, ServerFacts};
use crate::form::FieldInput;
use crate::mrtr::driver::{End, Start, Trouble};
use crate::mrtr::kept::{KeptMachine, KeptRequest};
use crate::mrtr::machine::Machine;
use crate::session::address;
use crate::store::history::{Delivery, Outcome};
use crate::transport::Fault;
use crate::view::{Action, AskId, CallId, CallPhase, Initiator, OfferKind, TargetDraft};
use crate::wire::json::Json;
use crate::wire::outcome::{OutcomeFault, parse_entry};
use crate::wire::rpc::RpcError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

const VERSION: u32 = 2;

/// One call without its result and drafts.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptCall {
    version: u32,
    kind: OfferKind,
    name: String,
    arguments: String,
    output_schema: Option<String>,
    initiator: Initiator,
    server_name: String,
    practice: bool,
    /// Where it goes.
    place: TargetDraft,
    /// By which a change of headers or variables is known.
    values: String,
    request: Option<KeptRequest>,
    machine: Option<KeptMachine>,
    phase: CallPhase,
    detail: Option<String>,
    trouble: Option<KeptTrouble>,
    lost_link: Option<String>,
    rounds: u32,
    round_number: u32,
    over_cap: bool,
    started_at: String,
    links: Vec<(String, String)>,
    declines: BTreeMap<String, u32>,
    notices: Vec<String>,
    end: Option<KeptEnd>,
    noted_start: bool,
    asks: Vec<KeptAsk>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum KeptTrouble {
    NotDelivered { reason: String },
    Refused { error: KeptError },
    Unknown { reason: String },
    Cap { rounds: u32 },
}

#[derive(Serialize, Deserialize)]
struct KeptError {
    code: i64,
    message: String,
    data: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum KeptEnd {
    /// Its result has a row of its own, if it is kept.
    Done,
    Refused {
        error: KeptError,
        status: Option<u16>,
    },
    Invalid {
        fault: String,
    },
    Left {
        trouble: KeptTrouble,
    },
    Declined,
    Stopped {
        in_flight: bool,
    },
}

#[derive(Serialize, Deserialize)]
struct KeptAsk {
    id: u32,
    key: String,
    round: u32,
    position: u32,
    of: u32,
    /// As the server sent it.
    entry: String,
    stage: KeptStage,
    asked_at: String,
    declined_before: u32,
    may_be_finished: bool,
    opened: u32,
    pushed: bool,
    required: bool,
    finished: bool,
    #[serde(default)]
    given: Option<Outcome>,
    #[serde(default)]
    lost: Option<Delivery>,
    noted: Noted,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum KeptStage {
    Waiting,
    Opening,
    MayBeOpen,
    OpenFailed {
        reason: String,
    },
    Kept {
        given: KeptGiven,
    },
    Sending {
        given: KeptGiven,
    },
    InBrowser {
        asking: bool,
        trouble: Option<String>,
    },
    Delivered {
        action: Action,
    },
    Undelivered {
        given: KeptGiven,
        reason: Option<String>,
    },
    Withdrawn {
        reason: String,
    },
    Closed {
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
struct KeptGiven {
    action: Action,
    /// `None`: it held a secret, or the call has ended.
    result: Option<String>,
    opened_link: bool,
    outcome: Outcome,
}

/// A call as it comes back, and where its driver goes on; `None` where it has ended.
pub(super) struct Back {
    pub(super) call: Call,
    pub(super) asks: Vec<Ask>,
    pub(super) goes_on: Option<(Machine, Start)>,
}

impl KeptCall {
    /// Of an ended call only what is shown of it, and what starting it again needs; where the person keeps nothing of
    /// ended calls (`keep_ended`), neither its arguments nor its questions.
    pub(super) fn of<'a>(call: &Call, asks: impl Iterator<Item = &'a Ask>, keep_ended: bool) -> Self {
        let is_open = call.end.is_none();
        let is_whole = is_open || keep_ended;
        let asks: Vec<&Ask> = asks.filter(|_| is_whole).collect();
        let secret = asks.iter().any(|ask| ask.holds_secret());
        Self {
            version: VERSION,
            kind: call.new.kind,
            name: call.new.name.clone(),
            arguments: if is_whole {
                call.new.arguments.to_string()
            } else {
                "{}".to_owned()
            },
            output_schema: call.new.output_schema.as_ref().map(Json::to_string),
            initiator: call.new.initiator.clone(),
            server_name: call.new.server.name.clone(),
            practice: call.new.server.practice,
            place: if is_whole {
                call.place.clone()
            } else {
                address::veiled(&call.place)
            },
            values: call.new.server.values.clone(),
            request: call.request.as_ref().filter(|_| is_whole).map(KeptRequest::of),
            machine: call.machine.clone().filter(|_| is_open).map(|machine| {
                if secret {
                    machine.without_answers()
                } else {
                    machine
                }
            }),
            phase: call.phase,
            detail: call.detail.clone(),
            trouble: call.trouble.as_ref().map(KeptTrouble::of),
            lost_link: call.lost_link.clone(),
            rounds: call.rounds,
            round_number: call.round_number,
            over_cap: call.over_cap,
            started_at: call.started_at.clone(),
            links: call
                .links
                .iter()
                .filter(|_| is_open)
                .map(|(key, url)| (key.clone(), url.as_str().to_owned()))
                .collect(),
            declines: call
                .declines
                .iter()
                .map(|(key, times)| (key.clone(), *times))
                .collect(),
            notices: call.notices.clone(),
            end: call.end.as_ref().map(KeptEnd::of),
            // It is told with the first that is kept of it.
            noted_start: true,
            asks: asks.into_iter().map(|ask| KeptAsk::of(ask, is_open)).collect(),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// `None` where this version cannot read it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let kept: Self = serde_json::from_slice(bytes).ok()?;
        (kept.version == VERSION).then_some(kept)
    }

    /// The call as it stands now that the app is back. `server` is what is known of its server by now, `None` where it
    /// was removed. `None` where this version cannot read it.
    pub(super) fn restore(
        mut self,
        id: CallId,
        server: Option<ServerFacts>,
        drafts: &BTreeMap<AskId, Vec<FieldInput>>,
        visited: &Visited,
    ) -> Option<Back> {
        let end = match self.end.take() {
            Some(end) => Some(end.restore()?),
            None => None,
        };
        let gone = server.is_none();
        let server =
            server.unwrap_or_else(|| ServerFacts::gone(&self.server_name, &self.place, self.practice));
        let moved = moved::why(&self.place, &server.place).filter(|_| end.is_none());
        let values_changed = end.is_none() && moved.is_none() && !gone && self.values != server.values;
        let new = NewCall {
            server: if end.is_some() {
                server
            } else {
                server.at(&self.place)
            },
            kind: self.kind,
            name: self.name,
            arguments: Json::parse(&self.arguments).ok()?,
            output_schema: match &self.output_schema {
                Some(schema) => Some(Json::parse(schema).ok()?),
                None => None,
            },
            initiator: self.initiator,
        };
        let request = match &self.request {
            Some(request) => Some(request.restore()?),
            None => None,
        };
        let mut call = Call::new(id, new, request, Vec::new(), self.started_at);
        call.rounds = self.rounds;
        call.round_number = self.round_number;
        call.over_cap = self.over_cap;
        call.lost_link = self.lost_link;
        call.links = self
            .links
            .into_iter()
            .filter_map(|(key, url)| Some((key, Url::parse(&url).ok()?)))
            .collect();
        call.declines = self.declines.into_iter().collect();
        call.notices = self.notices;
        call.phase = self.phase;
        call.detail = self.detail;
        call.machine.clone_from(&self.machine);
        call.end = end;
        call.noted_start = self.noted_start;
        let mut asks = Vec::new();
        for kept in self.asks {
            asks.push(kept.restore(&call, drafts, visited)?);
        }
        let mut secret = false;
        let mut goes_on = None;
        if call.end.is_none() {
            if gone {
                over(&mut call, &mut asks, "Its server was removed.");
            } else {
                secret = came_back(&mut asks);
                goes_on = going_on(&mut call, &mut asks, self.machine.as_ref(), self.trouble);
            }
        }
        call.secret_lost = secret && goes_on.is_some();
        call.moved = moved;
        call.values_changed = values_changed;
        Some(Back { call, asks, goes_on })
    }
}

/// What the end of the app did to questions. Whether an answer that was on its way cannot be sent again, because it held
/// a secret.
fn came_back(asks: &mut [Ask]) -> bool {
    let mut secret = false;
    for ask in asks {
        let pushed = ask.was_pushed;
        match &ask.stage {
            Stage::Opening => ask.stage = Stage::MayBeOpen,
            Stage::Kept(given) if given.lost => ask.stage = Stage::Waiting,
            Stage::Sending(given) | Stage::Undelivered(given, _) => secret |= given.lost,
            Stage::Waiting
            | Stage::MayBeOpen
            | Stage::OpenFailed(_)
            | Stage::Kept(_)
            | Stage::InBrowser { .. }
            | Stage::Delivered(_)
            | Stage::Withdrawn(_)
            | Stage::Closed(_) => {}
        }
        if pushed && ask.is_listed() {
            ask.stage = Stage::Closed(
                "The app was closed, and this question ended with the connection. Nothing was sent since."
                    .to_owned(),
            );
        }
    }
    secret
}

/// Where the driver takes the call up. A call without a machine was one question of the server itself: it is over.
fn going_on(
    call: &mut Call,
    asks: &mut [Ask],
    machine: Option<&KeptMachine>,
    trouble: Option<KeptTrouble>,
) -> Option<(Machine, Start)> {
    let Some(machine) = machine.and_then(KeptMachine::restore) else {
        over(call, asks, "The app was closed, and with it the connection.");
        return None;
    };
    let ended = |reason: &str, left: bool| Fault::Before {
        reason: reason.to_owned(),
        left,
    };
    let of_round = |ask: &Ask| ask.is_of_round(call.id, call.round_number);
    let waits = asks.iter().any(|ask| of_round(ask) && ask.is_open());
    let waits =
        waits || call.phase == CallPhase::Asking && reopen_last(asks.iter_mut().filter(|ask| of_round(ask)));
    let start = match call.phase {
        CallPhase::Asking if waits => Start::Asking,
        // With nothing of the round to answer it was a question that the server put while the request ran.
        CallPhase::Asking | CallPhase::Sending => Start::Trouble(Trouble::Unknown(ended(
            "the app was closed before the answer was there",
            true,
        ))),
        CallPhase::Pacing => Start::Trouble(Trouble::NotDelivered(ended(
            "the app was closed before it asked the server again",
            false,
        ))),
        CallPhase::PausedAtCap
        | CallPhase::NotDelivered
        | CallPhase::Unknown
        | CallPhase::ServerMoved
        | CallPhase::Done
        | CallPhase::DoneWithError
        | CallPhase::Failed
        | CallPhase::Stopped => Start::Trouble(match trouble {
            Some(trouble) => trouble.restore()?,
            None => Trouble::Unknown(ended("the app was closed before the answer was there", true)),
        }),
    };
    Some((machine, start))
}

/// The last answer of a round was given, and the round was not sent: one question of it waits for the person's word once
/// more, best a link that was opened. Nothing is sent because the app was started.
fn reopen_last<'a>(of_round: impl Iterator<Item = &'a mut Ask>) -> bool {
    let mut kept: Vec<&mut Ask> = of_round
        .filter(|ask| matches!(ask.stage, Stage::Kept(_)))
        .collect();
    kept.sort_by_key(|ask| matches!(&ask.stage, Stage::Kept(given) if given.opened_link));
    let Some(last) = kept.pop() else { return false };
    last.stage = match &last.stage {
        Stage::Kept(given) if given.opened_link => Stage::InBrowser {
            asking: false,
            trouble: None,
        },
        Stage::Kept(_)
        | Stage::Waiting
        | Stage::Opening
        | Stage::MayBeOpen
        | Stage::OpenFailed(_)
        | Stage::Sending(_)
        | Stage::InBrowser { .. }
        | Stage::Delivered(_)
        | Stage::Undelivered(..)
        | Stage::Withdrawn(_)
        | Stage::Closed(_) => Stage::Waiting,
    };
    true
}

fn over(call: &mut Call, asks: &mut [Ask], reason: &str) {
    for ask in asks.iter_mut().filter(|ask| ask.is_listed()) {
        ask.stage = Stage::Closed(reason.to_owned());
    }
    let in_flight = call.phase == CallPhase::Sending;
    call.phase = CallPhase::Stopped;
    call.detail = Some(if in_flight {
        format!("{reason} It may still have happened.")
    } else {
        reason.to_owned()
    });
    call.end = Some(End::Stopped { in_flight });
}

impl KeptTrouble {
    fn of(trouble: &Trouble) -> Self {
        match trouble {
            Trouble::NotDelivered(fault) => Self::NotDelivered {
                reason: fault.to_string(),
            },
            Trouble::Refused(error) => Self::Refused {
                error: KeptError::of(error),
            },
            Trouble::Unknown(fault) => Self::Unknown {
                reason: fault.to_string(),
            },
            Trouble::Cap { rounds } => Self::Cap { rounds: *rounds },
        }
    }

    fn restore(self) -> Option<Trouble> {
        Some(match self {
            Self::NotDelivered { reason } => Trouble::NotDelivered(Fault::Before { reason, left: false }),
            Self::Refused { error } => Trouble::Refused(error.restore()?),
            Self::Unknown { reason } => Trouble::Unknown(Fault::Before { reason, left: true }),
            Self::Cap { rounds } => Trouble::Cap { rounds },
        })
    }
}

impl KeptError {
    fn of(error: &RpcError) -> Self {
        Self {
            code: error.code,
            message: error.message.clone(),
            data: error.data.as_ref().map(Json::to_string),
        }
    }

    fn restore(self) -> Option<RpcError> {
        Some(RpcError {
            code: self.code,
            message: self.message,
            data: match &self.data {
                Some(data) => Some(Json::parse(data).ok()?),
                None => None,
            },
        })
    }
}

impl KeptEnd {
    fn of(end: &End) -> Self {
        match end {
            End::Done(_) => Self::Done,
            End::Refused { error, status } => Self::Refused {
                error: KeptError::of(error),
                status: *status,
            },
            End::Invalid(fault) => Self::Invalid {
                fault: fault.to_string(),
            },
            End::Left(trouble) => Self::Left {
                trouble: KeptTrouble::of(trouble),
            },
            End::Declined => Self::Declined,
            End::Stopped { in_flight } => Self::Stopped {
                in_flight: *in_flight,
            },
        }
    }

    /// The result itself is read when it is looked at.
    fn restore(self) -> Option<End> {
        Some(match self {
            Self::Done => End::Done(Json::Null),
            Self::Refused { error, status } => End::Refused {
                error: error.restore()?,
                status,
            },
            Self::Invalid { fault } => End::Invalid(OutcomeFault::Before(fault)),
            Self::Left { trouble } => End::Left(trouble.restore()?),
            Self::Declined => End::Declined,
            Self::Stopped { in_flight } => End::Stopped { in_flight },
        })
    }
}

impl KeptAsk {
    /// Its answer is kept for as long as it may have to be sent (`is_open`).
    fn of(ask: &Ask, is_open: bool) -> Self {
        let hides = !is_open || ask.holds_secret();
        Self {
            id: ask.id.0,
            key: ask.key.clone(),
            round: ask.round,
            position: ask.position,
            of: ask.of,
            entry: ask.entry.raw().to_string(),
            stage: KeptStage::of(&ask.stage, hides),
            asked_at: ask.asked_at.clone(),
            declined_before: ask.declined_before,
            may_be_finished: ask.may_be_finished,
            opened: ask.opened,
            pushed: ask.was_pushed,
            required: ask.required,
            finished: ask.finished,
            given: Some(ask.given),
            lost: Some(ask.lost),
            noted: ask.noted,
        }
    }

    fn restore(
        self,
        call: &Call,
        drafts: &BTreeMap<AskId, Vec<FieldInput>>,
        visited: &Visited,
    ) -> Option<Ask> {
        let entry = parse_entry(&self.key, Json::parse(&self.entry).ok()?).ok()?;
        let body = call.body(&entry, visited);
        Some(Ask {
            id: AskId(self.id),
            call: call.id,
            key: self.key,
            round: self.round,
            position: self.position,
            of: self.of,
            message: entry.message().to_owned(),
            elicitation_id: entry.elicitation_id().map(str::to_owned),
            entry,
            body,
            stage: self.stage.restore()?,
            draft: drafts.get(&AskId(self.id)).cloned().unwrap_or_default(),
            revision: 1,
            look: Look::default(),
            asked_at: self.asked_at,
            declined_before: self.declined_before,
            may_be_finished: self.may_be_finished,
            opened: self.opened,
            pushed: None,
            was_pushed: self.pushed,
            required: self.required,
            finished: self.finished,
            launching: false,
            no_browser: false,
            given: self.given.unwrap_or(Outcome::Accepted),
            lost: self.lost.unwrap_or(Delivery::Unknown),
            noted: self.noted,
        })
    }
}

impl KeptStage {
    fn of(stage: &Stage, hides: bool) -> Self {
        let kept = |given: &Given| KeptGiven {
            action: given.action,
            result: (!(hides || given.lost) || given.action != Action::Accept)
                .then(|| given.result.to_string()),
            opened_link: given.opened_link,
            outcome: given.outcome,
        };
        match stage {
            Stage::Waiting => Self::Waiting,
            Stage::Opening => Self::Opening,
            Stage::MayBeOpen => Self::MayBeOpen,
            Stage::OpenFailed(reason) => Self::OpenFailed {
                reason: reason.clone(),
            },
            Stage::Kept(given) => Self::Kept { given: kept(given) },
            Stage::Sending(given) => Self::Sending { given: kept(given) },
            Stage::InBrowser { asking, trouble } => Self::InBrowser {
                asking: *asking,
                trouble: trouble.clone(),
            },
            Stage::Delivered(action) => Self::Delivered { action: *action },
            Stage::Undelivered(given, reason) => Self::Undelivered {
                given: kept(given),
                reason: reason.clone(),
            },
            Stage::Withdrawn(reason) => Self::Withdrawn {
                reason: reason.clone(),
            },
            Stage::Closed(reason) => Self::Closed {
                reason: reason.clone(),
            },
        }
    }

    fn restore(self) -> Option<Stage> {
        Some(match self {
            Self::Waiting => Stage::Waiting,
            Self::Opening => Stage::Opening,
            Self::MayBeOpen => Stage::MayBeOpen,
            Self::OpenFailed { reason } => Stage::OpenFailed(reason),
            Self::Kept { given } => Stage::Kept(given.restore()?),
            Self::Sending { given } => Stage::Sending(given.restore()?),
            Self::InBrowser { asking, trouble } => Stage::InBrowser { asking, trouble },
            Self::Delivered { action } => Stage::Delivered(action),
            Self::Undelivered { given, reason } => Stage::Undelivered(given.restore()?, reason),
            Self::Withdrawn { reason } => Stage::Withdrawn(reason),
            Self::Closed { reason } => Stage::Closed(reason),
        })
    }
}

impl KeptGiven {
    fn restore(self) -> Option<Given> {
        Some(Given {
            action: self.action,
            lost: self.result.is_none(),
            result: match &self.result {
                Some(result) => Json::parse(result).ok()?,
                None => Json::Null,
            },
            opened_link: self.opened_link,
            outcome: self.outcome,
        })
    }
}
