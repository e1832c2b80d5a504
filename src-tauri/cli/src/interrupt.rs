//! Ctrl+C.
//!
//! Promises: from [`Interrupt::listen`] on no press is missed, however little anybody waits for one when it comes; and the
//! system no longer ends the program by it. Where the system cannot be listened to, it still does.

use tokio_util::sync::CancellationToken;

pub(crate) struct Interrupt(CancellationToken);

impl Interrupt {
    pub(crate) fn listen() -> Self {
        let pressed = CancellationToken::new();
        if let Ok(mut presses) = presses() {
            let pressed = pressed.clone();
            tokio::spawn(async move {
                if presses.recv().await.is_some() {
                    pressed.cancel();
                }
            });
        }
        Self(pressed)
    }

    /// Waits for a press; one that came before counts.
    pub(crate) async fn pressed(&self) {
        self.0.cancelled().await;
    }

    pub(crate) fn was_pressed(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Every press from now on; Tokio's `ctrl_c` begins to listen only when it is waited for.
#[cfg(unix)]
fn presses() -> std::io::Result<tokio::signal::unix::Signal> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::interrupt())
}

#[cfg(windows)]
fn presses() -> std::io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

#[cfg(all(test, unix))]
mod tests {
    use super::Interrupt;
    use rustix::process::{Signal, getpid, kill_process};

    #[tokio::test]
    async fn a_press_that_nobody_waits_for_yet_is_not_missed() {
        let interrupt = Interrupt::listen();
        assert!(!interrupt.was_pressed());
        kill_process(getpid(), Signal::INT).expect("sent");
        interrupt.pressed().await;
        assert!(interrupt.was_pressed());
        interrupt.pressed().await;
    }
}
