//! What the system is asked to show of questions that arrive while the person is elsewhere.

use crate::harness::{Display, ScriptedServer, Window, until};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use zbus::zvariant::OwnedValue;

/// A notification as it was asked for: the one that it replaces, summary, body, actions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked(u32, String, String, Vec<String>);

#[derive(Clone, Default)]
struct Heard {
    asked: Arc<Mutex<Vec<Asked>>>,
    closed: Arc<Mutex<Vec<u32>>>,
}

/// What shows notifications, in place of a desktop. It hears those of every window of this run.
struct Shows(Heard);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Shows {
    #[expect(
        clippy::too_many_arguments,
        clippy::needless_pass_by_value,
        reason = "the interface of freedesktop.org"
    )]
    fn notify(
        &self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        summary: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        assert!(!format!("{hints:?}").contains("Move the"), "{hints:?}");
        let mut asked = self.0.asked.lock().expect("unbroken");
        asked.push(Asked(replaces, summary, body, actions));
        if replaces == 0 {
            asked.len() as u32
        } else {
            replaces
        }
    }

    fn close_notification(&self, id: u32) {
        self.0.closed.lock().expect("unbroken").push(id);
    }

    fn get_capabilities(&self) -> Vec<String> {
        vec!["actions".to_owned(), "body".to_owned()]
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        let word = |word: &str| word.to_owned();
        (word("test"), word("test"), word("1"), word("1.2"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn case_079_a_question_that_arrives_while_nobody_looks_waits_and_is_told_by_its_server_alone() {
    let heard = Heard::default();
    let bus = zbus::connection::Builder::session()
        .and_then(|bus| bus.serve_at("/org/freedesktop/Notifications", Shows(heard.clone())))
        .and_then(|bus| bus.name("org.freedesktop.Notifications"))
        .expect("a session bus");
    let bus = bus
        .build()
        .await
        .expect("the only one here that shows notifications");
    let calls = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&calls);
    let server = ScriptedServer::start(move |params| {
        *counted.lock().expect("unbroken") += 1;
        if params["inputResponses"].is_null() {
            json!({ "resultType": "input_required", "inputRequests": { "q": {
                "method": "elicitation/create",
                "params": {
                    "message": "Move the <b>secret</b> deeds?",
                    "requestedSchema": { "type": "object", "properties": {} },
                },
            } } })
        } else {
            json!({ "resultType": "complete", "content": [] })
        }
    });
    let display = Display::start();
    let window = Window::open_on(&display, &[("Notary <i>", server.target())]).await;
    let mine = || -> Vec<Asked> {
        let asked = heard.asked.lock().expect("unbroken");
        asked
            .iter()
            .filter(|asked| asked.1.contains("Notary"))
            .cloned()
            .collect()
    };
    let told = |replaces, summary: &str| {
        let words = |text: &str| text.to_owned();
        let actions = vec![words("default"), words("Show")];
        Asked(
            replaces,
            words(summary),
            words("Nothing is sent until you answer."),
            actions,
        )
    };
    window.start("Notary", "speak").await;
    window.wait_until("return document.hasFocus()").await;
    window.look_away(&display).await;
    window.run().await;
    until(|| !mine().is_empty()).await;
    assert_eq!(mine(), [told(0, "Notary <i> asks a question")]);
    let new_id = || {
        let asked = heard.asked.lock().expect("unbroken");
        let is_new = |asked: &Asked| asked.0 == 0 && asked.1.contains("Notary");
        asked.iter().rposition(is_new).expect("told") as u32 + 1
    };
    let id = new_id();
    window.start("Notary", "speak").await;
    window.look_away(&display).await;
    window.run().await;
    until(|| mine().len() > 1).await;
    assert_eq!(mine()[1], told(id, "Notary <i> asks 2 questions"));

    bus.emit_signal(
        None::<zbus::names::BusName<'_>>,
        "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications",
        "ActionInvoked",
        &(id, "default"),
    )
    .await
    .expect("pressed");
    until(|| heard.closed.lock().expect("unbroken").contains(&id)).await;
    assert_eq!(
        *calls.lock().expect("unbroken"),
        2,
        "nothing was answered by that"
    );
    assert_eq!(mine().len(), 2);
    window.wait_for_text("[data-testid=inbox-count]", "2").await;

    // What still stands when the app ends is taken back.
    window.start("Notary", "speak").await;
    window.wait_until("return document.hasFocus()").await;
    window.look_away(&display).await;
    window.run().await;
    until(|| mine().len() > 2).await;
    let id = new_id();
    window.quit(&display).await;
    assert!(heard.closed.lock().expect("unbroken").contains(&id));
}
