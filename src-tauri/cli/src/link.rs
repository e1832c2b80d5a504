//! `link`: judges addresses by the rules of the card, for scripts, bug reports and measurements.
//!
//! Promises: one object for each line, in order; nothing is opened, resolved or fetched.

use crate::output;
use crate::report::Exit;
use countersign_core::link::{Asker, Finding, Known, Link, decoded_host, inspect};
use countersign_core::wire::json::Json;
use std::io::BufRead as _;
use url::Url;

/// Judges every line of stdin. `escapes`: `\u{hex}` in a line is that character.
pub(crate) fn run(escapes: bool) -> Exit {
    let known = Known::default();
    let mut lines = std::io::stdin().lock();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                output::note(&format!("error: stdin cannot be read: {error}"));
                return Exit::Ours;
            }
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let (address, server) = text.split_once('\t').unwrap_or((text, ""));
        let Some(asker) = asker(server) else {
            output::note(&format!(
                "error: line {number}: after the TAB comes the address of a server (https://…), or stdio."
            ));
            return Exit::Usage;
        };
        let link = if escapes {
            inspect(&unescaped(address), &asker, &known)
        } else {
            inspect(address, &asker, &known)
        };
        output::object(&object(&link));
    }
    Exit::Done
}

fn asker(server: &str) -> Option<Asker> {
    match server.trim() {
        "" | "stdio" => Some(Asker::Local),
        address => Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .map(Asker::Remote),
    }
}

/// Replaces `\u{hex}` by its character; what is none stays as it is.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u{") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 3..];
        let escape = after.split_once('}').and_then(|(hex, after)| {
            let number = u32::from_str_radix(hex, 16).ok()?;
            Some((char::from_u32(number)?, after))
        });
        match escape {
            Some((character, after)) => {
                out.push(character);
                rest = after;
            }
            None => {
                out.push_str("\\u{");
                rest = after;
            }
        }
    }
    out + rest
}

fn object(link: &Link) -> Json {
    let seen = &link.inspection;
    let text = |text: Option<&str>| text.map_or(Json::Null, Json::string);
    let host = seen.ascii_host.as_deref();
    Json::object([
        ("verdict", Json::string(seen.verdict.to_string())),
        (
            "findings",
            Json::Array(seen.findings.iter().map(finding).collect()),
        ),
        ("shown", Json::string(&seen.shown)),
        ("domain", text(seen.domain.as_deref())),
        ("ascii_host", text(host)),
        ("unicode_host", text(host.map(decoded_host).as_deref())),
        ("show_unicode", Json::Bool(seen.unicode_host.is_some())),
        ("imitates", text(seen.imitates.as_deref())),
    ])
}

fn finding(finding: &Finding) -> Json {
    Json::object([
        ("code", Json::string(finding.code.to_string())),
        ("verdict", Json::string(finding.verdict.to_string())),
        ("sentence", Json::string(&finding.sentence)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_characters_and_everything_else_stays() {
        for (text, read) in [
            (r"https://b\u{fc}cher.example/", "https://bücher.example/"),
            (r"a\u{202E}b\u{9}c", "a\u{202e}b\tc"),
            (
                r"\u{} \u{zz} \u{d800} \u{110000} \u{41 \n \\",
                r"\u{} \u{zz} \u{d800} \u{110000} \u{41 \n \\",
            ),
            (r"\u{\u{41}", r"\u{A"),
        ] {
            assert_eq!(unescaped(text), read);
        }
    }

    #[test]
    fn a_server_is_an_address_or_stdio() {
        for (server, is) in [
            ("", Some(Asker::Local)),
            (" stdio ", Some(Asker::Local)),
            (
                "https://mcp.vendor.example",
                Url::parse("https://mcp.vendor.example").ok().map(Asker::Remote),
            ),
            ("mcp.vendor.example", None),
            ("file:///x", None),
        ] {
            assert_eq!(asker(server), is, "{server}");
        }
    }
}
