//! How entries hang together, and how that is checked.
//!
//! The code of an entry is HMAC-SHA-256 over the code before it, its number, its clear columns and its sealed bytes. The
//! last entry is marked by a signed row in the same file, and anchored in the key store where there is one. What
//! retention removed leaves a signed mark of the last removed entry, from which the chain goes on.
//!
//! What this can claim: without the key, an entry cannot be changed, removed, exchanged or added, and the end not be
//! cut off, without [`Verified::troubles`] saying where. An older copy of the whole file is a chain that holds; only
//! the anchor shows that it is older. Whoever has the key (a program that runs as the same person) can write anything.
//!
//! After a loss that is known (the mark or the anchor names a later entry than there is), new entries go on behind the
//! lost ones, so that the hole stays visible for good.

use super::Entry;
use crate::fault::{self, Point};
use crate::store::error::StoreError;
use crate::store::seal::{Mac256, Sealer, Signer};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

/// Troubles that are listed; the rest is counted.
pub const LISTED: usize = 100;
/// Entries that are read at a time, so that others can write in between.
const CHUNK: i64 = 500;
/// More entries than anybody will ever have.
const MOST: u64 = 1 << 48;
const HEAD: &str = "head";
const GAP: &str = "gap";

/// The last entry: its number (0: there is none yet) and its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub seq: u64,
    pub mac: Mac256,
}

/// What the key store knows about the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchored {
    At(Head),
    /// The key store was asked and has none.
    Never,
    /// There is no key store, or it could not be asked: in words.
    Unseen(String),
}

/// Entries that retention removed: all up to `upto`, the last time at `at` (seconds since 1970).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub upto: u64,
    pub at: i64,
}

/// What [`crate::store::Store::verify`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Entries that were looked at.
    pub entries: u64,
    pub gap: Option<Gap>,
    pub anchor: AnchorCheck,
    /// The first [`LISTED`], in the order of the entries.
    pub troubles: Vec<Trouble>,
    /// All of them.
    pub trouble_count: u64,
}

/// What the anchor in the key store says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorCheck {
    /// It belongs to an entry of this history; `newer` entries were written since.
    Holds { newer: u64 },
    /// It is older than what retention kept, so nothing can be compared.
    OlderThanKept,
    /// Nothing was anchored yet.
    Never,
    /// Not looked at, in words. An older copy of the whole file would not be noticed.
    Unseen(String),
    /// It does not; see the troubles.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// This entry is not as it was written, or not where it was.
    Changed { seq: u64 },
    /// These entries are gone, `from` and `to` among them.
    Missing { from: u64, to: u64 },
    /// It stands where the mark of retention says that all is gone.
    Added { seq: u64 },
    /// The mark of what retention removed is changed.
    GapMark,
    /// The mark of the last entry is changed, gone, or of another entry.
    HeadMark,
    /// The key store knows another entry under this number.
    NotAsAnchored { seq: u64 },
}

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// So many of the newest.
    Newest(u64),
    /// What was written at or after this second since 1970, and everything behind it.
    Since(i64),
}

/// An entry as it lies in the file.
pub(in crate::store) struct Row {
    pub(in crate::store) seq: u64,
    at: Option<i64>,
    server: Vec<u8>,
    what: Vec<u8>,
    sealed: Vec<u8>,
    mac: Vec<u8>,
}

/// The keys of history.
pub(in crate::store) struct Chain<'a> {
    pub(in crate::store) sealer: &'a Sealer,
    pub(in crate::store) signer: &'a Signer,
    /// Of the database.
    pub(in crate::store) id: &'a str,
}

enum Mark {
    None,
    Good(Head, i64),
    Bad,
}

impl Head {
    /// For the key store: number and code.
    pub fn to_text(self) -> String {
        let mut text = format!("1 {} ", self.seq);
        for byte in self.mac {
            text.push_str(&format!("{byte:02x}"));
        }
        text
    }

