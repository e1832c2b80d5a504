//! What the store costs: a round that is kept; a start of the app with 5,000 questions that wait and a history of 100,000
//! entries, as a ratio to one with nothing; pages of that history, as a ratio to one of 1,000 entries.
//! `cargo bench -p countersign-core --bench store`.
//!
//! A start goes from taking the folder to the list of questions as the window reads it first.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, which measures time"
)]

mod asking;

use asking::{NoBrowser, target};
use countersign_core::app::{Countersign, Parts};
use countersign_core::clock::HeldClock;
use countersign_core::inbox::Inbox;
use countersign_core::inbox::guard::Guard;
use countersign_core::mrtr::machine::Word;
use countersign_core::settings::Settings;
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::history::export::Format;
use countersign_core::store::history::find::Filter;
use countersign_core::store::history::{Delivery, Entry, Kind, Outcome, Shown, StartedBy};
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{CallSave, Database, Draft, Expect, Store};
use countersign_core::view::past::{HistoryAsked, HistoryShow};
use countersign_core::view::{AskId, CallId};
use countersign_core::wire::request::Elicitation;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const CALLS: u32 = 5_000;
const ENTRIES: u32 = 100_000;
const FEW_ENTRIES: u32 = 1_000;
/// The name of the one server of the app, which nobody connects to.
const SERVER: &str = "bench";
/// Records of a call with a form, its schema, its state and its answers.
const RECORD: usize = 6_000;
const ROUNDS: u32 = 500;

fn main() {
    let folder = std::env::var_os("COUNTERSIGN_BENCH_FOLDER").map_or_else(std::env::temp_dir, Into::into);
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let [empty, few, full] = ["empty", "few", "full"].map(|name| folder.path().join(name));
    drop(open(&empty));

    let disk = rounds(&open(&folder.path().join("rounds")));
    let memory = rounds(&Store::in_memory().expect("memory"));
    println!(
        "a round kept (claim and result)       {} on disk, {} in memory (ratio {:.1})",
        each(disk),
        each(memory),
        disk.as_secs_f64() / memory.as_secs_f64()
    );
    let drafts = drafts(&open(&folder.path().join("rounds")));
    println!("a draft kept                          {} on disk", each(drafts));

    note(&open(&few), FEW_ENTRIES);
    let started = timed(|| {
        let store = open(&full);
        ask(&store);
        note(&store, ENTRIES);
    });
    println!(
        "{CALLS} questions and {ENTRIES} entries written in {:.1} s",
        started.as_secs_f64()
    );
    let size = std::fs::metadata(full.join("countersign.db"))
        .expect("there")
        .len();
    println!(
        "the file                              {:.0} MB",
        size as f64 / 1e6
    );

    starts(&empty, &full);
    let unclean = {
        let store = open(&full);
        let copy = folder.path().join("unclean");
        std::fs::create_dir(&copy).expect("made");
        for name in ["countersign.db", "countersign.db-wal"] {
            std::fs::copy(full.join(name), copy.join(name)).expect("copied");
        }
        drop(store);
        timed(|| drop(open(&copy)))
    };
    println!("start after an unclean end            {unclean:.1?}");

    pages(&few, &full);
    let store = open(&full);
    let verified = timed(|| {
        let found = store.verify(&Anchored::Never).expect("looked at");
        assert_eq!(found.trouble_count, 0);
    });
    println!("verify                                {verified:.1?}");
    let exported = timed(|| {
        let entries = store.export(&Filter::default(), |_| true, Format::Csv, std::io::sink());
        assert_eq!(entries, Ok(u64::from(ENTRIES)));
    });
    println!("export as CSV                         {exported:.1?}");
}

fn open(folder: &Path) -> Store {
    let place = Place::take(folder).expect("free");
    let (file, _) = Database::open(place, &HeldClock::default()).expect("it opens");
    let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
    file.unlock(&master)
        .map_err(|refused| refused.error)
        .expect("its key")
}

