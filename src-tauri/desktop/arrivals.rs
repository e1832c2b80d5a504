//! What arrives while the person is elsewhere: one notification of the system, and the window's mark in the task bar.
//!
//! Promises: it tells the names that the person gave to servers and how many questions they ask, no word of a server and
//! nothing of a question; nothing can be answered from it, a click shows the window; what arrives together is told
//! together, renewed after [`REST`] at the earliest; it goes when the person is there, nothing of it waits any more or the
//! app ends. It makes no sound. The window is never brought to the front by itself.
//!
//! Deliberately absent: a word where the system shows no notifications. The row and the number are there all the same.

use crate::window::{MAIN, show};
use countersign_core::app::Countersign;
use countersign_core::view::{AskId, AskKind, AskPhase, AskRow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::{AppHandle, Manager, UserAttentionType};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// After a notification was shown or renewed.
const REST: Duration = Duration::from_secs(2);
/// After a look that changed nothing.
const PAUSE: Duration = Duration::from_millis(300);

/// How long the system may take to take a notification back when the app ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Whether the person was there since the last look, however briefly.
#[derive(Default)]
pub(crate) struct Attention {
    was_here: AtomicBool,
    came: Notify,
    leaving: CancellationToken,
    left: CancellationToken,
}

impl Attention {
    /// The window got the keyboard, or the person asked for it.
    pub(crate) fn is_here(&self) {
        self.was_here.store(true, Ordering::Relaxed);
        self.came.notify_one();
    }

    /// The app ends: nothing more is told, and what was is taken back.
    pub(crate) async fn leave(&self) {
        self.leaving.cancel();
        // A system that does not answer keeps it.
        let _ = tokio::time::timeout(FAREWELL, self.left.cancelled()).await;
    }
}

/// Watches what waits, as long as the app runs.
pub(crate) async fn watch(handle: AppHandle, app: Countersign) {
    let mut changes = app.inbox().changes();
    let mut arrivals = Arrivals::default();
    let mut sign = Sign::default();
    let attention = handle.state::<Attention>();
    let _left = attention.left.clone().drop_guard();
    loop {
        let words = arrivals.look(&app.inbox().asks(), is_here(&handle));
        let rest = if sign.says(words, &handle).await {
            REST
        } else {
            PAUSE
        };
        let more = async {
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                // Noted at once: whoever comes has seen what is there, not what arrives after they left again.
                () = attention.came.notified() => return true,
            }
            tokio::select! {
                more = changes.changed() => more.is_ok(),
                () = attention.came.notified() => true,
            }
        };
        tokio::select! {
            true = more => {}
            () = attention.leaving.cancelled() => break,
        }
    }
    sign.says(None, &handle).await;
}

fn is_here(handle: &AppHandle) -> bool {
    let was_here = handle
        .state::<Attention>()
        .was_here
        .swap(false, Ordering::Relaxed);
    let window = handle.get_webview_window(MAIN);
    was_here || window.is_some_and(|window| window.is_focused().unwrap_or_default())
}

/// What arrived since the person was last there.
#[derive(Default)]
struct Arrivals {
    known: BTreeSet<AskId>,
    unseen: BTreeMap<AskId, Told>,
}

/// What may be told of a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    server: String,
    is_link: bool,
}

impl Arrivals {
    /// What is to be said now, if anything.
    fn look(&mut self, asks: &[AskRow], is_here: bool) -> Option<String> {
        let waiting = || {
            asks.iter()
                .filter(|row| row.phase == AskPhase::Waiting && !row.held)
        };
        if is_here {
            self.unseen.clear();
        } else {
            let now: BTreeSet<AskId> = waiting().map(|row| row.id).collect();
            self.unseen.retain(|id, _| now.contains(id));
            let new = waiting().filter(|row| !self.known.contains(&row.id));
            self.unseen.extend(new.map(|row| (row.id, Told::of(row))));
        }
        // What was there once is not new when it waits again.
        self.known = asks.iter().map(|row| row.id).collect();
        words(&self.unseen.values().collect::<Vec<_>>())
    }
}

impl Told {
    fn of(row: &AskRow) -> Self {
        Self {
            server: if row.practice {
                format!("{} (practice)", row.server_name)
            } else {
                row.server_name.clone()
            },
            is_link: row.kind == AskKind::Link,
        }
    }
}

fn words(unseen: &[&Told]) -> Option<String> {
    let servers: BTreeSet<&str> = unseen.iter().map(|told| told.server.as_str()).collect();
    let servers: Vec<&str> = servers.into_iter().collect();
    Some(match (servers.as_slice(), unseen) {
        ([], _) | (_, []) => return None,
        ([server], [told]) if told.is_link => format!("{server} asks to open a page"),
        ([server], [_]) => format!("{server} asks a question"),
        ([server], many) => format!("{server} asks {} questions", many.len()),
        ([one, two], many) => format!("{one} and {two} ask {} questions", many.len()),
        (many_servers, many) => format!("{} servers ask {} questions", many_servers.len(), many.len()),
    })
}

/// What stands in the system's list of notifications.
#[derive(Default)]
struct Sign {
    words: Option<String>,
    shown: Option<Shown>,
}

impl Sign {
    /// Says this instead of what was said; whether that was something else.
    async fn says(&mut self, words: Option<String>, handle: &AppHandle) -> bool {
        if self.words == words {
            return false;
        }
        match &words {
            Some(words) => {
                if let Some(window) = handle.get_webview_window(MAIN) {
                    // A window without a place in a task bar has none to mark.
                    let _ = window.request_user_attention(Some(UserAttentionType::Informational));
                }
                self.shown = Shown::new(words, self.shown.take(), handle).await;
            }
            None => {
                if let Some(shown) = self.shown.take() {
                    shown.close().await;
                }
            }
        }
        self.words = words;
        true
    }
}

