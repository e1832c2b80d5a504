//! Three rounds, form then link then form, with a new state each. The last question repeats what the first
//! answer was, so a client that mixes up its rounds is found out. An accepted link goes on at once: the outcome
//! of the page is not asked for here (`connect_account` does that).

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::{Answer, Outcome, Step, foreign_state, form, link};
use crate::server::Practice;
use countersign_core::wire::json::Json;

const NAME: &str = "name";
const PAGE: &str = "page";
const CONFIRM: &str = "confirm";

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let practice = call.practice;
    let (step, answers) = call.retry.stateful()?;
    match step {
        None => ask_name(practice),
        Some(Step::SetupName) => match answers.form(NAME, &name_form())? {
            None => ask_name(practice),
            Some(Answer::Accept(content)) => {
                let name = content.get("name").and_then(Json::as_str).unwrap_or_default();
                ask_page(practice, name.to_owned(), practice.issue_ticket()?)
            }
            Some(refused @ (Answer::Decline | Answer::Cancel)) => Ok(ended(1, &refused)),
        },
        Some(Step::SetupPage { name, ticket }) => match answers.link(PAGE)? {
            None => ask_page(practice, name, ticket),
            Some(Answer::Accept(_)) => ask_confirm(practice, name),
            Some(refused @ (Answer::Decline | Answer::Cancel)) => Ok(ended(2, &refused)),
        },
        Some(Step::SetupConfirm { name }) => match answers.form(CONFIRM, &confirm_form())? {
            None => ask_confirm(practice, name),
            Some(Answer::Accept(content)) => Ok(Outcome::structured(
                format!("The practice setup of “{name}” is complete after three rounds."),
                json!({"name": name, "last_answer": (Json::Object(content))}),
            )),
            Some(refused @ (Answer::Decline | Answer::Cancel)) => Ok(ended(3, &refused)),
        },
        Some(Step::Account { .. } | Step::Busy { .. }) => Err(foreign_state()),
    }
}

fn ask_name(practice: &Practice) -> Result<Outcome, Fault> {
    let message = "Step 1 of 3: what shall the practice project be called? \
                   This is a rehearsal; nothing real happens.";
    Ok(Outcome::Ask {
        asks: vec![(NAME, form(message, name_form()))],
        state: Some(practice.keep(Step::SetupName)?),
    })
}

fn ask_page(practice: &Practice, name: String, ticket: String) -> Result<Outcome, Fault> {
    let message = "Step 2 of 3: open the practice page in your browser. You may go on at once.";
    Ok(Outcome::Ask {
        asks: vec![(PAGE, link(message, &practice.place.page(&ticket)?))],
        state: Some(practice.keep(Step::SetupPage { name, ticket })?),
    })
}

fn ask_confirm(practice: &Practice, name: String) -> Result<Outcome, Fault> {
    let message = format!("Step 3 of 3: finish the setup of “{name}”?");
    Ok(Outcome::Ask {
        asks: vec![(CONFIRM, form(&message, confirm_form()))],
        state: Some(practice.keep(Step::SetupConfirm { name })?),
    })
}

fn ended(step: u8, refused: &Answer) -> Outcome {
    Outcome::text(format!(
        "The practice setup ended at step {step} of 3, which you {}. Nothing was set up.",
        refused.in_words()
    ))
}

fn name_form() -> Json {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Project name", "minLength": 1, "maxLength": 40},
        },
        "required": ["name"],
    })
}

fn confirm_form() -> Json {
    json!({
        "type": "object",
        "properties": {
            "visibility": {
                "type": "string",
                "title": "Who may see it",
                "oneOf": [
                    {"const": "me", "title": "Only me"},
                    {"const": "team", "title": "My team"},
                ],
            },
            "remember": {"type": "boolean", "title": "Remember these settings", "default": false},
        },
        "required": ["visibility"],
    })
}
