//! What is saved is there afterwards; who comes second hears so; who may not read sees nothing.

use super::{database, draft, entry, kept, master, opened, save, whole};
use countersign_core::clock::HeldClock;
use countersign_core::store::history::find::Filter;
use countersign_core::store::seal::Master;
use countersign_core::store::{CallSave, Draft, Expect, Store, StoreError};
use countersign_core::view::{AskId, CallId};
use std::path::Path;
use std::sync::Arc;

#[test]
fn what_is_saved_is_there_after_closing_and_after_being_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    assert!(store.is_durable());
    save(&store, 1, Expect::New, "first").expect("saved");
    draft(&store, 11, 1, Some("half a word")).expect("saved");
    store.close().expect("closed");

    let store = whole(folder.path());
    assert_eq!(
        kept(&store, 1),
        Some((1, "first".to_owned(), vec![(11, "half a word".to_owned())]))
    );
    save(&store, 1, Expect::Seq(1), "second").expect("saved");
    draft(&store, 11, 1, None).expect("saved");
    drop(store);

    let store = whole(folder.path());
    assert_eq!(kept(&store, 1), Some((2, "second".to_owned(), Vec::new())));
    assert_eq!(store.last_ids(), Ok((CallId(1), AskId(10))));
}

#[test]
fn a_change_is_kept_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    let drafts = [Draft {
        ask: AskId(3),
        call: CallId(99),
        text: Some(b"of a call that is not there"),
    }];
    let refused = store.save(&CallSave {
        id: CallId(1),
        server: "server-1",
        open: true,
        last_ask: AskId(5),
        expect: Expect::Any,
        record: b"record",
        result: Some(b"result"),
        drafts: &drafts,
        history: &[entry(1)],
    });
    assert_eq!(refused, Err(StoreError::NoCall));
    assert_eq!(kept(&store, 1), None);
    assert_eq!(store.result(CallId(1)), Ok(None));
    assert_eq!(store.head().seq, 0);
    assert_eq!(store.last_ids(), Ok((CallId(0), AskId(0))));
}

#[test]
fn a_record_travels_with_its_result_its_drafts_and_its_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    save(&store, 1, Expect::New, "asking").expect("saved");
    draft(&store, 11, 1, Some("typed")).expect("saved");
    let saved = store.save(&CallSave {
        id: CallId(1),
        server: "server-1",
        open: false,
        last_ask: AskId(11),
        expect: Expect::Seq(1),
        record: b"done",
        result: Some(b"{}"),
        drafts: &[Draft {
            ask: AskId(11),
            call: CallId(1),
            text: None,
        }],
        history: &[entry(1), entry(2)],
    });
    let saved = saved.expect("saved");
    assert_eq!((saved.seq, saved.first_entry), (2, Some(1)));
    drop(store);
    let store = whole(folder.path());
    assert!(store.open_calls().expect("readable").calls.is_empty());
    let finished = store.finished_calls(5).expect("readable");
    assert_eq!(finished.calls[0].record, b"done");
    assert!(finished.calls[0].drafts.is_empty() && finished.calls[0].has_result);
    assert_eq!(store.result(CallId(1)), Ok(Some(b"{}".to_vec())));
    assert_eq!(store.head().seq, 2);
}

#[test]
fn of_fifty_changes_of_one_state_the_first_wins_and_the_others_hear_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(whole(folder.path()));
    save(&store, 1, Expect::New, "asking").expect("saved");
    let tries: Vec<_> = (0..50)
        .map(|number| {
            let store = store.clone();
            std::thread::spawn(move || save(&store, 1, Expect::Seq(1), &format!("claimed by {number}")))
        })
        .collect();
    let ends: Vec<_> = tries
        .into_iter()
        .map(|one| one.join().expect("no panic"))
        .collect();
    let winners: Vec<usize> = (0..50).filter(|index| ends[*index].is_ok()).collect();
    assert_eq!(winners.len(), 1);
    let others = ends
        .iter()
        .filter(|end| **end == Err(StoreError::Overtaken { now: Some(2) }));
    assert_eq!(others.count(), 49);
    assert_eq!(
        kept(&store, 1).map(|call| call.1),
        Some(format!("claimed by {}", winners[0]))
    );
}

