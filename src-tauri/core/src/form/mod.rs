//! A server's question as a form: `requestedSchema` becomes a closed type, raw input becomes an answer.
//!
//! Pure: no I/O, no clock. The UI sees [`FormView`] and sends back [`FieldInput`]s; this module alone decides what
//! they mean, what is wrong with them and which bytes are sent (`{"action":"accept","content":…}`).
//!
//! Promises: a schema is drawn faithfully or refused with a reason ([`Undrawable`]), never in part. What
//! [`Review`] shows is what is sent, built from the same value.
//!
//! A secret is sent only if the person says so for its field ([`secret`], [`FieldInput::anyway`]); what is shown of it
//! is bullets, and the exact text at a press of its own ([`Review::exact`]).
//!
//! Deliberately absent: a regular expression of a server whose meaning is not sure (see `pattern`; it is told, not run),
//! and keywords that are not named in `schema`; the server checks its own answers.

mod answer;
mod entered;
mod entries;
mod formats;
mod moment;
mod number;
mod options;
mod pattern;
mod range;
mod review;
mod schema;
mod secret;
mod template;
#[cfg(test)]
mod tests;
mod typed;
mod undrawable;
mod wording;

pub use answer::Answer;
pub use entered::legible;
pub use moment::{Moment, MomentTime, Zones, moment, zones};
pub use schema::Form;
pub use secret::{Guard, GuardLevel, Secret};
pub use template::template;
pub use undrawable::{Reason, Undrawable};

use serde::{Deserialize, Serialize};
use std::fmt;

/// Most fields of a form.
pub const MAX_FIELDS: usize = 64;
/// Most options of all fields of a form together.
pub const MAX_OPTIONS: usize = 10_000;
/// Most entries of a list that is written by hand.
pub const MAX_ENTRIES: u32 = 1_000;

/// Stands for a secret wherever one is mentioned, however long it is.
pub const MASK: &str = "••••••••";

/// A form as the UI draws it. Texts are filtered; raw keys and values stay in Rust.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FormView {
    pub fields: Vec<FieldView>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FieldView {
    /// Position in the form; element ids are made from this, never from the server's key.
    pub id: u32,
    /// The title, or the key where there is none; never empty.
    pub label: String,
    pub help: Option<String>,
    pub required: bool,
    pub control: Control,
    /// The server's default as the input it stands for. A field without an input of its own has this one.
    pub suggested: Option<Input>,
    /// The app's own words about this field, such as a default that does not fit.
    pub notes: Vec<String>,
    /// It seems to ask for what servers must not ask for in a form.
    pub guard: Option<FieldGuard>,
}

/// What the guard against secrets says of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FieldGuard {
    pub level: GuardLevel,
    /// One sentence that says why.
    pub sentence: String,
}

/// What the guard says of what stands in a field now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GuardedValue {
    pub field: u32,
    pub guard: FieldGuard,
}

/// The closed set of controls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Control {
    Text(TextLimits),
    /// Typed as text.
    Number(NumberLimits),
    YesNo,
    /// One of several.
    Choice {
        options: Vec<OptionView>,
    },
    /// Any of several.
    Choices {
        options: Vec<OptionView>,
        min_items: Option<u32>,
        max_items: Option<u32>,
    },
    /// A list that is written entry by entry.
    Entries {
        item: EntryControl,
        min_items: Option<u32>,
        max_items: Option<u32>,
        /// No two entries may be equal.
        unique: bool,
    },
}

/// The control of one entry of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum EntryControl {
    Text(TextLimits),
    Number(NumberLimits),
}

/// What a text may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TextLimits {
    pub format: Option<TextFormat>,
    pub min_length: Option<u32>,
    pub max_length: Option<u32>,
    /// In words, for what a length and a format do not say (a pattern, an unknown format).
    pub hint: Option<String>,
}

/// What a number may be; limits are the text of the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NumberLimits {
    pub integer: bool,
    /// The least number; or the one that it must be `above`.
    pub minimum: Option<String>,
    /// The greatest number; or the one that it must be `below`.
    pub maximum: Option<String>,
    pub above: Option<String>,
    pub below: Option<String>,
    pub multiple_of: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct OptionView {
    pub title: String,
    /// The value that is sent, where it differs from the title.
    pub value: Option<String>,
    /// What the server says about this option.
    pub help: Option<String>,
}

/// What a person did to one field, uninterpreted. What was typed is in no `{:?}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Input {
    /// Deliberately nothing: a default that was cleared, "no answer".
    Empty,
    Text {
        text: String,
    },
    Flag {
        value: bool,
    },
    /// The position of the chosen option.
    Pick {
        index: u32,
    },
    Picks {
        indexes: Vec<u32>,
    },
    /// The entries of a list as they were typed; none is the empty list.
    Entries {
        texts: Vec<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldInput {
    pub field: u32,
    pub input: Input,
    /// The person's word that this field is to be sent although it asks for a secret or holds one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub anyway: bool,
}

impl FieldInput {
    pub fn new(field: u32, input: Input) -> Self {
        let anyway = false;
        Self { field, input, anyway }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Text { text } => write!(f, "Text({} bytes)", text.len()),
            Self::Flag { value } => write!(f, "Flag({value})"),
            Self::Pick { index } => write!(f, "Pick({index})"),
            Self::Picks { indexes } => write!(f, "Picks({indexes:?})"),
            Self::Entries { texts } => write!(f, "Entries({} texts)", texts.len()),
        }
    }
}

/// What would be sent, told to a person. The values are in no `{:?}`.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub will_send: Vec<ReviewItem>,
    /// Labels of the optional fields that are left out.
    pub left_out: Vec<String>,
    /// The exact answer as JSON over several lines, but for secrets; none while there are errors.
    pub json: Option<String>,
    /// The exact answer where `json` hides a secret. It is shown at a press of its own only.
    pub exact: Option<String>,
    pub errors: Vec<FieldError>,
    /// Fields whose value looks like a secret although the field does not ask for one.
    pub guarded: Vec<GuardedValue>,
}

impl fmt::Debug for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent: Vec<u32> = self.will_send.iter().map(|item| item.field).collect();
        f.debug_struct("Review")
            .field("will_send", &sent)
            .field("left_out", &self.left_out)
            .field("errors", &self.errors)
            .field("guarded", &self.guarded)
            .finish_non_exhaustive()
    }
}

/// One value of the answer; both texts are quoted chips.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ReviewItem {
    pub field: u32,
    pub label: String,
    pub value: String,
    /// The server's default, untouched.
    pub suggested: bool,
    /// `value` hides a secret.
    pub masked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FieldError {
    pub field: u32,
    pub code: FieldErrorCode,
    /// One sentence that says what is wrong and what would be right.
    pub message: String,
    /// The position of the wrong entry in a list of entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub entry: Option<u32>,
}

/// What can be wrong with one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FieldErrorCode {
    Required,
    TooShort,
    TooLong,
    NotEmail,
    NotUri,
    NotDate,
    NotDateTime,
    NotNumber,
    NotInteger,
    TooSmall,
    TooLarge,
    NotMultiple,
    /// The text does not match the pattern.
    NoMatch,
    NotAnOption,
    TooFew,
    TooMany,
    /// An entry of a list in which nothing was written.
    EmptyEntry,
    /// An entry that is in the list already.
    Repeated,
    /// The input is of another kind than the field.
    WrongKind,
    /// A secret that the person did not say is to be sent.
    HeldBack,
}
