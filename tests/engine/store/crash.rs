//! The store is ended by abort at each of its points, while it saves: the file always opens, nothing that was saved is
//! lost, nothing is half.

use super::{database, draft, entry, master, save, whole};
use countersign_core::clock::HeldClock;
use countersign_core::fault::{self, Point};
use countersign_core::store::history::chain::{Anchored, Head, Keep};
use countersign_core::store::history::find::Filter;
use countersign_core::store::keys::{KeyStore, KeyTrouble, Keys};
use countersign_core::store::place::Place;
use countersign_core::store::{CallSave, Database, Draft, Expect, Store};
use countersign_core::view::{AskId, CallId};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use zeroize::Zeroizing;

const FOLDER: &str = "COUNTERSIGN_TEST_FOLDER";
/// Calls that the child makes. Each leaves a line of what was promised.
const CALLS: u32 = 4;

/// Keeps nothing, and is always there.
struct Nowhere;

impl KeyStore for Nowhere {
    fn get(&mut self, _: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyTrouble> {
        Ok(None)
    }

    fn set(&mut self, _: &str, _: &[u8]) -> Result<(), KeyTrouble> {
        Ok(())
    }

    fn remove(&mut self, _: &str) -> Result<(), KeyTrouble> {
        Ok(())
    }

    fn unlock(&mut self) -> Result<(), KeyTrouble> {
        Ok(())
    }
}

/// What the child works on, and where it writes what it was promised.
struct Work {
    folder: PathBuf,
    promised: std::fs::File,
}

impl Work {
    fn promise(&mut self, line: &str) {
        writeln!(self.promised, "{line}").expect("written");
        self.promised.sync_all().expect("synced");
    }

    fn run(&mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let (file, _) = database(&self.folder).expect("it opens");
        let store = file
            .unlock(&master())
            .map_err(|refused| refused.error)
            .expect("its key");
        let keys = Keys::new(Box::new(Nowhere));
        store.on_head(keys.anchoring(store.id()));
        self.promise("opened");
        for id in 1..=CALLS {
            self.call(&store, id);
            // The anchor goes out on a thread of its own; its points are passed before the next call.
            runtime.block_on(keys.anchored(store.id()));
        }
        store.put("name", Some(b"value")).expect("kept");
        self.promise("value");
        store.visit("server-1", "bank.example", b"visit").expect("noted");
        self.promise("visit");
        store.forget_results(Some(&[CallId(1)])).expect("forgotten");
        self.promise("forgotten 1");
        store.remove(&[CallId(1)]).expect("removed");
        self.promise("removed 1");
        store
            .retain(Keep::Newest(2), &HeldClock::default())
            .expect("done");
        self.promise("retained");
        store.close().expect("closed");
        self.promise("closed");

        // A damaged file, so that setting aside has its points too.
        std::fs::write(self.folder.join("countersign.db-wal"), "a stray").expect("written");
        std::fs::rename(self.folder.join("countersign.db"), self.folder.join("moved")).expect("moved");
        let (file, aside) = database(&self.folder).expect("a fresh one");
        assert!(aside.is_some());
        drop(file);
    }

    fn call(&mut self, store: &Store, id: u32) {
        save(store, id, Expect::New, &format!("call {id} asking")).expect("saved");
        self.promise(&format!("asking {id}"));
        draft(store, id * 10, id, Some(&format!("draft {id}"))).expect("saved");
        self.promise(&format!("draft {id}"));
        let saved = store
            .save(&CallSave {
                id: CallId(id),
                server: "server-1",
                open: false,
                last_ask: AskId(id * 10),
                expect: Expect::Seq(1),
                record: format!("call {id} claimed").as_bytes(),
                result: Some(format!("result {id}").as_bytes()),
                drafts: &[Draft {
                    ask: AskId(id * 10),
                    call: CallId(id),
                    text: None,
                }],
                history: &[entry(id)],
            })
            .expect("saved");
        assert_eq!(saved.first_entry, Some(u64::from(id)));
        self.promise(&format!("claimed {id}"));
    }
}

#[test]
fn a_child_works_on_a_store() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = PathBuf::from(folder);
    let promised = std::fs::File::create(folder.join("promised")).expect("made");
    Work { folder, promised }.run();
}

