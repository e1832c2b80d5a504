//! What the window sees of the past: history, how it is verified and exported, and what the person chose to keep.

use super::{CallId, ServerId};
use serde::{Deserialize, Serialize};

/// What to look for; everything that is given must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct HistoryAsked {
    pub server: Option<ServerId>,
    pub show: Option<HistoryShow>,
    pub kind: Option<HistoryKind>,
    /// Words, each of which occurs in what is shown of the entry.
    pub text: String,
    /// Local days, "2026-12-01", from and up to and with.
    pub from: Option<String>,
    pub to: Option<String>,
}

/// Outcomes that belong together for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HistoryShow {
    /// Also "checked by you" and "checked again".
    Accepted,
    Declined,
    /// Also given up.
    Dismissed,
    /// Ended without an answer: stopped, withdrawn, closed, left.
    Unanswered,
    /// Something did not arrive, or nobody knows.
    Trouble,
    /// Pages that were opened, or could not be.
    Opened,
    /// What became of calls and servers as a whole.
    Calls,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HistoryKind {
    Form,
    Link,
    /// A question that could not be shown.
    Unusable,
    Call,
    Server,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// Newest first.
    pub rows: Vec<HistoryRow>,
    /// Where older ones go on; none: there are no older ones.
    pub before: Option<u32>,
}

/// One line of history, in the app's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryRow {
    pub number: u32,
    /// RFC 3339, local; empty where the entry cannot be read.
    pub at: String,
    /// The name the person gave.
    pub server_name: String,
    pub practice: bool,
    pub kind: HistoryKind,
    /// What happened: "You accepted".
    pub what: String,
    /// How it went: "delivered".
    pub how: Option<String>,
    /// The first line of the question, or what was called; a quoted chip.
    pub quoted: Option<String>,
    /// The entry that this one says more about. A list that shows this row leaves that one out, and others about it.
    pub about: Option<u32>,
}

/// One entry, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    pub row: HistoryRow,
    /// "You started the call."
    pub started_by: String,
    /// The name of a program that started the call, a quoted chip.
    pub program: Option<String>,
    /// The call, where it can still be looked at.
    pub call: Option<CallId>,
    /// A quoted chip.
    pub call_name: String,
    /// Names only; quoted chips.
    pub arguments: Vec<String>,
    /// A quoted chip.
    pub question: Option<String>,
    pub link: Option<HistoryLink>,
    /// What stood on the card before the person decided, a sentence each.
    pub saw: Vec<HistoryValue>,
    /// What was sent, where the person chose to keep that.
    pub values: Vec<HistoryValue>,
    /// The decision and what became of it, oldest first.
    pub steps: Vec<HistoryStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryLink {
    pub scheme: String,
    pub host: String,
    /// What the app thought of it, a sentence.
    pub verdict: String,
    /// What was found, in a few words each, worst first.
    pub findings: Vec<String>,
}

/// App words in `text` about foreign words in `name`, or a value under its label; foreign words are quoted chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryValue {
    pub name: Option<String>,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HistoryStep {
    pub number: u32,
    pub at: String,
    pub what: String,
    pub how: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    Json,
    Csv,
}

/// A file with history in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// Its whole path.
    pub path: String,
    pub entries: u32,
}

/// What verifying found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Nothing was found.
    pub holds: bool,
    /// The result in a sentence.
    pub sentence: String,
    /// What was found, a sentence each.
    pub troubles: Vec<String>,
    /// What is not in `troubles`.
    pub more: u32,
    /// What was removed by the person's own choice, and what this look cannot see.
    pub notes: Vec<String>,
}

/// What is kept. A field that is not there is as by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, rename_all = "camelCase")]
pub struct Choices {
    /// Finished calls, the newest of them, with their results, arguments and questions. Otherwise only that they were.
    pub keep_results: bool,
    /// What was entered, in history; and beside a finished call, so that it can be started again with it.
    pub keep_values: bool,
    pub history: Retention,
}

/// How long entries of history are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Retention {
    #[default]
    ForEver,
    Year,
    Quarter,
    Month,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            keep_results: true,
            keep_values: false,
            history: Retention::ForEver,
        }
    }
}
