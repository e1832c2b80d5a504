//! The text of a link as it was sent: what a lenient parser would drop, repair or reinterpret without a word.

use super::finding::Findings;
use super::letters::is_hidden;
use super::{FindingCode, Inspection, Link, Verdict};
use crate::text;
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use url::Url;

/// Longest address that is opened, in bytes; browsers and proxies give up at about this size.
const LONGEST: usize = 8_192;

/// Longest address that is taken apart, in bytes. A longer one is refused unread.
pub(super) const UNREAD: usize = 100_000;

/// The parts of an http or https address as written; no decoding, no mapping.
#[derive(Debug)]
pub(super) struct Sent {
    /// Without user name and port, brackets of an IPv6 address included.
    pub(super) host: String,
    /// From the first `/`, `?` or `#` after the host.
    pub(super) rest: String,
}

impl Sent {
    /// The parts of an address that can be read on; none where there is nothing to parse.
    pub(super) fn read(raw: &str, findings: &mut Findings) -> Option<Self> {
        controls(raw, findings);
        if raw.len() > LONGEST {
            too_long(raw, findings);
        }
        if raw.contains('\\') {
            findings.add(
                FindingCode::Backslash,
                Verdict::Refused,
                "The address contains a backslash (\\), which can hide where it goes.",
            );
        }
        // What the parser does first (WHATWG URL, basic URL parser, steps 1 to 3).
        let text: String = raw
            .trim_matches(|c: char| c <= ' ')
            .chars()
            .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
            .collect();
        let Some((scheme, after)) = scheme(&text) else {
            findings.add(
                FindingCode::Parse,
                Verdict::Refused,
                "The address does not begin with https://.",
            );
            return None;
        };
        if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
            findings.add(
                FindingCode::Scheme,
                Verdict::Refused,
                format!(
                    "The link begins with “{}:”, not with https:. It would start something other than a web page.",
                    text::chip(scheme)
                ),
            );
            return None;
        }
        let slash = |c: char| matches!(c, '/' | '\\');
        let authority = after.trim_start_matches(slash);
        let slashes = &after[..after.len() - authority.len()];
        if authority.is_empty() || authority.starts_with(['?', '#']) {
            findings.add(
                FindingCode::Scheme,
                Verdict::Refused,
                "The address names no site.",
            );
            return None;
        }
        if slashes != "//" && !slashes.contains('\\') {
            findings.add(
                FindingCode::MalformedAuthority,
                Verdict::Refused,
                "The address does not have exactly two slashes before the site.",
            );
        }
        let end = authority.find(['/', '\\', '?', '#']).unwrap_or(authority.len());
        let (authority, rest) = authority.split_at(end);
        let host = match authority.rsplit_once('@') {
            Some((_, host)) => {
                findings.add(
                    FindingCode::Userinfo,
                    Verdict::Refused,
                    "The part before @ is not the site. Real sites do not send links like this.",
                );
                host
            }
            None => authority,
        };
        let host = match (host.starts_with('['), host.rfind(']'), host.rfind(':')) {
            (true, Some(bracket), _) => &host[..=bracket],
            (_, _, Some(colon)) => &host[..colon],
            (_, _, None) => host,
        };
        if host.contains('%') && !host.starts_with('[') && Url::parse(raw).is_ok() {
            findings.add(
                FindingCode::PercentHost,
                Verdict::Refused,
                "The name of the site is written in a code (%…), so that it cannot be read.",
            );
        }
        Some(Self {
            host: host.to_owned(),
            rest: rest.to_owned(),
        })
    }
}

/// Why the parser would not take an address whose scheme and slashes are good.
pub(super) fn unreadable(sent: &Sent, findings: &mut Findings) {
    let (code, sentence) = reason(&sent.host);
    findings.add(code, Verdict::Refused, sentence);
}

/// Codes the two characters that the parser leaves in a path although no address may hold them (RFC 3986, 3.3) and
/// shells read them.
pub(super) fn with_path_coded(mut url: Url) -> Url {
    if url.path().contains(['^', '|']) {
        let path = url.path().replace('^', "%5E").replace('|', "%7C");
        url.set_path(&path);
    }
    url
}

