//! Opening what outlives the app: the folder, its file, the key; and where one of them cannot be had, what a person can do.
//!
//! Promises:
//! - The start does not wait for the key store. Until the key is there, calls live in memory, and the window says that they
//!   are lost on quit; once it is there, they are kept like all others.
//! - Nothing is chosen for the person: without a key store neither a key file nor a fresh file is made by itself. A file that
//!   cannot be used is left as it is, or set aside at the person's word.
//!
//! Deliberately absent: what is kept ([`crate::store`]) and how calls are taken up ([`crate::inbox`]).

use crate::app::Countersign;
use crate::store::history::chain::Anchored;
use crate::store::history::find::Filter;
use crate::store::keys::{KeyTrouble, Keys, file};
use crate::store::place::Place;
use crate::store::seal::Master;
use crate::store::{Database, Store, StoreError};
use crate::view::{Failure, KeepingAct, KeepingState, KeepingView};
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};

/// Entries of this run's history that are read at a time, when it moves into a file.
const MOVED: usize = 500;

/// Where it stands.
#[derive(Default)]
pub(crate) struct Keeping {
    standing: Standing,
    keys: Option<Arc<Keys>>,
    /// Calls of this run are kept in memory, so that there is a history of it.
    in_memory: Option<Arc<Store>>,
}

#[derive(Default)]
enum Standing {
    /// Nothing was to be kept.
    #[default]
    Nowhere,
    Opening,
    /// The folder or the file cannot be used.
    Unusable {
        folder: PathBuf,
        error: StoreError,
    },
    /// The file is there, its key is not; `None`: nobody was asked for it yet.
    Locked {
        database: Box<Database>,
        trouble: Option<Trouble>,
    },
    Kept {
        store: Arc<Store>,
        by_file: bool,
    },
}

enum Trouble {
    Key(KeyTrouble),
    Store(StoreError),
}

impl Countersign {
    /// Opens the file of a folder that was taken, or could not be. The key is asked for by [`Self::find_key`]. Before any
    /// call is started.
    pub fn keep_at(&self, folder: &Path, taken: Result<Place, StoreError>, keys: Keys) {
        self.lock_keeping().keys = Some(Arc::new(keys));
        self.open_file(folder, taken);
    }

    /// Asks for the key, and takes up what is kept. In the background: the key store may take its time.
    pub async fn find_key(&self) {
        if let Some((database, keys)) = self.take_locked() {
            self.bump();
            self.find_key_of(database, &keys).await;
        }
    }

    async fn find_key_of(&self, mut database: Database, keys: &Keys) {
        match database.place().map(file::load).transpose() {
            Ok(None | Some(None)) => {}
            Ok(Some(Some(master))) => match database.unlock(&master) {
                Ok(store) => return self.keep_with(store, None).await,
                Err(refused) => database = refused.database,
            },
            Err(error) => return self.locked(database, Trouble::Store(error)),
        }
        let (id, has_key) = (database.id().to_owned(), database.has_key());
        match keys.master(&id, has_key).await {
            Ok(master) => match database.unlock(&master) {
                Ok(store) => self.keep_with(store, Some(keys)).await,
                Err(refused) => self.locked(refused.database, Trouble::Store(refused.error)),
            },
            Err(trouble) => self.locked(database, Trouble::Key(trouble)),
        }
    }

    /// The person's word on keeping.
    ///
    /// # Errors
    /// [`Failure::not_possible`] where that is not (or no longer) offered.
    pub async fn act_on_keeping(&self, act: KeepingAct) -> Result<(), Failure> {
        if !self.keeping().acts.contains(&act) {
            return Err(Failure::not_possible("This is not possible any more."));
        }
        match act {
            KeepingAct::TryAgain => {
                self.shared.inbox.keep_all();
                let again = match &self.lock_keeping().standing {
                    Standing::Unusable { folder, .. } => Some(folder.clone()),
                    Standing::Nowhere
                    | Standing::Opening
                    | Standing::Locked { .. }
                    | Standing::Kept { .. } => None,
                };
                if let Some(folder) = again {
                    self.open_file(&folder, Place::take(&folder));
                }
                self.find_key().await;
            }
            KeepingAct::Unlock => {
                let keys = self.lock_keeping().keys.clone();
                if let Some(keys) = keys
                    && let Err(trouble) = keys.unlock().await
                {
                    return Err(Failure::not_possible(trouble.to_string()));
                }
                self.find_key().await;
            }
            KeepingAct::UseKeyFile => self.use_key_file().await?,
            KeepingAct::BeginAnew => {
                let Some((database, keys)) = self.take_locked() else {
                    return Ok(());
                };
                let folder = database.place().map(|place| place.folder().to_owned());
                match database.set_aside("its key is gone", &*self.shared.clock) {
                    Ok((database, aside)) => {
                        self.lock_notices().extend(aside.map(|aside| aside.notice()));
                        self.find_key_of(database, &keys).await;
                    }
                    Err(error) => {
                        let words = error.to_string();
                        let folder = folder.unwrap_or_default();
                        self.lock_keeping().standing = Standing::Unusable { folder, error };
                        self.bump();
                        return Err(Failure::not_possible(words));
                    }
                }
            }
            KeepingAct::StayInMemory => {
                let store = Store::in_memory().map_err(|error| Failure::not_possible(error.to_string()))?;
                let store = Arc::new(store);
                self.keep_in(&store)
                    .map_err(|error| Failure::not_possible(error.to_string()))?;
                self.lock_keeping().in_memory = Some(store);
            }
        }
        self.bump();
        Ok(())
    }

