//! What waits for a person, over all servers: the calls that run and the questions they stand at.
//!
//! Promises:
//! - A round is claimed once. Every change happens under one lock; of two answers the first wins and the other hears
//!   [`Answered::AlreadyAnswered`]. The answers of a round travel together, when the last is given.
//! - No answer without a person: nothing here answers by itself, by a clock or because a window got focus.
//! - A link is opened by the id of its question, from the value that was inspected, once for each consent; a browser
//!   that could not be asked never counts as consent.
//! - Accepting is refused until the card was on the screen for [`guard::LOOK`].
//!
//! - With a store ([`Inbox::keep_in`]) calls outlive the app: what is decided is on the disk before a byte of it leaves
//!   and before a browser is asked, what a server answers before it is shown. See [`kept`] for what comes back.
//!
//! Deliberately absent: expiry. A question of 2026-07-28 waits for as long as the person likes.

mod ask;
mod asks;
mod call;
mod group;
pub mod guard;
mod kept;
mod moved;
mod noted;
mod paused;
mod present;
mod pushed;
pub mod result;
mod visited;

use crate::clock::Clock;
use crate::fault::{self, Point};
use crate::form::{FieldInput, Form, Review};
use crate::link::open::{Browser, OpenError};
use crate::link::{self, Asker, Verdict};
use crate::mrtr::driver::{self, Answers, Line, Next, Start};
use crate::mrtr::machine::{Machine, Word};
#[cfg(doc)]
use crate::session::address;
use crate::store::history::Outcome;
use crate::store::{CallSave, Draft, Expect, Store, StoreError, StoredCall};
use crate::text;
use crate::view::past::Choices;
use crate::view::{
    Act, Answered, Armed, AskId, AskRow, AskView, CallAct, CallId, CallPhase, CallRow, Initiator, OfferKind,
    ResultView, ServerId, ServerRow, TargetDraft, Unfinished,
};
use crate::wire::json::Json;
use crate::wire::request::Request;
use crate::wire::structured;
use ask::{Ask, Body, Given, Stage};
use asks::Asks;
use call::Call;
use guard::Guard;
use kept::{Back, KeptCall};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use url::Url;
use visited::{Site, Visited};

/// A browser that does not answer for this long could not be asked.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// A browser that is not found in this time may still be there.
const FIND_TIMEOUT: Duration = Duration::from_secs(3);
/// Finished calls that are kept for looking at.
const KEPT_CALLS: usize = 500;
/// What could not be kept and belongs to no call stands under this id; calls begin at 1.
const OF_NO_CALL: CallId = CallId(0);

/// What a call's questions say about their server. Facts of this app, not claims of the server.
#[derive(Clone, Debug)]
pub struct ServerFacts {
    pub id: ServerId,
    /// What it is known by in every run. Calls of a server without are not kept.
    pub key: String,
    /// Its whole address, or its program with arguments and folder ([`address::place`]). What was asked at one place is
    /// answered at no other.
    pub place: TargetDraft,
    /// By which a change of its headers or variables is known ([`address::print`]).
    pub values: String,
    /// The name the person gave.
    pub name: String,
    /// The host or program that answers go to.
    pub goes_to: String,
    pub practice: bool,
    pub asker: Asker,
    /// Where this app serves its practice page, for practice servers.
    pub practice_page: Option<Url>,
}

/// A call to be started. Its arguments stay out of every log, so there is no `{:?}`.
#[derive(Clone)]
pub struct NewCall {
    pub server: ServerFacts,
    pub kind: OfferKind,
    /// What is called: a tool's or prompt's name, a resource's address.
    pub name: String,
    /// As shown in the call line.
    pub arguments: Json,
    /// What a tool says that its structured result is like.
    pub output_schema: Option<Json>,
    pub initiator: Initiator,
}

/// The inbox. Clones share it.
#[derive(Clone)]
pub struct Inbox {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    browser: Arc<dyn Browser>,
    guard: Guard,
    word: Word,
    changed: watch::Sender<u32>,
}

struct State {
    clock: Arc<dyn Clock>,
    calls: BTreeMap<CallId, Call>,
    asks: Asks,
    last_call: u32,
    last_ask: u32,
    visited: Visited,
    /// No browser was found when it was looked for last.
    no_browser: bool,
    /// It is looked for just now.
    looking: bool,
    /// Until then no control answers anything.
    rest_until: Duration,
    /// Keys of servers whose questions are held.
    paused: BTreeSet<String>,
    /// How often the person declined what a server asked outside of any call, by its words.
    declined: HashMap<(ServerId, String), u32>,
    /// Where calls are kept, if they are.
    store: Option<Arc<Store>>,
    /// Calls that could not be kept, and why, until they can.
    unkept: BTreeMap<CallId, String>,
    /// What the person chose to keep.
    choices: Choices,
    /// By which a record is known that stands in the store already.
    prints: RandomState,
}

impl Inbox {
    /// `word` is whose word answers are: a person's, or a script's.
    pub fn new(clock: Arc<dyn Clock>, browser: Arc<dyn Browser>, guard: Guard, word: Word) -> Self {
        let state = Mutex::new(State {
            clock: Arc::clone(&clock),
            calls: BTreeMap::new(),
            asks: Asks::default(),
            last_call: 0,
            last_ask: 0,
            visited: Visited::new(guard),
            no_browser: false,
            looking: false,
            rest_until: Duration::ZERO,
            paused: BTreeSet::new(),
            declined: HashMap::new(),
            store: None,
            unkept: BTreeMap::new(),
            choices: Choices::default(),
            prints: RandomState::new(),
        });
        Self {
            shared: Arc::new(Shared {
                state,
                clock,
                browser,
                guard,
                word,
                changed: watch::Sender::new(0),
            }),
        }
    }

