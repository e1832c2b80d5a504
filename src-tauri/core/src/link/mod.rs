//! A server's link: judged from its text alone, opened only after consent.
//!
//! Pure, but for [`open`]: nothing is resolved, fetched or looked up. The string is parsed once; what is shown is
//! what is opened.

use serde::Serialize;

/// What can be said of one link without touching the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    pub verdict: Verdict,
    /// Most serious first.
    pub findings: Vec<Finding>,
    /// The whole address as it would be opened; of a refused link the text as sent, invisible characters marked.
    pub shown: String,
    /// The text as sent, where it differs from `shown`.
    pub as_sent: Option<String>,
    /// The host in ASCII, the truth of where the link goes.
    pub ascii_host: Option<String>,
    /// The host as a reader of its script would write it, where that differs and may be shown.
    pub unicode_host: Option<String>,
    /// The registrable domain (or the whole host where there is none), in ASCII; a suffix of `ascii_host`.
    pub domain: Option<String>,
    /// Scheme, host and port in ASCII.
    pub origin: Option<String>,
    /// The well-known or server's own name that this link could be taken for.
    pub imitates: Option<String>,
}

/// How a link may be treated, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Plain,
    Notice,
    /// Opens only after the person typed the domain.
    Risky,
    /// Never opens.
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub code: FindingCode,
    pub verdict: Verdict,
    /// A concrete sentence for a person, without jargon.
    pub sentence: String,
}

/// Where the asking server is, for what a link means beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A process on this computer.
    Local,
    /// A server reached over HTTP at this address.
    Remote(url::Url),
}

/// What can be found about a link. Closed; the UI and the tests match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    Scheme,
    Parse,
}
