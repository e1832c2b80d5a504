//! Asking before the window closes while something is unfinished.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the person is being asked about closing. A second try to close while that is so goes through, so that
/// a page that does not answer cannot keep the app open.
#[derive(Debug, Default)]
pub struct Closing(AtomicBool);

impl Closing {
    /// True the first time.
    pub(crate) fn ask(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// The person wants to go on.
    pub(crate) fn keep_open(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Closing;

    #[test]
    fn closing_is_asked_about_once_until_the_person_stays() {
        let closing = Closing::default();
        assert!(closing.ask());
        assert!(!closing.ask(), "a second try goes through");
        closing.keep_open();
        assert!(closing.ask());
    }
}
