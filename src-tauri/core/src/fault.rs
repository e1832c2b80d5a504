//! Named points at which a test may end the process, so that what a crash leaves behind is seen and not guessed.
//!
//! Promises: in a release build [`at`] is empty and no name is in the program. With debug assertions the variable
//! `COUNTERSIGN_CRASH_AT=name:count` ends the process by abort, without unwinding and without running any destructor,
//! when the named point is passed for the count-th time (from 1). Anything else in the variable does nothing.
//!
//! Deliberately absent: errors, delays, or any fault but the end.

/// The variable that names the point.
pub const VARIABLE: &str = "COUNTERSIGN_CRASH_AT";

macro_rules! points {
    ($($(#[$doc:meta])* $point:ident = $name:literal,)*) => {
        /// A point that a crash test can name. Points lie before a write, between its statements and its commit, and
        /// after it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Point {
            $($(#[$doc])* $point,)*
        }

        impl Point {
            /// Every point, in the order of this list.
            pub const ALL: &'static [Point] = &[$(Point::$point,)*];

            /// As the variable names it.
            #[cfg(debug_assertions)]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$point => $name,)*
                }
            }
        }
    };
}

points! {
    /// The file exists and is empty.
    StoreMade = "store-made",
    /// The tables are made or moved forward, and not committed.
    StoreSchemaWritten = "store-schema-written",
    StoreSchemaCommitted = "store-schema-committed",
    /// Marked as in use.
    StoreOpened = "store-opened",
    /// The key is known, and what checks it is not written.
    StoreKeyKnown = "store-key-known",
    StoreKeyChecked = "store-key-checked",
    /// A damaged file: its own name is free, what belongs to it is not moved yet.
    StoreAsideHalf = "store-aside-half",
    StoreAsideDone = "store-aside-done",
    SaveBegun = "save-begun",
    /// The record is written, nothing else of the transaction.
    SaveRecordWritten = "save-record-written",
    SaveHistoryWritten = "save-history-written",
    SaveCommitted = "save-committed",
    DraftBegun = "draft-begun",
    DraftWritten = "draft-written",
    DraftCommitted = "draft-committed",
    RemoveBegun = "remove-begun",
    RemoveWritten = "remove-written",
    RemoveCommitted = "remove-committed",
    ResultsForgotten = "results-forgotten",
    ResultsForgottenCommitted = "results-forgotten-committed",
    ValueWritten = "value-written",
    ValueCommitted = "value-committed",
    VisitWritten = "visit-written",
    VisitCommitted = "visit-committed",
    RetainBegun = "retain-begun",
    /// The oldest entries are gone, their marker is not written.
    RetainRemoved = "retain-removed",
    RetainCommitted = "retain-committed",
    /// The head is about to go to the key store.
    AnchorBegun = "anchor-begun",
    AnchorDone = "anchor-done",
    /// What is sent is kept, and no byte of it has left.
    SendBegun = "send-begun",
    /// The answer of the server is here, and nothing of it is kept.
    ReceiveBegun = "receive-begun",
    /// A question is kept and about to be shown.
    AskKept = "ask-kept",
    /// The end of a call is kept and about to be shown.
    EndKept = "end-kept",
    /// The consent is kept, and the browser was not asked.
    OpenBegun = "open-begun",
    /// The browser was asked, and that is not kept.
    OpenDone = "open-done",
    /// That the browser was asked is kept, and the server was not told.
    OpenKept = "open-kept",
    /// Kept calls are read, and nothing of what the crash did to them is written.
    RestoreRead = "restore-read",
    RestoreKept = "restore-kept",
    /// Marked as closed, not yet folded into one file.
    StoreCloseMarked = "store-close-marked",
    StoreClosed = "store-closed",
}

/// Ends the process here if a test asked for it.
#[cfg(debug_assertions)]
pub fn at(point: Point) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static WANTED: OnceLock<Option<(&'static str, u32)>> = OnceLock::new();
    static PASSED: AtomicU32 = AtomicU32::new(0);

    let wanted = WANTED.get_or_init(|| read(&std::env::var(VARIABLE).ok()?));
    if let Some((name, count)) = wanted
        && *name == point.name()
        && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *count
    {
        std::process::abort();
    }
}

/// Ends the process here if a test asked for it; never in a release build.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn at(_point: Point) {}

#[cfg(debug_assertions)]
fn read(value: &str) -> Option<(&'static str, u32)> {
    let (name, count) = value.rsplit_once(':')?;
    let point = Point::ALL.iter().find(|point| point.name() == name)?;
    Some((point.name(), count.parse().ok()?))
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_a_name_of_its_own() {
        for (index, point) in Point::ALL.iter().enumerate() {
            assert_eq!(read(&format!("{}:2", point.name())), Some((point.name(), 2)));
            assert!(
                Point::ALL[..index]
                    .iter()
                    .all(|other| other.name() != point.name())
            );
        }
    }

    #[test]
    fn what_names_no_point_does_nothing() {
        for value in ["", "save-begun", "save-begun:", "save-begun:x", "elsewhere:1"] {
            assert_eq!(read(value), None, "{value}");
        }
    }
}
