//! One call, from its first request to its end: who answers which question, and when it is given up.
//!
//! Promises: all questions of a round are looked at before the first is answered, those for the person first; a
//! link that was opened is checked again with growing pauses and a limit, never opened twice by a script; a request
//! that may have been lost is sent again only on a person's word.

use crate::answers::Answers;
use crate::arguments::Calling;
use crate::dialog::{self, Said};
use crate::interrupt::Interrupt;
use crate::output;
use crate::report::{Asked, Exit, Report};
use crate::script::{self, Decision};
use crate::server::{self, Problem};
use crate::terminal::{Gone, Terminal};
use countersign_core::app::Countersign;
use countersign_core::mrtr::driver::End;
use countersign_core::mrtr::machine::{ROUND_CAP, Word};
use countersign_core::text;
use countersign_core::view::{
    Act, Answered, AskId, AskPhase, AskView, CallAct, CallId, CallPhase, CallRow, Initiator, OfferKind,
};
use countersign_core::wire::json::{Json, Members};
use countersign_core::wire::lists::{ListKind, Offer};
use countersign_core::wire::mirror::Mirror;
use countersign_core::wire::request::Elicitation;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Times that a script checks one opened link.
const CHECKS: u32 = 10;
const PACE_FIRST: Duration = Duration::from_millis(250);
const PACE_MOST: Duration = Duration::from_secs(5);
/// How long a stopped call may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// Calls `name` with the text of `--args` and prints how that ended.
pub(crate) async fn run(kind: ListKind, name: String, args: Option<&str>, calling: &Calling) -> Exit {
    let offer_kind = match kind {
        ListKind::Tools => OfferKind::Action,
        ListKind::Prompts => OfferKind::Starter,
        ListKind::Resources | ListKind::Templates => OfferKind::Document,
    };
    match report(kind, name, args, calling).await {
        Ok(report) => {
            report.print(offer_kind, calling.connection.json);
            report.exit
        }
        Err(message) => {
            output::note(&format!("error: {message}"));
            Exit::Usage
        }
    }
}

/// # Errors
/// A sentence about a wrong command line or answers file; nothing was connected then.
async fn report(
    kind: ListKind,
    name: String,
    args: Option<&str>,
    calling: &Calling,
) -> Result<Report, String> {
    let arguments = match args {
        None => Json::Object(Members::new()),
        Some(text) => match Json::parse(text) {
            Ok(json @ Json::Object(_)) => json,
            Ok(other) => return Err(format!("--args is an object {{…}}, not {}.", other.kind())),
            Err(error) => return Err(format!("--args: {error}.")),
        },
    };
    let (answers, terminal) = who_answers(calling)?;
    let (mut elicitation, word) = match (&answers, &terminal) {
        (None, None) => (Elicitation::None, Word::Script),
        (None, Some(_)) => (Elicitation::Both, Word::Person),
        (Some(_), _) => (Elicitation::Both, Word::Script),
    };
    if calling.connection.data_dir.is_some() {
        // Whoever cannot be asked now is asked later.
        elicitation = Elicitation::Both;
    }
    let (app, server) = match server::open(&calling.connection, elicitation, word) {
        Ok(opened) => opened,
        Err(Problem::Usage(message)) => return Err(message),
        Err(Problem::Ours(message)) => return Ok(Report::not_started(message)),
    };
    let keeps = match server::keep(&app, &calling.connection).await {
        Ok(keeps) => keeps,
        Err(message) => return Ok(Report::not_started(message)),
    };
    let interrupt = Interrupt::listen();
    let reached = tokio::select! {
        reached = app.reached(server) => reached,
        () = interrupt.pressed() => {
            app.shut_down().await;
            return Ok(Report::stopped_before("You stopped it before the call was sent.".to_owned()));
        }
    };
    let offer = Offer {
        kind,
        name,
        title: None,
        description: None,
        arguments: Json::Null,
        output_schema: None,
        mirror: Ok(Mirror::default()),
    };
    let started = reached.and_then(|()| app.call(server, &offer, arguments, Initiator::Person));
    let report = match started {
        Ok(call) => {
            let mut talk = Conversation::new(app.clone(), call, answers, terminal);
            talk.keeps = keeps;
            talk.run(&interrupt).await.0
        }
        Err(failure) => Report::not_started(format!("The call was not made: {}", failure.message)),
    };
    app.shut_down().await;
    Ok(report)
}

