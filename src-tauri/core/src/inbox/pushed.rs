//! Questions that 2025-era servers put while a call runs, or by themselves. Cards, guards and review are those of
//! every question; only the answer goes its own way.
//!
//! Promises: an answer is carried once for each word of the person; a question ends with its withdrawal, its session
//! or its call, and says which; what comes too late is not answered.

use super::ask::{Ask, Given, Stage};
use super::call::Call;
use super::{Inbox, NewCall, State};
use crate::mrtr::driver::End;
use crate::store::history::Delivery;
use crate::text;
use crate::transport::Fault;
use crate::transport::question::{AnswerFault, Over, Question};
use crate::view::{AskId, CallId, OfferKind, ServerId};
use crate::wire::json::Json;
use std::sync::Arc;

impl Inbox {
    /// A question that belongs to no call, as far as can be told.
    pub fn asked_alone(&self, server: super::ServerFacts, question: Arc<Question>) {
        let new = NewCall {
            server,
            kind: OfferKind::Question,
            name: "a question".to_owned(),
            arguments: Json::Null,
            output_schema: None,
            initiator: crate::view::Initiator::Server,
        };
        let (id, stop) = {
            let mut state = self.lock();
            state.last_call += 1;
            let id = CallId(state.last_call);
            let call = Call::new(id, new, None, Vec::new(), self.shared.clock.local_time());
            let stop = call.stop.clone();
            state.calls.insert(id, call);
            state.forget_old();
            (id, stop)
        };
        self.pushed(id, question);
        let inbox = self.clone();
        tokio::spawn(async move {
            stop.cancelled().await;
            inbox.ended(id, End::Stopped { in_flight: false });
        });
    }

    /// A server says that a page it wanted opened is done. Unknown ids are ignored (2025-11-25, client/elicitation).
    pub fn page_done(&self, server: ServerId, elicitation_id: &str) {
        {
            let mut state = self.lock();
            let State { asks, calls, .. } = &mut *state;
            for ask in asks.all_mut() {
                let of_server = calls
                    .get(&ask.call)
                    .is_some_and(|call| call.new.server.id == server);
                if !of_server || ask.elicitation_id.as_deref() != Some(elicitation_id) || ask.finished {
                    continue;
                }
                match ask.stage {
                    // The page may be done before the browser, or the answer, is known to be on its way.
                    Stage::Opening | Stage::Sending(_) | Stage::InBrowser { .. } => {
                        ask.finished = true;
                        ask.changed();
                    }
                    Stage::Waiting
                    | Stage::MayBeOpen
                    | Stage::OpenFailed(_)
                    | Stage::Kept(_)
                    | Stage::Delivered(_)
                    | Stage::Undelivered(..)
                    | Stage::Withdrawn(_)
                    | Stage::Closed(_) => {}
                }
            }
        }
        self.bump();
    }

    pub(super) fn pushed(&self, call: CallId, question: Arc<Question>) {
        let mut over = question.over();
        let id = {
            let now = self.shared.clock.local_time();
            let mut state = self.lock();
            let state = &mut *state;
            let Some(call) = state.calls.get_mut(&call) else {
                return;
            };
            state.last_ask += 1;
            let id = AskId(state.last_ask);
            let mut ask = call.pushed(id, question, now, &state.visited);
            ask.no_browser = state.no_browser;
            if call.request.is_none() {
                let before = state.declined.get(&(call.new.server.id, ask.message.clone()));
                ask.declined_before = before.copied().unwrap_or_default();
            }
            state.asks.insert(ask);
            call.rounds += 1;
            call.is_asking(true);
            let call = call.id;
            state.keep_or_say(call);
            id
        };
        self.bump();
        self.look_for_browser();
        let inbox = self.clone();
        tokio::spawn(async move {
            let end = match over.wait_for(Option::is_some).await {
                Ok(end) => end.clone(),
                Err(_) => None,
            };
            match end {
                Some(Over::Withdrawn { reason }) => inbox.withdrawn(id, reason.as_deref()),
                Some(Over::Closed(reason)) => inbox.close(id, Stage::Closed(reason)),
                Some(Over::Settled) | None => {}
            }
        });
    }

    /// Carries an answer; the card tells how it went.
    pub(super) fn carry(&self, id: AskId, given: Given) {
        let question = self.lock().asks.get(id).and_then(|ask| ask.pushed.clone());
        let Some(question) = question else { return };
        let inbox = self.clone();
        tokio::spawn(async move {
            let fault = question.answer(given.result.clone()).await.err();
            inbox.carried(id, given, fault);
        });
    }

