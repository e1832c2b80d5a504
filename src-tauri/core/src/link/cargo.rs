//! What an address carries besides the site: disguises in its path, addresses of other sites, secrets.

use super::finding::Findings;
use super::host::{self, Place};
use super::letters::{is_hidden, looks_like_slash};
use super::sent::Sent;
use super::{Asker, FindingCode, Verdict, lists};
use crate::form::{Guard, Secret};
use crate::text;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::borrow::Cow;
use url::{Host, Url, form_urlencoded};

/// Looks for characters after the host that hide or reorder what is read.
pub(super) fn judge_path(url: &Url, sent: &Sent, findings: &mut Findings) {
    for c in sent.rest.chars().filter(|c| !c.is_ascii()) {
        if matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            findings.add(
                FindingCode::Bidi,
                Verdict::Risky,
                "The address contains a character that makes parts of it appear in another order.",
            );
        } else if is_hidden(c) {
            findings.add(
                FindingCode::Invisible,
                Verdict::Risky,
                "The address was sent with an invisible character in it.",
            );
        } else if looks_like_slash(c) {
            findings.add(
                FindingCode::LookalikeSlash,
                Verdict::Notice,
                format!("“{c}” in the address only looks like a slash."),
            );
        }
    }
    encoded(&sent.rest, findings);
    if misplaced_at(url) {
        findings.add(
            FindingCode::AtInPath,
            Verdict::Notice,
            format!(
                "What follows the @ is not the site. The site is {}.",
                url.host_str().unwrap_or_default()
            ),
        );
    }
}

/// Looks for addresses of other sites inside this one, and for sites that pass the browser on.
pub(super) fn judge_targets(url: &Url, place: &Place, asker: &Asker, findings: &mut Findings) {
    let Some(name) = place.name() else { return };
    let pass_on = lists::PASS_ON.iter().any(|(host, path)| {
        let site = match host.strip_prefix('.') {
            Some(parent) => name != parent && host::is_or_under(name, parent),
            None => name == *host || is_country_google(name, host),
        };
        site && url.path().starts_with(path)
    });
    if pass_on {
        findings.add(
            FindingCode::OpenRedirect,
            Verdict::Risky,
            format!("This page of {name} passes you on to, or shows, somebody else's page."),
        );
    }
    for (key, value) in pairs(url) {
        let names = lists::NAMING.contains(&key.to_ascii_lowercase().as_str());
        if let Some(target) = target(&value).filter(|_| !names) {
            nested(&target, &key, place, asker, pass_on, findings);
        }
    }
    for part in [url.query(), url.fragment()].into_iter().flatten() {
        if let Some(target) = target(part) {
            nested(&target, "", place, asker, pass_on, findings);
        }
    }
    let path = url.path();
    let inner = ["https:/", "http:/", "https%3A", "http%3A", "https%3a", "http%3a"];
    if let Some(at) = inner.iter().filter_map(|scheme| path.find(scheme)).min()
        && let Some(target) = target(&path[at..])
    {
        nested(&target, "", place, asker, pass_on, findings);
    }
}

/// Looks for secrets and personal facts, which end up in browser history and in logs.
pub(super) fn judge_contents(url: &Url, findings: &mut Findings) {
    let pairs: Vec<(String, String)> = pairs(url)
        .map(|(key, value)| {
            let key = key
                .chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            (key, value.into_owned())
        })
        .filter(|(_, value): &(String, String)| !value.is_empty())
        .collect();
    let has = |name: &str| pairs.iter().any(|(key, _)| key == name);
    if has("xamzsignature")
        || has("xamzcredential")
        || has("xgoogsignature")
        || has("xosssignature")
        || has("sig") && (has("se") || has("sv"))
        || has("signature") && (has("keypairid") || has("awsaccesskeyid") || has("expires") && has("policy"))
    {
        findings.add(
            FindingCode::Presigned,
            Verdict::Risky,
            "Whoever has this address can get at what is behind it: the permission is part of it.",
        );
        return;
    }
    if path_has_secret(url) {
        findings.add(
            FindingCode::SecretInUrl,
            Verdict::Risky,
            "The address carries what looks like a password or key in its path.",
        );
    }
    for (key, value) in &pairs {
        if let Some((code, verdict, sentence)) = content(key, value) {
            findings.add(code, verdict, sentence);
        }
    }
}

