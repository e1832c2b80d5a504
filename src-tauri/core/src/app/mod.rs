//! The whole of Countersign without a window: servers, their sessions, and the inbox over all of them.

mod restore;
mod values;

use crate::clock::Clock;
use crate::form::{FieldInput, Form, Input, Moment, Review, Zones, legible, moment, template, zones};
use crate::inbox::guard::Guard;
use crate::inbox::{Inbox, NewCall, ServerFacts};
use crate::keeping::Keeping;
use crate::link::Asker;
use crate::link::open::Browser;
use crate::mrtr::machine::Word;
use crate::session::keeper::ServerEvent;
use crate::session::offers::Offers;
use crate::session::way::Way;
use crate::session::{ConnectError, Discovery, Session, Speak, Target, address, claim, diagnosis};
use crate::settings::{Entry, Settings};
use crate::store::{Store, StoreError};
use crate::text;
use crate::transport::Fault;
use crate::view::{
    ArgumentsInput, ArgumentsReading, ArgumentsView, AskId, AskView, CallAct, CallId, Completion, Diagnosis,
    Failure, Initiator, JsonTrouble, OfferKind, OfferRow, Proposal, ServerDraft, ServerId, ServerPage,
    ServerPreview, ServerRow, ServerState, Snapshot, Started,
};
use crate::wire::completion;
use crate::wire::json::Json;
use crate::wire::lists::{ListKind, Offer, expand};
use crate::wire::request::{Elicitation, Method, Request};
use crate::wire::structured::{self, Fit};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use url::Url;

/// Longest and shortest time-out that a person can set, in seconds.
const TIMEOUTS: std::ops::RangeInclusive<u32> = 1..=3600;

/// Countersign. Clones share it.
#[derive(Clone)]
pub struct Countersign {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) inbox: Inbox,
    servers: Mutex<Servers>,
    /// Held from reading the list to writing it, so that of two changes at once none is lost.
    changing: Mutex<()>,
    settings: Settings,
    pub(crate) clock: Arc<dyn Clock>,
    notices: Mutex<Vec<String>>,
    /// Entries of the settings that cannot be used; they stay in the file.
    left_out: Vec<Entry>,
    elicitation: Elicitation,
    changed: watch::Sender<u32>,
    /// Ids of requests begin after this one.
    first_id: AtomicU64,
    pub(crate) keeping: Mutex<Keeping>,
}

/// How often the store was opened, in the store.
const LIVES: &str = "lives";
/// Ids of requests that each life of the app has for itself.
const IDS_OF_A_LIFE: u64 = 1 << 24;

#[derive(Default)]
struct Servers {
    list: Vec<Server>,
    last: u32,
}

struct Server {
    id: ServerId,
    name: String,
    origin: Origin,
    session: Arc<Session>,
    /// Where calls that came back go.
    way: Arc<Way>,
    /// What the server says by itself, until somebody listens.
    heard: Option<mpsc::UnboundedReceiver<ServerEvent>>,
    state: ServerState,
    /// What is wrong and what to do.
    detail: Option<String>,
    diagnosis: Option<Diagnosis>,
    discovery: Option<Discovery>,
    offers: Offers,
    /// The index of the first offer of each list. Another list starts beyond the last one, so that an index that
    /// was seen never means something else.
    first_offer: u32,
}

/// Where a configured server comes from.
enum Origin {
    Added(Entry),
    /// For this run only; since when, RFC 3339.
    Passing {
        since: String,
    },
    /// Built in; its page for rehearsing links, if it has one.
    Practice {
        page: Option<Url>,
    },
}

/// What Countersign is run with.
pub struct Parts {
    pub clock: Arc<dyn Clock>,
    pub browser: Arc<dyn Browser>,
    pub settings: Settings,
    pub guard: Guard,
    pub word: Word,
    /// What is declared to servers: a surface without a way to ask declares nothing.
    pub elicitation: Elicitation,
}

impl Countersign {
    /// Reads the settings; nothing is connected yet.
    pub fn new(parts: Parts) -> Self {
        let loaded = parts.settings.load();
        let mut notices: Vec<String> = loaded.notice.into_iter().collect();
        let (mut usable, mut left_out) = (Vec::new(), Vec::new());
        for entry in loaded.servers {
            match address::target(&entry.target) {
                Ok(target) => usable.push((entry, target)),
                Err(reason) => {
                    let name = text::chip(&entry.name);
                    notices.push(format!("The server “{name}” was left out: {reason}"));
                    left_out.push(entry);
                }
            }
        }
        let app = Self {
            shared: Arc::new(Shared {
                inbox: Inbox::new(Arc::clone(&parts.clock), parts.browser, parts.guard, parts.word),
                servers: Mutex::default(),
                changing: Mutex::default(),
                settings: parts.settings,
                clock: parts.clock,
                notices: Mutex::new(notices),
                left_out,
                elicitation: parts.elicitation,
                changed: watch::Sender::new(0),
                first_id: AtomicU64::new(0),
                keeping: Mutex::default(),
            }),
        };
        for (entry, target) in usable {
            let timeout = seconds(entry.timeout_seconds);
            let is_sealed = entry.values_kept;
            let id = app.insert(&entry.name.clone(), target, timeout, Origin::Added(entry));
            if is_sealed {
                app.update(id, |server| server.way.shut());
            }
        }
        app
    }

