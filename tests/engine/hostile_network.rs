//! What breaks the protocol ends the call with a diagnosis; nothing is shown to be answered, nothing is sent.

use crate::kit::{Desk, Http, Reply, form, input_required, link, name};
use countersign_core::mrtr::driver::End;
use countersign_core::view::{AskBody, CallPhase, ResultPart};

async fn fails(result: &str, said: &str) {
    let server = Http::replies([Reply::Result(result.to_owned())]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let (row, end) = desk.ended(call).await;
    let detail = row.detail.unwrap_or_default();
    assert!(matches!(end, End::Invalid(_)), "{result}: {end:?}");
    assert_eq!(row.phase, CallPhase::Failed);
    assert!(
        detail.contains(said) && detail.ends_with("Nothing was answered for you."),
        "{detail}"
    );
    assert!(detail.len() < 400 && !detail.contains('\u{202e}'), "{detail}");
    assert!(desk.app.snapshot().asks.is_empty());
    assert_eq!(server.seen().len(), 1);
}

/// A good form beside `entry`.
fn beside(entry: &str) -> String {
    input_required(
        &[("good", form("m", name())), ("odd", entry.to_owned())],
        Some(r#""s""#),
    )
}

#[tokio::test]
async fn one_bad_entry_fails_the_round_whole() {
    fails(
        &beside(r#"{"method":"sampling/createMessage","params":{}}"#),
        "“odd” asks for “sampling/createMessage”",
    )
    .await;
    fails(&beside(r#"{"method":"roots/list"}"#), "“roots/list”").await;
    fails(&beside(r#"{"params":{}}"#), "“odd” asks for “nothing”").await;
    fails(&beside(r#"{"method":7}"#), "“odd”").await;
    fails(&beside("7"), "“odd” is not an object").await;
    fails(&beside("null"), "“odd” is not an object").await;
    fails(&beside("[]"), "“odd” is not an object").await;
    fails(
        &beside(r#"{"method":"elicitation/create","params":{"mode":"voice\u202e","message":"m"}}"#),
        "unknown mode “voice⟦U+202E⟧”",
    )
    .await;
    fails(
        &beside(r#"{"method":"elicitation/create","params":{"mode":null,"message":"m"}}"#),
        "unknown mode",
    )
    .await;
}

#[tokio::test]
async fn a_result_of_another_kind_or_shape_fails() {
    fails(r#"{"resultType":"later"}"#, "“later”").await;
    fails(r#"{"resultType":"task","task":{}}"#, "“task”").await;
    fails(r#"{"resultType":"Complete","content":[]}"#, "“Complete”").await;
    fails(r#"{"resultType":null}"#, "“null”").await;
    let long = format!(r#"{{"resultType":"{}\u202e"}}"#, "x".repeat(100_000));
    fails(&long, "does not know").await;
    fails(r#"{"resultType":"\u202eevil"}"#, "⟦U+202E⟧evil").await;
    fails("[]", "not an object").await;
    fails("7", "not an object").await;
    fails(
        r#"{"resultType":"input_required"}"#,
        "neither a question nor a state",
    )
    .await;
    fails(
        r#"{"resultType":"input_required","inputRequests":{}}"#,
        "neither a question nor a state",
    )
    .await;
    fails(
        r#"{"resultType":"input_required","inputRequests":[]}"#,
        "not an object of entries",
    )
    .await;
    fails(
        r#"{"resultType":"input_required","inputRequests":null}"#,
        "not an object of entries",
    )
    .await;
    fails(r#"{"resultType":"input_required","requestState":7}"#, "not text").await;
    fails(
        r#"{"resultType":"input_required","requestState":null}"#,
        "not text",
    )
    .await;
}

#[tokio::test]
async fn http_57_a_state_too_large_fails_with_the_figure() {
    let state = |bytes: usize| format!("\"{}\"", "s".repeat(bytes));
    fails(
        &input_required(&[], Some(&state(256 * 1024 + 1))),
        "262145 bytes; 262144 is the most",
    )
    .await;
    // One message is larger than what is read of any.
    let server = Http::replies([Reply::Result(input_required(&[], Some(&state(10 * 1024 * 1024))))]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let row = desk.call_in(call, CallPhase::Unknown).await;
    let detail = row.detail.unwrap_or_default();
    assert!(
        detail.contains("more than 4194304 bytes in one answer"),
        "{detail}"
    );
    assert!(!desk.everything_shown().contains("ssss"));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn http_59_a_round_with_too_many_questions_fails_with_the_figure() {
    for count in [17, 1000] {
        let keys: Vec<String> = (0..count).map(|n| format!("k{n}")).collect();
        let entries: Vec<(&str, String)> = keys.iter().map(|key| (key.as_str(), form("m", name()))).collect();
        fails(
            &input_required(&entries, None),
            &format!("{count} questions in one round; 16 is the most"),
        )
        .await;
    }
}

#[tokio::test]
async fn a_result_without_a_type_is_complete_whatever_else_it_holds() {
    let asked = input_required(&[("q", form("m", name()))], Some(r#""s""#));
    let untyped = asked.replace(r#""resultType":"input_required","#, "");
    let server = Http::replies([Reply::Result(untyped)]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    desk.finished(call).await;
    assert!(desk.app.snapshot().asks.is_empty());
    let parts = desk.app.inbox().result(call).expect("a result").parts;
    assert!(
        matches!(&parts[0], ResultPart::Other { note } if note.contains("no content")),
        "{parts:?}"
    );
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_error_that_asks_for_a_page_opens_nothing() {
    let body = r#"{"jsonrpc":"2.0","id":@id,"error":{"code":-32042,"message":"open \u202eit","data":{"elicitations":[{"mode":"url","url":"https://evil.example.net/","elicitationId":"1"}]}}}"#;
    let server = Http::replies([Reply::Body(200, "application/json", body.to_owned())]).await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let row = desk.call_in(call, CallPhase::Failed).await;
    assert_eq!(
        row.detail.as_deref(),
        Some("The server refused: “open ⟦U+202E⟧it” (-32042).")
    );
    assert!(desk.app.snapshot().asks.is_empty() && desk.browser.opened().is_empty());
}

#[tokio::test]
async fn http_54_of_an_address_that_is_sent_twice_the_shown_one_is_opened() {
    let twice = r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://first.example.com/","url":"https://second.example.com/"}}"#;
    let server = Http::replies([
        Reply::Result(input_required(&[("page", twice.to_owned())], None)),
        Reply::Result("{}".to_owned()),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let ask = desk.question(call).await;
    let AskBody::Link { inspection, .. } = &ask.body else {
        panic!("a link")
    };
    let shown = inspection.shown.clone();
    desk.act(ask.id, countersign_core::view::Act::Open).await;
    desk.finished(call).await;
    assert_eq!(desk.browser.opened(), [shown]);
}

#[tokio::test]
async fn words_of_a_server_reach_the_window_filtered() {
    let spoof = r"Pay \u202e\u200b\u001b[31mnow";
    let schema = r#"{"type":"object","properties":{"n\u202e":{"type":"string","title":"T\u202e","description":"D\u202e","default":"V\u202e"}}}"#;
    let server = Http::replies([Reply::Result(input_required(
        &[
            ("f\\u202e", form(spoof, schema)),
            ("l", link(spoof, "https://a.example.com/\\u202e")),
        ],
        None,
    ))])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 2).await;
    for ask in &asks {
        assert_eq!(ask.message.text, "Pay ⟦U+202E⟧⟦U+200B⟧⟦U+001B⟧[31mnow");
        let whole = serde_json::to_string(&without_values(ask)).expect("JSON");
        assert!(!whole.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{whole}");
    }
}

/// The view but for the default that is sent as it is.
fn without_values(ask: &countersign_core::view::AskView) -> serde_json::Value {
    let mut view = serde_json::to_value(ask).expect("JSON");
    if let Some(fields) = view
        .pointer_mut("/body/form/fields")
        .and_then(serde_json::Value::as_array_mut)
    {
        for field in fields {
            field["suggested"] = serde_json::Value::Null;
        }
    }
    view
}
