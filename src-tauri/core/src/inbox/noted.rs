//! What history tells of a call and its questions. Pure.
//!
//! Promises: each decision, each step of its delivery and each end is told once, in the transaction that keeps it; what
//! became of an answer names the decision and its entry. What was entered is told only where the person chose so, never
//! a secret; of a link only scheme and host.

use super::ServerFacts;
use super::ask::{Ask, Body, Stage};
use super::call::Call;
use crate::link::Verdict;
use crate::mrtr::driver::{End, Trouble};
use crate::store::history::{Delivery, Entry, Kind, LinkFacts, Outcome, Saw, Shown, StartedBy, chip};
use crate::view::{AskId, CallPhase, Initiator};
use serde::{Deserialize, Serialize};

/// What history tells of a question so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Noted {
    pub(super) last: Option<Outcome>,
    /// The person's decision, and the number of the entry that tells it.
    pub(super) decision: Option<(Outcome, u64)>,
    /// How many openings of its link were told.
    pub(super) opened: u32,
}

/// An entry that is to be added.
pub(super) struct News {
    of: Option<(AskId, Outcome)>,
    entry: Entry,
}

/// What is new since it was told last.
pub(super) fn news(call: &Call, asks: &[&mut Ask], values: bool, at: &str) -> Vec<News> {
    let mut news = Vec::new();
    if !call.noted_start && call.request.is_some() {
        news.push(News {
            of: None,
            entry: of_call(call, at),
        });
    }
    for ask in asks {
        let openings = (ask.noted.opened..ask.opened).map(|before| match before {
            0 => (Outcome::Opened, Delivery::Nothing),
            _ => (Outcome::OpenedAgain, Delivery::Nothing),
        });
        let standing = standing(ask, call).filter(|(outcome, _)| ask.noted.last != Some(*outcome));
        for (outcome, delivery) in openings.chain(standing) {
            news.push(News {
                of: Some((ask.id, outcome)),
                entry: of_ask(ask, call, outcome, delivery, values, at),
            });
        }
    }
    // Of a call that is nothing but the server's own question, the question tells everything.
    if let Some((outcome, delivery)) = ended(call).filter(|_| !call.noted && call.request.is_some()) {
        news.push(News {
            of: None,
            entry: Entry {
                outcome,
                delivery,
                ..of_call(call, at)
            },
        });
    }
    news
}

pub(super) fn entries(news: Vec<News>) -> Vec<Entry> {
    news.into_iter().map(|news| news.entry).collect()
}

/// It is told now; `first` is the number of the first of these entries.
pub(super) fn told(call: &mut Call, asks: &mut [&mut Ask], news: &[News], first: u64) {
    call.noted_start = true;
    call.noted = call.end.is_some();
    for ask in asks {
        for (news, number) in news.iter().zip(first..) {
            let Some((_, outcome)) = news.of.filter(|(id, _)| *id == ask.id) else {
                continue;
            };
            ask.noted.last = Some(outcome);
            if outcome.is_decision() {
                ask.noted.decision = Some((outcome, number));
            }
        }
        ask.noted.opened = ask.opened;
        if matches!(ask.stage, Stage::Waiting) {
            // It is open again, so that the same decision is a new one.
            ask.noted.last = None;
            ask.noted.decision = None;
        }
    }
}

/// What history told before, for a change that could not be kept.
pub(super) struct Before {
    ended: bool,
    started: bool,
    asks: Vec<Noted>,
}

impl Before {
    pub(super) fn of(call: &Call, asks: &[&mut Ask]) -> Self {
        Self {
            ended: call.noted,
            started: call.noted_start,
            asks: asks.iter().map(|ask| ask.noted).collect(),
        }
    }

    pub(super) fn restore(self, call: &mut Call, asks: &mut [&mut Ask]) {
        call.noted = self.ended;
        call.noted_start = self.started;
        for (ask, noted) in asks.iter_mut().zip(self.asks) {
            ask.noted = noted;
        }
    }
}

/// Whether an answer to it was on its way when it was told last.
fn is_on_its_way(ask: &Ask) -> bool {
    ask.noted
        .last
        .is_some_and(|last| last.is_decision() || last == Outcome::SentAgain)
}

/// Whether it was told that the question is over.
fn is_told_over(ask: &Ask, call: &Call) -> bool {
    match ask.noted.last {
        Some(Outcome::Closed | Outcome::Stopped | Outcome::Left | Outcome::Withdrawn) => true,
        Some(Outcome::Refused) => matches!(call.end, Some(End::Refused { .. })),
        Some(_) | None => false,
    }
}

