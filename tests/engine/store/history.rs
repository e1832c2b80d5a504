//! The chain of history: nothing is changed, removed, moved or cut without being found, and where.

use super::{entry, master, whole};
use countersign_core::clock::HeldClock;
use countersign_core::store::history::chain::{AnchorCheck, Anchored, Gap, Head, Keep, Trouble, Verified};
use countersign_core::store::history::export::Format;
use countersign_core::store::history::find::{Filter, Page};
use countersign_core::store::history::{Kind, Outcome, Shown};
use countersign_core::store::{Database, Store};
use rusqlite::Connection;
use std::path::Path;

const LINES: u32 = 200;

/// A closed history of 200 entries, and its head.
fn written(folder: &Path) -> Head {
    let store = whole(folder);
    let entries: Vec<_> = (1..=LINES).map(entry).collect();
    // Several at once and one at a time.
    store.note(&entries[..50]).expect("noted");
    for one in &entries[50..] {
        store.note(std::slice::from_ref(one)).expect("noted");
    }
    let head = store.head();
    assert_eq!(head.seq, u64::from(LINES));
    store.close().expect("closed");
    head
}

/// What Verify finds after somebody did something to the file without the key.
struct Tampered {
    folder: tempfile::TempDir,
    head: Head,
}

impl Tampered {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let head = written(folder.path());
        Self { folder, head }
    }
}

fn verified(folder: &Path, anchored: &Anchored) -> Verified {
    whole(folder).verify(anchored).expect("looked at")
}

fn check(found: &Verified, expected: &[Trouble]) {
    assert_eq!(found.troubles, expected);
    assert_eq!(found.trouble_count, expected.len() as u64);
}

#[test]
fn a_history_that_nobody_touched_holds() {
    let tampered = Tampered::new();
    for (anchored, anchor) in [
        (Anchored::At(tampered.head), AnchorCheck::Holds { newer: 0 }),
        (Anchored::Never, AnchorCheck::Never),
        (
            Anchored::Unseen("locked".to_owned()),
            AnchorCheck::Unseen("locked".to_owned()),
        ),
    ] {
        let found = verified(tampered.folder.path(), &anchored);
        check(&found, &[]);
        assert_eq!((found.entries, found.gap, found.anchor), (200, None, anchor));
    }
    // A crash between writing and anchoring leaves entries that are newer than the anchor.
    let store = whole(tampered.folder.path());
    store.note(&[entry(201), entry(202)]).expect("noted");
    let found = store.verify(&Anchored::At(tampered.head)).expect("looked at");
    check(&found, &[]);
    assert_eq!(found.anchor, AnchorCheck::Holds { newer: 2 });
    let begun = Anchored::At(Store::in_memory().expect("memory").head());
    assert_eq!(
        store.verify(&begun).expect("looked at").anchor,
        AnchorCheck::Holds { newer: 202 }
    );
}

#[test]
fn an_older_copy_of_the_whole_file_is_told_by_the_anchor_only() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path());
    let file = folder.path().join("countersign.db");
    let older = std::fs::read(&file).expect("readable");
    let store = whole(folder.path());
    store.note(&[entry(201), entry(202)]).expect("noted");
    let newest = store.head();
    store.close().expect("closed");
    std::fs::write(&file, older).expect("put back");

    check(
        &verified(folder.path(), &Anchored::Unseen("no key store".to_owned())),
        &[],
    );
    let found = verified(folder.path(), &Anchored::At(newest));
    check(&found, &[Trouble::Missing { from: 201, to: 202 }]);
    assert_eq!(found.anchor, AnchorCheck::Broken);

    // What is written from then on goes behind the lost entries, and the hole stays.
    let store = whole(folder.path());
    store.go_on_behind(newest).expect("readable");
    assert_eq!(store.note(&[entry(203)]), Ok(203));
    let now = store.head();
    let found = store.verify(&Anchored::At(now)).expect("looked at");
    check(&found, &[Trouble::Missing { from: 201, to: 202 }]);
    store.close().expect("closed");
    check(
        &verified(folder.path(), &Anchored::At(now)),
        &[Trouble::Missing { from: 201, to: 202 }],
    );
}

