//! One run: a call in a scenario, killed once or twice, and taken up by the lives that follow until it is over. What it
//! came to is judged by what the server got, what the browser was asked and what lies in the folder; the program's own
//! words count only as what the person was told.

use crate::chance::Chance;
use crate::life::{Death, Doing, Home, Lived, points};
use crate::scenario::{Opened, PAGE, Round, Scenario};
use crate::server::{Seen, Server};
use countersign_core::clock::SystemClock;
use countersign_core::fault::Point;
use countersign_core::store::Database;
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::keys::file;
use countersign_core::store::place::Place;
use countersign_core::wire::json::Json;
use std::collections::BTreeMap;

/// Lives of one run; a call that is not over by then never will be.
const LIVES: usize = 24;

/// What a run came to.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The places at which it was killed.
    pub(crate) deaths: Vec<Death>,
    pub(crate) lost: Vec<String>,
    pub(crate) doubled: Vec<String>,
    pub(crate) stale: Vec<String>,
    /// What was done, a line for each life.
    pub(crate) told: Vec<String>,
}

impl Verdict {
    pub(crate) fn is_good(&self) -> bool {
        self.lost.is_empty() && self.doubled.is_empty() && self.stale.is_empty()
    }
}

/// The kinds of life in which a death is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum During {
    Call,
    List,
    Resume,
}

/// What the next life may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    Anything,
    Nothing,
    /// One request more of these answers (0: of the first request), and what follows from its reply.
    Again(usize),
}

struct Run {
    chance: Chance,
    scenario: Scenario,
    home: Home,
    server: Server,
    /// The next comes first.
    due: Vec<(During, Death)>,
    verdict: Verdict,
    /// So many arrivals of the first request, then of the answers to each round, rest on a word of the person.
    words: Vec<usize>,
    /// Launches that rest on a consent.
    consents: usize,
    /// What was typed in the round that waits, by key.
    typed: (usize, BTreeMap<String, String>),
    /// A call whose outcome is unknown was left alone once.
    left_alone: bool,
}

/// What a list says of the one call.
struct Listed {
    status: String,
    rounds: usize,
    asks: Vec<Ask>,
}

struct Ask {
    key: String,
    phase: String,
    /// What the draft would send, where there is one.
    draft: Option<String>,
}

/// Plays one run. `death` comes first, another may follow.
pub(crate) async fn run(seed: u64, death: Death, sooner: bool) -> Verdict {
    let mut chance = Chance::of(seed);
    let scenario = loop {
        let scenario = Scenario::random(&mut chance);
        let mut questions = scenario.rounds.iter().flat_map(|round| &round.questions);
        let (link, form) = (
            questions.clone().any(|question| question.link),
            questions.any(|question| !question.link),
        );
        if (link || !death.needs_link()) && (form || !death.needs_form()) {
            break scenario;
        }
    };
    let during = match chance.below(10) {
        _ if death.is_first() => During::Call,
        0..6 => During::Call,
        9 if death.is_anywhere() => During::List,
        _ => During::Resume,
    };
    let mut due = vec![(during, death.again(&mut chance, sooner))];
    if chance.percent(30) {
        // And once more, wherever the next lives get to.
        let during = *chance.one_of(&[During::List, During::Resume]);
        let second = Death::At(*chance.one_of(&points()), 1);
        due.push((during, second.again(&mut chance, false)));
    }
    // A waiting call is what the later lives are killed with.
    let answers = during == During::Call && chance.percent(85);
    let mut run = Run {
        home: Home::new().await,
        server: Server::start(&scenario).await,
        words: vec![1; scenario.rounds.len() + 1],
        consents: 1,
        typed: (0, BTreeMap::new()),
        left_alone: false,
        verdict: Verdict::default(),
        due,
        chance,
        scenario,
    };
    run.tell(format!("{}: {:?}", run.scenario.name, run.due));
    run.live_on(answers).await;
    run.look_back();
    run.verdict
}

