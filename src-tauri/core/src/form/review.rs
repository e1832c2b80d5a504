//! What would be sent, told to a person: made from the very [`Answer`] that is sent.

use super::answer::{Given, Settlement};
use super::entered::legible;
use super::schema::{Form, Kind};
use super::secret::Guard;
use super::{Answer, FieldGuard, FieldInput, GuardedValue, Input, MASK, Review, ReviewItem};
use crate::text;
use crate::wire::json::Json;

impl Form {
    /// The review line for the inputs as they are now. With errors it still tells what is right.
    pub fn review(&self, inputs: &[FieldInput]) -> Review {
        let Settlement {
            answer,
            errors,
            guards,
        } = self.settle(inputs);
        let label = |id: u32| {
            let field = usize::try_from(id).ok().and_then(|at| self.fields.get(at));
            field.map(|field| text::chip(&field.label)).unwrap_or_default()
        };
        Review {
            will_send: answer
                .given
                .iter()
                .map(|given| self.item(given, label(given.field)))
                .collect(),
            left_out: answer.left_out.iter().map(|id| label(*id)).collect(),
            json: errors.is_empty().then(|| legible(&answer.masked().result())),
            exact: (errors.is_empty() && answer.given.iter().any(Given::is_secret))
                .then(|| legible(&answer.result())),
            errors,
            guarded: self.guarded_values(&guards),
        }
    }

    /// Values that look more like a secret than their field asks for one.
    fn guarded_values(&self, guards: &[(u32, Guard)]) -> Vec<GuardedValue> {
        let guarded = guards.iter().filter_map(|&(id, guard)| {
            let field = self.fields.get(usize::try_from(id).ok()?)?;
            Some(GuardedValue {
                field: id,
                guard: FieldGuard::of(guard, Guard::about_value).filter(|_| guard > field.guard)?,
            })
        });
        guarded.collect()
    }

    fn item(&self, given: &Given, label: String) -> ReviewItem {
        let field = usize::try_from(given.field)
            .ok()
            .and_then(|at| self.fields.get(at));
        ReviewItem {
            field: given.field,
            label,
            value: match field {
                Some(_) if given.is_secret() => MASK.to_owned(),
                Some(field) => field.kind.told(given),
                None => String::new(),
            },
            suggested: given.suggested,
            masked: given.is_secret(),
        }
    }
}

impl Given {
    fn is_secret(&self) -> bool {
        matches!(self.guard, Guard::Secret(_))
    }
}

impl Answer {
    /// The same with bullets for secrets, to be shown only.
    fn masked(&self) -> Self {
        let mut masked = self.clone();
        for given in masked.given.iter_mut().filter(|given| given.is_secret()) {
            given.value = Json::string(MASK);
        }
        masked
    }
}

impl Kind {
    /// The value as a chip. Of an option both title and value are told, even when both are long.
    fn told(&self, given: &Given) -> String {
        match (self, &given.input) {
            (Self::Choice { options }, Input::Pick { index }) => match options.at(*index) {
                Some(choice) => told_option(&choice.view.title, choice.view.value.as_deref()),
                None => told_json(&given.value),
            },
            (Self::Choices { options, .. }, Input::Picks { indexes }) => {
                let mut indexes = indexes.clone();
                indexes.sort_unstable();
                indexes.dedup();
                let options: Vec<String> = indexes
                    .iter()
                    .filter_map(|index| options.at(*index))
                    .map(|choice| told_option(&choice.view.title, choice.view.value.as_deref()))
                    .collect();
                let list = options.join(", ");
                match options.len() {
                    0 => "none".to_owned(),
                    _ if list.chars().count() <= text::CHIP => list,
                    count => text::chip(&format!("{count} chosen: {list}")),
                }
            }
            (Self::Entries(_), Input::Entries { .. }) => told_list(&given.value),
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
            ) => told_json(&given.value),
        }
    }
}

fn told_option(title: &str, value: Option<&str>) -> String {
    let Some(value) = value else {
        return text::chip(title);
    };
    let whole = match value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(value) => format!("{title} ({value})"),
        None => format!("{title} ({value})"),
    };
    if whole.chars().count() <= text::CHIP {
        return whole;
    }
    let half = text::CHIP / 2 - 3;
    format!("{} ({})", text::line(title, half), text::line(value, half))
}

/// How many entries, then the entries.
fn told_list(value: &Json) -> String {
    let entries: Vec<String> = value
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(told_json)
        .collect();
    match entries.len() {
        0 => "an empty list".to_owned(),
        1 => text::chip(&format!("1 entry: {}", entries.concat())),
        count => text::chip(&format!("{count} entries: {}", entries.join(", "))),
    }
}

fn told_json(value: &Json) -> String {
    match value {
        Json::String(text) if text.is_empty() => "(empty text)".to_owned(),
        Json::String(text) => text::chip(&blanks_marked(text)),
        Json::Bool(true) => "Yes".to_owned(),
        Json::Bool(false) => "No".to_owned(),
        Json::Null | Json::Number(_) | Json::Array(_) | Json::Object(_) => text::chip(&value.to_string()),
    }
}

/// Blanks at the ends and in a row, which a reader would not see, as `␣`.
fn blanks_marked(text: &str) -> String {
    let inner = text.trim_matches(' ');
    let (start, end) = (
        text.len() - text.trim_start_matches(' ').len(),
        text.len() - text.trim_end_matches(' ').len(),
    );
    if inner.is_empty() {
        return "␣".repeat(text.len());
    }
    let mut out = "␣".repeat(start);
    for (position, run) in inner.split("  ").enumerate() {
        if position > 0 {
            out.push_str("␣␣");
        }
        out.push_str(run);
    }
    out.push_str(&"␣".repeat(end));
    out
}
