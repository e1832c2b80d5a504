//! A server's link: judged from its text alone, opened only after consent.
//!
//! Promises: the string is parsed once (WHATWG URL), and what is shown is what is opened; a refused link has no
//! parsed value at all; no input makes it panic. The text is read twice: first as sent (`sent`), for what a
//! parser would silently repair, then as parsed: where it goes (`host`, `ip`, `letters`, `names`) and what it
//! carries (`cargo`).
//!
//! Deliberately absent: the network. Nothing is resolved, fetched, previewed or looked up, and no list is updated
//! at run time. Only [`open`] does anything, and only with a parsed http or https address.

mod bundle;
mod cargo;
mod finding;
mod host;
mod ip;
mod letters;
mod lists;
mod names;
pub mod open;
mod sent;

pub use finding::{Finding, FindingCode};
pub use names::Names;

use crate::text;
use finding::Findings;
use host::Place;
use sent::Sent;
use serde::Serialize;
use std::fmt;
use url::{Host, Url};

/// What can be said of one link without touching the network. Its `{:?}` has no more of the address than the site.
#[derive(Clone, PartialEq, Eq, Serialize)]
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

/// The name of the verdict, as in JSON.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Where the asking server is, for what a link means beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A process on this computer.
    Local,
    /// A server reached over HTTP at this address.
    Remote(Url),
}

/// What is known beside the server that asks.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Sites that this person approved before. Compared for likeness only; they never make a verdict milder.
    pub names: Names,
    /// How often a page of the host of this link was opened for the server that asks; `None` where nobody counts.
    pub times: Option<u32>,
    /// Where the app serves its own practice page. A link to this very origin on the loopback raises no alarm.
    pub practice: Option<Url>,
}

/// A link that was inspected: what a person is shown, and what would be opened. Its `{:?}` says where it goes only.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    pub inspection: Inspection,
    /// The one value that may be opened; none when refused. `inspection.shown` is its text.
    pub url: Option<Url>,
}

/// Judges the text of a link (spec: client/elicitation, Safe URL Handling).
pub fn inspect(raw: &str, asker: &Asker, known: &Known) -> Link {
    let mut findings = Findings::default();
    if raw.len() > sent::UNREAD {
        return sent::unread(raw, findings);
    }
    let sent = Sent::read(raw, &mut findings);
    let mut place = None;
    let mut url = None;
    if let Some(sent) = &sent {
        match Url::parse(raw) {
            Ok(parsed) => {
                let parsed = sent::with_path_coded(parsed);
                place = Place::of(&parsed);
                if let Some(place) = &place {
                    judge(&parsed, place, sent, asker, known, &mut findings);
                }
                url = Some(parsed);
            }
            Err(_) => sent::unreadable(sent, &mut findings),
        }
    }
    if place.is_none() && !findings.refused() {
        findings.add(
            FindingCode::Parse,
            Verdict::Refused,
            "This is not an address that a browser could open.",
        );
    }
    if let Some(parsed) = &url {
        sent::normalised(raw, parsed, &mut findings);
    }
    let verdict = findings.verdict();
    let url = url.filter(|_| verdict < Verdict::Refused);
    let shown = match &url {
        Some(url) => url.as_str().to_owned(),
        None => text::marked(raw),
    };
    let origin = place.as_ref().map(|place| place.origin.clone());
    let imitates = findings.imitates.take();
    let unicode_host = place
        .as_ref()
        .and_then(|place| place.readable.clone())
        .filter(|_| findings.readable);
    Link {
        inspection: Inspection {
            verdict,
            findings: findings.sorted(),
            as_sent: (url.is_some() && shown != raw).then(|| text::marked(raw)),
            shown,
            domain: place.as_ref().map(|place| place.domain().to_owned()),
            ascii_host: place.map(|place| place.host),
            unicode_host,
            origin,
            imitates,
        },
        url,
    }
}

