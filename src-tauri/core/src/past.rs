//! History for a person: looked through, verified, exported; and what the person chose to keep.
//!
//! Promises:
//! - Everything that reads many entries runs off the caller's thread: a search without a hit opens every one.
//! - An export is a new file that only this person can read; nothing is overwritten, and a failed one leaves nothing.
//! - Choices are sealed in the store under [`CHOICES`]. What cannot be read is as by default.
//! - What the person chose not to keep is not written, and what was kept of it is forgotten. Entries of history are never
//!   changed: a choice about them counts from then on, and shortening history leaves a signed mark.
//!
//! Deliberately absent: the key store. Whoever verifies brings what it knows ([`Anchored`]).

mod words;

use crate::app::Countersign;
use crate::store::history::chain::{AnchorCheck, Anchored, Keep, Verified};
use crate::store::history::export::Format;
use crate::store::history::find::{Filter, Line};
use crate::store::history::{Entry, Kind, Outcome};
use crate::store::{Store, StoreError};
use crate::text;
use crate::view::past::{
    Choices, ExportFormat, Exported, HistoryAsked, HistoryEntry, HistoryKind, HistoryPage, HistoryRow,
    HistoryShow, HistoryStep, Retention, Verification,
};
use crate::view::{CallId, Failure};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the choices in the store.
pub const CHOICES: &str = "choices";
/// Finished calls whose results are kept, the newest.
pub const KEPT_RESULTS: u32 = 500;
/// Entries of a page.
const PAGE: usize = 60;
/// Among how many entries after a decision its delivery is looked for, and how many are read at a time.
const FOLLOWED: u64 = 10_000;
const FOLLOWED_AT_ONCE: usize = 500;
/// Files of one day with names of their own.
const FILES: u32 = 1_000;
/// What says more about an earlier decision.
const FOLLOWING: [Outcome; 8] = [
    Outcome::Delivered,
    Outcome::NotDelivered,
    Outcome::Unknown,
    Outcome::Refused,
    Outcome::SentAgain,
    Outcome::Left,
    Outcome::Stopped,
    Outcome::Closed,
];

impl Countersign {
    /// Up to a page of history, newest first, older than `before` where that is given.
    ///
    /// # Errors
    /// A day that is none, or the store cannot be read.
    pub async fn history(&self, asked: HistoryAsked, before: Option<u32>) -> Result<HistoryPage, Failure> {
        let Some(store) = self.inbox().store() else {
            return Ok(HistoryPage {
                rows: Vec::new(),
                before: None,
            });
        };
        let filter = self.filter(&asked)?;
        aside(move || page(&store, &filter, asked.show, before.map(u64::from))).await
    }

    /// One entry with the decision it belongs to, and what became of that.
    ///
    /// # Errors
    /// [`Failure::gone`], or the store cannot be read.
    pub async fn history_entry(&self, number: u32) -> Result<HistoryEntry, Failure> {
        let store = self.inbox().store().ok_or_else(Failure::gone)?;
        let mut found = aside(move || whole(&store, u64::from(number)))
            .await?
            .ok_or_else(Failure::gone)?;
        found.call = found.call.filter(|call| self.inbox().end(*call).is_some());
        Ok(found)
    }

    /// Writes what fits into a new file in `folder`, or the person's folder for downloads.
    ///
    /// # Errors
    /// A day that is none, no such folder, or what cannot be read or written.
    pub async fn export_history(
        &self,
        asked: HistoryAsked,
        format: ExportFormat,
        folder: Option<PathBuf>,
    ) -> Result<Exported, Failure> {
        let store = self.inbox().store().ok_or_else(not_kept)?;
        let filter = self.filter(&asked)?;
        let folder = folder
            .or_else(downloads)
            .ok_or_else(|| Failure::not_possible("No folder for downloads was found."))?;
        let day: String = self.clock().local_time().chars().take(10).collect();
        let (ending, format) = match format {
            ExportFormat::Json => ("json", Format::Json),
            ExportFormat::Csv => ("csv", Format::Csv),
        };
        let writing = move || -> Result<Exported, Failure> {
            let (path, file) = fresh(&folder, &format!("countersign-history-{day}"), ending)
                .map_err(|error| Failure::not_possible(format!("{}: {error}.", folder.display())))?;
            let fits = |line: &Line| asked.show.is_none_or(|show| fits(show, line));
            let written = store.export(&only(&filter, asked.show), fits, format, BufWriter::new(file));
            match written {
                Ok(entries) => Ok(Exported {
                    path: path.display().to_string(),
                    entries: number(entries),
                }),
                Err(error) => {
                    // Half an export would look like a whole one.
                    let _ = std::fs::remove_file(&path);
                    Err(failed(&error))
                }
            }
        };
        tokio::task::spawn_blocking(writing)
            .await
            .unwrap_or_else(|_| Err(Failure::not_possible("The export ended early.")))
    }

