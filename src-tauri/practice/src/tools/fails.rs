//! A result that says the call failed. That is a result, not a protocol error.

use super::Call;
use crate::message::Fault;
use crate::rounds::Outcome;

pub(super) fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    call.retry.stateless()?;
    Ok(Outcome::failed(
        "The practice printer is out of paper. (It is not; this call always fails, so that you see how that looks.)",
    ))
}
