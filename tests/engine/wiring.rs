//! What a server of the modern era sees of headers that repeat arguments, of listening, of the cache and of
//! suggestions; and what a person reads of a result that does not fit.

use crate::kit::{Desk, Gate, Http, Program, Reply, Seen, done, form, input_required, name, text};
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

/// A modern program that tells of changes; `read` are the turns of `resources/read`.
fn telling(read: &str) -> Program {
    let result = |result: &str| {
        let message = format!(r#"{{"jsonrpc":"2.0","id":@id,"result":{result}}}"#);
        format!(r#"{{"out":{}}}"#, Json::string(message))
    };
    let discovered = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"listChanged":true,"subscribe":true}},"ttlMs":0,"cacheScope":"private"}"#;
    let listed = r#"{"resultType":"complete","resources":[{"uri":"x://a","name":"a"}],"ttlMs":0,"cacheScope":"private"}"#;
    let templates = r#"{"resultType":"complete","resourceTemplates":[],"ttlMs":0,"cacheScope":"private"}"#;
    let document = r#"{"resultType":"complete","contents":[{"uri":"x://a","text":"A"}],"ttlMs":0,"cacheScope":"private"}"#;
    Program::new(&format!(
        r#"{{"on":{{"server/discover":[[{}]],"resources/list":[[{}]],"resources/templates/list":[[{}]],"resources/read":[{}],"subscriptions/listen":[[]]}}}}"#,
        result(discovered),
        result(listed),
        result(templates),
        read.replace("DOCUMENT", &result(document)),
    ))
}

/// A desk that listens to a program.
async fn listened(program: &Program) -> (Desk, ServerId) {
    let desk = Desk::new();
    let id = desk.add_program("one", program);
    desk.app.connected(id).await.expect("connected");
    program.until_heard("subscriptions/listen").await;
    (desk, id)
}

/// Of what a program heard: its own events, and ids and parameters of listening and cancelling.
fn listening(program: &Program) -> Vec<String> {
    let heard = program.heard().into_iter();
    heard
        .filter_map(|line| {
            let Ok(message) = Json::parse(&line) else {
                return Some(line);
            };
            let params = message.get("params")?;
            match message.get("method").and_then(Json::as_str)? {
                "subscriptions/listen" => Some(format!(
                    "listen {} {}",
                    message.get("id")?,
                    params.get("notifications")?
                )),
                "notifications/cancelled" => Some(format!("cancelled {}", params.get("requestId")?)),
                _ => None,
            }
        })
        .collect()
}