    /// Looks at every entry, with what the key store knows.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn verify_history(&self, anchored: Anchored) -> Result<Verification, Failure> {
        let store = self.inbox().store().ok_or_else(not_kept)?;
        let verified = aside(move || store.verify(&anchored)).await?;
        Ok(verification(&verified))
    }

    /// What the person chose.
    pub fn choices(&self) -> Choices {
        self.inbox().choices()
    }

    /// Keeps other things from now on, and forgets what is not to be kept any more.
    ///
    /// # Errors
    /// The store cannot be written. What was said before that may already count.
    pub async fn choose(&self, choices: Choices) -> Result<Choices, Failure> {
        let before = self.inbox().choices();
        if let Some(store) = self.inbox().store() {
            // First: nothing that is not wanted is written meanwhile.
            self.inbox().choose(choices);
            let clock = Arc::clone(self.clock());
            let changing = move || {
                let text = serde_json::to_vec(&choices).unwrap_or_default();
                store.put(CHOICES, Some(&text))?;
                if before.keep_results && !choices.keep_results {
                    store.forget_results(None)?;
                }
                if before.history != choices.history {
                    retain(&store, choices, &*clock)?;
                }
                Ok(())
            };
            if let Err(failure) = aside(changing).await {
                self.inbox().choose(before);
                return Err(failure);
            }
            if !choices.keep_results {
                self.inbox().ended_forgotten();
            }
        }
        self.inbox().choose(choices);
        Ok(choices)
    }

    /// Forgets a call that has ended, with its result. History stays.
    ///
    /// # Errors
    /// [`Failure::not_possible`] while it runs, or why it could not be done.
    pub async fn forget_call(&self, call: CallId) -> Result<(), Failure> {
        match self.inbox().forget(call) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::not_possible(
                "Only a call that has ended can be forgotten.",
            )),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Takes up what was chosen, and forgets what is too old by that.
    pub(crate) fn take_up_choices(&self, store: &Store) -> Result<(), StoreError> {
        let kept = store.get(CHOICES).ok().flatten();
        let choices: Choices = kept
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        self.inbox().choose(choices);
        store.keep_finished(KEPT_RESULTS)?;
        retain(store, choices, &**self.clock())
    }

    fn filter(&self, asked: &HistoryAsked) -> Result<Filter, Failure> {
        Ok(Filter {
            server: match asked.server {
                Some(server) => Some(self.key_of(server).ok_or_else(Failure::gone)?),
                None => None,
            },
            outcomes: Vec::new(),
            kinds: asked.kind.map(kind).into_iter().collect(),
            from: asked.from.as_deref().map(|day| self.second(day, 0)).transpose()?,
            to: asked
                .to
                .as_deref()
                .map(|day| self.second(day, 1))
                .transpose()?
                .map(|next| next - 1),
            after: None,
            text: asked.text.clone(),
        })
    }

    /// The second in which a local day, or a later one, begins.
    fn second(&self, day: &str, later: i64) -> Result<i64, Failure> {
        let read = || {
            let date = day.parse::<jiff::civil::Date>().ok()?;
            let date = date.checked_add(jiff::Span::new().try_days(later).ok()?).ok()?;
            let zone = self.clock().zone();
            let zone = zone.and_then(|name| jiff::tz::TimeZone::get(&name).ok());
            let start = date
                .to_zoned_datetime(zone.unwrap_or(jiff::tz::TimeZone::UTC))
                .ok()?;
            Some(start.timestamp().as_second())
        };
        read().ok_or_else(|| {
            Failure::invalid(format!(
                "“{}” is no day; write it like 2026-12-01.",
                text::chip(day)
            ))
        })
    }
}

/// Off the caller's thread: the store is asked for many entries.
async fn aside<T: Send + 'static>(
    asking: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(asking).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(failed(&error)),
        Err(_) => Err(Failure::not_possible("History could not be read.")),
    }
}

fn page(
    store: &Store,
    filter: &Filter,
    show: Option<HistoryShow>,
    mut before: Option<u64>,
) -> Result<HistoryPage, StoreError> {
    let filter = only(filter, show);
    let mut rows: Vec<HistoryRow> = Vec::new();
    // A search can find decisions alone; how they went is said all the same.
    let mut alone = Vec::new();
    loop {
        let found = store.history(&filter, before, PAGE)?;
        before = found.before;
        for line in &found.lines {
            if show.is_some_and(|show| !fits(show, line)) {
                continue;
            }
            let Line { seq, entry } = line;
            let Some(entry) = entry else {
                rows.push(words::unreadable(number(*seq)));
                continue;
            };
            let row = words::row(number(*seq), entry);
            let is_told = || rows.iter().any(|newer| newer.about == Some(row.number));
            if !filter.text.is_empty() && entry.outcome.is_decision() && !is_told() {
                alone.push(*seq);
            }
            rows.push(row);
        }
        if before.is_none() || rows.len() >= PAGE {
            break;
        }
    }
    for (_, step) in following(store, &alone)? {
        let about = step.about.map(number);
        if let Some(row) = rows.iter_mut().find(|row| about == Some(row.number)) {
            row.how = words::row(0, &step).how;
        }
    }
    Ok(HistoryPage {
        rows,
        before: before.map(number),
    })
}

