//! One call as the inbox holds it, and the inbox as the [`Host`] of its driver.

use super::ask::{Ask, Body, Stage};
use super::asks::Asks;
use super::guard::Look;
use super::noted::Noted;
use super::pushed::taken_back;
use super::visited::Visited;
use super::{Inbox, NewCall, result};
use crate::fault::{self, Point};
use crate::form::{FieldInput, FormView, Guard, GuardLevel, MASK};
use crate::link::same_page;
use crate::mrtr::driver::{Answers, End, Event, Host, Next, Trouble};
use crate::mrtr::kept::KeptMachine;
use crate::mrtr::machine::{Machine, ROUND_CAP};
use crate::store::history::{Delivery, Outcome};
use crate::text;
use crate::transport::Fault;
use crate::transport::question::{Over, Question};
use crate::view::{
    Action, ArgumentChip, AskId, CallAct, CallId, CallPhase, CallRow, ProgressView, ResultPart, ResultView,
    ServerText, TargetDraft,
};
use crate::wire::json::Json;
use crate::wire::outcome::Entry;
use crate::wire::request::Request;
use crate::wire::rpc::RpcError;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use url::Url;

/// The key of a question, its fields, and what was typed.
pub(super) type OldDraft = (String, FormView, Vec<FieldInput>);

/// The key of a question that a server put by itself, for scripts.
const PUSHED: &str = "question";

pub(super) struct Call {
    pub(super) id: CallId,
    /// Its server's id in the settings; empty where the call is not kept.
    pub(super) key: String,
    /// Where it goes, and nowhere else.
    pub(super) place: TargetDraft,
    pub(super) new: NewCall,
    /// Its arguments as they are mentioned.
    arguments: Vec<ArgumentChip>,
    /// `None` for a question that the server put by itself.
    pub(super) request: Option<Request>,
    pub(super) stop: CancellationToken,
    pub(super) rounds: u32,
    /// The number of the round that is asked or was answered last.
    pub(super) round_number: u32,
    pub(super) over_cap: bool,
    /// Where the answers of the open round go. Taken by the one claim.
    pub(super) answers: Option<oneshot::Sender<Answers>>,
    /// Where the word on a trouble goes.
    pub(super) next: Option<oneshot::Sender<Next>>,
    pub(super) end: Option<End>,
    /// The app's own words about the result.
    pub(super) notices: Vec<String>,
    pub(super) phase: CallPhase,
    pub(super) detail: Option<String>,
    /// Why it stands still, where it does.
    pub(super) trouble: Option<Trouble>,
    /// A lone link whose last try failed comes back to the person with these words.
    pub(super) lost_link: Option<String>,
    pub(super) started_at: String,
    progress: Option<ProgressView>,
    /// Links that were opened in this call.
    pub(super) links: Vec<(String, Url)>,
    pub(super) declines: HashMap<String, u32>,
    /// Its machine as the driver told last.
    pub(super) machine: Option<KeptMachine>,
    /// The answers that were on their way when the app ended held a secret: they cannot be sent again.
    pub(super) secret_lost: bool,
    /// What is said where its server is not at `place` any more. Nothing is sent then, and nothing decided.
    pub(super) moved: Option<String>,
    /// The headers or variables of its server are not what they were when it asked.
    pub(super) values_changed: bool,
    /// Its result is in the store and was not read yet.
    pub(super) result_kept: bool,
    /// Of its record in the store, by which a change is known.
    pub(super) print: Option<u64>,
    /// History tells that it was started.
    pub(super) noted_start: bool,
    /// History tells that it ended.
    pub(super) noted: bool,
    /// Of the call that this one starts again.
    pub(super) drafts: Vec<OldDraft>,
    /// Its round stands already: it was put before the person earlier.
    pub(super) came_back: bool,
    /// What comes out of [`Call::answers`] for a round that came back, until the driver asks for it.
    pub(super) early: Option<oneshot::Receiver<Answers>>,
}

