//! What outlives the app: calls with their questions, drafts and results, the history, and small sealed values.
//!
//! One SQLite file in a directory that one process holds at a time ([`place`]). Records are opaque here: the store seals
//! bytes ([`seal`]) and knows of a call only its id, its server's id, whether it is open, and a number that grows with
//! every change.
//!
//! Promises:
//! - What [`Store::save`] returns `Ok` for is on the disk (one transaction, `synchronous=FULL`): the record, its result,
//!   its drafts and its history entries, or nothing of it. A crash at any moment leaves a file that opens.
//! - A change that expects a number and finds another changes nothing ([`Expect::Seq`]): the first wins, the other hears
//!   [`StoreError::Overtaken`].
//! - Drafts ([`Store::save_drafts`]) are written with `synchronous=NORMAL`: an end of the process loses nothing, a power
//!   cut may lose the latest seconds, and neither damages the file.
//! - A file that cannot be used is set aside under a name that is told, never deleted or overwritten ([`Aside`]); one of a
//!   newer version, or whose key is missing, is refused and left as it is.
//! - No bytes in the file make the app panic; a record that was changed, moved or is of another key is said to be
//!   unreadable, and the others are not touched by that.
//!
//! Costs: a [`Store::save`] waits for the disk (one `fsync`, usually 1 to 10 ms; a checkpoint now and then takes three).
//! The calls block, and are made for being called under a caller's lock. History is looked through, verified and
//! exported in pieces, so that a save waits for one piece at most.
//!
//! Deliberately absent: what records mean; undoing an older copy of the whole file (only the anchor of the history tells,
//! see [`history::chain`]); any thread of its own. Where the key is, is [`keys`]' part.

mod error;
mod file;
pub mod history;
pub mod keys;
pub mod place;
mod schema;
pub mod seal;

pub use error::StoreError;
pub use file::{Aside, Database, Refused};

use crate::clock::Clock;
use crate::fault::{self, Point};
use crate::view::{AskId, CallId};
use file::{Held, Sureness, set_meta};
use history::Entry;
use history::chain::{Anchored, Chain, Head, Keep, Verified, column};
use history::export::{Export, Format};
use history::find::{Filter, Line, Page};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use seal::{Master, Sealer, Signer};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// The highest ids once more, for [`Database::ids_begin_after`].
const IDS_IN_CLEAR: &str = "ids in clear";
/// Entries that an export reads at a time.
const EXPORTED: usize = 500;

/// The open file with its key. Shared by reference; every method takes one lock.
pub struct Store {
    held: Mutex<Held>,
    id: String,
    sealer: Sealer,
    history: Signer,
    tags: Signer,
}

/// What a change needs to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No call of this id.
    New,
    /// The call with this number.
    Seq(u64),
    Any,
}

/// One call as it is to be kept. It replaces what was kept under its id.
#[derive(Clone, Copy)]
pub struct CallSave<'a> {
    pub id: CallId,
    /// The server's id in the settings. It stands in clear in the file.
    pub server: &'a str,
    /// It has not ended.
    pub open: bool,
    /// The highest id of a question so far, so that ids are never used twice: see [`Store::last_ids`].
    pub last_ask: AskId,
    pub expect: Expect,
    pub record: &'a [u8],
    /// `None` leaves what was kept.
    pub result: Option<&'a [u8]>,
    pub drafts: &'a [Draft<'a>],
    pub history: &'a [Entry],
}

/// What was entered so far into one question. `None`: nothing (any more).
#[derive(Clone, Copy)]
pub struct Draft<'a> {
    pub ask: AskId,
    pub call: CallId,
    pub text: Option<&'a [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The call's new number.
    pub seq: u64,
    /// The number of the first history entry that was added, where one was.
    pub first_entry: Option<u64>,
}