/// Takes turns, and takes the quickest of each.
fn starts(empty: &Path, full: &Path) {
    let mut best = [[Duration::MAX; 2]; 2];
    for _ in 0..5 {
        for (at, folder) in [empty, full].into_iter().enumerate() {
            let took = start(folder, if at == 0 { 0 } else { CALLS });
            best[at] = [0, 1].map(|step| best[at][step].min(took[step]));
        }
    }
    let [empty, full] = best;
    for (what, step) in [("until the list is written", 0), ("until every call waits", 1)] {
        let ratio = full[step].as_secs_f64() / empty[step].as_secs_f64();
        println!(
            "a start {what:30}{:.1?} with nothing, {:.1?} full (ratio {ratio:.1})",
            empty[step], full[step]
        );
    }
}

/// A start of the app: until the window's first list is written, and until the driver of every call waits again.
fn start(folder: &Path, calls: u32) -> [Duration; 2] {
    let runtime = runtime();
    let took = runtime.block_on(async {
        let started = Instant::now();
        let app = app();
        let store = Arc::new(open(folder));
        app.keep_in(&store).expect("readable");
        let snapshot = app.snapshot();
        let written = serde_json::to_string(&snapshot).expect("written");
        let listed = started.elapsed();
        assert_eq!(snapshot.asks.len(), calls as usize);
        std::hint::black_box(written);
        let mut changes = app.inbox().changes();
        changes
            .wait_for(|changes| *changes > calls)
            .await
            .expect("they tell");
        let all = started.elapsed();
        app.let_go();
        [listed, all]
    });
    // Its calls wait for ever; the file is closed with the last of them.
    drop(runtime);
    took
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads")
}

fn app() -> Countersign {
    let app = Countersign::new(Parts {
        clock: Arc::new(HeldClock::default()),
        browser: Arc::new(NoBrowser),
        settings: Settings::Memory,
        guard: Guard::Window,
        word: Word::Person,
        elicitation: Elicitation::Both,
    });
    app.add_practice(SERVER, target(), None);
    app
}

/// Pages of history as the window reads them.
fn pages(few: &Path, full: &Path) {
    let runtime = runtime();
    let apps = [few, full].map(|folder| {
        runtime.block_on(async {
            let app = app();
            app.keep_in(&Arc::new(open(folder))).expect("readable");
            app
        })
    });
    let text = |text: &str| HistoryAsked {
        text: text.to_owned(),
        ..HistoryAsked::default()
    };
    let show = |show| HistoryAsked {
        show: Some(show),
        ..HistoryAsked::default()
    };
    // The second is how many entries are older than the page begins, in parts of all.
    let asked = [
        ("the first page", HistoryAsked::default(), 1.0),
        ("a page in the middle", HistoryAsked::default(), 0.5),
        ("the last page", HistoryAsked::default(), 0.0),
        ("a search, found often", text("customer"), 1.0),
        ("a search, found once", text("rotate_keys"), 1.0),
        ("a search, found nowhere", text("nowhere"), 1.0),
        ("a search for decisions", text("accepted"), 1.0),
        ("a search for decisions, middle", text("accepted"), 0.5),
        ("a filter, found often", show(HistoryShow::Accepted), 1.0),
        ("a filter, found rarely", show(HistoryShow::Declined), 1.0),
        ("a filter, found nowhere", show(HistoryShow::Dismissed), 1.0),
    ];
    for (what, asked, part) in asked {
        let mut best = [Duration::MAX; 2];
        for _ in 0..3 {
            for (at, (app, entries)) in apps.iter().zip([FEW_ENTRIES, ENTRIES]).enumerate() {
                let before = (part < 1.0).then_some((f64::from(entries) * part) as u32 + 31);
                let took = timed(|| {
                    let page = runtime.block_on(app.history(asked.clone(), before));
                    std::hint::black_box(serde_json::to_string(&page.expect("readable")).expect("written"));
                });
                best[at] = best[at].min(took);
            }
        }
        let [few, full] = best;
        println!(
            "history, {what:32}{few:.1?} of {FEW_ENTRIES}, {full:.1?} of {ENTRIES} (ratio {:.1})",
            full.as_secs_f64() / few.as_secs_f64()
        );
    }
    for app in &apps {
        app.let_go();
    }
}