    /// A number that grows with every change.
    pub fn changes(&self) -> watch::Receiver<u32> {
        self.shared.changed.subscribe()
    }

    /// Starts a call; it runs until it ends or is stopped.
    pub fn start<L: Line + 'static>(&self, line: Arc<L>, new: NewCall, request: Request) -> CallId {
        self.start_with_drafts(line, new, request, Vec::new())
    }

    /// Starts an ended call from the beginning, at the server as it is now. Drafts of the old one are offered where a question has the same key
    /// and the same fields, the newest first. `None` where there is no such call or it has not ended.
    pub fn start_again<L: Line + 'static>(
        &self,
        line: Arc<L>,
        server: ServerFacts,
        old: CallId,
    ) -> Option<CallId> {
        let now = self.shared.clock.now();
        let (new, request, drafts) = {
            let mut state = self.lock();
            if !state.rested(self.shared.guard, now) {
                return None;
            }
            let call = state.calls.get(&old).filter(|call| call.end.is_some())?;
            let request = call.request.clone()?;
            let drafts = state.asks.of(old).rev().filter(|ask| !ask.draft.is_empty());
            let drafts = drafts.filter_map(|ask| match &ask.body {
                Body::Form(form) => Some((ask.key.clone(), form.view(), ask.draft.clone())),
                Body::Link(_) | Body::Unusable { .. } => None,
            });
            let drafts = drafts.chain(call.drafts.iter().cloned());
            let new = NewCall {
                server,
                ..call.new.clone()
            };
            let again = (new, request, drafts.collect());
            state.rest_until = now + guard::REST;
            again
        };
        Some(self.start_with_drafts(line, new, request, drafts))
    }

    fn start_with_drafts<L: Line + 'static>(
        &self,
        line: Arc<L>,
        new: NewCall,
        request: Request,
        drafts: Vec<call::OldDraft>,
    ) -> CallId {
        let machine = Machine::new(request.clone());
        let (id, stop) = {
            let mut state = self.lock();
            state.last_call += 1;
            let id = CallId(state.last_call);
            let call = Call::new(id, new, Some(request), drafts, self.shared.clock.local_time());
            let stop = call.stop.clone();
            state.calls.insert(id, call);
            state.forget_old();
            (id, stop)
        };
        self.bump();
        let inbox = self.clone();
        tokio::spawn(async move {
            inbox.drive(id, machine, Start::First, &*line, &stop).await;
        });
        id
    }

    async fn drive<L: Line>(
        &self,
        id: CallId,
        machine: Machine,
        start: Start,
        line: &L,
        stop: &CancellationToken,
    ) {
        let host = call::CallHost {
            inbox: self.clone(),
            call: id,
        };
        let end = driver::run(machine, start, line, &host, stop).await;
        self.check_result(id, &end).await;
        self.ended(id, end);
    }

    /// Ids of calls and questions begin after these: those of an earlier run are taken, also while its store is not
    /// open yet.
    pub fn begin_after(&self, call: CallId, ask: AskId) {
        let mut state = self.lock();
        state.last_call = state.last_call.max(call.0);
        state.last_ask = state.last_ask.max(ask.0);
    }

    /// Keeps calls in `store` from now on, and takes up those that are in it. `servers` are all that there are, with
    /// their ids in the settings; `server` says what is known of one by that id, and gives the way to it. Returns what a
    /// person should be told.
    ///
    /// # Errors
    /// The store cannot be read; then nothing is kept in it.
    pub fn keep_in<L: Line + 'static>(
        &self,
        store: Arc<Store>,
        servers: &[(ServerId, String)],
        server: impl Fn(&str) -> Option<(ServerFacts, Arc<L>)>,
    ) -> Result<Vec<String>, StoreError> {
        let mut loaded = store.open_calls()?;
        let finished = store.finished_calls(u32::try_from(KEPT_CALLS).unwrap_or(u32::MAX))?;
        loaded.unreadable.extend(finished.unreadable);
        loaded.calls.extend(finished.calls);
        let mut sites = Vec::new();
        for (id, key) in servers {
            let records = store.visited(key)?;
            let read = records
                .iter()
                .filter_map(|record| serde_json::from_slice(record).ok());
            sites.extend(read.map(|site: Site| (*id, site)));
        }
        let mut unreadable = loaded.unreadable.len();
        let mut strangers = 0;
        let mut going_on = Vec::new();
        let mut notices = Vec::new();
        {
            let mut state = self.lock();
            let state = &mut *state;
            // What began before stands in no store, or in another.
            for call in state.calls.values_mut() {
                call.print = None;
            }
            for (id, site) in &sites {
                state.visited.restore(*id, site);
            }
            for stored in loaded.calls {
                let known = server(&stored.server);
                if stored.open && known.is_none() {
                    strangers += 1;
                    continue;
                }
                let drafts = drafts(&stored);
                let back = KeptCall::from_bytes(&stored.record).and_then(|kept| {
                    let facts = known.as_ref().map(|(facts, _)| facts.clone());
                    kept.restore(stored.id, facts, &drafts, &state.visited)
                });
                let Some(back) = back.filter(|_| !state.calls.contains_key(&stored.id)) else {
                    unreadable += 1;
                    continue;
                };
                let Back {
                    mut call,
                    asks,
                    goes_on,
                } = back;
                call.key.clone_from(&stored.server);
                call.result_kept = stored.has_result;
                call.print = Some(state.prints.hash_one(&stored.record));
                call.noted = call.end.is_some() && !stored.open;
                if matches!(goes_on, Some((_, Start::Asking))) {
                    // An answer may be quicker than the driver.
                    let (sender, answers) = oneshot::channel();
                    call.came_back = true;
                    call.answers = Some(sender);
                    call.early = Some(answers);
                }
                state.last_call = state.last_call.max(stored.id.0);
                for ask in asks {
                    state.last_ask = state.last_ask.max(ask.id.0);
                    state.asks.insert(ask);
                }
                if let (Some((machine, start)), Some((_, line))) = (goes_on, known) {
                    going_on.push((call.id, machine, start, line, call.stop.clone()));
                }
                state.calls.insert(call.id, call);
            }
            if !state.read_paused(&store) {
                notices.push("Which servers you had paused could not be read.".to_owned());
            }
            fault::at(Point::RestoreRead);
            state.store = Some(store);
            let ids: Vec<CallId> = state.calls.keys().copied().collect();
            for id in ids {
                // What the end of the app did is kept, and calls of this run that began before the store was open.
                state.keep_or_say(id);
            }
            fault::at(Point::RestoreKept);
            for (id, _, start, ..) in &going_on {
                if matches!(start, Start::Trouble(_))
                    && let Some(call) = state.calls.get_mut(id)
                {
                    // Nothing can be said to it before its driver asks.
                    call.phase = CallPhase::Sending;
                }
            }
            state.forget_old();
        }
        for (id, machine, start, line, stop) in going_on {
            let inbox = self.clone();
            tokio::spawn(async move {
                inbox.drive(id, machine, start, &*line, &stop).await;
            });
        }
        self.bump();
        self.look_for_browser();
        if unreadable > 0 {
            notices.push(format!(
                "{unreadable} kept {} could not be read. Nothing of it was sent or deleted.",
                calls(unreadable)
            ));
        }
        if strangers > 0 {
            notices.push(format!(
                "{strangers} kept {} went to a server that is not in your list. Nothing of it was sent or deleted.",
                calls(strangers)
            ));
        }
        Ok(notices)
    }

    /// Where calls are kept, if they are.
    pub fn store(&self) -> Option<Arc<Store>> {
        self.lock().store.clone()
    }

    /// Why something could not be kept, where it could not.
    pub fn unkept(&self) -> Option<String> {
        self.lock().unkept.values().next().cloned()
    }

    /// Keeps what could not be kept before.
    pub fn keep_all(&self) {
        {
            let mut state = self.lock();
            let calls: Vec<CallId> = state.calls.keys().copied().collect();
            let asks: Vec<AskId> = state.asks.all().map(|ask| ask.id).collect();
            for call in calls {
                state.keep_or_say(call);
            }
            for ask in asks {
                state.keep_draft(ask);
            }
            state.keep_paused();
        }
        self.bump();
    }

    /// What is kept by the person's choice.
    pub(crate) fn choices(&self) -> Choices {
        self.lock().choices
    }

    /// What is kept from now on.
    pub(crate) fn choose(&self, choices: Choices) {
        self.lock().choices = choices;
    }

    /// Nothing of ended calls is to be kept any more but that they were; those of this session can be looked at until it
    /// ends. Their results are out of the store already.
    pub(crate) fn ended_forgotten(&self) {
        let mut state = self.lock();
        for call in state.calls.values_mut() {
            call.result_kept = false;
        }
        let ended = state.calls.values().filter(|call| call.end.is_some());
        for id in ended.map(|call| call.id).collect::<Vec<_>>() {
            state.keep_or_say(id);
        }
        drop(state);
        self.bump();
    }

    /// Forgets a call that has ended. False where there is none.
    ///
    /// # Errors
    /// The store cannot be written; then nothing is forgotten.
    pub fn forget(&self, id: CallId) -> Result<bool, StoreError> {
        let mut state = self.lock();
        if state.calls.get(&id).is_none_or(|call| call.end.is_none()) {
            return Ok(false);
        }
        if let Some(store) = &state.store {
            store.remove(&[id])?;
        }
        state.calls.remove(&id);
        state.asks.remove_call(id);
        state.unkept.remove(&id);
        drop(state);
        self.bump();
        Ok(true)
    }

    /// Keeps nothing any more, before the app ends: what ends from here on is taken up by the next start.
    pub fn let_go(&self) {
        self.lock().store = None;
    }

    /// Compares a structured result with what its tool says it is like; the result is shown in any case.
    async fn check_result(&self, id: CallId, end: &driver::End) {
        let schema = self
            .lock()
            .calls
            .get(&id)
            .and_then(|call| call.new.output_schema.clone());
        let (driver::End::Done(result), Some(schema)) = (end, schema) else {
            return;
        };
        if result.get("isError").and_then(Json::as_bool) == Some(true) {
            return;
        }
        let structured = result.get("structuredContent").cloned();
        // Counted before it is begun, but still too much for a thread that serves others.
        let checking = tokio::task::spawn_blocking(move || structured::check(&schema, structured.as_ref()));
        let Ok(fit) = checking.await else { return };
        if let Some(call) = self.lock().calls.get_mut(&id) {
            call.notices = result::notices(fit);
        }
    }

    /// A document of a server has changed since it was read.
    pub fn document_changed(&self, server: ServerId, uri: &str) {
        {
            let mut state = self.lock();
            for call in state.calls.values_mut() {
                let read = call.new.server.id == server
                    && call.new.kind == OfferKind::Document
                    && (call.new.name == uri || uri.starts_with(&format!("{}/", call.new.name)));
                if read && call.end.is_some() && call.notices.is_empty() {
                    call.notices.push(
                        "This document has changed since it was read. Start again reads it anew.".to_owned(),
                    );
                }
            }
        }
        self.bump();
    }

    /// A card is on the screen in this revision; accepting works after the returned time.
    pub fn shown(&self, ask: AskId, revision: u32) -> Option<Armed> {
        let now = self.shared.clock.now();
        let mut state = self.lock();
        let ask = state.asks.get_mut(ask).filter(|ask| ask.revision == revision)?;
        ask.look.shown(now);
        let link = matches!(ask.body, Body::Link(_)) && ask.is_listed();
        drop(state);
        if link {
            self.look_for_browser();
        }
        Some(Armed {
            in_ms: milliseconds(guard::LOOK),
        })
    }

    /// The window was moved, resized or came to the front.
    pub fn rearm(&self) {
        let now = self.shared.clock.now();
        let mut state = self.lock();
        for ask in state.asks.all_mut() {
            ask.look.rearm(now);
        }
        let missing = state.no_browser;
        drop(state);
        if missing {
            self.look_for_browser();
        }
    }

    /// Keeps what was typed so far and says what would be sent.
    pub fn draft(&self, ask: AskId, inputs: Vec<FieldInput>) -> Option<Review> {
        let mut state = self.lock();
        let ask = state.asks.get_mut(ask)?;
        let Body::Form(form) = &ask.body else { return None };
        let review = form.review(&inputs);
        if ask.stage == Stage::Waiting && ask.draft != inputs {
            let first = ask.draft.is_empty() != inputs.is_empty();
            ask.draft = inputs;
            let id = ask.id;
            state.keep_draft(id);
            drop(state);
            if first {
                self.bump();
            }
        }
        Some(review)
    }

    /// Does one thing with a question. `inputs` belong to [`Act::Accept`], `domain` to [`Act::Open`] of a risky link,
    /// and to [`Act::AlreadyFinished`] of one where there is no browser.
    pub async fn act(
        &self,
        ask: AskId,
        revision: u32,
        act: Act,
        inputs: Option<Vec<FieldInput>>,
        domain: Option<String>,
    ) -> Answered {
        match self.decide(ask, revision, act, inputs, domain.as_deref()) {
            Decided::Now(answered) => answered,
            Decided::Open(url) => self.open(ask, url).await,
            Decided::Push(given) => {
                self.carry(ask, given);
                Answered::Sent
            }
        }
    }

    /// Stops a call. Nothing more is sent; what is in flight is cancelled by the rule of its transport.
    pub fn stop(&self, call: CallId) {
        if let Some(call) = self.lock().calls.get_mut(&call) {
            call.stop.cancel();
        }
    }

    /// Stops every call of a server, before it is removed.
    pub fn stop_server(&self, server: ServerId) {
        for call in self.lock().calls.values() {
            if call.new.server.id == server {
                call.stop.cancel();
            }
        }
    }

    /// Notes that the person removed a server, and forgets which sites were opened for it.
    ///
    /// # Errors
    /// It could not be noted.
    pub fn note_removed(&self, server: &ServerFacts) -> Result<(), StoreError> {
        if let Some(store) = &self.lock().store {
            // What cannot be forgotten now names only sites.
            let _ = store.forget_visited(&server.key);
        }
        self.note_server(server, Outcome::ServerRemoved)
    }

    /// Notes what the person did with a server as a whole.
    ///
    /// # Errors
    /// It could not be noted.
    pub fn note_server(&self, server: &ServerFacts, outcome: Outcome) -> Result<(), StoreError> {
        let state = self.lock();
        let Some(store) = &state.store else { return Ok(()) };
        let at = state.clock.local_time();
        store.note(&[noted::of_server(server, outcome, &at)]).map(|_| ())
    }

    /// The person's word on a call that stands still. False where that is not (or no longer) asked.
    pub fn act_on_call(&self, call: CallId, act: CallAct) -> bool {
        let next = match act {
            CallAct::SendAgain | CallAct::ContinueRounds => Next::GoOn,
            CallAct::Leave => Next::Leave,
            CallAct::Stop => {
                self.stop(call);
                return true;
            }
            // What needs the list of servers is done there.
            CallAct::StartAgain | CallAct::RestoreServer => return false,
        };
        let now = self.shared.clock.now();
        let mut state = self.lock();
        if !state.rested(self.shared.guard, now) {
            return false;
        }
        let Some(call) = state
            .calls
            .get_mut(&call)
            .filter(|call| !call.is_stopping() && call.acts().contains(&act))
        else {
            return false;
        };
        let taken = call.next.take().is_some_and(|word| word.send(next).is_ok());
        state.rest_until = now + guard::REST;
        taken
    }

    /// Questions that wait, oldest first.
    pub fn asks(&self) -> Vec<AskRow> {
        let state = self.lock();
        let asks = state.asks.all().filter(|ask| ask.is_listed());
        let asks: Vec<(&Ask, &Call, bool)> = asks
            .filter_map(|ask| {
                let call = state.calls.get(&ask.call)?;
                Some((ask, call, state.holds(ask, call)))
            })
            .collect();
        let waiting = asks
            .iter()
            .filter(|(ask, _, held)| ask.stage == Stage::Waiting && !held);
        let groups = group::groups(waiting.map(|(ask, call, _)| {
            let likeness = (
                call.new.server.id,
                ask.body.kind(),
                text::first_line(&ask.message),
            );
            (ask.id, likeness)
        }));
        let rows = asks.into_iter();
        rows.map(|(ask, call, held)| present::ask_row(ask, call, groups.get(&ask.id).copied(), held))
            .collect()
    }

    /// Calls, newest first.
    pub fn calls(&self) -> Vec<CallRow> {
        self.lock().calls.values().rev().map(Call::row).collect()
    }

    /// What would end with the app: questions only where they are not kept.
    pub fn unfinished(&self) -> Unfinished {
        let state = self.lock();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let is_kept = |call: &Call| {
            let durable = state.store.as_ref().is_some_and(|store| store.is_durable());
            durable && !state.unkept.contains_key(&call.id) && !call.key.is_empty()
        };
        let waits = |ask: &&Ask| ask.is_open() || matches!(ask.stage, Stage::Kept(_));
        let lost = |ask: &&Ask| ask.pushed.is_some() || !state.calls.get(&ask.call).is_some_and(is_kept);
        Unfinished {
            waiting: count(state.asks.all().filter(waits).filter(lost).count()),
            in_flight: count(state.calls.values().filter(|call| call.is_in_flight()).count()),
        }
    }

    /// One question, whole. `server` gives the row of its server.
    pub fn ask(
        &self,
        ask: AskId,
        server: impl FnOnce(ServerId) -> Option<(ServerRow, String)>,
    ) -> Option<AskView> {
        let state = self.lock();
        let ask = state.asks.get(ask)?;
        let call = state.calls.get(&ask.call)?;
        let (mut row, known_since) = server(call.new.server.id)?;
        row.paused = state.paused.contains(&call.key);
        if call.has_moved() {
            row.address = moved::shown(&call.place);
        }
        let held = state.holds(ask, call);
        let others_open = state
            .asks
            .of(ask.call)
            .any(|other| other.id != ask.id && other.is_of_round(ask.call, ask.round) && other.is_open());
        let now = state.clock.local_time();
        Some(present::ask_view(
            ask,
            call,
            row,
            known_since,
            others_open,
            held,
            &now,
        ))
    }

    pub fn result(&self, call: CallId) -> Option<ResultView> {
        let mut state = self.lock();
        state.read_result(call);
        state.calls.get(&call).map(Call::result)
    }

    /// The raw result, error and rounds of a call, for programs.
    pub fn end(&self, call: CallId) -> Option<(u32, Option<driver::End>)> {
        self.lock()
            .calls
            .get(&call)
            .map(|call| (call.rounds, call.end.clone()))
    }

    /// The server that a call went to.
    pub fn server_of(&self, call: CallId) -> Option<ServerId> {
        self.lock().calls.get(&call).map(|call| call.new.server.id)
    }

    /// The form of a question, for answers that are not typed into fields.
    pub fn with_form<T>(&self, ask: AskId, read: impl FnOnce(&Form) -> T) -> Option<T> {
        match &self.lock().asks.get(ask)?.body {
            Body::Form(form) => Some(read(form)),
            Body::Link(_) | Body::Unusable { .. } => None,
        }
    }

    /// The key of a question in its round, for scripts and the person's details.
    pub fn key(&self, ask: AskId) -> Option<String> {
        self.lock().asks.get(ask).map(|ask| ask.key.clone())
    }

    /// Whether a question asks to open a page, also where it cannot be used.
    pub fn asks_for_page(&self, ask: AskId) -> Option<bool> {
        self.lock().asks.get(ask).map(|ask| match &ask.body {
            Body::Form(_) => false,
            Body::Link(_) => true,
            Body::Unusable { link, .. } => *link,
        })
    }

    fn decide(
        &self,
        id: AskId,
        revision: u32,
        act: Act,
        inputs: Option<Vec<FieldInput>>,
        domain: Option<&str>,
    ) -> Decided {
        let now = self.shared.clock.now();
        let mut state = self.lock();
        let rest = state.rest_until.saturating_sub(now);
        let State {
            asks, calls, paused, ..
        } = &mut *state;
        let Some(ask) = asks.get_mut(id) else {
            return Decided::not_possible("There is no such question any more.");
        };
        let of_paused = calls
            .get(&ask.call)
            .filter(|call| paused.contains(&call.key) && ask.can_be_held());
        if let Some(call) = of_paused.filter(|_| act != Act::StopCall) {
            return Decided::not_possible(&format!(
                "You paused {}: its questions are held. Resume it to answer.",
                call.new.server.name
            ));
        }
        if calls.get(&ask.call).is_some_and(Call::is_stopping) {
            return Decided::not_possible("You stopped this call.");
        }
        let moved = calls.get(&ask.call).and_then(|call| call.moved.as_deref());
        if let Some(why) = moved.filter(|_| act != Act::StopCall) {
            return Decided::not_possible(why);
        }
        if act == Act::Open && ask.launching {
            return Decided::Now(Answered::AlreadyAnswered);
        }
        if act == Act::Open && ask.no_browser && ask.is_open() {
            return Decided::Now(Answered::OpenFailed {
                reason: OpenError::NoBrowser.to_string(),
            });
        }
        if !ask.acts().contains(&act) {
            return Decided::Now(match ask.stage {
                Stage::Waiting | Stage::OpenFailed(_) | Stage::InBrowser { asking: false, .. } => {
                    Answered::NotPossible {
                        reason: "This question cannot be answered in that way.".to_owned(),
                    }
                }
                Stage::Closed(ref reason) | Stage::Withdrawn(ref reason) => Answered::NotPossible {
                    reason: reason.clone(),
                },
                Stage::Opening
                | Stage::MayBeOpen
                | Stage::Kept(_)
                | Stage::Sending(_)
                | Stage::InBrowser { asking: true, .. }
                | Stage::Delivered(_)
                | Stage::Undelivered(..) => Answered::AlreadyAnswered,
            });
        }
        if ask.revision != revision && act != Act::StopCall {
            return Decided::Now(Answered::Changed);
        }
        if self.shared.guard == Guard::Window {
            let look = match act {
                Act::Accept | Act::Open | Act::CheckAgain | Act::AlreadyFinished | Act::SendAgain => {
                    ask.look.remaining(now).unwrap_or(guard::LOOK)
                }
                Act::Decline | Act::Dismiss | Act::GiveUp | Act::Edit | Act::DeclineAll | Act::StopCall => {
                    Duration::ZERO
                }
            };
            let wait = look.max(rest);
            if !wait.is_zero() {
                return Decided::Now(Answered::TooSoon {
                    wait_ms: milliseconds(wait),
                });
            }
        }
        // Without a browser the word that the page is done stands for opening it.
        let goes_there = act == Act::Open || act == Act::AlreadyFinished && ask.no_browser;
        if goes_there
            && let Body::Link(link) = &ask.body
            && link.inspection.verdict == Verdict::Risky
            && let Err(message) = link::typed_domain(&link.inspection, domain.unwrap_or_default())
        {
            return Decided::Now(Answered::WrongDomain { message });
        }
        let given = match (act, &ask.body) {
            (Act::StopCall, _) => {
                let call = ask.call;
                drop(state);
                self.stop(call);
                return Decided::Now(Answered::Sent);
            }
            (Act::Accept, Body::Form(form)) => {
                let inputs = inputs.unwrap_or_else(|| ask.draft.clone());
                let answer = form.answer(&inputs);
                ask.draft = inputs;
                match answer {
                    Ok(answer) => Given::form(answer.result()),
                    Err(errors) => {
                        state.keep_draft(id);
                        return Decided::Now(Answered::Invalid { errors });
                    }
                }
            }
            (Act::Open, Body::Link(link)) => {
                let Some(url) = link.url.clone() else {
                    return Decided::not_possible("This link is refused.");
                };
                ask.launching = true;
                if matches!(
                    ask.stage,
                    Stage::Waiting | Stage::MayBeOpen | Stage::OpenFailed(_)
                ) {
                    ask.set(Stage::Opening);
                    let call = ask.call;
                    if let Err(error) = state.keep(call) {
                        let reason = format!("It could not be saved, so nothing was opened: {error}");
                        if let Some(ask) = state.asks.get_mut(id) {
                            ask.launching = false;
                            ask.set(Stage::OpenFailed(reason.clone()));
                        }
                        drop(state);
                        self.bump();
                        return Decided::Now(Answered::OpenFailed { reason });
                    }
                } else {
                    // Opened again: the card stays, its Open is dead until the browser was asked.
                    ask.changed();
                }
                state.rest_until = now + guard::REST;
                drop(state);
                self.bump();
                return Decided::Open(url);
            }
            (Act::SendAgain, _) => match &ask.stage {
                Stage::Undelivered(given, _) => given.clone(),
                Stage::Waiting
                | Stage::Opening
                | Stage::MayBeOpen
                | Stage::OpenFailed(_)
                | Stage::Kept(_)
                | Stage::Sending(_)
                | Stage::InBrowser { .. }
                | Stage::Delivered(_)
                | Stage::Withdrawn(_)
                | Stage::Closed(_) => return Decided::Now(Answered::AlreadyAnswered),
            },
            (Act::CheckAgain, Body::Link(_)) => Given::link().named(Outcome::CheckedAgain),
            (Act::AlreadyFinished, Body::Link(_)) => Given::link().named(Outcome::CheckedByYou),
            (Act::Decline, _) => Given::decline(),
            (Act::Dismiss, _) => Given::cancel(),
            (Act::GiveUp, _) => Given::cancel().named(Outcome::GaveUp),
            (Act::Edit, _) => {
                let opened = matches!(&ask.stage, Stage::Kept(given) if given.opened_link);
                ask.set(if opened && ask.opened > 0 {
                    Stage::InBrowser {
                        asking: false,
                        trouble: None,
                    }
                } else {
                    Stage::Waiting
                });
                let (call, round) = (ask.call, ask.round);
                let open = open_questions(&state.asks, call, round);
                state.keep_or_say(call);
                drop(state);
                self.bump();
                return Decided::Now(Answered::Kept { open });
            }
            (Act::DeclineAll, _) => {
                let (call, round) = (ask.call, ask.round);
                for other in state
                    .asks
                    .of_mut(call)
                    .filter(|other| other.is_of_round(call, round))
                {
                    if other.is_open() || matches!(other.stage, Stage::Kept(_)) {
                        other.set(Stage::Kept(Given::decline()));
                    }
                }
                return self.settle(state, call, now);
            }
            (Act::Accept | Act::Open | Act::CheckAgain | Act::AlreadyFinished, _) => {
                return Decided::not_possible("This question cannot be answered in that way.");
            }
        };
        let call = ask.call;
        if ask.pushed.is_some() {
            ask.set(Stage::Sending(given.clone()));
            state.rest_until = now + guard::REST;
            state.keep_draft(id);
            state.keep_or_say(call);
            drop(state);
            self.bump();
            return Decided::Push(given);
        }
        ask.set(Stage::Kept(given));
        state.keep_draft(id);
        self.settle(state, call, now)
    }

    /// Sends the round of `call` if every question of it is decided: the claim, under the lock that made it so.
    fn settle(&self, mut state: MutexGuard<'_, State>, call: CallId, now: Duration) -> Decided {
        state.rest_until = now + guard::REST;
        let open = state.claim(call, self.shared.word);
        if open > 0 {
            // The last answer of a round is kept by the driver with the request that carries all of them.
            state.keep_or_say(call);
        }
        drop(state);
        self.bump();
        Decided::Now(match open {
            0 => Answered::Sent,
            open => Answered::Kept { open },
        })
    }

    /// Asks the browser, off this thread, and takes a consent as given only when it could be asked.
    async fn open(&self, id: AskId, url: Url) -> Answered {
        let browser = Arc::clone(&self.shared.browser);
        fault::at(Point::OpenBegun);
        let opening = tokio::task::spawn_blocking(move || browser.open(&url));
        let failed = match tokio::time::timeout(OPEN_TIMEOUT, opening).await {
            Ok(Ok(Ok(()))) => None,
            Ok(Ok(Err(error))) => Some(error.to_string()),
            Ok(Err(_)) => Some("The browser could not be asked.".to_owned()),
            Err(_) => Some("The browser did not react.".to_owned()),
        };
        fault::at(Point::OpenDone);
        let now = self.shared.clock.now();
        let mut guarded = self.lock();
        let state = &mut *guarded;
        let Some(ask) = state.asks.get_mut(id) else {
            return Answered::NotPossible {
                reason: "There is no such question any more.".to_owned(),
            };
        };
        ask.launching = false;
        if failed.is_none()
            && let (Body::Link(link), Some(call)) = (&ask.body, state.calls.get(&ask.call))
        {
            let site = state.visited.opened(call.new.server.id, &link.inspection);
            if let (Some(store), Some(site)) = (&state.store, site)
                && !call.key.is_empty()
                && let Ok(record) = serde_json::to_vec(&site)
                && let Err(error) = store.visit(&call.key, &site.host, &record)
            {
                state.unkept.insert(ask.call, error.to_string());
            }
        }
        let stopping = state.calls.get(&ask.call).is_some_and(Call::is_stopping);
        match (failed, &ask.stage) {
            (None, Stage::Opening) if !stopping => {
                ask.opened += 1;
                let call = ask.call;
                if let Some(call) = state.calls.get_mut(&call) {
                    call.remember_link(ask);
                }
                if ask.pushed.is_some() {
                    let given = Given::link();
                    ask.set(Stage::Sending(given.clone()));
                    drop(guarded);
                    self.bump();
                    self.carry(id, given);
                    return Answered::Sent;
                }
                if ask.required {
                    ask.set(Stage::InBrowser {
                        asking: false,
                        trouble: None,
                    });
                    state.keep_or_say(call);
                    drop(guarded);
                    self.bump();
                    return Answered::Opened;
                }
                ask.set(Stage::Kept(Given::link()));
                // On the disk before the round goes on: after a crash it is not opened a second time.
                state.keep_or_say(call);
                fault::at(Point::OpenKept);
                match self.settle(guarded, call, now) {
                    Decided::Now(answered) => answered,
                    Decided::Open(_) | Decided::Push(_) => Answered::Sent,
                }
            }
            (None, _) => {
                ask.opened += 1;
                ask.changed();
                let call = ask.call;
                state.keep_or_say(call);
                drop(guarded);
                self.bump();
                Answered::Opened
            }
            (Some(reason), Stage::Opening) => {
                ask.set(Stage::OpenFailed(reason.clone()));
                let call = ask.call;
                state.keep_or_say(call);
                drop(guarded);
                self.bump();
                Answered::OpenFailed { reason }
            }
            (Some(reason), _) => {
                ask.changed();
                drop(guarded);
                self.bump();
                Answered::OpenFailed { reason }
            }
        }
    }

    /// Whether there is a browser, found out off this thread. Where that cannot be told, trying will tell.
    async fn find_browser(&self) -> bool {
        let browser = Arc::clone(&self.shared.browser);
        let looking = tokio::task::spawn_blocking(move || browser.is_available());
        !matches!(tokio::time::timeout(FIND_TIMEOUT, looking).await, Ok(Ok(false)))
    }

    /// Finds out once more whether there is a browser, while the cards stand; they change when it came or went.
    fn look_for_browser(&self) {
        if std::mem::replace(&mut self.lock().looking, true) {
            return;
        }
        let inbox = self.clone();
        // A thread, since the window's commands run outside of the runtime.
        std::thread::spawn(move || {
            let missing = !inbox.shared.browser.is_available();
            let mut state = inbox.lock();
            state.looking = false;
            if std::mem::replace(&mut state.no_browser, missing) == missing {
                return;
            }
            for ask in state.asks.all_mut().filter(|ask| ask.is_listed()) {
                ask.no_browser = missing;
                if matches!(ask.body, Body::Link(_)) {
                    ask.changed();
                }
            }
            drop(state);
            inbox.bump();
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bump(&self) {
        self.shared
            .changed
            .send_modify(|revision| *revision = revision.wrapping_add(1));
    }
}

impl State {
    /// Whether the last gesture is over, so that this one may act.
    fn rested(&self, guard: Guard, now: Duration) -> bool {
        guard == Guard::Spelled || now >= self.rest_until
    }

    /// Keeps a call as it stands now, with what history has to tell of it; on the disk when this returns.
    fn keep(&mut self, id: CallId) -> Result<(), StoreError> {
        let (Some(store), Some(call)) = (self.store.clone(), self.calls.get_mut(&id)) else {
            return Ok(());
        };
        if call.key.is_empty() {
            return Ok(());
        }
        let mut asks: Vec<&mut Ask> = self.asks.of_mut(id).collect();
        let news = noted::news(call, &asks, self.choices.keep_values, &self.clock.local_time());
        // The record says what is told with it; where nothing is kept, nothing was told.
        let before = noted::Before::of(call, &asks);
        noted::told(call, &mut asks, &news, store.head().seq + 1);
        let told = asks.iter().map(|ask| &**ask);
        let record = KeptCall::of(call, told, self.choices.keep_results).to_bytes();
        let print = self.prints.hash_one(&record);
        let history = noted::entries(news);
        let result = match &call.end {
            Some(driver::End::Done(result)) if self.choices.keep_results && !call.result_kept => {
                Some(result.to_string())
            }
            _ => None,
        };
        if call.print == Some(print) && history.is_empty() && result.is_none() {
            self.unkept.remove(&id);
            return Ok(());
        }
        let forgotten: Vec<Draft<'_>> = asks
            .iter()
            .filter(|_| forgets_drafts(call, self.choices))
            .map(|ask| Draft {
                ask: ask.id,
                call: id,
                text: None,
            })
            .collect();
        let saved = store.save(&CallSave {
            id,
            server: &call.key,
            open: call.end.is_none(),
            last_ask: AskId(self.last_ask),
            expect: Expect::Any,
            record: &record,
            result: result.as_deref().map(str::as_bytes),
            drafts: &forgotten,
            history: &history,
        });
        if let Err(error) = saved {
            before.restore(call, &mut asks);
            return Err(error);
        }
        call.print = Some(print);
        self.unkept.remove(&id);
        Ok(())
    }

    /// The same where what happened has happened: that it could not be kept is told.
    fn keep_or_say(&mut self, id: CallId) {
        if let Err(error) = self.keep(id) {
            self.unkept.insert(id, error.to_string());
        }
    }

    /// Keeps what was entered into a question, without secrets.
    fn keep_draft(&mut self, id: AskId) {
        let (Some(store), Some(ask)) = (&self.store, self.asks.get(id)) else {
            return;
        };
        let Body::Form(form) = &ask.body else { return };
        let is_kept = |call: &Call| !call.key.is_empty() && !forgets_drafts(call, self.choices);
        if !self.calls.get(&ask.call).is_some_and(is_kept) {
            return;
        }
        let plain = form.without_secrets(&ask.draft);
        let text = serde_json::to_vec(&plain).unwrap_or_default();
        let draft = Draft {
            ask: id,
            call: ask.call,
            text: (!plain.is_empty()).then_some(text.as_slice()),
        };
        let call = ask.call;
        match store.save_drafts(&[draft]) {
            Ok(()) if self.unkept.contains_key(&call) => self.keep_or_say(call),
            Ok(()) => {}
            Err(error) => {
                self.unkept.insert(call, error.to_string());
            }
        }
    }

    /// Reads the result of a finished call, where it was left in the store.
    fn read_result(&mut self, id: CallId) {
        let (Some(store), Some(call)) = (&self.store, self.calls.get_mut(&id)) else {
            return;
        };
        if !matches!(call.end, Some(driver::End::Done(Json::Null))) {
            return;
        }
        if !call.result_kept {
            call.notices = vec!["The result was not kept.".to_owned()];
            return;
        }
        let text = store
            .result(id)
            .ok()
            .flatten()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        match text.and_then(|text| Json::parse(&text).ok()) {
            Some(result) => call.end = Some(driver::End::Done(result)),
            None => call.notices = vec!["The result was not kept, or cannot be read.".to_owned()],
        }
    }

    /// Hands the answers of the current round to the driver if all are given; else how many are open.
    fn claim(&mut self, call: CallId, word: Word) -> u32 {
        let Some(call) = self.calls.get_mut(&call) else {
            return 0;
        };
        let round = call.round_number;
        let open = open_questions(&self.asks, call.id, round);
        let asks: Vec<&mut Ask> = self
            .asks
            .of_mut(call.id)
            .filter(|ask| ask.is_of_round(call.id, round))
            .collect();
        if open > 0 {
            return open;
        }
        let Some(sender) = call.answers.take() else {
            return 0;
        };
        let mut answers = Answers {
            results: Vec::new(),
            word,
            opened_link: false,
        };
        for ask in asks {
            let Stage::Kept(given) = ask.stage.clone() else {
                continue;
            };
            answers.results.push((ask.key.clone(), given.result.clone()));
            answers.opened_link |= given.opened_link;
            if given.action == crate::view::Action::Decline {
                call.declined(ask);
            }
            if given.opened_link {
                call.remember_link(ask);
                ask.given = given.outcome;
                ask.set(Stage::InBrowser {
                    asking: true,
                    trouble: None,
                });
            } else {
                ask.set(Stage::Sending(given));
            }
        }
        // The driver is gone only when the call was stopped; its end closes the questions.
        let _ = sender.send(answers);
        0
    }

    fn forget_old(&mut self) {
        let ended: Vec<CallId> = self
            .calls
            .values()
            .filter(|call| call.end.is_some())
            .map(|call| call.id)
            .collect();
        for id in ended.iter().take(ended.len().saturating_sub(KEPT_CALLS)) {
            self.calls.remove(id);
            self.unkept.remove(id);
            self.asks.remove_call(*id);
        }
    }
}

enum Decided {
    Now(Answered),
    /// The consent is recorded; the browser is to be asked.
    Open(Url),
    /// The answer is recorded; it goes its own way.
    Push(Given),
}

impl Decided {
    fn not_possible(reason: &str) -> Self {
        Self::Now(Answered::NotPossible {
            reason: reason.to_owned(),
        })
    }
}

fn calls(count: usize) -> &'static str {
    if count == 1 { "call" } else { "calls" }
}

/// What was entered into the questions of a kept call.
fn drafts(stored: &StoredCall) -> BTreeMap<AskId, Vec<FieldInput>> {
    let drafts = stored.drafts.iter();
    drafts
        .filter_map(|(ask, text)| Some((*ask, serde_json::from_slice(text).ok()?)))
        .collect()
}

/// Whether what was entered into its questions is of no use any more: a call that is done needs none, one that failed can
/// be started again with it.
fn forgets_drafts(call: &Call, choices: Choices) -> bool {
    match call.end {
        None => false,
        Some(driver::End::Done(_)) => !(choices.keep_results && choices.keep_values),
        Some(_) => !choices.keep_results,
    }
}

/// How many questions of a round a person still has to decide.
fn open_questions(asks: &Asks, call: CallId, round: u32) -> u32 {
    let of_round = asks.of(call).filter(|ask| ask.is_of_round(call, round));
    u32::try_from(of_round.filter(|ask| ask.is_open()).count()).unwrap_or(u32::MAX)
}

fn milliseconds(duration: Duration) -> u32 {
    // Rounded up: a guard that says "0 ms" must be over.
    u32::try_from(duration.as_micros().div_ceil(1000)).unwrap_or(u32::MAX)
}
