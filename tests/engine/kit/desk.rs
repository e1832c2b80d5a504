//! Countersign at a desk: window guard, held clock, a browser that remembers, and the hands of a person.

use super::{Http, Program, patiently};
use countersign_core::app::{Countersign, Parts};
use countersign_core::clock::HeldClock;
use countersign_core::form::{FieldInput, Input};
use countersign_core::inbox::guard::{Guard, REST};
use countersign_core::link::open::{Browser, OpenError};
use countersign_core::mrtr::driver::End;
use countersign_core::mrtr::machine::Word;
use countersign_core::session::{Speak, Target};
use countersign_core::settings::Settings;
use countersign_core::view::{
    Act, Answered, AskId, AskPhase, AskView, CallAct, CallId, CallPhase, CallRow, Failure, Initiator,
    ServerId,
};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::{ListKind, Offer};
use countersign_core::wire::mirror::Mirror;
use countersign_core::wire::request::Elicitation;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use url::Url;

pub(crate) struct Desk {
    pub(crate) app: Countersign,
    pub(crate) clock: Arc<HeldClock>,
    pub(crate) browser: Arc<FakeBrowser>,
}

/// Remembers what it was asked to open. Can fail, and can take until it is told to go on.
#[derive(Default)]
pub(crate) struct FakeBrowser {
    opened: Mutex<Vec<String>>,
    fails: Mutex<bool>,
    missing: Mutex<bool>,
    held: (Mutex<bool>, Condvar),
}

impl FakeBrowser {
    pub(crate) fn opened(&self) -> Vec<String> {
        self.opened.lock().expect("no panic").clone()
    }

    pub(crate) fn fails(&self, fails: bool) {
        *self.fails.lock().expect("no panic") = fails;
    }

    /// Whether there is none.
    pub(crate) fn missing(&self, missing: bool) {
        *self.missing.lock().expect("no panic") = missing;
    }

    pub(crate) fn hold(&self) {
        *self.held.0.lock().expect("no panic") = true;
    }

    pub(crate) fn release(&self) {
        *self.held.0.lock().expect("no panic") = false;
        self.held.1.notify_all();
    }
}

impl Browser for FakeBrowser {
    fn is_available(&self) -> bool {
        !*self.missing.lock().expect("no panic")
    }

