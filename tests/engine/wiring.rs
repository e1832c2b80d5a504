//! What a server of the modern era sees of headers that repeat arguments, of listening, of the cache and of
//! suggestions; and what a person reads of a result that does not fit.

use crate::kit::{Desk, Gate, Http, Reply, Seen, done, form, input_required, name, text};
use countersign_core::view::{OfferKind, ServerId};
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::ListKind;

fn discovery(capabilities: &str) -> Reply {
    Reply::Result(format!(
        r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private"}}"#
    ))
}

fn ask_name() -> Reply {
    Reply::Result(input_required(
        &[("q", form("Your name?", name()))],
        Some("\"s\""),
    ))
}

fn tool(called: &str, property: &str, more: &str) -> String {
    format!(
        r#"{{"name":"{called}","inputSchema":{{"type":"object","properties":{{"a":{property}}}}}{more}}}"#
    )
}

fn tools(tools: &[String]) -> Reply {
    Reply::Result(format!(
        r#"{{"resultType":"complete","tools":[{}],"ttlMs":0,"cacheScope":"private"}}"#,
        tools.join(",")
    ))
}

async fn call_first(desk: &Desk, server: ServerId) -> countersign_core::view::CallId {
    let offers = desk.app.connected(server).await.expect("connected");
    let arguments = Json::object([("a", Json::integer(1))]);
    desk.app
        .call(
            server,
            &offers.tools[0],
            arguments,
            countersign_core::view::Initiator::Person,
        )
        .expect("the server is there")
}

fn calls(server: &Http) -> Vec<Seen> {
    let seen = server.seen();
    seen.into_iter()
        .filter(|seen| seen.rpc_method() == "tools/call")
        .collect()
}

