//! Sessions of the 2025 era over HTTP (2025-11-25, basic/lifecycle, basic/transports, client/elicitation): what is
//! sent and with which headers, questions on every stream, streams that break, sessions that are lost.

use crate::kit::live::{Live, asks, handshake, over, result, session};
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
    let AskPhase::Undelivered { reason, .. } = phase.await else {
        panic!("it was undelivered");
    };
    reason.expect("a reason")
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

#[tokio::test]
async fn case_066_no_time_runs_out_while_the_person_is_asked() {
    let (server, desk, call, ask) = asked().await;
    pass(PATIENCE * 100).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    delivered(&desk, ask.id, Action::Accept).await;
    assert_eq!(server.answers(), [ADA]);
    server.call("t").done();
    desk.finished(call).await;
    assert!(server.heard("notifications/cancelled").is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_119_time_runs_again_after_the_answer() {
    let (server, desk, call, ask) = asked().await;
    desk.act(ask.id, Act::Decline).await;
    delivered(&desk, ask.id, Action::Decline).await;
    pass(PATIENCE + Duration::from_secs(1)).await;
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert!(row.detail.is_some_and(|words| words.contains("60 s")));
    let cancelled = server.until_heard("notifications/cancelled", 1).await.remove(0);
    assert_eq!(
        cancelled.body,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"timed out"}}"#
    );
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_070_a_question_that_is_taken_back_says_why_and_nothing_is_sent() {
    for own in [false, true] {
        let (server, desk, call, ask) = asked().await;
        server.until_listening(1).await;
        let feed = if own { server.own() } else { server.call("t") };
        feed.say(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"no longer needed"}}"#,
        );
        assert_eq!(
            over(&desk, ask.id).await,
            "The server took this question back: “no longer needed”. Nothing was sent."
        );
        assert!(matches!(desk.phase(ask.id), AskPhase::Withdrawn { .. }));
        assert_eq!(desk.row(call).phase, CallPhase::Sending, "the call goes on");
        for act in [Act::Accept, Act::Decline, Act::Dismiss] {
            let answered = desk.act(ask.id, act).await;
            assert!(matches!(answered, Answered::NotPossible { .. }), "{answered:?}");
        }
        server.call("t").done();
        desk.finished(call).await;
        assert!(server.answers().is_empty());
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn case_083_an_end_without_a_decision_is_no_refusal_and_the_next_question_is_shown() {
    let (server, desk, call, first) = asked().await;
    for (id, again) in [("q", "q2"), ("q2", "q3")] {
        let ask = desk.question(call).await.id;
        server.call("t").say(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{id}"}}}}"#
        ));
        over(&desk, ask).await;
        server.call("t").say(&asks(&format!("\"{again}\""), "Name?"));
    }
    let third = desk.question(call).await;
    assert_ne!(third.id, first.id);
    let rows = desk.app.inbox().asks();
    let row = rows.iter().find(|row| row.id == third.id).expect("listed");
    assert_eq!((row.again.as_deref(), &row.phase), (None, &AskPhase::Waiting));
    assert!(server.answers().is_empty(), "nothing was said for the person");
    assert_eq!(desk.accept(third.id, vec![text(0, "Ada")]).await, Answered::Sent);
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_withdrawal_of_something_else_takes_nothing_back() {
    let (server, desk, _, ask) = asked().await;
    for id in [r#""other""#, "2", "null", "{}"] {
        server.call("t").say(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ));
    }
    server
        .call("t")
        .say(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    server.until_heard("", 1).await;
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    desk.app.shut_down().await;
}

/// A server that knows its session until the gate opens, then answers requests with 404.
async fn forgetting(gate: &Gate) -> Live {
    let gate = gate.clone();
    Live::but(move |seen| {
        let request =
            seen.method == "POST" && matches!(seen.rpc_method().as_str(), "tools/call" | "tools/list");
        let known = seen.header("mcp-session-id").as_deref() == Some("s-1");
        (request && known && gate.is_open())
            .then(|| Reply::Body(404, "text/plain", "no such session".to_owned()))
            .or_else(|| {
                let again = gate.is_open() && seen.method == "POST" && seen.rpc_method() == "initialize";
                again.then(|| {
                    let head = "content-type: application/json\r\nMcp-Session-Id: s-2\r\n";
                    let body = result("@id", &handshake("2025-11-25"));
                    Reply::Head(200, head.to_owned(), body)
                })
            })
    })
    .await
}

#[tokio::test]
async fn case_068_a_question_ends_with_its_session_and_nothing_is_sent() {
    let gate = Gate::closed();
    let (server, desk, call, ask) = asked_by(forgetting(&gate).await).await;
    gate.open();
    let id = desk.app.snapshot().servers[0].id;
    let other = desk.call_offer(id, ListKind::Tools, "other");
    desk.call_in(other, CallPhase::Unknown).await;
    assert_eq!(
        over(&desk, ask.id).await,
        "The server has ended its session, so this can no longer be answered."
    );
    let late = desk.accept(ask.id, vec![text(0, "Ada")]).await;
    assert!(matches!(late, Answered::NotPossible { .. }), "{late:?}");
    assert!(desk.app.inbox().asks().is_empty());
    server.call("t").breaks();
    desk.call_in(call, CallPhase::Unknown).await;
    desk.on_call(call, CallAct::Leave).expect("it can be left");
    desk.ended(call).await;
    assert!(server.answers().is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_069_a_card_can_be_closed_when_the_server_has_gone_and_the_app_goes_on() {
    let silent = Live::but(|seen| {
        let answer = seen.method == "POST" && seen.rpc_method().is_empty();
        answer.then_some(Reply::Close)
    });
    let (server, desk, call, ask) = asked_by(silent.await).await;
    server.call("t").breaks();
    desk.call_in(call, CallPhase::Unknown).await;
    assert_eq!(
        desk.act(ask.id, Act::Dismiss).await,
        Answered::Sent,
        "it is tried"
    );
    undelivered(&desk, ask.id).await;
    assert_eq!(desk.act(ask.id, Act::StopCall).await, Answered::Sent);
    desk.ended(call).await;
    assert!(desk.app.inbox().asks().is_empty());
    let other = Http::replies([Reply::Result(done("ok"))]).await;
    desk.finished(desk.call(desk.add("other", &other))).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_broken_stream_is_no_cancel_and_the_answer_goes_out_by_its_own_post() {
    let (server, desk, call, ask) = asked().await;
    server.call("t").breaks();
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert_eq!(row.acts, [CallAct::SendAgain, CallAct::Leave]);
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    delivered(&desk, ask.id, Action::Accept).await;
    assert_eq!(server.answers(), [ADA]);
    assert_eq!(
        server.heard("tools/call").len(),
        1,
        "nothing is sent again by itself"
    );
    assert!(server.heard("notifications/cancelled").is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_stream_is_taken_up_after_its_last_event_when_it_asked_for_and_nothing_is_sent_again() {
    const WAIT: Duration = Duration::from_millis(200);
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    server.until_listening(1).await;
    let call = desk.call(id);
    let feed = server.call("t");
    feed.part(&format!("id: e-1\nretry: {}\ndata:\n\n", WAIT.as_millis()));
    feed.part(&format!("id: e-2\ndata: {}\n\n", asks(r#""q""#, "Name?")));
    let ask = desk.question(call).await;
    let before = now();
    feed.breaks();
    let gets = server.until_listening(2).await;
    assert!(before.elapsed() >= WAIT, "{:?}", before.elapsed());
    assert_eq!(gets[1].header("last-event-id").as_deref(), Some("e-2"));
    assert_eq!(gets[1].header("mcp-session-id").as_deref(), Some("s-1"));
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    assert_eq!(desk.row(call).phase, CallPhase::Asking, "the call never noticed");
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    delivered(&desk, ask.id, Action::Accept).await;
    // What it says again is not put again; it ends in order, and is taken up once more from there.
    let resumed = server.after("e-2");
    resumed.say(&asks(r#""q""#, "Name?"));
    resumed.part("id: e-3\nretry: 1\ndata:\n\n");
    resumed.end();
    let gets = server.until_listening(3).await;
    assert_eq!(gets[2].header("last-event-id").as_deref(), Some("e-3"));
    server.after("e-3").say(&result("2", &done("ok")));
    desk.finished(call).await;
    assert_eq!(server.heard("tools/call").len(), 1);
    assert_eq!(server.answers(), [ADA]);
    desk.app.shut_down().await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long the client waited, as a server sees it"
)]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_leaves_the_outcome_unknown() {
    for status in [404, 405, 410] {
        let server = Live::but(move |seen| {
            seen.header("last-event-id")
                .map(|_| Reply::Body(status, "", String::new()))
        })
        .await;
        let (desk, id) = reached(&server).await;
        let call = desk.call(id);
        let feed = server.call("t");
        feed.part("id: e-1\nretry: 1\ndata:\n\n");
        feed.breaks();
        let row = desk.call_in(call, CallPhase::Unknown).await;
        let detail = row.detail.expect("words");
        assert!(detail.contains(&status.to_string()), "{detail}");
        assert_eq!(server.heard("tools/call").len(), 1);
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn the_stream_for_everything_is_kept_and_taken_up_where_it_broke() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    server.until_listening(1).await;
    server.own().part("id: g-1\nretry: 1\ndata:\n\n");
    server.own().end();
    let gets = server.until_listening(2).await;
    assert_eq!(gets[1].header("last-event-id").as_deref(), Some("g-1"));
    let call = desk.call(id);
    server.until_heard("tools/call", 1).await;
    server.after("g-1").say(&asks(r#""q""#, "Name?"));
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    server.until_heard("", 1).await;
    assert_eq!(server.answers(), [ADA]);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_111_a_list_begins_a_new_session_by_itself_once() {
    let gate = Gate::closed();
    let server = forgetting(&gate).await;
    let speak = Speak::Only(Revision::V2025_11_25);
    let (session, _events) = Session::with_events(server.target(), Elicitation::Both, PATIENCE, speak);
    session.connect().await.expect("a session");
    gate.open();
    let reply = session
        .ask(Request::new(Method::ListTools))
        .await
        .expect("a list");
    assert!(reply.response.outcome.is_ok());
    let sent = |method: &str| -> Vec<Option<String>> {
        let heard = server.heard(method).into_iter();
        heard.map(|seen| seen.header("mcp-session-id")).collect()
    };
    assert_eq!(sent("initialize"), [None, None], "a greeting is for no session");
    assert_eq!(
        sent("tools/list"),
        [Some("s-1".to_owned()), Some("s-2".to_owned())]
    );
    session.shut_down().await;
}

#[tokio::test]
async fn case_111_a_server_that_forgets_every_session_is_not_asked_for_ever() {
    let server = Live::but(|seen| {
        let list = seen.method == "POST" && seen.rpc_method() == "tools/list";
        list.then(|| Reply::Body(404, "", String::new()))
    })
    .await;
    let speak = Speak::Only(Revision::V2025_11_25);
    let (session, _events) = Session::with_events(server.target(), Elicitation::Both, PATIENCE, speak);
    session.connect().await.expect("a session");
    let ended = session.ask(Request::new(Method::ListTools)).await;
    assert_eq!(ended, Err(Fault::SessionOver));
    assert_eq!(server.heard("initialize").len(), 2);
    assert_eq!(server.heard("tools/list").len(), 2);
    session.shut_down().await;
}

#[tokio::test]
async fn case_111_a_call_is_not_sent_again_by_itself_and_the_person_may_do_it() {
    let gate = Gate::closed();
    let server = forgetting(&gate).await;
    let (desk, id) = reached(&server).await;
    gate.open();
    let call = desk.call(id);
    let row = desk.call_in(call, CallPhase::Unknown).await;
    assert!(
        row.detail
            .is_some_and(|words| words.contains("no longer knows this session"))
    );
    assert_eq!(server.heard("tools/call").len(), 1);
    assert_eq!(server.heard("initialize").len(), 1);
    server.call("t").done();
    desk.on_call(call, CallAct::SendAgain)
        .expect("it can be sent again");
    desk.finished(call).await;
    let calls = server.heard("tools/call");
    assert_eq!(calls[0].params(), calls[1].params());
    assert_ne!(calls[0].id(), calls[1].id(), "under a new id");
    assert_eq!(calls[1].header("mcp-session-id").as_deref(), Some("s-2"));
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_108_a_stream_that_wants_a_sign_in_is_said() {
    for status in [401, 403] {
        let server =
            Live::but(move |seen| (seen.method == "GET").then(|| Reply::Body(status, "", String::new())))
                .await;
        let (desk, id) = reached(&server).await;
        let row = desk
            .until("a sign-in", |desk| {
                let rows = desk.app.snapshot().servers.into_iter();
                rows.into_iter()
                    .find(|row| row.id == id && row.state == ServerState::NeedsSignIn)
            })
            .await;
        assert!(
            row.detail
                .is_some_and(|words| words.contains(&status.to_string()))
        );
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn case_117_a_server_without_a_stream_for_everything_is_fine() {
    for status in [404, 405, 400] {
        let server = Live::but(move |seen| {
            (seen.method == "GET").then(|| Reply::Body(status, "text/plain", "none".to_owned()))
        })
        .await;
        let (server, desk, call, ask) = asked_by(server).await;
        desk.accept(ask.id, vec![text(0, "Ada")]).await;
        delivered(&desk, ask.id, Action::Accept).await;
        assert_eq!(server.answers(), [ADA]);
        server.call("t").done();
        desk.finished(call).await;
        assert_eq!(
            server.until_listening(1).await.len(),
            1,
            "it is not asked for again"
        );
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn a_call_that_is_stopped_while_it_asks_is_cancelled_and_not_answered() {
    let (server, desk, call, ask) = asked().await;
    assert_eq!(desk.act(ask.id, Act::StopCall).await, Answered::Sent);
    let (_, end) = desk.ended(call).await;
    assert_eq!(end, End::Stopped { in_flight: true });
    assert!(over(&desk, ask.id).await.contains("You stopped the call"));
    let cancelled = server.until_heard("notifications/cancelled", 1).await.remove(0);
    assert_eq!(
        cancelled.body,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"stopped by the person"}}"#
    );
    assert_eq!(cancelled.header("mcp-session-id").as_deref(), Some("s-1"));
    server.http.until_closed(1).await;
    let late = desk.accept(ask.id, vec![text(0, "Ada")]).await;
    assert!(matches!(late, Answered::NotPossible { .. }), "{late:?}");
    assert!(server.answers().is_empty());
    // The session goes on.
    let id = desk.app.snapshot().servers[0].id;
    server.call("other").done();
    desk.finished(desk.call_offer(id, ListKind::Tools, "other")).await;
    desk.app.shut_down().await;
}

/// A server that answers answers with each of these in turn, then takes them.
async fn taking(replies: Vec<Reply>) -> Live {
    let turn = AtomicUsize::new(0);
    Live::but(move |seen| {
        let answer = seen.method == "POST" && seen.rpc_method().is_empty();
        let turn = answer.then(|| turn.fetch_add(1, Ordering::Relaxed))?;
        replies.get(turn).cloned()
    })
    .await
}

#[tokio::test]
async fn an_answer_that_did_not_arrive_is_kept_with_the_reason_and_sent_again_as_it_was() {
    let check = async |reply: Reply, expected: &str| {
        let (server, desk, call, ask) = asked_by(taking(vec![reply]).await).await;
        assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
        let reason = undelivered(&desk, ask.id).await;
        assert!(reason.starts_with(expected), "{reason}");
        let view = desk.view(ask.id);
        assert_eq!(view.acts, [Act::SendAgain, Act::StopCall]);
        assert_eq!(server.answers(), [ADA], "not sent again by itself");
        assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::AlreadyAnswered);
        assert_eq!(desk.act(ask.id, Act::SendAgain).await, Answered::Sent);
        delivered(&desk, ask.id, Action::Accept).await;
        assert_eq!(server.answers(), [ADA, ADA]);
        server.call("t").done();
        desk.finished(call).await;
        desk.app.shut_down().await;
    };
    check(
        Reply::Body(
            400,
            "application/json",
            r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32602,"message":"Not like this"}}"#.to_owned(),
        ),
        "The server did not take your answer: “Not like this” (-32602).",
    )
    .await;
    check(
        Reply::Body(
            400,
            "application/json",
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad request"}}"#.to_owned(),
        ),
        "The server did not take your answer: “Bad request” (-32000).",
    )
    .await;
    check(Reply::Close, "We sent your answer but heard nothing back.").await;
    check(
        Reply::Body(503, "text/plain", "busy".to_owned()),
        "We sent your answer but heard nothing back.",
    )
    .await;
    check(
        Reply::Body(401, "", String::new()),
        "Not delivered: the server wants a sign-in (HTTP 401).",
    )
    .await;
}

#[tokio::test]
async fn an_answer_to_a_server_that_has_gone_never_left_and_can_be_tried_again() {
    let (server, desk, call, ask) = asked().await;
    server.http.dies();
    desk.call_in(call, CallPhase::Unknown).await;
    for act in [Act::Accept, Act::SendAgain] {
        let inputs = (act == Act::Accept).then(|| vec![text(0, "Ada")]);
        assert_eq!(desk.act_with(ask.id, act, inputs, None).await, Answered::Sent);
        let reason = undelivered(&desk, ask.id).await;
        assert_eq!(
            reason,
            "Not delivered, nothing left this computer: nothing listens there (connection refused)."
        );
    }
    desk.on_call(call, CallAct::Leave).expect("it can be left");
    desk.ended(call).await;
    assert!(desk.app.inbox().asks().is_empty());
    assert!(server.answers().is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn an_answer_to_a_session_that_is_no_more_ends_its_question() {
    let forgotten = Reply::Body(404, "text/plain", "no such session".to_owned());
    let (server, desk, call, ask) = asked_by(taking(vec![forgotten]).await).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    let words = over(&desk, ask.id).await;
    assert!(words.contains("can no longer be answered"), "{words}");
    assert!(desk.app.inbox().asks().is_empty());
    assert_eq!(server.answers(), [ADA]);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

/// `-32042` with so many pages, under ids that are new each time.
fn pages(count: usize, turn: usize) -> Reply {
    let page = |n: usize| {
        format!(
            r#"{{"mode":"url","elicitationId":"e-{turn}-{n}","url":"https://pay.example.com/{n}","message":"Pay {n}"}}"#
        )
    };
    let pages: Vec<_> = (1..=count).map(page).collect();
    let error = format!(
        r#"{{"jsonrpc":"2.0","id":@id,"error":{{"code":-32042,"message":"Pay first","data":{{"elicitations":[{}]}}}}}}"#,
        pages.join(",")
    );
    Reply::Body(200, "application/json", error)
}

/// A server whose tool wants `wanted[n]` pages at its n-th call, then is done.
async fn paid(wanted: &'static [usize]) -> Live {
    let turn = Mutex::new(0);
    Live::but(move |seen| {
        if seen.method != "POST" || seen.rpc_method() != "tools/call" {
            return None;
        }
        let mut turn = turn.lock().expect("no panic");
        *turn += 1;
        Some(match wanted.get(*turn - 1) {
            Some(count) => pages(*count, *turn),
            None => Reply::Result(done("paid")),
        })
    })
    .await
}

fn waits_in_browser(phase: &AskPhase) -> bool {
    matches!(phase, AskPhase::InBrowser { asking: false, .. })
}

#[tokio::test]
async fn case_054_pages_that_a_call_needs_are_opened_and_the_call_is_made_anew_on_the_persons_word() {
    for count in [1, 2] {
        let server = paid(if count == 1 { &[1] } else { &[2] }).await;
        let (desk, id) = reached(&server).await;
        let call = desk.call(id);
        let links = desk.questions(call, count).await;
        for link in &links {
            assert_eq!(desk.act(link.id, Act::Open).await, Answered::Opened);
            assert!(waits_in_browser(&desk.phase(link.id)));
        }
        assert_eq!(desk.browser.opened().len(), count);
        assert_eq!(server.heard("tools/call").len(), 1, "opening sends nothing");
        for (left, link) in (0..count).rev().zip(&links) {
            let expected = match u32::try_from(left).expect("few") {
                0 => Answered::Sent,
                open => Answered::Kept { open },
            };
            assert_eq!(desk.act(link.id, Act::CheckAgain).await, expected);
        }
        desk.finished(call).await;
        let calls = server.heard("tools/call");
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].params(), r#"{"name":"t","arguments":{"a":1}}"#);
        assert_eq!(calls[1].params(), calls[0].params(), "the original, and no more");
        assert_ne!(calls[1].id(), calls[0].id());
        assert!(server.answers().is_empty());
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn case_053_an_error_that_names_no_page_ends_the_call_in_the_servers_words() {
    for data in [r#"{}"#, r#"{"elicitations":[]}"#, "null"] {
        let error = format!(
            r#"{{"jsonrpc":"2.0","id":@id,"error":{{"code":-32042,"message":"sign-in needed","data":{data}}}}}"#
        );
        let server = Live::but(move |seen| {
            (seen.method == "POST" && seen.rpc_method() == "tools/call")
                .then(|| Reply::Body(200, "application/json", error.clone()))
        })
        .await;
        let (desk, id) = reached(&server).await;
        let call = desk.call(id);
        let (row, _) = desk.ended(call).await;
        assert_eq!(row.phase, CallPhase::Failed, "{data}: {row:?}");
        assert!(
            row.detail
                .as_deref()
                .is_some_and(|detail| detail.contains("sign-in needed")),
            "{row:?}"
        );
        assert!(desk.app.inbox().asks().is_empty() && desk.browser.opened().is_empty());
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn consent_07_a_link_of_an_ended_session_is_not_opened() {
    let gate = Gate::closed();
    let server = forgetting(&gate).await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://pay.example.com/x","elicitationId":"e"}}"#,
    );
    let ask = desk.question(call).await;
    gate.open();
    let other = desk.call_offer(id, ListKind::Tools, "other");
    desk.call_in(other, CallPhase::Unknown).await;
    over(&desk, ask.id).await;
    let late = desk.act(ask.id, Act::Open).await;
    assert!(matches!(late, Answered::NotPossible { .. }), "{late:?}");
    assert!(desk.browser.opened().is_empty() && server.answers().is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_page_that_is_not_wanted_ends_the_call_and_nothing_is_sent() {
    for act in [Act::Decline, Act::Dismiss] {
        let server = paid(&[1]).await;
        let (desk, id) = reached(&server).await;
        let call = desk.call(id);
        let link = desk.question(call).await;
        assert_eq!(desk.act(link.id, act).await, Answered::Sent);
        let (row, end) = desk.ended(call).await;
        assert_eq!((row.phase, end), (CallPhase::Stopped, End::Declined));
        assert_eq!(server.heard("tools/call").len(), 1);
        assert!(server.answers().is_empty());
        assert!(server.heard("notifications/cancelled").is_empty());
        assert!(desk.app.inbox().asks().is_empty());
        assert!(desk.browser.opened().is_empty());
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn the_same_page_once_more_waits_for_the_person_each_time() {
    let server = paid(&[1, 1, 1]).await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    let link = desk.question(call).await;
    desk.act(link.id, Act::Open).await;
    for tries in 1..=3 {
        let waiting = desk.question(call).await;
        assert_eq!(waiting.id, link.id, "it keeps its card");
        assert!(waits_in_browser(&waiting.phase));
        assert_eq!(server.heard("tools/call").len(), tries);
        pass(Duration::from_secs(3600)).await;
        assert_eq!(server.heard("tools/call").len(), tries, "not by itself");
        assert_eq!(desk.act(link.id, Act::CheckAgain).await, Answered::Sent);
        server.until_heard("tools/call", tries + 1).await;
    }
    desk.finished(call).await;
    assert_eq!(desk.browser.opened().len(), 1, "opened once");
    desk.app.shut_down().await;
}

#[tokio::test]
async fn on_a_modern_connection_pages_by_an_error_are_an_error() {
    let server = Http::replies([pages(1, 1)]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let (row, end) = desk.ended(call).await;
    assert!(matches!(end, End::Refused { .. }), "{end:?}");
    assert_eq!(row.phase, CallPhase::Failed);
    assert!(desk.app.inbox().asks().is_empty());
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn batches_of_2025_03_26_are_read() {
    let server = Live::but(|seen: &Seen| {
        if seen.method != "POST" {
            return None;
        }
        match (seen.rpc_method().as_str(), seen.id()) {
            ("initialize", _) => Some(session("2025-03-26")),
            ("tools/list", id) => Some(Reply::Body(
                200,
                "application/json",
                format!(
                    r#"[{{"jsonrpc":"2.0","method":"notifications/message","params":{{}}}},{}]"#,
                    result(&id, r#"{"tools":[]}"#)
                ),
            )),
            _ => None,
        }
    })
    .await;
    let desk = Desk::new();
    let target = server.target();
    let speak = Speak::Only(Revision::V2025_03_26);
    let id = desk.app.add_speaking("old", target, PATIENCE, speak);
    let offers = desk.app.connected(id).await.expect("a session and its lists");
    assert!(offers.tools.is_empty());
    let call = desk.call(id);
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@id,"progress":1,"total":4}}"#;
    let question = asks(r#""q""#, "Name?");
    server.call("t").say(&format!("[{progress},{question}]"));
    let ask = desk.question(call).await;
    let percent = desk.row(call).progress.and_then(|progress| progress.percent);
    assert_eq!(percent, Some(25));
    desk.accept(ask.id, vec![text(0, "Ada")]).await;
    delivered(&desk, ask.id, Action::Accept).await;
    assert_eq!(server.answers(), [ADA], "answered alone");
    let last = result("@id", &done("ok"));
    server.call("t").say(&format!("[{progress},{last}]"));
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn of_sixty_five_open_questions_the_last_is_refused_and_the_others_wait() {
    let server = Live::new().await;
    let (desk, _) = reached(&server).await;
    server.until_listening(1).await;
    for number in 0..65 {
        server.own().say(&asks(&number.to_string(), "And this?"));
    }
    let refused = server.until_heard("", 1).await.remove(0);
    assert_eq!(
        refused.body,
        r#"{"jsonrpc":"2.0","id":64,"error":{"code":-32603,"message":"Too many questions are open."}}"#
    );
    desk.until("the questions", |desk| {
        (desk.app.inbox().asks().len() == 64).then_some(())
    })
    .await;
    assert_eq!(server.answers().len(), 1, "nothing else is answered");
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_withdrawal_or_a_completion_of_something_unknown_changes_nothing() {
    let (server, desk, call, ask) = asked().await;
    let before = desk.view(ask.id);
    for params in [
        r#"{"requestId":"never"}"#,
        r#"{"requestId":1}"#,
        r#"{"requestId":2,"reason":"ours, not yours"}"#,
        r#"{"requestId":null}"#,
        r#"{"reason":7}"#,
        "[]",
    ] {
        server.call("t").say(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#
        ));
    }
    for params in [r#"{"elicitationId":"e-none"}"#, r#"{"elicitationId":7}"#, "{}"] {
        server.call("t").say(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{params}}}"#
        ));
    }
    // What follows on the same stream comes after all of these.
    server
        .call("t")
        .say(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    assert_eq!(
        server.until_heard("", 1).await[0].body,
        r#"{"jsonrpc":"2.0","id":"p","result":{}}"#
    );
    let after = desk.view(ask.id);
    assert_eq!((after.phase, after.revision), (before.phase, before.revision));
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_051_a_page_of_which_nothing_is_heard_again_can_be_opened_again_and_left() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"Pay","url":"https://pay.example.com/x","elicitationId":"e"}}"#,
    );
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    let asking = |phase: &AskPhase| matches!(phase, AskPhase::InBrowser { asking: true, .. });
    phase(&desk, ask.id, "the waiting card", asking).await;
    desk.clock.advance(Duration::from_secs(30 * 24 * 3600));
    assert_eq!(desk.view(ask.id).acts, [Act::Open, Act::StopCall]);
    assert_eq!(desk.act(ask.id, Act::Open).await, Answered::Opened);
    assert_eq!(desk.browser.opened().len(), 2);
    assert_eq!(server.answers().len(), 1, "the server was told once");
    desk.act(ask.id, Act::StopCall).await;
    desk.call_in(call, CallPhase::Stopped).await;
    assert!(desk.app.inbox().asks().is_empty());
    desk.app.shut_down().await;

    // Where the call was refused until the page is done, the person also says when to try.
    let server = paid(&[1]).await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Open).await;
    desk.clock.advance(Duration::from_secs(30 * 24 * 3600));
    assert_eq!(
        desk.view(ask.id).acts,
        [
            Act::Decline,
            Act::GiveUp,
            Act::Open,
            Act::CheckAgain,
            Act::StopCall
        ]
    );
    desk.act(ask.id, Act::CheckAgain).await;
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_064_a_link_without_a_number_of_its_own_is_shown_and_answered() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    let call = desk.call(id);
    server.call("t").say(
        r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/x"}}"#,
    );
    let ask = desk.question(call).await;
    assert!(ask.acts.contains(&Act::Open), "{:?}", ask.acts);
    desk.act(ask.id, Act::Open).await;
    server.until_heard("", 1).await;
    assert_eq!(
        server.answers(),
        [r#"{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}"#]
    );
    assert_eq!(desk.browser.opened(), ["https://a.example/x"]);
    server.call("t").done();
    desk.finished(call).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_063_both_eras_are_told_of_the_same_ways_to_ask() {
    let server = Live::new().await;
    let (desk, id) = reached(&server).await;
    server.call("t").done();
    desk.finished(desk.call(id)).await;
    desk.app.shut_down().await;
    let greeted = server.heard("initialize")[0].json();
    let legacy = greeted
        .get("params")
        .and_then(|params| params.get("capabilities"));
    let modern = Http::replies([Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    desk.finished(desk.call(desk.add("new", &modern))).await;
    let called = modern.seen()[0].json();
    let meta = called.get("params").and_then(|params| params.get("_meta"));
    let modern = meta.and_then(|meta| meta.get("io.modelcontextprotocol/clientCapabilities"));
    let both = [legacy, modern].map(|told| told.map(ToString::to_string));
    let told = r#"{"elicitation":{"form":{},"url":{}}}"#;
    assert_eq!(both, [Some(told.to_owned()), Some(told.to_owned())]);
}
