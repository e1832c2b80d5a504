//! What a call comes back as. `resultType` is read before anything else; one odd entry never hides the others'
//! meaning, and every entry is checked before the first is shown (2026-07-28, basic/patterns/mrtr).

use super::json::{Json, Members};
use super::request::Method;

/// Most questions in one round.
pub const MAX_ENTRIES: usize = 16;
/// Largest requestState that is echoed, in bytes.
pub const MAX_STATE: usize = 256 * 1024;

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Complete(Json),
    InputRequired(InputRequired),
}

/// A round: what the server wants to know, and what must be echoed to it.
#[derive(Clone, PartialEq, Eq)]
pub struct InputRequired {
    /// In the order sent; empty for a round that only asks to come back.
    pub entries: Vec<(String, Entry)>,
    /// Opaque. Echoed byte for byte, never shown, never logged.
    pub state: Option<String>,
}

/// The state stays out of every log, so also out of `{:?}`.
impl std::fmt::Debug for InputRequired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputRequired")
            .field(
                "keys",
                &self.entries.iter().map(|(key, _)| key).collect::<Vec<_>>(),
            )
            .field("state_bytes", &self.state.as_ref().map(String::len))
            .finish()
    }
}

/// One question as sent. Whether it can be drawn or opened is decided later, on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Form {
        message: String,
        raw: Json,
    },
    Link {
        message: String,
        url: Option<String>,
        raw: Json,
    },
}

impl Entry {
    pub fn message(&self) -> &str {
        match self {
            Self::Form { message, .. } | Self::Link { message, .. } => message,
        }
    }

    /// What a 2025-era server calls a page that it wants opened.
    pub fn elicitation_id(&self) -> Option<&str> {
        self.raw().get("params")?.get("elicitationId")?.as_str()
    }

    /// The entry as it was sent, for people who want to see it.
    pub fn raw(&self) -> &Json {
        match self {
            Self::Form { raw, .. } | Self::Link { raw, .. } => raw,
        }
    }
}

/// Why a result cannot be used. The call fails with this; nothing is shown to be answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutcomeFault {
    #[error("the result is not an object")]
    NotAnObject,
    #[error("the result is of a kind that this program does not know: “{0}”")]
    UnknownResultType(String),
    #[error("{0} may not ask for input, but the server did")]
    MayNotAsk(&'static str),
    #[error("the server asks for input but sends neither a question nor a state")]
    NothingAsked,
    #[error("the questions are not an object of entries")]
    BadRequests,
    #[error("the requestState is not text")]
    BadState,
    #[error("{0} questions in one round; {MAX_ENTRIES} is the most")]
    TooManyEntries(usize),
    #[error("a requestState of {0} bytes; {MAX_STATE} is the most")]
    StateTooLarge(usize),
    #[error("the question “{key}” is not an object")]
    EntryNotAnObject { key: String },
    #[error("the question “{key}” asks for “{method}”, which this program never declared")]
    UndeclaredMethod { key: String, method: String },
    #[error("the question “{key}” has the unknown mode “{mode}”")]
    UnknownMode { key: String, mode: String },
    /// As it was told before this run of the app.
    #[error("{0}")]
    Before(String),
}

impl Outcome {
    /// # Errors
    /// [`OutcomeFault`]; an undeclared method or unknown mode anywhere fails the whole result.
    pub fn parse(method: Method, result: Json) -> Result<Self, OutcomeFault> {
        let Json::Object(mut members) = result else {
            return Err(OutcomeFault::NotAnObject);
        };
        match members.get("resultType") {
            None => return Ok(Self::Complete(Json::Object(members))),
            Some(Json::String(kind)) if kind == "complete" => {
                return Ok(Self::Complete(Json::Object(members)));
            }
            Some(Json::String(kind)) if kind == "input_required" => {}
            Some(Json::String(kind)) => return Err(OutcomeFault::UnknownResultType(crate::text::chip(kind))),
            Some(other) => return Err(OutcomeFault::UnknownResultType(other.kind().to_owned())),
        }
        if !method.may_ask() {
            return Err(OutcomeFault::MayNotAsk(method.name()));
        }
        let state = match members.remove("requestState") {
            None => None,
            Some(Json::String(state)) if state.len() > MAX_STATE => {
                return Err(OutcomeFault::StateTooLarge(state.len()));
            }
            Some(Json::String(state)) => Some(state),
            Some(_) => return Err(OutcomeFault::BadState),
        };
        let entries = match members.remove("inputRequests") {
            None => Vec::new(),
            Some(Json::Object(entries)) => parse_entries(entries)?,
            Some(_) => return Err(OutcomeFault::BadRequests),
        };
        if entries.is_empty() && state.is_none() {
            return Err(OutcomeFault::NothingAsked);
        }
        Ok(Self::InputRequired(InputRequired { entries, state }))
    }
}

fn parse_entries(entries: Members) -> Result<Vec<(String, Entry)>, OutcomeFault> {
    if entries.len() > MAX_ENTRIES {
        return Err(OutcomeFault::TooManyEntries(entries.len()));
    }
    entries
        .into_iter()
        .map(|(key, entry)| Ok((key.clone(), parse_entry(&key, entry)?)))
        .collect()
}

