//! What was decided, and what became of it: entries that are only ever added, oldest first.
//!
//! Promises: an entry is written in the transaction of the change that it tells of; entries are chained by HMAC-SHA-256
//! and their last one is marked, so that whoever lacks the key cannot change, remove, reorder or cut unnoticed
//! ([`chain`]); entries are ordered by their number, not by a clock; a name or code is kept as it was then.
//! [`find`] pages, filters and searches, [`export`] writes JSON and CSV.
//!
//! Deliberately absent: anything that was entered, unless the caller puts it into [`Entry::values`] at the person's
//! word; a path or query of a link.

pub mod chain;
pub mod export;
pub mod find;

use crate::text;
use serde::{Deserialize, Serialize};

/// One line of history. Texts of a server have passed [`crate::text`] before they come here; see [`chip`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// RFC 3339 with the local offset, as the clock said. What orders entries is their number.
    pub at: String,
    /// The server's id in the settings; it stands in clear in the file.
    pub server: String,
    /// The person's name for it.
    pub server_name: String,
    pub practice: bool,
    pub outcome: Outcome,
    pub delivery: Delivery,
    pub kind: Kind,
    pub started_by: StartedBy,
    pub call: u32,
    /// What was called, a quoted chip.
    pub call_name: String,
    /// Arguments as they are mentioned, with what looks like a secret hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Shown>,
    /// The first line of the question, a quoted chip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkFacts>,
    /// What the person saw before deciding, beside the question itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<Saw>,
    /// What was sent. Empty unless the person chose to keep values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Shown>,
    /// Which decision `about` tells, so that the entry can be read by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Outcome>,
    /// The number of an earlier entry that this one says more about: what became of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<u64>,
}

/// A name and what is shown for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub name: String,
    pub text: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $list:ident { $($(#[$entry_doc:meta])* $entry:ident = $code:literal, $words:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $list {
            $($(#[$entry_doc])* #[serde(rename = $code)] $entry,)*
        }

        impl $list {
            pub const ALL: &'static [Self] = &[$(Self::$entry,)*];

            /// As it stands in the file and in an export.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$entry => $code,)*
                }
            }

            /// For a person.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$entry => $words,)*
                }
            }
        }
    };
}

words! {
    /// What happened.
    Outcome {
        Accepted = "accepted", "accepted";
        Declined = "declined", "declined";
        /// The server is told that nothing was chosen.
        Dismissed = "dismissed", "dismissed";
        /// A link that was opened, and then not gone through with.
        GaveUp = "gave_up", "given up";
        /// The person stopped the call.
        Stopped = "stopped", "stopped";
        /// The server took its question back.
        Withdrawn = "withdrawn", "withdrawn by the server";
        /// The question ended without an answer: its call, its connection or its program did.
        Closed = "closed", "closed without an answer";
        /// The server refused the answer.
        Refused = "refused", "refused by the server";
        NotDelivered = "not_delivered", "not delivered";
        /// Sent, and nothing is known since.
        Unknown = "unknown", "sent, outcome unknown";
        /// The person says that they had finished there; nothing was opened.
        CheckedByYou = "checked_by_you", "checked by you";
        /// The same link asked again: the server was told that it was accepted, nothing was opened.
        CheckedAgain = "checked_again", "checked again";
        Opened = "opened", "opened in the browser";
        OpenedAgain = "opened_again", "opened again";
        OpenFailed = "open_failed", "the browser could not be asked";
        /// Found so after a crash: the browser may have been asked.
        OpeningUnknown = "opening_unknown", "may have been opened";
        SentAgain = "sent_again", "sent again at your word";
        /// A lost delivery was left at that.
        Left = "left", "left as it was";
        Delivered = "delivered", "delivered";
        CallStarted = "call_started", "call started";
        CallDone = "call_done", "call done";
        CallDoneWithError = "call_done_with_error", "call done with the server's error";
        CallFailed = "call_failed", "call failed";
        ServerPaused = "server_paused", "server paused";
        ServerResumed = "server_resumed", "server no longer paused";
        ServerRemoved = "server_removed", "server removed";
        /// Put back to where it was when a call asked there.
        ServerRestored = "server_restored", "server put back to its old place";
    }
}

impl Outcome {
    /// Whether it is the person's own word on a question.
    pub fn is_decision(self) -> bool {
        match self {
            Self::Accepted
            | Self::Declined
            | Self::Dismissed
            | Self::GaveUp
            | Self::CheckedByYou
            | Self::CheckedAgain => true,
            Self::Stopped
            | Self::Withdrawn
            | Self::Closed
            | Self::Refused
            | Self::NotDelivered
            | Self::Unknown
            | Self::Opened
            | Self::OpenedAgain
            | Self::OpenFailed
            | Self::OpeningUnknown
            | Self::SentAgain
            | Self::Left
            | Self::Delivered
            | Self::CallStarted
            | Self::CallDone
            | Self::CallDoneWithError
            | Self::CallFailed
            | Self::ServerPaused
            | Self::ServerResumed
            | Self::ServerRemoved
            | Self::ServerRestored => false,
        }
    }
}

words! {
    /// How far an answer had come when the entry was written.
    Delivery {
        /// Nothing was to be sent.
        Nothing = "nothing", "nothing sent";
        /// Kept, until the others of its round are given.
        Kept = "kept", "kept";
        OnItsWay = "on_its_way", "on its way";
        Delivered = "delivered", "delivered";
        NotDelivered = "not_delivered", "not delivered";
        Unknown = "unknown", "outcome unknown";
        Refused = "refused", "refused";
    }
}

