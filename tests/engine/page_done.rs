//! `notifications/elicitation/complete` of 2025-11-25: the word of a server that a page it wanted opened is done.

use crate::kit::{Desk, Gate, Http, Reply, Seen};
use countersign_core::session::{Speak, Target};
use countersign_core::view::{Act, Answered, AskPhase, CallAct};
use countersign_core::wire::Revision;
use std::time::Duration;

const HANDSHAKE: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"p","version":"1"}}"#;
const LINK: &str = r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"url",
    "message":"Please pay.","url":"https://pay.example.com/start","elicitationId":"e-1"}}"#;
const COMPLETE: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}"#;

fn event(message: &str) -> Vec<u8> {
    format!("data: {}\n\n", message.replace('\n', " ")).into_bytes()
}

/// Asks for the page while the call waits, and says that it is done when the gate opens.
fn asks(seen: &Seen, done: &Gate) -> Reply {
    if seen.method == "GET" {
        let complete = Reply::Events(vec![event(COMPLETE)]);
        return Reply::Held(done.clone(), Box::new(complete));
    }
    match seen.rpc_method().as_str() {
        "initialize" => Reply::Result(HANDSHAKE.to_owned()),
        "tools/call" => Reply::Silent(event(LINK)),
        _ => Reply::Body(202, "", String::new()),
    }
}

#[tokio::test]
async fn a_page_that_is_done_before_the_browser_has_answered_is_known_to_be_done() {
    let done = Gate::closed();
    let gate = done.clone();
    let server = Http::new(move |seen, _| asks(seen, &gate)).await;
    let target = Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let desk = Desk::new();
    let speak = Speak::Only(Revision::V2025_11_25);
    let id = desk
        .app
        .add_speaking("one", target, Duration::from_secs(60), speak);
    desk.app.reached(id).await.expect("a session");
    let call = desk.call(id);
    let link = desk.question(call).await;
    desk.browser.hold();
    let opening = desk.act(link.id, Act::Open);
    let meanwhile = async {
        let opening = |phase: &AskPhase| matches!(phase, AskPhase::Opening);
        let before = desk
            .until("the browser being asked", |desk| {
                let view = desk.view(link.id);
                opening(&view.phase).then_some(view.revision)
            })
            .await;
        done.open();
        desk.until("the word that the page is done", |desk| {
            (desk.view(link.id).revision != before).then_some(())
        })
        .await;
        desk.browser.release();
    };
    let (answered, ()) = tokio::join!(opening, meanwhile);
    assert_eq!(answered, Answered::Sent);
    desk.until("a card that says so", |desk| {
        matches!(desk.phase(link.id), AskPhase::InBrowser { finished: true, .. }).then_some(())
    })
    .await;
    desk.on_call(call, CallAct::Stop).expect("it runs");
    desk.ended(call).await;
}
