//! Where the key is: a key store that is there, absent, locked, silent, failing, or has lost its key.

use super::{database, entry, kept, save, whole};
use countersign_core::clock::HeldClock;
use countersign_core::store::history::chain::{AnchorCheck, Anchored, Head};
use countersign_core::store::keys::{KeyStore, KeyTrouble, Keys, LIMIT, file};
use countersign_core::store::place::Place;
use countersign_core::store::seal::Master;
use countersign_core::store::{Database, Expect, Store};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// A key store as a test wants it. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Fake(Arc<Mutex<Inside>>);

#[derive(Default)]
pub(crate) struct Inside {
    mood: Mood,
    pub(crate) kept: BTreeMap<String, Vec<u8>>,
    asked: u32,
    /// It says that it keeps something, and does not.
    forgets: bool,
    /// Told whenever something was set.
    told: Option<Sender<String>>,
}

#[derive(Default)]
pub(crate) enum Mood {
    #[default]
    Present,
    Absent,
    Locked,
    Failing,
    /// Until the other end of the channel is dropped.
    Silent(Receiver<()>),
}

impl Fake {
    pub(crate) fn mood(&self, mood: Mood) {
        self.0.lock().expect("no panic").mood = mood;
    }

    pub(crate) fn inside<T>(&self, look: impl FnOnce(&mut Inside) -> T) -> T {
        look(&mut self.0.lock().expect("no panic"))
    }

    pub(crate) fn keys(&self) -> Keys {
        Keys::new(Box::new(self.clone()))
    }

    fn answer(&self) -> Result<(), KeyTrouble> {
        let silent = self.inside(|inside| {
            inside.asked += 1;
            match &inside.mood {
                Mood::Present => Ok(None),
                Mood::Absent => Err(KeyTrouble::Absent {
                    reason: "no bus".to_owned(),
                }),
                Mood::Locked => Err(KeyTrouble::Locked),
                Mood::Failing => Err(KeyTrouble::Failing {
                    reason: "broken".to_owned(),
                }),
                Mood::Silent(_) => Ok(Some(std::mem::take(&mut inside.mood))),
            }
        })?;
        if let Some(Mood::Silent(until)) = silent {
            let _ = until.recv();
        }
        Ok(())
    }
}

impl KeyStore for Fake {
    fn get(&mut self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyTrouble> {
        self.answer()?;
        Ok(self.inside(|inside| inside.kept.get(name).cloned().map(Zeroizing::new)))
    }

    fn set(&mut self, name: &str, secret: &[u8]) -> Result<(), KeyTrouble> {
        self.answer()?;
        self.inside(|inside| {
            if !inside.forgets {
                inside.kept.insert(name.to_owned(), secret.to_vec());
            }
            if let Some(told) = &inside.told {
                told.send(name.to_owned()).expect("heard");
            }
        });
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<(), KeyTrouble> {
        self.answer()?;
        self.inside(|inside| inside.kept.remove(name));
        Ok(())
    }

    fn unlock(&mut self) -> Result<(), KeyTrouble> {
        self.inside(|inside| {
            if matches!(inside.mood, Mood::Locked) {
                inside.mood = Mood::Present;
            }
        });
        self.answer()
    }
}

/// Opens a folder with the key of a key store.
async fn with_keys(folder: &Path, keys: &Keys) -> Result<Store, KeyTrouble> {
    let (file, _) = database(folder).expect("it opens");
    let master = keys.master(file.id(), file.has_key()).await?;
    let store = file.unlock(&master).map_err(|refused| refused.error);
    Ok(store.expect("its own key"))
}

#[tokio::test]
async fn the_first_key_is_made_once_and_found_again() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    let store = with_keys(folder.path(), &fake.keys()).await.expect("a key");
    save(&store, 1, Expect::New, "first").expect("saved");
    drop(store);
    assert_eq!(fake.inside(|inside| inside.kept.len()), 1);
    let store = with_keys(folder.path(), &fake.keys())
        .await
        .expect("the same key");
    assert_eq!(kept(&store, 1).map(|call| call.1).as_deref(), Some("first"));
    // Another folder has a key of its own.
    let other = tempfile::tempdir().expect("a folder");
    with_keys(other.path(), &fake.keys()).await.expect("a key");
    assert_eq!(fake.inside(|inside| inside.kept.len()), 2);
}

#[tokio::test]
async fn troubles_are_told_apart_and_can_be_tried_again() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    let keys = fake.keys();
    for (mood, code) in [
        (Mood::Absent, "absent"),
        (Mood::Locked, "locked"),
        (Mood::Failing, "failing"),
    ] {
        fake.mood(mood);
        let trouble = with_keys(folder.path(), &keys).await.err().expect("no key");
        assert_eq!(trouble.code(), code);
        assert!(fake.inside(|inside| inside.kept.is_empty()));
    }
    fake.mood(Mood::Locked);
    keys.unlock().await.expect("the person unlocked it");
    with_keys(folder.path(), &keys).await.expect("a key");
}