impl Run {
    async fn live_on(&mut self, answers: bool) {
        let (mut doing, mut opened, mut may) = (Doing::Call { answers }, Opened::NotAsked, May::Anything);
        // What the draft points of the life stand for, in the order in which they are passed.
        let mut drafting = if answers {
            self.drafting(0, &[])
        } else {
            Vec::new()
        };
        for _ in 0..LIVES {
            let before = self.server.seen();
            let (lived, death) = self.live(doing, opened).await;
            self.compare(&lived, &before, may);
            let Some(listed) = self.look().await else { return };
            let Some(listed) = listed else {
                if self.is_over() {
                    return;
                }
                if self.server.seen().calls() > 0 || lived.code.is_some() {
                    self.lost(format!("the call is not there any more: {lived:?}"));
                    return;
                }
                // It never left. Whoever called sees that it is not there, and calls again.
                (doing, may) = (Doing::Call { answers }, May::Anything);
                continue;
            };
            if let Some(Death::At(Point::DraftCommitted, count)) = death
                && let Some((key, Some(draft))) = drafting.get(count as usize - 1)
            {
                self.typed.1.insert((*key).to_owned(), draft.clone());
                self.typed.0 = listed.rounds;
            }
            let Some(next) = self.next(&listed) else { return };
            (doing, opened, may) = next;
            drafting = self.drafting(listed.rounds, &listed.asks);
        }
        self.lost("it is never over".to_owned());
    }

    /// One life, killed if that is due.
    async fn live(&mut self, doing: Doing, opened: Opened) -> (Lived, Option<Death>) {
        let now = match doing {
            Doing::Call { .. } => During::Call,
            Doing::List => During::List,
            Doing::Resume { .. } => During::Resume,
        };
        let due = self.due.first().copied().filter(|(during, _)| *during == now);
        let death = due.map(|(_, death)| death);
        let answers = self.scenario.answers(opened);
        let lived = self
            .home
            .live(&self.server, &self.scenario, doing, &answers, death)
            .await;
        let seen = self.server.seen();
        self.tell(format!(
            "{doing:?} {opened:?} {} code {:?}, arrived {:?}, launched {} {}",
            death.map_or("", Death::name),
            lived.code,
            seen.arrivals,
            self.home.launches().len(),
            lived.stderr.trim(),
        ));
        let died = death.filter(|_| lived.code.is_none());
        if let Some(death) = died {
            self.due.remove(0);
            self.verdict.deaths.push(death);
        }
        let aside = std::fs::read_dir(self.home.data()).ok().is_some_and(|entries| {
            let names = entries.flatten().map(|entry| entry.file_name());
            names
                .into_iter()
                .any(|name| name.to_string_lossy().contains("damaged"))
        });
        if aside {
            self.lost("the database was set aside".to_owned());
        }
        (lived, died)
    }

    /// What one life did, against what it might do.
    fn compare(&mut self, lived: &Lived, before: &Seen, may: May) {
        let after = self.server.seen();
        match may {
            May::Anything => {}
            May::Nothing if before.calls() == after.calls() => {}
            May::Nothing => self.doubled("it was sent again without a word".to_owned()),
            May::Again(place) => {
                let more = after.arrivals[place] - before.arrivals[place];
                if more > 1 || more == 0 && lived.code.is_some() {
                    self.doubled(format!("Send again of {place} sent it {more} times"));
                }
            }
        }
        match lived.code {
            // 4: it waits, 5: its outcome is unknown. Both are looked at in the list.
            None | Some(4 | 5) => {}
            Some(0) => {
                let said = Json::parse(lived.stdout.trim()).ok();
                let result = said.as_ref().and_then(|said| said.get("result"));
                // Nothing was left to take up where the life before was killed at its very end.
                let is_it = match result {
                    Some(result) => result.to_string() == self.scenario.result,
                    None => lived.stdout.trim().is_empty(),
                };
                if !self.is_over() || !is_it {
                    self.lost(format!("it says that it is done: {lived:?}"));
                }
            }
            Some(code) => self.lost(format!("it ended with {code}: {lived:?}")),
        }
    }

    /// Lists what is kept. The inner `None`: nothing. The outer: the run is over.
    async fn look(&mut self) -> Option<Option<Listed>> {
        let lived = loop {
            let before = self.server.seen();
            let (lived, died) = self.live(Doing::List, Opened::NotAsked).await;
            if self.server.seen().requests != before.requests {
                self.doubled("looking at the list sent something".to_owned());
            }
            if died.is_none() {
                break lived;
            }
        };
        if lived.code != Some(0) {
            self.lost(format!("the list does not open: {lived:?}"));
            return None;
        }
        let mut rows = lived.stdout.lines().filter_map(|line| Json::parse(line).ok());
        let row = rows.next();
        if rows.next().is_some() {
            self.doubled(format!("there are two calls: {}", lived.stdout));
            return None;
        }
        if let Some(row) = &row {
            self.tell(format!("  {row}"));
        }
        Some(row.map(|row| Listed::read(&row)))
    }

