//! The options of a select: which values there are, and how each is told to a person.
//!
//! An option is its position. Its value stays the exact JSON that was sent, so that a number stays a number.

use super::number::Decimal;
use super::schema::{Node, Refused, Type, help};
use super::undrawable::Reason;
use super::{MAX_OPTIONS, OptionView};
use crate::text;
use crate::wire::json::Json;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) choices: Vec<Choice>,
    /// Where each value is, by [`identity`].
    positions: HashMap<String, u32>,
    /// Some titles look like each other.
    pub(super) alike: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) value: Json,
    pub(super) view: OptionView,
}

/// A value with its title and description, as sent.
struct Offer<'a> {
    value: &'a Json,
    title: Option<&'a str>,
    help: Option<&'a str>,
}

impl<'a> Offer<'a> {
    fn bare(value: &'a Json) -> Self {
        Self {
            value,
            title: None,
            help: None,
        }
    }
}

impl Options {
    /// Reads `oneOf`, `anyOf` (with `const`, `title`, `description`), `enum` (with the old `enumNames`) or `const`; none if the
    /// schema has none of them. `null` is dropped: it is never sent, and leaving out is always possible.
    ///
    /// # Errors
    /// Values that are no text, number or yes/no, or not of the field's type; two lists that differ; no or too many
    /// options.
    pub(super) fn read(node: &Node<'_>, kind: Option<Type>) -> Result<Option<Self>, Refused> {
        let mut lists: Vec<Vec<Offer<'_>>> = Vec::new();
        for keyword in ["oneOf", "anyOf"] {
            if let Some(branches) = node.get(keyword) {
                lists.push(titled(branches)?);
            }
        }
        if let Some(values) = node.get("enum") {
            lists.push(named(values, node.get("enumNames"))?);
        }
        if let Some(value) = node.get("const") {
            lists.push(vec![Offer::bare(value)]);
        }
        if lists.iter().any(|list| list.len() > MAX_OPTIONS) {
            return Err(Refused::too_many_options());
        }
        for list in &mut lists {
            list.retain(|offer| *offer.value != Json::Null);
        }
        let Some((offers, others)) = lists.split_first() else {
            return Ok(None);
        };
        let values = |list: &[Offer<'_>]| {
            list.iter()
                .map(|offer| identity(offer.value))
                .collect::<HashSet<_>>()
        };
        if others.iter().any(|other| values(other) != values(offers)) {
            return Err(Refused::new(
                Reason::ConflictingChoices,
                "lists its choices twice, and the two lists differ.",
            ));
        }
        Self::new(offers, kind).map(Some)
    }

    pub(super) fn len(&self) -> usize {
        self.choices.len()
    }

    /// Where a value is among the options; `1` and `1.0` are the same value.
    pub(super) fn position(&self, value: &Json) -> Option<u32> {
        self.positions.get(&identity(value)).copied()
    }

    pub(super) fn at(&self, index: u32) -> Option<&Choice> {
        self.choices.get(usize::try_from(index).ok()?)
    }

    pub(super) fn views(&self) -> Vec<OptionView> {
        self.choices.iter().map(|choice| choice.view.clone()).collect()
    }