fn whole(store: &Store, seq: u64) -> Result<Option<HistoryEntry>, StoreError> {
    let Some(entry) = numbered(store, seq)? else {
        return Ok(None);
    };
    let Some(entry) = entry else {
        return Ok(Some(words::unreadable_entry(number(seq))));
    };
    let (first, decision) = match entry.about {
        Some(about) => match numbered(store, about)? {
            Some(Some(decision)) => (about, decision),
            Some(None) | None => (seq, entry.clone()),
        },
        None => (seq, entry.clone()),
    };
    let mut steps = vec![(first, decision.clone())];
    steps.extend(following(store, &[first])?);
    if !steps.iter().any(|(step, _)| *step == seq) {
        steps.push((seq, entry.clone()));
    }
    // The decision tells what was decided; the newest step how it stands.
    let last = steps.last().map_or(&entry, |(_, last)| last);
    let mut found = words::entry(number(seq), &decision, last);
    found.steps = steps
        .iter()
        .map(|(step, entry)| HistoryStep {
            number: number(*step),
            at: entry.at.clone(),
            what: words::sentence(entry).to_owned(),
            how: words::standing(entry).map(str::to_owned),
        })
        .collect();
    Ok(Some(found))
}

/// The entry with this number; `Some(None)` where it cannot be read.
fn numbered(store: &Store, seq: u64) -> Result<Option<Option<Entry>>, StoreError> {
    let page = store.history(&Filter::default(), seq.checked_add(1), 1)?;
    let line = page.lines.into_iter().find(|line| line.seq == seq);
    Ok(line.map(|line| line.entry))
}

/// What became of decisions, oldest first. Looked for once for all of them.
fn following(store: &Store, decisions: &[u64]) -> Result<Vec<(u64, Entry)>, StoreError> {
    let (Some(first), Some(last)) = (decisions.iter().min(), decisions.iter().max()) else {
        return Ok(Vec::new());
    };
    let filter = Filter {
        outcomes: FOLLOWING.to_vec(),
        after: Some(*first),
        ..Filter::default()
    };
    let mut before = Some(last.saturating_add(FOLLOWED));
    let mut about = Vec::new();
    while before.is_some() {
        let page = store.history(&filter, before, FOLLOWED_AT_ONCE)?;
        before = page.before;
        about.extend(page.lines.into_iter().filter_map(|line| {
            let entry = line
                .entry
                .filter(|entry| entry.about.is_some_and(|about| decisions.contains(&about)))?;
            Some((line.seq, entry))
        }));
    }
    about.reverse();
    Ok(about)
}

/// The same filter for what belongs together; [`fits`] decides on what says more about a decision.
fn only(filter: &Filter, show: Option<HistoryShow>) -> Filter {
    let mut filter = filter.clone();
    if let Some(show) = show {
        filter.outcomes.extend(outcomes(show));
        if outcomes(show).iter().any(|outcome| outcome.is_decision()) {
            filter.outcomes.extend(FOLLOWING);
        }
    }
    filter
}

/// What cannot be read fits: nobody knows what it was.
fn fits(show: HistoryShow, line: &Line) -> bool {
    let Some(entry) = &line.entry else {
        return true;
    };
    let own = outcomes(show);
    match show {
        HistoryShow::Accepted | HistoryShow::Declined | HistoryShow::Dismissed => {
            own.contains(&entry.decision.unwrap_or(entry.outcome))
        }
        HistoryShow::Calls => matches!(entry.kind, Kind::Call | Kind::Server),
        HistoryShow::Unanswered => {
            entry.kind != Kind::Call && entry.decision.is_none() && own.contains(&entry.outcome)
        }
        HistoryShow::Trouble | HistoryShow::Opened => own.contains(&entry.outcome),
    }
}

