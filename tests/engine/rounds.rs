//! Forms over one and several rounds: the exact bytes of every retry.

use crate::kit::{Desk, Http, Reply, done, form, input_required, link, name, text};
use countersign_core::form::{FieldInput, Input};
use countersign_core::mrtr::driver::End;
use countersign_core::mrtr::machine::ROUND_CAP;
use countersign_core::view::{Act, Answered, AskBody, AskPhase, CallAct, CallPhase, ResultPart};
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::ListKind;

const CALL: &str = r#""name":"t","arguments":{"a":1}"#;

fn ask_name(state: Option<&str>) -> Reply {
    Reply::Result(input_required(&[("q", form("Your name?", name()))], state))
}

/// The parameters of the one retry to a form `schema` that is answered by `act`.
async fn retry(schema: &str, act: Act, inputs: Vec<FieldInput>) -> String {
    let server = Http::replies([
        Reply::Result(input_required(&[("q", form("m", schema))], None)),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    let inputs = (act == Act::Accept).then_some(inputs);
    assert_eq!(desk.act_with(ask.id, act, inputs, None).await, Answered::Sent);
    desk.finished(call).await;
    server.params().remove(1)
}

#[tokio::test]
async fn an_answer_is_exactly_these_bytes() {
    let check = |schema: &'static str, act, inputs, result: &'static str| async move {
        let sent = retry(schema, act, inputs).await;
        assert_eq!(sent, format!(r#"{{{CALL},"inputResponses":{{"q":{result}}}}}"#));
    };
    let all =
        r#"{"type":"object","properties":{"n":{"type":"string"},"i":{"type":"integer"},"x":{"type":"number"},
        "b":{"type":"boolean"},"c":{"type":"string","enum":["one","two"]},
        "m":{"type":"array","items":{"type":"string","enum":["r","g"]}}}}"#
            .replace('\n', "");
    let all: &'static str = Box::leak(all.into_boxed_str());
    let input = FieldInput::new;
    let inputs = vec![
        text(0, " aé\u{2028}\"=+/ "),
        text(1, "3.0"),
        text(2, "1.50"),
        input(3, Input::Flag { value: false }),
        input(4, Input::Pick { index: 1 }),
        input(5, Input::Picks { indexes: vec![1, 0] }),
    ];
    check(
        all,
        Act::Accept,
        inputs,
        "{\"action\":\"accept\",\"content\":{\"n\":\" aé\u{2028}\\\"=+/ \",\"i\":3,\"x\":1.50,\"b\":false,\"c\":\"two\",\"m\":[\"r\",\"g\"]}}",
    )
    .await;
    check(all, Act::Accept, vec![], r#"{"action":"accept","content":{}}"#).await;
    let empty = r#"{"type":"object","properties":{}}"#;
    check(empty, Act::Accept, vec![], r#"{"action":"accept","content":{}}"#).await;
    check(all, Act::Decline, vec![], r#"{"action":"decline"}"#).await;
    check(all, Act::Dismiss, vec![], r#"{"action":"cancel"}"#).await;
}

#[tokio::test]
async fn case_088_declining_tells_the_server_and_its_result_is_shown() {
    let server = Http::replies([ask_name(None), Reply::Result(done("As you like."))]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    assert_eq!(desk.act(ask.id, Act::Decline).await, Answered::Sent);
    desk.finished(call).await;
    let result = desk.app.inbox().result(call).expect("a result");
    assert!(matches!(&result.parts[0], ResultPart::Text { text, .. } if text.text == "As you like."));
    assert!(matches!(desk.phase(ask.id), AskPhase::Delivered { .. }));
    assert!(desk.app.inbox().asks().is_empty());
}

#[tokio::test]
async fn case_086_the_state_is_echoed_exactly_or_not_at_all() {
    let long = format!("\"{}\"", "s".repeat(200_000));
    let states = [
        Some("\" a\u{e9}\\u2028=+/ \""),
        Some(r#""{\"a\": 1 }""#),
        Some(r#""""#),
        Some(r#""\ud83d\ude00\u0000\/""#),
        Some(long.as_str()),
        None,
    ];
    for state in states {
        let server = Http::replies([ask_name(state), Reply::Result(done("ok"))]).await;
        let desk = Desk::new();
        let call = desk.call(desk.add("one", &server));
        let ask = desk.question(call).await;
        desk.act(ask.id, Act::Decline).await;
        desk.finished(call).await;
        let retry = server.seen()[1].json();
        let echoed = retry.get("params").and_then(|params| params.get("requestState"));
        assert_eq!(
            echoed.cloned(),
            state.map(|state| Json::parse(state).expect("JSON"))
        );
    }
}

#[tokio::test]
async fn a_form_a_link_and_a_form_finish_with_one_retry_a_round() {
    let page = "https://pay.example.com/done?t=1";
    let server = Http::replies([
        Reply::Result(input_required(
            &[("first", form("Name?", name()))],
            Some(r#""s1""#),
        )),
        Reply::Result(input_required(&[("page", link("Pay.", page))], None)),
        Reply::Result(input_required(
            &[("first", form("Again?", name()))],
            Some(r#""""#),
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let first = desk.question(call).await;
    assert_eq!(desk.accept(first.id, vec![text(0, "Ann")]).await, Answered::Sent);
    let page_ask = desk.question(call).await;
    assert_eq!(desk.act(page_ask.id, Act::Open).await, Answered::Sent);
    let last = desk.question(call).await;
    assert_ne!(last.id, first.id);
    assert!(matches!(&last.body, AskBody::Form { draft, .. } if draft.is_empty()));
    assert_eq!(desk.accept(last.id, vec![text(0, "Bob")]).await, Answered::Sent);
    let row = desk.finished(call).await;
    assert_eq!(row.rounds, 3);
    let answers = |responses: &str| format!(r#"{{{CALL},"inputResponses":{responses}}}"#);
    assert_eq!(
        server.params(),
        [
            format!("{{{CALL}}}"),
            answers(r#"{"first":{"action":"accept","content":{"name":"Ann"}}}"#)
                .replace("}}}}", r#"}}},"requestState":"s1"}"#),
            answers(r#"{"page":{"action":"accept"}}"#),
            answers(r#"{"first":{"action":"accept","content":{"name":"Bob"}}}"#)
                .replace("}}}}", r#"}}},"requestState":""}"#),
        ]
    );
    let ids: Vec<String> = server.seen().iter().map(|seen| seen.id()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    assert_eq!(desk.browser.opened(), [page]);
}

#[tokio::test]
async fn three_questions_of_a_round_travel_in_one_retry() {
    let server = Http::replies([
        Reply::Result(input_required(
            &[
                ("z", form("One", name())),
                ("", form("Two", name())),
                ("a.b", form("Three", name())),
            ],
            Some(r#""s""#),
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 3).await;
    assert_eq!(
        asks.iter().map(|ask| (ask.position, ask.of)).collect::<Vec<_>>(),
        [(1, 3), (2, 3), (3, 3)]
    );
    assert_eq!(asks[0].accept_label.as_deref(), Some("Keep answer"));
    assert_eq!(
        desk.accept(asks[2].id, vec![text(0, "3")]).await,
        Answered::Kept { open: 2 }
    );
    assert_eq!(
        desk.act(asks[0].id, Act::Decline).await,
        Answered::Kept { open: 1 }
    );
    assert_eq!(
        desk.view(asks[1].id).accept_label.as_deref(),
        Some("Send 3 answers")
    );
    assert_eq!(server.seen().len(), 1, "kept, not sent");
    desk.act(asks[0].id, Act::Edit).await;
    assert_eq!(
        desk.act(asks[0].id, Act::Dismiss).await,
        Answered::Kept { open: 1 }
    );
    assert_eq!(desk.accept(asks[1].id, vec![text(0, "2")]).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(
        server.params()[1..],
        [format!(
            r#"{{{CALL},"inputResponses":{{"z":{{"action":"cancel"}},"":{{"action":"accept","content":{{"name":"2"}}}},"a.b":{{"action":"accept","content":{{"name":"3"}}}}}},"requestState":"s"}}"#
        )]
    );
}

#[tokio::test]
async fn declining_all_answers_every_question_of_the_round() {
    let server = Http::replies([
        Reply::Result(input_required(
            &[
                ("x", form("One", name())),
                ("y", link("Two", "https://a.example.com/")),
            ],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 2).await;
    desk.accept(asks[0].id, vec![text(0, "kept")]).await;
    assert_eq!(desk.act(asks[1].id, Act::DeclineAll).await, Answered::Sent);
    desk.finished(call).await;
    assert_eq!(
        server.params()[1],
        format!(r#"{{{CALL},"inputResponses":{{"x":{{"action":"decline"}},"y":{{"action":"decline"}}}}}}"#)
    );
    assert!(desk.browser.opened().is_empty());
}

#[tokio::test]
async fn prompts_and_documents_ask_too() {
    for (kind, offer, original) in [
        (ListKind::Prompts, "p", r#""name":"p","arguments":{"a":1}"#),
        (ListKind::Resources, "r://x y", r#""uri":"r://x y""#),
    ] {
        let server = Http::replies([ask_name(Some(r#""s""#)), Reply::Result("{}".into())]).await;
        let desk = Desk::new();
        let call = desk.call_offer(desk.add("one", &server), kind, offer);
        let ask = desk.question(call).await;
        desk.act(ask.id, Act::Dismiss).await;
        desk.finished(call).await;
        assert_eq!(
            server.params(),
            [
                format!("{{{original}}}"),
                format!(
                    r#"{{{original},"inputResponses":{{"q":{{"action":"cancel"}}}},"requestState":"s"}}"#
                )
            ]
        );
        let seen = server.seen();
        assert_eq!(seen[0].header("mcp-name"), seen[1].header("mcp-name"));
        assert_eq!(seen[0].header("mcp-method"), seen[1].header("mcp-method"));
    }
}

#[tokio::test]
async fn case_085_a_round_with_meta_is_a_round() {
    let asked = input_required(&[("q", form("m", name()))], Some(r#""s1""#));
    let with_meta = asked.replace(
        r#""requestState""#,
        r#""content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","version":"1"}},"requestState""#,
    );
    let server = Http::replies([Reply::Result(with_meta), Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    assert!(matches!(ask.body, AskBody::Form { .. }));
    desk.act(ask.id, Act::Decline).await;
    desk.finished(call).await;
}

#[tokio::test]
async fn another_call_beside_a_waiting_question_carries_nothing_of_it() {
    let server = Http::replies([ask_name(Some(r#""s""#)), Reply::Result(done("other"))]).await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let waiting = desk.call(id);
    desk.question(waiting).await;
    let other = desk.call(id);
    desk.finished(other).await;
    assert_eq!(server.params(), [format!("{{{CALL}}}"), format!("{{{CALL}}}")]);
}

#[tokio::test]
async fn asked_again_after_a_decline_is_said_with_the_count() {
    let server = Http::new(|_, _| ask_name(None)).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let first = desk.question(call).await;
    assert!(first.notices.is_empty());
    desk.act(first.id, Act::Decline).await;
    let second = desk.question(call).await;
    assert_eq!(second.notices, ["Asked again after you declined (2nd time)."]);
    assert!(second.acts.contains(&Act::StopCall));
    desk.act(second.id, Act::Decline).await;
    let third = desk.question(call).await;
    assert_eq!(third.notices, ["Asked again after you declined (3rd time)."]);
    desk.act(third.id, Act::StopCall).await;
    let row = desk.call_in(call, CallPhase::Stopped).await;
    assert_eq!(
        row.detail.as_deref(),
        Some("You stopped it. Nothing more was sent.")
    );
    assert!(matches!(desk.phase(third.id), AskPhase::Closed { .. }));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn rounds_that_a_person_answers_are_not_capped() {
    let server = Http::new(|_, n| match n {
        0..=12 => ask_name(None),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    for _ in 0..13 {
        let ask = desk.question(call).await;
        assert!(!ask.notices.iter().any(|notice| notice.contains("many times")));
        desk.accept(ask.id, vec![text(0, "x")]).await;
    }
    let row = desk.finished(call).await;
    assert!(row.rounds > ROUND_CAP);
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_not_sent() {
    let server = Http::replies([ask_name(None), Reply::Result(done("ok"))]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    let answered = desk.accept(ask.id, vec![]).await;
    assert!(matches!(answered, Answered::Invalid { errors } if errors.len() == 1));
    assert_eq!(desk.phase(ask.id), AskPhase::Waiting);
    assert_eq!(server.seen().len(), 1);
    desk.app.inbox().draft(ask.id, vec![text(0, "typed")]);
    assert_eq!(
        desk.act(ask.id, Act::Accept).await,
        Answered::Sent,
        "the draft is sent"
    );
    desk.finished(call).await;
    assert!(server.params()[1].contains(r#"{"name":"typed"}"#));
}

#[tokio::test]
async fn a_refused_retry_fails_in_the_servers_words_and_starts_again_with_the_draft() {
    let server = Http::replies([
        ask_name(Some(r#""old""#)),
        Reply::Error(200, -32602, "requestState expired"),
        Reply::Close,
        ask_name(Some(r#""new""#)),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    let row = desk.call_in(call, CallPhase::Failed).await;
    assert_eq!(
        row.detail.as_deref(),
        Some("The server refused: “requestState expired” (-32602).")
    );
    assert_eq!(row.acts, [CallAct::StartAgain]);
    let (_, end) = desk.ended(call).await;
    assert!(matches!(end, End::Refused { error, .. } if error.code == -32602));
    // The first new start is lost on the way; the draft outlives that too.
    let mut last = call;
    for phase in [CallPhase::Unknown, CallPhase::Asking] {
        desk.on_call(last, CallAct::StartAgain).expect("started again");
        let newest = desk.app.inbox().calls()[0].id;
        assert_ne!(newest, last);
        last = newest;
        desk.call_in(last, phase).await;
        if phase == CallPhase::Unknown {
            desk.on_call(last, CallAct::Leave).expect("left");
            desk.ended(last).await;
        }
    }
    let again = desk.question(last).await;
    assert!(matches!(&again.body, AskBody::Form { draft, .. } if *draft == [text(0, "Ann")]));
    assert_eq!(desk.act(again.id, Act::Accept).await, Answered::Sent);
    desk.finished(last).await;
    let params = server.params();
    assert_eq!(
        params[2],
        format!("{{{CALL}}}"),
        "from the beginning, without answers or state"
    );
    assert!(params[4].ends_with(r#""requestState":"new"}"#));
}

#[tokio::test]
async fn the_newest_draft_is_offered_when_a_key_was_asked_twice() {
    let server = Http::replies([
        ask_name(None),
        ask_name(None),
        Reply::Error(400, -32602, "no"),
        ask_name(None),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    for words in ["first", "second"] {
        let ask = desk.question(call).await;
        desk.accept(ask.id, vec![text(0, words)]).await;
    }
    desk.call_in(call, CallPhase::Failed).await;
    desk.on_call(call, CallAct::StartAgain).expect("started again");
    let again = desk.question(desk.app.inbox().calls()[0].id).await;
    assert!(matches!(&again.body, AskBody::Form { draft, .. } if *draft == [text(0, "second")]));
}

#[tokio::test]
async fn a_draft_is_not_offered_for_other_fields() {
    let other = r#"{"type":"object","properties":{"name":{"type":"integer"}}}"#;
    let server = Http::replies([
        ask_name(None),
        Reply::Error(400, -32602, "no"),
        Reply::Result(input_required(&[("q", form("m", other))], None)),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    desk.call_in(call, CallPhase::Failed).await;
    desk.on_call(call, CallAct::StartAgain).expect("started again");
    let again = desk.question(desk.app.inbox().calls()[0].id).await;
    assert!(matches!(&again.body, AskBody::Form { draft, .. } if draft.is_empty()));
}

#[tokio::test]
async fn a_running_call_is_not_started_again() {
    let server = Http::replies([ask_name(None)]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    desk.question(call).await;
    assert!(desk.on_call(call, CallAct::StartAgain).is_err());
    assert!(desk.on_call(call, CallAct::SendAgain).is_err());
    assert!(desk.on_call(call, CallAct::Leave).is_err());
    assert_eq!(desk.app.inbox().calls().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_drawn_or_opened_is_a_card_without_accept() {
    let nested = r#"{"type":"object","properties":{"o":{"type":"object"}},"required":["o"]}"#;
    let server = Http::replies([
        Reply::Result(input_required(
            &[
                ("nested", form("m", nested)),
                (
                    "none",
                    r#"{"method":"elicitation/create","params":{"message":"no schema"}}"#.into(),
                ),
                ("bare", r#"{"method":"elicitation/create"}"#.into()),
                (
                    "where",
                    r#"{"method":"elicitation/create","params":{"mode":"url","message":"m"}}"#.into(),
                ),
                ("bad", link("m", "javascript:alert(1)")),
            ],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 5).await;
    for ask in &asks {
        assert!(
            !ask.acts.contains(&Act::Accept) && !ask.acts.contains(&Act::Open),
            "{ask:?}"
        );
        assert!(ask.acts.starts_with(&[Act::Decline, Act::Dismiss]), "{ask:?}");
        let said = match &ask.body {
            AskBody::Unusable { reason, .. } => !reason.is_empty(),
            AskBody::Link { inspection, .. } => !inspection.findings.is_empty(),
            AskBody::Form { .. } => false,
        };
        assert!(said, "the reason: {ask:?}");
        for act in [Act::Accept, Act::Open] {
            assert!(matches!(
                desk.act(ask.id, act).await,
                Answered::NotPossible { .. }
            ));
        }
    }
    desk.act(asks[0].id, Act::DeclineAll).await;
    desk.finished(call).await;
    assert!(desk.browser.opened().is_empty());
}