    /// Keeps calls in `store` from now on, and takes up those that are in it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn keep_in(&self, store: &Arc<Store>) -> Result<(), StoreError> {
        let life = store
            .get(LIVES)?
            .and_then(|bytes| Some(u64::from_be_bytes(bytes.as_slice().try_into().ok()?)))
            .unwrap_or_default();
        store.put(LIVES, Some(&(life + 1).to_be_bytes()))?;
        let first_id = life.saturating_mul(IDS_OF_A_LIFE);
        self.shared.first_id.store(first_id, Ordering::Relaxed);
        for server in &self.lock().list {
            server.session.begin_after(first_id);
        }
        let aged = self.take_up_choices(store);
        let waited_for = self.unseal_values(store);
        let servers: Vec<(ServerId, String)> = self
            .lock()
            .list
            .iter()
            .map(|server| (server.id, server.key()))
            .collect();
        let notices = self.shared.inbox.keep_in(Arc::clone(store), &servers, |key| {
            let servers = self.lock();
            let server = servers.list.iter().find(|server| server.key() == key)?;
            Some((server.facts(), Arc::clone(&server.way)))
        })?;
        self.lock_notices().extend(notices);
        if let Err(error) = aged {
            self.lock_notices()
                .push(format!("Old entries could not be removed: {error}"));
        }
        if store.is_durable()
            && let Err(why) = self.seal_values(store)
        {
            self.lock_notices().push(format!(
                "What is secret of your servers still stands in the list of servers: {why}"
            ));
        }
        for id in waited_for {
            self.connect(id);
        }
        self.bump();
        Ok(())
    }

    pub fn inbox(&self) -> &Inbox {
        &self.shared.inbox
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    /// What a server is known by in the store.
    pub(crate) fn key_of(&self, id: ServerId) -> Option<String> {
        self.with(id, Server::key)
    }

    /// A number that grows when servers change; see [`Inbox::changes`] for the rest.
    pub fn changes(&self) -> watch::Receiver<u32> {
        self.shared.changed.subscribe()
    }

    /// Adds a built-in server.
    pub fn add_practice(&self, name: &str, target: Target, page: Option<Url>) -> ServerId {
        self.insert(name, target, Duration::from_secs(60), Origin::Practice { page })
    }

    /// Adds a server for this run only.
    pub fn add_passing(&self, name: &str, target: Target, timeout: Duration) -> ServerId {
        self.add_speaking(name, target, timeout, Speak::Newest)
    }

    /// Adds a server for this run only, with a word on the revision.
    pub fn add_speaking(&self, name: &str, target: Target, timeout: Duration, speak: Speak) -> ServerId {
        let since = self.shared.clock.local_time();
        self.insert_speaking(name, target, timeout, Origin::Passing { since }, speak)
    }

    /// Understands what was pasted; nothing starts.
    ///
    /// # Errors
    /// [`Failure::invalid`] with a sentence.
    pub fn preview_server(pasted: &str) -> Result<ServerPreview, Failure> {
        address::understand(pasted).map_err(Failure::invalid)
    }

    /// Adds a server, saves it, and connects.
    ///
    /// # Errors
    /// What cannot be used, or why it could not be saved; then nothing was added.
    pub fn add_server(&self, mut draft: ServerDraft) -> Result<ServerId, Failure> {
        draft.name = text::line(draft.name.trim(), 60);
        if draft.name.is_empty() {
            return Err(Failure::invalid(
                "Give the server a name; it stands on every question.".to_owned(),
            ));
        }
        let _changing = self.lock_list();
        if self.lock().list.iter().any(|server| server.name == draft.name) {
            return Err(Failure::invalid(format!(
                "There is a server named “{}” already.",
                draft.name
            )));
        }
        if !TIMEOUTS.contains(&draft.timeout_seconds) {
            return Err(Failure::invalid(
                "The time-out must be between 1 and 3600 seconds.".to_owned(),
            ));
        }
        let target = address::target(&draft.target).map_err(Failure::invalid)?;
        let mut entry = Entry::new(&draft, self.shared.clock.local_time());
        self.seal_entry(&mut entry)?;
        let mut entries = self.entries(None);
        entries.push(entry.clone());
        self.shared.settings.save(entries).map_err(Failure::settings)?;
        let id = self.insert(
            &draft.name,
            target,
            seconds(draft.timeout_seconds),
            Origin::Added(entry),
        );
        self.connect(id);
        Ok(id)
    }

    /// Removes a server. Its calls are stopped; nothing is sent for their questions.
    ///
    /// # Errors
    /// [`Failure::gone`], [`Failure::not_possible`] for a practice server, or why it could not be saved.
    pub fn remove_server(&self, id: ServerId) -> Result<(), Failure> {
        let _changing = self.lock_list();
        let practice = self.with(id, Server::is_practice).ok_or_else(Failure::gone)?;
        if practice {
            return Err(Failure::not_possible("A practice server is part of the app."));
        }
        self.shared
            .settings
            .save(self.entries(Some(id)))
            .map_err(Failure::settings)?;
        self.shared.inbox.stop_server(id);
        if let Some(facts) = self.with(id, Server::facts)
            && let Err(error) = self.shared.inbox.note_removed(&facts)
        {
            self.lock_notices()
                .push(format!("That a server was removed could not be kept: {error}"));
        }
        let mut servers = self.lock();
        if let Some(position) = servers.list.iter().position(|server| server.id == id) {
            let server = servers.list.remove(position);
            drop(servers);
            if let (Some(store), Origin::Added(entry)) = (self.shared.inbox.store(), &server.origin) {
                values::forget(&store, entry);
            }
            tokio::spawn(async move { server.session.shut_down().await });
        } else {
            drop(servers);
        }
        self.bump();
        Ok(())
    }

    /// Pauses a server: its questions are held, or no longer. Nothing is sent, and its calls go on.
    ///
    /// # Errors
    /// [`Failure::gone`], or why it could not be kept; then nothing changed.
    pub fn pause_server(&self, id: ServerId, paused: bool) -> Result<(), Failure> {
        let server = self.with(id, Server::facts).ok_or_else(Failure::gone)?;
        self.shared.inbox.pause(&server, paused).map_err(|error| {
            Failure::not_possible(format!("It could not be saved, so nothing changed: {error}"))
        })
    }

    /// Connects every server.
    pub fn connect_all(&self) {
        let ids: Vec<_> = self.lock().list.iter().map(|server| server.id).collect();
        for id in ids {
            self.connect(id);
        }
    }

    /// Connects one server in the background; its row tells how it went.
    pub fn connect(&self, id: ServerId) {
        let app = self.clone();
        tokio::spawn(async move { app.connected(id).await });
    }

    /// Connects one server and reads its lists.
    ///
    /// # Errors
    /// The same words that its row has.
    pub async fn connected(&self, id: ServerId) -> Result<Offers, Failure> {
        let (session, discovery) = self.discovered(id).await?;
        let offers = Offers::read(&session, &discovery).await;
        self.update(id, |server| {
            server.state = ServerState::Connected;
            server.discovery = Some(discovery);
            server.take_offers(offers.clone());
        });
        Ok(offers)
    }

    /// Connects one server without reading its lists, for a call whose name is known.
    ///
    /// # Errors
    /// The same words that its row has.
    pub async fn reached(&self, id: ServerId) -> Result<(), Failure> {
        let (_, discovery) = self.discovered(id).await?;
        self.update(id, |server| {
            server.state = ServerState::Connected;
            server.discovery = Some(discovery);
        });
        Ok(())
    }

    async fn discovered(&self, id: ServerId) -> Result<(Arc<Session>, Discovery), Failure> {
        let session = self.session(id)?;
        if self.waits_for_values(id) {
            let words = "Its header or variable values are kept with your questions, which are not open yet.";
            self.update(id, |server| {
                server.state = ServerState::Failed;
                server.detail.get_or_insert_with(|| words.to_owned());
            });
            return Err(Failure::not_possible(words));
        }
        self.update(id, |server| {
            server.state = ServerState::Connecting;
            server.detail = None;
            server.diagnosis = None;
            if let Some(heard) = server.heard.take() {
                tokio::spawn(self.clone().attend(id, heard));
            }
        });
        match session.connect().await {
            Ok(discovery) => {
                tokio::spawn(Arc::clone(&session).listen());
                Ok((session, discovery))
            }
            Err(error) => {
                let exit = session.exit().await;
                let last_words = session.log().last().cloned().filter(|_| exit.is_some());
                let diagnosis =
                    diagnosis::diagnosis(session.target(), &error, exit.as_deref(), last_words.as_deref());
                let detail = diagnosis.came_back.clone();
                let state = match &error {
                    ConnectError::Fault(Fault::SignIn { .. }) => ServerState::NeedsSignIn,
                    ConnectError::Fault(_)
                    | ConnectError::OtherRevision { .. }
                    | ConnectError::Refused { .. }
                    | ConnectError::Unusable(_) => ServerState::Failed,
                };
                self.update(id, |server| {
                    server.state = state;
                    server.detail = Some(detail.clone());
                    server.diagnosis = Some(diagnosis);
                });
                Err(Failure::not_possible(detail))
            }
        }
    }

    /// Does what a server asks for by itself, until it is removed.
    async fn attend(self, id: ServerId, mut heard: mpsc::UnboundedReceiver<ServerEvent>) {
        while let Some(event) = heard.recv().await {
            let mut events = vec![event];
            while let Ok(event) = heard.try_recv() {
                events.push(event);
            }
            let mut lists_changed = false;
            for event in events {
                match event {
                    ServerEvent::Question(question) => match self.with(id, Server::facts) {
                        Some(server) => self.shared.inbox.asked_alone(server, question),
                        None => question.abandon(),
                    },
                    ServerEvent::PageDone { elicitation_id } => {
                        self.shared.inbox.page_done(id, &elicitation_id);
                    }
                    ServerEvent::ToolsChanged
                    | ServerEvent::PromptsChanged
                    | ServerEvent::ResourcesChanged => lists_changed = true,
                    ServerEvent::ResourceUpdated { uri } => self.shared.inbox.document_changed(id, &uri),
                    ServerEvent::SignIn { status } => self.update(id, |server| {
                        server.state = ServerState::NeedsSignIn;
                        server.detail = Some(text::capitalised(&format!("{}.", Fault::SignIn { status })));
                    }),
                }
            }
            if lists_changed {
                self.read_again(id).await;
            }
        }
    }

    /// Reads the lists of a connected server again.
    async fn read_again(&self, id: ServerId) {
        let Ok(session) = self.session(id) else { return };
        if let Some(discovery) = session.discovery() {
            let offers = Offers::read(&session, &discovery).await;
            self.update(id, |server| server.take_offers(offers));
        }
    }

    /// Ends all server programs, orderly, before the app quits. Their calls are kept as they stood before.
    pub async fn shut_down(&self) {
        self.let_go();
        let sessions: Vec<_> = self
            .lock()
            .list
            .iter()
            .map(|server| Arc::clone(&server.session))
            .collect();
        let ending = sessions.iter().map(|session| session.shut_down());
        futures_util::future::join_all(ending).await;
    }

    /// Everything in the two left panes.
    pub fn snapshot(&self) -> Snapshot {
        let asks = self.shared.inbox.asks();
        let paused = self.shared.inbox.paused();
        let mut waiting: HashMap<ServerId, u32> = HashMap::new();
        for ask in asks.iter().filter(|ask| !ask.held) {
            *waiting.entry(ask.server).or_default() += 1;
        }
        let servers = self.lock();
        let rows = servers.list.iter().map(|server| ServerRow {
            waiting: waiting.get(&server.id).copied().unwrap_or_default(),
            paused: paused.contains(&server.key()),
            ..servers.row(server)
        });
        let rows = rows.collect();
        drop(servers);
        Snapshot {
            revision: self.revision(),
            servers: rows,
            calls: self.shared.inbox.calls(),
            notices: self.lock_notices().clone(),
            keeping: self.keeping(),
            asks,
        }
    }

    /// Grows with every change of servers, calls or questions.
    pub fn revision(&self) -> u32 {
        self.shared
            .changed
            .borrow()
            .wrapping_add(*self.shared.inbox.changes().borrow())
    }

    /// # Errors
    /// [`Failure::gone`].
    pub async fn server_page(&self, id: ServerId) -> Result<ServerPage, Failure> {
        let log = self.session(id)?.log();
        let paused = self.shared.inbox.paused();
        let servers = self.lock();
        let server = servers.find(id).ok_or_else(Failure::gone)?;
        Ok(ServerPage {
            server: ServerRow {
                paused: paused.contains(&server.key()),
                ..servers.row(server)
            },
            actions: server.offer_rows(&server.offers.tools),
            starters: server.offer_rows(&server.offers.prompts),
            documents: server.offer_rows(&server.offers.documents),
            problems: server.offers.problems.clone(),
            log,
        })
    }

    /// How the arguments of an offer are entered.
    ///
    /// # Errors
    /// [`Failure::gone`].
    pub fn arguments(&self, id: ServerId, kind: OfferKind, index: u32) -> Result<ArgumentsView, Failure> {
        let offer = self.offer(id, kind, index)?;
        let goes_to = address::goes_to(self.session(id)?.target());
        let (form, json_reason) = match Form::parse_arguments(&offer.arguments) {
            Ok(form) => (Some(form.view()), None),
            Err(undrawable) => (None, Some(undrawable.to_string())),
        };
        Ok(ArgumentsView {
            kind,
            title: text::line(offer.title.as_deref().unwrap_or(&offer.name), text::TITLE),
            description: offer
                .description
                .as_deref()
                .map(|words| text::block(words, text::DESCRIPTION).text),
            form,
            json_reason,
            json_template: legible(&template(&offer.arguments)),
            goes_to,
            completes: self
                .session(id)?
                .discovery()
                .is_some_and(|discovery| discovery.completes)
                && completion_subject(&offer).is_some(),
        })
    }

    /// What the server proposes for one field of a starter or document template. Nothing where it proposes nothing or
    /// cannot be asked.
    ///
    /// # Errors
    /// [`Failure::gone`].
    pub async fn complete(
        &self,
        id: ServerId,
        kind: OfferKind,
        index: u32,
        field: u32,
        inputs: &[FieldInput],
    ) -> Result<Completion, Failure> {
        let offer = self.offer(id, kind, index)?;
        let session = self.session(id)?;
        let names: Vec<&str> = offer
            .arguments
            .get("properties")
            .and_then(Json::as_object)
            .map(|properties| properties.keys().collect())
            .unwrap_or_default();
        let (Some(subject), Some(argument)) = (completion_subject(&offer), names.get(field as usize)) else {
            return Ok(Completion::default());
        };
        let entered: Vec<(&str, &str)> = inputs
            .iter()
            .filter_map(|input| match &input.input {
                Input::Text { text } => Some((*names.get(input.field as usize)?, text.as_str())),
                Input::Empty
                | Input::Flag { .. }
                | Input::Pick { .. }
                | Input::Picks { .. }
                | Input::Entries { .. } => None,
            })
            .collect();
        let value = entered
            .iter()
            .find(|(name, _)| name == argument)
            .map(|(_, text)| *text)
            .unwrap_or_default();
        let request = completion::request(subject, argument, value, entered.iter().copied());
        let Ok(Ok(result)) = session.ask(request).await.map(|reply| reply.response.outcome) else {
            return Ok(Completion::default());
        };
        let found = completion::Completion::parse(&result);
        let values = found.values.into_iter().map(|text| Proposal {
            shown: text::line(&text, text::TITLE),
            text,
        });
        Ok(Completion {
            values: values.collect(),
            more: found.more,
        })
    }

    /// The zones that a date and time can be read in.
    pub fn zones(&self) -> Zones {
        zones(self.shared.clock.zone())
    }

    /// What a text means as a date and time; see [`moment`].
    pub fn moment(text: &str, zone: &str, replace: bool) -> Moment {
        moment(text, zone, replace)
    }

    /// What would be sent as arguments.
    ///
    /// # Errors
    /// [`Failure::gone`], or [`Failure::invalid`] where there are no fields.
    pub fn check_arguments(
        &self,
        id: ServerId,
        kind: OfferKind,
        index: u32,
        fields: &[FieldInput],
    ) -> Result<Review, Failure> {
        let offer = self.offer(id, kind, index)?;
        let form =
            Form::parse_arguments(&offer.arguments).map_err(|error| Failure::invalid(error.to_string()))?;
        let mut review = form.review(fields);
        review.json = form.answer(fields).ok().map(|answer| legible(&answer.content()));
        Ok(review)
    }

    /// What was entered into the fields, as JSON to go on with; what does not fit its field is in it too.
    ///
    /// # Errors
    /// As [`Self::check_arguments`].
    pub fn write_arguments(
        &self,
        id: ServerId,
        kind: OfferKind,
        index: u32,
        fields: &[FieldInput],
    ) -> Result<String, Failure> {
        let offer = self.offer(id, kind, index)?;
        let form =
            Form::parse_arguments(&offer.arguments).map_err(|error| Failure::invalid(error.to_string()))?;
        Ok(legible(&form.entered(fields)))
    }

    /// What a text for arguments means: where it is no JSON, what does not fit, and the fields that it fills.
    ///
    /// # Errors
    /// [`Failure::gone`].
    pub async fn read_arguments(
        &self,
        id: ServerId,
        kind: OfferKind,
        index: u32,
        text: &str,
    ) -> Result<ArgumentsReading, Failure> {
        let offer = self.offer(id, kind, index)?;
        let json = match typed_object(text) {
            Ok(json) => json,
            Err(trouble) => {
                return Ok(ArgumentsReading {
                    trouble: Some(trouble),
                    ..ArgumentsReading::default()
                });
            }
        };
        let mut reading = ArgumentsReading::default();
        match Form::parse_arguments(&offer.arguments) {
            Err(undrawable) => reading.no_fields = Some(undrawable.to_string()),
            Ok(form) => match form.inputs_from_content(&json) {
                Ok(inputs) => reading.fields = Some(inputs),
                Err(why) => reading.no_fields = Some(why),
            },
        }
        // Counted before it is begun, but still too much for a thread that serves others.
        let checking = tokio::task::spawn_blocking(move || structured::check(&offer.arguments, Some(&json)));
        match checking.await {
            Ok(Fit::Fits | Fit::Missing) | Err(_) => {}
            Ok(Fit::Unfit { findings }) => reading.findings = findings,
            Ok(Fit::Unchecked { reason }) => {
                reading.unchecked = Some(text::capitalised(&format!("{reason}.")));
            }
        }
        Ok(reading)
    }

    /// Starts a call of an offer.
    ///
    /// # Errors
    /// [`Failure::gone`]; arguments that cannot be used come back as [`Started`].
    pub fn start_call(
        &self,
        id: ServerId,
        kind: OfferKind,
        index: u32,
        arguments: &ArgumentsInput,
    ) -> Result<Started, Failure> {
        let offer = self.offer(id, kind, index)?;
        let arguments = match arguments {
            ArgumentsInput::Json { text } => match typed_object(text) {
                Ok(json) => json,
                Err(trouble) => return Ok(Started::BadJson { trouble }),
            },
            ArgumentsInput::Fields { fields } => {
                let form = Form::parse_arguments(&offer.arguments)
                    .map_err(|error| Failure::invalid(error.to_string()))?;
                match form.answer(fields) {
                    Ok(answer) => answer.content(),
                    Err(errors) => return Ok(Started::Invalid { errors }),
                }
            }
        };
        Ok(Started::Started {
            call: self.call(id, &offer, arguments, Initiator::Person)?,
        })
    }

    /// Starts a call of an offer with these arguments.
    ///
    /// # Errors
    /// [`Failure::gone`].
    pub fn call(
        &self,
        id: ServerId,
        offer: &Offer,
        arguments: Json,
        initiator: Initiator,
    ) -> Result<CallId, Failure> {
        let session = self.session(id)?;
        let server = self.with(id, Server::facts).ok_or_else(Failure::gone)?;
        let named = |method| {
            Request::new(method)
                .with("name", Json::string(&offer.name))
                .with("arguments", arguments.clone())
        };
        let mirrored = match &offer.mirror {
            Ok(mirror) => mirror.headers(&arguments),
            Err(_) => Vec::new(),
        };
        let (kind, name, request) = match offer.kind {
            ListKind::Tools => (OfferKind::Action, offer.name.clone(), named(Method::CallTool)),
            ListKind::Prompts => (OfferKind::Starter, offer.name.clone(), named(Method::GetPrompt)),
            ListKind::Resources | ListKind::Templates => {
                let uri = match offer.kind {
                    ListKind::Templates => expand(&offer.name, &arguments),
                    ListKind::Tools | ListKind::Prompts | ListKind::Resources => offer.name.clone(),
                };
                let request = Request::new(Method::ReadResource).with("uri", Json::string(&uri));
                session.watch(&uri);
                (OfferKind::Document, uri, request)
            }
        };
        let request = Request { mirrored, ..request };
        Ok(self.shared.inbox.start(
            session,
            NewCall {
                server,
                kind,
                name,
                arguments,
                output_schema: offer.output_schema.clone(),
                initiator,
            },
            request,
        ))
    }

    /// The person's word on a call.
    ///
    /// # Errors
    /// [`Failure::gone`] or [`Failure::not_possible`].
    pub fn act_on_call(&self, call: CallId, act: CallAct) -> Result<(), Failure> {
        let server = self.shared.inbox.server_of(call);
        if matches!(act, CallAct::StartAgain | CallAct::RestoreServer)
            && server.is_some_and(|server| self.waits_for_values(server))
        {
            return Err(Failure::not_possible(
                "The header or variable values of its server are not at hand.",
            ));
        }
        if act == CallAct::StartAgain {
            let server = server.ok_or_else(Failure::gone)?;
            let session = self.session(server)?;
            let facts = self.with(server, Server::facts).ok_or_else(Failure::gone)?;
            return match self.shared.inbox.start_again(session, facts, call) {
                Some(_) => Ok(()),
                None => Err(moved_on()),
            };
        }
        if act == CallAct::RestoreServer {
            return self.restore_server(call);
        }
        if self.shared.inbox.act_on_call(call, act) {
            Ok(())
        } else {
            Err(moved_on())
        }
    }

    /// One question, whole.
    ///
    /// # Errors
    /// [`Failure::gone`].
    pub fn ask(&self, ask: AskId) -> Result<AskView, Failure> {
        self.shared
            .inbox
            .ask(ask, |id| {
                let servers = self.lock();
                let server = servers.find(id)?;
                Some((servers.row(server), server.known_since()))
            })
            .ok_or_else(Failure::gone)
    }

    fn insert(&self, name: &str, target: Target, timeout: Duration, origin: Origin) -> ServerId {
        self.insert_speaking(name, target, timeout, origin, Speak::Newest)
    }

    fn insert_speaking(
        &self,
        name: &str,
        target: Target,
        timeout: Duration,
        origin: Origin,
        speak: Speak,
    ) -> ServerId {
        let (session, heard) = Session::with_events(target, self.shared.elicitation, timeout, speak);
        session.begin_after(self.shared.first_id.load(Ordering::Relaxed));
        let session = Arc::new(session);
        let mut servers = self.lock();
        servers.last += 1;
        let id = ServerId(servers.last);
        servers.list.push(Server {
            id,
            name: name.to_owned(),
            origin,
            way: Arc::new(Way::to(&session)),
            session,
            heard: Some(heard),
            state: ServerState::Connecting,
            detail: None,
            diagnosis: None,
            discovery: None,
            offers: Offers::default(),
            first_offer: 0,
        });
        drop(servers);
        self.bump();
        id
    }

    fn offer(&self, id: ServerId, kind: OfferKind, index: u32) -> Result<Offer, Failure> {
        self.with(id, |server| {
            let list = match kind {
                OfferKind::Action => &server.offers.tools,
                OfferKind::Starter => &server.offers.prompts,
                OfferKind::Document => &server.offers.documents,
                OfferKind::Question => return None,
            };
            let position = index.checked_sub(server.first_offer)?;
            list.get(position as usize).cloned()
        })
        .flatten()
        .ok_or_else(Failure::gone)
    }

    fn session(&self, id: ServerId) -> Result<Arc<Session>, Failure> {
        self.with(id, |server| Arc::clone(&server.session))
            .ok_or_else(Failure::gone)
    }

    fn entries(&self, without: Option<ServerId>) -> Vec<Entry> {
        let servers = self.lock();
        let kept = servers.list.iter().filter(|server| Some(server.id) != without);
        kept.filter_map(|server| match &server.origin {
            Origin::Added(entry) => Some(entry.clone()),
            Origin::Passing { .. } | Origin::Practice { .. } => None,
        })
        .chain(self.shared.left_out.iter().cloned())
        .collect()
    }

    fn with<T>(&self, id: ServerId, read: impl FnOnce(&Server) -> T) -> Option<T> {
        self.lock().find(id).map(read)
    }

    fn update(&self, id: ServerId, change: impl FnOnce(&mut Server)) {
        if let Some(server) = self.lock().list.iter_mut().find(|server| server.id == id) {
            change(server);
        }
        self.bump();
    }

    fn lock(&self) -> MutexGuard<'_, Servers> {
        self.shared.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_list(&self) -> MutexGuard<'_, ()> {
        self.shared
            .changing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.shared.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bump(&self) {
        self.shared
            .changed
            .send_modify(|revision| *revision = revision.wrapping_add(1));
    }
}

