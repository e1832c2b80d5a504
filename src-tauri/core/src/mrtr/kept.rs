//! A [`Machine`] as it is kept, so that a call outlives the app. Pure.
//!
//! Promises: what comes back sends the same bytes: params, numbers, order of members and requestState as they were.
//! JSON stands as text inside, so that its depth does not add to that of what holds it.
//!
//! Deliberately absent: secrets. Whoever keeps a machine whose answers hold one leaves the answers out
//! ([`KeptMachine::without_answers`]); such a round must be answered anew.

use super::machine::Machine;
use crate::wire::json::Json;
use crate::wire::outcome::{InputRequired, parse_entry};
use crate::wire::request::{Method, Request};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMachine {
    original: KeptRequest,
    round: Option<KeptRound>,
    answers: Vec<(String, String)>,
    pages: bool,
    rounds: u32,
    unattended: u32,
    in_a_row: u32,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRequest {
    method: String,
    params: String,
    mirrored: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptRound {
    entries: Vec<(String, String)>,
    state: Option<String>,
}

impl KeptRequest {
    pub fn of(request: &Request) -> Self {
        Self {
            method: request.method.name().to_owned(),
            params: Json::Object(request.params.clone()).to_string(),
            mirrored: request.mirrored.clone(),
        }
    }

    /// `None` where this is no request that this version knows.
    pub fn restore(&self) -> Option<Request> {
        let Ok(Json::Object(params)) = Json::parse(&self.params) else {
            return None;
        };
        Some(Request {
            method: Method::of(&self.method)?,
            params,
            mirrored: self.mirrored.clone(),
        })
    }
}

impl KeptRound {
    fn of(round: &InputRequired) -> Self {
        let entries = round.entries.iter();
        Self {
            entries: entries
                .map(|(key, entry)| (key.clone(), entry.raw().to_string()))
                .collect(),
            state: round.state.clone(),
        }
    }

    fn restore(&self) -> Option<InputRequired> {
        let entries = self.entries.iter().map(|(key, raw)| {
            let entry = parse_entry(key, Json::parse(raw).ok()?).ok()?;
            Some((key.clone(), entry))
        });
        Some(InputRequired {
            entries: entries.collect::<Option<_>>()?,
            state: self.state.clone(),
        })
    }
}

impl KeptMachine {
    pub fn of(machine: &Machine) -> Self {
        Self {
            original: KeptRequest::of(&machine.original),
            round: machine.round.as_ref().map(KeptRound::of),
            answers: machine
                .answers
                .iter()
                .map(|(key, answer)| (key.clone(), answer.to_string()))
                .collect(),
            pages: machine.pages,
            rounds: machine.rounds,
            unattended: machine.unattended,
            in_a_row: machine.in_a_row,
        }
    }

    /// The same without what was answered last.
    pub fn without_answers(mut self) -> Self {
        self.answers.clear();
        self
    }

    /// `None` where this is no machine that this version knows.
    pub fn restore(&self) -> Option<Machine> {
        let answers = self.answers.iter();
        Some(Machine {
            original: self.original.restore()?,
            round: match &self.round {
                Some(round) => Some(round.restore()?),
                None => None,
            },
            answers: answers
                .map(|(key, answer)| Some((key.clone(), Json::parse(answer).ok()?)))
                .collect::<Option<_>>()?,
            pages: self.pages,
            rounds: self.rounds,
            unattended: self.unattended,
            in_a_row: self.in_a_row,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::machine::{Step, Word};
    use crate::wire::Revision;

    /// The round trip through text sends the same.
    fn check(machine: &Machine) -> Machine {
        let text = serde_json::to_string(&KeptMachine::of(machine)).expect("text");
        let kept: KeptMachine = serde_json::from_str(&text).expect("the same");
        let back = kept.restore().expect("a machine");
        assert_eq!(back.send_again(), machine.send_again());
        assert_eq!(back.round(), machine.round());
        assert_eq!(
            (back.rounds(), back.over_cap(), back.names_pages()),
            (machine.rounds(), machine.over_cap(), machine.names_pages())
        );
        back
    }

    #[test]
    fn every_odd_value_comes_back_to_the_byte() {
        let arguments = r#"{"z":1.50,"a":-0,"big":12345678901234567890,"exp":1E400,"t":" \u0000\u2028é","__proto__":[{"":null}]}"#;
        for state in [None, Some(""), Some(" aé\u{2028}=+/ "), Some("{\"a\": 1 }")] {
            let mut request = Request::new(Method::CallTool)
                .with("name", Json::string("t"))
                .with("arguments", Json::parse(arguments).expect("arguments"));
            request.mirrored = vec![("X-A".into(), "b c".into())];
            let mut machine = Machine::new(request);
            check(&machine);
            let state = state.map_or_else(String::new, |state| {
                format!(r#","requestState":{}"#, Json::string(state))
            });
            let round = format!(
                r#"{{"resultType":"input_required","inputRequests":{{"z":{{"method":"elicitation/create","params":{{"n":1.0}}}},"a":{{"method":"elicitation/create","params":{{"mode":"url","url":"https://x.example/"}}}}}}{state}}}"#
            );
            machine.replied(Json::parse(&round).expect(&round), Revision::V2026_07_28);
            let mut back = check(&machine);
            let answers = vec![
                (
                    "z".to_owned(),
                    Json::parse(r#"{"action":"accept","content":{"n":1.50}}"#).expect("an answer"),
                ),
                (
                    "a".to_owned(),
                    Json::parse(r#"{"action":"decline"}"#).expect("an answer"),
                ),
            ];
            let Step::Send { request, .. } = machine.answered(answers.clone(), Word::Person) else {
                panic!("sent");
            };
            let Step::Send { request: later, .. } = back.answered(answers, Word::Person) else {
                panic!("sent");
            };
            assert_eq!(
                Json::Object(request.params).to_string(),
                Json::Object(later.params).to_string()
            );
            assert_eq!(request.mirrored, later.mirrored);
            check(&machine);
        }
    }

    #[test]
    fn deep_arguments_come_back() {
        let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(120), "]".repeat(120));
        let arguments = Json::parse(&deep).expect("within the depth");
        check(&Machine::new(
            Request::new(Method::CallTool).with("arguments", arguments),
        ));
    }

    #[test]
    fn what_is_no_machine_is_refused() {
        let kept = KeptMachine::of(&Machine::new(Request::new(Method::CallTool)));
        for broken in [
            KeptMachine {
                original: KeptRequest {
                    method: "tools/later".into(),
                    ..kept.original.clone()
                },
                ..kept.clone()
            },
            KeptMachine {
                round: Some(KeptRound {
                    entries: vec![("q".into(), "[]".into())],
                    state: None,
                }),
                ..kept.clone()
            },
            KeptMachine {
                answers: vec![("q".into(), "{".into())],
                ..kept
            },
        ] {
            assert!(broken.restore().is_none());
        }
    }
}