fn call<'a>(id: u32, expect: Expect, record: &'a [u8], history: &'a [Entry]) -> CallSave<'a> {
    CallSave {
        id: CallId(id),
        server: "server-1",
        open: true,
        last_ask: AskId(id),
        expect,
        record,
        result: None,
        drafts: &[],
        history,
    }
}

/// A claim with its entry, and the answer with its own.
fn rounds(store: &Store) -> Duration {
    let record = vec![b'r'; RECORD];
    timed(|| {
        for id in 1..=ROUNDS {
            store
                .save(&call(id, Expect::New, &record, &[entry(id)]))
                .expect("saved");
            let mut done = call(id, Expect::Seq(1), &record, &[]);
            let entry = [entry(id)];
            (done.result, done.open, done.history) = (Some(record.as_slice()), false, &entry);
            store.save(&done).expect("saved");
        }
    }) / ROUNDS
}

fn drafts(store: &Store) -> Duration {
    let text = vec![b'd'; 1_000];
    timed(|| {
        for id in 1..=ROUNDS {
            let draft = Draft {
                ask: AskId(id),
                call: CallId(id),
                text: Some(&text),
            };
            store.save_drafts(&[draft]).expect("saved");
        }
    }) / ROUNDS
}

/// Keeps calls as the app would that wait at a question each; they are asked in memory, where it is quicker.
fn ask(store: &Store) {
    let inbox = Inbox::new(
        Arc::new(HeldClock::default()),
        Arc::new(NoBrowser),
        Guard::Spelled,
        Word::Person,
    );
    let memory = Arc::new(Store::in_memory().expect("memory"));
    let server = asking::server(&format!("practice {SERVER}"));
    let runtime = runtime();
    runtime.block_on(async {
        inbox
            .keep_in::<asking::Asking>(Arc::clone(&memory), &[], |_| None)
            .expect("readable");
        asking::ask(&inbox, &server, CALLS, |n| format!("Question {n}?")).await;
    });
    for kept in memory.open_calls().expect("readable").calls {
        let mut save = call(kept.id.0, Expect::New, &kept.record, &[]);
        save.server = &kept.server;
        store.save(&save).expect("saved");
    }
}

/// Four entries of each call, a minute after one another.
fn note(store: &Store, entries: u32) {
    for first in (1..=entries).step_by(1_000) {
        let entries: Vec<_> = (first..first + 1_000).map(entry).collect();
        store.note(&entries).expect("noted");
    }
}

fn entry(number: u32) -> Entry {
    let call = number.div_ceil(4);
    let decided = match call % 100 {
        7 => Outcome::Declined,
        _ => Outcome::Accepted,
    };
    let (outcome, delivery, kind) = match number % 4 {
        1 => (Outcome::CallStarted, Delivery::Nothing, Kind::Call),
        2 => (decided, Delivery::OnItsWay, Kind::Form),
        3 => (Outcome::Delivered, Delivery::Delivered, Kind::Form),
        _ => (Outcome::CallDone, Delivery::Delivered, Kind::Call),
    };
    let is_form = kind == Kind::Form;
    let follows = outcome == Outcome::Delivered;
    let at = jiff::Timestamp::from_second(1_780_000_000 + i64::from(number) * 60).expect("a time");
    Entry {
        at: at.to_string(),
        server: format!("practice {SERVER}"),
        server_name: SERVER.to_owned(),
        practice: false,
        outcome,
        delivery,
        kind,
        started_by: StartedBy::Person,
        call,
        call_name: match call {
            1 => "rotate_keys".to_owned(),
            _ => "create_invoice".to_owned(),
        },
        arguments: vec![Shown {
            name: "customer".to_owned(),
            text: String::new(),
        }],
        question: is_form.then(|| format!("Which account should invoice {call} go to?")),
        link: None,
        saw: Vec::new(),
        values: Vec::new(),
        decision: follows.then_some(decided),
        about: follows.then(|| u64::from(number - 1)),
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn each(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
