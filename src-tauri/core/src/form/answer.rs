//! From what a person did to what is sent.
//!
//! A field without an input keeps the server's default, or is left out. [`Input::Empty`] and an empty text leave a
//! field out, or are an error where it is required; only a default that is itself the empty text sends one. An
//! empty list, of picks or of entries, is an answer ("none of these"), checked against `minItems`. Of two inputs for a
//! field the last counts.
//!
//! Numbers keep their exact value: a `number` is sent as typed (see [`super::number`]), an `integer` with all its
//! digits and no fraction, so `3.0` is sent as `3` and `1e3` as `1000`. Lengths count Unicode code points.

use super::number::Decimal;
use super::options::{Options, visible};
use super::schema::{Field, Form, Kind};
use super::secret::{Answers, Guard, of_text};
use super::{FieldError, FieldErrorCode, FieldInput, Input};
use crate::text;
use crate::wire::json::Json;
use std::collections::HashMap;
use std::fmt;

/// A complete answer: every value fits its field, every required field has one.
///
/// The values are in no `{:?}`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub(super) given: Vec<Given>,
    /// Positions of the fields that are left out.
    pub(super) left_out: Vec<u32>,
}

/// One value of an answer.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) field: u32,
    pub(super) key: String,
    pub(super) input: Input,
    pub(super) value: Json,
    /// The server's default, untouched.
    pub(super) suggested: bool,
    /// What the field asks for, or what the value looks like.
    pub(super) guard: Guard,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<u32> = self.given.iter().map(|given| given.field).collect();
        f.debug_struct("Answer")
            .field("given", &given)
            .field("left_out", &self.left_out)
            .finish()
    }
}

/// All that comes of some inputs.
pub(super) struct Settlement {
    pub(super) answer: Answer,
    pub(super) errors: Vec<FieldError>,
    /// What the guard says of each field with a value, held back or not.
    pub(super) guards: Vec<(u32, Guard)>,
}

/// What is to be sent for a field: the input, its value, and whether it is the untouched default; none: left out.
type Settled = Option<(Input, Json, bool)>;

/// Why an input does not fit its field.
pub(super) struct Wrong {
    pub(super) code: FieldErrorCode,
    pub(super) message: String,
    /// Which entry of a list.
    pub(super) entry: Option<u32>,
}

impl Form {
    /// # Errors
    /// Every field that is wrong, in form order, then inputs for fields that are not there.
    pub fn answer(&self, inputs: &[FieldInput]) -> Result<Answer, Vec<FieldError>> {
        let settlement = self.settle(inputs);
        if settlement.errors.is_empty() {
            Ok(settlement.answer)
        } else {
            Err(settlement.errors)
        }
    }

    /// The inputs that make a given `content`, for answers that were written beforehand. A default that is not in
    /// it is cleared. Whether the content fits is for [`Form::answer`] to say.
    ///
    /// # Errors
    /// A sentence that names a key that is no field, or whose value could not be sent as it stands.
    pub fn inputs_from_content(&self, content: &Json) -> Result<Vec<FieldInput>, String> {
        let Json::Object(content) = content else {
            return Err(format!("The content must be an object, not {}.", content.kind()));
        };
        let known: HashMap<&str, &Field> = self
            .fields
            .iter()
            .map(|field| (field.key.as_str(), field))
            .collect();
        for (key, value) in content.iter() {
            let quoted = || text::chip(&visible(key));
            let field = known
                .get(key)
                .ok_or_else(|| format!("The form has no field “{}”.", quoted()))?;
            field
                .exactly(value)
                .map_err(|why| format!("“{}”: {why}", quoted()))?;
        }
        (0..)
            .zip(&self.fields)
            .filter_map(|(id, field)| match content.get(&field.key) {
                Some(value) => Some(field.kind.input_of(value).map(|input| FieldInput::new(id, input))),
                None => field
                    .suggested
                    .as_ref()
                    .map(|_| Ok(FieldInput::new(id, Input::Empty))),
            })
            .collect()
    }

