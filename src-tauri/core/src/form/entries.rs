//! A list that a person writes entry by entry: texts or numbers, each checked like a field of its kind.
//!
//! Every entry that is there is sent, in its place; an entry that was added and left empty is an error, never
//! dropped and never sent as an empty text (unless the server itself suggested an empty one). The list without
//! entries is an answer, `[]`, where a person chose it or the server suggested it; a list that nobody touched is
//! left out.

use super::answer::{Wrong, wrong};
use super::options::identity;
use super::range::Range;
use super::schema::{Node, Refused, Type};
use super::secret::Answers;
use super::undrawable::Reason;
use super::wording::Wording;
use super::{Control, EntryControl, FieldErrorCode, MAX_ENTRIES};
use crate::wire::json::Json;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(super) struct Entries {
    item: Item,
    min: Option<u32>,
    max: Option<u32>,
    unique: bool,
}

#[derive(Clone, Debug)]
enum Item {
    Text(Wording),
    Number(Range),
}

impl Entries {
    /// What the guard against secrets has to look at.
    pub(super) fn answers(&self) -> Answers {
        match &self.item {
            Item::Text(wording) => wording.answers(),
            Item::Number(_) => Answers::Number,
        }
    }

    /// Reads a list of `items` of one type, with `minItems`, `maxItems` and `uniqueItems` of the list itself; none
    /// if entries of that type are not written by hand.
    ///
    /// # Errors
    /// Entries or counts that nobody could give.
    pub(super) fn read(list: &Node<'_>, items: &Node<'_>, kind: Type) -> Result<Option<Self>, Refused> {
        let item = match kind {
            Type::Text => Item::Text(Wording::read(items)?),
            Type::Number => Item::Number(Range::read(items, false)?),
            Type::Integer => Item::Number(Range::read(items, true)?),
            Type::YesNo => return Ok(None),
        };
        let (min, max) = (list.count("minItems"), list.count("maxItems"));
        let most = max.map_or(MAX_ENTRIES, |max| max.min(MAX_ENTRIES));
        if let Some(min) = min.filter(|min| *min > most) {
            let rest = format!("asks for at least {min} entries; at most {most} are possible here.");
            return Err(Refused::new(Reason::ImpossibleCount, rest));
        }
        let unique = list.get("uniqueItems").and_then(Json::as_bool).unwrap_or(false);
        Ok(Some(Self {
            item,
            min,
            max,
            unique,
        }))
    }

    pub(super) fn accept(&self, texts: &[String]) -> Result<Json, Wrong> {
        let count = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        if let Some(min) = self.min.filter(|min| count < *min) {
            let message = format!("Add at least {}; this list has {count}.", told(min));
            return Err(wrong(FieldErrorCode::TooFew, message));
        }
        let most = self.max.map_or(MAX_ENTRIES, |max| max.min(MAX_ENTRIES));
        if count > most {
            let message = format!("Keep at most {}; this list has {count}.", told(most));
            return Err(wrong(FieldErrorCode::TooMany, message));
        }
        let mut values = Vec::new();
        let mut first: HashMap<String, u32> = HashMap::new();
        for (place, text) in (0..).zip(texts) {
            let value = self.item.accept(text).map_err(|wrong| at(place, wrong))?;
            if self.unique
                && let Some(earlier) = first.insert(identity(&value), place)
            {
                let message = format!(
                    "This is the same as entry {}; every entry must be different.",
                    earlier + 1
                );
                return Err(at(place, wrong(FieldErrorCode::Repeated, message)));
            }
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    /// The first entry in which nothing was written.
    pub(super) fn first_blank(&self, texts: &[String]) -> Option<Wrong> {
        let blank = |text: &String| match self.item {
            Item::Text(_) => text.is_empty(),
            Item::Number(_) => text.trim().is_empty(),
        };
        let (place, _) = (0..).zip(texts).find(|(_, text)| blank(text))?;
        let message = "Fill this in, or remove it.";
        Some(at(place, wrong(FieldErrorCode::EmptyEntry, message)))
    }

    /// The texts that a JSON list stands for.
    pub(super) fn texts_of(&self, values: &[Json]) -> Result<Vec<String>, String> {
        let text_of = |value: &Json| match &self.item {
            Item::Text(_) => value.as_str().map(str::to_owned),
            Item::Number(range) => value.as_number().map(|number| range.text_of(number)),
        };
        let what = match self.item {
            Item::Text(_) => "texts are",
            Item::Number(_) => "numbers are",
        };
        values
            .iter()
            .map(|value| {
                text_of(value).ok_or_else(|| format!("{what} expected in this list, not {}.", value.kind()))
            })
            .collect()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        match &self.item {
            Item::Text(_) => Vec::new(),
            Item::Number(range) => range.notes(),
        }
    }

    pub(super) fn control(&self) -> Control {
        let item = match &self.item {
            Item::Text(wording) => EntryControl::Text(wording.limits()),
            Item::Number(range) => EntryControl::Number(range.limits()),
        };
        Control::Entries {
            item,
            min_items: self.min,
            max_items: self.max,
            unique: self.unique,
        }
    }
}

impl Item {
    fn accept(&self, text: &str) -> Result<Json, Wrong> {
        match self {
            Self::Text(wording) => wording.accept(text).map(|()| Json::string(text)),
            Self::Number(range) => range.accept(text).map(Json::Number),
        }
    }
}

fn at(place: u32, mut wrong: Wrong) -> Wrong {
    wrong
        .message
        .insert_str(0, &format!("Entry {}: ", place.saturating_add(1)));
    wrong.entry = Some(place);
    wrong
}

fn told(count: u32) -> String {
    match count {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    }
}
