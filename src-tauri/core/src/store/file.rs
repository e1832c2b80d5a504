//! The one file and its one connection: opening, checking, setting aside, transactions, closing.

use super::error::StoreError;
use super::history::chain::{Chain, Head};
use super::place::Place;
use super::seal::{self, Master};
use super::{Store, schema};
use crate::clock::Clock;
use crate::fault::{self, Point};
use crate::view::{AskId, CallId};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::PathBuf;
use std::time::Duration;

/// Sealed under the key of a file, to know that key by.
const CHECK: &[u8] = b"countersign";
/// Nobody else has the file open; an indexer or a backup may, for a moment.
const PATIENCE: Duration = Duration::from_secs(2);

/// An open file whose key is not known yet. Dropping it closes it.
pub struct Database {
    held: Held,
    id: String,
    has_key: bool,
    was_unclean: bool,
}

/// A key that is not the file's. The file is as it was.
pub struct Refused {
    pub database: Database,
    pub error: StoreError,
}

/// A file that could not be used was renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    pub path: PathBuf,
    pub reason: String,
}

/// How sure a write must be when it returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sureness {
    /// On the disk.
    Full,
    /// In the file, as far as this system is concerned.
    Normal,
}

pub(super) type OnHead = Box<dyn Fn(Head) + Send>;

pub(super) struct Held {
    pub(super) connection: Connection,
    pub(super) head: Head,
    pub(super) on_head: Option<OnHead>,
    sureness: Option<Sureness>,
    /// It is looked at whole when it is opened next.
    damaged: bool,
    closed: bool,
    /// Last, so that the directory is free only after the file is closed. `None`: in memory.
    pub(super) place: Option<Place>,
}

impl Aside {
    /// For a person.
    pub fn notice(&self) -> String {
        format!(
            "The file in which questions and history were kept could not be used ({}). It was set aside as {}; nothing in \
             it was deleted. Countersign goes on with a new one.",
            self.reason,
            self.path.display()
        )
    }
}

impl Database {
    /// Opens the file of a directory, or makes it. A file that is beyond use is set aside, and a fresh one made.
    ///
    /// # Errors
    /// [`StoreError::Newer`], [`StoreError::ReadOnly`], [`StoreError::Full`], [`StoreError::Folder`] or
    /// [`StoreError::Failed`].
    pub fn open(place: Place, clock: &dyn Clock) -> Result<(Self, Option<Aside>), StoreError> {
        let mut aside = None;
        if place.has_strays() {
            aside = Some(Aside {
                path: place.set_aside(&clock.local_time())?,
                reason: "its main part is missing".to_owned(),
            });
        }
        let mut database = match Held::open(&place) {
            Err(StoreError::Damaged { reason }) => {
                aside = Some(Aside {
                    path: place.set_aside(&clock.local_time())?,
                    reason,
                });
                Held::open(&place)?
            }
            opened => opened?,
        };
        database.held.place = Some(place);
        Ok((database, aside))
    }

    /// A file in memory, which ends with the process.
    ///
    /// # Errors
    /// The system gives no memory or no random bytes.
    pub fn in_memory() -> Result<Self, StoreError> {
        Held::begin(Connection::open_in_memory()?)
    }

    /// Names this file in the key store: 32 hexadecimal digits, random, made with the file.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Something was sealed in it, so only one key fits.
    pub fn has_key(&self) -> bool {
        self.has_key
    }

    /// The process that had it before did not close it. It was looked at and is whole.
    pub fn was_unclean(&self) -> bool {
        self.was_unclean
    }

    /// Ids that are free without the key: what is numbered before the file is unlocked begins after these. Whoever changes
    /// the file can make them wrong; then a kept call whose id was taken is left in the file and said to be unreadable.
    pub fn ids_begin_after(&self) -> (CallId, AskId) {
        let noted: Option<String> = meta(&self.held.connection, super::IDS_IN_CLEAR).ok().flatten();
        let both = noted.as_deref().and_then(|text| text.split_once(' '));
        let (call, ask) = both.map_or((0, 0), |(call, ask)| {
            (call.parse().unwrap_or_default(), ask.parse().unwrap_or_default())
        });
        (CallId(call), AskId(ask))
    }

    /// `None` in memory.
    pub fn place(&self) -> Option<&Place> {
        self.held.place.as_ref()
    }

    /// Takes the key: the file's own, or the first for a file that has none.
    ///
    /// # Errors
    /// [`StoreError::WrongKey`], with the file unchanged, or that the first key could not be noted.
    pub fn unlock(mut self, master: &Master) -> Result<Store, Box<Refused>> {
        fault::at(Point::StoreKeyKnown);
        let (sealer, history) = (master.sealer(), super::history_signer(master));
        let refused = |database, error| Box::new(Refused { database, error });
        let chain = Chain {
            sealer: &sealer,
            signer: &history,
            id: &self.id,
        };
        match self.held.check_key(&chain, self.has_key) {
            Ok(()) => fault::at(Point::StoreKeyChecked),
            Err(error) => return Err(refused(self, error)),
        }
        Ok(Store::new(self.held, self.id, master))
    }

