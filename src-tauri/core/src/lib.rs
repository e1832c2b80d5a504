//! Everything in Countersign that can be true without a window.
//!
//! A person answers what MCP servers ask (multi round-trip requests, revision 2026-07-28). The modules, from the
//! wire up: [`wire`] reads and writes messages, [`transport`] carries them, [`session`] is one configured server,
//! [`mrtr`] runs the rounds of one call, [`form`] and [`link`] are the two kinds of question, [`inbox`] holds what
//! waits for a person, [`view`] is what a window sees of all that.
//!
//! Deliberately absent: Tauri, any window, any embedded browser. `wire`, `mrtr::machine`, `form` and `link` (but
//! for opening) do no I/O and have no clock.

pub mod app;
#[cfg(test)]
mod bindings;
pub mod clock;
pub mod fault;
pub mod form;
pub mod inbox;
pub mod keeping;
pub mod link;
pub mod mrtr;
pub mod past;
pub mod session;
pub mod settings;
pub mod store;
pub mod text;
pub mod transport;
pub mod view;
pub mod wire;