/// What is said of answers that cannot be sent again.
const SECRET_LOST: &str =
    "Your answers held a secret, which is never kept: Send again puts the questions before you once more.";

/// The inbox, for the driver of one call.
pub(super) struct CallHost {
    pub(super) inbox: Inbox,
    pub(super) call: CallId,
}

impl Host for CallHost {
    fn happened(&self, event: Event) {
        {
            let mut guarded = self.inbox.lock();
            let state = &mut *guarded;
            let Some(call) = state.calls.get_mut(&self.call) else {
                return;
            };
            match event {
                Event::Progress {
                    progress,
                    total,
                    message,
                } => {
                    call.progress = Some(ProgressView {
                        percent: percent(&progress, total.as_deref()),
                        message,
                    });
                }
                Event::Asked(question) => {
                    drop(guarded);
                    self.inbox.pushed(self.call, question);
                    return;
                }
                Event::Replied => {
                    call.progress = None;
                    let answered = |ask: &&mut Ask| ask.pushed.is_none();
                    for ask in state.asks.of_mut(call.id).filter(answered) {
                        if let Stage::Sending(given) = &ask.stage {
                            let action = given.action;
                            ask.set(Stage::Delivered(action));
                        }
                    }
                    // Shown with what follows from it, after that is kept.
                    return;
                }
            }
        }
        self.inbox.bump();
    }

    fn pacing(&self, machine: &Machine) {
        {
            let mut state = self.inbox.lock();
            let Some(call) = state.calls.get_mut(&self.call) else {
                return;
            };
            call.rounds = machine.rounds();
            call.phase = CallPhase::Pacing;
            call.machine = Some(KeptMachine::of(machine));
            state.keep_or_say(self.call);
        }
        self.inbox.bump();
    }

    fn sending(&self, machine: &Machine) -> Result<(), Fault> {
        let kept = {
            let mut state = self.inbox.lock();
            let Some(call) = state.calls.get_mut(&self.call) else {
                return Ok(());
            };
            if call.has_moved() {
                return Err(Fault::ServerChanged);
            }
            call.phase = CallPhase::Sending;
            call.machine = Some(KeptMachine::of(machine));
            call.trouble = None;
            state.keep(self.call)
        };
        self.inbox.bump();
        kept.map_err(|error| Fault::NotKept(error.to_string()))
    }

    async fn answer(&self, machine: &Machine) -> Option<Answers> {
        let links = machine.round().is_some_and(|round| {
            round
                .entries
                .iter()
                .any(|(_, entry)| matches!(entry, Entry::Link { .. }))
        });
        let browser = if links {
            Some(self.inbox.find_browser().await)
        } else {
            None
        };
        let (stop, answers) = {
            let mut state = self.inbox.lock();
            if let Some(found) = browser {
                state.no_browser = !found;
            }
            let state = &mut *state;
            let call = state.calls.get_mut(&self.call)?;
            let answers = call.early.take().unwrap_or_else(|| {
                let (sender, answers) = oneshot::channel();
                call.answers = Some(sender);
                answers
            });
            call.phase = CallPhase::Asking;
            call.detail = None;
            call.trouble = None;
            call.machine = Some(KeptMachine::of(machine));
            call.over_cap = machine.over_cap();
            let came_back = std::mem::take(&mut call.came_back);
            if let Some(words) = call.lost_link.take() {
                // The same round once more, in the same moment in which its answer has somewhere to go.
                for ask in state.asks.of_mut(call.id) {
                    if matches!(ask.stage, Stage::InBrowser { asking: true, .. }) {
                        ask.set(Stage::InBrowser {
                            asking: false,
                            trouble: Some(words.clone()),
                        });
                    }
                }
            } else if !came_back {
                call.rounds = machine.rounds();
                call.round_number = machine.rounds();
                let entries = machine
                    .round()
                    .map(|round| round.entries.as_slice())
                    .unwrap_or_default();
                let mut asks = call.questions(entries, &mut state.asks, &mut state.last_ask, &state.visited);
                let now = self.inbox.shared.clock.local_time();
                for ask in &mut asks {
                    ask.required = machine.names_pages();
                    ask.no_browser = state.no_browser;
                    if ask.asked_at.is_empty() {
                        ask.asked_at.clone_from(&now);
                    }
                }
                // What was in the browser and is not asked for again is done.
                for old in state.asks.of_mut(call.id) {
                    if matches!(old.stage, Stage::InBrowser { asking: true, .. }) {
                        old.set(Stage::Delivered(Action::Accept));
                    }
                }
                for ask in asks {
                    state.asks.insert(ask);
                }
            }
            let stop = call.stop.clone();
            state.keep_or_say(self.call);
            (stop, answers)
        };
        fault::at(Point::AskKept);
        self.inbox.bump();
        tokio::select! {
            biased;
            () = stop.cancelled() => None,
            answers = answers => answers.ok(),
        }
    }

