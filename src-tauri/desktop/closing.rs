//! Asking before the window closes while something is unfinished, and the end of the app.
//!
//! Promises: the window goes at once; what servers and the system are told at the end is told while the app still runs,
//! without a window. A server's program that takes its time keeps the app from ending, never the window in front of a
//! person.

use crate::arrivals::Attention;
use crate::window::MAIN;
use countersign_core::app::Countersign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, ExitRequestApi, Manager};

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

/// However long a server takes. One whose program has to be killed takes about six seconds.
const LONGEST: Duration = Duration::from_secs(12);

/// How far the app is with its end.
#[derive(Debug, Default)]
pub(crate) struct End {
    begun: AtomicBool,
    done: AtomicBool,
}

impl End {
    /// The app is to end. It does once the servers have been left; until then this holds it back.
    pub(crate) fn requested(handle: &AppHandle, api: &ExitRequestApi) {
        let end = handle.state::<Self>();
        if end.done.load(Ordering::Acquire) {
            return;
        }
        api.prevent_exit();
        if end.begun.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Some(window) = handle.get_webview_window(MAIN) {
            // A window that cannot be closed goes with the app.
            let _ = window.destroy();
        }
        let leaving = tauri::async_runtime::spawn(leave(handle.clone()));
        let handle = handle.clone();
        tauri::async_runtime::spawn(async move {
            // However it ended.
            let _ = leaving.await;
            handle.state::<Self>().done.store(true, Ordering::Release);
            handle.exit(0);
        });
    }

    /// The system ends the app without asking it first: there is no later for what has to be said.
    pub(crate) fn now(handle: &AppHandle) {
        if !handle.state::<Self>().begun.swap(true, Ordering::AcqRel) {
            tauri::async_runtime::block_on(leave(handle.clone()));
        }
    }
}

async fn leave(handle: AppHandle) {
    let (app, attention) = (handle.state::<Countersign>(), handle.state::<Attention>());
    let leaving = async { tokio::join!(app.shut_down(), attention.leave()) };
    // What is left then ends with the app.
    let _ = tokio::time::timeout(LONGEST, leaving).await;
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
