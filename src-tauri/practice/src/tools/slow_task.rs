//! No question, five steps with progress. Cancelled by dropping its future.

use super::Call;
use crate::json::json;
use crate::message::Fault;
use crate::rounds::Outcome;
use tokio::time::{MissedTickBehavior, interval};

const STEPS: i64 = 5;

pub(super) async fn run(call: Call<'_>) -> Result<Outcome, Fault> {
    call.retry.stateless()?;
    let mut tick = interval(call.practice.pace);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick.tick().await;
    for step in 1..=STEPS {
        tick.tick().await;
        if let Some(token) = &call.progress_token {
            let note = json!({
                "jsonrpc": "2.0",
                "method": "notifications/progress",
                "params": {
                    "progressToken": (token.clone()),
                    "progress": step,
                    "total": STEPS,
                    "message": (format!("Practising step {step} of {STEPS}")),
                },
            });
            if call.notes.send(note).is_err() {
                return Err(Fault::Internal("nobody listens any more"));
            }
        }
    }
    Ok(Outcome::text(
        "Done after five steps. Nothing was changed by any of them.",
    ))
}
