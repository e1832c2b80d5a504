//! Two rounds that ask nothing: a state alone, which means "come back" (multi round-trip requests, load
//! shedding).

use super::Call;
use crate::message::Fault;
use crate::rounds::{Outcome, Step, foreign_state};

const TIMES: u8 = 2;

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    let (step, _) = call.retry.stateful()?;
    let told = match step {
        None => 0,
        Some(Step::Busy { told }) => told,
        Some(Step::Account { .. } | Step::SetupName | Step::SetupPage { .. } | Step::SetupConfirm { .. }) => {
            return Err(foreign_state());
        }
    };
    if told < TIMES {
        return Ok(Outcome::Ask {
            asks: Vec::new(),
            state: Some(call.practice.keep(Step::Busy { told: told + 1 })?),
        });
    }
    Ok(Outcome::text(
        "Ready now. The server told the app twice to come back; you were not asked anything.",
    ))
}
