//! Answers that were written beforehand: the file of `--answers`.
//!
//! Promises: an answer is used for the key it stands under (or, under `*`, for forms), and one of a list only once;
//! what is not understood is an error before anything starts. Pure.

use countersign_core::text;
use countersign_core::view::Action;
use countersign_core::wire::json::{Json, Members};
use std::collections::HashMap;

/// The key that stands for every form without answers of its own.
const ANY: &str = "*";

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answers {
    given: HashMap<String, Given>,
}

/// What stands under one key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Always(Entry),
    /// One for each time that the key is asked; the next is the last of this list.
    Each(Vec<Entry>),
}

/// One answer: an ElicitResult, and for a link where it must lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) action: Action,
    pub(crate) content: Option<Json>,
    /// Keys of the content that are to be sent although they ask for a secret or hold one.
    pub(crate) anyway: Vec<String>,
    pub(crate) url: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) domain: Option<String>,
    /// Of a link whose browser may have been asked before: whether it was.
    pub(crate) opened: Option<bool>,
}

impl Answers {
    /// # Errors
    /// A sentence that names the key and what is wrong.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let json = Json::parse(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("The answers cannot be read: {error}."))?;
        let Json::Object(members) = json else {
            return Err(format!(
                "The answers must be an object from keys to answers, not {}.",
                json.kind()
            ));
        };
        let mut given = HashMap::new();
        for (key, value) in members {
            let answer =
                Given::read(value).map_err(|why| format!("The answers for “{}”: {why}", text::chip(&key)))?;
            given.insert(key, answer);
        }
        Ok(Self { given })
    }

    /// The answer for this time that `key` is asked. `None`: there is none, or the list is used up.
    pub(crate) fn take(&mut self, key: &str, link: bool) -> Option<Entry> {
        let key = if self.given.contains_key(key) { key } else { ANY };
        // Also where a server calls its link "*".
        if link && key == ANY {
            return None;
        }
        match self.given.get_mut(key)? {
            Given::Always(entry) => Some(entry.clone()),
            Given::Each(entries) => entries.pop(),
        }
    }
}

impl Given {
    fn read(value: Json) -> Result<Self, String> {
        match value {
            Json::Array(items) => {
                let mut entries = items
                    .into_iter()
                    .map(Entry::read)
                    .collect::<Result<Vec<_>, _>>()?;
                entries.reverse();
                Ok(Self::Each(entries))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                Entry::read(value).map(Self::Always)
            }
        }
    }
}

impl Entry {
    fn read(value: Json) -> Result<Self, String> {
        let Json::Object(mut members) = value else {
            return Err(format!("an answer is an object, not {}.", value.kind()));
        };
        let action = match members.remove("action") {
            Some(Json::String(word)) => match word.as_str() {
                "accept" => Action::Accept,
                "decline" => Action::Decline,
                "cancel" => Action::Cancel,
                other => return Err(format!("“{}” is no action.", text::chip(other))),
            },
            Some(_) | None => return Err("the action must be accept, decline or cancel.".to_owned()),
        };
        let content = members.remove("content");
        if content
            .as_ref()
            .is_some_and(|content| content.as_object().is_none())
        {
            return Err("content must be an object.".to_owned());
        }
        let entry = Self {
            action,
            content,
            anyway: take_keys(&mut members, "anyway")?,
            url: take_text(&mut members, "url")?,
            origin: take_text(&mut members, "origin")?,
            domain: take_text(&mut members, "domain")?,
            opened: match members.remove("opened") {
                None => None,
                Some(Json::Bool(opened)) => Some(opened),
                Some(_) => return Err("opened must be true or false.".to_owned()),
            },
        };
        if let Some(key) = members.keys().next() {
            return Err(format!("“{}” is no part of an answer.", text::chip(key)));
        }
        if entry.action != Action::Accept && (entry.content.is_some() || entry.names_a_link()) {
            return Err("only accept can have content, url, origin or domain.".to_owned());
        }
        if entry.opened.is_some() && !entry.names_a_link() {
            return Err("opened is for a link.".to_owned());
        }
        if entry.content.is_none() && !entry.anyway.is_empty() {
            return Err("anyway names keys of a content, and there is none.".to_owned());
        }
        if entry.content.is_some() && entry.names_a_link() {
            return Err("content is for a form; url, origin and domain are for a link.".to_owned());
        }
        Ok(entry)
    }

    /// It is written for a link.
    pub(crate) fn names_a_link(&self) -> bool {
        self.url.is_some() || self.origin.is_some() || self.domain.is_some()
    }
}

fn take_keys(members: &mut Members, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("{key} must be a list of keys.");
    match members.remove(key) {
        None => Ok(Vec::new()),
        Some(Json::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn take_text(members: &mut Members, key: &str) -> Result<Option<String>, String> {
    match members.remove(key) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("{key} must be text, not {}.", other.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(answers: &mut Answers, key: &str, link: bool) -> Vec<Option<Action>> {
        (0..3)
            .map(|_| answers.take(key, link).map(|entry| entry.action))
            .collect()
    }

    #[test]
    fn a_list_is_used_one_by_one_and_a_single_answer_always() {
        let mut answers = Answers::read(
            r#"{"a":[{"action":"accept"},{"action":"decline"}],"b":{"action":"cancel"},"*":{"action":"decline"}}"#,
        )
        .expect("read");
        let (accept, decline, cancel) = (Some(Action::Accept), Some(Action::Decline), Some(Action::Cancel));
        assert_eq!(actions(&mut answers, "a", false), [accept, decline, None]);
        assert_eq!(actions(&mut answers, "b", false), [cancel, cancel, cancel]);
        assert_eq!(actions(&mut answers, "other", false), [decline, decline, decline]);
    }

    #[test]
    fn the_star_never_matches_a_link() {
        let mut answers = Answers::read(r#"{"*":{"action":"decline"}}"#).expect("read");
        assert_eq!(answers.take("page", true), None);
        assert_eq!(answers.take("*", true), None);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let fails = |text: &str, word: &str| {
            let error = Answers::read(text).expect_err(text);
            assert!(error.contains(word), "{text}: {error}");
        };
        fails("{", "cannot be read");
        fails("[]", "not a list");
        fails(r#"{"a":1}"#, "“a”: an answer is an object");
        fails(r#"{"a":{}}"#, "must be accept, decline or cancel");
        fails(r#"{"a":{"action":"yes"}}"#, "“yes” is no action");
        fails(r#"{"a":{"action":"decline","content":{}}}"#, "only accept");
        fails(
            r#"{"a":[{"action":"cancel","url":"https://a.test"}]}"#,
            "only accept",
        );
        fails(r#"{"a":{"action":"accept","content":[]}}"#, "must be an object");
        fails(r#"{"a":{"action":"accept","url":7}}"#, "url must be text");
        fails(r#"{"a":{"action":"accept","contents":{}}}"#, "“contents”");
        fails(
            r#"{"a":{"action":"accept","content":{},"anyway":"k"}}"#,
            "a list of keys",
        );
        fails(r#"{"a":{"action":"accept","anyway":["k"]}}"#, "there is none");
        fails(
            r#"{"a":{"action":"accept","content":{},"url":"u"}}"#,
            "for a form",
        );
    }
}