    fn new(offers: &[Offer<'_>], kind: Option<Type>) -> Result<Self, Refused> {
        let mut options = Self {
            choices: Vec::new(),
            positions: HashMap::new(),
            alike: false,
        };
        for offer in offers {
            let value = offer.value;
            if !matches!(value, Json::String(_) | Json::Number(_) | Json::Bool(_)) {
                let reason = format!("offers {} as a choice, which this app cannot show.", value.kind());
                return Err(Refused::new(Reason::ChoiceNotPlain, reason));
            }
            if !kind.is_none_or(|kind| kind.holds(value)) {
                let reason = format!(
                    "offers a choice that it does not allow itself ({}).",
                    value.kind()
                );
                return Err(Refused::new(Reason::ChoiceOfOtherType, reason));
            }
            let position = u32::try_from(options.choices.len()).unwrap_or(u32::MAX);
            // Of a value that is sent twice the first title counts.
            if let Entry::Vacant(place) = options.positions.entry(identity(value)) {
                place.insert(position);
                let (value, view) = (value.clone(), view(offer));
                options.choices.push(Choice { value, view });
            }
        }
        if options.choices.is_empty() {
            return Err(Refused::new(
                Reason::NoChoices,
                "asks for a choice but offers none.",
            ));
        }
        options.tell_apart();
        Ok(options)
    }

    /// Shows the values of options whose titles look the same, in letters that cannot.
    fn tell_apart(&mut self) {
        let mut looks: HashMap<String, u32> = HashMap::new();
        for choice in &self.choices {
            *looks.entry(look(&choice.view.title)).or_default() += 1;
        }
        for choice in &mut self.choices {
            if looks
                .get(&look(&choice.view.title))
                .is_some_and(|count| *count > 1)
            {
                choice.view.value = Some(text::line(&text::ascii(&choice.value.to_string()), text::TITLE));
                self.alike = true;
            }
        }
    }
}

/// What a text looks like, the same for texts that a reader cannot tell apart (UTS #39 skeleton).
pub(super) fn look(text: &str) -> String {
    let normal: String = text.nfkc().collect();
    unicode_security::skeleton(&normal).collect()
}

/// A text on one line that is never empty.
pub(super) fn visible(text: &str) -> String {
    let shown = text::line(text, text::TITLE);
    if text.is_empty() {
        "(empty text)".to_owned()
    } else if shown.trim().is_empty() {
        "(only blanks)".to_owned()
    } else {
        shown
    }
}

fn titled(branches: &Json) -> Result<Vec<Offer<'_>>, Refused> {
    let refused = || {
        Refused::new(
            Reason::ChoiceWithoutValue,
            "offers a choice without a value to send.",
        )
    };
    let branches = branches.as_array().ok_or_else(refused)?;
    branches
        .iter()
        .map(|branch| {
            let null = branch.get("type").and_then(Json::as_str) == Some("null");
            let value = branch
                .get("const")
                .or(null.then_some(&Json::Null))
                .ok_or_else(refused)?;
            Ok(Offer {
                value,
                title: branch.get("title").and_then(Json::as_str),
                help: branch.get("description").and_then(Json::as_str),
            })
        })
        .collect()
}

/// Names of another number than the values, or that are no texts, are ignored: they would shift.
fn named<'a>(values: &'a Json, names: Option<&'a Json>) -> Result<Vec<Offer<'a>>, Refused> {
    let values = values
        .as_array()
        .ok_or_else(|| Refused::new(Reason::NoChoices, "asks for a choice but offers none."))?;
    let names: Option<Vec<&str>> = names
        .and_then(Json::as_array)
        .filter(|names| names.len() == values.len())
        .and_then(|names| names.iter().map(Json::as_str).collect());
    Ok(values
        .iter()
        .enumerate()
        .map(|(position, value)| Offer {
            title: names.as_ref().and_then(|names| names.get(position).copied()),
            ..Offer::bare(value)
        })
        .collect())
}

fn view(offer: &Offer<'_>) -> OptionView {
    let value = offer.value;
    let shown = match value {
        Json::String(text) => visible(text),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            text::line(&value.to_string(), text::TITLE)
        }
    };
    let title = match (
        offer
            .title
            .map(|title| text::line(title, text::TITLE).trim().to_owned()),
        value,
    ) {
        (Some(title), _) if !title.is_empty() => title,
        (_, Json::Bool(true)) => "Yes".to_owned(),
        (_, Json::Bool(false)) => "No".to_owned(),
        (_, Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_)) => {
            shown.clone()
        }
    };
    OptionView {
        value: (title != shown).then_some(shown),
        title,
        help: offer.help.and_then(help),
    }
}

/// The same text for equal values (JSON Schema 2020-12, section 4.2.2).
pub(super) fn identity(value: &Json) -> String {
    match value {
        Json::Number(text) => Decimal::parse(text).canonical(),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => value.to_string(),
    }
}
