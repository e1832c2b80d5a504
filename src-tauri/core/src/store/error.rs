//! What can go wrong with the store, as a closed list with words for a person.

use super::seal::{NoRandom, Unopened};
use crate::text;
use rusqlite::ErrorCode;
use std::path::PathBuf;

/// Longest reason of the system that is repeated.
const REASON: usize = 200;

/// Nothing was written where one of these is returned, except as the variant says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("Countersign is already running with the folder {}. Close it first, or choose another folder.", .folder.display())]
    InUse { folder: PathBuf },
    #[error("The folder {} cannot be used: {reason}.", .folder.display())]
    Folder { folder: PathBuf, reason: String },
    #[error("The file in which questions are kept cannot be written: {reason}.")]
    ReadOnly { reason: String },
    #[error("The disk is full, so nothing more can be kept. What was kept before is still there.")]
    Full,
    #[error(
        "The file in which questions are kept was written by a newer Countersign (version {found} of the file; this \
         one knows {known}). Nothing in it was changed. Use the newer Countersign, or another folder."
    )]
    Newer { found: u32, known: u32 },
    /// It will be looked at whole when it is opened next, and then be set aside if it is beyond use.
    #[error("The file in which questions are kept is damaged: {reason}.")]
    Damaged { reason: String },
    #[error("The key does not belong to what is kept here. Nothing was changed.")]
    WrongKey,
    /// One record; the others are not touched by that.
    #[error("A kept record cannot be read: {0}.")]
    Unopened(#[from] Unopened),
    /// Somebody else changed the call first. `now` is its number since then; `None`: there is no such call.
    #[error("This was already changed elsewhere.")]
    Overtaken { now: Option<u64> },
    /// A draft or result for a call that is not kept.
    #[error("There is no such call.")]
    NoCall,
    #[error("The system gives no random numbers, so nothing can be sealed.")]
    NoRandom,
    #[error("The store failed: {reason}.")]
    Failed { reason: String },
}

impl StoreError {
    /// For programs and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InUse { .. } => "in_use",
            Self::Folder { .. } => "folder",
            Self::ReadOnly { .. } => "read_only",
            Self::Full => "full",
            Self::Newer { .. } => "newer",
            Self::Damaged { .. } => "damaged",
            Self::WrongKey => "wrong_key",
            Self::Unopened(_) => "unopened",
            Self::Overtaken { .. } => "overtaken",
            Self::NoCall => "no_call",
            Self::NoRandom => "no_random",
            Self::Failed { .. } => "failed",
        }
    }

    pub(super) fn folder(folder: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Folder {
            folder: folder.to_owned(),
            reason: reason(error),
        }
    }

    pub(super) fn damaged(why: impl std::fmt::Display) -> Self {
        Self::Damaged { reason: reason(why) }
    }
}

impl From<NoRandom> for StoreError {
    fn from(_: NoRandom) -> Self {
        Self::NoRandom
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let reason = reason(&error);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Self::ReadOnly { reason }
            }
            // Our words to SQLite are always the same: if it does not know them, the tables are not ours.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown) => {
                Self::Damaged { reason }
            }
            Some(_) => Self::Failed { reason },
            // A column that is not what the schema says, or a row that must be there and is not.
            None => Self::Damaged { reason },
        }
    }
}

fn reason(why: impl std::fmt::Display) -> String {
    let reason = text::line(&why.to_string(), REASON);
    reason.trim_end_matches('.').to_owned()
}
