//! One question: what it is, where it stands, what can be done with it. Pure.

use super::guard::Look;
use super::noted::Noted;
use crate::clock;
use crate::form::{FieldInput, Form};
use crate::link::{self, Asker, Known, Link, Verdict};
use crate::store::history::{Delivery, Outcome};
use crate::text;
use crate::transport::question::Question;
use crate::view::{Act, Action, AskId, AskKind, AskPhase, CallId};
use crate::wire::json::Json;
use crate::wire::outcome::Entry;
use std::sync::Arc;
use std::time::Duration;

/// After this long it is said that servers forget.
const LONG: Duration = Duration::from_secs(60 * 60);

/// A question of one round of one call. Its identity is (server, call, round, key).
pub(super) struct Ask {
    pub(super) id: AskId,
    pub(super) call: CallId,
    pub(super) key: String,
    /// The round it belongs to now. A link that is asked for again keeps its card and moves on with the rounds.
    pub(super) round: u32,
    pub(super) position: u32,
    pub(super) of: u32,
    pub(super) message: String,
    /// As the server sent it.
    pub(super) entry: Entry,
    pub(super) body: Body,
    pub(super) stage: Stage,
    pub(super) draft: Vec<FieldInput>,
    pub(super) revision: u32,
    pub(super) look: Look,
    pub(super) asked_at: String,
    /// How often the person declined the same before, where the server asks it again by itself.
    pub(super) declined_before: u32,
    /// The same page was opened before under another query; the person may have finished there.
    pub(super) may_be_finished: bool,
    /// The browser is asked just now.
    pub(super) launching: bool,
    /// No browser was found: Open is not offered.
    pub(super) no_browser: bool,
    /// Times that this link was opened.
    pub(super) opened: u32,
    /// A 2025-era server put it by itself: its answer goes its own way, not with a round.
    pub(super) pushed: Option<Arc<Question>>,
    /// The same, also after the app was closed, when there is no way back for an answer any more.
    pub(super) was_pushed: bool,
    /// A page that a 2025-era server requires before a call works: opening it answers nothing.
    pub(super) required: bool,
    /// What a 2025-era server calls the page.
    pub(super) elicitation_id: Option<String>,
    /// The server says that the page is done.
    pub(super) finished: bool,
    /// How history names the answer that is with the server while its page is in the browser.
    pub(super) given: Outcome,
    /// What became of an answer that went its own way and was lost.
    pub(super) lost: Delivery,
    pub(super) noted: Noted,
}

pub(super) enum Body {
    Form(Form),
    Link(Box<Link>),
    /// Nothing can be accepted; the reason for a person, and what was sent.
    Unusable {
        reason: String,
        raw: String,
        /// It asks to open a page.
        link: bool,
    },
}

/// Where a question stands. [`AskPhase`] is what the window sees of it.
#[derive(Clone, PartialEq)]
pub(super) enum Stage {
    Waiting,
    Opening,
    /// The app ended while the browser was being asked.
    MayBeOpen,
    OpenFailed(String),
    /// Decided; the bare result that will travel.
    Kept(Given),
    Sending(Given),
    InBrowser {
        asking: bool,
        trouble: Option<String>,
    },
    Delivered(Action),
    /// Why is with the call, or here for an answer that goes its own way.
    Undelivered(Given, Option<String>),
    Withdrawn(String),
    Closed(String),
}

/// One answer of the protocol, with the exact result that is sent.
#[derive(Clone, PartialEq)]
pub(super) struct Given {
    pub(super) action: Action,
    pub(super) result: Json,
    /// It tells of a link that was opened.
    pub(super) opened_link: bool,
    /// How history names it.
    pub(super) outcome: Outcome,
    /// It held a secret and was not kept when the app ended: `result` is nothing to send.
    pub(super) lost: bool,
}

impl Given {
    pub(super) fn form(result: Json) -> Self {
        Self {
            action: Action::Accept,
            result,
            opened_link: false,
            outcome: Outcome::Accepted,
            lost: false,
        }
    }