    async fn trouble(&self, trouble: Trouble, machine: &Machine) -> Next {
        let (stop, next) = {
            let mut state = self.inbox.lock();
            let state = &mut *state;
            let Some(call) = state.calls.get_mut(&self.call) else {
                return Next::Leave;
            };
            call.machine = Some(KeptMachine::of(machine));
            // After a round without questions the lost request carried no answer: the earlier ones arrived.
            let carries_answers = call.rounds == call.round_number && !matches!(trouble, Trouble::Cap { .. });
            let mut asks: Vec<&mut Ask> = state
                .asks
                .of_mut(call.id)
                .filter(|ask| carries_answers && ask.is_of_round(call.id, call.round_number))
                .collect();
            if let ([ask], Some(words)) = (asks.as_mut_slice(), browser_trouble(&trouble))
                && matches!(ask.stage, Stage::InBrowser { asking: true, .. })
            {
                // A lone link: its round goes on from the waiting card, whatever became of the last try.
                call.lost_link = Some(words);
                return Next::AskAgain;
            }
            for ask in asks {
                match &ask.stage {
                    Stage::Sending(given) => {
                        let given = given.clone();
                        ask.set(Stage::Undelivered(given, None));
                    }
                    Stage::InBrowser { asking: true, .. } => {
                        ask.set(Stage::Undelivered(super::Given::link(), None));
                    }
                    Stage::Waiting
                    | Stage::Opening
                    | Stage::MayBeOpen
                    | Stage::OpenFailed(_)
                    | Stage::Kept(_)
                    | Stage::InBrowser { asking: false, .. }
                    | Stage::Delivered(_)
                    | Stage::Undelivered(..)
                    | Stage::Withdrawn(_)
                    | Stage::Closed(_) => {}
                }
            }
            if let Trouble::Cap { rounds } = trouble {
                call.rounds = rounds;
            }
            let (sender, next) = oneshot::channel();
            call.next = Some(sender);
            (call.phase, call.detail) = told(&trouble);
            if call.secret_lost {
                call.detail = Some(format!(
                    "{} {SECRET_LOST}",
                    call.detail.take().unwrap_or_default()
                ));
            }
            call.trouble = Some(trouble);
            let stop = call.stop.clone();
            state.keep_or_say(self.call);
            (stop, next)
        };
        self.inbox.bump();
        let next = tokio::select! {
            biased;
            () = stop.cancelled() => Next::Leave,
            next = next => next.unwrap_or(Next::Leave),
        };
        if next == Next::GoOn {
            return self.resumed();
        }
        next
    }
}