#[test]
fn after_a_cut_tail_new_entries_do_not_cover_the_hole() {
    let tampered = Tampered::new();
    let connection = Connection::open(tampered.folder.path().join("countersign.db")).expect("open");
    connection
        .execute("DELETE FROM history WHERE seq > 190", [])
        .expect("cut");
    drop(connection);
    let store = whole(tampered.folder.path());
    assert_eq!(store.note(&[entry(1)]), Ok(201));
    let found = store.verify(&Anchored::Never).expect("looked at");
    check(&found, &[Trouble::Missing { from: 191, to: 200 }]);
}

#[test]
fn what_retention_removes_leaves_a_signed_gap() {
    let tampered = Tampered::new();
    let store = whole(tampered.folder.path());
    let clock = HeldClock::default();
    assert_eq!(store.retain(Keep::Newest(500), &clock), Ok(0));
    assert_eq!(store.retain(Keep::Newest(150), &clock), Ok(50));
    let at = "2026-12-01T14:02:00Z"
        .parse::<jiff::Timestamp>()
        .expect("a time")
        .as_second();
    let found = store.verify(&Anchored::At(tampered.head)).expect("looked at");
    check(&found, &[]);
    assert_eq!((found.entries, found.gap), (150, Some(Gap { upto: 50, at })));
    // By time: entries are a second apart.
    let second = |seq: u32| {
        entry(seq)
            .at
            .parse::<jiff::Timestamp>()
            .expect("a time")
            .as_second()
    };
    assert_eq!(store.retain(Keep::Since(second(121)), &clock), Ok(70));
    assert_eq!(store.note(&[entry(201)]), Ok(201));
    let found = store.verify(&Anchored::At(tampered.head)).expect("looked at");
    check(&found, &[]);
    assert_eq!(
        (found.entries, found.gap, found.anchor),
        (81, Some(Gap { upto: 120, at }), AnchorCheck::Holds { newer: 1 })
    );
    // Everything.
    assert_eq!(store.retain(Keep::Newest(0), &clock), Ok(81));
    let found = store.verify(&Anchored::At(tampered.head)).expect("looked at");
    check(&found, &[]);
    assert_eq!((found.entries, found.anchor), (0, AnchorCheck::OlderThanKept));
    assert_eq!(store.note(&[entry(202)]), Ok(202), "numbers go on");
    store.close().expect("closed");
    check(&verified(tampered.folder.path(), &Anchored::Never), &[]);
}

#[test]
fn a_page_goes_on_where_the_last_ended() {
    let store = Store::in_memory().expect("memory");
    let entries: Vec<_> = (1..=25).map(entry).collect();
    store.note(&entries).expect("noted");
    let mut before = None;
    let mut seen = Vec::new();
    loop {
        let page = store.history(&Filter::default(), before, 10).expect("readable");
        seen.extend(numbers(&page));
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, (1..=25).rev().collect::<Vec<u64>>());
    assert_eq!(
        store
            .history(&Filter::default(), None, 25)
            .expect("readable")
            .before,
        None
    );
    assert_eq!(
        numbers(&store.history(&Filter::default(), Some(1), 5).expect("readable")),
        [0; 0]
    );
}

fn numbers(page: &Page) -> Vec<u64> {
    page.lines.iter().map(|line| line.seq).collect()
}