words! {
    /// What an entry is about.
    Kind {
        Form = "form", "form";
        Link = "link", "link";
        /// A question that could not be drawn or opened.
        Unusable = "unusable", "unusable question";
        /// A call as a whole.
        Call = "call", "call";
        /// A server as a whole.
        Server = "server", "server";
    }
}

/// Who started the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StartedBy {
    Person,
    Program { name: String, request: String },
    Server,
}

/// A link, as far as history keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkFacts {
    /// The code of [`crate::link::Verdict`].
    pub verdict: String,
    /// The codes of [`crate::link::finding::FindingCode`], worst first.
    pub findings: Vec<String>,
    pub scheme: String,
    pub host: String,
}

/// Something that stood on the card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "saw", rename_all = "snake_case")]
pub enum Saw {
    /// "Asked again after you declined".
    DeclinedBefore { times: u32 },
    /// Many rounds without the person's word.
    ManyRounds { rounds: u32 },
    /// The guard held a field back; `anyway`: the person sent it all the same. The field's title is a quoted chip.
    SecretAsked { field: String, anyway: bool },
    /// The domain had to be typed.
    DomainTyped,
    /// "Waiting 14 h. Many servers forget sooner."
    WaitedLong,
    /// The account, headers or environment of the server had changed.
    ServerChanged,
}

/// The first line of a server's words, as a quoted chip of at most [`text::CHIP`] code points.
pub fn chip(words: &str) -> String {
    text::line(text::first_line(words).trim(), text::CHIP)
}

impl StartedBy {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Program { .. } => "program",
            Self::Server => "server",
        }
    }
}

impl Saw {
    /// In words, for exports and search.
    pub fn words(&self) -> String {
        match self {
            Self::DeclinedBefore { times } => format!("asked again after {times} refusals"),
            Self::ManyRounds { rounds } => format!("{rounds} rounds without a word"),
            Self::SecretAsked { field, anyway: false } => format!("a secret asked for in {field}"),
            Self::SecretAsked { field, anyway: true } => {
                format!("a secret asked for in {field}, sent anyway")
            }
            Self::DomainTyped => "domain typed".to_owned(),
            Self::WaitedLong => "waited long".to_owned(),
            Self::ServerChanged => "server changed".to_owned(),
        }
    }
}

impl Entry {
    /// Seconds since 1970, for filters and retention; 0 where the text is no time.
    pub(crate) fn seconds(&self) -> i64 {
        self.at
            .parse::<jiff::Timestamp>()
            .map_or(0, jiff::Timestamp::as_second)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::store) fn entry(number: u32) -> Entry {
        Entry {
            at: format!("2026-12-01T14:{:02}:{:02}+01:00", number / 60 % 60, number % 60),
            server: format!("server-{}", number % 3),
            server_name: format!("My server {}", number % 3),
            practice: false,
            outcome: Outcome::ALL[number as usize % Outcome::ALL.len()],
            delivery: Delivery::Delivered,
            kind: Kind::ALL[number as usize % Kind::ALL.len()],
            started_by: StartedBy::Person,
            call: number,
            call_name: "create_invoice".to_owned(),
            arguments: vec![Shown {
                name: "customer".to_owned(),
                text: format!("Müller {number}"),
            }],
            question: Some("Which account?".to_owned()),
            link: None,
            saw: vec![Saw::DeclinedBefore { times: 2 }],
            values: Vec::new(),
            decision: None,
            about: None,
        }
    }

    #[test]
    fn every_word_is_its_own_and_reads_back() {
        for (index, outcome) in Outcome::ALL.iter().enumerate() {
            assert!(
                Outcome::ALL[..index]
                    .iter()
                    .all(|other| other.code() != outcome.code())
            );
            assert!(
                Outcome::ALL[..index]
                    .iter()
                    .all(|other| other.words() != outcome.words())
            );
            let code = serde_json::to_string(outcome).expect("written");
            assert_eq!(code, format!("\"{}\"", outcome.code()));
            assert_eq!(serde_json::from_str::<Outcome>(&code).ok(), Some(*outcome));
        }
    }

    #[test]
    fn what_is_not_there_is_not_written() {
        let written = serde_json::to_string(&entry(1)).expect("written");
        for name in ["\"values\":", "\"link\":", "\"about\":"] {
            assert!(!written.contains(name), "{written}");
        }
        assert_eq!(serde_json::from_str::<Entry>(&written).ok(), Some(entry(1)));
    }

    #[test]
    fn a_chip_is_one_short_line_of_harmless_letters() {
        assert_eq!(chip("\n  Which account?\nAnd more"), "Which account?");
        assert_eq!(chip(""), "");
        assert_eq!(chip("a\u{202e}b"), "a⟦U+202E⟧b");
        assert!(chip(&"x".repeat(100)).chars().count() <= text::CHIP + 1);
    }

    #[test]
    fn times_count_in_seconds_whatever_their_offset() {
        let mut one = entry(0);
        one.at = "1970-01-01T01:00:07+01:00".to_owned();
        assert_eq!(one.seconds(), 7);
        one.at = "yesterday".to_owned();
        assert_eq!(one.seconds(), 0);
    }
}