    /// Marks the inputs of these fields to be sent even if they are secrets, by the schema's own keys.
    ///
    /// # Errors
    /// A sentence that names a key without an input.
    pub fn send_anyway(&self, inputs: &mut [FieldInput], keys: &[String]) -> Result<(), String> {
        for key in keys {
            let position = (0..).zip(&self.fields).find(|(_, field)| field.key == *key);
            let given = position.and_then(|(id, _)| inputs.iter_mut().find(|given| given.field == id));
            let given =
                given.ok_or_else(|| format!("There is no value for “{}”.", text::chip(&visible(key))))?;
            given.anyway = true;
        }
        Ok(())
    }

    /// What can be sent of the inputs, what is wrong with the rest, and what the guard says.
    pub(super) fn settle(&self, inputs: &[FieldInput]) -> Settlement {
        let mut latest: HashMap<u32, &FieldInput> = inputs.iter().map(|given| (given.field, given)).collect();
        let (mut answer, mut errors, mut guards) = (Answer::default(), Vec::new(), Vec::new());
        for (id, field) in (0..).zip(&self.fields) {
            let input = latest.remove(&id);
            let settled = field.settle(input.map(|given| &given.input));
            let given = settled.and_then(|settled| {
                let Some((typed, value, suggested)) = settled else {
                    return Ok(None);
                };
                let guard = self.guard_of(field, &value);
                guards.push((id, guard));
                field.hold_back(guard, input.is_some_and(|given| given.anyway))?;
                Ok(Some(Given {
                    field: id,
                    key: field.key.clone(),
                    input: typed,
                    value,
                    suggested,
                    guard,
                }))
            });
            match given {
                Ok(Some(given)) => answer.given.push(given),
                Ok(None) => answer.left_out.push(id),
                Err(Wrong { code, message, entry }) => errors.push(FieldError {
                    field: id,
                    code,
                    message,
                    entry,
                }),
            }
        }
        let mut strangers: Vec<u32> = latest.into_keys().collect();
        strangers.sort_unstable();
        errors.extend(strangers.into_iter().map(|field| FieldError {
            field,
            code: FieldErrorCode::WrongKind,
            message: "There is no such field in this form.".to_owned(),
            entry: None,
        }));
        Settlement {
            answer,
            errors,
            guards,
        }
    }

    /// The inputs without those of fields that ask for a secret, or may, or hold one: what may be kept when the
    /// program ends.
    pub fn without_secrets(&self, inputs: &[FieldInput]) -> Vec<FieldInput> {
        let is_plain = |given: &&FieldInput| {
            let field = usize::try_from(given.field)
                .ok()
                .and_then(|at| self.fields.get(at));
            let text = match &given.input {
                Input::Text { text } => of_text(text),
                Input::Entries { texts } => texts.iter().map(|text| of_text(text)).max().unwrap_or_default(),
                Input::Empty | Input::Flag { .. } | Input::Pick { .. } | Input::Picks { .. } => Guard::Ok,
            };
            field.is_some_and(|field| field.guard == Guard::Ok && text == Guard::Ok)
        };
        inputs.iter().filter(is_plain).cloned().collect()
    }

    /// What the guard says of a field with this value.
    fn guard_of(&self, field: &Field, value: &Json) -> Guard {
        if self.guarded {
            field.guard.max(field.guard_of_value(value))
        } else {
            Guard::Ok
        }
    }
}

impl Answer {
    /// The values by the schema's own keys, in form order.
    pub fn content(&self) -> Json {
        let members = self
            .given
            .iter()
            .map(|given| (given.key.clone(), given.value.clone()));
        Json::Object(members.collect())
    }

    /// The `ElicitResult`; `content` is there even when it is empty.
    pub fn result(&self) -> Json {
        Json::object([("action", Json::string("accept")), ("content", self.content())])
    }
}

impl Field {
    /// The value to send, from which input, and whether that is the untouched default.
    fn settle(&self, input: Option<&Input>) -> Result<Settled, Wrong> {
        match (input, &self.suggested) {
            (Some(input), _) => Ok(self.value(input)?.map(|value| (input.clone(), value, false))),
            (None, Some(default)) => Ok(Some((default.input.clone(), default.value.clone(), true))),
            (None, None) => self.nothing(),
        }
    }

