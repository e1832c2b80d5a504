//! Answers as a person would type them, for scripts: text for each key, uninterpreted until the form looks at it.
//!
//! A choice is named by its value or its title, yes and no by `yes`, `no`, `true` or `false`; several choices and the
//! entries of a list are a list of texts, or one text a line. Numbers and booleans of JSON stand for their text,
//! `null` for deliberately nothing. What names no choice is an error of that field, never another choice.

use super::options::Options;
use super::schema::{Form, Kind};
use super::{FieldInput, Input};
use crate::wire::json::{Json, Members};

impl Form {
    /// The keys of the schema in form order: the key of field `n` stands at place `n`.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.key.as_str())
    }

    /// The inputs that typed answers stand for. A key that is not there is an untouched field; keys that are no
    /// field are ignored.
    pub fn inputs_from_typed(&self, typed: &Members) -> Vec<FieldInput> {
        (0..)
            .zip(&self.fields)
            .filter_map(|(id, field)| {
                let input = field.kind.typed(typed.get(&field.key)?);
                Some(FieldInput::new(id, input))
            })
            .collect()
    }
}

impl Kind {
    fn typed(&self, value: &Json) -> Input {
        let text = match value {
            Json::Null => return Input::Empty,
            Json::Array(_) | Json::Object(_) => None,
            Json::Bool(_) | Json::Number(_) | Json::String(_) => Some(text_of(value)),
        };
        match (self, text) {
            (Self::Text(_) | Self::Number(_), Some(text)) => Input::Text { text },
            (Self::Choice { options }, Some(text)) if !text.is_empty() || named(options, "").is_some() => {
                Input::Pick {
                    index: named(options, &text).unwrap_or(u32::MAX),
                }
            }
            (Self::YesNo | Self::Choice { .. } | Self::Choices { .. } | Self::Entries(_), Some(text))
                if text.is_empty() =>
            {
                Input::Empty
            }
            (Self::YesNo, Some(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "yes" | "true" => Input::Flag { value: true },
                "no" | "false" => Input::Flag { value: false },
                _ => Input::Text { text },
            },
            (Self::Choices { options, .. }, text) => Input::Picks {
                indexes: texts(value, text)
                    .iter()
                    .map(|text| named(options, text).unwrap_or(u32::MAX))
                    .collect(),
            },
            (Self::Entries(_), text) => Input::Entries {
                texts: texts(value, text),
            },
            // A list for a field of one value fits no field.
            (Self::Text(_) | Self::Number(_) | Self::YesNo | Self::Choice { .. }, _) => {
                Input::Picks { indexes: Vec::new() }
            }
        }
    }
}

/// One text a line, or the texts of a list.
fn texts(value: &Json, text: Option<String>) -> Vec<String> {
    match text {
        Some(text) => text.lines().map(str::to_owned).collect(),
        None => value.as_array().unwrap_or_default().iter().map(text_of).collect(),
    }
}

fn text_of(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The choice with this value, else the only one with this title.
fn named(options: &Options, text: &str) -> Option<u32> {
    let text_value = options.position(&Json::string(text));
    let other_value = || {
        let value = Json::parse(text)
            .ok()
            .filter(|value| matches!(value, Json::Number(_) | Json::Bool(_)))?;
        options.position(&value)
    };
    let title = || {
        let mut found = (0..)
            .zip(&options.choices)
            .filter(|(_, choice)| choice.view.title == text)
            .map(|(index, _)| index);
        found.next().filter(|_| found.next().is_none())
    };
    text_value.or_else(other_value).or_else(title)
}