    /// Consent to a link carries no content (client/elicitation, "Response Actions").
    pub(super) fn link() -> Self {
        Self {
            action: Action::Accept,
            result: bare("accept"),
            opened_link: true,
            outcome: Outcome::Accepted,
            lost: false,
        }
    }

    pub(super) fn decline() -> Self {
        Self {
            action: Action::Decline,
            result: bare("decline"),
            opened_link: false,
            outcome: Outcome::Declined,
            lost: false,
        }
    }

    pub(super) fn cancel() -> Self {
        Self {
            action: Action::Cancel,
            result: bare("cancel"),
            opened_link: false,
            outcome: Outcome::Dismissed,
            lost: false,
        }
    }

    /// The same under another name in history.
    pub(super) fn named(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }
}

fn bare(action: &str) -> Json {
    Json::object([("action", Json::string(action))])
}

impl Body {
    /// `known` says what is known of an address.
    pub(super) fn of(entry: &Entry, asker: &Asker, known: impl FnOnce(&str) -> Known) -> Self {
        let unusable = |reason: String| Self::Unusable {
            reason,
            raw: text::source(&entry.raw().pretty()),
            link: matches!(entry, Entry::Link { .. }),
        };
        match entry {
            Entry::Form { raw, .. } => match Form::of_request(raw.get("params").unwrap_or(&Json::Null)) {
                Ok(form) => Self::Form(form),
                Err(undrawable) => unusable(undrawable.to_string()),
            },
            Entry::Link { url: Some(url), .. } => {
                Self::Link(Box::new(link::inspect(url, asker, &known(url))))
            }
            Entry::Link { url: None, .. } => {
                unusable("The server asks to open a web page but does not say which.".to_owned())
            }
        }
    }

    pub(super) fn kind(&self) -> AskKind {
        match self {
            Self::Form(_) => AskKind::Form,
            Self::Link(_) => AskKind::Link,
            Self::Unusable { .. } => AskKind::Unusable,
        }
    }
}

impl Ask {
    pub(super) fn set(&mut self, stage: Stage) {
        self.stage = stage;
        self.changed();
    }

    /// Anything on the card changed: it must be looked at anew.
    pub(super) fn changed(&mut self) {
        self.revision += 1;
        self.look.changed();
    }

    /// Whether the person still has to decide, so that the round cannot go yet.
    /// How long it has waited at `now` (RFC 3339), where that is so long that its server may have forgotten it. A question
    /// that a server put by itself lives as long as the connection.
    pub(super) fn waited_long(&self, now: &str) -> Option<Duration> {
        let waited = clock::between(&self.asked_at, now)?;
        (waited >= LONG && !self.was_pushed && !self.required).then_some(waited)
    }

    pub(super) fn is_open(&self) -> bool {
        match &self.stage {
            Stage::Waiting | Stage::Opening | Stage::MayBeOpen | Stage::OpenFailed(_) => true,
            Stage::InBrowser { asking, .. } => !asking,
            Stage::Kept(_)
            | Stage::Sending(_)
            | Stage::Delivered(_)
            | Stage::Undelivered(..)
            | Stage::Withdrawn(_)
            | Stage::Closed(_) => false,
        }
    }

    /// Whether it belongs into the inbox.
    pub(super) fn is_listed(&self) -> bool {
        match &self.stage {
            Stage::Delivered(_) | Stage::Withdrawn(_) | Stage::Closed(_) => false,
            Stage::Waiting
            | Stage::Opening
            | Stage::MayBeOpen
            | Stage::OpenFailed(_)
            | Stage::Kept(_)
            | Stage::Sending(_)
            | Stage::InBrowser { .. }
            | Stage::Undelivered(..) => true,
        }
    }

    /// Whether it waits for a decision alone, so that a pause of its server holds it. What the person began goes on.
    pub(super) fn can_be_held(&self) -> bool {
        match &self.stage {
            Stage::Waiting | Stage::MayBeOpen | Stage::OpenFailed(_) | Stage::Kept(_) => true,
            Stage::Opening
            | Stage::Sending(_)
            | Stage::InBrowser { .. }
            | Stage::Delivered(_)
            | Stage::Undelivered(..)
            | Stage::Withdrawn(_)
            | Stage::Closed(_) => false,
        }
    }

