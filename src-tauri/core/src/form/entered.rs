//! What was entered so far as JSON, for going on as text where fields were begun.
//!
//! Promise: nothing that was entered is lost. What does not fit its field stands there as it was typed, as a text that
//! the check then names.
//!
//! Deliberately absent: any use as an answer; that is [`Form::answer`] alone.

use super::schema::{Field, Form, Kind};
use super::{FieldInput, Input};
use crate::text;
use crate::wire::json::Json;
use std::collections::HashMap;

impl Form {
    /// The inputs as an object, whether or not they fit.
    pub fn entered(&self, inputs: &[FieldInput]) -> Json {
        let answer = self.settle(inputs).answer;
        let fitting: HashMap<u32, &Json> = answer
            .given
            .iter()
            .map(|given| (given.field, &given.value))
            .collect();
        let latest: HashMap<u32, &Input> = inputs.iter().map(|entry| (entry.field, &entry.input)).collect();
        let members = (0..).zip(&self.fields).filter_map(|(id, field)| {
            let value = match fitting.get(&id) {
                Some(value) => Some((*value).clone()),
                None => latest.get(&id).and_then(|input| field.as_typed(input)),
            };
            value.map(|value| (field.key.clone(), value))
        });
        Json::Object(members.collect())
    }
}

impl Field {
    fn as_typed(&self, input: &Input) -> Option<Json> {
        match (input, &self.kind) {
            (Input::Text { text }, _) if !text.is_empty() => Some(Json::string(text)),
            (Input::Picks { indexes }, Kind::Choices { options, .. }) => Some(Json::Array(
                indexes
                    .iter()
                    .filter_map(|index| options.at(*index))
                    .map(|choice| choice.value.clone())
                    .collect(),
            )),
            (Input::Entries { texts }, _) => Some(Json::Array(texts.iter().map(Json::string).collect())),
            (
                Input::Empty
                | Input::Text { .. }
                | Input::Flag { .. }
                | Input::Pick { .. }
                | Input::Picks { .. },
                _,
            ) => None,
        }
    }
}

/// JSON over several lines; what a screen would hide or act upon is written as an escape, so that it is the same JSON.
pub fn legible(json: &Json) -> String {
    text::legible(&json.pretty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","required":["seats"],"properties":{
        "seats":{"type":"integer","minimum":2},
        "mail":{"type":"string","format":"email"},
        "ok":{"type":"boolean"},
        "days":{"type":"array","items":{"type":"string","enum":["mon","tue","wed"]},"maxItems":2},
        "tone":{"type":"string","enum":["plain","warm"],"default":"warm"}}}"#;

    fn form() -> Form {
        Form::parse_arguments(&Json::parse(SCHEMA).expect("JSON")).expect("a form")
    }

    fn text(text: &str) -> Input {
        Input::Text {
            text: text.to_owned(),
        }
    }

    fn check(inputs: &[(u32, Input)], entered: &str) {
        let inputs: Vec<_> = inputs
            .iter()
            .map(|(field, input)| FieldInput::new(*field, input.clone()))
            .collect();
        assert_eq!(form().entered(&inputs).to_string(), entered);
    }

    #[test]
    fn what_was_entered_is_there_whether_or_not_it_fits() {
        check(&[], r#"{"tone":"warm"}"#);
        check(&[(0, text("3")), (4, Input::Empty)], r#"{"seats":3}"#);
        check(
            &[
                (0, text("12abc")),
                (1, text("x@")),
                (2, Input::Flag { value: false }),
                (
                    3,
                    Input::Picks {
                        indexes: vec![2, 0, 1],
                    },
                ),
                (4, Input::Pick { index: 0 }),
            ],
            r#"{"seats":"12abc","mail":"x@","ok":false,"days":["wed","mon","tue"],"tone":"plain"}"#,
        );
        check(
            &[(3, Input::Picks { indexes: vec![9] }), (7, text("x"))],
            r#"{"days":[],"tone":"warm"}"#,
        );
    }

    #[test]
    fn fields_and_json_lead_to_each_other() {
        for content in [
            r#"{"seats":3}"#,
            r#"{"seats":123456789012345678901234567890,"ok":true,"days":["mon"],"tone":"plain"}"#,
        ] {
            let json = Json::parse(content).expect("JSON");
            let inputs = form().inputs_from_content(&json).expect("inputs");
            assert_eq!(form().entered(&inputs), json);
        }
    }

    #[test]
    fn legible_json_hides_nothing_and_is_the_same_json() {
        let json = Json::object([("a\u{202e}b", Json::string("x\u{200b}\u{e0041} é\u{2028}"))]);
        let shown = legible(&json);
        assert_eq!(
            shown,
            "{\n  \"a\\u202eb\": \"x\\u200b\\udb40\\udc41 é\\u2028\"\n}"
        );
        assert_eq!(Json::parse(&shown), Ok(json));
    }
}