/// The file of answers, and the terminal.
///
/// # Errors
/// The file cannot be read or understood.
pub(crate) fn who_answers(calling: &Calling) -> Result<(Option<Answers>, Option<Terminal>), String> {
    let answers = match &calling.answers {
        None => None,
        Some(file) => Some(Answers::read(&read(file)?)?),
    };
    // Who pipes the answers into stdin cannot type there.
    let piped = calling.answers.as_deref() == Some(Path::new("-"));
    let terminal = if piped {
        None
    } else {
        Terminal::find(calling.connection.json)
    };
    Ok((answers, terminal))
}

fn read(file: &Path) -> Result<String, String> {
    let read = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    read.map_err(|error| format!("The answers in {} cannot be read: {error}.", file.display()))
}

/// One call, and who answers what it asks.
pub(crate) struct Conversation {
    app: Countersign,
    call: CallId,
    answers: Option<Answers>,
    terminal: Option<Terminal>,
    /// Every question so far, those of the current round from `round_from` on.
    asked: Vec<Asked>,
    places: HashMap<AskId, usize>,
    round_from: usize,
    round: u32,
    /// The answers of the current round are on their way.
    sent: bool,
    /// What the answers file says to the current round.
    decided: HashMap<AskId, Decision>,
    /// The last round in which a person had a word.
    attended: u32,
    /// How often the opened link of a key was checked in a row.
    checks: HashMap<String, u32>,
    told: Option<String>,
    /// The call outlives this program: what cannot be answered now waits for later.
    pub(crate) keeps: bool,
    /// The word that what may have arrived is sent once more.
    pub(crate) send_again: bool,
}

/// Why the call is stopped, in words.
struct Stop(String);

impl From<Gone> for Stop {
    fn from(Gone: Gone) -> Self {
        Self("The input ended, so the call was stopped. Nothing was answered for you.".to_owned())
    }
}

impl Conversation {
    pub(crate) fn new(
        app: Countersign,
        call: CallId,
        answers: Option<Answers>,
        terminal: Option<Terminal>,
    ) -> Self {
        Self {
            app,
            call,
            answers,
            terminal,
            asked: Vec::new(),
            places: HashMap::new(),
            round_from: 0,
            round: 0,
            sent: false,
            decided: HashMap::new(),
            attended: 0,
            checks: HashMap::new(),
            told: None,
            keeps: false,
            send_again: false,
        }
    }

    /// Runs until the call ends, or waits for somebody else. Gives the answers back that were not used.
    pub(crate) async fn run(mut self, interrupt: &Interrupt) -> (Report, Option<Answers>, Option<Terminal>) {
        let stopped = tokio::select! {
            ended = self.converse() => ended.err(),
            () = interrupt.pressed() => Some(Stop("You stopped it.".to_owned())),
        };
        let mut why = None;
        if let Some(Stop(words)) = stopped {
            if self.keeps
                && let Some(row) = self.row().filter(|row| waits(row.phase))
            {
                let report = Report::kept(row.phase, row.rounds, self.asked, &words);
                return (report, self.answers, self.terminal);
            }
            self.app.inbox().stop(self.call);
            let _ = tokio::time::timeout(ENDING, self.ended()).await;
            why = Some(words);
        }
        let (rounds, end) = self.app.inbox().end(self.call).unwrap_or_default();
        let end = end.unwrap_or(End::Stopped { in_flight: true });
        let nothing_left = match &end {
            End::Left(countersign_core::mrtr::driver::Trouble::NotDelivered(_)) => true,
            End::Done(_)
            | End::Refused { .. }
            | End::Invalid(_)
            | End::Left(_)
            | End::Declined
            | End::Stopped { .. } => !self.sent,
        };
        if nothing_left {
            // Decided, but it never left.
            for asked in self.asked.iter_mut().skip(self.round_from) {
                asked.action = None;
            }
        }
        let told = self.row().and_then(|row| row.detail);
        let report = Report::of(end, rounds, self.asked, told, why);
        (report, self.answers, self.terminal)
    }

