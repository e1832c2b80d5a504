//! What history tells of a call and its questions. Pure.
//!
//! Promises: each decision and each end is told once, in the transaction that keeps it; what was entered is not told,
//! and of a link only scheme and host.

use super::ServerFacts;
use super::ask::{Ask, Body, Given, Stage};
use super::call::Call;
use crate::mrtr::driver::End;
use crate::store::history::{Delivery, Entry, Kind, LinkFacts, Outcome, Saw, Shown, StartedBy, chip};
use crate::view::{Action, CallPhase, Initiator};

/// What is new since it was told last.
pub(super) fn news(call: &Call, asks: &[&mut Ask], at: &str) -> Vec<Entry> {
    let mut news = Vec::new();
    for ask in asks {
        if let Some((outcome, delivery)) =
            standing(ask, call).filter(|(outcome, _)| ask.noted != Some(*outcome))
        {
            news.push(of_ask(ask, call, outcome, delivery, at));
        }
    }
    if let Some((outcome, delivery)) = ended(call).filter(|_| !call.noted) {
        news.push(Entry {
            kind: Kind::Call,
            outcome,
            delivery,
            ..of_call(call, at)
        });
    }
    news
}

/// It is told now.
pub(super) fn told(call: &mut Call, asks: &mut [&mut Ask]) {
    for ask in asks {
        if let Some((outcome, _)) = standing(ask, call) {
            ask.noted = Some(outcome);
        } else if matches!(ask.stage, Stage::Waiting) {
            // It is open again, so that the same decision is a new one.
            ask.noted = None;
        }
    }
    call.noted = call.end.is_some();
}

/// A server was paused, or is no longer.
pub(super) fn of_server(server: &ServerFacts, paused: bool, at: &str) -> Entry {
    Entry {
        at: at.to_owned(),
        server: server.key.clone(),
        server_name: server.name.clone(),
        practice: server.practice,
        outcome: if paused {
            Outcome::ServerPaused
        } else {
            Outcome::ServerResumed
        },
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
        about: None,
    }
}

/// Where a question stands, if that is worth telling.
fn standing(ask: &Ask, call: &Call) -> Option<(Outcome, Delivery)> {
    match &ask.stage {
        Stage::Waiting | Stage::Kept(_) => None,
        Stage::Opening => Some((
            if ask.opened > 0 {
                Outcome::OpenedAgain
            } else {
                Outcome::Opened
            },
            Delivery::Nothing,
        )),
        Stage::MayBeOpen => Some((Outcome::OpeningUnknown, Delivery::Nothing)),
        Stage::OpenFailed(_) => Some((Outcome::OpenFailed, Delivery::Nothing)),
        Stage::Sending(given) => Some((given.outcome, Delivery::OnItsWay)),
        Stage::InBrowser { asking: true, .. } => Some((Outcome::Accepted, Delivery::OnItsWay)),
        Stage::InBrowser { asking: false, .. } => None,
        Stage::Delivered(_) => Some((Outcome::Delivered, Delivery::Delivered)),
        Stage::Undelivered(given, _) => Some(undelivered(given, call)),
        Stage::Withdrawn(_) => Some((Outcome::Withdrawn, Delivery::Nothing)),
        Stage::Closed(_) => Some(match &call.end {
            Some(End::Stopped { .. }) => (Outcome::Stopped, Delivery::Nothing),
            Some(End::Left(_)) => (Outcome::Left, Delivery::Unknown),
            Some(End::Refused { .. }) => (Outcome::Refused, Delivery::Refused),
            Some(End::Done(_) | End::Invalid(_) | End::Declined) | None => {
                (Outcome::Closed, Delivery::Nothing)
            }
        }),
    }
}

fn undelivered(given: &Given, call: &Call) -> (Outcome, Delivery) {
    match call.phase {
        CallPhase::Unknown => (Outcome::Unknown, Delivery::Unknown),
        CallPhase::Sending
        | CallPhase::Asking
        | CallPhase::Pacing
        | CallPhase::PausedAtCap
        | CallPhase::NotDelivered
        | CallPhase::Done
        | CallPhase::DoneWithError
        | CallPhase::Failed
        | CallPhase::Stopped => match given.action {
            Action::Accept | Action::Decline | Action::Cancel => {
                (Outcome::NotDelivered, Delivery::NotDelivered)
            }
        },
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
        (End::Stopped { in_flight: true }, _) => (Outcome::Stopped, Delivery::Unknown),
        (End::Stopped { in_flight: false }, _) => (Outcome::Stopped, Delivery::Nothing),
    })
}

fn of_ask(ask: &Ask, call: &Call, outcome: Outcome, delivery: Delivery, at: &str) -> Entry {
    let mut saw = Vec::new();
    if ask.declined_before > 0 {
        saw.push(Saw::DeclinedBefore {
            times: ask.declined_before,
        });
    }
    if call.over_cap {
        saw.push(Saw::ManyRounds { rounds: call.rounds });
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
        ..of_call(call, at)
    }
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
        about: None,
    }
}
