//! One form in one round. The call itself has an argument.

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::{Answer, Outcome};
use countersign_core::wire::json::Json;

const KEY: &str = "deployment";
const SERVICE: &str = "web shop";

pub(super) fn input_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "service": {
                "type": "string",
                "title": "Service",
                "description": "What would be deployed.",
                "default": (SERVICE),
            },
        },
    })
}

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let service = match call.arguments.get("service") {
        None => SERVICE,
        Some(Json::String(service)) if !service.is_empty() => service,
        Some(_) => {
            return Ok(Outcome::failed(
                "The service must be a name: say what would be deployed.",
            ));
        }
    };
    let message = format!(
        "You asked to plan a deployment of {service}. Please fill in the details. \
         This is a rehearsal; nothing real happens."
    );
    let answer = match call.retry.stateless()? {
        None => None,
        Some(answers) => answers.form(KEY, &details())?,
    };
    Ok(match answer {
        None => Outcome::form(KEY, &message, details()),
        Some(Answer::Accept(content)) => Outcome::structured(
            format!("The deployment of {service} is planned (not really). This is what arrived."),
            json!({"service": (service), "received": (Json::Object(content))}),
        ),
        Some(Answer::Decline) => Outcome::text(format!(
            "You declined, so nothing is planned for {service}. That is a perfectly good answer."
        )),
        Some(Answer::Cancel) => Outcome::text(format!(
            "You made no choice, so the plan for {service} stays open. Run this again whenever you like."
        )),
    })
}

fn details() -> Json {
    json!({
        "type": "object",
        "properties": {
            "environment": {
                "type": "string",
                "title": "Environment",
                "description": "Where it would run.",
                "oneOf": [
                    {"const": "development", "title": "Development"},
                    {"const": "staging", "title": "Staging"},
                    {"const": "production", "title": "Production"},
                ],
                "default": "staging",
            },
            "notify": {
                "type": "boolean",
                "title": "Tell the team",
                "description": "Whether the team would get a message.",
                "default": true,
            },
            "starts_at": {
                "type": "string",
                "format": "date-time",
                "title": "Starts at",
                "description": "Leave this out to start at once.",
            },
            "reason": {
                "type": "string",
                "title": "Reason",
                "description": "One sentence for the log.",
                "minLength": 3,
                "maxLength": 200,
            },
        },
        "required": ["reason"],
    })
}