/// A kept call.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredCall {
    pub id: CallId,
    pub server: String,
    pub open: bool,
    pub seq: u64,
    pub record: Vec<u8>,
    /// By question.
    pub drafts: Vec<(AskId, Vec<u8>)>,
    pub has_result: bool,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// In the order of their ids.
    pub calls: Vec<StoredCall>,
    /// Ids of calls, as they stand in the file, whose records were changed by somebody else. They stay in the file.
    pub unreadable: Vec<i64>,
    /// The same of drafts. Their calls are there.
    pub unreadable_drafts: Vec<i64>,
}

impl Store {
    /// A store that ends with the process, with a key of its own.
    ///
    /// # Errors
    /// The system gives no memory or no random bytes.
    pub fn in_memory() -> Result<Self, StoreError> {
        Database::in_memory()?
            .unlock(&Master::fresh()?)
            .map_err(|refused| refused.error)
    }

    fn new(held: Held, id: String, master: &Master) -> Self {
        Self {
            held: Mutex::new(held),
            id,
            sealer: master.sealer(),
            history: history_signer(master),
            tags: master.signer("countersign 1: tags"),
        }
    }

    /// See [`Database::id`].
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether what is saved outlives the process.
    pub fn is_durable(&self) -> bool {
        self.lock().place.is_some()
    }

    /// Where it is; `None` in memory.
    pub fn folder(&self) -> Option<PathBuf> {
        self.lock().place.as_ref().map(|place| place.folder().to_owned())
    }

    /// Closes the file, so that the next start need not look at it whole. Dropping does the same and tells nothing.
    ///
    /// # Errors
    /// That it could not be marked as closed; what was saved is saved.
    pub fn close(self) -> Result<(), StoreError> {
        let mut held = self.held.into_inner().unwrap_or_else(PoisonError::into_inner);
        held.mark_closed()?;
        drop(held);
        fault::at(Point::StoreClosed);
        Ok(())
    }

    /// Keeps a call with all that belongs to the change, on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError::Overtaken`] when another change came first; nothing is written then.
    pub fn save(&self, save: &CallSave<'_>) -> Result<Saved, StoreError> {
        fault::at(Point::SaveBegun);
        let mut first_entry = None;
        let saved = self.write(Sureness::Full, |transaction, head| {
            let seq = self.write_call(transaction, save)?;
            fault::at(Point::SaveRecordWritten);
            if let Some(result) = save.result {
                let sealed = self.sealer.seal("results", &[&save.id.0.to_be_bytes()], result)?;
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO results VALUES (?1, ?2)")?
                    .execute(params![save.id.0, sealed])?;
            }
            self.write_drafts(transaction, save.drafts)?;
            if !save.history.is_empty() {
                first_entry = Some(head.seq + 1);
                *head = self.chain().append(transaction, *head, save.history)?;
                fault::at(Point::SaveHistoryWritten);
            }
            Ok(Saved { seq, first_entry })
        })?;
        fault::at(Point::SaveCommitted);
        Ok(saved)
    }

    /// Keeps what was typed. Gathering keystrokes is the caller's part.
    ///
    /// # Errors
    /// [`StoreError::NoCall`] when a call is not kept; no draft is written then.
    pub fn save_drafts(&self, drafts: &[Draft<'_>]) -> Result<(), StoreError> {
        fault::at(Point::DraftBegun);
        self.write(Sureness::Normal, |transaction, _| {
            self.write_drafts(transaction, drafts)?;
            fault::at(Point::DraftWritten);
            Ok(())
        })?;
        fault::at(Point::DraftCommitted);
        Ok(())
    }

    /// Calls that have not ended, with their drafts.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open_calls(&self) -> Result<Loaded, StoreError> {
        self.load(true, i64::MAX)
    }

