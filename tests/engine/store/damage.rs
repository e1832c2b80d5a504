//! A file that cannot be used is set aside and said so; no bytes in it are a panic.

use super::{database, draft, entry, kept, master, opened, save, whole};
use countersign_core::store::history::chain::Anchored;
use countersign_core::store::history::find::Filter;
use countersign_core::store::{Expect, Store};
use countersign_core::view::{AskId, CallId};
use std::path::{Path, PathBuf};

fn filled(folder: &Path) {
    let store = whole(folder);
    fill(&store);
    store.close().expect("closed");
}

fn fill(store: &Store) {
    for id in 1..=12 {
        save(
            store,
            id,
            Expect::New,
            &format!("record {id} {}", "x".repeat(300)),
        )
        .expect("saved");
        draft(store, id, id, Some(&format!("draft {id}"))).expect("saved");
    }
    let entries: Vec<_> = (1..=12).map(entry).collect();
    store.note(&entries).expect("noted");
    store.put("name", Some(b"value")).expect("kept");
}

/// What is read is what was written, or it is said that it cannot be read.
fn look(store: &Store) {
    let known = |bytes: &[u8], word: &str| {
        assert!(
            String::from_utf8_lossy(bytes).starts_with(word),
            "made up: {bytes:?}"
        );
    };
    if let Ok(loaded) = store.open_calls() {
        for call in loaded.calls {
            known(&call.record, &format!("record {} ", call.id.0));
            call.drafts.iter().for_each(|draft| known(&draft.1, "draft "));
        }
    }
    let _ = store.finished_calls(100);
    let _ = store.result(CallId(1));
    let _ = store.last_ids();
    if let Ok(Some(value)) = store.get("name") {
        assert_eq!(value.as_slice(), b"value");
    }
    if let Ok(page) = store.history(&Filter::default(), None, 100) {
        for line in page.lines {
            if let Some(found) = line.entry {
                let number = u32::try_from(line.seq).expect("small");
                assert_eq!(found, entry(number));
            }
        }
    }
    let _ = store.verify(&Anchored::Never);
    let _ = save(store, 1, Expect::Any, "record 1 anew");
}

fn copy(from: &Path, to: &Path) {
    for name in ["countersign.db", "countersign.db-wal"] {
        let _ = std::fs::remove_file(to.join(name));
        if from.join(name).exists() {
            std::fs::copy(from.join(name), to.join(name)).expect("copied");
        }
    }
}

#[test]
fn a_file_that_is_no_database_is_set_aside_with_its_path() {
    for garbage in [
        b"this is no database at all, and longer than a header of one hundred bytes, as a letter from somebody might be".as_slice(),
        b"SQLite format 3\0",
        &[0; 4096],
        b"short",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("countersign.db"), garbage).expect("written");
        let (store, aside) = opened(folder.path()).expect("a fresh one");
        let aside = aside.expect("told");
        assert_eq!(std::fs::read(&aside.path).expect("kept"), garbage, "nothing was deleted");
        assert!(aside.notice().contains(&aside.path.display().to_string()));
        save(&store, 1, Expect::New, "new").expect("saved");
        drop(store);
        assert!(kept(&whole(folder.path()), 1).is_some());
    }
}

#[test]
fn a_database_of_another_program_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = rusqlite::Connection::open(folder.path().join("countersign.db")).expect("made");
    other
        .execute_batch("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
        .expect("filled");
    drop(other);
    let (_store, aside) = opened(folder.path()).expect("a fresh one");
    let aside = aside.expect("told");
    assert!(aside.reason.contains("another program"), "{aside:?}");
    let other = rusqlite::Connection::open(aside.path).expect("kept");
    let rows: i64 = other
        .query_row("SELECT count(*) FROM theirs", [], |row| row.get(0))
        .expect("whole");
    assert_eq!(rows, 1);
}