impl Servers {
    fn find(&self, id: ServerId) -> Option<&Server> {
        self.list.iter().find(|server| server.id == id)
    }

    /// The row of one of them; the others say what its own name could be taken for.
    fn row(&self, server: &Server) -> ServerRow {
        let mut row = server.row();
        let others = self.list.iter().filter(|other| other.id != server.id);
        row.claims_note = row
            .claims
            .as_deref()
            .and_then(|claim| claim::note(claim, &server.name, others.map(|other| other.name.as_str())));
        row
    }
}

impl Server {
    /// Another session takes the place of its own, which is left to whoever has it.
    fn turn_to(&mut self, session: Session, heard: mpsc::UnboundedReceiver<ServerEvent>) {
        self.session = Arc::new(session);
        self.way.turn_to(&self.session);
        self.heard = Some(heard);
    }

    fn row(&self) -> ServerRow {
        ServerRow {
            id: self.id,
            name: self.name.clone(),
            address: address::shown(self.session.target()),
            practice: self.is_practice(),
            state: self.state,
            word: match self.state {
                ServerState::Connecting => "connecting",
                ServerState::Connected => "connected",
                ServerState::NeedsSignIn => "needs a sign-in",
                ServerState::Failed => match self.session.target() {
                    Target::Http { .. } => "cannot connect",
                    Target::Stdio(_) => "cannot start",
                },
            }
            .to_owned(),
            detail: self.detail.clone(),
            diagnosis: self.diagnosis.clone(),
            protocol: self
                .discovery
                .as_ref()
                .map(|discovery| discovery.revision.name().to_owned()),
            found: self.discovery.as_ref().map(|discovery| discovery.how.clone()),
            claims: self
                .discovery
                .as_ref()
                .and_then(|discovery| discovery.claims.clone()),
            claims_note: None,
            waiting: 0,
            paused: false,
        }
    }