fn outcomes(show: HistoryShow) -> &'static [Outcome] {
    match show {
        HistoryShow::Accepted => &[Outcome::Accepted, Outcome::CheckedByYou, Outcome::CheckedAgain],
        HistoryShow::Declined => &[Outcome::Declined],
        HistoryShow::Dismissed => &[Outcome::Dismissed, Outcome::GaveUp],
        HistoryShow::Unanswered => &[Outcome::Stopped, Outcome::Withdrawn, Outcome::Closed],
        HistoryShow::Trouble => &[
            Outcome::NotDelivered,
            Outcome::Unknown,
            Outcome::Refused,
            Outcome::Left,
            Outcome::OpenFailed,
            Outcome::OpeningUnknown,
            Outcome::CallFailed,
            Outcome::CallDoneWithError,
        ],
        HistoryShow::Opened => &[
            Outcome::Opened,
            Outcome::OpenedAgain,
            Outcome::OpenFailed,
            Outcome::OpeningUnknown,
        ],
        HistoryShow::Calls => &[
            Outcome::CallStarted,
            Outcome::CallDone,
            Outcome::CallDoneWithError,
            Outcome::CallFailed,
            Outcome::Stopped,
            Outcome::Left,
            Outcome::ServerPaused,
            Outcome::ServerResumed,
            Outcome::ServerRemoved,
            Outcome::ServerRestored,
        ],
    }
}

fn kind(kind: HistoryKind) -> Kind {
    match kind {
        HistoryKind::Form => Kind::Form,
        HistoryKind::Link => Kind::Link,
        HistoryKind::Unusable => Kind::Unusable,
        HistoryKind::Call => Kind::Call,
        HistoryKind::Server => Kind::Server,
    }
}

fn verification(verified: &Verified) -> Verification {
    let holds = verified.trouble_count == 0;
    let entries = match verified.entries {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    let troubles: Vec<String> = verified.troubles.iter().map(|trouble| trouble.words()).collect();
    let mut notes = Vec::new();
    if let Some(gap) = verified.gap {
        notes.push(format!(
            "Entries up to number {} were removed by your setting on how long history is kept.",
            gap.upto
        ));
    }
    let anchor = match &verified.anchor {
        AnchorCheck::Holds { newer: 0 } => {
            "The key store of this computer knows the last entry, and it is this one.".to_owned()
        }
        AnchorCheck::Holds { newer } => format!(
            "The key store of this computer knows an entry of this history; {newer} were written since."
        ),
        AnchorCheck::OlderThanKept => {
            "The key store knows only an entry that was removed by your setting. An older copy of the whole file would not be noticed."
                .to_owned()
        }
        AnchorCheck::Never => {
            "The key store knows no entry yet. An older copy of the whole file would not be noticed.".to_owned()
        }
        AnchorCheck::Unseen(why) => format!(
            "{} An older copy of the whole file would not be noticed.",
            text::capitalised(why)
        ),
        AnchorCheck::Broken => "It is not the history that the key store knows.".to_owned(),
    };
    notes.push(anchor);
    notes.push(
        "Verifying cannot see what a program could write that runs as you and has your key.".to_owned(),
    );
    Verification {
        holds,
        sentence: match (holds, verified.trouble_count) {
            (true, _) if verified.entries == 0 => "There are no entries yet.".to_owned(),
            (true, _) => format!("{entries} looked at: none was changed, removed, moved or added."),
            (false, 1) => format!("{entries} looked at. One thing is not as it was written:"),
            (false, count) => format!("{entries} looked at. {count} things are not as they were written:"),
        },
        more: number(verified.trouble_count.saturating_sub(troubles.len() as u64)),
        troubles,
        notes,
    }
}

fn retain(store: &Store, choices: Choices, clock: &dyn crate::clock::Clock) -> Result<(), StoreError> {
    let days = match choices.history {
        Retention::ForEver => return Ok(()),
        Retention::Year => 365,
        Retention::Quarter => 90,
        Retention::Month => 30,
    };
    let Ok(now) = clock.local_time().parse::<jiff::Timestamp>() else {
        return Ok(());
    };
    let since = now.as_second() - days * 24 * 60 * 60;
    store.retain(Keep::Since(since), clock).map(|_| ())
}

/// A new file that only this person can read.
fn fresh(folder: &Path, name: &str, ending: &str) -> io::Result<(PathBuf, File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for count in 1..=FILES {
        let path = folder.join(match count {
            1 => format!("{name}.{ending}"),
            _ => format!("{name}-{count}.{ending}"),
        });
        match options.open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn downloads() -> Option<PathBuf> {
    let folders = directories::UserDirs::new()?;
    let downloads = folders.download_dir().filter(|folder| folder.is_dir());
    Some(downloads.unwrap_or_else(|| folders.home_dir()).to_owned())
}

fn number(seq: u64) -> u32 {
    u32::try_from(seq).unwrap_or(u32::MAX)
}

fn failed(error: &StoreError) -> Failure {
    Failure::not_possible(error.to_string())
}

fn not_kept() -> Failure {
    Failure::not_possible("No history is kept in this run.")
}
