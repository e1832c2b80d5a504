//! Entries of history in the app's words. Pure.

use crate::link::FindingCode;
use crate::link::Verdict;
use crate::store::history::{Delivery, Entry, Kind, LinkFacts, Outcome, Saw, StartedBy};
use crate::view::CallId;
use crate::view::past::{HistoryEntry, HistoryKind, HistoryLink, HistoryRow, HistoryValue};

pub(super) fn row(number: u32, entry: &Entry) -> HistoryRow {
    let (what, how) = match entry.decision {
        Some(decision) => (decided(decision, entry), Some(became(entry.outcome))),
        None => (sentence(entry), standing(entry)),
    };
    HistoryRow {
        number,
        at: entry.at.clone(),
        server_name: entry.server_name.clone(),
        practice: entry.practice,
        kind: kind(entry.kind),
        what: what.to_owned(),
        how: how.map(str::to_owned),
        quoted: entry
            .question
            .clone()
            .or_else(|| Some(entry.call_name.clone()).filter(|name| !name.is_empty())),
        about: entry.about.map(super::number),
    }
}

/// `decision` tells what was decided, `last` what is known of it since.
pub(super) fn entry(number: u32, decision: &Entry, last: &Entry) -> HistoryEntry {
    let mut row = row(number, decision);
    row.how = self::row(number, last).how;
    row.about = last.about.map(super::number);
    let (started_by, program) = match &decision.started_by {
        StartedBy::Person => ("You started the call.", None),
        StartedBy::Program { name, .. } => ("Another program started the call:", Some(name.clone())),
        StartedBy::Server => ("The server asked by itself.", None),
    };
    HistoryEntry {
        row,
        started_by: started_by.to_owned(),
        program,
        call: (decision.call > 0).then_some(CallId(decision.call)),
        call_name: decision.call_name.clone(),
        arguments: decision
            .arguments
            .iter()
            .map(|shown| shown.name.clone())
            .collect(),
        question: decision.question.clone(),
        link: decision.link.as_ref().map(link),
        saw: decision.saw.iter().map(saw).collect(),
        values: decision
            .values
            .iter()
            .map(|shown| HistoryValue {
                name: Some(shown.name.clone()),
                text: shown.text.clone(),
            })
            .collect(),
        steps: Vec::new(),
    }
}

pub(super) fn unreadable(number: u32) -> HistoryRow {
    HistoryRow {
        number,
        at: String::new(),
        server_name: String::new(),
        practice: false,
        kind: HistoryKind::Call,
        what: format!("Entry {number} was changed and cannot be read"),
        how: None,
        quoted: None,
        about: None,
    }
}

pub(super) fn unreadable_entry(number: u32) -> HistoryEntry {
    HistoryEntry {
        row: unreadable(number),
        started_by: "Verify tells more.".to_owned(),
        program: None,
        call: None,
        call_name: String::new(),
        arguments: Vec::new(),
        question: None,
        link: None,
        saw: Vec::new(),
        values: Vec::new(),
        steps: Vec::new(),
    }
}

/// What happened, in the app's words.
pub(super) fn sentence(entry: &Entry) -> &'static str {
    let of_call = match entry.kind {
        Kind::Call => true,
        Kind::Form | Kind::Link | Kind::Unusable | Kind::Server => false,
    };
    match entry.outcome {
        decision @ (Outcome::Accepted
        | Outcome::Declined
        | Outcome::Dismissed
        | Outcome::GaveUp
        | Outcome::CheckedByYou
        | Outcome::CheckedAgain) => decided(decision, entry),
        Outcome::Stopped => "You stopped the call",
        Outcome::Withdrawn => "The server took it back",
        Outcome::Closed if of_call => "The call ended with its connection",
        Outcome::Closed => "It ended without an answer",
        Outcome::Refused => "The server refused the answer",
        Outcome::NotDelivered => "Not delivered",
        Outcome::Unknown => "Sent, nothing heard back",
        Outcome::Opened => "Page opened in your browser",
        Outcome::OpenedAgain => "Page opened again",
        Outcome::OpenFailed => "The browser could not be asked",
        Outcome::OpeningUnknown => "The page may have been opened",
        Outcome::SentAgain => "You sent it again",
        Outcome::Left if of_call => "You left the call as it was",
        Outcome::Left => "You left it at that",
        Outcome::Delivered => "The answer was delivered",
        Outcome::CallStarted => match entry.started_by {
            StartedBy::Person => "You started a call",
            StartedBy::Program { .. } => "A program started a call",
            StartedBy::Server => "The server began by itself",
        },
        Outcome::CallDone => "The call finished",
        Outcome::CallDoneWithError => "The call finished; the server says that it did not work",
        Outcome::CallFailed => "The call failed",
        Outcome::ServerPaused => "You paused the server",
        Outcome::ServerResumed => "You let the server go on",
        Outcome::ServerRemoved => "You removed the server",
        Outcome::ServerRestored => "You put the server back to its old place",
    }
}