    /// At the person's word: renames a file whose key is gone, or that turned out to be damaged, and makes a fresh one.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn set_aside(mut self, reason: &str, clock: &dyn Clock) -> Result<(Self, Option<Aside>), StoreError> {
        let Some(place) = self.held.place.take() else {
            return Ok((Self::in_memory()?, None));
        };
        drop(self.held);
        let path = place.set_aside(&clock.local_time())?;
        let (database, _) = Self::open(place, clock)?;
        let reason = reason.to_owned();
        Ok((database, Some(Aside { path, reason })))
    }
}

impl Held {
    fn open(place: &Place) -> Result<Database, StoreError> {
        place.make_database()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self::begin(Connection::open_with_flags(place.database(), flags)?)
    }

    fn begin(mut connection: Connection) -> Result<Database, StoreError> {
        connection.busy_timeout(PATIENCE)?;
        // What a changed schema could bring along is switched off before anything is read.
        for (switch, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true),
        ] {
            connection.set_db_config(switch, on)?;
        }
        // The directory is ours alone, so the index of the journal can be in memory. What is forgotten is overwritten.
        connection.execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON; \
             PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;",
        )?;
        let fresh = schema::bring_up(&mut connection)?;
        // The system lets it be written, so the file itself says that it must not be.
        if connection.is_readonly("main")? {
            return Err(StoreError::damaged("it says of itself that it cannot be written"));
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        let was_unclean = !fresh && meta::<i64>(&connection, "unclean")?.is_none_or(|unclean| unclean != 0);
        if was_unclean {
            let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if found != "ok" {
                return Err(StoreError::damaged(found));
            }
        }
        let mut held = Self {
            connection,
            head: Head { seq: 0, mac: [0; 32] },
            on_head: None,
            sureness: None,
            damaged: false,
            closed: false,
            place: None,
        };
        let (id, has_key) = held.write(Sureness::Full, |transaction, _| {
            let sealed = "SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'check') OR EXISTS (SELECT 1 FROM marks) \
                          OR EXISTS (SELECT 1 FROM calls) OR EXISTS (SELECT 1 FROM history)";
            let has_key: bool = transaction.query_row(sealed, [], |row| row.get(0))?;
            let id = match meta::<String>(transaction, "id")? {
                Some(id) if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) => id,
                None if !has_key => fresh_id(transaction)?,
                Some(_) | None => return Err(StoreError::damaged("it has lost its name")),
            };
            set_meta(transaction, "unclean", 1)?;
            Ok((id, has_key))
        })?;
        fault::at(Point::StoreOpened);
        Ok(Database {
            held,
            id,
            has_key,
            was_unclean,
        })
    }

    /// Compares the key with the file's, or makes it the file's.
    fn check_key(&mut self, chain: &Chain<'_>, has_key: bool) -> Result<(), StoreError> {
        if has_key {
            let check = meta::<Vec<u8>>(&self.connection, "check")?.unwrap_or_default();
            let opened = chain.sealer.open("check", &[chain.id.as_bytes()], &check);
            if opened.as_deref() != Ok(CHECK) {
                return Err(StoreError::WrongKey);
            }
        } else {
            let check = chain.sealer.seal("check", &[chain.id.as_bytes()], CHECK)?;
            self.write(Sureness::Full, |transaction, _| {
                set_meta(transaction, "check", &check)?;
                chain.begin(transaction)
            })?;
        }
        self.head = chain.head(&self.connection, None)?;
        Ok(())
    }

    pub(super) fn write<T>(
        &mut self,
        sureness: Sureness,
        act: impl FnOnce(&Transaction<'_>, &mut Head) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut head = self.head;
        let done = self.written(sureness, &mut head, act);
        if done.is_ok() && self.head != head {
            self.head = head;
            if let Some(told) = &self.on_head {
                told(head);
            }
        }
        self.noticed(done)
    }

    fn written<T>(
        &mut self,
        sureness: Sureness,
        head: &mut Head,
        act: impl FnOnce(&Transaction<'_>, &mut Head) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.sureness != Some(sureness) {
            let word = match sureness {
                Sureness::Full => "FULL",
                Sureness::Normal => "NORMAL",
            };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.sureness = Some(sureness);
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = act(&transaction, head)?;
        transaction.commit()?;
        Ok(done)
    }

    pub(super) fn noticed<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        self.damaged |= matches!(done, Err(StoreError::Damaged { .. }));
        done
    }

    pub(super) fn mark_closed(&mut self) -> Result<(), StoreError> {
        if self.place.is_none() || self.damaged || self.closed {
            return Ok(());
        }
        self.write(Sureness::Full, |transaction, _| {
            set_meta(transaction, "unclean", 0)
        })?;
        self.closed = true;
        fault::at(Point::StoreCloseMarked);
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // What cannot be marked is looked at whole the next time.
        let _ = self.mark_closed();
    }
}

