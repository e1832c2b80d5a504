//! What an inbox with 5,000 questions costs, as ratios to one with 10 within one run: the list that the window reads
//! after a change (made and written as JSON), what is typed into one question, opening a card, and an answer.
//!
//! The questions come from a line without a network and wait in a store in memory. Figures are medians over batches
//! that take turns.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, which measures time"
)]

mod asking;

use asking::{Asking, NoBrowser};
use countersign_core::clock::HeldClock;
use countersign_core::form::{FieldInput, Input};
use countersign_core::inbox::Inbox;
use countersign_core::inbox::guard::Guard;
use countersign_core::mrtr::machine::Word;
use countersign_core::store::Store;
use countersign_core::view::{Act, Answered, AskId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BATCHES: usize = 21;
const FEW: u32 = 10;
const MANY: u32 = 5_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let few = desk(FEW, |n| format!("Question {n}?")).await;
    let many = desk(MANY, |n| format!("Question {n}?")).await;
    let alike = desk(MANY, |_| "The same?".to_owned()).await;
    let bytes = |inbox: &Inbox| written(inbox);
    println!(
        "lists of questions and calls as JSON: {} KiB of {FEW}, {} KiB of {MANY}",
        bytes(&few) / 1024,
        bytes(&many) / 1024
    );
    let mut times: BTreeMap<&str, Vec<[Duration; 3]>> = BTreeMap::new();
    for batch in 0..=BATCHES {
        let mut of_batch: BTreeMap<&str, [Duration; 3]> = BTreeMap::new();
        for (at, inbox) in [&few, &many, &alike].into_iter().enumerate() {
            let id = inbox.asks()[at].id;
            let mut took = |what: &'static str, time: Duration| {
                of_batch.entry(what).or_default()[at] = time;
            };
            took("both lists, written", timed(|| written(inbox)));
            let text = format!("Ada {batch}");
            let inputs = vec![FieldInput::new(0, Input::Text { text })];
            took("a letter", timed(|| inbox.draft(id, inputs.clone())));
            took("a card, opened", timed(|| inbox.shown(id, 1)));
            let started = Instant::now();
            let answered = inbox.act(id, 1, Act::Accept, Some(inputs), None).await;
            took("an answer", started.elapsed());
            assert_eq!(answered, Answered::Sent);
            ask_anew(inbox, id).await;
        }
        // The first batch warms all up.
        if batch > 0 {
            for (what, took) in of_batch {
                times.entry(what).or_default().push(took);
            }
        }
    }
    for (what, took) in times {
        let median = |at: usize| {
            let mut sorted: Vec<_> = took.iter().map(|times| times[at]).collect();
            sorted.sort();
            sorted[sorted.len() / 2].as_secs_f64() * 1e6
        };
        let (few, many, alike) = (median(0), median(1), median(2));
        println!(
            "{what}: {few:.1} µs of {FEW}, {many:.1} µs of {MANY} (ratio {:.2}), {alike:.1} µs of {MANY} alike (ratio {:.2})",
            many / few,
            alike / few
        );
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}

/// What the window reads after a change, but for the servers.
fn written(inbox: &Inbox) -> usize {
    let asks = serde_json::to_string(&inbox.asks()).unwrap();
    let calls = serde_json::to_string(&inbox.calls()).unwrap();
    asks.len() + calls.len()
}

/// So many calls that wait at a question each.
async fn desk(count: u32, words: fn(u32) -> String) -> Inbox {
    let inbox = Inbox::new(
        Arc::new(HeldClock::default()),
        Arc::new(NoBrowser),
        Guard::Spelled,
        Word::Person,
    );
    let store = Arc::new(Store::in_memory().unwrap());
    inbox
        .keep_in::<Asking>(store, &[], |_| None)
        .unwrap_or_else(|error| panic!("{error}"));
    asking::ask(&inbox, &asking::server("one"), count, words).await;
    inbox
}

/// The call of an answered question is over; another takes its place.
async fn ask_anew(inbox: &Inbox, answered: AskId) {
    let mut changes = inbox.changes();
    let before = u32::try_from(inbox.asks().len()).unwrap();
    while inbox.asks().iter().any(|row| row.id == answered) {
        changes.changed().await.unwrap();
    }
    asking::start(inbox, &asking::server("one"), "The same?".to_owned());
    asking::wait_for(inbox, before.max(1)).await;
}