impl fmt::Debug for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspection")
            .field("verdict", &self.verdict)
            .field("origin", &self.origin)
            .field("domain", &self.domain)
            .field("unicode_host", &self.unicode_host)
            .field("imitates", &self.imitates)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inspection.fmt(f)
    }
}

impl Inspection {
    /// The same with no more of the address than where it goes, for what stays of a link when its question is over.
    #[must_use]
    pub fn without_address(&self) -> Self {
        let shown = match &self.origin {
            Some(origin) => format!("{origin}/…"),
            None => "…".to_owned(),
        };
        Self {
            shown,
            as_sent: None,
            ..self.clone()
        }
    }
}

/// Whether the person typed where a risky link really goes: the ASCII domain, in any case, blanks around it
/// ignored. The error is a sentence for the person.
pub fn typed_domain(inspection: &Inspection, typed: &str) -> Result<(), String> {
    let Some(domain) = inspection.domain.as_deref() else {
        return Err("This link has no domain.".into());
    };
    let typed = typed.trim();
    let bare = |name: &str| name.strip_suffix('.').unwrap_or(name).to_owned();
    let is = |name: &str| bare(typed).eq_ignore_ascii_case(&bare(name));
    if is(domain) {
        return Ok(());
    }
    if let Some(imitated) = inspection.imitates.as_deref().filter(|imitated| is(imitated)) {
        return Err(format!("This link does not go to {imitated}."));
    }
    if !typed.is_ascii() {
        return Err("Type the technical form of the domain, in plain letters a–z.".into());
    }
    if typed.is_empty() {
        return Err("Type the domain that this link goes to.".into());
    }
    if inspection.ascii_host.as_deref().is_some_and(is) {
        return Err(format!("Almost: the domain is only the part {domain}."));
    }
    Err(format!("This link does not go to {}.", text::chip(typed)))
}

/// A host with its letters decoded, whether they deceive or not: to look into, not to show.
pub fn decoded_host(ascii_host: &str) -> String {
    idna::domain_to_unicode(ascii_host).0
}

/// Whether two links lead to the same page and differ only after it: the same origin and path, another query or
/// fragment.
pub fn same_page(a: &Url, b: &Url) -> bool {
    a != b && a.origin() == b.origin() && a.path() == b.path()
}

impl Asker {
    /// Whether the asker runs on this computer: it may then ask for pages of this computer.
    fn is_here(&self) -> bool {
        match self {
            Self::Local => true,
            Self::Remote(url) => url.host().is_some_and(|host| host::is_loopback(&host)),
        }
    }

    fn host(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Remote(url) => url.host_str(),
        }
    }

    /// The registrable domain of the server, or its host.
    fn site(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Remote(url) => match url.host()? {
                Host::Domain(host) => Some(host::site(host)),
                Host::Ipv4(_) | Host::Ipv6(_) => url.host_str(),
            },
        }
    }

    fn same_origin(&self, url: &Url) -> bool {
        match self {
            Self::Local => false,
            Self::Remote(own) => own.origin() == url.origin(),
        }
    }
}

impl Known {
    /// Written plainly, too: a disguised spelling of the same address is no practice page.
    fn is_practice_page(&self, url: &Url, place: &Place, sent: &Sent) -> bool {
        let same = self
            .practice
            .as_ref()
            .is_some_and(|practice| practice.origin() == url.origin());
        same && place.loopback && sent.host == place.host
    }
}

fn judge(url: &Url, place: &Place, sent: &Sent, asker: &Asker, known: &Known, findings: &mut Findings) {
    if !known.is_practice_page(url, place, sent) {
        host::judge(url, place, sent, asker, findings);
        names::judge(place, sent, asker, &known.names, findings);
        letters::judge(place, sent, findings);
        host::judge_times(known.times, place, asker, findings);
        cargo::judge_path(url, sent, findings);
        cargo::judge_targets(url, place, asker, findings);
        cargo::judge_contents(url, findings);
    }
}

#[cfg(test)]
mod tests;