fn fresh_id(transaction: &Transaction<'_>) -> Result<String, StoreError> {
    let mut id = [0; 16];
    seal::random(&mut id)?;
    let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    set_meta(transaction, "id", &id)?;
    Ok(id)
}

fn meta<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> Result<Option<T>, StoreError> {
    let mut query = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(query.query_row([name], |row| row.get(0)).optional()?)
}

pub(super) fn set_meta(
    connection: &Connection,
    name: &str,
    value: impl rusqlite::ToSql,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?
        .execute(params![name, value])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::HeldClock;
    use crate::store::history::tests::entry;
    use crate::store::{CallSave, Expect, Saved};
    use crate::view::{AskId, CallId};

    fn opened(folder: &std::path::Path) -> Store {
        let place = Place::take(folder).expect("free");
        let (database, aside) = Database::open(place, &HeldClock::default()).expect("it opens");
        assert_eq!(aside, None);
        let master = Master::from_bytes(&[7; 32]).expect("32 bytes");
        database
            .unlock(&master)
            .map_err(|refused| refused.error)
            .expect("its key")
    }

    fn save(store: &Store, id: u32, record: &[u8]) -> Result<Saved, StoreError> {
        store.save(&CallSave {
            id: CallId(id),
            server: "server-1",
            open: true,
            last_ask: AskId(id),
            expect: Expect::New,
            record,
            result: None,
            drafts: &[],
            history: &[entry(id)],
        })
    }

    #[test]
    fn a_full_disk_is_said_and_what_was_kept_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = opened(folder.path());
        save(&store, 1, b"first").expect("saved");
        let limit = |pages: u32| {
            let held = store.lock();
            held.connection
                .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
                .expect("set");
        };
        limit(30);
        let error = save(&store, 2, &[0; 1_000_000]).expect_err("no room");
        assert_eq!(error, StoreError::Full);
        assert!(error.to_string().contains("disk is full"), "{error}");
        assert_eq!(store.head().seq, 1, "no half of it");
        save(&store, 3, b"a small one").expect("there is still room for that");
        limit(100_000);
        save(&store, 2, &[0; 1_000_000]).expect("there is room again");
        drop(store);
        assert_eq!(
            opened(folder.path()).open_calls().expect("readable").calls.len(),
            3
        );
    }

    #[test]
    fn a_file_that_became_read_only_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = opened(folder.path());
        save(&store, 1, b"first").expect("saved");
        store
            .lock()
            .connection
            .pragma_update(None, "query_only", true)
            .expect("set");
        let error = save(&store, 2, b"second").expect_err("read-only");
        assert_eq!(error.code(), "read_only");
        assert!(error.to_string().contains("cannot be written"), "{error}");
        assert_eq!(store.open_calls().expect("readable").calls.len(), 1);
        drop(store);
        // It could not be marked as closed, so it is looked at whole.
        assert_eq!(
            opened(folder.path()).open_calls().expect("readable").calls.len(),
            1
        );
    }

    #[test]
    fn a_claim_waits_for_the_disk_and_a_draft_does_not() {
        let store = opened(tempfile::tempdir().expect("a folder").path());
        let sureness = || {
            let held = store.lock();
            held.connection
                .pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0))
                .expect("read")
        };
        const NORMAL: i64 = 1;
        const FULL: i64 = 2;
        save(&store, 1, b"first").expect("saved");
        assert_eq!(sureness(), FULL);
        store.save_drafts(&[]).expect("saved");
        assert_eq!(sureness(), NORMAL);
        store.note(&[entry(1)]).expect("noted");
        assert_eq!(sureness(), FULL);
        let mode: String = store
            .lock()
            .connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .expect("read");
        assert_eq!(mode, "wal");
    }

    #[test]
    fn a_file_found_damaged_in_use_is_looked_at_whole_the_next_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = opened(folder.path());
        let damaged: Result<(), _> = store.write(Sureness::Full, |_, _| Err(StoreError::damaged("a page")));
        assert_eq!(damaged.map_err(|error| error.code()), Err("damaged"));
        drop(store);
        let place = Place::take(folder.path()).expect("free");
        let (database, _) = Database::open(place, &HeldClock::default()).expect("it opens");
        assert!(database.was_unclean());
    }
}
