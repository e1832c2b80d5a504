//! Every kind of content block, and structured content.

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::resources;
use crate::rounds::Outcome;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_core::wire::json::{Json, Members};

const PICTURE: &[u8] = include_bytes!("../samples/badge.png");
const SOUND: &[u8] = include_bytes!("../samples/tone.wav");

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    call.retry.stateless()?;
    let mut members = Members::new();
    members.set(
        "content",
        json!([
            {"type": "text", "text": "Every kind of result, one after the other. All of it is practice."},
            {"type": "image", "mimeType": "image/png", "data": (STANDARD.encode(PICTURE))},
            {"type": "audio", "mimeType": "audio/wav", "data": (STANDARD.encode(SOUND))},
            {
                "type": "resource_link",
                "uri": (resources::WELCOME),
                "name": "welcome",
                "title": "A note to read",
                "mimeType": "text/plain",
            },
            {
                "type": "resource",
                "resource": {
                    "uri": "practice://notes/enclosed",
                    "mimeType": "text/plain",
                    "text": "This note came with the result itself.",
                },
            },
        ]),
    );
    members.set(
        "structuredContent",
        json!({
            "practice": true,
            "items": [
                {"name": "Apples", "count": 3, "price": (Json::Number("0.50".to_owned()))},
                {"name": "Pears", "count": 0, "price": (Json::Null)},
            ],
            "note": "Structured data",
        }),
    );
    Ok(Outcome::Complete(members))
}
