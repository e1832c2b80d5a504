//! Where the key of the store is: the key store of the system, else at the person's word a file, else memory.
//!
//! Promises: the system's key store is asked on a thread of its own, with a limit of [`LIMIT`] for each question, so that
//! it can hold up neither the start nor a claim; that it is not there, locked, silent or failing are told apart
//! ([`KeyTrouble`]), and each can be asked again at any time; nothing of it is cached. A key that is gone is told as
//! [`KeyTrouble::Gone`], and no other is put in its place. A key is used only after it was read back.
//!
//! The anchor of the history goes the same way, after the entry is on the disk, the newest only.
//!
//! Deliberately absent: a password of our own. A key file ([`file`]) protects from other accounts only.

pub mod file;
mod system;

pub use system::system;

use super::history::chain::{Anchored, Head};
use super::seal::Master;
use crate::fault::{self, Point};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use zeroize::Zeroizing;

/// How long the key store may take for a question.
pub const LIMIT: Duration = Duration::from_secs(5);
/// How long a person may take to unlock it.
pub const UNLOCK_LIMIT: Duration = Duration::from_secs(180);

/// A key store: names and secrets. It is used on one thread, and may take its time.
pub trait KeyStore: Send {
    /// What is kept under a name; `None`: nothing.
    ///
    /// # Errors
    /// That it could not be asked.
    fn get(&mut self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyTrouble>;

    /// Keeps a secret under a name, in place of what was there.
    ///
    /// # Errors
    /// That it could not be kept.
    fn set(&mut self, name: &str, secret: &[u8]) -> Result<(), KeyTrouble>;

    /// Forgets what is under a name, if there is anything.
    ///
    /// # Errors
    /// That it could not be asked.
    fn remove(&mut self, name: &str) -> Result<(), KeyTrouble>;

    /// Lets the system ask the person to unlock it, or to set one up.
    ///
    /// # Errors
    /// [`KeyTrouble::Locked`] when the person did not.
    fn unlock(&mut self) -> Result<(), KeyTrouble>;
}

/// Why there is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyTrouble {
    #[error("This system has no key store that is running ({reason}).")]
    Absent { reason: String },
    #[error("The key store is locked, or not set up yet.")]
    Locked,
    #[error("The key store did not answer within {} seconds.", .limit.as_secs())]
    Silent { limit: Duration },
    #[error("The key store failed: {reason}.")]
    Failing { reason: String },
    /// The key store answers, and the key of this file is not in it.
    #[error(
        "The key of your kept questions and history is no longer in the key store. Nothing was deleted: bring the key \
         back, or set the file aside and begin with a new one."
    )]
    Gone,
}

/// The key store on its thread. Clones share it; the thread ends with the last.
#[derive(Clone)]
pub struct Keys {
    jobs: mpsc::Sender<Job>,
    anchor_trouble: Arc<Mutex<Option<KeyTrouble>>>,
}

type Job = Box<dyn FnOnce(&mut dyn KeyStore) + Send>;

impl KeyTrouble {
    /// For programs and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "absent",
            Self::Locked => "locked",
            Self::Silent { .. } => "silent",
            Self::Failing { .. } => "failing",
            Self::Gone => "gone",
        }
    }

    fn failing(reason: impl Into<String>) -> Self {
        Self::Failing {
            reason: reason.into(),
        }
    }
}

impl Keys {
    /// Starts the thread. Nothing is asked yet.
    pub fn new(mut store: Box<dyn KeyStore>) -> Self {
        let (jobs, queue) = mpsc::channel::<Job>();
        // Without a thread nothing listens to the queue, and every question hears so.
        let _ = std::thread::Builder::new()
            .name("key store".to_owned())
            .spawn(move || {
                while let Ok(job) = queue.recv() {
                    job(&mut *store);
                }
            });
        Self {
            jobs,
            anchor_trouble: Arc::default(),
        }
    }

    /// The key of a file ([`super::Database::id`], [`super::Database::has_key`]); a fresh one, kept and read back, for a
    /// file that has none yet.
    ///
    /// # Errors
    /// [`KeyTrouble::Gone`] where the file has a key and the key store does not.
    pub async fn master(&self, id: &str, has_key: bool) -> Result<Master, KeyTrouble> {
        let name = key_name(id);
        self.ask(LIMIT, move |store| {
            if let Some(kept) = store.get(&name)? {
                return read(&kept);
            }
            if has_key {
                return Err(KeyTrouble::Gone);
            }
            let fresh = Master::fresh().map_err(|error| KeyTrouble::failing(error.to_string()))?;
            keep(store, &name, &fresh)?;
            Ok(fresh)
        })
        .await
    }