#[tokio::test]
async fn an_argument_is_repeated_in_its_header_on_the_call_and_on_its_retry() {
    let server = Http::new(|seen, count| match seen.rpc_method().as_str() {
        "server/discover" => discovery(r#"{"tools":{}}"#),
        "tools/list" => tools(&[tool("t", r#"{"type":"integer","x-mcp-header":"A"}"#, "")]),
        _ if count < 3 => ask_name(),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let call = call_first(&desk, id).await;
    let ask = desk.question(call).await;
    desk.accept(ask.id, vec![text(0, "Ann")]).await;
    desk.finished(call).await;
    let sent: Vec<_> = calls(&server)
        .iter()
        .map(|seen| seen.header("mcp-param-a"))
        .collect();
    assert_eq!(sent, [Some("1".to_owned()), Some("1".to_owned())]);
}

#[tokio::test]
async fn case_099_a_tool_with_a_bad_header_is_left_out_over_http_with_its_reason() {
    let server = Http::new(|seen, _| match seen.rpc_method().as_str() {
        "server/discover" => discovery(r#"{"tools":{}}"#),
        _ => tools(&[
            tool("bad", r#"{"type":"number","x-mcp-header":"Score"}"#, ""),
            tool("good", r#"{"type":"string"}"#, ""),
        ]),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    let page = desk.app.server_page(id).await.expect("a page");
    let titles: Vec<_> = page.actions.iter().map(|row| row.title.as_str()).collect();
    assert_eq!(titles, ["good"]);
    assert!(page.problems[0].contains("“bad”"), "{:?}", page.problems);
}

#[tokio::test]
async fn a_header_mismatch_reads_the_list_anew_and_sends_once_more() {
    let server = Http::new(|seen, _| match seen.rpc_method().as_str() {
        "tools/list" => tools(&[tool("t", r#"{"type":"integer","x-mcp-header":"A"}"#, "")]),
        _ if seen.header("mcp-param-a").is_none() => Reply::Error(400, -32020, "Header mismatch"),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    desk.finished(call).await;
    let methods: Vec<_> = server.seen().iter().map(Seen::rpc_method).collect();
    assert_eq!(methods, ["tools/call", "tools/list", "tools/call"]);
}

#[tokio::test]
async fn a_header_mismatch_that_stays_is_told_after_one_more_try() {
    let server = Http::new(|seen, _| match seen.rpc_method().as_str() {
        "tools/list" => tools(&[tool("t", r#"{"type":"integer","x-mcp-header":"A"}"#, "")]),
        _ => Reply::Error(400, -32020, "Header mismatch"),
    })
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let (row, _) = desk.ended(call).await;
    assert!(
        row.detail
            .as_deref()
            .is_some_and(|words| words.contains("-32020")),
        "{:?}",
        row.detail
    );
    assert_eq!(calls(&server).len(), 2);
}

#[tokio::test]
async fn a_structured_result_that_does_not_fit_is_shown_with_a_word_on_it() {
    let schema = r#","outputSchema":{"type":"object","properties":{"t":{"type":"number"}},"required":["t"]}"#;
    let server = Http::new(move |seen, _| match seen.rpc_method().as_str() {
        "server/discover" => discovery(r#"{"tools":{}}"#),
        "tools/list" => tools(&[tool("t", "{}", schema)]),
        _ => Reply::Result(
            r#"{"resultType":"complete","content":[],"structuredContent":{"t":"warm"}}"#.to_owned(),
        ),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    let call = call_first(&desk, id).await;
    desk.finished(call).await;
    let result = desk.app.inbox().result(call).expect("a result");
    assert!(
        result.notices[0].contains("not what the tool says"),
        "{:?}",
        result.notices
    );
    assert!(result.notices[1].contains("/t"), "{:?}", result.notices);
    assert!(!result.parts.is_empty(), "it is shown all the same");
}

#[tokio::test]
async fn a_list_that_changes_is_read_again_by_itself() {
    let changed = Gate::closed();
    let gate = changed.clone();
    let server = Http::new(move |seen, _| match seen.rpc_method().as_str() {
        "server/discover" => discovery(r#"{"tools":{"listChanged":true}}"#),
        "subscriptions/listen" if !gate.is_open() => {
            let note = r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":@id}}}"#;
            Reply::Held(gate.clone(), Box::new(Reply::Events(vec![format!("{note}\n\n").into_bytes()])))
        }
        "subscriptions/listen" => Reply::Silent(b": listening\n\n".to_vec()),
        _ if gate.is_open() => tools(&[tool("new", "{}", "")]),
        _ => tools(&[tool("old", "{}", "")]),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    server.until_seen(3).await;
    changed.open();
    let mut changes = desk.app.changes();
    loop {
        let page = desk.app.server_page(id).await.expect("a page");
        if page.actions.first().is_some_and(|row| row.title == "new") {
            break;
        }
        crate::kit::patiently("the new list", changes.changed())
            .await
            .expect("the app lives");
    }
    let listening = server.seen();
    let listening = listening
        .iter()
        .find(|seen| seen.rpc_method() == "subscriptions/listen")
        .expect("it listens");
    assert_eq!(
        listening.params(),
        r#"{"notifications":{"toolsListChanged":true}}"#
    );
}

#[tokio::test]
async fn a_server_that_will_not_tell_is_asked_once() {
    let server = Http::new(|seen, _| match seen.rpc_method().as_str() {
        "server/discover" => discovery(r#"{"tools":{"listChanged":true}}"#),
        "subscriptions/listen" => Reply::Error(404, -32601, "Method not found"),
        _ => tools(&[]),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    server.until_seen(3).await;
    desk.app.connected(id).await.expect("connected");
    let asked = server.until_seen(6).await;
    let asked = asked
        .iter()
        .filter(|seen| seen.rpc_method() == "subscriptions/listen");
    assert_eq!(asked.count(), 2, "once for each connection");
}

#[tokio::test]
async fn a_document_within_its_lifetime_is_read_once_and_what_was_asked_for_is_not_kept() {
    let server = Http::new(|_, _| {
        Reply::Result(
            r#"{"resultType":"complete","contents":[{"uri":"x://a","text":"A"}],"ttlMs":600000,"cacheScope":"private"}"#
                .to_owned(),
        )
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    for _ in 0..2 {
        desk.finished(desk.call_offer(id, ListKind::Resources, "x://a"))
            .await;
    }
    assert_eq!(server.seen().len(), 1);
    desk.finished(desk.call_offer(id, ListKind::Resources, "x://b"))
        .await;
    assert_eq!(server.seen().len(), 2, "another document is another request");
}

#[tokio::test]
async fn suggestions_come_from_the_server_and_its_refusal_is_silence() {
    let check = |reply: Reply, expected: &'static [&'static str]| async move {
        let server = Http::new(move |seen, _| match seen.rpc_method().as_str() {
            "server/discover" => discovery(r#"{"prompts":{},"completions":{}}"#),
            "completion/complete" => reply.clone(),
            _ => Reply::Result(
                r#"{"resultType":"complete","prompts":[{"name":"p","arguments":[{"name":"who"},{"name":"why"}]}],"ttlMs":0,"cacheScope":"private"}"#
                    .to_owned(),
            ),
        })
        .await;
        let desk = Desk::new();
        let id = desk.add("one", &server);
        desk.app.connected(id).await.expect("connected");
        let page = desk.app.server_page(id).await.expect("a page");
        let index = page.starters[0].index;
        let view = desk
            .app
            .arguments(id, OfferKind::Starter, index)
            .expect("arguments");
        assert!(view.completes);
        let inputs = [text(0, "An"), text(1, "fun")];
        let found = desk
            .app
            .complete(id, OfferKind::Starter, index, 0, &inputs)
            .await
            .expect("an answer");
        let texts: Vec<_> = found.values.iter().map(|value| value.text.as_str()).collect();
        assert_eq!(texts, expected);
        let seen = server.seen();
        let asked = seen.last().expect("asked");
        assert_eq!(
            asked.params(),
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"who","value":"An"},"context":{"arguments":{"why":"fun"}}}"#
        );
    };
    check(
        Reply::Result(
            r#"{"resultType":"complete","completion":{"values":["Ann","Ant"],"hasMore":false}}"#.to_owned(),
        ),
        &["Ann", "Ant"],
    )
    .await;
    check(Reply::Error(400, -32602, "no"), &[]).await;
}