    /// What [`Head::to_text`] wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        let (seq, code) = text.strip_prefix("1 ")?.split_once(' ')?;
        let mut mac = [0; 32];
        if code.len() != 2 * mac.len() || !code.is_ascii() {
            return None;
        }
        for (byte, index) in mac.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(code.get(index..index + 2)?, 16).ok()?;
        }
        let seq = seq.parse().ok().filter(|seq| *seq <= MOST)?;
        Some(Self { seq, mac })
    }
}

impl Trouble {
    /// For a person.
    pub fn words(self) -> String {
        match self {
            Self::Changed { seq } => format!("Entry {seq} was changed or moved."),
            Self::Missing { from, to } if from == to => format!("Entry {from} is missing."),
            Self::Missing { from, to } => format!("Entries {from} to {to} are missing."),
            Self::Added { seq } => format!("Entry {seq} stands where everything had been removed."),
            Self::GapMark => {
                "The note on what was removed by your setting was changed or is missing.".to_owned()
            }
            Self::HeadMark => "The note on the last entry was changed or is missing.".to_owned(),
            Self::NotAsAnchored { seq } => format!("The key store knows another entry {seq}."),
        }
    }
}

impl Row {
    fn parts<'a>(&'a self, seq: &'a [u8; 8], at: &'a [u8; 8]) -> [&'a [u8]; 4] {
        [seq, at, &self.server, &self.what]
    }

    /// Opens the sealed part, which binds the clear columns.
    pub(in crate::store) fn open(&self, sealer: &Sealer) -> Option<Entry> {
        let (seq, at) = (self.seq.to_be_bytes(), self.at?.to_be_bytes());
        let opened = sealer
            .open("history", &self.parts(&seq, &at), &self.sealed)
            .ok()?;
        serde_json::from_slice(&opened).ok()
    }

    fn code(&self, signer: &Signer, before: &[u8]) -> Option<Mac256> {
        let (seq, at) = (self.seq.to_be_bytes(), self.at?.to_be_bytes());
        let [seq, at, server, what] = self.parts(&seq, &at);
        Some(signer.sign(&[before, seq, at, server, what, &self.sealed]))
    }
}

