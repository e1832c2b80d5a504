//! A link that counts only when its page was visited. Until then each retry gets the same ask again: same key,
//! byte-identical address, other words.

use super::Call;
use crate::message::Fault;
use crate::rounds::{Answer, Outcome, Step, foreign_state, link};
use crate::server::Practice;

const KEY: &str = "account";

const FIRST: &str = "Open the practice page in your browser to connect the practice account. \
                     This is a rehearsal; nothing real happens.";
const AGAIN: &str = "The server is still waiting: the practice page was not opened in your browser yet.";

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let practice = call.practice;
    let (step, answers) = call.retry.stateful()?;
    match step {
        None => ask(practice, FIRST, practice.issue_ticket()?),
        Some(Step::Account { ticket }) => match answers.link(KEY)? {
            Some(Answer::Accept(_)) if practice.was_visited(&ticket) => Ok(Outcome::text(
                "The practice account is connected: the server saw that you opened its page.",
            )),
            Some(Answer::Accept(_)) | None => ask(practice, AGAIN, ticket),
            Some(Answer::Decline) => Ok(Outcome::text(
                "You declined, so no account is connected. The server does not ask again.",
            )),
            Some(Answer::Cancel) => Ok(Outcome::text(
                "You gave this up without a choice, so no account is connected for now.",
            )),
        },
        Some(Step::SetupName | Step::SetupPage { .. } | Step::SetupConfirm { .. } | Step::Busy { .. }) => {
            Err(foreign_state())
        }
    }
}

fn ask(practice: &Practice, message: &str, ticket: String) -> Result<Outcome, Fault> {
    Ok(Outcome::Ask {
        asks: vec![(KEY, link(message, &practice.place.page(&ticket)?))],
        state: Some(practice.keep(Step::Account { ticket })?),
    })
}