/// What the person did with a server as a whole.
pub(super) fn of_server(server: &ServerFacts, outcome: Outcome, at: &str) -> Entry {
    Entry {
        at: at.to_owned(),
        server: server.key.clone(),
        server_name: server.name.clone(),
        practice: server.practice,
        outcome,
        delivery: Delivery::Nothing,
        kind: Kind::Server,
        started_by: StartedBy::Person,
        call: 0,
        call_name: String::new(),
        arguments: Vec::new(),
        question: None,
        link: None,
        saw: Vec::new(),
        values: Vec::new(),
        decision: None,
        about: None,
    }
}

/// Where a question stands, if that is worth telling.
fn standing(ask: &Ask, call: &Call) -> Option<(Outcome, Delivery)> {
    match &ask.stage {
        // That a page was opened is told of each opening.
        Stage::Waiting | Stage::Kept(_) | Stage::Opening => None,
        Stage::MayBeOpen => Some((Outcome::OpeningUnknown, Delivery::Nothing)),
        Stage::OpenFailed(_) => Some((Outcome::OpenFailed, Delivery::Nothing)),
        Stage::Sending(given) => on_its_way(ask, given.outcome),
        Stage::InBrowser { asking: true, .. } => on_its_way(ask, ask.given),
        Stage::InBrowser {
            asking: false,
            trouble,
        } if is_on_its_way(ask) => Some(match trouble {
            None => (Outcome::Delivered, Delivery::Delivered),
            // Which of the ways to get lost it was, the card said.
            Some(_) => (Outcome::Unknown, Delivery::Unknown),
        }),
        Stage::InBrowser { asking: false, .. } => None,
        Stage::Delivered(_) if !is_on_its_way(ask) => None,
        // It arrived, and an error came back for it.
        Stage::Delivered(_) if matches!(call.end, Some(End::Refused { .. })) => {
            Some((Outcome::Refused, Delivery::Refused))
        }
        Stage::Delivered(_) => Some((Outcome::Delivered, Delivery::Delivered)),
        Stage::Undelivered(..) => Some(undelivered(ask, call)),
        Stage::Withdrawn(_) => Some((Outcome::Withdrawn, Delivery::Nothing)),
        Stage::Closed(_) if is_told_over(ask, call) => None,
        Stage::Closed(_) => Some(closed(ask, call)),
    }
}

/// A decision leaves, or what became lost leaves once more.
fn on_its_way(ask: &Ask, outcome: Outcome) -> Option<(Outcome, Delivery)> {
    let lost = matches!(
        ask.noted.last,
        Some(Outcome::NotDelivered | Outcome::Unknown | Outcome::Refused)
    );
    let same = ask.noted.decision.is_some_and(|(before, _)| before == outcome);
    if ask.noted.last == Some(Outcome::SentAgain) {
        return None;
    }
    let outcome = if lost && same { Outcome::SentAgain } else { outcome };
    Some((outcome, Delivery::OnItsWay))
}

fn undelivered(ask: &Ask, call: &Call) -> (Outcome, Delivery) {
    let lost = if ask.was_pushed {
        ask.lost
    } else {
        match &call.trouble {
            Some(Trouble::Unknown(_)) => Delivery::Unknown,
            Some(Trouble::Refused(_)) => Delivery::Refused,
            Some(Trouble::NotDelivered(_) | Trouble::Cap { .. }) => Delivery::NotDelivered,
            None if call.phase == CallPhase::Unknown => Delivery::Unknown,
            None => Delivery::NotDelivered,
        }
    };
    let outcome = match lost {
        Delivery::Unknown => Outcome::Unknown,
        Delivery::Refused => Outcome::Refused,
        Delivery::Nothing
        | Delivery::Kept
        | Delivery::OnItsWay
        | Delivery::Delivered
        | Delivery::NotDelivered => Outcome::NotDelivered,
    };
    (outcome, lost)
}

fn closed(ask: &Ask, call: &Call) -> (Outcome, Delivery) {
    let nothing = if is_on_its_way(ask) {
        Delivery::Unknown
    } else {
        Delivery::Nothing
    };
    match &call.end {
        // A call that came back ended without the person's word.
        Some(End::Stopped { .. }) if call.stop.is_cancelled() => (Outcome::Stopped, nothing),
        Some(End::Left(Trouble::Unknown(_))) => (Outcome::Left, Delivery::Unknown),
        Some(End::Left(Trouble::NotDelivered(_) | Trouble::Refused(_) | Trouble::Cap { .. })) => {
            (Outcome::Left, Delivery::NotDelivered)
        }
        Some(End::Refused { .. }) if is_on_its_way(ask) => (Outcome::Refused, Delivery::Refused),
        Some(End::Refused { .. } | End::Done(_) | End::Invalid(_) | End::Declined | End::Stopped { .. })
        | None => (Outcome::Closed, nothing),
    }
}