    /// The newest calls that have ended, with their drafts.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn finished_calls(&self, newest: u32) -> Result<Loaded, StoreError> {
        self.load(false, i64::from(newest))
    }

    /// What a call came back with, where it is kept.
    ///
    /// # Errors
    /// [`StoreError::Unopened`] when it was changed by somebody else.
    pub fn result(&self, call: CallId) -> Result<Option<Vec<u8>>, StoreError> {
        let held = self.lock();
        let sealed: Option<Vec<u8>> = held
            .connection
            .prepare_cached("SELECT sealed FROM results WHERE call = ?1")?
            .query_row([call.0], |row| row.get(0))
            .optional()?;
        let open = |sealed: Vec<u8>| self.sealer.open("results", &[&call.0.to_be_bytes()], &sealed);
        Ok(sealed.map(open).transpose()?)
    }

    /// The highest ids that were ever saved, also of what was removed since. Where the note of them was changed by somebody
    /// else, the highest id of a call that is kept, and 0.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn last_ids(&self) -> Result<(CallId, AskId), StoreError> {
        let held = self.lock();
        let (call, ask) = self.ids(&held.connection)?;
        Ok((CallId(call), AskId(ask)))
    }

    /// Forgets calls with their drafts and results. History stays.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&self, calls: &[CallId]) -> Result<(), StoreError> {
        fault::at(Point::RemoveBegun);
        self.write(Sureness::Full, |transaction, _| {
            let mut delete = transaction.prepare_cached("DELETE FROM calls WHERE id = ?1")?;
            for call in calls {
                delete.execute([call.0])?;
            }
            fault::at(Point::RemoveWritten);
            Ok(())
        })?;
        fault::at(Point::RemoveCommitted);
        Ok(())
    }

    /// Forgets ended calls but for the newest. Returns how many went.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep_finished(&self, newest: u32) -> Result<usize, StoreError> {
        self.write(Sureness::Full, |transaction, _| {
            let sql = "DELETE FROM calls WHERE open = 0 AND id NOT IN \
                       (SELECT id FROM calls WHERE open = 0 ORDER BY id DESC LIMIT ?1)";
            Ok(transaction.execute(sql, [newest])?)
        })
    }

    /// Forgets results, of these calls or (`None`) of all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget_results(&self, of: Option<&[CallId]>) -> Result<(), StoreError> {
        self.write(Sureness::Full, |transaction, _| {
            match of {
                None => {
                    transaction.execute("DELETE FROM results", [])?;
                }
                Some(calls) => {
                    for call in calls {
                        transaction.execute("DELETE FROM results WHERE call = ?1", [call.0])?;
                    }
                }
            }
            fault::at(Point::ResultsForgotten);
            Ok(())
        })?;
        fault::at(Point::ResultsForgottenCommitted);
        Ok(())
    }

    /// Keeps a small value under a name, or (`None`) forgets it. The name stands in clear in the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&self, name: &str, value: Option<&[u8]>) -> Result<(), StoreError> {
        self.write(Sureness::Full, |transaction, _| {
            match value {
                Some(value) => {
                    let sealed = self.sealer.seal("kept", &[name.as_bytes()], value)?;
                    transaction.execute(
                        "INSERT OR REPLACE INTO kept VALUES (?1, ?2)",
                        params![name, sealed],
                    )?;
                }
                None => {
                    transaction.execute("DELETE FROM kept WHERE name = ?1", [name])?;
                }
            }
            fault::at(Point::ValueWritten);
            Ok(())
        })?;
        fault::at(Point::ValueCommitted);
        Ok(())
    }

    /// The value under a name, wiped from memory when it is dropped.
    ///
    /// # Errors
    /// [`StoreError::Unopened`] when it was changed by somebody else.
    pub fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let held = self.lock();
        let sealed: Option<Vec<u8>> = held
            .connection
            .query_row("SELECT sealed FROM kept WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()?;
        let open = |sealed: Vec<u8>| self.sealer.open("kept", &[name.as_bytes()], &sealed);
        Ok(sealed.map(open).transpose()?.map(Zeroizing::new))
    }

    /// Names under which values are kept.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let held = self.lock();
        let mut query = held.connection.prepare("SELECT name FROM kept ORDER BY name")?;
        let names = query.query_map([], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Notes that a page of a site was opened for a server; `record` replaces what was noted for the two before.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn visit(&self, server: &str, site: &str, record: &[u8]) -> Result<(), StoreError> {
        let tag = self.tags.sign(&[b"visited", server.as_bytes(), site.as_bytes()]);
        self.write(Sureness::Full, |transaction, _| {
            let sealed = self.sealer.seal("visited", &[&tag, server.as_bytes()], record)?;
            transaction.execute(
                "INSERT OR REPLACE INTO visited VALUES (?1, ?2, ?3)",
                params![tag, server, sealed],
            )?;
            fault::at(Point::VisitWritten);
            Ok(())
        })?;
        fault::at(Point::VisitCommitted);
        Ok(())
    }

    /// What was noted for a server. What was changed by somebody else is left out: it could only make a site look known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn visited(&self, server: &str) -> Result<Vec<Vec<u8>>, StoreError> {
        let held = self.lock();
        let mut query = held
            .connection
            .prepare("SELECT tag, sealed FROM visited WHERE server = ?1")?;
        let rows = query.query_map([server], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        })?;
        let mut records = Vec::new();
        for row in rows {
            let (tag, sealed) = row?;
            records.extend(self.sealer.open("visited", &[&tag, server.as_bytes()], &sealed));
        }
        Ok(records)
    }

    /// Forgets what was noted for a server.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget_visited(&self, server: &str) -> Result<(), StoreError> {
        self.write(Sureness::Full, |transaction, _| {
            transaction.execute("DELETE FROM visited WHERE server = ?1", [server])?;
            Ok(())
        })
    }

    /// Adds history entries that belong to no change of a call. Returns the number of the first.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&self, entries: &[Entry]) -> Result<u64, StoreError> {
        let first = self.write(Sureness::Full, |transaction, head| {
            let first = head.seq + 1;
            *head = self.chain().append(transaction, *head, entries)?;
            fault::at(Point::SaveHistoryWritten);
            Ok(first)
        })?;
        fault::at(Point::SaveCommitted);
        Ok(first)
    }

    /// Up to `limit` history entries that fit, newest first, older than `before` where that is given.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn history(&self, filter: &Filter, before: Option<u64>, limit: usize) -> Result<Page, StoreError> {
        self.chain().find(|act| self.lend(act), filter, before, limit)
    }

    /// Writes all history entries that fit, newest first. Returns how many.
    ///
    /// # Errors
    /// The file cannot be read, or `to` not written.
    pub fn export(
        &self,
        filter: &Filter,
        fits: impl Fn(&Line) -> bool,
        format: Format,
        to: impl Write,
    ) -> Result<u64, StoreError> {
        let failed = |error: std::io::Error| StoreError::Failed {
            reason: format!("the export could not be written: {error}"),
        };
        let mut export = Export::begin(to, format).map_err(failed)?;
        let mut before = None;
        loop {
            let page = self.history(filter, before, EXPORTED)?;
            page.lines
                .iter()
                .filter(|line| fits(line))
                .try_for_each(|line| export.line(line))
                .map_err(failed)?;
            before = page.before;
            if before.is_none() {
                return export.end().map_err(failed);
            }
        }
    }

    /// Looks at every history entry. See [`history::chain`] for what that can claim.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn verify(&self, anchored: &Anchored) -> Result<Verified, StoreError> {
        self.chain().verify(|act| self.lend(act), anchored)
    }

    /// Removes the oldest history entries for good, with a signed mark of the gap. Returns how many went.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn retain(&self, keep: Keep, clock: &dyn Clock) -> Result<u64, StoreError> {
        fault::at(Point::RetainBegun);
        let now = clock.local_time().parse::<jiff::Timestamp>();
        let now = now.map_or(0, jiff::Timestamp::as_second);
        let gone = self.write(Sureness::Full, |transaction, head| {
            self.chain().retain(transaction, *head, keep, now)
        })?;
        fault::at(Point::RetainCommitted);
        Ok(gone)
    }

    /// The last history entry.
    pub fn head(&self) -> Head {
        self.lock().head
    }

    /// What the key store knows: if that is more than the file has, entries were lost, and new ones go on behind them, so
    /// that the loss stays visible.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn go_on_behind(&self, anchor: Head) -> Result<(), StoreError> {
        let mut held = self.lock();
        held.head = self.chain().head(&held.connection, Some(anchor))?;
        Ok(())
    }

    /// Told after every change of the head, in the order of the entries, under the store's lock: it must neither wait nor
    /// ask the store. [`keys::Keys::anchoring`] makes one.
    pub fn on_head(&self, told: impl Fn(Head) + Send + 'static) {
        self.lock().on_head = Some(Box::new(told));
    }

    fn chain(&self) -> Chain<'_> {
        Chain {
            sealer: &self.sealer,
            signer: &self.history,
            id: &self.id,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lend(&self, act: &mut dyn FnMut(&Connection) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut held = self.lock();
        let done = act(&held.connection);
        held.noticed(done)
    }

    fn write<T>(
        &self,
        sureness: Sureness,
        act: impl FnOnce(&Transaction<'_>, &mut Head) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.lock().write(sureness, act)
    }

    fn write_call(&self, transaction: &Transaction<'_>, save: &CallSave<'_>) -> Result<u64, StoreError> {
        let now: Option<i64> = transaction
            .prepare_cached("SELECT seq FROM calls WHERE id = ?1")?
            .query_row([save.id.0], |row| row.get(0))
            .optional()?;
        let now = now
            .map(|seq| u64::try_from(seq).map_err(StoreError::damaged))
            .transpose()?;
        let expected = match save.expect {
            Expect::New => now.is_none(),
            Expect::Seq(seq) => now == Some(seq),
            Expect::Any => true,
        };
        if !expected {
            return Err(StoreError::Overtaken { now });
        }
        let seq = now.unwrap_or(0) + 1;
        let companions = call_companions(save.id, save.server, save.open, seq);
        let sealed = self
            .sealer
            .seal("calls", &companions.each_ref().map(Vec::as_slice), save.record)?;
        transaction
            .prepare_cached(
                "INSERT INTO calls VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO UPDATE SET \
                 server = excluded.server, open = excluded.open, seq = excluded.seq, sealed = excluded.sealed",
            )?
            .execute(params![save.id.0, save.server, save.open, column(seq), sealed])?;
        self.raise_ids(transaction, save.id, save.last_ask)?;
        Ok(seq)
    }

    fn write_drafts(&self, transaction: &Transaction<'_>, drafts: &[Draft<'_>]) -> Result<(), StoreError> {
        for draft in drafts {
            let Some(text) = draft.text else {
                transaction
                    .prepare_cached("DELETE FROM drafts WHERE ask = ?1")?
                    .execute([draft.ask.0])?;
                continue;
            };
            let companions = [draft.ask.0.to_be_bytes(), draft.call.0.to_be_bytes()];
            let sealed = self
                .sealer
                .seal("drafts", &companions.each_ref().map(<[u8; 4]>::as_slice), text)?;
            let written = transaction
                .prepare_cached("INSERT OR REPLACE INTO drafts VALUES (?1, ?2, ?3)")?
                .execute(params![draft.ask.0, draft.call.0, sealed]);
            written.map_err(|error| {
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) {
                    StoreError::NoCall
                } else {
                    error.into()
                }
            })?;
        }
        Ok(())
    }

    fn load(&self, open: bool, newest: i64) -> Result<Loaded, StoreError> {
        let mut held = self.lock();
        let loaded = self.loaded(&held.connection, open, newest);
        held.noticed(loaded)
    }

    fn loaded(&self, connection: &Connection, open: bool, newest: i64) -> Result<Loaded, StoreError> {
        let mut loaded = Loaded::default();
        let mut query = connection.prepare_cached(
            "SELECT id, server, open, seq, sealed, EXISTS (SELECT 1 FROM results WHERE call = id) FROM calls \
             WHERE open = ?1 ORDER BY id DESC LIMIT ?2",
        )?;
        let mut drafts =
            connection.prepare_cached("SELECT ask, sealed FROM drafts WHERE call = ?1 ORDER BY ask")?;
        let mut rows = query.query(params![open, newest])?;
        while let Some(row) = rows.next()? {
            let Some(mut call) = self.call(row) else {
                loaded.unreadable.push(row.get(0)?);
                continue;
            };
            let mut rows = drafts.query([call.id.0])?;
            while let Some(row) = rows.next()? {
                match self.draft(call.id, row) {
                    Some(draft) => call.drafts.push(draft),
                    None => loaded.unreadable_drafts.push(row.get(0)?),
                }
            }
            loaded.calls.push(call);
        }
        loaded.calls.reverse();
        loaded.unreadable.reverse();
        Ok(loaded)
    }

    /// `None`: not as it was written, whatever it is.
    fn call(&self, row: &Row<'_>) -> Option<StoredCall> {
        let id = CallId(row.get(0).ok()?);
        let (server, open): (String, bool) = (row.get(1).ok()?, row.get(2).ok()?);
        let seq = u64::try_from(row.get::<_, i64>(3).ok()?).ok()?;
        let companions = call_companions(id, &server, open, seq);
        let sealed = row.get_ref(4).ok()?.as_blob().ok()?;
        let record = self
            .sealer
            .open("calls", &companions.each_ref().map(Vec::as_slice), sealed);
        Some(StoredCall {
            id,
            server,
            open,
            seq,
            record: record.ok()?,
            drafts: Vec::new(),
            has_result: row.get(5).ok()?,
        })
    }

    fn draft(&self, call: CallId, row: &Row<'_>) -> Option<(AskId, Vec<u8>)> {
        let ask = AskId(row.get(0).ok()?);
        let companions = [ask.0.to_be_bytes(), call.0.to_be_bytes()];
        let sealed = row.get_ref(1).ok()?.as_blob().ok()?;
        let text = self
            .sealer
            .open("drafts", &companions.each_ref().map(<[u8; 4]>::as_slice), sealed);
        Some((ask, text.ok()?))
    }

    /// Sealed, so that a changed file cannot make ids run out or come twice.
    fn ids(&self, connection: &Connection) -> Result<(u32, u32), StoreError> {
        let sealed = connection
            .prepare_cached("SELECT value FROM meta WHERE name = 'ids' AND typeof(value) = 'blob'")?
            .query_row([], |row| row.get::<_, Vec<u8>>(0))
            .optional()?;
        let opened = sealed.and_then(|sealed| self.sealer.open("ids", &[], &sealed).ok());
        if let Some([call, ask]) = opened
            .as_deref()
            .and_then(|both| both.as_chunks::<4>().0.first_chunk())
        {
            return Ok((u32::from_be_bytes(*call), u32::from_be_bytes(*ask)));
        }
        let mut kept = self.loaded(connection, true, i64::MAX)?.calls;
        kept.extend(self.loaded(connection, false, i64::MAX)?.calls);
        Ok((kept.iter().map(|call| call.id.0).max().unwrap_or(0), 0))
    }

    fn raise_ids(&self, transaction: &Transaction<'_>, call: CallId, ask: AskId) -> Result<(), StoreError> {
        let known = self.ids(transaction)?;
        let (call, ask) = (known.0.max(call.0), known.1.max(ask.0));
        if (call, ask) != known {
            let both = [call.to_be_bytes(), ask.to_be_bytes()].concat();
            set_meta(transaction, "ids", self.sealer.seal("ids", &[], &both)?)?;
            set_meta(transaction, IDS_IN_CLEAR, format!("{call} {ask}"))?;
        }
        Ok(())
    }
}

fn history_signer(master: &Master) -> Signer {
    master.signer("countersign 1: history")
}

fn call_companions(id: CallId, server: &str, open: bool, seq: u64) -> [Vec<u8>; 4] {
    [
        id.0.to_be_bytes().to_vec(),
        server.as_bytes().to_vec(),
        vec![u8::from(open)],
        seq.to_be_bytes().to_vec(),
    ]
}
