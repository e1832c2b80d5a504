//! Two documents, of which one asks before it opens, and a template of notes.

use crate::json::json;
use crate::message::{Fault, Modes};
use crate::rounds::{Answer, Outcome, Retry};
use countersign_core::wire::json::{Json, Members};

/// A note that is listed and that `show_results` links to.
pub(crate) const WELCOME: &str = "practice://notes/welcome";

const REPORT: &str = "practice://reports/quarterly";
const NOTES: &str = "practice://notes/";
const KEY: &str = "open";

/// Longest name of a note, in characters.
const LONGEST: usize = 100;

/// How long a client may keep a note, in milliseconds.
const TTL: i64 = 60_000;

/// The entries of `resources/list`.
pub(crate) fn offers() -> Vec<Json> {
    vec![
        json!({
            "uri": REPORT,
            "name": "quarterly",
            "title": "Quarterly report",
            "description": "Asks whether it may be opened. The figures are invented.",
            "mimeType": "text/plain",
        }),
        json!({
            "uri": WELCOME,
            "name": "welcome",
            "title": "A note to read",
            "description": "Opens without a question.",
            "mimeType": "text/plain",
        }),
    ]
}

/// The entries of `resources/templates/list`.
pub(crate) fn templates() -> Vec<Json> {
    vec![json!({
        "uriTemplate": "practice://notes/{name}",
        "name": "note",
        "title": "A practice note",
        "description": "A note under any name you like.",
        "mimeType": "text/plain",
    })]
}

/// # Errors
/// [`Fault::Params`] for an unknown address or answers that do not fit; [`Fault::Needs`].
pub(crate) fn read(uri: &str, retry: Retry, shows: Modes) -> Result<Outcome, Fault> {
    if uri == REPORT {
        Modes::FORM.shown_by(shows)?;
        return report(retry);
    }
    match uri.strip_prefix(NOTES) {
        Some(name) if !name.is_empty() && !name.contains('/') && name.chars().count() <= LONGEST => {
            retry.stateless()?;
            let text = format!("A practice note by the name of {name}. Nothing in it is real.");
            Ok(contents(uri, text, TTL, "public"))
        }
        Some(_) | None => Err(Fault::Params(format!("there is no resource {uri}"))),
    }
}

fn report(retry: Retry) -> Result<Outcome, Fault> {
    let confirmation = json!({"type": "object", "properties": {}});
    let answer = match retry.stateless()? {
        None => None,
        Some(answers) => answers.form(KEY, &confirmation)?,
    };
    let text = match answer {
        None => {
            let message = "Open the confidential report? (This is a rehearsal; its figures are invented.)";
            return Ok(Outcome::form(KEY, message, confirmation));
        }
        Some(Answer::Accept(_)) => {
            "Quarterly report (practice)\n\nQuestions asked: 12\nQuestions answered: 9\nDeclined: 3\n"
        }
        Some(Answer::Decline) => "The report stays closed: you declined to open it.",
        Some(Answer::Cancel) => "The report stays closed for now: you did not choose.",
    };
    // What depends on an answer must not be cached (caching page).
    Ok(contents(REPORT, text.to_owned(), 0, "private"))
}

fn contents(uri: &str, text: String, ttl: i64, scope: &str) -> Outcome {
    let mut members = Members::new();
    members.set(
        "contents",
        json!([{"uri": uri, "mimeType": "text/plain", "text": text}]),
    );
    members.set("ttlMs", Json::integer(ttl));
    members.set("cacheScope", Json::string(scope));
    Outcome::Complete(members)
}