impl CallHost {
    /// The same answers are on their way again; or the round is asked again, where they cannot be.
    fn resumed(&self) -> Next {
        let next = {
            let mut state = self.inbox.lock();
            let state = &mut *state;
            let Some(call) = state.calls.get_mut(&self.call) else {
                return Next::Leave;
            };
            call.detail = None;
            let secret_lost = std::mem::take(&mut call.secret_lost);
            call.came_back = secret_lost;
            let of_round = |ask: &&mut Ask| ask.pushed.is_none();
            for ask in state.asks.of_mut(call.id).filter(of_round) {
                if let Stage::Undelivered(given, _) = ask.stage.clone() {
                    ask.set(if given.opened_link && secret_lost {
                        Stage::InBrowser {
                            asking: false,
                            trouble: None,
                        }
                    } else if secret_lost {
                        Stage::Waiting
                    } else if given.opened_link {
                        Stage::InBrowser {
                            asking: true,
                            trouble: None,
                        }
                    } else {
                        Stage::Sending(given)
                    });
                }
            }
            if secret_lost { Next::AskAgain } else { Next::GoOn }
        };
        self.inbox.bump();
        next
    }
}

impl Inbox {
    /// A call is over. Questions without an answer are closed; nothing is sent for them.
    pub(super) fn ended(&self, id: CallId, end: End) {
        {
            let mut state = self.lock();
            let state = &mut *state;
            let Some(call) = state.calls.get_mut(&id) else {
                return;
            };
            (call.phase, call.detail) = ending(&end);
            call.progress = None;
            call.answers = None;
            call.next = None;
            let (reason, delivered) = match &end {
                End::Done(_) | End::Refused { .. } | End::Invalid(_) => ("The call is over.", true),
                End::Declined => ("You did not want the page. Nothing more was sent.", false),
                End::Left(_) => ("You left it at that. It was not sent again.", false),
                End::Stopped { .. } => ("You stopped the call. Nothing more was sent.", false),
            };
            let in_flight = matches!(end, End::Stopped { in_flight: true });
            for ask in state.asks.of_mut(id).filter(|ask| ask.is_listed()) {
                if let Some(question) = &ask.pushed {
                    if matches!(ask.stage, Stage::Sending(_)) {
                        // Its answer tells by itself how it went.
                        continue;
                    }
                    question.abandon();
                    let over = question.over().borrow().clone();
                    if let Some(Over::Withdrawn { reason }) = over {
                        // Taken back in the same breath in which the call ended.
                        ask.set(Stage::Withdrawn(taken_back(reason.as_deref())));
                        continue;
                    }
                }
                let on_its_way = in_flight
                    && matches!(
                        ask.stage,
                        Stage::Sending(_) | Stage::InBrowser { asking: true, .. }
                    );
                let reason = if on_its_way {
                    "You stopped the call while your answer was on its way. It may have arrived."
                } else {
                    reason
                };
                let action = match &ask.stage {
                    Stage::InBrowser { asking: true, .. } if delivered => Some(Action::Accept),
                    Stage::Waiting
                    | Stage::Opening
                    | Stage::MayBeOpen
                    | Stage::OpenFailed(_)
                    | Stage::Kept(_)
                    | Stage::Sending(_)
                    | Stage::InBrowser { .. }
                    | Stage::Delivered(_)
                    | Stage::Undelivered(..)
                    | Stage::Withdrawn(_)
                    | Stage::Closed(_) => None,
                };
                ask.set(match action {
                    Some(action) => Stage::Delivered(action),
                    None => Stage::Closed(reason.to_owned()),
                });
            }
            call.end = Some(end);
            state.keep_or_say(id);
        }
        fault::at(Point::EndKept);
        self.bump();
    }
}