    /// What a person does next; `None` where the list tells something that is not so.
    fn next(&mut self, listed: &Listed) -> Option<(Doing, Opened, May)> {
        let (seen, place) = (self.server.seen(), listed.rounds);
        let arrived = *seen.arrivals.get(place)?;
        if listed.status == "unknown" {
            self.left_alone = !self.left_alone;
            if self.left_alone {
                return Some((
                    Doing::Resume { send_again: false },
                    Opened::NotAsked,
                    May::Nothing,
                ));
            }
            self.words[place] = arrived + 1;
            return Some((
                Doing::Resume { send_again: true },
                Opened::NotAsked,
                May::Again(place),
            ));
        }
        let round = place
            .checked_sub(1)
            .and_then(|round| self.scenario.rounds.get(round));
        let Some(round) = round.filter(|_| listed.status == "waiting").cloned() else {
            self.lost(format!("it is said to be {} in round {place}", listed.status));
            return None;
        };
        self.waits(listed, &round, &seen);
        let launches = self.home.launches().len();
        let phase = |wanted: &str| listed.asks.iter().any(|ask| ask.phase == wanted);
        if arrived > 0 {
            if round.is_lone_link() && phase("in_browser") {
                // The answers of the next life are the word to check again.
                self.words[place] = arrived + 1;
            } else {
                self.lost(format!(
                    "the answers to round {place} arrived, and it is said to wait"
                ));
            }
        }
        let mut opened = Opened::NotAsked;
        if phase("may_be_open") {
            opened = if launches > 0 && self.chance.percent(70) {
                Opened::Yes
            } else {
                self.consents = launches + 1;
                Opened::No
            };
        } else if launches > 0
            && listed
                .asks
                .iter()
                .any(|ask| ask.key == "page" && ask.phase == "waiting")
        {
            self.lost("the page was opened, and its question waits as if it were new".to_owned());
        }
        Some((Doing::Resume { send_again: false }, opened, May::Anything))
    }

    /// The questions of a round that waits, and their drafts.
    fn waits(&mut self, listed: &Listed, round: &Round, seen: &Seen) {
        if seen.replies[listed.rounds - 1] == 0 {
            self.lost(format!("round {} was never asked", listed.rounds));
        }
        let keys: Vec<&str> = listed.asks.iter().map(|ask| ask.key.as_str()).collect();
        if !round.is_answered_by(&keys, round.state.as_deref()) {
            self.lost(format!("of the questions only {keys:?} are there"));
        }
        if self.typed.0 != listed.rounds {
            self.typed = (listed.rounds, BTreeMap::new());
        }
        for (key, typed) in self.typed.1.clone() {
            let draft = listed.asks.iter().find(|ask| ask.key == key);
            let draft = draft.and_then(|ask| ask.draft.as_deref());
            if draft != Some(typed.as_str()) {
                self.verdict
                    .stale
                    .push(format!("{key}: {typed} was typed, and {draft:?} is there"));
            }
        }
        let drafts = listed
            .asks
            .iter()
            .filter_map(|ask| Some((ask.key.clone(), ask.draft.clone()?)));
        self.typed.1.extend(drafts);
    }

    /// What is kept as a draft, in its order, when the answers of the file are given from round `from` (from 1; 0: from
    /// the first) on: the key, and what would be sent. `asks` are those of the round that waits.
    fn drafting(&self, from: usize, asks: &[Ask]) -> Vec<(&'static str, Option<String>)> {
        let decided = |key: &str| asks.iter().any(|ask| ask.key == key && ask.phase == "kept");
        let rounds = self.scenario.rounds.iter().skip(from.saturating_sub(1));
        let forms = rounds.flat_map(|round| round.questions.iter().filter(|question| !question.link));
        let forms = forms.filter(|question| !decided(question.key));
        forms
            .flat_map(|question| {
                let accepted = question.answer.contains("content");
                // As typed, and once more with the decision.
                let times = if accepted { 2 } else { 1 };
                let draft = accepted.then(|| question.answer.clone());
                (0..times).map(move |_| (question.key, draft.clone()))
            })
            .collect()
    }

