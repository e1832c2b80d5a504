//! Recorded sessions: every answer against its schema, and the findings of `mcp-trace-validator` against
//! `findings.tsv`, the list of those that are the server's or the recorder's.
#![expect(clippy::disallowed_methods, reason = "the validator is a program")]

use crate::sessions::{Setting, tools};
use serde_json::{Map, Value};
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// What was found in the traces of one session.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) traces: usize,
    /// Answers that fit what was asked.
    pub(crate) answers: usize,
    pub(crate) listed: Vec<Listed>,
    pub(crate) wrong: Vec<String>,
}

/// A finding that is in the list.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    known: &'static str,
    times: usize,
}

/// One line of `findings.tsv`: requirement, words of the sessions' names, part of the detail, whose it is, why.
struct Known {
    line: &'static str,
    id: &'static str,
    sessions: &'static str,
    detail: &'static str,
}

/// Checks answers and runs the validator.
pub(crate) async fn judge(setting: Setting, traces: &[PathBuf]) -> Judged {
    let mut judged = Judged::default();
    for trace in traces {
        judged.traces += 1;
        let text = std::fs::read_to_string(trace).expect("a trace");
        let mut asked = Asked::default();
        for line in text.lines() {
            let event: Value = serde_json::from_str(line).expect("an event");
            if event["kind"] == "message" {
                asked.heard(event["direction"] == "client-to-server", &event["payload"]);
            }
        }
        judged.answers += asked.answers;
        judged.wrong.extend(asked.wrong);
        match report(trace).await {
            Ok(report) => weigh(setting, &report, &mut judged),
            Err(error) => judged.wrong.push(error),
        }
    }
    judged
}

/// Lines of the list that nothing matched any more.
pub(crate) fn stale<'a>(listed: impl Iterator<Item = &'a Listed>) -> Vec<String> {
    let met: Vec<&str> = listed.map(|listed| listed.known).collect();
    known()
        .filter(|known| !met.contains(&known.line))
        .map(|known| format!("findings.tsv, nothing matches any more: {}", known.line))
        .collect()
}

impl Display for Listed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut columns = self.known.split('\t');
        let (id, whose) = (columns.next(), columns.nth(2));
        write!(
            f,
            "{} {} ×{}",
            id.unwrap_or_default(),
            whose.unwrap_or_default(),
            self.times
        )
    }
}

/// The questions of one trace, and the answers to them.
#[derive(Default)]
struct Asked {
    /// 2026-07-28: the requests of the newest round, by key.
    round: Map<String, Value>,
    /// Before: requests of the server, by id.
    pushed: Vec<(Value, Value)>,
    answers: usize,
    wrong: Vec<String>,
}

impl Asked {
    fn heard(&mut self, from_client: bool, message: &Value) {
        if from_client {
            if let Some(answers) = message["params"]["inputResponses"].as_object() {
                let round = std::mem::take(&mut self.round);
                if !answers.keys().eq(round.keys()) {
                    self.wrong.push(format!("answers to other questions: {message}"));
                }
                for (key, answer) in answers {
                    self.weigh(&round[key], answer);
                }
            } else if message.get("method").is_none() {
                let position = self.pushed.iter().position(|(id, _)| *id == message["id"]);
                match position.map(|position| self.pushed.swap_remove(position)) {
                    Some((_, request)) if request["method"] == "elicitation/create" => {
                        self.weigh(&request, &message["result"]);
                    }
                    // An undeclared request is refused, and a ping is answered.
                    Some(_) => {}
                    None => self
                        .wrong
                        .push(format!("an answer without a question: {message}")),
                }
            }
        } else if message["result"]["resultType"] == "input_required" {
            let requests = message["result"]["inputRequests"].as_object();
            self.round = requests.cloned().unwrap_or_default();
        } else if message.get("method").is_some() && message.get("id").is_some() {
            self.pushed.push((message["id"].clone(), message.clone()));
        }
    }

    fn weigh(&mut self, request: &Value, answer: &Value) {
        match fits(&request["params"], answer) {
            Ok(()) => self.answers += 1,
            Err(why) => self.wrong.push(format!("{why}: {answer} to {request}")),
        }
    }
}

/// Whether an answer is one that the question allows.
fn fits(params: &Value, answer: &Value) -> Result<(), String> {
    let members = answer.as_object().ok_or("no object")?;
    if let Some(other) = members.keys().find(|key| *key != "action" && *key != "content") {
        return Err(format!("an unknown member {other}"));
    }
    let is_link = params["mode"] == "url";
    match (answer["action"].as_str(), answer.get("content")) {
        (Some("accept"), Some(content)) if !is_link => {
            let schema = jsonschema::options()
                .should_validate_formats(true)
                .build(&params["requestedSchema"])
                .map_err(|error| format!("the schema cannot be used: {error}"))?;
            schema.validate(content).map_err(|error| error.to_string())
        }
        (Some("accept"), None) if is_link => Ok(()),
        (Some("decline" | "cancel"), None) => Ok(()),
        (action, content) => Err(format!("{action:?} with {content:?}")),
    }
}

async fn report(trace: &Path) -> Result<Value, String> {
    let output = tokio::process::Command::new(tools().join("mcp-trace-validator"))
        .args(["validate", "--format", "json"])
        .arg(trace)
        .output()
        .await
        .map_err(|error| format!("the validator: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("{} cannot be judged: {said}", trace.display())
    })
}

fn weigh(setting: Setting, report: &Value, judged: &mut Judged) {
    let Some(rows) = report["requirements"].as_array() else {
        judged
            .wrong
            .push(format!("a report without requirements: {report}"));
        return;
    };
    for row in rows {
        let outcome = row["outcome"].as_str().unwrap_or_default();
        if outcome == "unsupported" {
            judged
                .wrong
                .push(format!("the validator cannot judge {}", row["id"]));
        }
        for finding in row["findings"].as_array().into_iter().flatten() {
            let id = row["id"].as_str().unwrap_or_default();
            let detail = finding["detail"].as_str().unwrap_or_default();
            match known().find(|known| known.is(setting, id, detail)) {
                Some(known) => match judged.listed.iter_mut().find(|listed| listed.known == known.line) {
                    Some(listed) => listed.times += 1,
                    None => judged.listed.push(Listed {
                        known: known.line,
                        times: 1,
                    }),
                },
                None => judged.wrong.push(format!(
                    "{outcome} {id} ({}) at {}: {detail}\n    “{}”",
                    row["level"], finding["seq"], row["source"]["quote"]
                )),
            }
        }
    }
}

fn known() -> impl Iterator<Item = Known> {
    let lines = include_str!("findings.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        Known {
            line,
            id: column(),
            sessions: column(),
            detail: column(),
        }
    })
}

impl Known {
    fn is(&self, setting: Setting, id: &str, detail: &str) -> bool {
        let name = setting.to_string();
        id == self.id
            && detail.contains(self.detail)
            && self
                .sessions
                .split(' ')
                .all(|word| word.is_empty() || name.contains(word))
    }
}
