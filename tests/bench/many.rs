//! What an inbox with 5,000 questions costs, as ratios to one with 10 within one run: the snapshot that the window
//! reads after a change (made and written as JSON), what is typed into one question, opening a card, and an answer.
//!
//! The questions come from a line without a network and wait in a store in memory. Figures are medians over batches
//! that take turns.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark, which measures time"
)]

use countersign_core::clock::HeldClock;
use countersign_core::form::{FieldInput, Input};
use countersign_core::inbox::guard::Guard;
use countersign_core::inbox::{Inbox, NewCall, ServerFacts};
use countersign_core::link::Asker;
use countersign_core::link::open::{Browser, OpenError};
use countersign_core::mrtr::driver::{Event, Line, Transmitted};
use countersign_core::mrtr::machine::Word;
use countersign_core::view::{Act, Answered, AskId, Initiator, OfferKind, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::request::{Method, Request};
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

fn main() {}
