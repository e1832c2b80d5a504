//! MCP messages: read leniently, written strictly. Pure.
//!
//! [`json`] is the value type, [`rpc`] the JSON-RPC envelope, [`request`] what we send, [`outcome`] what a call can
//! come back as, [`lists`] what a server offers, [`header`] the values of the HTTP headers, [`mirror`]
//! the arguments that HTTP repeats in headers, [`structured`] whether a structured result fits its schema,
//! [`completion`] suggestions, [`subscription`] what a server says has changed.
//!
//! Deliberately absent: the revisions before 2026-07-28, sampling, roots, tasks. They are not declared, so a server
//! that uses them breaks the protocol and its call ends with a diagnosis.

pub mod completion;
mod decimal;
pub mod header;
pub mod json;
pub mod lists;
pub mod mirror;
pub mod outcome;
pub mod request;
pub mod rpc;
pub mod structured;
pub mod subscription;

/// The protocol revision that is spoken.
pub const REVISION: &str = "2026-07-28";
