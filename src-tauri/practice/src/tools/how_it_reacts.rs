//! One form; each of the three actions gets a result of its own, and none of them is an error.

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::{Answer, Outcome};
use countersign_core::wire::json::Json;

const KEY: &str = "reaction";

const MESSAGE: &str = "Send an answer, decline, or dismiss this question, and see what the server makes of it. \
                       This is a rehearsal; nothing real happens.";

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let answer = match call.retry.stateless()? {
        None => None,
        Some(answers) => answers.form(KEY, &note_form())?,
    };
    Ok(match answer {
        None => Outcome::form(KEY, MESSAGE, note_form()),
        Some(Answer::Accept(content)) => Outcome::structured(
            "You sent an answer. A real server would now go on with what you sent.",
            json!({"action": "accept", "received": (Json::Object(content))}),
        ),
        Some(Answer::Decline) => Outcome::structured(
            "You declined: the server was told No. A real server would do without, or end here.",
            json!({"action": "decline"}),
        ),
        Some(Answer::Cancel) => Outcome::structured(
            "You dismissed the question: the server was told that you did not choose. It may ask another time.",
            json!({"action": "cancel"}),
        ),
    })
}

fn note_form() -> Json {
    json!({
        "type": "object",
        "properties": {
            "note": {
                "type": "string",
                "title": "Note",
                "description": "Anything you like; may stay empty.",
                "maxLength": 120,
            },
        },
    })
}