    fn open(&self, url: &Url) -> Result<(), OpenError> {
        self.opened
            .lock()
            .expect("no panic")
            .push(url.as_str().to_owned());
        let held = self.held.0.lock().expect("no panic");
        drop(self.held.1.wait_while(held, |held| *held).expect("no panic"));
        if *self.fails.lock().expect("no panic") {
            Err(OpenError::NotStarted)
        } else {
            Ok(())
        }
    }
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(Settings::Memory, Elicitation::Both)
    }

    pub(crate) fn with(settings: Settings, elicitation: Elicitation) -> Self {
        let clock = Arc::new(HeldClock::default());
        let browser = Arc::new(FakeBrowser::default());
        let app = Countersign::new(Parts {
            clock: Arc::clone(&clock) as _,
            browser: Arc::clone(&browser) as _,
            settings,
            guard: Guard::Window,
            word: Word::Person,
            elicitation,
        });
        Self { app, clock, browser }
    }

    pub(crate) fn add(&self, name: &str, server: &Http) -> ServerId {
        self.add_with(name, server, &[])
    }

    pub(crate) fn add_with(&self, name: &str, server: &Http, headers: &[(&str, &str)]) -> ServerId {
        let target = Target::Http {
            url: server.url.clone(),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        self.add_modern(name, target)
    }

    pub(crate) fn add_program(&self, name: &str, program: &Program) -> ServerId {
        self.add_modern(name, Target::Stdio(program.command()))
    }

    /// A server of the newest revision, which is not asked for it.
    fn add_modern(&self, name: &str, target: Target) -> ServerId {
        let speak = Speak::Only(Revision::V2026_07_28);
        self.app
            .add_speaking(name, target, Duration::from_secs(60), speak)
    }

    /// A server whose revision is found out.
    pub(crate) fn add_any(&self, name: &str, target: Target) -> ServerId {
        self.app.add_passing(name, target, Duration::from_secs(60))
    }

    /// Calls the tool `t` with `{"a":1}`.
    pub(crate) fn call(&self, server: ServerId) -> CallId {
        self.call_offer(server, ListKind::Tools, "t")
    }

    /// Calls the tool `t` with `{"a":a}`.
    pub(crate) fn call_with(&self, server: ServerId, a: Json) -> CallId {
        self.start(server, ListKind::Tools, "t", a)
    }

    pub(crate) fn call_offer(&self, server: ServerId, kind: ListKind, name: &str) -> CallId {
        self.start(server, kind, name, Json::integer(1))
    }

    fn start(&self, server: ServerId, kind: ListKind, name: &str, a: Json) -> CallId {
        let offer = Offer {
            kind,
            name: name.to_owned(),
            title: None,
            description: None,
            arguments: Json::object::<String>([]),
            output_schema: None,
            mirror: Ok(Mirror::default()),
        };
        let arguments = Json::object([("a", a)]);
        self.app
            .call(server, &offer, arguments, Initiator::Person)
            .expect("the server is there")
    }

    /// Waits until `look` finds something; woken by every change.
    pub(crate) async fn until<T>(&self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let (mut servers, mut inbox) = (self.app.changes(), self.app.inbox().changes());
        let watching = async {
            loop {
                if let Some(found) = look(self) {
                    return found;
                }
                tokio::select! {
                    changed = servers.changed() => changed.expect("the app lives"),
                    changed = inbox.changed() => changed.expect("the app lives"),
                }
            }
        };
        patiently(what, watching).await
    }

    /// The questions of a call that a person can act on, once there are so many.
    pub(crate) async fn questions(&self, call: CallId, count: usize) -> Vec<AskView> {
        self.until(&format!("{count} questions of {call:?}"), |desk| {
            if desk.row(call).phase != CallPhase::Asking {
                return None;
            }
            let rows = desk.app.inbox().asks();
            let open: Vec<AskView> = rows
                .iter()
                .filter(|row| row.call == call && stands(&row.phase))
                .map(|row| desk.view(row.id))
                .collect();
            (open.len() == count).then_some(open)
        })
        .await
    }

    /// The one question of a call.
    pub(crate) async fn question(&self, call: CallId) -> AskView {
        self.questions(call, 1).await.remove(0)
    }

    pub(crate) fn view(&self, ask: AskId) -> AskView {
        self.app.ask(ask).expect("the question is there")
    }

    pub(crate) fn phase(&self, ask: AskId) -> AskPhase {
        self.view(ask).phase
    }

    pub(crate) fn row(&self, call: CallId) -> CallRow {
        let rows = self.app.inbox().calls();
        rows.into_iter()
            .find(|row| row.id == call)
            .expect("the call is there")
    }

    /// Waits for a phase of a call.
    pub(crate) async fn call_in(&self, call: CallId, phase: CallPhase) -> CallRow {
        self.until(&format!("{call:?} in {phase:?}"), |desk| {
            let row = desk.row(call);
            (row.phase == phase).then_some(row)
        })
        .await
    }

    /// Waits for the end of a call.
    pub(crate) async fn ended(&self, call: CallId) -> (CallRow, End) {
        self.until(&format!("the end of {call:?}"), |desk| {
            let (_, end) = desk.app.inbox().end(call)?;
            Some((desk.row(call), end?))
        })
        .await
    }

    /// Lets the call finish well.
    pub(crate) async fn finished(&self, call: CallId) -> CallRow {
        let (row, end) = self.ended(call).await;
        assert!(matches!(end, End::Done(_)), "{end:?}: {:?}", row.detail);
        row
    }

    /// Looks at a card for long enough.
    pub(crate) fn look(&self, ask: AskId) {
        let revision = self.view(ask).revision;
        self.app.inbox().shown(ask, revision).expect("shown");
        self.clock.advance(Duration::from_secs(1));
    }

    /// Looks, then acts on the card as it is.
    pub(crate) async fn act(&self, ask: AskId, act: Act) -> Answered {
        self.act_with(ask, act, None, None).await
    }

    /// Looks, fills in, sends or keeps.
    pub(crate) async fn accept(&self, ask: AskId, inputs: Vec<FieldInput>) -> Answered {
        self.act_with(ask, Act::Accept, Some(inputs), None).await
    }

    pub(crate) async fn act_with(
        &self,
        ask: AskId,
        act: Act,
        inputs: Option<Vec<FieldInput>>,
        domain: Option<&str>,
    ) -> Answered {
        self.look(ask);
        let revision = self.view(ask).revision;
        self.app
            .inbox()
            .act(ask, revision, act, inputs, domain.map(str::to_owned))
            .await
    }

    /// Acts on a call as a person would: after a moment.
    pub(crate) fn on_call(&self, call: CallId, act: CallAct) -> Result<(), Failure> {
        self.clock.advance(REST);
        self.app.act_on_call(call, act)
    }

    /// Everything the window could be told about, as one text, for what must not be in it.
    pub(crate) fn everything_shown(&self) -> String {
        let snapshot = self.app.snapshot();
        let mut shown = format!("{snapshot:?}");
        for ask in &snapshot.asks {
            shown.push_str(&format!("{:?}", self.view(ask.id)));
        }
        for call in &snapshot.calls {
            let result = self.app.inbox().result(call.id);
            shown.push_str(&format!("{result:?} {:?}", self.app.inbox().end(call.id)));
        }
        shown
    }
}

/// Whether a question waits for the person, decided or not.
fn stands(phase: &AskPhase) -> bool {
    match phase {
        AskPhase::Waiting
        | AskPhase::MayBeOpen
        | AskPhase::OpenFailed { .. }
        | AskPhase::Kept { .. }
        | AskPhase::InBrowser { asking: false, .. } => true,
        AskPhase::Opening
        | AskPhase::Sending { .. }
        | AskPhase::InBrowser { asking: true, .. }
        | AskPhase::Delivered { .. }
        | AskPhase::Undelivered { .. }
        | AskPhase::Withdrawn { .. }
        | AskPhase::Closed { .. } => false,
    }
}

/// Text typed into a field.
pub(crate) fn text(field: u32, text: &str) -> FieldInput {
    let text = text.to_owned();
    FieldInput::new(field, Input::Text { text })
}

/// The schema of a form that asks for a name.
pub(crate) fn name() -> &'static str {
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#
}
