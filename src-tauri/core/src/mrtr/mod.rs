//! The rounds of one call (2026-07-28, basic/patterns/mrtr).
//!
//! [`machine`] decides what is sent next and has no I/O and no clock; [`driver`] carries that out against a server
//! and a [`driver::Host`] that holds the questions until a person decides.
//!
//! Promises: a retry has the same method and the same original parameters, this round's answers only, and the
//! latest requestState or none. No answer is made up: without a decision nothing is sent.

pub mod driver;
pub mod kept;
pub mod machine;