#[test]
fn what_is_expected_and_is_not_so_changes_nothing() {
    let store = Store::in_memory().expect("memory");
    assert!(!store.is_durable());
    assert_eq!(
        save(&store, 1, Expect::Seq(1), "a"),
        Err(StoreError::Overtaken { now: None })
    );
    save(&store, 1, Expect::New, "a").expect("saved");
    assert_eq!(
        save(&store, 1, Expect::New, "b"),
        Err(StoreError::Overtaken { now: Some(1) })
    );
    assert_eq!(
        save(&store, 1, Expect::Seq(2), "b"),
        Err(StoreError::Overtaken { now: Some(1) })
    );
    assert_eq!(kept(&store, 1).map(|call| call.1).as_deref(), Some("a"));
    assert_eq!(save(&store, 1, Expect::Any, "c").map(|saved| saved.seq), Ok(2));
}

#[test]
fn what_is_forgotten_is_gone_and_the_rest_stays() {
    let store = Store::in_memory().expect("memory");
    for id in 1..=6 {
        store
            .save(&CallSave {
                id: CallId(id),
                server: "server-1",
                open: id > 4,
                last_ask: AskId(id * 10),
                expect: Expect::New,
                record: b"record",
                result: Some(b"result"),
                drafts: &[Draft {
                    ask: AskId(id * 10),
                    call: CallId(id),
                    text: Some(b"draft"),
                }],
                history: &[entry(id)],
            })
            .expect("saved");
    }
    let finished = |newest| {
        let loaded = store.finished_calls(newest).expect("readable");
        loaded.calls.iter().map(|call| call.id.0).collect::<Vec<_>>()
    };
    assert_eq!(finished(10), [1, 2, 3, 4]);
    assert_eq!(finished(2), [3, 4], "the newest, in the order of their ids");
    assert_eq!(store.keep_finished(3), Ok(1));
    assert_eq!(finished(10), [2, 3, 4]);
    store.remove(&[CallId(2), CallId(5)]).expect("removed");
    assert_eq!(finished(10), [3, 4]);
    assert_eq!(store.result(CallId(2)), Ok(None), "its result went with it");
    store.forget_results(Some(&[CallId(3)])).expect("forgotten");
    assert_eq!(store.result(CallId(3)), Ok(None));
    assert_eq!(store.result(CallId(4)), Ok(Some(b"result".to_vec())));
    store.forget_results(None).expect("forgotten");
    assert_eq!(store.result(CallId(6)), Ok(None));
    assert_eq!(
        kept(&store, 6),
        Some((1, "record".to_owned(), vec![(60, "draft".to_owned())]))
    );
    assert_eq!(store.head().seq, 6, "history stays");
    assert_eq!(
        store.last_ids(),
        Ok((CallId(6), AskId(60))),
        "ids are not used again"
    );
}

#[test]
fn values_are_kept_under_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    let name = "server-1 header Authorization";
    store.put(name, Some(b"Bearer 1")).expect("kept");
    store.put(name, Some(b"Bearer 2")).expect("kept");
    store.put("other", Some(b"")).expect("kept");
    drop(store);
    let store = whole(folder.path());
    let value = |name| store.get(name).expect("readable").map(|value| value.to_vec());
    assert_eq!(value(name), Some(b"Bearer 2".to_vec()));
    assert_eq!(value("other"), Some(Vec::new()));
    assert_eq!(value("neither"), None);
    assert_eq!(store.names(), Ok(vec!["other".to_owned(), name.to_owned()]));
    store.put(name, None).expect("forgotten");
    assert_eq!(value(name), None);
}

#[test]
fn sites_are_remembered_for_the_server_that_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    store
        .visit("server-1", "bank.example", b"bank.example, once")
        .expect("noted");
    store
        .visit("server-1", "bank.example", b"bank.example, twice")
        .expect("noted");
    store
        .visit("server-2", "bank.example", b"for the other")
        .expect("noted");
    drop(store);
    let store = whole(folder.path());
    assert_eq!(
        store.visited("server-1"),
        Ok(vec![b"bank.example, twice".to_vec()])
    );
    store.forget_visited("server-1").expect("forgotten");
    assert_eq!(store.visited("server-1"), Ok(Vec::new()));
    assert_eq!(store.visited("server-2"), Ok(vec![b"for the other".to_vec()]));
}

#[test]
fn two_processes_on_one_directory_are_refused_with_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    let refused = opened(folder.path()).err().expect("taken");
    assert_eq!(refused.code(), "in_use");
    drop(store);
    drop(whole(folder.path()));
}