fn content(key: &str, value: &str) -> Option<(FindingCode, Verdict, String)> {
    let listed = |list: &[&str]| list.contains(&key);
    let by_protocol = listed(lists::SIGN_IN_NAMES);
    let looks = if by_protocol || value.len() > LOOKED_AT {
        Guard::Ok
    } else {
        Guard::of_argument("", value)
    };
    let key_like = begins_like_key(value) || !by_protocol && is_jwt(value);
    if listed(lists::SECRET_NAMES) || key_like || looks == Guard::Secret(Secret::Key) {
        return Some((
            FindingCode::SecretInUrl,
            Verdict::Risky,
            format!(
                "The address carries what looks like a password or key (“{}”).",
                text::chip(key)
            ),
        ));
    }
    let is_account = matches!(looks, Guard::Secret(Secret::Card | Secret::Bank));
    if listed(lists::PERSONAL_NAMES) || is_social_security_number(value) || is_account {
        return Some((
            FindingCode::PiiInUrl,
            Verdict::Risky,
            format!(
                "The address carries a personal number or date (“{}”).",
                text::chip(key)
            ),
        ));
    }
    if by_protocol {
        return None;
    }
    if listed(lists::TOKEN_NAMES) || key.ends_with("token") {
        return Some((
            FindingCode::TokenInUrl,
            Verdict::Notice,
            "The address carries a one-time key. It is meant for you alone.".into(),
        ));
    }
    if matches!(key, "email" | "mail" | "emailaddress" | "phone" | "phonenumber") {
        return Some((
            FindingCode::PiiInUrl,
            Verdict::Notice,
            format!("The address carries personal data (“{key}”)."),
        ));
    }
    // The second is the first in base64url.
    let structured = value.starts_with(['{', '[']) && value.contains(['"', ':'])
        || value.starts_with("eyJ") && value.len() >= 20;
    let prose = value.split_whitespace().count() >= PROSE;
    let blob = value.len() >= 100
        && !value.contains("://")
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | ' '))
        && value.chars().filter(|c| matches!(c, ' ' | '-' | '/')).count() * 12 < value.len();
    (structured || blob || prose).then(|| {
        (
            FindingCode::OpaqueData,
            Verdict::Notice,
            format!(
                "The address carries a bundle of data to the site (“{}”). Look at the full address.",
                text::chip(key)
            ),
        )
    })
}

/// Longest value that is compared with the shapes of keys, cards and accounts, in bytes.
const LOOKED_AT: usize = 512;

/// Words from which a value is a text rather than a search.
const PROSE: usize = 12;

fn begins_like_key(value: &str) -> bool {
    lists::KEY_BEGINNINGS
        .iter()
        .any(|beginning| value.len() >= beginning.len() + lists::KEY_LENGTH && value.starts_with(beginning))
}

/// A key as a part of the path, or a session behind a semicolon in it (RFC 3986, 3.3).
fn path_has_secret(url: &Url) -> bool {
    url.path_segments().into_iter().flatten().any(|segment| {
        begins_like_key(segment)
            || is_jwt(segment)
            || segment.split(';').skip(1).any(|parameter| {
                let (name, value) = parameter.split_once('=').unwrap_or_default();
                !value.is_empty() && lists::SECRET_NAMES.contains(&name.to_ascii_lowercase().as_str())
            })
    })
}

/// Names and values of the query, and of the fragment where it is written like one.
fn pairs(url: &Url) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let fragment = url
        .fragment()
        .filter(|fragment| fragment.contains('='))
        .unwrap_or_default();
    let fragment = fragment.rsplit_once('?').map_or(fragment, |(_, query)| query);
    url.query_pairs()
        .chain(form_urlencoded::parse(fragment.as_bytes()))
}

/// The address that a value is, perhaps encoded once more.
fn target(value: &str) -> Option<Url> {
    let value = value.trim();
    let lower = value.get(..10).unwrap_or(value).to_ascii_lowercase();
    if lower.starts_with("http:/") || lower.starts_with("https:/") {
        return Url::parse(value).ok();
    }
    if value.starts_with("//") || value.starts_with("/\\") || value.starts_with("\\\\") {
        return Url::parse(&format!("https:{}", value.replace('\\', "/"))).ok();
    }
    // "http://" and "https://" in base64.
    if value.starts_with("aHR0cHM6Ly") || value.starts_with("aHR0cDovL") {
        let written = value.trim_end_matches('=').replace('-', "+").replace('_', "/");
        let decoded = STANDARD_NO_PAD.decode(written).ok()?;
        return Url::parse(std::str::from_utf8(&decoded).ok()?).ok();
    }
    if lower.starts_with("http%3a") || lower.starts_with("https%3a") {
        let decoded = percent_decoded(value);
        return Url::parse(&decoded).ok();
    }
    None
}