#[test]
fn a_newer_file_is_refused_with_words_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path());
    let file = folder.path().join("countersign.db");
    rusqlite::Connection::open(&file)
        .expect("open")
        .pragma_update(None, "user_version", 99)
        .expect("newer");
    let before = std::fs::read(&file).expect("readable");
    let refused = opened(folder.path()).err().expect("refused");
    assert_eq!(refused.code(), "newer");
    assert!(refused.to_string().contains("newer Countersign"), "{refused}");
    assert_eq!(std::fs::read(&file).expect("readable"), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("the folder").count(),
        2,
        "the file and the lock"
    );
}

#[test]
fn after_an_unclean_end_the_file_is_looked_at_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path());
    let (file, _) = database(folder.path()).expect("it opens");
    assert!(!file.was_unclean());
    // What a kill leaves: the files as they are while they are in use.
    let other = tempfile::tempdir().expect("a folder");
    copy(folder.path(), other.path());
    drop(file);
    let (file, aside) = database(other.path()).expect("it opens");
    assert!(file.was_unclean() && aside.is_none());
    drop(file);

    // The same with pages that are broken inside: a look at the header would not notice.
    copy(folder.path(), other.path());
    let path = other.path().join("countersign.db");
    let connection = rusqlite::Connection::open(&path).expect("open");
    connection
        .execute("UPDATE meta SET value = 1 WHERE name = 'unclean'", [])
        .expect("marked");
    let page: i64 = connection
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'kept'",
            [],
            |row| row.get(0),
        )
        .expect("a page");
    drop(connection);
    let mut bytes = std::fs::read(&path).expect("readable");
    let at = usize::try_from(page - 1).expect("small") * 4096;
    bytes[at..at + 64].fill(0xee);
    std::fs::write(&path, bytes).expect("written");
    let (_file, aside) = database(other.path()).expect("a fresh one");
    assert!(aside.expect("told").path.exists());
}

#[test]
fn a_journal_whose_database_is_gone_is_set_aside_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    fill(&store);
    // The journal of one database beside another would be played into it.
    let other = tempfile::tempdir().expect("a folder");
    copy(folder.path(), other.path());
    std::fs::remove_file(other.path().join("countersign.db")).expect("gone");
    let (fresh, aside) = opened(other.path()).expect("a fresh one");
    assert!(aside.is_some());
    assert!(fresh.open_calls().expect("readable").calls.is_empty());
}

#[test]
fn a_changed_record_is_said_and_the_others_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path());
    let connection = rusqlite::Connection::open(folder.path().join("countersign.db")).expect("open");
    connection
        .execute_batch(
            "UPDATE calls SET sealed = (SELECT sealed FROM calls WHERE id = 2) WHERE id = 3; \
             UPDATE calls SET server = 'other' WHERE id = 4; \
             UPDATE calls SET seq = 7 WHERE id = 5; \
             UPDATE calls SET open = 0 WHERE id = 6; \
             UPDATE drafts SET sealed = (SELECT sealed FROM drafts WHERE ask = 8) WHERE ask = 7; \
             UPDATE kept SET sealed = x'00'",
        )
        .expect("changed");
    drop(connection);
    let store = whole(folder.path());
    let loaded = store.open_calls().expect("readable");
    assert_eq!(loaded.unreadable, [3, 4, 5]);
    assert_eq!(loaded.unreadable_drafts, [7]);
    let ids: Vec<u32> = loaded.calls.iter().map(|call| call.id.0).collect();
    assert_eq!(ids, [1, 2, 7, 8, 9, 10, 11, 12]);
    assert!(
        loaded.calls[2].drafts.is_empty(),
        "another question's draft is not taken for its own"
    );
    assert_eq!(store.finished_calls(5).expect("readable").unreadable, [6]);
    assert_eq!(
        store.get("name").map(|_| ()).map_err(|error| error.code()),
        Err("unopened")
    );
}

