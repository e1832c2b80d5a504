//! The four formats of the specification, checked by hand-written grammars. A text that passes is sent unchanged.

use super::TextFormat;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Checks a text against a format.
///
/// # Errors
/// A sentence that says what would be right.
pub(super) fn check(format: TextFormat, text: &str) -> Result<(), &'static str> {
    if text.trim() != text {
        return Err("Remove the blanks before and after it.");
    }
    match format {
        TextFormat::Email => email(text),
        TextFormat::Uri => uri(text),
        TextFormat::Date => date(text)
            .map(|_| ())
            .ok_or("Enter a date that exists, as year-month-day: 2027-03-05."),
        TextFormat::DateTime => date_time(text),
    }
}

/// The shortest and the longest text of a format, in characters.
pub(super) fn lengths(format: TextFormat) -> (u32, u32) {
    match format {
        TextFormat::Email => (3, 254),
        TextFormat::Uri => (2, u32::MAX),
        TextFormat::Date => (10, 10),
        TextFormat::DateTime => (20, u32::MAX),
    }
}

/// RFC 5321 mailbox, also with a quoted local part. Letters outside ASCII are let through (RFC 6531).
fn email(text: &str) -> Result<(), &'static str> {
    let whole = "Enter an e-mail address, such as ada@example.org.";
    let (local, domain) = text.rsplit_once('@').ok_or(whole)?;
    if text.len() > 254 || local.len() > 64 {
        return Err("This is longer than an e-mail address can be.");
    }
    if (is_dot_string(local) || is_quoted_string(local)) && is_domain(domain) {
        Ok(())
    } else {
        Err(whole)
    }
}

fn is_dot_string(local: &str) -> bool {
    local.split('.').all(|atom| {
        !atom.is_empty()
            && atom
                .chars()
                .all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
    })
}

/// Between quotes blanks and all signs may stand, quotes and backslashes after a backslash (RFC 5321, section 4.1.2).
fn is_quoted_string(local: &str) -> bool {
    let plain = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    let Some(quoted) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return false;
    };
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        let fits = match character {
            '\\' => characters
                .next()
                .is_some_and(|c| c == ' ' || c.is_ascii_graphic()),
            '"' => false,
            other => plain(other),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_domain(text: &str) -> bool {
    if let Some(literal) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return match literal.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => literal.parse::<Ipv4Addr>().is_ok(),
        };
    }
    text.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    })
}

/// RFC 3986 URI with a scheme; the `url` crate must be able to read it too.
fn uri(text: &str) -> Result<(), &'static str> {
    let whole = "Enter a complete address with its beginning, such as https://example.org/page.";
    let (scheme, rest) = text.split_once(':').ok_or(whole)?;
    let mut letters = scheme.chars();
    if !letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        || !letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    {
        return Err(whole);
    }
    if !rest.is_ascii() {
        return Err(
            "Only letters a–z, digits and signs may stand in an address; write others as %C3%BC or xn--.",
        );
    }
    let (before, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = before.split_once('?').unwrap_or((before, ""));
    let (authority, path) = match hierarchy.strip_prefix("//") {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", hierarchy),
    };
    let fits = uri_characters(path, "/:@")
        && uri_characters(query, "/:@?")
        && uri_characters(fragment, "/:@?")
        && is_authority(authority);
    if fits && url::Url::parse(text).is_ok() {
        Ok(())
    } else {
        Err(whole)
    }
}

/// `userinfo@host:port`, each part as RFC 3986, section 3.2 has it; what an address in brackets is, the `url` crate says.
fn is_authority(text: &str) -> bool {
    let (user, place) = text.split_once('@').unwrap_or(("", text));
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => (address, port.strip_prefix(':').unwrap_or(port)),
        None => place.split_once(':').unwrap_or((place, "")),
    };
    let bracketed = if place.starts_with('[') { ":" } else { "" };
    uri_characters(user, ":")
        && uri_characters(host, bracketed)
        && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Unreserved characters, sub-delims, percent-encoded bytes and `more` (RFC 3986, section 2).
fn uri_characters(text: &str, more: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let fits = match character {
            '%' => [characters.next(), characters.next()]
                .iter()
                .all(|digit| digit.is_some_and(|c| c.is_ascii_hexdigit())),
            c => c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=".contains(c) || more.contains(c),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// RFC 3339 full-date of the real calendar.
pub(super) fn date(text: &str) -> Option<jiff::civil::Date> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let [year, month, day] = [number(text, 0, 4)?, number(text, 5, 2)?, number(text, 8, 2)?];
    jiff::civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// RFC 3339 date-time: `T`, seconds and an offset are all required. Second 60 only where a leap second can be.
fn date_time(text: &str) -> Result<(), &'static str> {
    let whole = "Enter a date and time with seconds, such as 2027-03-05T14:30:00+01:00.";
    if !text.is_ascii() || text.len() < 19 {
        return Err(whole);
    }
    let (day, time) = text.split_at(10);
    date(day).ok_or(whole)?;
    let bytes = time.as_bytes();
    if !matches!(bytes[0], b'T' | b't') || bytes[3] != b':' || bytes[6] != b':' {
        return Err(whole);
    }
    let part = |at| number(time, at, 2).ok_or(whole);
    let (hour, minute, second) = (part(1)?, part(4)?, part(7)?);
    let mut zone = &time[9..];
    if let Some(fraction) = zone.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(whole);
        }
        zone = &fraction[digits..];
    }
    if zone.is_empty() {
        return Err("Add the offset from UTC, such as +01:00 or Z: 2027-03-05T14:30:00+01:00.");
    }
    let offset = offset_minutes(zone).ok_or(whole)?;
    let utc = (hour * 60 + minute - offset).rem_euclid(24 * 60);
    let leap = second == 60 && utc == 24 * 60 - 1;
    if hour < 24 && minute < 60 && (second < 60 || leap) {
        Ok(())
    } else {
        Err(whole)
    }
}

pub(super) fn offset_minutes(zone: &str) -> Option<i16> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(zone, 1, 2)?, number(zone, 4, 2)?);
    let fits = zone.len() == 6 && zone.as_bytes()[3] == b':' && hours < 24 && minutes < 60;
    fits.then_some(sign * (hours * 60 + minutes))
}

/// The digits at a place, and nothing but digits.
pub(super) fn number(text: &str, at: usize, digits: usize) -> Option<i16> {
    let part = text.get(at..at + digits)?;
    if part.bytes().all(|byte| byte.is_ascii_digit()) {
        part.parse().ok()
    } else {
        None
    }
}