fn nested(target: &Url, key: &str, place: &Place, asker: &Asker, passed_on: bool, findings: &mut Findings) {
    let Some(host) = target.host_str() else { return };
    let site = match target.host() {
        Some(Host::Domain(name)) => host::site(name),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => host,
    };
    if site == place.domain() || asker.site() == Some(site) {
        return;
    }
    let after_sign_in = key
        .to_ascii_lowercase()
        .replace('_', "")
        .starts_with("redirectur");
    let third_party = asker.site().is_some_and(|own| own != place.domain());
    if after_sign_in && third_party {
        findings.add(
            FindingCode::NestedUrl,
            Verdict::Risky,
            format!("After signing in you would be sent on, with your permission, to {host}."),
        );
    } else {
        let verdict = if passed_on {
            Verdict::Risky
        } else {
            Verdict::Notice
        };
        findings.add(
            FindingCode::NestedUrl,
            verdict,
            format!("The address contains another one and may send you on to {host}."),
        );
    }
}

/// www.google.* answers like www.google.com.
fn is_country_google(name: &str, listed: &str) -> bool {
    matches!((listed.strip_suffix("com"), name), (Some(prefix @ "www.google."), name) if name.starts_with(prefix)
        && psl::domain_str(name).is_some_and(|domain| domain.starts_with("google.")))
}

/// Characters that are harmless in their coded form here, but not where a site decodes them.
fn encoded(rest: &str, findings: &mut Findings) {
    if !rest.contains('%') {
        return;
    }
    let bytes = rest.as_bytes();
    let mut run: Vec<u8> = Vec::new();
    let mut at = 0;
    let mut flush = |run: &mut Vec<u8>| {
        for c in String::from_utf8_lossy(run).chars() {
            if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
                findings.add(
                    FindingCode::EncodedControl,
                    Verdict::Notice,
                    "The address contains a line break or control character in coded form.",
                );
            } else if matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            {
                findings.add(
                    FindingCode::EncodedBidi,
                    Verdict::Notice,
                    "The address contains, in coded form, a character that changes the order of what is read.",
                );
            } else if !c.is_ascii() && is_hidden(c) {
                findings.add(
                    FindingCode::EncodedInvisible,
                    Verdict::Notice,
                    "The address contains an invisible character in coded form.",
                );
            }
        }
        run.clear();
    };
    while at < bytes.len() {
        match coded_byte(bytes, at) {
            Some(byte) => {
                run.push(byte);
                at += 3;
            }
            None => {
                flush(&mut run);
                at += 1;
            }
        }
    }
    flush(&mut run);
}

fn coded_byte(bytes: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = bytes.get(at..at + 3)? else {
        return None;
    };
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    Some(digit(*high)? << 4 | digit(*low)?)
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match coded_byte(bytes, at) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// An @ with something like a site after it, where a hasty eye takes the part before it for a user name.
fn misplaced_at(url: &Url) -> bool {
    let site_follows = |text: &str| {
        let end = text.find(['/', '?', '#', '&', '=']).unwrap_or(text.len());
        let (name, end) = text[..end].rsplit_once('.').unwrap_or_default();
        !name.is_empty()
            && end.len() >= 2
            && end.chars().all(|c| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
    };
    let leads = |part: Option<&str>| {
        part.and_then(|part| part.strip_prefix('@'))
            .is_some_and(site_follows)
    };
    url.path().split('@').skip(1).any(site_follows) || leads(url.query()) || leads(url.fragment())
}

/// Three parts of base64url, the first of which begins a JSON object (RFC 7519). The last may be short or empty.
fn is_jwt(value: &str) -> bool {
    let coded = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    let parts: Vec<&str> = value.splitn(4, '.').collect();
    let [head, body, signature] = parts[..] else {
        return false;
    };
    head.starts_with("eyJ")
        && head.len() > 4
        && body.len() > 4
        && [head, body, signature].into_iter().all(coded)
}

fn is_social_security_number(value: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    matches!(value.split('-').collect::<Vec<_>>()[..], [a, b, c]
        if a.len() == 3 && b.len() == 2 && c.len() == 4 && digits(a) && digits(b) && digits(c))
}