/// One question, as far as it can be used.
///
/// # Errors
/// [`OutcomeFault`], for the whole round.
pub fn parse_entry(key: &str, raw: Json) -> Result<Entry, OutcomeFault> {
    let key = || crate::text::chip(key);
    if raw.as_object().is_none() {
        return Err(OutcomeFault::EntryNotAnObject { key: key() });
    }
    match raw.get("method").and_then(Json::as_str) {
        Some("elicitation/create") => {}
        other => {
            let method = crate::text::chip(other.unwrap_or("nothing"));
            return Err(OutcomeFault::UndeclaredMethod { key: key(), method });
        }
    }
    let params = raw.get("params");
    let member = |name: &str| params.and_then(|params| params.get(name));
    let message = member("message")
        .and_then(Json::as_str)
        .unwrap_or_default()
        .to_owned();
    match member("mode") {
        None => Ok(Entry::Form { message, raw }),
        Some(Json::String(mode)) if mode == "form" => Ok(Entry::Form { message, raw }),
        Some(Json::String(mode)) if mode == "url" => Ok(Entry::Link {
            message,
            url: member("url").and_then(Json::as_str).map(str::to_owned),
            raw,
        }),
        Some(Json::String(mode)) => Err(OutcomeFault::UnknownMode {
            key: key(),
            mode: crate::text::chip(mode),
        }),
        Some(other) => Err(OutcomeFault::UnknownMode {
            key: key(),
            mode: other.kind().to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Outcome, OutcomeFault> {
        Outcome::parse(Method::CallTool, Json::parse(text).expect(text))
    }

    fn check(text: &str, keys: &[&str], state: Option<&str>) {
        match parse(text) {
            Ok(Outcome::InputRequired(round)) => {
                assert_eq!(
                    round
                        .entries
                        .iter()
                        .map(|(key, _)| key.as_str())
                        .collect::<Vec<_>>(),
                    keys,
                    "{text}"
                );
                assert_eq!(round.state.as_deref(), state, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn rounds_are_read() {
        check(
            r#"{"resultType":"input_required","inputRequests":{"z":{"method":"elicitation/create","params":{"message":"m"}},
            "a":{"method":"elicitation/create","params":{"mode":"url","url":"https://x.example"}}},"requestState":"{\"a\": 1 }"}"#,
            &["z", "a"],
            Some("{\"a\": 1 }"),
        );
        check(
            r#"{"resultType":"input_required","requestState":""}"#,
            &[],
            Some(""),
        );
        check(
            r#"{"resultType":"input_required","requestState":"s","inputRequests":{}}"#,
            &[],
            Some("s"),
        );
        check(
            r#"{"_meta":{"x":1},"content":[],"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create"}}}"#,
            &["q"],
            None,
        );
    }

    #[test]
    fn a_missing_result_type_is_complete() {
        for text in [
            r#"{"content":[]}"#,
            r#"{"resultType":"complete"}"#,
            r#"{"inputRequests":{"q":{}}}"#,
        ] {
            assert!(matches!(parse(text), Ok(Outcome::Complete(_))), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_used_fails_whole() {
        let fails = |text: &str, fault: OutcomeFault| assert_eq!(parse(text), Err(fault), "{text}");
        fails(
            r#"{"resultType":"later"}"#,
            OutcomeFault::UnknownResultType("later".into()),
        );
        fails(
            r#"{"resultType":"task","taskId":"t"}"#,
            OutcomeFault::UnknownResultType("task".into()),
        );
        fails(
            r#"{"resultType":7}"#,
            OutcomeFault::UnknownResultType("a number".into()),
        );
        fails(r#"{"resultType":"input_required"}"#, OutcomeFault::NothingAsked);
        fails(
            r#"{"resultType":"input_required","inputRequests":{}}"#,
            OutcomeFault::NothingAsked,
        );
        fails(
            r#"{"resultType":"input_required","inputRequests":[]}"#,
            OutcomeFault::BadRequests,
        );
        fails(
            r#"{"resultType":"input_required","requestState":1}"#,
            OutcomeFault::BadState,
        );
        fails("[]", OutcomeFault::NotAnObject);
        let entry = |entry: &str| {
            format!(
                r#"{{"resultType":"input_required","inputRequests":{{"ok":{{"method":"elicitation/create"}},"b":{entry}}}}}"#
            )
        };
        fails(&entry("1"), OutcomeFault::EntryNotAnObject { key: "b".into() });
        fails(
            &entry(r#"{"method":"sampling/createMessage","params":{}}"#),
            OutcomeFault::UndeclaredMethod {
                key: "b".into(),
                method: "sampling/createMessage".into(),
            },
        );
        fails(
            &entry(r#"{"method":"elicitation/create","params":{"mode":"voice"}}"#),
            OutcomeFault::UnknownMode {
                key: "b".into(),
                mode: "voice".into(),
            },
        );
    }

    #[test]
    fn limits_are_said_with_the_figure() {
        let many = (0..17)
            .map(|n| format!(r#""k{n}":{{"method":"elicitation/create"}}"#))
            .collect::<Vec<_>>()
            .join(",");
        assert_eq!(
            parse(&format!(
                r#"{{"resultType":"input_required","inputRequests":{{{many}}}}}"#
            )),
            Err(OutcomeFault::TooManyEntries(17))
        );
        let state = "s".repeat(MAX_STATE + 1);
        assert_eq!(
            parse(&format!(
                r#"{{"resultType":"input_required","requestState":"{state}"}}"#
            )),
            Err(OutcomeFault::StateTooLarge(MAX_STATE + 1))
        );
    }

    #[test]
    fn only_three_methods_may_ask() {
        let result = Json::parse(r#"{"resultType":"input_required","requestState":"s"}"#).expect("JSON");
        assert_eq!(
            Outcome::parse(Method::ListTools, result.clone()),
            Err(OutcomeFault::MayNotAsk("tools/list"))
        );
        assert!(Outcome::parse(Method::ReadResource, result.clone()).is_ok());
        assert!(Outcome::parse(Method::GetPrompt, result).is_ok());
    }

    #[test]
    fn the_state_is_in_no_debug_text() {
        let round =
            parse(r#"{"resultType":"input_required","requestState":"secret-state"}"#).expect("a round");
        assert!(!format!("{round:?}").contains("secret"));
    }
}