fn ended(call: &Call) -> Option<(Outcome, Delivery)> {
    Some(match (call.end.as_ref()?, call.phase) {
        (End::Done(_), CallPhase::DoneWithError) => (Outcome::CallDoneWithError, Delivery::Delivered),
        (End::Done(_), _) => (Outcome::CallDone, Delivery::Delivered),
        (End::Refused { .. } | End::Invalid(_), _) => (Outcome::CallFailed, Delivery::Delivered),
        (End::Left(_), CallPhase::Unknown) => (Outcome::Left, Delivery::Unknown),
        (End::Left(_), _) => (Outcome::Left, Delivery::NotDelivered),
        (End::Declined, _) => (Outcome::Stopped, Delivery::Nothing),
        (End::Stopped { in_flight }, _) => (
            if call.stop.is_cancelled() {
                Outcome::Stopped
            } else {
                Outcome::Closed
            },
            if *in_flight {
                Delivery::Unknown
            } else {
                Delivery::Nothing
            },
        ),
    })
}

fn of_ask(ask: &Ask, call: &Call, outcome: Outcome, delivery: Delivery, values: bool, at: &str) -> Entry {
    let decision = ask
        .noted
        .decision
        .filter(|_| !outcome.is_decision() && !is_opening(outcome));
    let mut saw = Vec::new();
    if ask.declined_before > 0 {
        saw.push(Saw::DeclinedBefore {
            times: ask.declined_before,
        });
    }
    if call.over_cap {
        saw.push(Saw::ManyRounds { rounds: call.rounds });
    }
    if outcome.is_decision() && ask.waited_long(at).is_some() {
        saw.push(Saw::WaitedLong);
    }
    if call.values_changed {
        saw.push(Saw::ServerChanged);
    }
    let (kind, link) = match &ask.body {
        Body::Form(form) => {
            for field in form.view().fields {
                if field.guard.is_some() {
                    let anyway = ask
                        .draft
                        .iter()
                        .any(|given| given.field == field.id && given.anyway);
                    saw.push(Saw::SecretAsked {
                        field: chip(&field.label),
                        anyway,
                    });
                }
            }
            (Kind::Form, None)
        }
        Body::Link(link) => {
            let inspection = &link.inspection;
            let through = matches!(
                outcome,
                Outcome::Opened | Outcome::OpenedAgain | Outcome::CheckedByYou
            );
            if through && inspection.verdict == Verdict::Risky {
                saw.push(Saw::DomainTyped);
            }
            let facts = link.url.as_ref().map(|url| LinkFacts {
                verdict: inspection.verdict.to_string(),
                findings: inspection
                    .findings
                    .iter()
                    .map(|finding| code(&finding.code))
                    .collect(),
                scheme: url.scheme().to_owned(),
                host: url.host_str().unwrap_or_default().to_owned(),
            });
            (Kind::Link, facts)
        }
        Body::Unusable { .. } => (Kind::Unusable, None),
    };
    Entry {
        outcome,
        delivery,
        kind,
        question: Some(chip(&ask.message)),
        link,
        saw,
        values: match &ask.body {
            Body::Form(form) if values && outcome == Outcome::Accepted => form
                .review(&ask.draft)
                .will_send
                .into_iter()
                .map(|item| Shown {
                    name: item.label,
                    text: item.value,
                })
                .collect(),
            Body::Form(_) | Body::Link(_) | Body::Unusable { .. } => Vec::new(),
        },
        decision: decision.map(|(decision, _)| decision),
        about: decision.map(|(_, number)| number),
        ..of_call(call, at)
    }
}

/// Opening a page is a matter of its own, whatever is told to the server.
fn is_opening(outcome: Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Opened | Outcome::OpenedAgain | Outcome::OpenFailed | Outcome::OpeningUnknown
    )
}

/// A code as it stands in JSON.
fn code(code: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(code).ok();
    value
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn of_call(call: &Call, at: &str) -> Entry {
    Entry {
        at: at.to_owned(),
        server: call.key.clone(),
        server_name: call.new.server.name.clone(),
        practice: call.new.server.practice,
        outcome: Outcome::CallStarted,
        delivery: Delivery::Nothing,
        kind: Kind::Call,
        started_by: match &call.new.initiator {
            Initiator::Person => StartedBy::Person,
            Initiator::Program { name, request } => StartedBy::Program {
                name: name.clone(),
                request: request.clone(),
            },
            Initiator::Server => StartedBy::Server,
        },
        call: call.id.0,
        call_name: chip(&call.new.name),
        // What was entered is the person's; only names are told.
        arguments: call
            .mentioned()
            .iter()
            .map(|argument| Shown {
                name: argument.name.clone(),
                text: String::new(),
            })
            .collect(),
        question: None,
        link: None,
        saw: Vec::new(),
        values: Vec::new(),
        decision: None,
        about: None,
    }
}