    /// The server gave the result.
    fn is_over(&self) -> bool {
        self.server
            .seen()
            .replies
            .last()
            .is_some_and(|replies| *replies > 0)
    }

    /// What the server got, the browser was asked, and the folder holds in the end.
    fn look_back(&mut self) {
        let seen = self.server.seen();
        for (place, (arrivals, words)) in seen.arrivals.iter().zip(self.words.clone()).enumerate() {
            if *arrivals > words {
                self.doubled(format!("{place} arrived {arrivals} times at {words} words"));
            }
        }
        for wrong in seen.wrong {
            self.lost(wrong);
        }
        let launches = self.home.launches();
        if launches.len() > self.consents {
            self.doubled(format!(
                "{} launches at {} consents",
                launches.len(),
                self.consents
            ));
        }
        if launches.iter().any(|launch| launch != PAGE) {
            self.lost(format!("opened {launches:?}"));
        }
        if self.verdict.is_good() {
            let rounds = self.scenario.rounds.iter().zip(&seen.arrivals[1..]);
            let untold = rounds.clone().any(|(_, arrivals)| *arrivals == 0);
            let links = rounds
                .flat_map(|(round, _)| &round.questions)
                .any(|question| question.link);
            if untold || links && launches.is_empty() {
                self.lost("the call is over, and the server does not have all answers".to_owned());
            }
            if let Err(why) = self.look_inside() {
                self.lost(why);
            }
        }
    }

    /// The database opens, its history holds, and the one call is there with its result.
    fn look_inside(&self) -> Result<(), String> {
        let place = Place::take(&self.home.data()).map_err(|error| error.to_string())?;
        let master = file::load(&place)
            .map_err(|error| error.to_string())?
            .ok_or("no key")?;
        let (database, aside) =
            Database::open(place, &SystemClock::default()).map_err(|error| error.to_string())?;
        if aside.is_some() {
            return Err("the database is damaged".to_owned());
        }
        let store = database
            .unlock(&master)
            .map_err(|refused| refused.error.to_string())?;
        let said = |error: countersign_core::store::StoreError| error.to_string();
        let verified = store
            .verify(&Anchored::Unseen("no key store".to_owned()))
            .map_err(said)?;
        let open = store.open_calls().map_err(said)?;
        let finished = store.finished_calls(100).map_err(said)?;
        let [call] = finished.calls.as_slice() else {
            return Err(format!("{} calls have ended", finished.calls.len()));
        };
        let result = store.result(call.id).map_err(said)?.unwrap_or_default();
        if verified.trouble_count > 0 || !open.calls.is_empty() || !open.unreadable.is_empty() {
            return Err(format!("{:?}, {} open", verified.troubles, open.calls.len()));
        }
        if result != self.scenario.result.as_bytes() {
            return Err(format!("kept is the result {}", String::from_utf8_lossy(&result)));
        }
        Ok(())
    }

    fn tell(&mut self, mut line: String) {
        shorten(&mut line, 600);
        self.verdict.told.push(line);
    }

    fn lost(&mut self, mut why: String) {
        shorten(&mut why, 2000);
        self.verdict.lost.push(why);
    }

    fn doubled(&mut self, why: String) {
        self.verdict.doubled.push(why);
    }
}

fn shorten(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
    }
}

impl Listed {
    fn read(row: &Json) -> Self {
        let text = |json: &Json, key: &str| {
            json.get(key)
                .and_then(Json::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let asks = row.get("asks").and_then(Json::as_array).unwrap_or_default();
        let asks = asks.iter().map(|ask| Ask {
            key: text(ask, "key"),
            phase: text(ask, "phase"),
            draft: ask
                .get("would_send")
                .filter(|_| ask.get("draft").and_then(Json::as_bool) == Some(true))
                .map(Json::to_string),
        });
        Self {
            status: text(row, "status"),
            rounds: row
                .get("rounds")
                .and_then(Json::as_i64)
                .and_then(|rounds| usize::try_from(rounds).ok())
                .unwrap_or_default(),
            asks: asks.collect(),
        }
    }
}
