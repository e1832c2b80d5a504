//! What the store costs: a round that is kept, a start with many questions, a history of 100,000 entries. Ratios are within
//! one run; `cargo bench -p countersign-core --bench store`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, which measures time"
)]

use countersign_core::clock::HeldClock;
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::history::export::Format;
use countersign_core::store::history::find::Filter;
use countersign_core::store::history::{Delivery, Entry, Kind, Outcome, Saw, Shown, StartedBy};
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{CallSave, Database, Draft, Expect, Store};
use countersign_core::view::{AskId, CallId};
use std::path::Path;
use std::time::{Duration, Instant};

const CALLS: u32 = 5_000;
const ENTRIES: u32 = 100_000;
/// Records of a call with a form, its schema, its state and its answers.
const RECORD: usize = 6_000;
const ROUNDS: u32 = 500;

fn main() {
    let folder = std::env::var_os("COUNTERSIGN_BENCH_FOLDER").map_or_else(std::env::temp_dir, Into::into);
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let empty = folder.path().join("empty");
    let full = folder.path().join("full");
    drop(open(&empty));

    let disk = rounds(&open(&folder.path().join("rounds")));
    let memory = rounds(&Store::in_memory().expect("memory"));
    println!(
        "a round kept (claim and result)       {} on disk, {} in memory",
        each(disk),
        each(memory)
    );
    let drafts = drafts(&open(&folder.path().join("rounds")));
    println!("a draft kept                          {} on disk", each(drafts));

    let started = timed(|| fill(&open(&full)));
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

    let begin = best(5, || start(&empty));
    let begin_full = best(5, || start(&full));
    let ratio = begin_full.as_secs_f64() / begin.as_secs_f64();
    println!("start, empty and full                 {begin:.1?}, {begin_full:.1?} ({ratio:.1} times)");
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

    let store = open(&full);
    let page = |filter: &Filter| best(5, || drop(store.history(filter, None, 50).expect("readable")));
    let text = |text: &str| Filter {
        text: text.to_owned(),
        ..Filter::default()
    };
    println!(
        "first page of history                 {:.1?}",
        page(&Filter::default())
    );
    println!(
        "search, found among the newest        {:.1?}",
        page(&text("customer 99"))
    );
    println!(
        "search, found nowhere                 {:.1?}",
        page(&text("nowhere"))
    );
    let server = Filter {
        server: Some("server-7".to_owned()),
        ..Filter::default()
    };
    println!("filter, found nowhere                 {:.1?}", page(&server));
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

fn start(folder: &Path) {
    let store = open(folder);
    std::hint::black_box(store.open_calls().expect("readable"));
    std::hint::black_box(store.finished_calls(500).expect("readable"));
    std::hint::black_box(store.history(&Filter::default(), None, 50).expect("readable"));
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

fn fill(store: &Store) {
    let record = vec![b'r'; RECORD];
    for id in 1..=CALLS {
        store.save(&call(id, Expect::New, &record, &[])).expect("saved");
    }
    for first in (1..=ENTRIES).step_by(1_000) {
        let entries: Vec<_> = (first..first + 1_000).map(entry).collect();
        store.note(&entries).expect("noted");
    }
}

fn entry(number: u32) -> Entry {
    Entry {
        at: "2026-12-01T14:02:00+01:00".to_owned(),
        server: format!("server-{}", number % 3),
        server_name: format!("Server number {}", number % 3),
        practice: false,
        outcome: Outcome::Accepted,
        delivery: Delivery::OnItsWay,
        kind: Kind::Form,
        started_by: StartedBy::Person,
        call: number,
        call_name: "create_invoice".to_owned(),
        arguments: vec![Shown {
            name: "customer".to_owned(),
            text: format!("Customer {number}"),
        }],
        question: Some("Which account should the invoice go to?".to_owned()),
        link: None,
        saw: vec![Saw::DeclinedBefore { times: 2 }],
        values: Vec::new(),
        decision: None,
        about: None,
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn best(times: u32, work: impl Fn()) -> Duration {
    (0..times).map(|_| timed(&work)).min().unwrap_or_default()
}

fn each(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