/// Runs the child. True: it came to its end.
fn run(folder: &Path, point: Point, count: u32) -> bool {
    #[expect(clippy::disallowed_methods, reason = "a test starts itself")]
    let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
    let status = command
        .args([
            "--exact",
            "store::crash::a_child_works_on_a_store",
            "--test-threads=1",
        ])
        .env(FOLDER, folder)
        .env(fault::VARIABLE, format!("{}:{count}", point.name()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it ran");
    if status.success() {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const ABORT: i32 = 6;
        assert_eq!(
            status.signal(),
            Some(ABORT),
            "{} {count}: it failed instead",
            point.name()
        );
    }
    false
}

/// What is there after a crash is what was promised, and at most the one change more that was under way.
fn look(folder: &Path, what: &str) {
    let promised = std::fs::read_to_string(folder.join("promised")).unwrap_or_default();
    let was = |line: &str| promised.lines().any(|promise| promise == line);
    if was("closed") {
        // The file was moved away on purpose. What is left opens, with at most one file set aside for each try.
        let (file, _) =
            Database::open(Place::take(folder).expect("free"), &HeldClock::default()).expect(what);
        drop(
            file.unlock(&master())
                .map_err(|refused| refused.error)
                .expect(what),
        );
        let moved = tempfile::tempdir().expect("a folder");
        std::fs::copy(folder.join("moved"), moved.path().join("countersign.db")).expect("copied");
        return look_inside(&whole(moved.path()), &promised, what);
    }
    // `whole` also says that nothing was set aside.
    look_inside(&whole(folder), &promised, what);
}

fn look_inside(store: &Store, promised: &str, what: &str) {
    let was = |line: String| promised.lines().any(|promise| promise == line);
    let (open, ended) = (
        store.open_calls().expect(what),
        store.finished_calls(100).expect(what),
    );
    assert!(
        open.unreadable.is_empty() && ended.unreadable.is_empty(),
        "{what}"
    );
    let page = store.history(&Filter::default(), None, 100).expect(what);
    let entries: Vec<u64> = page.lines.iter().map(|line| line.seq).collect();
    let under_way = |id: u32| !promised.lines().any(|line| line == format!("asking {}", id + 1));
    for id in 1..=CALLS {
        let asking = open.calls.iter().find(|call| call.id == CallId(id));
        let claimed = ended.calls.iter().find(|call| call.id == CallId(id));
        let gone = id == 1 && was("forgotten 1".to_owned());
        assert!(
            !was(format!("asking {id}")) || asking.is_some() || claimed.is_some() || gone,
            "{what}: call {id}"
        );
        if let Some(call) = asking {
            assert_eq!(call.record, format!("call {id} asking").as_bytes(), "{what}");
            assert!(!was(format!("claimed {id}")), "{what}: the claim of {id} is lost");
            if was(format!("draft {id}")) {
                assert_eq!(
                    call.drafts,
                    [(AskId(id * 10), format!("draft {id}").into_bytes())],
                    "{what}"
                );
            }
            assert!(
                !call.has_result && !entries.contains(&u64::from(id)),
                "{what}: half of {id}"
            );
        }
        if let Some(call) = claimed {
            assert_eq!(call.record, format!("call {id} claimed").as_bytes(), "{what}");
            assert!(call.drafts.is_empty(), "{what}: a draft of {id} is left");
            let result = store.result(CallId(id)).expect(what);
            let expected = format!("result {id}").into_bytes();
            let forgotten = id == 1 && was("visit".to_owned()) && result.is_none();
            assert!(result == Some(expected) || forgotten, "{what}: result of {id}");
            let retained = was("removed 1".to_owned());
            assert!(
                entries.contains(&u64::from(id)) || retained,
                "{what}: half of {id}"
            );
            assert!(was(format!("draft {id}")) || under_way(id), "{what}");
        }
        assert!(
            !was("removed 1".to_owned()) || id != 1 || claimed.is_none(),
            "{what}: 1 is back"
        );
    }
    if was("value".to_owned()) {
        assert_eq!(
            store.get("name").expect(what).map(|value| value.to_vec()),
            Some(b"value".to_vec())
        );
    }
    if was("visit".to_owned()) {
        assert_eq!(store.visited("server-1"), Ok(vec![b"visit".to_vec()]));
    }
    assert!(
        !was("retained".to_owned()) || entries.len() == 2,
        "{what}: {entries:?}"
    );
    for line in &page.lines {
        let number = u32::try_from(line.seq).expect("small");
        assert_eq!(line.entry.as_ref(), Some(&entry(number)), "{what}");
    }
    let begun = Anchored::At(Head { seq: 0, mac: [0; 32] });
    let found = store.verify(&begun).expect(what);
    assert_eq!(found.troubles, [], "{what}");
    // And it goes on.
    save(store, 50, Expect::New, "after").expect(what);
    store.note(&[entry(50)]).expect(what);
}

/// Points of the store, in their list.
fn points() -> impl Iterator<Item = Point> {
    let names = [
        "store-", "save-", "draft-", "remove-", "results-", "value-", "visit-", "retain-", "anchor-",
    ];
    let of_store = move |point: &Point| names.iter().any(|name| point.name().starts_with(name));
    Point::ALL.iter().copied().filter(of_store)
}

#[test]
fn at_every_point_what_was_saved_is_there_and_nothing_is_half() {
    let mut runs = 0;
    for point in points() {
        let mut reached = 0;
        for count in 1..=3 {
            let folder = tempfile::tempdir().expect("a folder");
            if run(folder.path(), point, count) {
                break;
            }
            reached += 1;
            let what = format!("{} {count}", point.name());
            look(folder.path(), &what);
        }
        assert!(reached > 0, "nothing passes {}", point.name());
        runs += reached;
    }
    println!("{runs} ends at {} points", points().count());
    assert!(points().count() >= 20);
}

#[test]
fn without_a_point_the_child_comes_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(folder.path(), Point::SaveCommitted, 1000));
    look(folder.path(), "the end");
}