    /// Takes a key that was elsewhere before, such as in a key file.
    ///
    /// # Errors
    /// That it could not be kept; then it is still elsewhere only.
    pub async fn keep(&self, id: &str, master: &Master) -> Result<(), KeyTrouble> {
        let name = key_name(id);
        let copy = Master::from_bytes(master.bytes()).ok_or(KeyTrouble::Gone)?;
        self.ask(LIMIT, move |store| keep(store, &name, &copy)).await
    }

    /// Lets the system ask the person to unlock the key store.
    ///
    /// # Errors
    /// [`KeyTrouble::Locked`] when the person did not.
    pub async fn unlock(&self) -> Result<(), KeyTrouble> {
        self.ask(UNLOCK_LIMIT, |store| store.unlock()).await
    }

    /// Forgets the key and the anchor of a file, at the person's word.
    ///
    /// # Errors
    /// That the key store could not be asked.
    pub async fn forget(&self, id: &str) -> Result<(), KeyTrouble> {
        let names = [key_name(id), anchor_name(id)];
        self.ask(LIMIT, move |store| {
            names.iter().try_for_each(|name| store.remove(name))
        })
        .await
    }

    /// What the key store knows of the history of a file.
    pub async fn anchored(&self, id: &str) -> Anchored {
        let name = anchor_name(id);
        match self.ask(LIMIT, move |store| store.get(&name)).await {
            Ok(None) => Anchored::Never,
            Ok(Some(text)) => match std::str::from_utf8(&text).ok().and_then(Head::from_text) {
                Some(head) => Anchored::At(head),
                None => {
                    Anchored::Unseen("What the key store keeps of the history cannot be read.".to_owned())
                }
            },
            Err(trouble) => Anchored::Unseen(trouble.to_string()),
        }
    }

    /// For [`super::Store::on_head`]: brings each new head to the key store, later and without waiting; of many at once
    /// only the newest.
    pub fn anchoring(&self, id: &str) -> impl Fn(Head) + Send + use<> {
        let name = anchor_name(id);
        let (jobs, trouble) = (self.jobs.clone(), self.anchor_trouble.clone());
        let newest = Arc::new(Mutex::new(None::<Head>));
        move |head| {
            let waits = newest
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .replace(head)
                .is_some();
            if waits {
                return;
            }
            let (name, newest, trouble) = (name.clone(), newest.clone(), trouble.clone());
            let job: Job = Box::new(move |store| {
                let head = newest.lock().unwrap_or_else(PoisonError::into_inner).take();
                let Some(head) = head else { return };
                fault::at(Point::AnchorBegun);
                let done = store.set(&name, head.to_text().as_bytes());
                fault::at(Point::AnchorDone);
                *trouble.lock().unwrap_or_else(PoisonError::into_inner) = done.err();
            });
            // Without a thread there is no anchor, which `verify` says.
            let _ = jobs.send(job);
        }
    }

    /// Why the last anchor could not be kept, if so. The next entry tries again.
    pub fn anchor_trouble(&self) -> Option<KeyTrouble> {
        self.anchor_trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn ask<T: Send + 'static>(
        &self,
        limit: Duration,
        question: impl FnOnce(&mut dyn KeyStore) -> Result<T, KeyTrouble> + Send + 'static,
    ) -> Result<T, KeyTrouble> {
        let (sender, answer) = oneshot::channel();
        let job: Job = Box::new(move |store| {
            // Nobody waits any more: a question that stood in line behind a silent one is not asked.
            if !sender.is_closed() {
                let _ = sender.send(question(store));
            }
        });
        let ended = || KeyTrouble::failing("its thread has ended");
        self.jobs.send(job).map_err(|_| ended())?;
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_| Err(ended())),
            Err(_) => Err(KeyTrouble::Silent { limit }),
        }
    }
}

fn keep(store: &mut dyn KeyStore, name: &str, master: &Master) -> Result<(), KeyTrouble> {
    store.set(name, master.bytes())?;
    let back = store.get(name)?;
    if back.is_some_and(|back| back.as_slice() == master.bytes()) {
        Ok(())
    } else {
        Err(KeyTrouble::failing("it does not keep what it is given"))
    }
}

fn read(kept: &[u8]) -> Result<Master, KeyTrouble> {
    Master::from_bytes(kept).ok_or_else(|| KeyTrouble::failing("what it keeps under our name is no key"))
}

fn key_name(id: &str) -> String {
    format!("key {id}")
}

fn anchor_name(id: &str) -> String {
    format!("history {id}")
}