#[tokio::test(start_paused = true)]
async fn a_silent_key_store_is_given_up_after_five_seconds_and_asked_again_later() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    let keys = fake.keys();
    let (speak, silence) = channel();
    fake.mood(Mood::Silent(silence));
    assert_eq!(
        with_keys(folder.path(), &keys).await.err(),
        Some(KeyTrouble::Silent { limit: LIMIT })
    );
    assert_eq!(LIMIT.as_secs(), 5);
    // What stands in line behind it is not asked once nobody waits for it.
    assert_eq!(
        keys.forget("nothing").await,
        Err(KeyTrouble::Silent { limit: LIMIT })
    );
    tokio::time::resume();
    drop(speak);
    with_keys(folder.path(), &keys).await.expect("a key");
    let asked = fake.inside(|inside| inside.asked);
    assert!(asked <= 6, "{asked}");
}

#[tokio::test]
async fn a_key_that_is_gone_is_said_and_nothing_takes_its_place() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    let keys = fake.keys();
    let store = with_keys(folder.path(), &keys).await.expect("a key");
    save(&store, 1, Expect::New, "first").expect("saved");
    let id = store.id().to_owned();
    drop(store);
    let lost = fake.inside(|inside| std::mem::take(&mut inside.kept));

    let trouble = with_keys(folder.path(), &keys).await.err().expect("no key");
    assert_eq!(trouble, KeyTrouble::Gone);
    assert!(trouble.to_string().contains("Nothing was deleted"), "{trouble}");
    assert!(
        fake.inside(|inside| inside.kept.is_empty()),
        "no other key was made"
    );

    // It may come back.
    fake.inside(|inside| inside.kept = lost);
    drop(with_keys(folder.path(), &keys).await.expect("its key"));
    // Or the person sets the file aside.
    keys.forget(&id).await.expect("forgotten");
    let (file, _) = database(folder.path()).expect("it opens");
    let (fresh, aside) = file
        .set_aside("its key is gone", &HeldClock::default())
        .expect("a fresh one");
    assert!(aside.expect("told").path.exists());
    let master = keys.master(fresh.id(), fresh.has_key()).await.expect("a new key");
    assert!(fresh.unlock(&master).is_ok());
}

#[tokio::test]
async fn a_key_store_that_does_not_keep_or_keeps_something_else_is_no_key_store() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    fake.inside(|inside| inside.forgets = true);
    let keys = fake.keys();
    assert_eq!(
        with_keys(folder.path(), &keys)
            .await
            .err()
            .map(|trouble| trouble.code()),
        Some("failing")
    );
    let id = database(folder.path()).expect("it opens").0.id().to_owned();
    fake.inside(|inside| inside.kept.insert(format!("key {id}"), b"not a key".to_vec()));
    assert_eq!(
        with_keys(folder.path(), &keys)
            .await
            .err()
            .map(|trouble| trouble.code()),
        Some("failing")
    );
    assert_eq!(
        fake.inside(|inside| inside.kept[&format!("key {id}")].clone()),
        b"not a key"
    );
}

#[tokio::test]
async fn a_key_moves_between_a_file_and_the_key_store_at_the_persons_word() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    fake.mood(Mood::Absent);
    let keys = fake.keys();
    let (file, _) = database(folder.path()).expect("it opens");
    assert_eq!(
        keys.master(file.id(), file.has_key())
            .await
            .err()
            .map(|trouble| trouble.code()),
        Some("absent")
    );
    let place = file.place().expect("on disk");
    let master = Master::fresh().expect("random");
    file::make(place, &master).expect("made");
    let store = file
        .unlock(&master)
        .map_err(|refused| refused.error)
        .expect("its first key");
    save(&store, 1, Expect::New, "first").expect("saved");
    drop(store);

    fake.mood(Mood::Present);
    let (file, _) = database(folder.path()).expect("it opens");
    let master = file::load(file.place().expect("on disk"))
        .expect("readable")
        .expect("there");
    keys.keep(file.id(), &master).await.expect("kept");
    file::remove(file.place().expect("on disk")).expect("removed");
    drop(file);
    let store = with_keys(folder.path(), &keys).await.expect("its key");
    assert_eq!(kept(&store, 1).map(|call| call.1).as_deref(), Some("first"));
}

