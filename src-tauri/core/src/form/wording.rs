//! What a text may be: its length in code points, its format, its pattern.

use super::answer::{Wrong, wrong};
use super::pattern::Pattern;
use super::schema::{Node, Refused};
use super::secret::Answers;
use super::undrawable::Reason;
use super::{FieldErrorCode, TextFormat, TextLimits, formats};
use crate::text;
use crate::wire::json::Json;

#[derive(Clone, Debug)]
pub(super) struct Wording {
    format: Option<TextFormat>,
    min: Option<u32>,
    max: Option<u32>,
    pattern: Option<Pattern>,
    hint: Option<String>,
}

impl Wording {
    /// What the guard against secrets has to look at.
    pub(super) fn answers(&self) -> Answers {
        match self.format {
            None | Some(TextFormat::Uri) => Answers::Text,
            Some(TextFormat::Date | TextFormat::DateTime) => Answers::Date,
            Some(TextFormat::Email) => Answers::NoSecret,
        }
    }

    /// Reads `minLength`, `maxLength`, `format` and `pattern`.
    ///
    /// # Errors
    /// Lengths that no text has.
    pub(super) fn read(node: &Node<'_>) -> Result<Self, Refused> {
        let (min, max) = (node.count("minLength"), node.count("maxLength"));
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            let rest = format!("asks for at least {min} and at most {max} characters; no text is both.");
            return Err(Refused::new(Reason::ImpossibleLength, rest));
        }
        let mut hints = Vec::new();
        let format = match node.get("format").and_then(Json::as_str) {
            None => None,
            Some("email") => Some(TextFormat::Email),
            Some("uri") => Some(TextFormat::Uri),
            Some("date") => Some(TextFormat::Date),
            Some("date-time") => Some(TextFormat::DateTime),
            Some(other) => {
                hints.push(format!(
                    "The server names the format “{}”, which is not checked here.",
                    text::chip(other)
                ));
                None
            }
        };
        if let Some(format) = format {
            let (shortest, longest) = formats::lengths(format);
            if min.is_some_and(|min| min > longest) || max.is_some_and(|max| max < shortest) {
                let rest = format!(
                    "asks for {} in a length that none has.",
                    match format {
                        TextFormat::Email => "an e-mail address",
                        TextFormat::Uri => "an address",
                        TextFormat::Date => "a date",
                        TextFormat::DateTime => "a date and time",
                    }
                );
                return Err(Refused::new(Reason::ImpossibleLength, rest));
            }
        }
        let mut pattern = None;
        if let Some(source) = node.get("pattern").and_then(Json::as_str) {
            pattern = Pattern::read(source);
            let unchecked = if pattern.is_some() {
                ""
            } else {
                ", which is not checked here"
            };
            let source = text::line(source, text::TITLE);
            hints.push(format!(
                "The server expects text of this pattern{unchecked}: “{source}”."
            ));
        }
        Ok(Self {
            format,
            min,
            max,
            pattern,
            hint: (!hints.is_empty()).then(|| hints.join(" ")),
        })
    }

    /// Whether only the empty text fits.
    pub(super) fn is_empty_only(&self) -> bool {
        self.max == Some(0)
    }

    pub(super) fn accept(&self, text: &str) -> Result<(), Wrong> {
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        if let Some(min) = self.min.filter(|min| length < *min) {
            let message = format!("Enter at least {}; this has {length}.", characters(min));
            return Err(wrong(FieldErrorCode::TooShort, message));
        }
        if let Some(max) = self.max.filter(|max| length > *max) {
            let message = format!("Enter at most {}; this has {length}.", characters(max));
            return Err(wrong(FieldErrorCode::TooLong, message));
        }
        if let Some(format) = self.format {
            let code = match format {
                TextFormat::Email => FieldErrorCode::NotEmail,
                TextFormat::Uri => FieldErrorCode::NotUri,
                TextFormat::Date => FieldErrorCode::NotDate,
                TextFormat::DateTime => FieldErrorCode::NotDateTime,
            };
            formats::check(format, text).map_err(|message| wrong(code, message))?;
        }
        if let Some(pattern) = self.pattern.as_ref().filter(|pattern| !pattern.admits(text)) {
            let message = format!(
                "This is not written as the server asks: it must match the pattern “{}”.",
                pattern.shown()
            );
            return Err(wrong(FieldErrorCode::NoMatch, message));
        }
        Ok(())
    }

    pub(super) fn limits(&self) -> TextLimits {
        TextLimits {
            format: self.format,
            min_length: self.min,
            max_length: self.max,
            hint: self.hint.clone(),
        }
    }
}

fn characters(count: u32) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}
