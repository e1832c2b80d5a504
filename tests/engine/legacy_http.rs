//! Sessions of the 2025 era over HTTP (2025-11-25, basic/lifecycle, basic/transports, client/elicitation): what is
//! sent and with which headers, questions on every stream, streams that break, sessions that are lost.

use crate::kit::live::{Live, asks, handshake, result, session};
use crate::kit::{Desk, Gate, Http, Reply, Seen, done, pass, text};
use countersign_core::mrtr::driver::End;
use countersign_core::session::{Session, Speak, Target};
use countersign_core::settings::Settings;
use countersign_core::transport::Fault;
use countersign_core::view::{
    Act, Action, Answered, AskId, AskPhase, AskView, CallAct, CallId, CallPhase, OfferKind, ServerId,
    ServerState,
};
use countersign_core::wire::Revision;
use countersign_core::wire::lists::ListKind;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);
const ADA: &str = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}"#;

/// A desk with the server, which is known to be of 2025-11-25.
async fn reached(server: &Live) -> (Desk, ServerId) {
    let desk = Desk::new();
    let id = reach(&desk, server.target(), Revision::V2025_11_25).await;
    (desk, id)
}

async fn reach(desk: &Desk, target: Target, revision: Revision) -> ServerId {
    let id = desk
        .app
        .add_speaking("old", target, PATIENCE, Speak::Only(revision));
    desk.app.reached(id).await.expect("a session");
    id
}

/// The tool `t` is called and asks one thing.
async fn asked() -> (Live, Desk, CallId, AskView) {
    asked_by(Live::new().await).await
}

