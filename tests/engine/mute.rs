//! Servers that greet well and then say nothing: neither a question nor a result ever comes.

use crate::kit::{Desk, Http, Reply, Seen, done};
use countersign_core::mrtr::driver::End;
use countersign_core::session::{Speak, Target};
use countersign_core::view::{CallAct, CallPhase};
use countersign_core::wire::Revision;
use countersign_core::wire::lists::ListKind;
use std::time::Duration;

/// Short, because here it has to pass.
const PATIENCE: Duration = Duration::from_millis(300);

const DISCOVERY: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
    "ttlMs":0,"cacheScope":"private"}"#;
const HANDSHAKE: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"m","version":"1"}}"#;

/// Answers everything but the tool `t`.
fn mute(seen: &Seen) -> Reply {
    if seen.method != "POST" {
        return Reply::Body(405, "", String::new());
    }
    match seen.rpc_method().as_str() {
        "server/discover" => Reply::Result(DISCOVERY.to_owned()),
        "initialize" => Reply::Result(HANDSHAKE.to_owned()),
        "tools/call" if seen.body.contains(r#""name":"t""#) => Reply::Silent(b": working\n\n".to_vec()),
        "tools/call" => Reply::Result(done("ok")),
        _ => Reply::Body(202, "", String::new()),
    }
}

/// The call is given up with its request, another one goes through, and the person can leave it at that.
async fn check(speak: Speak) {
    let server = Http::new(|seen, _| mute(seen)).await;
    let target = Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let desk = Desk::new();
    let id = desk.app.add_speaking("mute", target, PATIENCE, speak);
    desk.app.reached(id).await.expect("it greets well");
    let call = desk.call(id);
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert!(
        row.detail.as_deref().is_some_and(|words| words.contains("0.3 s")),
        "{:?}",
        row.detail
    );
    server.until_closed(1).await;
    assert!(desk.app.inbox().asks().is_empty(), "nothing to answer");
    desk.finished(desk.call_offer(id, ListKind::Tools, "other")).await;
    desk.on_call(call, CallAct::Leave).expect("it can be left");
    let (_, end) = desk.ended(call).await;
    assert!(matches!(end, End::Left(_)), "{end:?}");
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_server_that_discovers_and_then_never_asks_does_not_hang_the_call() {
    check(Speak::Newest).await;
}

#[tokio::test]
async fn an_older_server_that_never_asks_does_not_hang_the_call() {
    check(Speak::Only(Revision::V2025_11_25)).await;
}