    /// What a window shows of it.
    pub fn keeping(&self) -> KeepingView {
        let unkept = self.shared.inbox.unkept();
        let keeping = self.lock_keeping();
        let chosen = keeping.in_memory.is_some();
        let (state, words, mut acts) = match &keeping.standing {
            Standing::Nowhere => (KeepingState::LostOnQuit, None, Vec::new()),
            Standing::Opening | Standing::Locked { trouble: None, .. } => {
                (KeepingState::Opening, None, Vec::new())
            }
            Standing::Unusable { error, .. } => (
                KeepingState::LostOnQuit,
                Some(error.to_string()),
                vec![KeepingAct::TryAgain],
            ),
            Standing::Locked {
                database,
                trouble: Some(trouble),
            } => {
                let (words, acts) = trouble.told(database.has_key());
                (KeepingState::LostOnQuit, Some(words), acts)
            }
            Standing::Kept { by_file: false, .. } => (KeepingState::Kept, None, Vec::new()),
            Standing::Kept { by_file: true, .. } => (KeepingState::KeptByFile, None, Vec::new()),
        };
        let kept = matches!(keeping.standing, Standing::Kept { .. });
        let words = match (words, unkept) {
            (_, Some(why)) if kept => {
                acts.push(KeepingAct::TryAgain);
                Some(format!(
                    "The latest could not be kept and would be lost on quit: {why} Nothing is sent that is not kept."
                ))
            }
            (Some(_), _) if chosen => Some(
                "Questions, drafts and history are kept until you quit, as you chose. They will be lost on quit."
                    .to_owned(),
            ),
            (Some(words), _) => Some(format!(
                "Questions, drafts and history will be lost on quit. {words}"
            )),
            (None, _) => None,
        };
        if words.is_some() && !kept && !chosen {
            acts.push(KeepingAct::StayInMemory);
        }
        KeepingView { state, words, acts }
    }

    /// What the key store knows of the history, for [`Store::verify`].
    pub async fn anchored(&self) -> Anchored {
        let (keys, id) = {
            let keeping = self.lock_keeping();
            match &keeping.standing {
                Standing::Kept {
                    store,
                    by_file: false,
                } => (keeping.keys.clone(), store.id().to_owned()),
                Standing::Kept { by_file: true, .. } => {
                    return Anchored::Unseen("The key is in a file, not in a key store.".to_owned());
                }
                Standing::Nowhere
                | Standing::Opening
                | Standing::Unusable { .. }
                | Standing::Locked { .. } => {
                    return Anchored::Unseen("The history is in memory only.".to_owned());
                }
            }
        };
        match keys {
            Some(keys) => keys.anchored(&id).await,
            None => Anchored::Unseen("There is no key store.".to_owned()),
        }
    }

    /// Lets go of the file, so that what ends now is taken up by the next start, and closes it. A part of
    /// [`Self::shut_down`]; alone it is an end without a word.
    pub fn let_go(&self) {
        self.shared.inbox.let_go();
        let mut keeping = self.lock_keeping();
        keeping.standing = Standing::Nowhere;
        keeping.in_memory = None;
    }

    fn open_file(&self, folder: &Path, taken: Result<Place, StoreError>) {
        let opened = taken.and_then(|place| Database::open(place, &*self.shared.clock));
        match opened {
            Ok((database, aside)) => {
                self.lock_notices().extend(aside.map(|aside| aside.notice()));
                let (call, ask) = database.ids_begin_after();
                self.shared.inbox.begin_after(call, ask);
                self.lock_keeping().standing = Standing::Locked {
                    database: Box::new(database),
                    trouble: None,
                };
            }
            Err(error) => {
                self.lock_keeping().standing = Standing::Unusable {
                    folder: folder.to_owned(),
                    error,
                };
            }
        }
        self.bump();
    }