impl Chain<'_> {
    /// Where entries go on from: behind everything that was ever marked, or anchored in the key store (`known`). Numbers that
    /// nobody signed are not believed.
    pub(in crate::store) fn head(
        &self,
        connection: &Connection,
        known: Option<Head>,
    ) -> Result<Head, StoreError> {
        let signed = |mark| match mark {
            Mark::Good(head, _) => Some(head),
            Mark::None | Mark::Bad => None,
        };
        let head = match signed(self.mark(connection, HEAD)?) {
            Some(head) => Some(head),
            None => self.last_own(connection)?,
        };
        let gap = signed(self.mark(connection, GAP)?);
        // Of equal numbers the first counts.
        let candidates = [head, gap, known].into_iter().flatten().rev();
        Ok(candidates
            .max_by_key(|head| head.seq)
            .unwrap_or_else(|| self.genesis()))
    }

    /// The newest entry that is as it was written, for a history whose mark is gone.
    fn last_own(&self, connection: &Connection) -> Result<Option<Head>, StoreError> {
        let mut before = i64::MAX;
        loop {
            let sql = "SELECT seq, at, server, what, sealed, mac FROM history \
                       WHERE seq < ?1 AND seq > 0 ORDER BY seq DESC LIMIT ?2";
            let rows = rows(connection, sql, params![before, CHUNK])?;
            let Some(oldest) = rows.last() else {
                return Ok(None);
            };
            before = column(oldest.seq);
            let own = rows.iter().find(|row| row.open(self.sealer).is_some());
            if let Some(row) = own {
                let mac = Mac256::try_from(row.mac.as_slice()).unwrap_or_default();
                return Ok(Some(Head { seq: row.seq, mac }));
            }
        }
    }

    /// Adds entries behind `head`, inside the caller's transaction, and marks the new head.
    pub(in crate::store) fn append(
        &self,
        connection: &Connection,
        mut head: Head,
        entries: &[Entry],
    ) -> Result<Head, StoreError> {
        // What stands behind the head was put there by somebody else.
        let mut insert =
            connection.prepare_cached("INSERT OR REPLACE INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        for entry in entries {
            let text = serde_json::to_vec(entry).map_err(|error| StoreError::Failed {
                reason: error.to_string(),
            })?;
            let mut row = Row {
                seq: head.seq + 1,
                at: Some(entry.seconds()),
                server: entry.server.clone().into_bytes(),
                what: entry.outcome.code().as_bytes().to_vec(),
                sealed: Vec::new(),
                mac: Vec::new(),
            };
            let (seq, at) = (row.seq.to_be_bytes(), entry.seconds().to_be_bytes());
            row.sealed = self.sealer.seal("history", &row.parts(&seq, &at), &text)?;
            let mac = row.code(self.signer, &head.mac).unwrap_or(head.mac);
            insert.execute(params![
                column(row.seq),
                row.at,
                entry.server,
                entry.outcome.code(),
                row.sealed,
                mac
            ])?;
            head = Head { seq: row.seq, mac };
        }
        self.put_mark(connection, HEAD, head, 0)?;
        Ok(head)
    }

    /// Removes the oldest inside the caller's transaction and marks the gap. Returns how many went.
    pub(in crate::store) fn retain(
        &self,
        connection: &Connection,
        head: Head,
        keep: Keep,
        now: i64,
    ) -> Result<u64, StoreError> {
        let upto = match keep {
            Keep::Newest(count) => connection
                .query_row(
                    "SELECT seq FROM history ORDER BY seq DESC LIMIT 1 OFFSET ?1",
                    [column(count)],
                    |row| row.get::<_, i64>(0),
                )
                .optional()?,
            Keep::Since(second) => connection.query_row(
                "SELECT max(seq) FROM history \
                 WHERE seq < coalesce((SELECT min(seq) FROM history WHERE at >= ?1), 9223372036854775807)",
                [second],
                |row| row.get::<_, Option<i64>>(0),
            )?,
        };
        let Some(upto) = upto else { return Ok(0) };
        let mac: Vec<u8> =
            connection.query_row("SELECT mac FROM history WHERE seq = ?1", [upto], |row| row.get(0))?;
        let last = Head {
            seq: u64::try_from(upto).map_err(StoreError::damaged)?,
            mac: mac
                .try_into()
                .map_err(|_| StoreError::damaged("an entry of history has no code"))?,
        };
        let gone = connection.execute("DELETE FROM history WHERE seq <= ?1", [upto])?;
        fault::at(Point::RetainRemoved);
        self.put_mark(connection, GAP, last, now)?;
        // All gone: the chain goes on from the mark, which is also the head.
        self.put_mark(connection, HEAD, head, 0)?;
        Ok(gone as u64)
    }

    /// Looks at every entry. `with` lends the connection for a moment at a time.
    pub(in crate::store) fn verify(
        &self,
        with: impl Fn(&mut dyn FnMut(&Connection) -> Result<(), StoreError>) -> Result<(), StoreError>,
        anchored: &Anchored,
    ) -> Result<Verified, StoreError> {
        let mut walk = Walk::new(self, anchored);
        let mut after = None;
        loop {
            let (mut rows, mut gap, mut head) = (Vec::new(), Mark::None, Mark::None);
            with(&mut |connection| {
                rows = oldest(connection, after)?;
                gap = self.mark(connection, GAP)?;
                head = self.mark(connection, HEAD)?;
                Ok(())
            })?;
            walk.gap(&gap);
            let Some(last) = rows.last() else {
                return Ok(walk.end(&head));
            };
            after = Some(last.seq);
            for row in &rows {
                walk.row(row);
            }
        }
    }

    /// Signs the mark of an empty history, so that one without a mark is known to have lost it.
    pub(in crate::store) fn begin(&self, connection: &Connection) -> Result<(), StoreError> {
        self.put_mark(connection, HEAD, self.genesis(), 0)
    }

    /// Before the first entry.
    fn genesis(&self) -> Head {
        Head {
            seq: 0,
            mac: self.signer.sign(&[b"begin", self.id.as_bytes()]),
        }
    }

    fn mark(&self, connection: &Connection, name: &str) -> Result<Mark, StoreError> {
        let mut query =
            connection.prepare_cached("SELECT seq, at, mac, signed FROM marks WHERE name = ?1")?;
        let mut rows = query.query([name])?;
        let Some(row) = rows.next()? else {
            return Ok(Mark::None);
        };
        let (seq, at) = (row.get_ref(0)?.as_i64(), row.get_ref(1)?.as_i64());
        let (mac, signed) = (bytes(row.get_ref(2)?), bytes(row.get_ref(3)?));
        let (Ok(seq), Ok(at)) = (seq.map(u64::try_from), at) else {
            return Ok(Mark::Bad);
        };
        let (Ok(seq), Ok(mac)) = (seq, Mac256::try_from(mac)) else {
            return Ok(Mark::Bad);
        };
        let head = Head { seq, mac };
        let holds = self.signer.holds(
            &self.mark_parts(name, head, at).each_ref().map(Vec::as_slice),
            &signed,
        );
        Ok(if holds { Mark::Good(head, at) } else { Mark::Bad })
    }

    fn put_mark(&self, connection: &Connection, name: &str, head: Head, at: i64) -> Result<(), StoreError> {
        let signed = self
            .signer
            .sign(&self.mark_parts(name, head, at).each_ref().map(Vec::as_slice));
        connection
            .prepare_cached("INSERT OR REPLACE INTO marks VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![name, column(head.seq), at, head.mac, signed])?;
        Ok(())
    }

    fn mark_parts(&self, name: &str, head: Head, at: i64) -> [Vec<u8>; 6] {
        [
            b"mark".to_vec(),
            self.id.as_bytes().to_vec(),
            name.as_bytes().to_vec(),
            head.seq.to_be_bytes().to_vec(),
            at.to_be_bytes().to_vec(),
            head.mac.to_vec(),
        ]
    }
}

