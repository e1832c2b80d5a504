//! Programs of the 2025 era (2025-11-25, basic/lifecycle, client/elicitation): the handshake, questions on stdout,
//! their withdrawal, and what becomes of them when the program ends.

use crate::kit::live::{asks, handshake, over, result};
use crate::kit::{Desk, Program, done, pass, text};
use countersign_core::mrtr::driver::End;
use countersign_core::session::{Speak, Target};
use countersign_core::view::{
    Act, Action, Answered, AskPhase, AskView, CallAct, CallId, CallPhase, OfferKind, ServerId,
};
use countersign_core::wire::Revision;
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::ListKind;
use std::time::Duration;

const ADA: &str = r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}"#;
const PATIENCE: Duration = Duration::from_secs(60);

/// An action that writes a line.
fn out(line: &str) -> String {
    format!(r#"{{"out":{}}}"#, Json::string(line))
}

fn done_with(id: &str) -> String {
    out(&result(id, &done("ok")))
}

/// A program with the handshake and a plan for calls and answers, each a list of turns.
fn program(calls: &str, answers: &str) -> Program {
    Program::new(&format!(
        r#"{{"on":{{"initialize":[[{}]],"tools/call":[{calls}],"":[{answers}]}}}}"#,
        out(&result("@id", &handshake("2025-11-25")))
    ))
}

/// A program that asks a name in its first call and is done when it is answered.
fn asking() -> Program {
    program(
        &format!(
            r#"[{{"keep":"call"}},{}],[{}]"#,
            out(&asks(r#""q""#, "Name?")),
            done_with("@id")
        ),
        &format!("[{}]", done_with("@call")),
    )
}

async fn reached(program: &Program) -> (Desk, ServerId) {
    let desk = Desk::new();
    let target = Target::Stdio(program.command());
    let speak = Speak::Only(Revision::V2025_11_25);
    let id = desk.app.add_speaking("old", target, PATIENCE, speak);
    desk.app.reached(id).await.expect("a session");
    (desk, id)
}

async fn asked(program: &Program) -> (Desk, ServerId, CallId, AskView) {
    let (desk, id) = reached(program).await;
    let call = desk.call(id);
    let ask = desk.question(call).await;
    (desk, id, call, ask)
}

/// What the program heard of answers.
fn answers(program: &Program) -> Vec<String> {
    let heard = program.heard().into_iter();
    heard
        .filter(|line| Json::parse(line).is_ok_and(|json| json.get("method").is_none()))
        .collect()
}

#[tokio::test]
async fn the_handshake_comes_before_everything_and_the_answer_is_a_line() {
    let program = asking();
    let (desk, _, call, ask) = asked(&program).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(
        desk.phase(ask.id),
        AskPhase::Delivered {
            action: Action::Accept
        }
    );
    desk.app.shut_down().await;
    let initialize = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{"elicitation":{{"form":{{}},"url":{{}}}}}},"clientInfo":{{"name":"countersign","title":"Countersign","version":"{}"}}}}}}"#,
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(
        program.heard(),
        [
            "# start",
            &initialize,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"_meta":{"progressToken":2}}}"#,
            ADA,
            "# eof"
        ]
    );
}

