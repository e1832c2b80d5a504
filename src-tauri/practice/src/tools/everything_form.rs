//! One form with each kind of field of the subset (elicitation page, "Requested Schema").

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::{Answer, Outcome};
use countersign_core::wire::json::Json;

const KEY: &str = "everything";

const MESSAGE: &str = "Every kind of field that a server may ask for. Only a few are required. \
                       This is a rehearsal; nothing real happens.";

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let answer = match call.retry.stateless()? {
        None => None,
        Some(answers) => answers.form(KEY, &every_field())?,
    };
    Ok(match answer {
        None => Outcome::form(KEY, MESSAGE, every_field()),
        Some(Answer::Accept(content)) => Outcome::structured(
            format!(
                "{} of the fields arrived; the others were left out.",
                content.len()
            ),
            json!({"received": (Json::Object(content))}),
        ),
        Some(Answer::Decline) => Outcome::text("You declined the form; no field was sent."),
        Some(Answer::Cancel) => Outcome::text("You dismissed the form without a choice; no field was sent."),
    })
}

fn every_field() -> Json {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 2, "maxLength": 60},
            "email": {"type": "string", "format": "email", "title": "E-mail"},
            "website": {"type": "string", "format": "uri", "title": "Website",
                        "description": "A full address with its scheme."},
            "day": {"type": "string", "format": "date", "title": "Day"},
            "moment": {"type": "string", "format": "date-time", "title": "Moment"},
            "copies": {"type": "integer", "title": "Copies", "minimum": 1, "maximum": 20, "default": 1},
            "price": {"type": "number", "title": "Price", "minimum": 0,
                      "description": "May have decimals."},
            "agree": {"type": "boolean", "title": "I know this is practice"},
            "newsletter": {"type": "boolean", "title": "Practice newsletter",
                           "description": "May stay unanswered."},
            "size": {"type": "string", "title": "Size", "enum": ["S", "M", "L", "XL"]},
            "delivery": {
                "type": "string",
                "title": "Delivery",
                "oneOf": [
                    {"const": "post", "title": "By post"},
                    {"const": "courier", "title": "By courier"},
                    {"const": "pickup", "title": "I fetch it myself"},
                ],
                "default": "post",
            },
            "month": {
                "type": "string",
                "title": "Month",
                "description": "A longer list.",
                "oneOf": [
                    {"const": "01", "title": "January"},
                    {"const": "02", "title": "February"},
                    {"const": "03", "title": "March"},
                    {"const": "04", "title": "April"},
                    {"const": "05", "title": "May"},
                    {"const": "06", "title": "June"},
                    {"const": "07", "title": "July"},
                    {"const": "08", "title": "August"},
                    {"const": "09", "title": "September"},
                    {"const": "10", "title": "October"},
                    {"const": "11", "title": "November"},
                    {"const": "12", "title": "December"},
                ],
            },
            "colours": {
                "type": "array",
                "title": "Colours",
                "description": "One to three.",
                "minItems": 1,
                "maxItems": 3,
                "items": {"anyOf": [
                    {"const": "red", "title": "Red"},
                    {"const": "green", "title": "Green"},
                    {"const": "blue", "title": "Blue"},
                    {"const": "grey", "title": "Grey"},
                ]},
            },
            "days": {
                "type": "array",
                "title": "Days",
                "items": {"type": "string", "enum": ["Monday", "Wednesday", "Friday"]},
                "default": ["Monday"],
            },
        },
        "required": ["name", "copies", "agree"],
    })
}