async fn asked_by(server: Live) -> (Live, Desk, CallId, AskView) {
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(&asks(r#""q""#, "Name?"));
    let ask = desk.question(call).await;
    (server, desk, call, ask)
}

async fn phase(desk: &Desk, ask: AskId, what: &str, is: impl Fn(&AskPhase) -> bool) -> AskPhase {
    desk.until(what, |desk| Some(desk.phase(ask)).filter(|phase| is(phase)))
        .await
}

async fn delivered(desk: &Desk, ask: AskId, action: Action) {
    phase(desk, ask, "the delivery", |phase| {
        *phase == AskPhase::Delivered { action }
    })
    .await;
}

async fn undelivered(desk: &Desk, ask: AskId) -> String {
    let phase = phase(desk, ask, "a failed delivery", |phase| {
        matches!(phase, AskPhase::Undelivered { .. })
    });
    match phase.await {
        AskPhase::Undelivered { reason, .. } => reason.expect("a reason"),
        other => panic!("{other:?}"),
    }
}

/// The end of a question without an answer, in words.
async fn over(desk: &Desk, ask: AskId) -> String {
    let phase = phase(desk, ask, "the end of a question", |phase| {
        matches!(phase, AskPhase::Closed { .. } | AskPhase::Withdrawn { .. })
    });
    match phase.await {
        AskPhase::Closed { reason } | AskPhase::Withdrawn { reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_handshake_and_the_headers_after_it() {
    let check = async |revision: Revision, version: Option<&str>| {
        let name = revision.name();
        let server = Live::but(move |seen| {
            (seen.method == "POST" && seen.rpc_method() == "initialize").then(|| session(name))
        })
        .await;
        let desk = Desk::new();
        let id = reach(&desk, server.target(), revision).await;
        server.until_listening(1).await;
        server.call("t").done();
        desk.finished(desk.call(id)).await;
        desk.app.shut_down().await;
        let seen = server.http.seen();
        let first = &seen[0];
        assert_eq!(
            first.body,
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{name}","capabilities":{{"elicitation":{{"form":{{}},"url":{{}}}}}},"clientInfo":{{"name":"countersign","title":"Countersign","version":"{}"}}}}}}"#,
                env!("CARGO_PKG_VERSION")
            )
        );
        assert_eq!(
            first.header("mcp-protocol-version"),
            None,
            "nothing is agreed yet"
        );
        assert_eq!(first.header("mcp-session-id"), None);
        assert_eq!(
            seen[1].body,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        );
        for later in &seen[1..] {
            let told = (
                later.header("mcp-protocol-version"),
                later.header("mcp-session-id"),
            );
            assert_eq!(
                told,
                (version.map(str::to_owned), Some("s-1".to_owned())),
                "{} {}",
                later.method,
                later.body
            );
            assert_eq!(later.header("mcp-method"), None, "a header of the newer era");
        }
        for post in seen.iter().filter(|seen| seen.method == "POST") {
            let both = Some("application/json, text/event-stream".to_owned());
            assert_eq!(post.header("accept"), both);
            assert_eq!(post.header("content-type").as_deref(), Some("application/json"));
        }
        let get = seen.iter().find(|seen| seen.method == "GET").expect("a stream");
        assert_eq!(get.header("accept").as_deref(), Some("text/event-stream"));
        assert_eq!(
            server.heard("tools/call")[0].body,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"_meta":{"progressToken":2}}}"#
        );
        assert_eq!(seen.last().map(|last| last.method.as_str()), Some("DELETE"));
    };
    check(Revision::V2025_11_25, Some("2025-11-25")).await;
    check(Revision::V2025_06_18, Some("2025-06-18")).await;
    check(Revision::V2025_03_26, None).await;
}

#[tokio::test]
async fn a_server_without_sessions_is_told_of_none_and_has_none_to_end() {
    let server = Live::but(|seen| {
        let greeting = seen.method == "POST" && seen.rpc_method() == "initialize";
        greeting.then(|| Reply::Result(handshake("2025-11-25")))
    })
    .await;
    let (desk, _) = reached(&server).await;
    server.until_listening(1).await;
    desk.app.shut_down().await;
    let seen = server.http.seen();
    assert!(seen.iter().all(|seen| seen.header("mcp-session-id").is_none()));
    assert!(seen.iter().all(|seen| seen.method != "DELETE"));
}

#[tokio::test]
async fn case_109_the_notification_may_be_answered_in_any_good_way() {
    for (status, body) in [
        (202, ""),
        (204, ""),
        (200, ""),
        (200, "ok"),
        (200, "null"),
        (400, "What?"),
    ] {
        let server = Live::but(move |seen| {
            let told = seen.method == "POST" && seen.rpc_method() == "notifications/initialized";
            told.then(|| match status {
                204 => Reply::Raw(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()),
                status => Reply::Body(status, "", body.to_owned()),
            })
        })
        .await;
        let (desk, id) = reached(&server).await;
        server.call("t").done();
        desk.finished(desk.call(id)).await;
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn a_question_is_answered_with_exact_bytes_on_whichever_stream_it_came() {
    let check = async |own: bool, act: Act, action: Action, expected: &str| {
        let server = Live::new().await;
        let (desk, id) = reached(&server).await;
        server.until_listening(1).await;
        let call = desk.call(id);
        server.until_heard("tools/call", 1).await;
        let feed = if own { server.own() } else { server.call("t") };
        feed.say(&asks(r#""q""#, "Name?"));
        let ask = desk.question(call).await;
        assert_eq!(ask.message.text, "Name?");
        let inputs = (act == Act::Accept).then(|| vec![text(0, "Ada")]);
        assert_eq!(desk.act_with(ask.id, act, inputs, None).await, Answered::Sent);
        delivered(&desk, ask.id, action).await;
        let answer = server.until_heard("", 1).await.remove(0);
        assert_eq!(answer.body, expected);
        assert_eq!(answer.header("mcp-session-id").as_deref(), Some("s-1"));
        assert_eq!(
            answer.header("mcp-protocol-version").as_deref(),
            Some("2025-11-25")
        );
        server.call("t").done();
        desk.finished(call).await;
        assert_eq!(server.heard("tools/call").len(), 1);
        assert_eq!(server.answers().len(), 1, "one answer for one word");
        desk.app.shut_down().await;
    };
    for own in [false, true] {
        check(own, Act::Accept, Action::Accept, ADA).await;
        let bare = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}"#;
        check(own, Act::Decline, Action::Decline, bare).await;
        let bare = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"cancel"}}"#;
        check(own, Act::Dismiss, Action::Cancel, bare).await;
    }
}

#[tokio::test]
async fn a_link_is_answered_when_it_was_opened_and_its_number_goes_back_as_it_came() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://pay.example.com/x","elicitationId":"e"}}"#,
    );
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Sent);
    server.until_heard("", 1).await;
    assert_eq!(
        server.answers(),
        [r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}"#]
    );
    assert_eq!(desk.browser.opened(), ["https://pay.example.com/x"]);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn two_questions_at_once_get_their_own_answers() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let tools = ListKind::Tools;
    let (one, two) = (desk.call_offer(id, tools, "t1"), desk.call_offer(id, tools, "t2"));
    server.call("t1").say(&asks("1", "First?"));
    server.call("t2").say(&asks(r#""1""#, "Second?"));
    let (first, second) = (desk.question(one).await, desk.question(two).await);
    assert_eq!(
        (first.message.text.as_str(), second.message.text.as_str()),
        ("First?", "Second?"),
        "the number 1 and the text “1” are two ids"
    );
    desk.accept(second.id, vec![text(0, "two")]).await;
    desk.accept(first.id, vec![text(0, "one")]).await;
    server.until_heard("", 2).await;
    let mut answers = server.answers();
    answers.sort();
    assert_eq!(
        answers,
        [
            r#"{"jsonrpc":"2.0","id":"1","result":{"action":"accept","content":{"name":"two"}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"one"}}}"#,
        ]
    );
    for (call, tool) in [(one, "t1"), (two, "t2")] {
        server.call(tool).done();
        desk.finished(call).await;
    }
    desk.app.shut_down().await;
}

#[tokio::test]
async fn two_questions_of_one_call_are_answered_one_by_one() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(&asks("1", "First?"));
    server.call("t").say(&asks("2", "Second?"));
    let both = desk.questions(call, 2).await;
    assert_eq!(desk.accept(both[1].id, vec![text(0, "b")]).await, Answered::Sent);
    delivered(&desk, both[1].id, Action::Accept).await;
    assert_eq!(desk.row(call).phase, CallPhase::Asking, "one still waits");
    assert_eq!(desk.act(both[0].id, Act::Decline).await, Answered::Sent);
    delivered(&desk, both[0].id, Action::Decline).await;
    assert_eq!(desk.row(call).phase, CallPhase::Sending);
    assert_eq!(
        server.answers(),
        [
            r#"{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"name":"b"}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#,
        ]
    );
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

/// A server that holds answers until the gate opens.
async fn holding(gate: &Gate) -> Live {
    let gate = gate.clone();
    Live::but(move |seen| {
        let answer = seen.method == "POST" && seen.rpc_method().is_empty();
        answer.then(|| Reply::Held(gate.clone(), Box::new(Reply::Body(202, "", String::new()))))
    })
    .await
}

#[tokio::test]
async fn a_question_is_answered_once() {
    let gate = Gate::closed();
    let (server, desk, call, ask) = asked_by(holding(&gate).await).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    let again = desk.accept(ask.id, vec![text(0, "Eve")]).await;
    assert_eq!(again, Answered::AlreadyAnswered, "while it is on its way");
    assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::AlreadyAnswered);
    gate.open();
    delivered(&desk, ask.id, Action::Accept).await;
    assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::AlreadyAnswered);
    assert_eq!(server.answers(), [ADA]);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn the_guard_holds_for_questions_that_a_server_put_by_itself() {
    let (server, desk, _, ask) = asked().await;
    let inbox = desk.app.inbox();
    let inputs = || Some(vec![text(0, "Ada")]);
    let blind = inbox.act(ask.id, ask.revision, Act::Accept, inputs(), None).await;
    assert!(matches!(blind, Answered::TooSoon { .. }), "{blind:?}");
    inbox.shown(ask.id, ask.revision).expect("shown");
    desk.clock.advance(Duration::from_millis(699));
    let early = inbox.act(ask.id, ask.revision, Act::Accept, inputs(), None).await;
    assert_eq!(early, Answered::TooSoon { wait_ms: 1 });
    desk.clock.advance(Duration::from_millis(1));
    let seen = inbox.act(ask.id, ask.revision, Act::Accept, inputs(), None).await;
    assert_eq!(seen, Answered::Sent);
    server.until_heard("", 1).await;
    assert_eq!(server.answers(), [ADA]);
    desk.app.shut_down().await;
}

#[tokio::test]
async fn what_is_no_question_for_a_person_is_answered_at_once() {
    let check = async |elicitation: Elicitation, own: bool, request: &str, expected: &str| {
        let server = Live::new().await;
        let desk = Desk::with(Settings::Memory, elicitation);
        let id = reach(&desk, server.target(), Revision::V2025_11_25).await;
        server.until_listening(1).await;
        let call = desk.call(id);
        server.until_heard("tools/call", 1).await;
        let feed = if own { server.own() } else { server.call("t") };
        feed.say(request);
        let answer = server.until_heard("", 1).await.remove(0);
        assert_eq!(answer.body, expected);
        assert!(desk.app.inbox().asks().is_empty(), "nothing is shown");
        server.call("t").done();
        desk.finished(call).await;
        desk.app.shut_down().await;
    };
    let both = Elicitation::Both;
    for own in [false, true] {
        check(
            both,
            own,
            r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"p","result":{}}"#,
        )
        .await;
        check(
            both,
            own,
            r#"{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"This client does not know this method."}}"#,
        )
        .await;
        check(
            both,
            own,
            r#"{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"mode":"voice","message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"This client did not declare the mode “voice”."}}"#,
        )
        .await;
        check(
            Elicitation::None,
            own,
            &asks("3", "Name?"),
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"This client did not declare elicitation."}}"#,
        )
        .await;
    }
}