    fn take_offers(&mut self, offers: Offers) {
        if offers == self.offers {
            return;
        }
        let lists = [&self.offers.tools, &self.offers.prompts, &self.offers.documents];
        let longest = lists.iter().map(|list| list.len()).max().unwrap_or_default();
        self.first_offer = self
            .first_offer
            .wrapping_add(u32::try_from(longest).unwrap_or(u32::MAX));
        self.offers = offers;
    }

    fn offer_rows(&self, offers: &[Offer]) -> Vec<OfferRow> {
        (self.first_offer..)
            .zip(offers)
            .map(|(index, offer)| {
                let name = text::line(&offer.name, text::MESSAGE);
                let title = text::line(offer.title.as_deref().unwrap_or(&offer.name), text::TITLE);
                OfferRow {
                    index,
                    name: (name != title).then_some(name),
                    title,
                    description: offer
                        .description
                        .as_deref()
                        .map(|words| text::block(words, text::DESCRIPTION).text),
                }
            })
            .collect()
    }

    fn facts(&self) -> ServerFacts {
        ServerFacts {
            id: self.id,
            key: self.key(),
            place: address::place(self.session.target()),
            values: address::print(self.session.target()),
            name: self.name.clone(),
            goes_to: address::goes_to(self.session.target()),
            practice: self.is_practice(),
            asker: match self.session.target() {
                Target::Http { url, .. } => Asker::Remote(url.clone()),
                Target::Stdio(_) => Asker::Local,
            },
            practice_page: match &self.origin {
                Origin::Practice { page } => page.clone(),
                Origin::Added(_) | Origin::Passing { .. } => None,
            },
        }
    }

