//! One prompt, which asks a form before it gives its messages.

use crate::json::json;
use crate::message::{Fault, Modes};
use crate::rounds::{Answer, Outcome, Retry};
use countersign_core::wire::json::{Json, Members};

const NAME: &str = "write_announcement";
const KEY: &str = "style";

/// The entries of `prompts/list`.
pub(crate) fn offers() -> Vec<Json> {
    vec![json!({
        "name": NAME,
        "title": "Write an announcement",
        "description": "Asks for tone and audience, then gives the words to start with. A rehearsal.",
        "arguments": [{
            "name": "topic",
            "title": "Topic",
            "description": "What is announced.",
            "required": true,
        }],
    })]
}

/// # Errors
/// [`Fault::Params`] for another name, a missing topic or answers that do not fit; [`Fault::Needs`].
pub(crate) fn get(name: &str, arguments: &Members, retry: Retry, shows: Modes) -> Result<Outcome, Fault> {
    if name != NAME {
        return Err(Fault::Params(format!("there is no prompt {name}")));
    }
    let topic = match arguments.get("topic") {
        Some(Json::String(topic)) if !topic.is_empty() => topic,
        Some(_) | None => return Err(Fault::Params("the argument topic is required".to_owned())),
    };
    Modes::FORM.shown_by(shows)?;
    let answer = match retry.stateless()? {
        None => None,
        Some(answers) => answers.form(KEY, &style())?,
    };
    Ok(match answer {
        None => {
            let message = format!(
                "How shall the announcement of {topic} sound? This is a rehearsal; nothing is published."
            );
            Outcome::form(KEY, &message, style())
        }
        Some(Answer::Accept(content)) => {
            let chosen = |field: &str| content.get(field).and_then(Json::as_str);
            let tone = chosen("tone").unwrap_or_default();
            let audience = chosen("audience").unwrap_or("everybody");
            messages(
                "As you answered.",
                format!("Write an announcement of {topic} for {audience}. Tone: {tone}."),
            )
        }
        Some(Answer::Decline) => messages(
            "You declined the question, so tone and audience are left open.",
            format!("Write an announcement of {topic}."),
        ),
        Some(Answer::Cancel) => messages(
            "You did not choose, so this is only a start.",
            format!("Ask me about tone and audience, then write an announcement of {topic}."),
        ),
    })
}

fn messages(description: &str, text: String) -> Outcome {
    let mut members = Members::new();
    members.set("description", Json::string(description));
    members.set(
        "messages",
        json!([{"role": "user", "content": {"type": "text", "text": text}}]),
    );
    Outcome::Complete(members)
}

fn style() -> Json {
    json!({
        "type": "object",
        "properties": {
            "tone": {"type": "string", "title": "Tone", "enum": ["Friendly", "Formal", "Short"]},
            "audience": {"type": "string", "title": "Audience", "maxLength": 80},
        },
        "required": ["tone"],
    })
}
