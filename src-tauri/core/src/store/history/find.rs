//! Paging, filters and search over history, newest first.
//!
//! A search opens every entry that it looks at: texts are sealed, and there is no index of words. Costs are in the
//! bench of the store.

use super::chain::{self, Chain, Row, column};
use super::{Entry, Kind, Outcome};
use crate::store::error::StoreError;
use rusqlite::{Connection, params};

/// Entries that are read at a time, so that others can write in between.
const CHUNK: i64 = 500;

/// What to look for; everything that is `Some` or not empty must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub server: Option<String>,
    /// One of these; empty: any.
    pub outcomes: Vec<Outcome>,
    pub kinds: Vec<Kind>,
    /// Seconds since 1970, from and up to and with.
    pub from: Option<i64>,
    pub to: Option<i64>,
    /// Newer than the entry with this number.
    pub after: Option<u64>,
    /// Words, each of which occurs in what is shown of the entry, in any letter case.
    pub text: String,
}

/// One entry of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub seq: u64,
    /// `None`: it was changed and cannot be read; [`crate::store::Store::verify`] tells more.
    pub entry: Option<Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Newest first.
    pub lines: Vec<Line>,
    /// Where the next page goes on; `None`: there is no more.
    pub before: Option<u64>,
}

impl Filter {
    fn words(&self) -> Vec<String> {
        self.text
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    }

    /// An entry that cannot be read fits only where nothing is asked of what is sealed.
    fn fits(&self, words: &[String], entry: Option<&Entry>) -> bool {
        let Some(entry) = entry else {
            return words.is_empty() && self.kinds.is_empty();
        };
        (self.kinds.is_empty() || self.kinds.contains(&entry.kind)) && {
            let shown = if words.is_empty() {
                String::new()
            } else {
                shown(entry)
            };
            words.iter().all(|word| shown.contains(word.as_str()))
        }
    }
}

impl Chain<'_> {
    /// Up to `limit` entries that fit, older than `before`.
    pub(in crate::store) fn find(
        &self,
        with: impl Fn(&mut dyn FnMut(&Connection) -> Result<(), StoreError>) -> Result<(), StoreError>,
        filter: &Filter,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let words = filter.words();
        let mut page = Page::default();
        // Without words most of what is read fits, so no more is read than is wanted.
        let chunk = if words.is_empty() && filter.kinds.is_empty() {
            i64::try_from(limit.saturating_add(1)).map_or(CHUNK, |limit| limit.min(CHUNK))
        } else {
            CHUNK
        };
        let mut before = before.map_or(i64::MAX, column);
        loop {
            let mut rows = Vec::new();
            with(&mut |connection| {
                rows = newest(connection, filter, before, chunk)?;
                Ok(())
            })?;
            if rows.is_empty() {
                return Ok(page);
            }
            for row in rows {
                before = column(row.seq);
                let entry = row.open(self.sealer);
                if !filter.fits(&words, entry.as_ref()) {
                    continue;
                }
                if page.lines.len() == limit {
                    page.before = page.lines.last().map(|line| line.seq);
                    return Ok(page);
                }
                page.lines.push(Line { seq: row.seq, entry });
            }
        }
    }
}

fn newest(connection: &Connection, filter: &Filter, before: i64, chunk: i64) -> Result<Vec<Row>, StoreError> {
    let sql = "SELECT seq, at, server, what, sealed, mac FROM history \
               WHERE seq < ?1 AND seq > ?7 AND (?2 IS NULL OR server = ?2) AND (?3 IS NULL OR instr(?3, ' ' || what || ' ') > 0) \
               AND at >= ?4 AND at <= ?5 ORDER BY seq DESC LIMIT ?6";
    let mut outcomes = String::new();
    for outcome in &filter.outcomes {
        outcomes.push_str(&format!(" {} ", outcome.code()));
    }
    let outcomes = (!outcomes.is_empty()).then_some(outcomes);
    let (from, to) = (filter.from.unwrap_or(i64::MIN), filter.to.unwrap_or(i64::MAX));
    chain::rows(
        connection,
        sql,
        params![
            before,
            filter.server,
            outcomes,
            from,
            to,
            chunk,
            column(filter.after.unwrap_or(0))
        ],
    )
}

/// Everything that a person can see of an entry, in small letters.
fn shown(entry: &Entry) -> String {
    let mut text = String::with_capacity(256);
    let mut add = |part: &str| {
        text.push_str(part);
        text.push('\n');
    };
    add(&entry.at);
    add(&entry.server_name);
    add(entry.outcome.words());
    add(entry.delivery.words());
    add(entry.kind.words());
    add(&entry.call_name);
    for shown in entry.arguments.iter().chain(&entry.values) {
        add(&shown.name);
        add(&shown.text);
    }
    if let Some(question) = &entry.question {
        add(question);
    }
    if let Some(link) = &entry.link {
        add(&link.scheme);
        add(&link.host);
        add(&link.verdict);
        link.findings.iter().for_each(|code| add(code));
    }
    for saw in &entry.saw {
        add(&saw.words());
    }
    if text.is_ascii() {
        text.make_ascii_lowercase();
        text
    } else {
        text.to_lowercase()
    }
}