    /// Its id in the settings. Practice servers are told apart by their names, which are ours, servers of one run by
    /// where they are.
    fn key(&self) -> String {
        match &self.origin {
            Origin::Added(entry) => entry.id.clone(),
            Origin::Practice { .. } => format!("practice {}", self.name),
            Origin::Passing { .. } => format!("at {}", address::place_print(self.session.target())),
        }
    }

    fn is_practice(&self) -> bool {
        matches!(self.origin, Origin::Practice { .. })
    }

    fn known_since(&self) -> String {
        match &self.origin {
            Origin::Practice { .. } => "Built into this app for practice".to_owned(),
            Origin::Added(Entry { added: since, .. }) | Origin::Passing { since } => {
                format!("In your list since {}", day(since))
            }
        }
    }
}

/// What can be completed: a starter, or a template of a document.
fn completion_subject(offer: &Offer) -> Option<completion::Subject<'_>> {
    match offer.kind {
        ListKind::Prompts => Some(completion::Subject::Prompt(&offer.name)),
        ListKind::Templates => Some(completion::Subject::Template(&offer.name)),
        ListKind::Tools | ListKind::Resources => None,
    }
}

fn seconds(timeout: u32) -> Duration {
    Duration::from_secs(u64::from(timeout.clamp(*TIMEOUTS.start(), *TIMEOUTS.end())))
}

/// "3 May 2026" of an RFC 3339 time.
fn day(time: &str) -> String {
    let date = time.split('T').next().unwrap_or_default();
    match date.parse::<jiff::civil::Date>() {
        Ok(date) => date.strftime("%-d %B %Y").to_string(),
        Err(_) => text::line(date, 20),
    }
}

fn moved_on() -> Failure {
    Failure::not_possible("The call has moved on.")
}

/// The object that arguments are.
fn typed_object(text: &str) -> Result<Json, JsonTrouble> {
    match Json::parse_typed(text) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(other) => Err(JsonTrouble {
            line: 1,
            column: 1,
            message: format!("Arguments are an object {{…}}, not {}.", other.kind()),
        }),
        Err(misread) => Err(JsonTrouble {
            line: u32::try_from(misread.line).unwrap_or(u32::MAX),
            column: u32::try_from(misread.column).unwrap_or(u32::MAX),
            message: misread.why,
        }),
    }
}