    fn carried(&self, id: AskId, given: Given, fault: Option<AnswerFault>) {
        let mut alone = None;
        {
            let mut state = self.lock();
            let State {
                asks,
                calls,
                declined,
                ..
            } = &mut *state;
            let Some(ask) = asks.get_mut(id) else { return };
            if !matches!(ask.stage, Stage::Sending(_)) {
                return;
            }
            let call = calls.get_mut(&ask.call);
            let running = call.as_ref().is_some_and(|call| call.end.is_none());
            match fault {
                None => {
                    if given.action == crate::view::Action::Decline
                        && let Some(call) = call
                    {
                        call.declined(ask);
                        if call.request.is_none() {
                            // Each of these is a call of its own, so the call cannot remember it.
                            *declined
                                .entry((call.new.server.id, ask.message.clone()))
                                .or_default() += 1;
                        }
                    }
                    let opened = given.opened_link && running;
                    ask.given = given.outcome;
                    ask.set(if opened {
                        Stage::InBrowser {
                            asking: true,
                            trouble: None,
                        }
                    } else {
                        Stage::Delivered(given.action)
                    });
                    alone = Some(ask.call);
                }
                Some(_) if !running => {
                    ask.set(Stage::Closed(
                        "The call ended while your answer was on its way. It may have arrived.".to_owned(),
                    ));
                }
                Some(fault) => {
                    ask.lost = match &fault {
                        AnswerFault::Refused(_) => Delivery::Refused,
                        AnswerFault::Fault(fault) if fault.left() => Delivery::Unknown,
                        AnswerFault::Fault(_) => Delivery::NotDelivered,
                    };
                    ask.set(Stage::Undelivered(given, Some(told(&fault))));
                }
            }
            let call = ask.call;
            state.keep_or_say(call);
        }
        self.settled(alone, id);
    }

    fn withdrawn(&self, id: AskId, reason: Option<&str>) {
        self.close(id, Stage::Withdrawn(taken_back(reason)));
    }

    fn close(&self, id: AskId, stage: Stage) {
        let call = {
            let mut state = self.lock();
            let Some(ask) = state.asks.get_mut(id).filter(|ask| ask.is_listed()) else {
                return;
            };
            let call = ask.call;
            ask.set(match ask.stage {
                Stage::InBrowser { asking: true, .. } => Stage::Delivered(crate::view::Action::Accept),
                Stage::Sending(_) => Stage::Closed(
                    "The question ended while your answer was on its way. It may have arrived.".to_owned(),
                ),
                Stage::Waiting
                | Stage::Opening
                | Stage::MayBeOpen
                | Stage::OpenFailed(_)
                | Stage::Kept(_)
                | Stage::InBrowser { asking: false, .. }
                | Stage::Delivered(_)
                | Stage::Undelivered(..)
                | Stage::Withdrawn(_)
                | Stage::Closed(_) => stage,
            });
            state.keep_or_say(call);
            call
        };
        self.settled(Some(call), id);
    }

    /// A question is not open any more: its call goes on, or was nothing but this question.
    fn settled(&self, call: Option<CallId>, id: AskId) {
        let mut over = None;
        if let Some(call) = call {
            let mut state = self.lock();
            let State { asks, calls, .. } = &mut *state;
            let open = asks.of(call).any(stands);
            if let Some(call) = calls.get_mut(&call).filter(|call| call.end.is_none()) {
                call.is_asking(open);
                if call.request.is_none() {
                    let ask = asks.get(id);
                    over = ask.map(|ask| {
                        if matches!(ask.stage, Stage::Delivered(_) | Stage::InBrowser { .. }) {
                            End::Done(Json::object::<String>([]))
                        } else {
                            End::Stopped { in_flight: false }
                        }
                    });
                }
            }
        }
        self.bump();
        if let (Some(call), Some(end)) = (call, over) {
            self.ended(call, end);
        }
    }
}

/// What a card says whose question the server took back.
pub(super) fn taken_back(reason: Option<&str>) -> String {
    match reason.map(text::chip).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("The server took this question back: “{reason}”. Nothing was sent."),
        None => "The server took this question back. Nothing was sent.".to_owned(),
    }
}

/// Whether a question that was put by itself still waits for the person.
fn stands(ask: &Ask) -> bool {
    ask.pushed.is_some() && ask.is_open()
}

fn told(fault: &AnswerFault) -> String {
    match fault {
        AnswerFault::Refused(error) => {
            let message = text::chip(&error.message);
            format!(
                "The server did not take your answer: “{message}” ({}).",
                error.code
            )
        }
        AnswerFault::Fault(fault @ Fault::SignIn { .. }) => format!("Not delivered: {fault}."),
        AnswerFault::Fault(fault) if !fault.left() => {
            format!("Not delivered, nothing left this computer: {fault}.")
        }
        AnswerFault::Fault(fault) => {
            format!("We sent your answer but heard nothing back. It may have arrived. (Reason: {fault}.)")
        }
    }
}