fn decided(decision: Outcome, entry: &Entry) -> &'static str {
    match decision {
        Outcome::Declined => "You declined",
        Outcome::Dismissed => "You dismissed it",
        Outcome::GaveUp => "You gave up",
        Outcome::CheckedByYou => "You said that you had finished",
        Outcome::CheckedAgain => "You checked again",
        Outcome::Accepted
        | Outcome::Stopped
        | Outcome::Withdrawn
        | Outcome::Closed
        | Outcome::Refused
        | Outcome::NotDelivered
        | Outcome::Unknown
        | Outcome::Opened
        | Outcome::OpenedAgain
        | Outcome::OpenFailed
        | Outcome::OpeningUnknown
        | Outcome::SentAgain
        | Outcome::Left
        | Outcome::Delivered
        | Outcome::CallStarted
        | Outcome::CallDone
        | Outcome::CallDoneWithError
        | Outcome::CallFailed
        | Outcome::ServerPaused
        | Outcome::ServerResumed
        | Outcome::ServerRemoved
        | Outcome::ServerRestored => match entry.kind {
            Kind::Link => "You accepted the page",
            Kind::Form | Kind::Unusable | Kind::Call | Kind::Server => "You accepted",
        },
    }
}

/// What became of a decision.
fn became(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Delivered => "delivered",
        Outcome::NotDelivered => "not delivered",
        Outcome::Unknown => "sent, nothing heard back",
        Outcome::Refused => "refused by the server",
        Outcome::SentAgain => "sent again, on its way",
        Outcome::Left => "left at that",
        Outcome::Stopped => "the call was stopped; it may have arrived",
        Outcome::Closed => "it ended; the answer may have arrived",
        Outcome::Withdrawn => "the server took the question back",
        Outcome::Accepted
        | Outcome::Declined
        | Outcome::Dismissed
        | Outcome::GaveUp
        | Outcome::CheckedByYou
        | Outcome::CheckedAgain
        | Outcome::Opened
        | Outcome::OpenedAgain
        | Outcome::OpenFailed
        | Outcome::OpeningUnknown
        | Outcome::CallStarted
        | Outcome::CallDone
        | Outcome::CallDoneWithError
        | Outcome::CallFailed
        | Outcome::ServerPaused
        | Outcome::ServerResumed
        | Outcome::ServerRemoved
        | Outcome::ServerRestored => outcome.words(),
    }
}

/// How far it had come when the entry was written, where the sentence does not say it.
pub(super) fn standing(entry: &Entry) -> Option<&'static str> {
    match entry.delivery {
        Delivery::OnItsWay => Some("on its way"),
        Delivery::Kept => Some("kept"),
        Delivery::Unknown if entry.outcome != Outcome::Unknown => Some("it may have arrived"),
        Delivery::Nothing if entry.kind != Kind::Call && is_end(entry.outcome) => Some("nothing was sent"),
        Delivery::Nothing
        | Delivery::Unknown
        | Delivery::Delivered
        | Delivery::NotDelivered
        | Delivery::Refused => None,
    }
}

fn is_end(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Stopped | Outcome::Withdrawn | Outcome::Closed)
}

fn kind(kind: Kind) -> HistoryKind {
    match kind {
        Kind::Form => HistoryKind::Form,
        Kind::Link => HistoryKind::Link,
        Kind::Unusable => HistoryKind::Unusable,
        Kind::Call => HistoryKind::Call,
        Kind::Server => HistoryKind::Server,
    }
}

fn saw(saw: &Saw) -> HistoryValue {
    let plain = |text: String| HistoryValue { name: None, text };
    match saw {
        Saw::DeclinedBefore { times: 1 } => plain("Asked again after you declined once.".to_owned()),
        Saw::DeclinedBefore { times } => plain(format!("Asked again after you declined {times} times.")),
        Saw::ManyRounds { rounds } => plain(format!("{rounds} rounds had passed without your word.")),
        Saw::SecretAsked { field, anyway } => HistoryValue {
            name: Some(field.clone()),
            text: if *anyway {
                "looked like a secret; you sent it all the same."
            } else {
                "looked like a secret and was held back."
            }
            .to_owned(),
        },
        Saw::DomainTyped => plain("You had to type the domain.".to_owned()),
        Saw::WaitedLong => plain("It had waited long.".to_owned()),
        Saw::ServerChanged => plain("The headers or variables of the server had changed.".to_owned()),
    }
}