impl Call {
    pub(super) fn new(
        id: CallId,
        new: NewCall,
        request: Option<Request>,
        drafts: Vec<OldDraft>,
        started_at: String,
    ) -> Self {
        Self {
            id,
            key: new.server.key.clone(),
            place: new.server.place.clone(),
            arguments: chips(&new.arguments),
            new,
            request,
            stop: CancellationToken::new(),
            rounds: 0,
            round_number: 0,
            over_cap: false,
            answers: None,
            next: None,
            end: None,
            notices: Vec::new(),
            phase: CallPhase::Sending,
            detail: None,
            trouble: None,
            lost_link: None,
            started_at,
            progress: None,
            links: Vec::new(),
            declines: HashMap::new(),
            machine: None,
            secret_lost: false,
            moved: None,
            values_changed: false,
            result_kept: false,
            print: None,
            noted_start: false,
            noted: false,
            drafts,
            came_back: false,
            early: None,
        }
    }

    /// It was stopped and has not ended yet: nothing more leaves, so nothing more is decided.
    pub(super) fn is_stopping(&self) -> bool {
        self.end.is_none() && self.stop.is_cancelled()
    }

    /// The person declined it. Asked again is what has the same key or says the same.
    pub(super) fn declined(&mut self, ask: &Ask) {
        *self.declines.entry(ask.key.clone()).or_default() += u32::from(!ask.was_pushed);
        *self.declines.entry(says(&ask.message)).or_default() += 1;
    }

    fn declined_before(&self, key: &str, message: &str) -> u32 {
        let times = |name: &str| self.declines.get(name).copied().unwrap_or_default();
        times(key).max(times(&says(message)))
    }

    pub(super) fn remember_link(&mut self, ask: &Ask) {
        if let Body::Link(link) = &ask.body
            && let Some(url) = &link.url
            && !self
                .links
                .iter()
                .any(|(key, known)| *key == ask.key && known == url)
        {
            self.links.push((ask.key.clone(), url.clone()));
        }
    }

    /// Its arguments as they are mentioned.
    pub(super) fn mentioned(&self) -> &[ArgumentChip] {
        &self.arguments
    }

    /// Its server is elsewhere by now, and it has not ended.
    pub(super) fn has_moved(&self) -> bool {
        self.moved.is_some() && self.end.is_none()
    }

    /// Where it stands for a person.
    fn standing(&self) -> CallPhase {
        if self.has_moved() {
            CallPhase::ServerMoved
        } else {
            self.phase
        }
    }

    pub(super) fn acts(&self) -> Vec<CallAct> {
        match self.standing() {
            CallPhase::ServerMoved => vec![CallAct::RestoreServer, CallAct::Stop],
            CallPhase::Sending | CallPhase::Asking | CallPhase::Pacing => vec![CallAct::Stop],
            CallPhase::PausedAtCap => vec![CallAct::ContinueRounds, CallAct::Stop],
            CallPhase::NotDelivered | CallPhase::Unknown if self.next.is_some() => {
                vec![CallAct::SendAgain, CallAct::Leave]
            }
            CallPhase::NotDelivered
            | CallPhase::Unknown
            | CallPhase::Done
            | CallPhase::DoneWithError
            | CallPhase::Failed
            | CallPhase::Stopped => self.request.iter().map(|_| CallAct::StartAgain).collect(),
        }
    }

    /// A request of it is with the server, or about to be.
    pub(super) fn is_in_flight(&self) -> bool {
        matches!(self.phase, CallPhase::Sending | CallPhase::Pacing)
    }

    pub(super) fn row(&self) -> CallRow {
        CallRow {
            id: self.id,
            server: self.new.server.id,
            server_name: self.new.server.name.clone(),
            practice: self.new.server.practice,
            kind: self.new.kind,
            name: text::chip(&self.new.name),
            arguments: self.arguments.clone(),
            initiator: self.new.initiator.clone(),
            phase: self.standing(),
            word: word(self.standing(), self.end.is_some()).to_owned(),
            detail: match &self.moved {
                Some(moved) if self.has_moved() => Some(moved.clone()),
                Some(_) | None => self.detail.clone(),
            },
            started_at: self.started_at.clone(),
            rounds: self.rounds,
            progress: self.progress.clone(),
            acts: self.acts(),
        }
    }