#[tokio::test]
async fn a_question_that_comes_twice_under_one_id_is_put_once() {
    let (server, desk, call, ask) = asked().await;
    server.own().say(&asks(r#""q""#, "Name?"));
    server.call("t").say(&asks(r#""q""#, "Name?"));
    server.call("t").say(&asks(r#""r""#, "Age?"));
    let both = desk.questions(call, 2).await;
    assert_eq!((both[0].id, both[1].message.text.as_str()), (ask.id, "Age?"));
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    delivered(&desk, ask.id, Action::Accept).await;
    server.call("t").say(&asks(r#""q""#, "Name?"));
    server.call("t").say(&asks(r#""s""#, "Town?"));
    let left = desk.questions(call, 2).await;
    let messages: Vec<_> = left.iter().map(|ask| ask.message.text.as_str()).collect();
    assert_eq!(messages, ["Age?", "Town?"], "answered is answered");
    assert_eq!(server.answers(), [ADA]);
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_question_without_a_call_is_a_call_of_its_own_and_ends_with_its_answer() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let check = async |number: u32, act: Act| {
        server.own().say(&asks(&number.to_string(), "By the way?"));
        let row = desk
            .until("a call of its own", |desk| {
                let mut rows = desk.app.inbox().calls().into_iter();
                rows.find(|row| row.phase == CallPhase::Asking)
            })
            .await;
        assert_eq!((row.kind, row.server), (OfferKind::Question, id));
        let ask = desk.question(row.id).await;
        let inputs = (act == Act::Accept).then(|| vec![text(0, "Ada")]);
        assert_eq!(desk.act_with(ask.id, act, inputs, None).await, Answered::Sent);
        let row = desk.finished(row.id).await;
        assert_eq!(row.acts, [], "there is nothing to start again");
        row
    };
    check(1, Act::Accept).await;
    check(2, Act::Decline).await;
    assert_eq!(
        server.answers(),
        [
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}"#,
        ]
    );
    // Taken back, it ends too; stopped by the person, nothing is sent.
    server.own().say(&asks("3", "Or this?"));
    let open = |desk: &Desk| desk.app.inbox().asks().first().map(|row| (row.id, row.call));
    let (ask, call) = desk.until("the third question", open).await;
    server.own().say(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"never mind"}}"#,
    );
    assert!(over(&desk, ask).await.contains("never mind"));
    desk.ended(call).await;
    server.own().say(&asks("4", "Or that?"));
    let (ask, call) = desk.until("the fourth question", open).await;
    desk.on_call(call, CallAct::Stop).expect("it runs");
    let (_, end) = desk.ended(call).await;
    assert_eq!(end, End::Stopped { in_flight: false });
    assert!(over(&desk, ask).await.contains("You stopped"));
    desk.app.shut_down().await;
    assert_eq!(server.answers().len(), 2);
}