/// Says that what will be opened is not letter for letter what was sent.
pub(super) fn normalised(raw: &str, parsed: &Url, findings: &mut Findings) {
    if parsed.as_str() == raw {
        return;
    }
    if raw.contains(char::is_whitespace) {
        findings.add(
            FindingCode::Normalised,
            Verdict::Notice,
            "The address was sent with blanks in it. What opens is written out here.",
        );
    } else {
        findings.add(
            FindingCode::Normalised,
            Verdict::Plain,
            "The address was written a little differently. What opens is written out here.",
        );
    }
}

/// An address too long to be taken apart: refused for its length alone, its beginning shown.
pub(super) fn unread(raw: &str, mut findings: Findings) -> Link {
    too_long(raw, &mut findings);
    Link {
        inspection: Inspection {
            verdict: findings.verdict(),
            findings: findings.sorted(),
            shown: text::line(raw, LONGEST),
            as_sent: None,
            ascii_host: None,
            unicode_host: None,
            domain: None,
            origin: None,
            imitates: None,
        },
        url: None,
    }
}

fn too_long(raw: &str, findings: &mut Findings) {
    let length = raw.chars().count();
    let sentence = format!("The address is {length} characters long; at most {LONGEST} are opened.");
    findings.add(FindingCode::TooLong, Verdict::Refused, sentence);
}

fn controls(raw: &str, findings: &mut Findings) {
    let control = raw
        .chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if control {
        findings.add(
            FindingCode::Control,
            Verdict::Refused,
            "The address contains invisible control characters or line breaks.",
        );
    } else if raw.trim() != raw {
        findings.add(
            FindingCode::Control,
            Verdict::Refused,
            "The address has blanks before or after it.",
        );
    }
}

/// The scheme and what follows its colon (RFC 3986, section 3.1).
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, after) = text.split_once(':')?;
    let mut characters = scheme.chars();
    let well_formed = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    well_formed.then_some((scheme, after))
}

fn reason(host: &str) -> (FindingCode, &'static str) {
    let mapped: String = host.nfkc().collect();
    let added = |wanted: &[char]| mapped.contains(wanted) && !host.contains(wanted);
    let written = mapped.trim_end_matches('.');
    let number = written
        .rsplit('.')
        .next()
        .is_some_and(|last| last.chars().all(|c| c.is_ascii_digit()));
    if host.contains(['%', '[', ']']) || number {
        return (FindingCode::Parse, "The name of the site cannot be read.");
    }
    if added(&['/', '\\']) {
        return (
            FindingCode::IdnaSlash,
            "The address contains a character that only looks like a slash, so that another site seems to be meant.",
        );
    }
    if added(&['@', ':', '?', '#', '%', '[', ']', ' ', '<', '>', '^', '|']) {
        return (
            FindingCode::Parse,
            "The name of the site contains a character that only looks like a punctuation mark.",
        );
    }
    let labels: String = host
        .split('.')
        .map(|label| decoded(label).unwrap_or_else(|| label.to_owned()))
        .collect::<Vec<_>>()
        .join(".");
    let coded = host
        .split('.')
        .any(|label| label.len() > 3 && label.is_char_boundary(4) && label[..4].eq_ignore_ascii_case("xn--"));
    if labels.is_ascii() && !coded {
        return (FindingCode::Parse, "The name of the site cannot be read.");
    }
    let right_to_left = |c: char| {
        matches!(
            c.script(),
            Script::Hebrew | Script::Arabic | Script::Syriac | Script::Thaana | Script::Nko | Script::Adlam
        )
    };
    let hidden = labels.chars().any(is_hidden);
    if labels.chars().any(right_to_left) && !hidden {
        return (
            FindingCode::IdnaBidi,
            "The name of the site mixes letters that are read from right to left with others, so that its parts change places.",
        );
    }
    (
        FindingCode::Idna,
        "The name of the site contains letters that no site name may have.",
    )
}

fn decoded(label: &str) -> Option<String> {
    let coded = label
        .get(..4)
        .filter(|prefix| prefix.eq_ignore_ascii_case("xn--"))
        .and(label.get(4..))?;
    idna::punycode::decode_to_string(coded)
}
