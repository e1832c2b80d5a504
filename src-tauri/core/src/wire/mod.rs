//! MCP messages: read leniently, written strictly. Pure.
//!
//! [`json`] is the value type, [`rpc`] the JSON-RPC envelope, [`request`] what we send, [`outcome`] what a call can
//! come back as, [`lists`] what a server offers, [`header`] the values of the HTTP headers, [`mirror`]
//! the arguments that HTTP repeats in headers, [`structured`] whether a structured result fits its schema,
//! [`completion`] suggestions, [`subscription`] what a server says has changed.
//! [`legacy`] is what only the revisions before 2026-07-28 have.
//!
//! Deliberately absent: sampling, roots, tasks. They are not declared, so a server that uses them breaks the protocol
//! and its call ends with a diagnosis.

pub mod completion;
mod decimal;
pub mod header;
pub mod json;
pub mod legacy;
pub mod lists;
pub mod mirror;
pub mod outcome;
pub mod request;
pub mod rpc;
pub mod structured;
pub mod subscription;

/// The newest revision, and the only one of the modern era.
pub const REVISION: &str = "2026-07-28";

/// A revision of the protocol that is spoken here, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// HTTP+SSE; nobody is asked anything.
    V2024_11_05,
    /// Streamable HTTP; batches; nobody is asked anything.
    V2025_03_26,
    /// Servers push forms.
    V2025_06_18,
    /// Servers push forms and links.
    V2025_11_25,
    /// Rounds: a result asks, the call is retried.
    V2026_07_28,
}

impl Revision {
    /// Newest first.
    pub const ALL: [Self; 5] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];
    /// The newest that begins with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    pub fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => REVISION,
        }
    }

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.name() == name)
    }

    /// Without `initialize`, sessions and requests of the server.
    pub fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }
}