#[test]
fn a_wrong_key_opens_nothing_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    save(&store, 1, Expect::New, "first").expect("saved");
    drop(store);

    let (file, aside) = database(folder.path()).expect("it opens");
    assert!(file.has_key() && aside.is_none() && !file.was_unclean());
    let refused = file
        .unlock(&Master::fresh().expect("random"))
        .err()
        .expect("refused");
    assert_eq!(refused.error, StoreError::WrongKey);
    // The right one still does.
    let store = refused
        .database
        .unlock(&master())
        .map_err(|refused| refused.error);
    assert_eq!(
        kept(&store.expect("ours"), 1).map(|call| call.1).as_deref(),
        Some("first")
    );

    // At the person's word the file is set aside, with all that is in it, and a new one begun.
    let (file, _) = database(folder.path()).expect("it opens");
    let id = file.id().to_owned();
    let (fresh, aside) = file
        .set_aside("its key is missing", &HeldClock::default())
        .expect("set aside");
    let aside = aside.expect("told");
    assert!(
        aside.path.exists() && aside.notice().contains("nothing in it was deleted"),
        "{}",
        aside.notice()
    );
    assert!(!fresh.has_key() && fresh.id() != id);
    let store = fresh
        .unlock(&Master::fresh().expect("random"))
        .map_err(|refused| refused.error);
    assert_eq!(kept(&store.expect("new"), 1), None);
}

#[test]
fn a_file_without_a_key_yet_takes_the_first_for_good() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, _) = database(folder.path()).expect("it opens");
    assert!(!file.has_key());
    let id = file.id().to_owned();
    drop(file);
    let (file, _) = database(folder.path()).expect("it opens");
    assert_eq!(file.id(), id, "its name stays");
    drop(
        file.unlock(&master())
            .map_err(|refused| refused.error)
            .expect("the first key"),
    );
    let (file, _) = database(folder.path()).expect("it opens");
    assert!(file.has_key());
}

#[test]
fn nothing_of_a_person_or_a_server_stands_in_clear() {
    const CANARY: &str = "canary-7f3a9c";
    let folder = tempfile::tempdir().expect("a folder");
    let store = whole(folder.path());
    save(&store, 1, Expect::New, &format!("record {CANARY}")).expect("saved");
    draft(&store, 11, 1, Some(CANARY)).expect("saved");
    store
        .put("server-1 header X-Key", Some(CANARY.as_bytes()))
        .expect("kept");
    store
        .visit("server-1", &format!("{CANARY}.example"), CANARY.as_bytes())
        .expect("noted");
    let mut line = entry(2);
    line.server_name = format!("My {CANARY}");
    line.call_name = CANARY.to_owned();
    line.question = Some(CANARY.to_owned());
    line.arguments[0].text = CANARY.to_owned();
    if let Some(link) = &mut line.link {
        link.host = format!("{CANARY}.example");
    }
    store
        .save(&CallSave {
            id: CallId(2),
            server: "server-1",
            open: false,
            last_ask: AskId(20),
            expect: Expect::New,
            record: CANARY.as_bytes(),
            result: Some(CANARY.as_bytes()),
            drafts: &[],
            history: &[line],
        })
        .expect("saved");
    // While it is open, with its journal, and after it was closed.
    assert_eq!(files_with(folder.path(), CANARY), Vec::<String>::new());
    let filter = Filter {
        text: CANARY.to_uppercase(),
        ..Filter::default()
    };
    assert_eq!(
        store.history(&filter, None, 5).expect("readable").lines.len(),
        1,
        "it is there all the same"
    );
    store.close().expect("closed");
    assert_eq!(files_with(folder.path(), CANARY), Vec::<String>::new());
}

fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the folder");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert!(files.iter().any(|file| file.ends_with("countersign.db")));
    let holds = |path: &&std::path::PathBuf| {
        let bytes = std::fs::read(path).expect("readable");
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    files
        .iter()
        .filter(holds)
        .map(|file| file.display().to_string())
        .collect()
}

#[cfg(unix)]
#[test]
fn every_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("deep").join("er");
    let store = whole(&deep);
    save(&store, 1, Expect::New, "first").expect("saved");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&deep), 0o700);
    let mut names = Vec::new();
    for file in std::fs::read_dir(&deep).expect("the folder") {
        let path = file.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().expect("a name").to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(names, ["countersign.db", "countersign.db-wal", "lock"]);
    store.close().expect("closed");
    assert!(!deep.join("countersign.db-wal").exists(), "folded into one file");
}