#[tokio::test]
async fn a_decline_and_a_dismissal_are_told_as_they_are() {
    for (act, action) in [(Act::Decline, "decline"), (Act::Dismiss, "cancel")] {
        let program = asking();
        let (desk, _, call, ask) = asked(&program).await;
        assert_eq!(desk.act(ask.id, act).await, Answered::Sent);
        desk.finished(call).await;
        assert_eq!(
            answers(&program),
            [format!(
                r#"{{"jsonrpc":"2.0","id":"q","result":{{"action":"{action}"}}}}"#
            )]
        );
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn two_calls_that_ask_at_once_get_their_own_answers() {
    // Each is done when an answer came, whichever: what counts is which id each answer has.
    let program = program(
        &format!(
            r#"[{{"keep":"one"}},{}],[{{"keep":"two"}},{}]"#,
            out(&asks("1", "First?")),
            out(&asks(r#""1""#, "Second?"))
        ),
        &format!("[],[{},{}]", done_with("@one"), done_with("@two")),
    );
    let (desk, id) = reached(&program).await;
    let one = desk.call(id);
    let first = desk.question(one).await;
    let two = desk.call_offer(id, ListKind::Tools, "t2");
    // Two calls run, so nothing says whose question the second is.
    let second = desk
        .until("the second question", |desk| {
            let mut rows = desk.app.inbox().asks().into_iter();
            rows.find(|row| row.id != first.id)
        })
        .await;
    assert_eq!(second.first_line, "Second?");
    desk.accept(second.id, vec![text(0, "two")]).await;
    desk.accept(first.id, vec![text(0, "one")]).await;
    desk.finished(one).await;
    desk.finished(two).await;
    assert_eq!(
        answers(&program),
        [
            r#"{"jsonrpc":"2.0","id":"1","result":{"action":"accept","content":{"name":"two"}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"one"}}}"#,
        ]
    );
    let own = desk.app.inbox().calls().into_iter();
    let own: Vec<_> = own.filter(|row| row.kind == OfferKind::Question).collect();
    assert_eq!(own.len(), 1, "it was a call of its own");
    assert_eq!(own[0].phase, CallPhase::Done);
    desk.app.shut_down().await;
}

#[tokio::test]
async fn what_is_no_question_for_a_person_is_answered_at_once() {
    let asked = [
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"mode":"voice","message":"m"}}"#,
    ];
    let lines: Vec<_> = asked.iter().map(|line| out(line)).collect();
    let program = program(
        &format!(r#"[{{"keep":"call"}},{}]"#, lines.join(",")),
        &format!("[],[],[{}]", done_with("@call")),
    );
    let (desk, id) = reached(&program).await;
    desk.finished(desk.call(id)).await;
    let mut heard = answers(&program);
    heard.sort();
    assert_eq!(
        heard,
        [
            r#"{"jsonrpc":"2.0","id":"p","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"This client does not know this method."}}"#,
            r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"This client did not declare the mode “voice”."}}"#,
        ]
    );
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_066_no_time_runs_out_while_the_person_is_asked() {
    let program = asking();
    let (desk, _, call, ask) = asked(&program).await;
    pass(PATIENCE * 100).await;
    assert_eq!(desk.accept(ask.id, vec![text(0, "Ada")]).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(answers(&program), [ADA]);
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_070_a_question_that_is_taken_back_says_why_and_nothing_is_sent() {
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"no longer needed"}}"#;
    let program = program(
        &format!(
            r#"[{{"keep":"call"}},{}],[{},{},{}]"#,
            out(&asks(r#""q""#, "Name?")),
            out(cancelled),
            done_with("@call"),
            done_with("@id")
        ),
        "[]",
    );
    let (desk, id, call, ask) = asked(&program).await;
    let other = desk.call_offer(id, ListKind::Tools, "other");
    assert_eq!(
        over(&desk, ask.id).await,
        "The server took this question back: “no longer needed”. Nothing was sent."
    );
    desk.finished(call).await;
    desk.finished(other).await;
    let late = desk.accept(ask.id, vec![text(0, "Ada")]).await;
    assert!(matches!(late, Answered::NotPossible { .. }), "{late:?}");
    assert!(answers(&program).is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn case_076_a_question_ends_with_its_program_and_the_app_lives() {
    let program = program(
        &format!(
            r#"[{}],[{{"err":"out of luck"}},{{"exit":3}}]"#,
            out(&asks(r#""q""#, "Name?"))
        ),
        "[]",
    );
    let (desk, id, call, ask) = asked(&program).await;
    let deadly = desk.call_offer(id, ListKind::Tools, "deadly");
    assert_eq!(
        over(&desk, ask.id).await,
        "The server's program has ended, so this can no longer be answered."
    );
    desk.call_in(call, CallPhase::Unknown).await;
    desk.call_in(deadly, CallPhase::Unknown).await;
    let late = desk.accept(ask.id, vec![text(0, "Ada")]).await;
    assert!(matches!(late, Answered::NotPossible { .. }), "{late:?}");
    let gone = desk.act(ask.id, Act::Dismiss).await;
    assert!(matches!(gone, Answered::NotPossible { .. }), "{gone:?}");
    assert!(desk.app.inbox().asks().is_empty());
    assert!(answers(&program).is_empty());
    for call in [call, deadly] {
        desk.on_call(call, CallAct::Leave).expect("it can be left");
        desk.ended(call).await;
    }
    // The next call starts the program anew, which asks as it did.
    let again = desk.call(id);
    let ask = desk.question(again).await;
    assert_eq!(ask.message.text, "Name?");
    let starts = program.heard().iter().filter(|line| *line == "# start").count();
    assert_eq!(starts, 2);
    desk.on_call(again, CallAct::Stop).expect("it runs");
    desk.ended(again).await;
    desk.app.shut_down().await;
}

#[tokio::test]
async fn a_call_that_is_stopped_while_it_asks_is_cancelled_and_not_answered() {
    let program = asking();
    let (desk, id, call, ask) = asked(&program).await;
    assert_eq!(desk.act(ask.id, Act::StopCall).await, Answered::Sent);
    let (_, end) = desk.ended(call).await;
    assert_eq!(end, End::Stopped { in_flight: true });
    program.until_heard("notifications/cancelled").await;
    assert_eq!(
        program.heard().last().map(String::as_str),
        Some(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"stopped by the person"}}"#
        )
    );
    desk.finished(desk.call_offer(id, ListKind::Tools, "other")).await;
    assert!(answers(&program).is_empty());
    desk.app.shut_down().await;
}

#[tokio::test]
async fn the_end_of_the_app_answers_nothing() {
    let program = asking();
    let (desk, _, _, ask) = asked(&program).await;
    desk.app.shut_down().await;
    assert!(over(&desk, ask.id).await.contains("can no longer be answered"));
    assert!(answers(&program).is_empty());
    assert_eq!(program.heard().last().map(String::as_str), Some("# eof"));
}

#[tokio::test]
async fn a_greeting_that_is_not_answered_is_never_cancelled() {
    let program = Program::new(r#"{"on":{"initialize":[[]]}}"#);
    let desk = Desk::new();
    let speak = Speak::Only(Revision::V2025_11_25);
    let target = Target::Stdio(program.command());
    let id = desk.app.add_speaking("old", target, PATIENCE, speak);
    let app = desk.app.clone();
    let reaching = tokio::spawn(async move { app.reached(id).await.map(|_| ()) });
    program.until_heard("initialize").await;
    desk.app.shut_down().await;
    crate::kit::patiently("an end", reaching)
        .await
        .expect("no panic")
        .expect_err("no session");
    let heard = program.heard();
    assert!(heard.iter().all(|line| !line.contains("cancelled")), "{heard:?}");
    assert_eq!(heard.len(), 3, "start, greeting, end: {heard:?}");
}

#[tokio::test]
async fn a_question_in_the_same_breath_as_a_result_is_a_call_of_its_own() {
    // One write: the call has its result before anybody has looked at it.
    let both = format!(
        "{}\n{}",
        result("@id", &done("ok")),
        asks(r#""q""#, "By the way?")
    );
    let program = program(&format!("[{}]", out(&both)), "[]");
    let (desk, id) = reached(&program).await;
    desk.finished(desk.call(id)).await;
    let row = desk
        .until("the question", |desk| desk.app.inbox().asks().into_iter().next())
        .await;
    assert_eq!(desk.act(row.id, Act::Decline).await, Answered::Sent);
    program.until_heard("decline").await;
    desk.app.shut_down().await;
}