    pub(super) fn result(&self) -> ResultView {
        match &self.end {
            Some(End::Done(json)) => ResultView {
                call: self.row(),
                notices: self.notices.clone(),
                parts: result::parts(self.new.kind, json),
                json: Some(text::source(&json.pretty())),
            },
            Some(End::Refused { error, .. }) => ResultView {
                call: self.row(),
                notices: Vec::new(),
                parts: vec![ResultPart::Text {
                    role: None,
                    text: ServerText::of(&error.message),
                }],
                json: error.data.as_ref().map(|data| text::source(&data.pretty())),
            },
            Some(End::Invalid(_) | End::Left(_) | End::Declined | End::Stopped { .. }) | None => ResultView {
                call: self.row(),
                notices: Vec::new(),
                parts: Vec::new(),
                json: None,
            },
        }
    }

    /// The questions of a new round, forms before links. A link that was opened and is asked for again keeps its
    /// card (taken out of `asks`).
    fn questions(
        &self,
        entries: &[(String, Entry)],
        asks: &mut Asks,
        last_ask: &mut u32,
        visited: &Visited,
    ) -> Vec<Ask> {
        let of = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let mut questions: Vec<Ask> = Vec::new();
        for (key, entry) in entries {
            let body = self.body(entry, visited);
            let again = match &body {
                Body::Link(link) => link.url.as_ref().and_then(|url| self.asked_again(key, url, asks)),
                Body::Form(_) | Body::Unusable { .. } => None,
            };
            let mut ask = match again.and_then(|id| asks.remove(id)) {
                Some(mut ask) => {
                    ask.set(Stage::InBrowser {
                        asking: false,
                        trouble: None,
                    });
                    ask
                }
                None => {
                    *last_ask += 1;
                    self.question(AskId(*last_ask), key, entry, body)
                }
            };
            ask.entry = entry.clone();
            ask.round = self.round_number;
            ask.of = of;
            ask.elicitation_id = entry.elicitation_id().map(str::to_owned);
            ask.finished = false;
            entry.message().clone_into(&mut ask.message);
            questions.push(ask);
        }
        questions.sort_by_key(|ask| matches!(ask.body, Body::Link(_)));
        for (position, ask) in (1..).zip(&mut questions) {
            ask.position = position;
        }
        questions
    }

    pub(super) fn body(&self, entry: &Entry, visited: &Visited) -> Body {
        let server = &self.new.server;
        Body::of(entry, &server.asker, |address| {
            visited.known(server.id, address, server.practice_page.clone())
        })
    }

    fn question(&self, id: AskId, key: &str, entry: &Entry, body: Body) -> Ask {
        let draft = match &body {
            Body::Form(form) => {
                let view = form.view();
                let old = self
                    .drafts
                    .iter()
                    .find(|(old_key, fields, _)| old_key == key && *fields == view);
                old.map(|(_, _, draft)| draft.clone()).unwrap_or_default()
            }
            Body::Link(_) | Body::Unusable { .. } => Vec::new(),
        };
        let url = match &body {
            Body::Link(link) => link.url.as_ref(),
            Body::Form(_) | Body::Unusable { .. } => None,
        };
        let opened =
            |is: &dyn Fn(&Url) -> bool| self.links.iter().any(|(old_key, old)| old_key == key && is(old));
        let may_be_finished = url.is_some_and(|url| opened(&|old| same_page(old, url)));
        let in_browser = url.is_some_and(|url| opened(&|old| old == url));
        Ask {
            id,
            call: self.id,
            key: key.to_owned(),
            round: self.round_number,
            position: 1,
            of: 1,
            message: String::new(),
            entry: entry.clone(),
            body,
            stage: if in_browser {
                Stage::InBrowser {
                    asking: false,
                    trouble: None,
                }
            } else {
                Stage::Waiting
            },
            draft,
            revision: 1,
            look: Look::default(),
            asked_at: String::new(),
            declined_before: self.declined_before(key, entry.message()),
            may_be_finished,
            launching: false,
            no_browser: false,
            opened: u32::from(in_browser),
            pushed: None,
            was_pushed: false,
            required: false,
            elicitation_id: None,
            finished: false,
            given: Outcome::Accepted,
            lost: Delivery::Unknown,
            noted: Noted {
                // Opened for an earlier question, and told there.
                opened: u32::from(in_browser),
                ..Noted::default()
            },
        }
    }