fn notification(words: &str) -> notify_rust::Notification {
    let mut notification = notify_rust::Notification::new();
    notification
        .appname("Countersign")
        .summary(words)
        .body("Nothing is sent until you answer.");
    notification
}

#[cfg(all(unix, not(target_os = "macos")))]
use desktop::Shown;
#[cfg(not(all(unix, not(target_os = "macos"))))]
use elsewhere::Shown;

/// Desktops of freedesktop.org, over the session's message bus.
#[cfg(all(unix, not(target_os = "macos")))]
mod desktop {
    use super::{AppHandle, Attention, Manager, notification, show};
    use notify_rust::{Hint, NotificationHandle, NotificationResponse};
    use std::sync::Arc;
    use tokio::task::JoinHandle;

    pub(super) struct Shown {
        handle: Arc<NotificationHandle>,
        clicks: JoinHandle<()>,
    }

    impl Shown {
        /// In the place of an earlier one. `None` where nobody shows notifications.
        pub(super) async fn new(words: &str, earlier: Option<Self>, app: &AppHandle) -> Option<Self> {
            let mut notification = notification(words);
            notification
                .action("default", "Show")
                .hint(Hint::SuppressSound(true))
                .hint(Hint::Category("im.received".to_owned()))
                .hint(Hint::DesktopEntry("Countersign".to_owned()));
            if let Some(earlier) = &earlier {
                notification.id(earlier.handle.id());
                earlier.clicks.abort();
            }
            let handle = Arc::new(notification.show_async().await.ok()?);
            let (shown, app) = (Arc::clone(&handle), app.clone());
            let clicks = tokio::spawn(async move {
                let pressed = |response: &NotificationResponse| {
                    if matches!(response, NotificationResponse::Default) {
                        app.state::<Attention>().is_here();
                        show(&app);
                    }
                };
                shown.wait_for_action_async(pressed).await;
            });
            Some(Self { handle, clicks })
        }

        pub(super) async fn close(self) {
            self.clicks.abort();
            self.handle.close_async().await;
        }
    }
}

/// Systems on which a notification is shown once and cannot be renewed or taken back.
#[cfg(not(all(unix, not(target_os = "macos"))))]
mod elsewhere {
    use super::{AppHandle, notification};

    pub(super) struct Shown;

    impl Shown {
        #[expect(clippy::unused_async, reason = "as on the other systems")]
        pub(super) async fn new(words: &str, earlier: Option<Self>, _: &AppHandle) -> Option<Self> {
            if earlier.is_none() {
                let notification = notification(words);
                // The system may take its time; nobody waits for it.
                std::thread::spawn(move || notification.show().map(|_| ()));
            }
            Some(Self)
        }

        #[expect(clippy::unused_async, reason = "as on the other systems")]
        pub(super) async fn close(self) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::view::{CallId, ServerId};

    fn row(id: u32, server: &str, kind: AskKind) -> AskRow {
        AskRow {
            id: AskId(id),
            call: CallId(id),
            server: ServerId(1),
            server_name: server.to_owned(),
            practice: server == "Harbour office",
            kind,
            first_line: "secret words of the server".to_owned(),
            asked_at: String::new(),
            phase: AskPhase::Waiting,
            draft: false,
            position: 1,
            of: 1,
            group: None,
            held: false,
            again: None,
        }
    }

    #[test]
    fn what_arrives_is_told_by_server_and_kind_and_together() {
        let mut arrivals = Arrivals::default();
        let mut rows = Vec::new();
        for (server, kind, words) in [
            ("CRM", AskKind::Form, "CRM asks a question"),
            ("CRM", AskKind::Link, "CRM asks 2 questions"),
            (
                "Harbour office",
                AskKind::Form,
                "CRM and Harbour office (practice) ask 3 questions",
            ),
            ("Files", AskKind::Unusable, "3 servers ask 4 questions"),
        ] {
            rows.push(row(rows.len() as u32, server, kind));
            assert_eq!(arrivals.look(&rows, false).as_deref(), Some(words));
        }
        let link = [row(9, "CRM", AskKind::Link)];
        assert_eq!(
            arrivals.look(&link, false).as_deref(),
            Some("CRM asks to open a page")
        );
        assert_eq!(arrivals.look(&[], false), None, "nothing of it waits any more");
    }

    #[test]
    fn what_the_person_saw_what_is_held_and_what_waits_again_is_not_told() {
        let mut arrivals = Arrivals::default();
        let one = row(1, "CRM", AskKind::Form);
        assert_eq!(arrivals.look(std::slice::from_ref(&one), true), None);
        assert_eq!(
            arrivals.look(std::slice::from_ref(&one), false),
            None,
            "seen already"
        );
        let opening = AskRow {
            phase: AskPhase::Opening,
            ..one.clone()
        };
        assert_eq!(arrivals.look(&[opening], false), None);
        assert_eq!(arrivals.look(std::slice::from_ref(&one), false), None, "not new");
        let held = AskRow {
            held: true,
            ..row(2, "CRM", AskKind::Form)
        };
        assert_eq!(arrivals.look(&[one.clone(), held], false), None);
        let new = row(3, "CRM", AskKind::Form);
        assert!(arrivals.look(&[one.clone(), new.clone()], false).is_some());
        assert_eq!(arrivals.look(&[one, new], true), None, "the person is there");
    }
}