fn link(facts: &LinkFacts) -> HistoryLink {
    let verdict = [Verdict::Plain, Verdict::Notice, Verdict::Risky, Verdict::Refused]
        .into_iter()
        .find(|verdict| verdict.to_string() == facts.verdict);
    HistoryLink {
        scheme: facts.scheme.clone(),
        host: facts.host.clone(),
        verdict: match verdict {
            Some(Verdict::Plain) => "Nothing about the address stood out.",
            Some(Verdict::Notice) => "Something about the address was worth a look.",
            Some(Verdict::Risky) => "The address was risky.",
            Some(Verdict::Refused) => "The address was refused.",
            None => "What was said of the address cannot be told any more.",
        }
        .to_owned(),
        findings: facts.findings.iter().map(|code| found(code)).collect(),
    }
}

/// What a code means, in a few words; a code of another version as it is.
fn found(code: &str) -> String {
    let read: Result<FindingCode, _> = serde_json::from_value(code.into());
    let Ok(code) = read else { return code.to_owned() };
    match code {
        FindingCode::Scheme => "not a web address",
        FindingCode::Parse => "an address that cannot be read",
        FindingCode::MalformedAuthority => "slashes missing or too many before the site",
        FindingCode::Backslash => "a backslash in the address",
        FindingCode::Control => "control characters in the address",
        FindingCode::Userinfo => "a name or password before @",
        FindingCode::PercentHost => "an encoded host",
        FindingCode::TooLong => "a very long address",
        FindingCode::Normalised => "written differently from what the browser reads",
        FindingCode::Cleartext => "not encrypted on its way",
        FindingCode::Port => "an unusual port",
        FindingCode::BadPort => "a port that browsers refuse",
        FindingCode::EmptyLabel => "an empty part in the host",
        FindingCode::LabelTooLong => "a part of the host that is too long",
        FindingCode::HostTooLong => "a host that is too long",
        FindingCode::TrailingDot => "a dot at the end of the host",
        FindingCode::Underscore => "an underscore in the host",
        FindingCode::HyphenEdge => "a hyphen at the edge of a part of the host",
        FindingCode::ManyLabels => "a host of many parts",
        FindingCode::Ip => "numbers instead of a name",
        FindingCode::IpObfuscated => "numbers written in a misleading way",
        FindingCode::IpInName => "numbers within the name",
        FindingCode::Loopback => "this computer",
        FindingCode::Unspecified => "an address for no computer",
        FindingCode::Private => "a private network",
        FindingCode::LinkLocal => "the network next to this computer",
        FindingCode::Metadata => "the inner address of a cloud service",
        FindingCode::Broadcast => "every computer of the network",
        FindingCode::Multicast => "a group of computers",
        FindingCode::Reserved => "a reserved address",
        FindingCode::V4Mapped | FindingCode::V4Compatible | FindingCode::Nat64 | FindingCode::SixToFour => {
            "one address within another"
        }
        FindingCode::LocalName => "a name of this computer or network",
        FindingCode::SingleLabel => "a name without an ending",
        FindingCode::SpecialTld => "an ending with a special meaning",
        FindingCode::PublicSuffix => "an ending instead of a site",
        FindingCode::SharedHosting => "a host that many people share",
        FindingCode::FileLikeTld => "an ending that looks like a file",
        FindingCode::Shortener => "a service that shortens addresses",
        FindingCode::OpenRedirect => "may send the browser elsewhere",
        FindingCode::ForeignDomain => "another site than the server's",
        FindingCode::FirstTime => "first time for this server",
        FindingCode::OpenedBefore => "opened for this server before",
        FindingCode::Idna => "letters that no name may have",
        FindingCode::IdnaSlash => "a letter that becomes a slash",
        FindingCode::IdnaBidi => "letters of both directions",
        FindingCode::Punycode => "letters outside a to z",
        FindingCode::NonasciiInput => "letters that were converted",
        FindingCode::DotVariant => "a letter that becomes a dot",
        FindingCode::CompatChars => "letters that become other letters",
        FindingCode::Invisible => "invisible characters",
        FindingCode::MixedScript => "letters of several scripts",
        FindingCode::WholeScript => "letters that look like others",
        FindingCode::RestrictedChar => "letters that are rarely used",
        FindingCode::LookalikeSlash => "a letter that looks like a slash",
        FindingCode::Brand => "looks like a well-known name",
        FindingCode::BrandEmbedded => "a well-known name within another",
        FindingCode::Bidi => "characters that turn the direction",
        FindingCode::EncodedBidi => "encoded characters that turn the direction",
        FindingCode::EncodedControl => "encoded control characters",
        FindingCode::EncodedInvisible => "encoded invisible characters",
        FindingCode::AtInPath => "an @ in the path",
        FindingCode::NestedUrl => "another address within it",
        FindingCode::SecretInUrl => "something secret in the address",
        FindingCode::TokenInUrl => "a token in the address",
        FindingCode::Presigned => "a signed address",
        FindingCode::PiiInUrl => "personal data in the address",
        FindingCode::OpaqueData => "data that cannot be read in the address",
    }
    .to_owned()
}
