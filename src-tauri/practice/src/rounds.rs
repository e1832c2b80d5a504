//! Multi round-trip requests from the server's side: what is asked, what was answered, what is kept in between.
//!
//! The answers of a client are read strictly ([`Answers`]): bare results, content only where a form was accepted.
//! `requestState` is a random token that stands for a [`Step`] in the server's memory, so an altered state is an
//! unknown one. Deliberately absent: expiry by a clock; only the newest [`KEPT`] steps are remembered.

use crate::chance::Chance;
use crate::json::json;
use crate::message::Fault;
use crate::schema;
use countersign_core::wire::json::{Json, Members};
use std::collections::VecDeque;

/// How many steps (and, elsewhere, tickets) are remembered; the oldest go first.
pub(crate) const KEPT: usize = 256;

/// What a call comes to: a complete result, or another round.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The members of the result but for `resultType` and `_meta`.
    Complete(Members),
    Ask {
        /// By key; may be empty where `state` is there ("come back later").
        asks: Vec<(&'static str, Json)>,
        state: Option<String>,
    },
}

/// Where a call with several rounds stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// An account waits for its page to be visited.
    Account { ticket: String },
    /// The first form of the guided setup is out.
    SetupName,
    /// The link of the guided setup is out.
    SetupPage { name: String, ticket: String },
    /// The last form of the guided setup is out.
    SetupConfirm { name: String },
    /// The client was told this many times to come back.
    Busy { told: u8 },
}

/// The steps that a state can stand for.
#[derive(Debug, Default)]
pub(crate) struct Steps(VecDeque<(String, Step)>);

/// What a retry carries: the state's step, and the answers. Both are absent on the first request.
#[derive(Debug)]
pub(crate) struct Retry {
    pub(crate) step: Option<Step>,
    pub(crate) answers: Option<Answers>,
}

/// The `inputResponses` of a retry. Keys nobody asked for are ignored.
#[derive(Debug)]
pub(crate) struct Answers(Members);

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// With the content of a form; empty for a link.
    Accept(Members),
    Decline,
    Cancel,
}

/// A question with fields.
pub(crate) fn form(message: &str, requested_schema: Json) -> Json {
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": requested_schema},
    })
}

/// A question whether a page may be opened.
pub(crate) fn link(message: &str, url: &str) -> Json {
    json!({
        "method": "elicitation/create",
        "params": {"mode": "url", "message": message, "url": url},
    })
}

impl Outcome {
    /// One form, with nothing to keep.
    pub(crate) fn form(key: &'static str, message: &str, requested_schema: Json) -> Self {
        Self::Ask {
            asks: vec![(key, form(message, requested_schema))],
            state: None,
        }
    }

    /// A tool result of one text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::tool(text, None)
    }

    /// A tool result of one text and structured content.
    pub(crate) fn structured(text: impl Into<String>, structured: Json) -> Self {
        Self::tool(text, Some(structured))
    }

    fn tool(text: impl Into<String>, structured: Option<Json>) -> Self {
        let mut members = Members::new();
        members.set("content", json!([{"type": "text", "text": (text.into())}]));
        if let Some(structured) = structured {
            members.set("structuredContent", structured);
        }
        Self::Complete(members)
    }

    /// A tool result that says the call failed.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        let mut members = Members::new();
        members.set("content", json!([{"type": "text", "text": (text.into())}]));
        members.set("isError", Json::Bool(true));
        Self::Complete(members)
    }

    /// The `result` of the response.
    pub(crate) fn result(self, server: Json) -> Json {
        let mut result = Members::new();
        match self {
            Self::Complete(members) => {
                result.set("resultType", Json::string("complete"));
                for (key, value) in members {
                    result.set(key, value);
                }
            }
            Self::Ask { asks, state } => {
                result.set("resultType", Json::string("input_required"));
                if !asks.is_empty() {
                    result.set("inputRequests", Json::object(asks));
                }
                if let Some(state) = state {
                    result.set("requestState", Json::String(state));
                }
            }
        }
        result.set("_meta", Json::object([(crate::message::META_SERVER, server)]));
        Json::Object(result)
    }
}

impl Steps {
    /// Remembers `step` under a new state.
    ///
    /// # Errors
    /// [`Fault::Internal`] when there is no randomness.
    pub(crate) fn keep(&mut self, step: Step, chance: &Chance) -> Result<String, Fault> {
        let state = format!("practice.{}", chance.token()?);
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((state.clone(), step));
        Ok(state)
    }

    /// # Errors
    /// [`Fault::Params`] for a state that was never given out, was altered, or is forgotten.
    pub(crate) fn find(&self, state: &str) -> Result<Step, Fault> {
        self.0
            .iter()
            .find(|(known, _)| known == state)
            .map(|(_, step)| step.clone())
            .ok_or_else(|| Fault::Params("this requestState is unknown or no longer accepted".to_owned()))
    }
}