#[test]
fn filters_and_words_find_what_fits() {
    let store = Store::in_memory().expect("memory");
    let entries: Vec<_> = (1..=60).map(entry).collect();
    store.note(&entries).expect("noted");
    let find = |filter: &Filter| numbers(&store.history(filter, None, 100).expect("readable"));
    let text = |text: &str| Filter {
        text: text.to_owned(),
        ..Filter::default()
    };
    assert_eq!(find(&Filter::default()).len(), 60);
    let server = Filter {
        server: Some("server-2".to_owned()),
        ..Filter::default()
    };
    assert_eq!(find(&server).len(), 20);
    let outcome = Filter {
        outcomes: vec![Outcome::Declined, Outcome::Dismissed],
        ..Filter::default()
    };
    assert!(!find(&outcome).is_empty());
    for seq in find(&outcome) {
        let number = u32::try_from(seq).expect("small");
        assert!(matches!(
            entry(number).outcome,
            Outcome::Declined | Outcome::Dismissed
        ));
    }
    let kind = Filter {
        kinds: vec![Kind::Link],
        ..Filter::default()
    };
    assert_eq!(find(&kind), [56, 51, 46, 41, 36, 31, 26, 21, 16, 11, 6, 1]);
    let second = |seq: u32| {
        entry(seq)
            .at
            .parse::<jiff::Timestamp>()
            .expect("a time")
            .as_second()
    };
    let time = Filter {
        from: Some(second(10)),
        to: Some(second(12)),
        ..Filter::default()
    };
    assert_eq!(find(&time), [12, 11, 10]);
    for (words, expected) in [
        ("number 7?", vec![57, 47, 37, 27, 17, 7]),
        ("BANK-10.EXAMPLE", vec![10]),
        ("büro CUSTOMER 33", vec![33]),
        ("nowhere to be found", vec![]),
    ] {
        assert_eq!(find(&text(words)), expected, "{words}");
    }
    // A page of a search goes on as well.
    let first = store.history(&text("bank"), None, 4).expect("readable");
    assert_eq!(numbers(&first), [60, 58, 56, 54]);
    let second_page = store.history(&text("bank"), first.before, 4).expect("readable");
    assert_eq!(numbers(&second_page), [52, 50, 48, 46]);
}

#[test]
fn an_entry_that_was_changed_is_shown_as_unreadable() {
    let tampered = Tampered::new();
    let connection = Connection::open(tampered.folder.path().join("countersign.db")).expect("open");
    connection
        .execute("UPDATE history SET what = 'declined' WHERE what = 'accepted'", [])
        .expect("changed");
    drop(connection);
    let store = whole(tampered.folder.path());
    let page = store.history(&Filter::default(), None, 200).expect("readable");
    let unreadable = page.lines.iter().filter(|line| line.entry.is_none()).count();
    assert!(unreadable > 0);
    for line in &page.lines {
        if let Some(found) = &line.entry {
            assert_eq!(*found, entry(u32::try_from(line.seq).expect("small")));
        }
    }
    let mut bytes = Vec::new();
    store
        .export(&Filter::default(), |_| true, Format::Csv, &mut bytes)
        .expect("written");
    let text = String::from_utf8(bytes).expect("text");
    assert_eq!(text.matches(",unreadable,").count(), unreadable);
}

#[test]
fn an_export_holds_every_entry_and_values_only_where_they_were_kept() {
    let store = Store::in_memory().expect("memory");
    let mut entries: Vec<_> = (1..=1234).map(entry).collect();
    entries[3].values = vec![Shown {
        name: "amount".to_owned(),
        text: "=12".to_owned(),
    }];
    store.note(&entries).expect("noted");
    let exported = |format| {
        let mut bytes = Vec::new();
        assert_eq!(
            store.export(&Filter::default(), |_| true, format, &mut bytes),
            Ok(1234)
        );
        String::from_utf8(bytes).expect("text")
    };
    let csv = exported(Format::Csv);
    assert_eq!(csv.matches("\r\n").count(), 1235);
    assert_eq!(csv.matches("amount==12").count(), 1);
    let json: serde_json::Value = serde_json::from_str(&exported(Format::Json)).expect("JSON");
    let lines = json["entries"].as_array().expect("a list");
    assert_eq!(lines.len(), 1234);
    assert_eq!(
        lines.iter().filter(|line| line.get("values").is_some()).count(),
        1
    );
}

#[test]
fn a_history_in_memory_is_a_chain_too() {
    let database = Database::in_memory().expect("memory");
    let store = database
        .unlock(&master())
        .map_err(|refused| refused.error)
        .expect("ours");
    store.note(&[entry(1)]).expect("noted");
    check(&store.verify(&Anchored::Never).expect("looked at"), &[]);
}