    /// Answers what is asked until the call ends.
    async fn converse(&mut self) -> Result<(), Stop> {
        let mut changes = self.app.inbox().changes();
        loop {
            changes.borrow_and_update();
            let Some(row) = self.row() else { return Ok(()) };
            if self.has_ended() {
                return Ok(());
            }
            match row.phase {
                CallPhase::NotDelivered | CallPhase::Unknown if row.acts.contains(&CallAct::Leave) => {
                    self.after_trouble(&row).await?;
                    continue;
                }
                CallPhase::PausedAtCap => {
                    self.at_cap(&row).await?;
                    continue;
                }
                CallPhase::Asking => {
                    let open = self.open_asks();
                    if !open.is_empty() {
                        self.answer(row.rounds, open).await?;
                        continue;
                    }
                }
                CallPhase::Sending | CallPhase::Pacing => self.tell_progress(&row)?,
                // Only the person's own app can put a server back.
                CallPhase::ServerMoved => return Err(Stop(row.detail.unwrap_or_default())),
                // On its way to the next phase, or to its end.
                CallPhase::NotDelivered
                | CallPhase::Unknown
                | CallPhase::Done
                | CallPhase::DoneWithError
                | CallPhase::Failed
                | CallPhase::Stopped => {}
            }
            if changes.changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Answers one question of the round, or looks at a round that is new.
    async fn answer(&mut self, round: u32, open: Vec<AskView>) -> Result<(), Stop> {
        if round != self.round {
            self.begin(round, &open)?;
        }
        let for_person = open.iter().find(|ask| !self.decided.contains_key(&ask.id));
        match for_person {
            Some(ask) => self.ask_person(ask).await,
            None => match open.first() {
                Some(ask) => self.act_on_file(ask).await,
                None => Ok(()),
            },
        }
    }

    /// Notes the questions of a new round, and looks up what the answers file says to all of them.
    fn begin(&mut self, round: u32, open: &[AskView]) -> Result<(), Stop> {
        self.round = round;
        self.sent = false;
        self.round_from = self.asked.len();
        self.decided.clear();
        let inbox = self.app.inbox().clone();
        let over_cap = round.saturating_sub(self.attended) > ROUND_CAP;
        let mut missing = Vec::new();
        for ask in open {
            let key = inbox.key(ask.id).unwrap_or_default();
            let link = inbox.asks_for_page(ask.id).unwrap_or_default();
            self.places.insert(ask.id, self.asked.len());
            self.asked.push(Asked {
                key: key.clone(),
                link,
                action: None,
            });
            let Some(answers) = &mut self.answers else {
                continue;
            };
            let entry = answers.take(&key, link);
            match script::decide(&inbox, ask, &key, entry) {
                Ok(decision) => {
                    self.decided.insert(ask.id, decision);
                }
                Err(why) => missing.push(why),
            }
        }
        if over_cap && self.answers.is_some() {
            // Ten rounds went without a person's word; from here on only a person's counts.
            self.decided.clear();
            missing = vec![format!(
                "The server asked in more than {ROUND_CAP} rounds in a row without a person's word."
            )];
        }
        let Some(terminal) = &self.terminal else {
            return if missing.is_empty() && self.decided.len() == open.len() {
                Ok(())
            } else {
                if missing.is_empty() {
                    missing.push("There is nobody to ask.".to_owned());
                }
                missing.push(if self.keeps {
                    "Nothing was answered for you; the question waits for resume.".to_owned()
                } else {
                    "The call was stopped; nothing was answered for you.".to_owned()
                });
                Err(Stop(missing.join(" ")))
            };
        };
        for why in &missing {
            terminal.say(&format!("! {why}"))?;
        }
        Ok(())
    }

    async fn act_on_file(&mut self, ask: &AskView) -> Result<(), Stop> {
        let Some(mut decision) = self.decided.get(&ask.id).cloned() else {
            return Ok(());
        };
        let key = self.app.inbox().key(ask.id).unwrap_or_default();
        if script::is_opened(&ask.phase) && matches!(decision, Decision::Open { .. }) {
            // This very round once more: the server did not hear of the opened link.
            decision = Decision::Check;
        }
        match &decision {
            Decision::Check => {
                let count = self.checks.entry(key.clone()).or_default();
                *count += 1;
                if *count > CHECKS {
                    return Err(Stop(format!(
                        "The page of “{}” was checked {CHECKS} times and is not done. The call was stopped.",
                        text::chip(&key)
                    )));
                }
                let pause = PACE_FIRST
                    .saturating_mul(2_u32.saturating_pow(*count - 1))
                    .min(PACE_MOST);
                tokio::time::sleep(pause).await;
            }
            Decision::Open { .. } => {
                self.checks.remove(&key);
            }
            // Kept as if it were typed, so that a crash before the answer leaves leaves a draft.
            Decision::Send(inputs) => {
                self.app.inbox().draft(ask.id, inputs.clone());
            }
            Decision::WasOpened | Decision::Decline | Decision::Cancel => {}
        }
        let (act, inputs, domain) = decision.act(&ask.phase);
        let answered = self
            .app
            .inbox()
            .act(ask.id, ask.revision, act, inputs, domain)
            .await;
        self.note_action(ask.id, act);
        match self.heard(answered) {
            Ok(()) => Ok(()),
            Err(why) => Err(Stop(format!(
                "“{}” could not be answered: {why} The call was stopped.",
                text::chip(&key)
            ))),
        }
    }

    async fn ask_person(&mut self, ask: &AskView) -> Result<(), Stop> {
        let Some(terminal) = &mut self.terminal else {
            return Err(Stop(
                "There is nobody to ask. The call was stopped; nothing was answered for you.".to_owned(),
            ));
        };
        let (act, inputs, domain) = match dialog::ask(terminal, &self.app, ask).await? {
            Said::Act { act, inputs, domain } => (act, inputs, domain),
            Said::Stop => return Err(Stop("You stopped it. Nothing more was sent.".to_owned())),
        };
        self.attended = self.round;
        let answered = self
            .app
            .inbox()
            .act(ask.id, ask.revision, act, inputs, domain)
            .await;
        let kept = matches!(answered, Answered::Kept { .. });
        self.note_action(ask.id, act);
        let heard = self.heard(answered);
        let Some(terminal) = &self.terminal else {
            return Ok(());
        };
        match heard {
            Ok(()) if kept => {
                terminal.say("Kept. It is sent when all questions of this round are answered.")?;
            }
            Ok(()) => {}
            // The question still waits and is asked once more.
            Err(why) => terminal.say(&format!("! {why}"))?,
        }
        Ok(())
    }

    /// # Errors
    /// Why nothing came of it, in words.
    fn heard(&mut self, answered: Answered) -> Result<(), String> {
        match answered {
            Answered::Sent => {
                self.sent = true;
                Ok(())
            }
            // Opened: a check follows. Changed, too soon: the same question is looked at again.
            Answered::Kept { .. }
            | Answered::Opened
            | Answered::Changed
            | Answered::TooSoon { .. }
            | Answered::AlreadyAnswered => Ok(()),
            Answered::Invalid { errors } => {
                let messages: Vec<_> = errors.into_iter().map(|error| error.message).collect();
                Err(messages.join(" "))
            }
            Answered::WrongDomain { message } => Err(message),
            Answered::OpenFailed { reason } | Answered::NotPossible { reason } => Err(reason),
        }
    }

    fn note_action(&mut self, ask: AskId, act: Act) {
        use countersign_core::view::Action;
        let action = match act {
            Act::Accept | Act::Open | Act::CheckAgain | Act::AlreadyFinished => Action::Accept,
            Act::Decline => Action::Decline,
            Act::Dismiss | Act::GiveUp => Action::Cancel,
            Act::DeclineAll => {
                for asked in self.asked.iter_mut().skip(self.round_from) {
                    asked.action = Some(Action::Decline);
                }
                return;
            }
            Act::Edit | Act::SendAgain | Act::StopCall => return,
        };
        if let Some(asked) = self.places.get(&ask).and_then(|place| self.asked.get_mut(*place)) {
            asked.action = Some(action);
        }
    }

    async fn after_trouble(&mut self, row: &CallRow) -> Result<(), Stop> {
        let again = match &mut self.terminal {
            Some(terminal) => {
                let question = "[s]end again, leave it [q]: ";
                // Without a person nothing is sent twice.
                dialog::go_on(terminal, row, question, "s").await.unwrap_or(false)
            }
            None if self.send_again => {
                // Once: what is lost again is said.
                self.send_again = false;
                true
            }
            None if self.keeps => {
                let detail = row.detail.clone().unwrap_or_else(|| row.word.clone());
                return Err(Stop(detail));
            }
            None => false,
        };
        let act = if again { CallAct::SendAgain } else { CallAct::Leave };
        self.act_on_call(act).await
    }

    async fn at_cap(&mut self, row: &CallRow) -> Result<(), Stop> {
        let detail = row.detail.clone().unwrap_or_default();
        let Some(terminal) = &mut self.terminal else {
            return Err(Stop(format!("{detail} The call was stopped.")));
        };
        if !dialog::go_on(terminal, row, "[c]ontinue, stop [q]: ", "c").await? {
            return Err(Stop("You stopped it. Nothing more was sent.".to_owned()));
        }
        self.attended = row.rounds;
        self.act_on_call(CallAct::ContinueRounds).await
    }

    /// Gives the word on a call and waits until it moves.
    async fn act_on_call(&self, act: CallAct) -> Result<(), Stop> {
        let mut changes = self.app.inbox().changes();
        changes.borrow_and_update();
        let before = self.row().map(|row| row.phase);
        if self.app.act_on_call(self.call, act).is_err() {
            return Ok(());
        }
        while self.row().map(|row| (row.phase, row.acts.contains(&act))) == before.map(|phase| (phase, true))
        {
            if changes.changed().await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn ended(&self) {
        let mut changes = self.app.inbox().changes();
        loop {
            changes.borrow_and_update();
            if self
                .app
                .inbox()
                .end(self.call)
                .is_none_or(|(_, end)| end.is_some())
            {
                return;
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn has_ended(&self) -> bool {
        self.app
            .inbox()
            .end(self.call)
            .is_none_or(|(_, end)| end.is_some())
    }

    fn tell_progress(&mut self, row: &CallRow) -> Result<(), Stop> {
        let Some(terminal) = &self.terminal else {
            return Ok(());
        };
        let words = match (&row.progress, row.phase) {
            (Some(progress), _) => {
                let percent = progress.percent.map(|percent| format!("{percent} % "));
                format!(
                    "… {}{}",
                    percent.unwrap_or_default(),
                    progress.message.as_deref().unwrap_or_default()
                )
            }
            (None, CallPhase::Pacing) => "… the server asks to be asked again later".to_owned(),
            (None, _) => return Ok(()),
        };
        if self.told.as_ref() != Some(&words) {
            terminal.say(&words)?;
            self.told = Some(words);
        }
        Ok(())
    }

    fn row(&self) -> Option<CallRow> {
        let calls = self.app.inbox().calls();
        calls.into_iter().find(|row| row.id == self.call)
    }

    /// Questions of the round that still need a word, in their order.
    fn open_asks(&self) -> Vec<AskView> {
        let rows = self.app.inbox().asks();
        let mut asks: Vec<AskView> = rows
            .iter()
            .filter(|row| row.call == self.call && is_open(&row.phase))
            .filter_map(|row| self.app.ask(row.id).ok())
            .collect();
        asks.sort_by_key(|ask| ask.position);
        asks
    }
}

/// Nothing of it is on its way, so that it can be left as it stands.
fn waits(phase: CallPhase) -> bool {
    match phase {
        CallPhase::Asking
        | CallPhase::PausedAtCap
        | CallPhase::NotDelivered
        | CallPhase::Unknown
        | CallPhase::ServerMoved => true,
        CallPhase::Sending
        | CallPhase::Pacing
        | CallPhase::Done
        | CallPhase::DoneWithError
        | CallPhase::Failed
        | CallPhase::Stopped => false,
    }
}

fn is_open(phase: &AskPhase) -> bool {
    match phase {
        AskPhase::Waiting
        | AskPhase::MayBeOpen
        | AskPhase::OpenFailed { .. }
        | AskPhase::InBrowser { asking: false, .. } => true,
        AskPhase::Opening
        | AskPhase::Kept { .. }
        | AskPhase::Sending { .. }
        | AskPhase::InBrowser { asking: true, .. }
        | AskPhase::Delivered { .. }
        | AskPhase::Undelivered { .. }
        | AskPhase::Withdrawn { .. }
        | AskPhase::Closed { .. } => false,
    }
}