    /// A question that a 2025-era server put by itself. Its key is the same for all, so only what it says counts as
    /// asked again.
    pub(super) fn pushed(
        &self,
        id: AskId,
        question: Arc<Question>,
        asked_at: String,
        visited: &Visited,
    ) -> Ask {
        let body = self.body(&question.entry, visited);
        let message = question.entry.message().to_owned();
        let mut ask = self.question(id, PUSHED, &question.entry, body);
        ask.was_pushed = true;
        ask.elicitation_id = question.entry.elicitation_id().map(str::to_owned);
        ask.message = message;
        ask.asked_at = asked_at;
        ask.pushed = Some(question);
        ask
    }

    /// The person is asked, or no longer is.
    pub(super) fn is_asking(&mut self, asking: bool) {
        if matches!(self.phase, CallPhase::Sending | CallPhase::Asking) {
            self.phase = if asking {
                CallPhase::Asking
            } else {
                CallPhase::Sending
            };
        }
    }

    /// The card of the same link under the same key that was opened before.
    fn asked_again(&self, key: &str, url: &Url, asks: &Asks) -> Option<AskId> {
        asks.of(self.id)
            .rev()
            .find(|ask| {
                let same = match &ask.body {
                    Body::Link(link) => link.url.as_ref() == Some(url),
                    Body::Form(_) | Body::Unusable { .. } => false,
                };
                let in_browser = matches!(ask.stage, Stage::InBrowser { asking: true, .. });
                ask.key == key && same && in_browser
            })
            .map(|ask| ask.id)
    }
}

/// Where declines are counted by what a question says, beside those by its key.
fn says(message: &str) -> String {
    format!("says: {message}")
}

fn chips(arguments: &Json) -> Vec<ArgumentChip> {
    let members = arguments
        .as_object()
        .into_iter()
        .flat_map(|members| members.iter());
    members
        .map(|(name, value)| ArgumentChip {
            name: text::chip(name),
            value: match mentioned(name, value) {
                Json::String(value) => text::chip(&value),
                other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                    text::chip(&other.to_string())
                }
            },
        })
        .collect()
}