#[tokio::test]
async fn a_subscription_that_is_replaced_or_ends_with_the_app_is_cancelled_first() {
    let program = telling("[DOCUMENT]");
    let (desk, id) = listened(&program).await;
    desk.finished(desk.call_offer(id, ListKind::Resources, "x://a"))
        .await;
    program.until_heard("resourceSubscriptions").await;
    desk.app.shut_down().await;
    let heard = listening(&program);
    let [start, first, over, second, over_too, end] = heard.as_slice() else {
        panic!("{heard:?}");
    };
    let id_of = |listen: &str| listen.split(' ').nth(1).unwrap_or_default().to_owned();
    assert_eq!((start.as_str(), end.as_str()), ("# start", "# eof"));
    assert!(first.ends_with(r#"{"resourcesListChanged":true}"#), "{first}");
    assert_eq!(*over, format!("cancelled {}", id_of(first)));
    assert!(
        second.ends_with(r#"{"resourcesListChanged":true,"resourceSubscriptions":["x://a"]}"#),
        "{second}"
    );
    assert_eq!(*over_too, format!("cancelled {}", id_of(second)));
}

#[tokio::test]
async fn a_server_that_is_asked_again_has_one_subscription() {
    let program = telling("[DOCUMENT]");
    let (desk, id) = listened(&program).await;
    desk.app.connected(id).await.expect("connected");
    desk.until("the second subscription", |_| {
        let heard = listening(&program);
        (heard.iter().filter(|line| line.starts_with("listen")).count() == 2).then_some(())
    })
    .await;
    desk.app.shut_down().await;
    let words: Vec<_> = listening(&program)
        .iter()
        .map(|line| line.split(' ').take(1).collect::<String>())
        .collect();
    assert_eq!(words, ["#", "listen", "cancelled", "listen", "cancelled", "#"]);
}

#[tokio::test]
async fn a_program_that_ended_is_started_anew_and_listened_to_again() {
    let program = telling(r#"[{"exit":3}],[DOCUMENT]"#);
    let (desk, id) = listened(&program).await;
    desk.call_offer(id, ListKind::Resources, "x://a");
    let anew = || {
        let heard = listening(&program);
        let starts = heard.iter().enumerate().filter(|(_, line)| *line == "# start");
        let second = starts.map(|(place, _)| place).nth(1)?;
        heard[second..]
            .iter()
            .any(|line| line.starts_with("listen"))
            .then_some(())
    };
    crate::kit::patiently("a subscription of the second program", async {
        while anew().is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
    desk.app.shut_down().await;
    let words: Vec<_> = listening(&program)
        .iter()
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .filter(|words| words.starts_with('#'))
        .collect();
    assert_eq!(words, ["# start", "# start", "# eof"]);
}

#[tokio::test]
async fn what_a_server_calls_itself_changes_nothing_that_is_sent() {
    let sent = async |info: &'static str| {
        let server = Http::new(move |seen, count| match seen.rpc_method().as_str() {
            "server/discover" => Reply::Result(format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"private"{info}}}"#
            )),
            "tools/list" => tools(&[tool("t", r#"{"type":"integer"}"#, "")]),
            _ if count < 3 => ask_name(),
            _ => Reply::Result(done("ok")),
        })
        .await;
        let desk = Desk::new();
        let id = desk.add("one", &server);
        let call = call_first(&desk, id).await;
        desk.accept(desk.question(call).await.id, vec![text(0, "Ann")])
            .await;
        desk.finished(call).await;
        let seen = server.seen().into_iter();
        seen.map(|seen| seen.body).collect::<Vec<_>>()
    };
    let plain = sent("").await;
    assert!(plain.len() >= 4);
    for info in [
        r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Countersign","version":"99"}}"#,
        r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"legacy-only","version":"0.0.1","title":"Old","icons":[{"src":"https://icons.example/a.svg"}]}}"#,
    ] {
        assert_eq!(sent(info).await, plain, "{info}");
    }
}

#[tokio::test]
async fn an_opened_link_is_no_authorization_of_later_requests() {
    let server = Http::new(|_, count| match count {
        0 => Reply::Result(input_required(
            &[(
                "q",
                crate::kit::link("Sign in.", "https://id.example.com/authorize?client_id=1"),
            )],
            Some("\"s\""),
        )),
        _ => Reply::Result(done("ok")),
    })
    .await;
    let desk = Desk::new();
    let id = desk.add_with("one", &server, &[("X-Mine", "1")]);
    for _ in 0..2 {
        let call = desk.call(id);
        if server.until_seen(1).await.len() == 1 {
            let ask = desk.question(call).await;
            desk.act(ask.id, countersign_core::view::Act::Open).await;
        }
        desk.finished(call).await;
    }
    let names: Vec<Vec<String>> = server
        .seen()
        .iter()
        .map(|seen| {
            let mut names: Vec<_> = seen.headers.iter().map(|(name, _)| name.clone()).collect();
            names.sort();
            names
        })
        .collect();
    assert!(
        names.len() >= 3 && names.windows(2).all(|pair| pair[0] == pair[1]),
        "{names:?}"
    );
    assert!(names[0].contains(&"x-mine".to_owned()));
    assert!(
        names[0]
            .iter()
            .all(|name| name != "authorization" && name != "cookie")
    );
}