#[test]
fn numbers_that_a_stranger_wrote_are_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path());
    let connection = rusqlite::Connection::open(folder.path().join("countersign.db")).expect("open");
    connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; \
             UPDATE calls SET id = 4294967295 WHERE id = 12; \
             UPDATE calls SET id = 1099511627776 WHERE id = 11; \
             UPDATE calls SET id = -1 WHERE id = 10; \
             UPDATE calls SET server = CAST(x'ff' AS TEXT) WHERE id = 9; \
             UPDATE meta SET value = 4294967295 WHERE name = 'ids'",
        )
        .expect("changed");
    drop(connection);
    let store = whole(folder.path());
    let loaded = store.open_calls().expect("the others are there");
    assert_eq!(loaded.calls.len(), 8);
    assert_eq!(loaded.unreadable, [-1, 9, 4_294_967_295, 1_099_511_627_776]);
    assert_eq!(store.last_ids(), Ok((CallId(8), AskId(0))));
    save(&store, 13, Expect::New, "record 13").expect("saved");
    assert_eq!(store.last_ids(), Ok((CallId(13), AskId(130))));
}

#[test]
fn what_a_stranger_adds_to_the_tables_does_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path());
    let connection = rusqlite::Connection::open(folder.path().join("countersign.db")).expect("open");
    connection
        .execute_batch("CREATE TRIGGER theirs AFTER INSERT ON kept BEGIN DELETE FROM calls; END")
        .expect("added");
    drop(connection);
    let store = whole(folder.path());
    store.put("other", Some(b"value")).expect("kept");
    assert_eq!(store.open_calls().expect("readable").calls.len(), 12);
}

/// Offsets over a whole file: every byte of the first header, then a prime apart.
fn offsets(length: usize, step: usize) -> impl Iterator<Item = usize> {
    (0..100)
        .chain((100..length).step_by(step))
        .filter(move |offset| *offset < length)
}

fn flipped(folder: &Path, other: &Path, name: &str, step: usize) -> (usize, usize) {
    let length = std::fs::metadata(folder.join(name)).expect("there").len();
    let (mut tried, mut asides) = (0, 0);
    for offset in offsets(usize::try_from(length).expect("small"), step) {
        copy(folder, other);
        let path = other.join(name);
        let mut bytes = std::fs::read(&path).expect("readable");
        bytes[offset] ^= 0xff;
        std::fs::write(&path, bytes).expect("written");
        tried += 1;
        match database(other) {
            Ok((file, aside)) => {
                asides += usize::from(aside.is_some());
                if let Some(aside) = aside {
                    std::fs::remove_file(aside.path).expect("removed");
                    drop(file);
                } else if let Ok(store) = file.unlock(&master()) {
                    look(&store);
                }
            }
            Err(error) => assert_eq!(error.code(), "newer", "{name} byte {offset}: {error}"),
        }
        for file in leftovers(other) {
            std::fs::remove_file(file).expect("removed");
        }
    }
    (tried, asides)
}

fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("the folder");
    let paths = files.map(|file| file.expect("a file").path());
    paths
        .filter(|path| path.to_string_lossy().contains("damaged"))
        .collect()
}

#[test]
fn no_byte_of_a_closed_file_is_a_panic_or_a_made_up_record() {
    let (folder, other) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    filled(folder.path());
    let (tried, asides) = flipped(folder.path(), other.path(), "countersign.db", 211);
    println!("{tried} bytes changed, {asides} files set aside");
    assert!(tried > 300 && asides > 20, "{tried} {asides}");
}

#[test]
fn no_byte_of_a_journal_is_a_panic_or_a_made_up_record() {
    let (folder, other) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let store = whole(folder.path());
    fill(&store);
    let (tried, _) = flipped(folder.path(), other.path(), "countersign.db-wal", 1009);
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_file_that_ends_anywhere_is_no_panic() {
    let (folder, other) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    filled(folder.path());
    let whole_file = std::fs::read(folder.path().join("countersign.db")).expect("readable");
    for length in (0..whole_file.len()).step_by(1531) {
        std::fs::write(other.path().join("countersign.db"), &whole_file[..length]).expect("written");
        let (file, _) = database(other.path()).expect("it opens, or a fresh one does");
        if let Ok(store) = file.unlock(&master()) {
            look(&store);
        }
        for file in leftovers(other.path()) {
            std::fs::remove_file(file).expect("removed");
        }
    }
}