/// An argument for the line that names a call: secrets are not repeated there.
fn mentioned(name: &str, value: &Json) -> Json {
    let is_secret = |text: &str| Guard::of_argument(name, text).level() == Some(GuardLevel::Secret);
    match value {
        Json::String(text) | Json::Number(text) if is_secret(text) => Json::string(MASK),
        Json::Array(items) => Json::Array(items.iter().map(|item| mentioned(name, item)).collect()),
        Json::Object(members) => Json::object(
            members
                .iter()
                .map(|(name, value)| (name.to_owned(), mentioned(name, value))),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

fn percent(progress: &str, total: Option<&str>) -> Option<u32> {
    let (progress, total): (f64, f64) = (progress.parse().ok()?, total?.parse().ok()?);
    if !(total > 0.0 && progress.is_finite() && total.is_finite()) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0..=100 before"
    )]
    Some((progress / total * 100.0).clamp(0.0, 100.0) as u32)
}

/// What a lone link's card says of a try that failed; `None` for what is no such try.
fn browser_trouble(trouble: &Trouble) -> Option<String> {
    match trouble {
        Trouble::Unknown(fault) => Some(format!(
            "We lost touch with the server ({fault}). Check again when you are done."
        )),
        Trouble::NotDelivered(fault) => Some(format!("The server could not be told ({fault}). Check again.")),
        Trouble::Refused(error) => Some(format!(
            "The server did not take it: {}. Check again.",
            refusal(error)
        )),
        Trouble::Cap { .. } => None,
    }
}

fn told(trouble: &Trouble) -> (CallPhase, Option<String>) {
    match trouble {
        Trouble::NotDelivered(Fault::SignIn { status }) => (
            CallPhase::NotDelivered,
            Some(format!(
                "Not delivered: the server wants a sign-in (HTTP {status}) and did nothing. This version cannot sign in; a header of the server's settings may carry a token."
            )),
        ),
        Trouble::NotDelivered(fault) => (
            CallPhase::NotDelivered,
            Some(format!("Not delivered, nothing left this computer: {fault}.")),
        ),
        Trouble::Refused(error) => (
            CallPhase::NotDelivered,
            Some(format!(
                "Not delivered: the server refused before it did anything: {}.",
                refusal(error)
            )),
        ),
        Trouble::Unknown(fault) => (
            CallPhase::Unknown,
            Some(format!(
                "We sent it but heard nothing back. It may have arrived. Sending again could do it twice. (Reason: {fault}.)"
            )),
        ),
        Trouble::Cap { .. } => (
            CallPhase::PausedAtCap,
            Some(format!(
                "The server asked {ROUND_CAP} times in a row to be asked again, without a question for you."
            )),
        ),
    }
}

fn ending(end: &End) -> (CallPhase, Option<String>) {
    match end {
        End::Done(result) if result.get("isError").and_then(Json::as_bool) == Some(true) => (
            CallPhase::DoneWithError,
            Some("The server says that it did not work.".to_owned()),
        ),
        End::Done(_) => (CallPhase::Done, None),
        End::Refused { error, status } => {
            let status = status
                .filter(|status| *status != 200)
                .map(|status| format!(" (HTTP {status})"));
            let reason = refusal(error);
            (
                CallPhase::Failed,
                Some(format!(
                    "The server refused: {reason}{}.",
                    status.unwrap_or_default()
                )),
            )
        }
        End::Invalid(fault) => (
            CallPhase::Failed,
            Some(format!(
                "The server's answer breaks the protocol: {fault}. Nothing was answered for you."
            )),
        ),
        End::Left(trouble) => told(trouble),
        End::Declined => (
            CallPhase::Stopped,
            Some(
                "The server wants a page opened first, and you did not want that. Nothing more was sent."
                    .to_owned(),
            ),
        ),
        End::Stopped { in_flight: true } => (
            CallPhase::Stopped,
            Some("You stopped it while it was with the server. It may still have happened.".to_owned()),
        ),
        End::Stopped { in_flight: false } => (
            CallPhase::Stopped,
            Some("You stopped it. Nothing more was sent.".to_owned()),
        ),
    }
}

/// An error as a quoted chip, with its code; the whole message stands in the result's frame.
fn refusal(error: &RpcError) -> String {
    match text::chip(&error.message) {
        message if message.is_empty() => format!("no reason ({})", error.code),
        message => format!("“{message}” ({})", error.code),
    }
}

fn word(phase: CallPhase, ended: bool) -> &'static str {
    match phase {
        CallPhase::Sending => "with the server",
        CallPhase::Asking => "asks you",
        CallPhase::Pacing => "comes back later",
        CallPhase::PausedAtCap => "paused",
        CallPhase::NotDelivered => "not delivered",
        CallPhase::Unknown if ended => "left, outcome unknown",
        CallPhase::Unknown => "outcome unknown",
        CallPhase::ServerMoved => "paused, its server moved",
        CallPhase::Done => "done",
        CallPhase::DoneWithError => "did not work",
        CallPhase::Failed => "failed",
        CallPhase::Stopped => "stopped",
    }
}
