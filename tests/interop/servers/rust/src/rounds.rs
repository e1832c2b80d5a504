//! What the tools, the prompt and the resource ask, round after round, without a word of a protocol.

use crate::pages::Pages;
use serde_json::{Map, Value, json};

/// What a client brought in this round.
#[derive(Debug, Default)]
pub struct Brought {
    /// The bare answers, as they came.
    pub answers: Map<String, Value>,
    /// The requestState, exactly as it came.
    pub state: Option<String>,
}

/// What happens next.
#[derive(Debug)]
pub enum Step {
    Ask {
        questions: Vec<(&'static str, Question)>,
        state: Option<String>,
    },
    Done(Value),
    /// There is nothing of this name.
    Unknown,
}

#[derive(Debug)]
pub enum Question {
    Form {
        message: String,
        form: &'static str,
    },
    Link {
        message: &'static str,
        ticket: String,
    },
    /// Two requests that the client did not say it can answer.
    Sampling,
    Roots,
}

/// The tools of both eras: name, description, properties that are text and required.
pub const TOOLS: [(&str, &str, &[&str]); 8] = [
    ("ask_form", "Asks one form and tells what came back.", &["topic"]),
    ("ask_every_field", "Asks one form with every kind of field.", &[]),
    (
        "ask_link",
        "Asks to open a page and asks again until the page was opened.",
        &[],
    ),
    (
        "two_forms_and_link",
        "Asks two forms and a link at once, without requestState.",
        &[],
    ),
    ("form_link_form", "Asks a form, then a link, then a form.", &[]),
    (
        "odd_state",
        "Asks one form with an unusual requestState.",
        &["which"],
    ),
    (
        "state_only",
        "Sends the client round once without asking anything.",
        &[],
    ),
    (
        "ask_undeclared",
        "Asks for sampling or roots, whether the client can or not.",
        &["what"],
    ),
];

pub fn tool(name: &str, arguments: &Map<String, Value>, brought: &Brought, pages: &Pages) -> Step {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match name {
        "ask_form" => ask_form(argument("topic"), arguments, brought),
        "ask_every_field" => match brought.answers.get("fields") {
            None => ask("fields", form("Every kind of field", "every_field"), json!({})),
            Some(answer) => Step::Done(answer.clone()),
        },
        "ask_link" => ask_link(brought, pages),
        "two_forms_and_link" => two_forms_and_link(brought, pages),
        "form_link_form" => form_link_form(brought, pages),
        "odd_state" => odd_state(argument("which"), brought),
        "state_only" => match brought.state {
            None => Step::Ask {
                questions: vec![],
                state: minted(json!({"round": 1})),
            },
            Some(_) => Step::Done(json!("done")),
        },
        "ask_undeclared" => {
            let question = if argument("what") == "roots" {
                Question::Roots
            } else {
                Question::Sampling
            };
            match brought.answers.get("other") {
                None => ask("other", question, json!({})),
                Some(answer) => Step::Done(answer.clone()),
            }
        }
        _ => Step::Unknown,
    }
}

pub fn prompt(name: &str, brought: &Brought) -> Step {
    match (name, brought.answers.get("colour")) {
        ("ask_prompt", None) => ask("colour", form("Which colour?", "colour"), json!({"prompt": name})),
        ("ask_prompt", Some(answer)) => Step::Done(answer.clone()),
        _ => Step::Unknown,
    }
}

pub fn resource(uri: &str, brought: &Brought) -> Step {
    match (uri, brought.answers.get("confirm")) {
        ("ask://confirm", None) => ask(
            "confirm",
            form("Read confirm?", "confirm"),
            json!({"resource": uri}),
        ),
        ("ask://confirm", Some(answer)) => Step::Done(answer.clone()),
        _ => Step::Unknown,
    }
}

fn ask_form(topic: &str, arguments: &Map<String, Value>, brought: &Brought) -> Step {
    let Some(answer) = brought.answers.get("details") else {
        let question = form(&format!("Details about {topic}"), "details");
        return ask("details", question, json!({"topic": topic}));
    };
    let mut told = answer.clone();
    told["params"] = Value::Object(arguments.clone());
    told["state"] = remembered(brought).unwrap_or_default();
    Step::Done(told)
}

fn ask_link(brought: &Brought, pages: &Pages) -> Step {
    let known = remembered(brought).unwrap_or_else(|| json!({"ticket": pages.new_ticket(), "answers": 0}));
    let ticket = known["ticket"].as_str().unwrap_or_default().to_owned();
    let mut answers = known["answers"].as_u64().unwrap_or_default();
    if let Some(answer) = brought.answers.get("page") {
        answers += 1;
        if pages.was_visited(&ticket) {
            return Step::Done(json!({"visited": true, "answers": answers}));
        }
        if answer["action"] != "accept" {
            return Step::Done(json!({"visited": false, "answers": answers, "action": answer["action"]}));
        }
    }
    let question = Question::Link {
        message: "Open the page",
        ticket: ticket.clone(),
    };
    ask("page", question, json!({"ticket": ticket, "answers": answers}))
}

fn two_forms_and_link(brought: &Brought, pages: &Pages) -> Step {
    let questions = vec![
        ("form_a", form("Which colour?", "colour")),
        ("form_b", form("How much?", "amount")),
        (
            "link",
            Question::Link {
                message: "Read the terms",
                ticket: pages.new_ticket(),
            },
        ),
    ];
    if questions
        .iter()
        .all(|(key, _)| brought.answers.contains_key(*key))
    {
        return Step::Done(Value::Object(brought.answers.clone()));
    }
    Step::Ask {
        questions,
        state: None,
    }
}

fn form_link_form(brought: &Brought, pages: &Pages) -> Step {
    let known = remembered(brought).unwrap_or_else(|| json!({"ticket": pages.new_ticket(), "seen": []}));
    let ticket = known["ticket"].as_str().unwrap_or_default().to_owned();
    let mut seen = known["seen"].as_array().cloned().unwrap_or_default();
    if !brought.answers.is_empty() {
        seen.push(Value::Object(brought.answers.clone()));
    }
    let (key, question) = match seen.len() {
        0 => ("first", form("Which colour?", "colour")),
        1 => (
            "second",
            Question::Link {
                message: "Read the terms",
                ticket: ticket.clone(),
            },
        ),
        2 => ("third", form("How much?", "amount")),
        _ => return Step::Done(Value::Array(seen)),
    };
    ask(key, question, json!({"ticket": ticket, "seen": seen}))
}

fn odd_state(which: &str, brought: &Brought) -> Step {
    let sent = match which {
        "empty" => Some(String::new()),
        "large" => Some("0123456789".repeat(20_000)),
        "odd" => Some(" a\u{e9}\u{2028}=+/ ".to_owned()),
        _ => None,
    };
    if brought.answers.is_empty() {
        return Step::Ask {
            questions: vec![("confirm", form("Go on?", "confirm"))],
            state: sent,
        };
    }
    Step::Done(json!({"same": brought.state == sent, "present": brought.state.is_some()}))
}

fn ask(key: &'static str, question: Question, remembered: Value) -> Step {
    Step::Ask {
        questions: vec![(key, question)],
        state: minted(remembered),
    }
}

fn form(message: &str, form: &'static str) -> Question {
    Question::Form {
        message: message.to_owned(),
        form,
    }
}

fn minted(remembered: Value) -> Option<String> {
    Some(remembered.to_string())
}

fn remembered(brought: &Brought) -> Option<Value> {
    serde_json::from_str(brought.state.as_deref()?).ok()
}
