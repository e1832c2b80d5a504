//! The store on real files.

// The points of a crash are there with debug assertions only.
#[cfg(debug_assertions)]
mod crash;
mod damage;
mod files;
mod history;
pub(crate) mod keys;
#[cfg(target_os = "linux")]
mod secret_service;

use countersign_core::clock::HeldClock;
use countersign_core::store::history::{Delivery, Entry, Kind, LinkFacts, Outcome, Saw, Shown, StartedBy};
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Aside, CallSave, Database, Draft, Expect, Saved, Store, StoreError};
use countersign_core::view::{AskId, CallId};
use std::path::Path;

fn master() -> Master {
    Master::from_bytes(&[7; 32]).expect("32 bytes")
}

fn database(folder: &Path) -> Result<(Database, Option<Aside>), StoreError> {
    Database::open(Place::take(folder)?, &HeldClock::default())
}

fn opened(folder: &Path) -> Result<(Store, Option<Aside>), StoreError> {
    let (database, aside) = database(folder)?;
    let store = database.unlock(&master()).map_err(|refused| refused.error)?;
    Ok((store, aside))
}

/// Opens what must be whole.
fn whole(folder: &Path) -> Store {
    let (store, aside) = opened(folder).expect("it opens");
    assert_eq!(aside, None);
    store
}

/// A call whose record is its own name, so that a wrong one would be noticed.
fn save(store: &Store, id: u32, expect: Expect, record: &str) -> Result<Saved, StoreError> {
    store.save(&CallSave {
        id: CallId(id),
        server: "server-1",
        open: true,
        last_ask: AskId(id * 10),
        expect,
        record: record.as_bytes(),
        result: None,
        drafts: &[],
        history: &[],
    })
}

fn draft(store: &Store, ask: u32, call: u32, text: Option<&str>) -> Result<(), StoreError> {
    store.save_drafts(&[Draft {
        ask: AskId(ask),
        call: CallId(call),
        text: text.map(str::as_bytes),
    }])
}

/// A call's number, its record, its drafts.
type Kept = (u64, String, Vec<(u32, String)>);

/// What is kept of one open call.
fn kept(store: &Store, id: u32) -> Option<Kept> {
    let loaded = store.open_calls().expect("readable");
    let call = loaded.calls.into_iter().find(|call| call.id == CallId(id))?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let drafts = call.drafts.into_iter().map(|(ask, bytes)| (ask.0, text(bytes)));
    Some((call.seq, text(call.record), drafts.collect()))
}

fn entry(number: u32) -> Entry {
    Entry {
        at: format!(
            "2026-12-{:02}T14:{:02}:{:02}+01:00",
            1 + number / 3600 % 28,
            number / 60 % 60,
            number % 60
        ),
        server: format!("server-{}", number % 3),
        server_name: format!("Büro {}", number % 3),
        practice: number.is_multiple_of(7),
        outcome: Outcome::ALL[number as usize % Outcome::ALL.len()],
        delivery: Delivery::ALL[number as usize % Delivery::ALL.len()],
        kind: Kind::ALL[number as usize % Kind::ALL.len()],
        started_by: StartedBy::Person,
        call: number,
        call_name: "create_invoice".to_owned(),
        arguments: vec![Shown {
            name: "customer".to_owned(),
            text: format!("Customer {number} of many"),
        }],
        question: Some(format!("Which account for number {number}?")),
        link: number.is_multiple_of(2).then(|| LinkFacts {
            verdict: "notice".to_owned(),
            findings: vec!["foreign-domain".to_owned()],
            scheme: "https".to_owned(),
            host: format!("bank-{number}.example"),
        }),
        saw: vec![Saw::DeclinedBefore { times: 2 }, Saw::DomainTyped],
        values: Vec::new(),
        decision: None,
        about: number.checked_sub(1).map(u64::from),
    }
}