impl Retry {
    /// Reads `requestState` and `inputResponses`.
    ///
    /// # Errors
    /// [`Fault::Params`] for an unknown state or responses that are no object.
    pub(crate) fn read(params: &Members, steps: &Steps) -> Result<Self, Fault> {
        let step = match params.get("requestState") {
            None => None,
            Some(Json::String(state)) => Some(steps.find(state)?),
            Some(_) => return Err(Fault::Params("requestState must be a text".to_owned())),
        };
        let answers = match params.get("inputResponses") {
            None => None,
            Some(Json::Object(answers)) => Some(Answers(answers.clone())),
            Some(_) => return Err(Fault::Params("inputResponses must be an object".to_owned())),
        };
        Ok(Self { step, answers })
    }

    /// For calls that keep nothing between rounds.
    ///
    /// # Errors
    /// [`Fault::Params`] when the client sends a state nevertheless.
    pub(crate) fn stateless(self) -> Result<Option<Answers>, Fault> {
        match self.step {
            None => Ok(self.answers),
            Some(_) => Err(foreign_state()),
        }
    }

    /// For calls that always keep something: the step, or nothing on the first request.
    ///
    /// # Errors
    /// [`Fault::Params`] when answers come without a state.
    pub(crate) fn stateful(self) -> Result<(Option<Step>, Answers), Fault> {
        match (self.step, self.answers) {
            (None, Some(_)) => Err(Fault::Params(
                "these answers belong to a round, but its requestState is missing".to_owned(),
            )),
            (step, answers) => Ok((step, answers.unwrap_or_else(|| Answers(Members::new())))),
        }
    }
}

/// A state that belongs to another call.
pub(crate) fn foreign_state() -> Fault {
    Fault::Params("this requestState belongs to another call".to_owned())
}

impl Answers {
    /// The answer to the form `key`; none when it was left out.
    ///
    /// # Errors
    /// [`Fault::Params`] when the answer is malformed or its content does not fit `requested_schema`.
    pub(crate) fn form(&self, key: &str, requested_schema: &Json) -> Result<Option<Answer>, Fault> {
        let Some((action, content)) = self.bare(key)? else {
            return Ok(None);
        };
        match (action, content) {
            ("accept", Some(Json::Object(content))) => {
                schema::check(requested_schema, content)
                    .map_err(|why| Fault::Params(format!("the answer {key}: {why}")))?;
                Ok(Some(Answer::Accept(content.clone())))
            }
            ("accept", _) => Err(Fault::Params(format!(
                "the answer {key} accepts a form, so its content must be an object"
            ))),
            (other, content) => refusal(key, other, content).map(Some),
        }
    }

    /// The answer to the link `key`; none when it was left out.
    ///
    /// # Errors
    /// [`Fault::Params`] when the answer is malformed or has content.
    pub(crate) fn link(&self, key: &str) -> Result<Option<Answer>, Fault> {
        let Some((action, content)) = self.bare(key)? else {
            return Ok(None);
        };
        match (action, content) {
            ("accept", None) => Ok(Some(Answer::Accept(Members::new()))),
            (other, content) => refusal(key, other, content).map(Some),
        }
    }

    fn bare(&self, key: &str) -> Result<Option<(&str, Option<&Json>)>, Fault> {
        let Some(answer) = self.0.get(key) else {
            return Ok(None);
        };
        let wrapped = ["method", "result", "resultType", "jsonrpc", "id"];
        let action = answer.get("action").and_then(Json::as_str);
        match action {
            Some(action) if wrapped.iter().all(|member| answer.get(member).is_none()) => {
                Ok(Some((action, answer.get("content"))))
            }
            Some(_) | None => Err(Fault::Params(format!(
                "the answer {key} must be a bare result with an action"
            ))),
        }
    }
}

fn refusal(key: &str, action: &str, content: Option<&Json>) -> Result<Answer, Fault> {
    let answer = match action {
        "decline" => Answer::Decline,
        "cancel" => Answer::Cancel,
        "accept" => Answer::Accept(Members::new()),
        _ => {
            return Err(Fault::Params(format!(
                "the answer {key} has the unknown action {action}"
            )));
        }
    };
    match content {
        None => Ok(answer),
        Some(_) => Err(Fault::Params(format!(
            "the answer {key} must have no content: only an accepted form has some"
        ))),
    }
}

impl Answer {
    /// The action as it stands on the wire.
    pub(crate) fn action(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }

    /// In words, for reports on several answers.
    pub(crate) fn in_words(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accepted",
            Self::Decline => "declined",
            Self::Cancel => "dismissed without a choice",
        }
    }
}