    async fn use_key_file(&self) -> Result<(), Failure> {
        let Some((database, _)) = self.take_locked() else {
            return Ok(());
        };
        let made = match (Master::fresh(), database.place()) {
            (Ok(master), Some(place)) => file::make(place, &master).map(|()| master),
            (Err(error), _) => Err(error.into()),
            (Ok(_), None) => Err(StoreError::NoRandom),
        };
        match made {
            Ok(master) => match database.unlock(&master) {
                Ok(store) => self.keep_with(store, None).await,
                Err(refused) => self.locked(refused.database, Trouble::Store(refused.error)),
            },
            Err(error) => {
                let words = error.to_string();
                self.locked(database, Trouble::Store(error));
                return Err(Failure::not_possible(words));
            }
        }
        Ok(())
    }

    /// Takes up what is kept, and keeps everything from here on. `keys` where the key is in the key store.
    async fn keep_with(&self, store: Store, keys: Option<&Keys>) {
        let mut behind = Ok(());
        if let Some(keys) = keys {
            let id = store.id().to_owned();
            if let Anchored::At(head) = keys.anchored(&id).await {
                behind = store.go_on_behind(head);
            }
            store.on_head(keys.anchoring(&id));
        }
        let store = Arc::new(store);
        let in_memory = self.lock_keeping().in_memory.clone();
        let moved = in_memory.map_or(Ok(()), |memory| move_over(&memory, &store));
        match behind.and(moved).and_then(|()| self.keep_in(&store)) {
            Ok(()) => {
                let mut keeping = self.lock_keeping();
                keeping.in_memory = None;
                keeping.standing = Standing::Kept {
                    store,
                    by_file: keys.is_none(),
                };
            }
            Err(error) => {
                let folder = store.folder().unwrap_or_default();
                self.lock_keeping().standing = Standing::Unusable { folder, error };
            }
        }
        self.bump();
    }

    fn take_locked(&self) -> Option<(Database, Arc<Keys>)> {
        let mut keeping = self.lock_keeping();
        let keys = keeping.keys.clone()?;
        match std::mem::replace(&mut keeping.standing, Standing::Opening) {
            Standing::Locked { database, .. } => Some((*database, keys)),
            other @ (Standing::Nowhere
            | Standing::Opening
            | Standing::Unusable { .. }
            | Standing::Kept { .. }) => {
                keeping.standing = other;
                None
            }
        }
    }

    fn locked(&self, database: Database, trouble: Trouble) {
        self.lock_keeping().standing = Standing::Locked {
            database: Box::new(database),
            trouble: Some(trouble),
        };
        self.bump();
    }

    fn lock_keeping(&self) -> MutexGuard<'_, Keeping> {
        self.shared.keeping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trouble {
    fn told(&self, has_key: bool) -> (String, Vec<KeepingAct>) {
        let mut acts = Vec::new();
        let words = match self {
            Self::Key(trouble) => {
                match trouble {
                    KeyTrouble::Locked => acts.extend([KeepingAct::Unlock, KeepingAct::TryAgain]),
                    KeyTrouble::Absent { .. } | KeyTrouble::Silent { .. } | KeyTrouble::Failing { .. } => {
                        acts.push(KeepingAct::TryAgain);
                    }
                    KeyTrouble::Gone => acts.extend([KeepingAct::TryAgain, KeepingAct::BeginAnew]),
                }
                trouble.to_string()
            }
            Self::Store(error) => {
                acts.push(KeepingAct::TryAgain);
                if has_key && *error == StoreError::WrongKey {
                    acts.push(KeepingAct::BeginAnew);
                }
                error.to_string()
            }
        };
        if !has_key {
            acts.push(KeepingAct::UseKeyFile);
            return (words, acts);
        }
        let waits = "What was kept before is still there, and comes back with its key.";
        (format!("{words} {waits}"), acts)
    }
}

/// Moves the history and the values of this run into the file.
fn move_over(memory: &Store, store: &Store) -> Result<(), StoreError> {
    let mut entries = Vec::new();
    let mut before = None;
    loop {
        let page = memory.history(&Filter::default(), before, MOVED)?;
        entries.extend(page.lines.into_iter().filter_map(|line| line.entry));
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    entries.reverse();
    if !entries.is_empty() {
        store.note(&entries)?;
    }
    let known = store.names()?;
    for name in memory.names()? {
        if !known.contains(&name)
            && let Some(value) = memory.get(&name)?
        {
            store.put(&name, Some(&value))?;
        }
    }
    Ok(())
}