/// One look at every entry, oldest first.
struct Walk<'a> {
    chain: &'a Chain<'a>,
    anchored: &'a Anchored,
    anchor_met: bool,
    anchor_broken: bool,
    gap: Option<Gap>,
    gap_mark_bad: bool,
    /// The code of the entry before, as it stands there and as it should be. `None` behind a hole.
    before: Option<(Mac256, Mac256)>,
    /// The number that must come next; `None` where the mark of a gap cannot be believed.
    wanted: Option<u64>,
    last: Head,
    entries: u64,
    troubles: Vec<Trouble>,
    trouble_count: u64,
}

impl<'a> Walk<'a> {
    fn new(chain: &'a Chain<'a>, anchored: &'a Anchored) -> Self {
        let genesis = chain.genesis();
        Self {
            chain,
            anchored,
            anchor_met: false,
            anchor_broken: false,
            gap: None,
            gap_mark_bad: false,
            before: Some((genesis.mac, genesis.mac)),
            wanted: Some(1),
            last: genesis,
            entries: 0,
            troubles: Vec::new(),
            trouble_count: 0,
        }
    }

    fn add(&mut self, trouble: Trouble) {
        self.trouble_count += 1;
        if self.troubles.len() < LISTED {
            self.troubles.push(trouble);
        }
    }

    /// The mark of what retention removed, which may go on while this looks.
    fn gap(&mut self, mark: &Mark) {
        match *mark {
            Mark::None => {}
            Mark::Bad if self.gap_mark_bad => {}
            Mark::Bad => {
                self.gap_mark_bad = true;
                self.add(Trouble::GapMark);
                if self.entries == 0 {
                    (self.before, self.wanted) = (None, None);
                }
            }
            Mark::Good(upto, at) => {
                self.gap = Some(Gap { upto: upto.seq, at });
                if self.wanted.is_some_and(|wanted| upto.seq >= wanted) {
                    self.before = Some((upto.mac, upto.mac));
                    self.wanted = Some(upto.seq + 1);
                    self.last = upto;
                    if let Anchored::At(anchor) = self.anchored
                        && anchor.seq == upto.seq
                    {
                        self.meet(*anchor, &upto.mac);
                    }
                }
            }
        }
    }