    /// A secret goes no further without the person's word for its field.
    fn hold_back(&self, guard: Guard, anyway: bool) -> Result<(), Wrong> {
        match guard {
            Guard::Secret(secret) if !anyway => {
                let verb = if self.guard == guard {
                    "asks for"
                } else {
                    "looks like"
                };
                let message = format!(
                    "Held back, because this {verb} {}. It is sent only if you choose “Send this anyway”.",
                    secret.noun()
                );
                Err(wrong(FieldErrorCode::HeldBack, message))
            }
            Guard::Secret(_) | Guard::Suspicious(_) | Guard::Ok => Ok(()),
        }
    }

    /// What the value looks like. Choices are the server's own values.
    fn guard_of_value(&self, value: &Json) -> Guard {
        match (self.kind.answers(), value) {
            (Answers::NoSecret, _) => Guard::Ok,
            (_, Json::String(text) | Json::Number(text)) => of_text(text),
            (_, Json::Array(items)) => {
                let guards = items.iter().map(|item| self.guard_of_value(item));
                guards.max().unwrap_or_default()
            }
            (_, Json::Null | Json::Bool(_) | Json::Object(_)) => Guard::Ok,
        }
    }

    fn value(&self, input: &Input) -> Result<Option<Json>, Wrong> {
        let empty = match (&self.kind, input) {
            (_, Input::Empty) => true,
            (Kind::Text(_), Input::Text { text }) => {
                let empty_default = self
                    .suggested
                    .as_ref()
                    .is_some_and(|default| default.input == *input);
                text.is_empty() && !empty_default
            }
            (Kind::Number(_), Input::Text { text }) => text.trim().is_empty(),
            (Kind::Entries(entries), Input::Entries { texts }) => {
                if let Some(blank) = entries
                    .first_blank(texts)
                    .filter(|_| !self.suggests_empty_entry())
                {
                    return Err(blank);
                }
                false
            }
            (
                _,
                Input::Text { .. }
                | Input::Flag { .. }
                | Input::Pick { .. }
                | Input::Picks { .. }
                | Input::Entries { .. },
            ) => false,
        };
        if empty {
            self.nothing()
        } else {
            self.kind.accept(input).map(Some)
        }
    }

    fn suggests_empty_entry(&self) -> bool {
        let values = self
            .suggested
            .as_ref()
            .and_then(|default| default.value.as_array());
        values.is_some_and(|values| values.iter().any(|value| value.as_str() == Some("")))
    }

    fn nothing<T>(&self) -> Result<Option<T>, Wrong> {
        if !self.required {
            return Ok(None);
        }
        Err(wrong(
            FieldErrorCode::Required,
            match &self.kind {
                Kind::Text(_) => "Fill this in; it is required.",
                Kind::Number(range) if range.is_integer() => "Enter a whole number; it is required.",
                Kind::Number(_) => "Enter a number; it is required.",
                Kind::YesNo => "Choose yes or no; it is required.",
                Kind::Choice { .. } => "Choose one; it is required.",
                Kind::Choices { .. } => "Choose what applies; it is required.",
                Kind::Entries(_) => {
                    "Add at least one entry, or choose to send an empty list; it is required."
                }
            },
        ))
    }

    /// Whether a value would be sent as it stands, if it fits at all.
    fn exactly(&self, value: &Json) -> Result<(), String> {
        let input = self.kind.input_of(value)?;
        match self.value(&input) {
            Ok(Some(sent)) if same(&sent, value) => Ok(()),
            Ok(Some(sent)) => Err(format!(
                "this would be sent as {}, each choice once and in the order of the form.",
                text::line(&sent.to_string(), text::TITLE)
            )),
            Ok(None) => Err("an empty text is not sent; leave the key out.".to_owned()),
            Err(_) => Ok(()),
        }
    }
}