#[tokio::test]
async fn the_head_of_the_history_is_anchored_after_each_entry() {
    let (folder, fake) = (tempfile::tempdir().expect("a folder"), Fake::default());
    let keys = fake.keys();
    let store = with_keys(folder.path(), &keys).await.expect("a key");
    let id = store.id().to_owned();
    assert_eq!(keys.anchored(&id).await, Anchored::Never);
    store.on_head(keys.anchoring(&id));
    store.note(&[entry(1), entry(2)]).expect("noted");
    // Questions are answered in their order, so the anchor is there by now.
    assert_eq!(keys.anchored(&id).await, Anchored::At(store.head()));
    save(&store, 1, Expect::New, "no entry").expect("saved");
    assert_eq!(keys.anchored(&id).await, Anchored::At(store.head()));
    let found = store.verify(&keys.anchored(&id).await).expect("looked at");
    assert_eq!(
        (found.trouble_count, found.anchor),
        (0, AnchorCheck::Holds { newer: 0 })
    );

    // A locked key store holds up no entry; the next one anchors both.
    fake.mood(Mood::Locked);
    store.note(&[entry(3)]).expect("noted");
    assert!(matches!(keys.anchored(&id).await, Anchored::Unseen(_)));
    assert_eq!(keys.anchor_trouble(), Some(KeyTrouble::Locked));
    fake.mood(Mood::Present);
    let found = store.verify(&keys.anchored(&id).await).expect("looked at");
    assert_eq!(
        (found.trouble_count, found.anchor),
        (0, AnchorCheck::Holds { newer: 1 })
    );
    store.note(&[entry(4)]).expect("noted");
    assert_eq!(keys.anchored(&id).await, Anchored::At(store.head()));
    assert_eq!(keys.anchor_trouble(), None);
}

#[tokio::test]
async fn of_many_heads_only_the_newest_goes_to_a_slow_key_store() {
    let fake = Fake::default();
    let keys = fake.keys();
    let store = Store::in_memory().expect("memory");
    store.on_head(keys.anchoring(store.id()));
    let (speak, silence) = channel();
    let (told, heard) = channel();
    fake.inside(|inside| {
        inside.mood = Mood::Silent(silence);
        inside.told = Some(told);
    });
    for number in 1..=300 {
        store.note(&[entry(number)]).expect("noted");
    }
    drop(speak);
    assert_eq!(keys.anchored(store.id()).await, Anchored::At(store.head()));
    let times = heard.try_iter().count();
    assert!((1..=2).contains(&times), "{times}");
}

#[tokio::test]
async fn an_anchor_that_cannot_be_read_is_said() {
    let fake = Fake::default();
    fake.inside(|inside| inside.kept.insert("history one".to_owned(), b"7".to_vec()));
    let anchored = fake.keys().anchored("one").await;
    assert!(
        matches!(&anchored, Anchored::Unseen(why) if why.contains("cannot be read")),
        "{anchored:?}"
    );
    assert_eq!(Head::from_text("7"), None);
}

#[tokio::test]
async fn without_a_key_everything_goes_on_in_memory_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, _) = database(folder.path()).expect("it opens");
    let store = Store::in_memory().expect("memory");
    save(&store, 1, Expect::New, "first").expect("saved");
    assert!(kept(&store, 1).is_some() && !store.is_durable());
    drop(store);
    assert!(!file.has_key());
    drop(file);
    assert!(
        whole(folder.path())
            .open_calls()
            .expect("readable")
            .calls
            .is_empty()
    );
}

#[test]
fn the_file_waits_for_its_key_without_being_free_for_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, _) = database(folder.path()).expect("it opens");
    assert_eq!(
        Place::take(folder.path()).err().map(|error| error.code()),
        Some("in_use")
    );
    drop(file);
    let place = Place::take(folder.path()).expect("free");
    assert!(Database::open(place, &HeldClock::default()).is_ok());
}