    fn row(&mut self, row: &Row) {
        self.entries += 1;
        let wanted = self.wanted.unwrap_or(row.seq);
        if row.seq < wanted {
            self.add(Trouble::Added { seq: row.seq });
            return;
        }
        if row.seq > wanted {
            self.add(Trouble::Missing {
                from: wanted,
                to: row.seq - 1,
            });
            self.before = None;
        }
        let code = |before: &Mac256| row.code(self.chain.signer, before);
        let is_own = |code: &Option<Mac256>| code.is_some_and(|code| row.mac == code);
        let (good, should) = match &self.before {
            Some((stands, should)) => {
                let should = code(should);
                // If the entry before has a wrong code, this one was made with the right one, or the wrong one came later.
                (is_own(&should) || is_own(&code(stands)), should)
            }
            None => (row.open(self.chain.sealer).is_some(), None),
        };
        if !good {
            self.add(Trouble::Changed { seq: row.seq });
        }
        let stands = Mac256::try_from(row.mac.as_slice()).ok();
        self.before = match (stands, should) {
            (Some(stands), Some(should)) => Some((stands, should)),
            (Some(one), None) | (None, Some(one)) => Some((one, one)),
            (None, None) => None,
        };
        self.wanted = Some(row.seq + 1);
        self.last = Head {
            seq: row.seq,
            mac: stands.unwrap_or_default(),
        };
        if let Anchored::At(anchor) = self.anchored
            && anchor.seq == row.seq
        {
            self.meet(*anchor, &row.mac);
        }
    }

    fn meet(&mut self, anchor: Head, mac: &[u8]) {
        self.anchor_met = true;
        if anchor.mac != mac {
            self.anchor_broken = true;
            self.add(Trouble::NotAsAnchored { seq: anchor.seq });
        }
    }

    fn end(mut self, head: &Mark) -> Verified {
        let mut known = self.last.seq;
        match *head {
            Mark::None | Mark::Bad => self.add(Trouble::HeadMark),
            Mark::Good(head, _) if head.seq > known => {
                self.add(Trouble::Missing {
                    from: known + 1,
                    to: head.seq,
                });
                known = head.seq;
            }
            Mark::Good(head, _) if head != self.last => self.add(Trouble::HeadMark),
            Mark::Good(..) => {}
        }
        let anchor = match self.anchored {
            Anchored::Never => AnchorCheck::Never,
            Anchored::Unseen(why) => AnchorCheck::Unseen(why.clone()),
            Anchored::At(anchor) if anchor.seq > known => {
                self.add(Trouble::Missing {
                    from: known + 1,
                    to: anchor.seq,
                });
                AnchorCheck::Broken
            }
            Anchored::At(anchor) if self.anchor_met || anchor.seq == 0 => {
                if self.anchor_broken {
                    AnchorCheck::Broken
                } else {
                    AnchorCheck::Holds {
                        newer: known - anchor.seq,
                    }
                }
            }
            Anchored::At(anchor) if self.gap.is_some_and(|gap| anchor.seq <= gap.upto) => {
                AnchorCheck::OlderThanKept
            }
            Anchored::At(_) => AnchorCheck::Broken,
        };
        Verified {
            entries: self.entries,
            gap: self.gap,
            anchor,
            troubles: self.troubles,
            trouble_count: self.trouble_count,
        }
    }
}

fn oldest(connection: &Connection, after: Option<u64>) -> Result<Vec<Row>, StoreError> {
    let sql = "SELECT seq, at, server, what, sealed, mac FROM history WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    // A changed number may be below zero.
    let after = after.map_or(i64::MIN, column);
    rows(connection, sql, params![after, CHUNK])
}

/// Entries as they lie in the file, whatever was done to them.
pub(in crate::store) fn rows(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<Row>, StoreError> {
    let mut query = connection.prepare_cached(sql)?;
    let mut found = query.query(parameters)?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(Row {
            seq: u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0),
            at: row.get_ref(1)?.as_i64().ok(),
            server: bytes(row.get_ref(2)?),
            what: bytes(row.get_ref(3)?),
            sealed: bytes(row.get_ref(4)?),
            mac: bytes(row.get_ref(5)?),
        });
    }
    Ok(rows)
}

/// A number as SQLite holds it.
pub(in crate::store) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