impl Kind {
    /// The value that an input stands for.
    pub(super) fn accept(&self, input: &Input) -> Result<Json, Wrong> {
        match (self, input) {
            (Self::Text(wording), Input::Text { text }) => {
                wording.accept(text)?;
                Ok(Json::string(text))
            }
            (Self::Number(range), Input::Text { text }) => range.accept(text).map(Json::Number),
            (Self::YesNo, Input::Flag { value }) => Ok(Json::Bool(*value)),
            (Self::Choice { options }, Input::Pick { index }) => accept_pick(options, *index).cloned(),
            (Self::Choices { options, min, max }, Input::Picks { indexes }) => {
                accept_picks(options, indexes, *min, *max)
            }
            (Self::Entries(entries), Input::Entries { texts }) => entries.accept(texts),
            (
                Self::Text(_)
                | Self::Number(_)
                | Self::YesNo
                | Self::Choice { .. }
                | Self::Choices { .. }
                | Self::Entries(_),
                Input::Empty
                | Input::Text { .. }
                | Input::Flag { .. }
                | Input::Pick { .. }
                | Input::Picks { .. }
                | Input::Entries { .. },
            ) => Err(wrong(
                FieldErrorCode::WrongKind,
                "This input is not for this field.",
            )),
        }
    }

    /// The input that a JSON value stands for: the same value if it is accepted, but for the order of picks.
    pub(super) fn input_of(&self, value: &Json) -> Result<Input, String> {
        let expected = |what: &str| format!("{what} is expected here, not {}.", value.kind());
        let position = |options: &Options, value: &Json| {
            options
                .position(value)
                .ok_or_else(|| format!("{} is not one of the choices.", text::chip(&value.to_string())))
        };
        match self {
            Self::Text(_) => {
                let text = value.as_str().ok_or_else(|| expected("text"))?.to_owned();
                Ok(Input::Text { text })
            }
            Self::Number(range) => {
                let number = value.as_number().ok_or_else(|| expected("a number"))?;
                Ok(Input::Text {
                    text: range.text_of(number),
                })
            }
            Self::YesNo => {
                let value = value.as_bool().ok_or_else(|| expected("true or false"))?;
                Ok(Input::Flag { value })
            }
            Self::Choice { options } => Ok(Input::Pick {
                index: position(options, value)?,
            }),
            Self::Choices { options, .. } => {
                let values = value.as_array().ok_or_else(|| expected("a list"))?;
                let indexes = values
                    .iter()
                    .map(|value| position(options, value))
                    .collect::<Result<_, _>>()?;
                Ok(Input::Picks { indexes })
            }
            Self::Entries(entries) => {
                let values = value.as_array().ok_or_else(|| expected("a list"))?;
                let texts = entries.texts_of(values)?;
                Ok(Input::Entries { texts })
            }
        }
    }
}

fn accept_pick(options: &Options, index: u32) -> Result<&Json, Wrong> {
    match options.at(index) {
        Some(choice) => Ok(&choice.value),
        None => Err(wrong(FieldErrorCode::NotAnOption, "Choose one of the choices.")),
    }
}

fn accept_picks(options: &Options, picks: &[u32], min: Option<u32>, max: Option<u32>) -> Result<Json, Wrong> {
    let mut picks = picks.to_vec();
    picks.sort_unstable();
    picks.dedup();
    let values = picks
        .into_iter()
        .map(|index| accept_pick(options, index).cloned())
        .collect::<Result<Vec<_>, _>>()?;
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
    if let Some(min) = min.filter(|min| count < *min) {
        return Err(wrong(FieldErrorCode::TooFew, format!("Choose at least {min}.")));
    }
    if let Some(max) = max.filter(|max| count > *max) {
        return Err(wrong(FieldErrorCode::TooMany, format!("Choose at most {max}.")));
    }
    Ok(Json::Array(values))
}

/// Equal values; numbers however they are written.
fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => Decimal::parse(one) == Decimal::parse(other),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        _ => one == other,
    }
}

pub(super) fn wrong(code: FieldErrorCode, message: impl Into<String>) -> Wrong {
    Wrong {
        code,
        message: message.into(),
        entry: None,
    }
}