    pub(super) fn phase(&self) -> AskPhase {
        match &self.stage {
            Stage::Waiting => AskPhase::Waiting,
            Stage::Opening => AskPhase::Opening,
            Stage::MayBeOpen => AskPhase::MayBeOpen,
            Stage::OpenFailed(reason) => AskPhase::OpenFailed {
                reason: reason.clone(),
            },
            Stage::Kept(given) => AskPhase::Kept { action: given.action },
            Stage::Sending(given) => AskPhase::Sending { action: given.action },
            Stage::InBrowser { asking, trouble } => AskPhase::InBrowser {
                asking: *asking,
                trouble: trouble.clone(),
                finished: self.finished,
            },
            Stage::Delivered(action) => AskPhase::Delivered { action: *action },
            Stage::Undelivered(given, reason) => AskPhase::Undelivered {
                action: given.action,
                reason: reason.clone(),
            },
            Stage::Withdrawn(reason) => AskPhase::Withdrawn {
                reason: reason.clone(),
            },
            Stage::Closed(reason) => AskPhase::Closed {
                reason: reason.clone(),
            },
        }
    }

    /// What can be done now, in the order of the buttons.
    pub(super) fn acts(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        match &self.stage {
            Stage::Waiting | Stage::OpenFailed(_) => {
                acts.extend([Act::Decline, Act::Dismiss]);
                match &self.body {
                    Body::Form(_) => acts.push(Act::Accept),
                    Body::Link(link) if link.inspection.verdict < Verdict::Refused => {
                        // Without a browser the address is copied, and the person says when the page is done.
                        if self.may_be_finished || self.no_browser {
                            acts.push(Act::AlreadyFinished);
                        }
                        acts.extend(self.open());
                    }
                    Body::Link(_) | Body::Unusable { .. } => {}
                }
            }
            Stage::MayBeOpen => {
                acts.extend([Act::Decline, Act::Dismiss]);
                acts.extend(self.open());
                acts.push(Act::AlreadyFinished);
            }
            Stage::InBrowser { asking: true, .. } => acts.extend(self.open()),
            Stage::InBrowser { asking: false, .. } => {
                acts.extend([Act::Decline, Act::GiveUp]);
                acts.extend(self.open());
                acts.push(Act::CheckAgain);
            }
            Stage::Kept(_) => acts.push(Act::Edit),
            Stage::Undelivered(..) if self.pushed.is_some() => acts.push(Act::SendAgain),
            Stage::Opening
            | Stage::Sending(_)
            | Stage::Delivered(_)
            | Stage::Undelivered(..)
            | Stage::Withdrawn(_)
            | Stage::Closed(_) => {}
        }
        if self.of > 1 && (self.is_open() || matches!(self.stage, Stage::Kept(_))) {
            acts.push(Act::DeclineAll);
        }
        let stands = match &self.stage {
            Stage::Delivered(_) | Stage::Withdrawn(_) | Stage::Closed(_) => false,
            Stage::Undelivered(..) => self.pushed.is_some(),
            Stage::Waiting
            | Stage::Opening
            | Stage::MayBeOpen
            | Stage::OpenFailed(_)
            | Stage::Kept(_)
            | Stage::Sending(_)
            | Stage::InBrowser { .. } => true,
        };
        if stands {
            acts.push(Act::StopCall);
        }
        acts
    }

    fn open(&self) -> Option<Act> {
        (!self.launching && !self.no_browser).then_some(Act::Open)
    }

    /// Whether its answer travels with those of this round of its call.
    pub(super) fn is_of_round(&self, call: CallId, round: u32) -> bool {
        self.call == call && self.round == round && !self.was_pushed
    }

    /// Whether what was entered, and so the answer that was made of it, holds what must not be kept.
    pub(super) fn holds_secret(&self) -> bool {
        match &self.body {
            Body::Form(form) => form.without_secrets(&self.draft).len() != self.draft.len(),
            Body::Link(_) | Body::Unusable { .. } => false,
        }
    }
}
