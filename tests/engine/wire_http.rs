//! Every byte of a request over HTTP, every way an answer can come.

use crate::kit::{Desk, Gate, Http, Reply, Seen, done, form, input_required, name, patiently};
use countersign_core::session::{Session, Target};
use countersign_core::transport::http::HttpPeer;
use countersign_core::transport::{self, Fault, Incoming, MAX_MESSAGE, Patience};
use countersign_core::view::{Act, CallPhase};
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::ListKind;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use url::Url;

const META: &str = concat!(
    r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"countersign","title":"Countersign","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}}},"progressToken":@id}"#
);

fn tool_call(name: &str) -> Request {
    Request::new(Method::CallTool).with("name", Json::string(name))
}

fn session_with(url: &Url, headers: &[(&str, &str)]) -> Session {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let target = Target::Http {
        url: url.clone(),
        headers: headers.collect(),
    };
    Session::new(target, Elicitation::Both, Duration::from_secs(60))
}

async fn ask(server: &Http) -> Result<transport::Reply, Fault> {
    patiently("an answer", session_with(&server.url, &[]).ask(tool_call("t"))).await
}

async fn fault(reply: Reply) -> Fault {
    let server = Http::replies([reply]).await;
    ask(&server).await.expect_err("no answer")
}

/// The result of a reply, as text.
async fn result(reply: Reply) -> String {
    let server = Http::replies([reply]).await;
    match ask(&server).await.expect("an answer").response.outcome {
        Ok(result) => result.to_string(),
        Err(error) => format!("error {} {}", error.code, error.message),
    }
}

fn events(parts: &[&str]) -> Reply {
    Reply::Events(parts.iter().map(|part| part.as_bytes().to_vec()).collect())
}

fn headers(seen: &Seen) -> Vec<(&str, &str)> {
    let mut headers: Vec<(&str, &str)> = seen
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    headers.sort_unstable();
    headers
}

#[tokio::test]
async fn a_request_has_exactly_these_headers_and_this_body() {
    let server = Http::replies([Reply::Result("{}".into())]).await;
    ask(&server).await.expect("an answer");
    let seen = &server.seen()[0];
    let host = format!("127.0.0.1:{}", server.url.port().expect("a port"));
    let length = seen.body.len().to_string();
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/mcp"));
    assert_eq!(
        headers(seen),
        [
            ("accept", "application/json, text/event-stream"),
            ("content-length", length.as_str()),
            ("content-type", "application/json"),
            ("host", host.as_str()),
            ("mcp-method", "tools/call"),
            ("mcp-name", "t"),
            ("mcp-protocol-version", "2026-07-28"),
            ("user-agent", concat!("countersign/", env!("CARGO_PKG_VERSION"))),
        ]
    );
    let meta = META.replace("@id", "1");
    assert_eq!(
        seen.body,
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","_meta":{meta}}}}}"#)
    );
}

#[tokio::test]
async fn every_request_of_a_connection_and_of_a_call_carries_meta_and_its_own_id() {
    let server = Http::new(|seen, n| {
        Reply::Result(match (seen.rpc_method().as_str(), n) {
            ("server/discover", _) => {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":0,"cacheScope":"private"}"#.into()
            }
            ("tools/list", 1) => r#"{"tools":[],"nextCursor":""}"#.into(),
            ("tools/list", _) => r#"{"tools":[]}"#.into(),
            ("prompts/list", _) => r#"{"prompts":[]}"#.into(),
            ("resources/list", _) => r#"{"resources":[]}"#.into(),
            ("resources/templates/list", _) => r#"{"resourceTemplates":[]}"#.into(),
            (_, 6) => input_required(&[("q", form("m", name()))], Some(r#""s""#)),
            _ => done("ok"),
        })
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    let call = desk.call(id);
    let ask = desk.question(call).await;
    desk.act(ask.id, Act::Decline).await;
    desk.finished(call).await;
    let seen = server.seen();
    let methods: Vec<String> = seen.iter().map(Seen::rpc_method).collect();
    assert_eq!(
        methods,
        [
            "server/discover",
            "tools/list",
            "tools/list",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "tools/call",
            "tools/call"
        ]
    );
    for (position, seen) in (1..).zip(&seen) {
        assert_eq!(seen.id(), format!("{position}"), "ids are never used twice");
        assert_eq!(seen.meta(), META.replace("@id", &seen.id()));
        assert_eq!(seen.header("mcp-protocol-version").as_deref(), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(seen.rpc_method()));
        let named = seen.rpc_method() == "tools/call";
        assert_eq!(seen.header("mcp-name").is_some(), named, "{}", seen.rpc_method());
    }
}

#[tokio::test]
async fn case_098_names_and_addresses_travel_encoded_in_a_header() {
    let cases = [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("größe", "=?base64?Z3LDtsOfZQ==?="),
        ("Tür öffnen", "=?base64?VMO8ciDDtmZmbmVu?="),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("", ""),
    ];
    let server = Http::new(|_, _| Reply::Result("{}".into())).await;
    let session = session_with(&server.url, &[]);
    for (position, (name, header)) in cases.into_iter().enumerate() {
        for (turn, (method, key)) in [
            (Method::CallTool, "name"),
            (Method::GetPrompt, "name"),
            (Method::ReadResource, "uri"),
        ]
        .into_iter()
        .enumerate()
        {
            let request = Request::new(method).with(key, Json::string(name));
            session.ask(request).await.expect("an answer");
            let seen = &server.seen()[position * 3 + turn];
            assert_eq!(seen.header("mcp-name").as_deref(), Some(header), "{name:?}");
            assert_eq!(
                seen.json()
                    .get("params")
                    .and_then(|params| params.get(key))
                    .and_then(Json::as_str),
                Some(name),
                "the body has it exactly"
            );
        }
    }
}

#[tokio::test]
async fn case_118_no_header_of_a_person_replaces_one_of_the_protocol() {
    let server = Http::replies([Reply::Result("{}".into())]).await;
    let session = session_with(
        &server.url,
        &[
            ("Accept", "application/json"),
            ("ACCEPT", "text/html"),
            ("Content-Type", "text/plain"),
            ("Content-Length", "3"),
            ("Host", "other.example"),
            ("Connection", "close"),
            ("Transfer-Encoding", "chunked"),
            ("Mcp-Method", "tools/list"),
            ("Mcp-Name", "other"),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Mcp-Session-Id", "s"),
            ("Mcp-Param-Region", "eu"),
            ("Last-Event-ID", "7"),
            ("Expect", "100-continue"),
            ("Upgrade", "h2c"),
            ("TE", "trailers"),
            ("Accept-Encoding", "gzip"),
            ("Proxy-Authorization", "Basic eA=="),
            ("Proxy-Connection", "close"),
            ("X-Api-Key", "k"),
            ("X-Two", "1"),
            ("x-two", "2"),
            ("Authorization", "Bearer b"),
        ],
    );
    session.ask(tool_call("t")).await.expect("an answer");
    let seen = &server.seen()[0];
    let names: Vec<&str> = headers(seen).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "accept",
            "authorization",
            "content-length",
            "content-type",
            "host",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
            "user-agent",
            "x-api-key",
            "x-two",
            "x-two"
        ]
    );
    let is = |name: &str, value: &str| assert_eq!(seen.header(name).as_deref(), Some(value));
    is("accept", "application/json, text/event-stream");
    is("content-type", "application/json");
    is("mcp-name", "t");
    is("x-two", "1, 2");
    is("authorization", "Bearer b");
}

#[tokio::test]
async fn case_081_a_surface_that_cannot_ask_declares_nothing() {
    let server = Http::replies([Reply::Result(done("ok"))]).await;
    let desk = Desk::with(countersign_core::settings::Settings::Memory, Elicitation::None);
    let call = desk.call(desk.add("one", &server));
    desk.finished(call).await;
    assert!(
        server.seen()[0]
            .meta()
            .contains(r#""io.modelcontextprotocol/clientCapabilities":{}"#)
    );
}

#[tokio::test]
async fn an_answer_comes_as_json_of_any_spelling() {
    let body = r#"{"jsonrpc":"2.0","id":@id,"result":{"k":"é"}}"#;
    for (media_type, body) in [
        ("application/json", body.to_owned()),
        ("Application/JSON; charset=utf-8", body.to_owned()),
        ("application/json;charset=utf-8", format!("\u{feff}{body}\r\n")),
        ("application/json", body.replace("@id", "\"@id\"")),
        ("application/json", body.replace("@id", "@id.0")),
        ("application/json", r#"{"result":{"k":"é"}}"#.to_owned()),
    ] {
        let answer = result(Reply::Body(200, media_type, body.clone())).await;
        assert_eq!(answer, r#"{"k":"é"}"#, "{media_type} {body}");
    }
}

#[tokio::test]
async fn case_101_103_104_an_answer_comes_as_events_of_any_spelling() {
    let answer = r#"{"jsonrpc":"2.0","id":@id,"result":{"k":1}}"#;
    let one = |text: String| async move {
        assert_eq!(result(events(&[&text])).await, r#"{"k":1}"#, "{text:?}");
    };
    one(format!("event: message\r\ndata: {answer}\r\n\r\n")).await;
    one(format!("data: {answer}\n\n")).await;
    one(format!("data: {answer}\r\r")).await;
    one(format!("\u{feff}data:{answer}\r\n\n")).await;
    one(format!(
        ": keep-alive\n\n:\r\nid: 1\ndata:\n\nretry: 5\n\ndata: {answer}\n\n"
    ))
    .await;
    one("data: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":@id,\r\ndata: \"result\":{\"k\":1}}\r\n\r\n".to_owned())
        .await;
    one(format!(
        "event: message\nunknown: x\ndata: {answer}\n\ndata: after\n\n"
    ))
    .await;
}

#[tokio::test]
async fn case_103_a_character_split_over_chunks_stays_whole() {
    let stream = "data: {\"result\":{\"k\":\"é€😀\"}}\r\n\r\n";
    let mut replies: Vec<Reply> = (1..stream.len())
        .map(|at| stream.as_bytes().split_at(at))
        .map(|(head, tail)| Reply::Events(vec![head.to_vec(), tail.to_vec()]))
        .collect();
    replies.push(Reply::Events(stream.bytes().map(|byte| vec![byte]).collect()));
    let count = replies.len();
    let server = Http::replies(replies).await;
    let session = session_with(&server.url, &[]);
    for at in 1..=count {
        let reply = session.ask(tool_call("t")).await.expect("an answer");
        let result = reply.response.outcome.expect("a result").to_string();
        assert_eq!(result, "{\"k\":\"é€😀\"}", "split at {at}");
    }
}

#[tokio::test]
async fn progress_on_the_way_is_noted_and_shown() {
    let progress = |n: u32, message: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":@id,\"progress\":{n},\"total\":4,\"message\":\"{message}\"}}}}\n\n"
        )
    };
    let gate = Gate::closed();
    let mut stream = progress(1, "first\\u202e").into_bytes();
    stream = String::from_utf8(stream)
        .expect("UTF-8")
        .replace("@id", "1")
        .into_bytes();
    let server = Http::new(move |_, n| match n {
        0 => Reply::Silent(stream.clone()),
        _ => Reply::Held(gate.clone(), Box::new(Reply::Close)),
    })
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let shown = desk.until("progress", |desk| desk.row(call).progress).await;
    assert_eq!(
        (shown.percent, shown.message.as_deref()),
        (Some(25), Some("first⟦U+202E⟧"))
    );
    desk.app.inbox().stop(call);
    server.until_closed(1).await;
}

#[tokio::test]
async fn a_request_of_the_server_and_odd_notifications_are_passed_over() {
    let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":@id,\"result\":{\"k\":1}}\n\n";
    let server = Http::replies([events(&[
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"elicitation/create\",\"params\":{}}\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/complete\",\"params\":{}}\n\n",
        answer,
    ])])
    .await;
    let mut notes: Vec<String> = Vec::new();
    let peer = HttpPeer::new(server.url.clone(), &[]).expect("a peer");
    let mut note = |incoming: Incoming| match incoming {
        Incoming::Note(note) => notes.push(note.method),
        Incoming::Question(question) => panic!("{question:?}"),
    };
    let reply = peer
        .exchange(
            1,
            &tool_call("t"),
            Elicitation::Both,
            Patience::of(Duration::from_secs(60)),
            &CancellationToken::new(),
            &mut note,
        )
        .await
        .expect("an answer");
    assert_eq!(
        reply.response.outcome.map(|result| result.to_string()),
        Ok(r#"{"k":1}"#.to_owned())
    );
    assert_eq!(notes, ["notifications/elicitation/complete"]);
    assert_eq!(server.seen().len(), 1, "nothing was answered to it");
}

#[tokio::test]
async fn case_110_an_error_in_a_400_body_is_shown_in_the_servers_words() {
    for (status, code, message, said) in [
        (
            400,
            -32602,
            "Unknown tool: zap",
            "The server refused: “Unknown tool: zap” (-32602) (HTTP 400).",
        ),
        (
            404,
            -32002,
            "Resource not found",
            "The server refused: “Resource not found” (-32002) (HTTP 404).",
        ),
        (
            200,
            -32002,
            "Resource not found",
            "The server refused: “Resource not found” (-32002).",
        ),
    ] {
        let server = Http::replies([Reply::Error(status, code, message)]).await;
        let desk = Desk::new();
        let call = desk.call(desk.add("one", &server));
        let row = desk.call_in(call, CallPhase::Failed).await;
        assert_eq!(row.detail.as_deref(), Some(said));
    }
}

#[tokio::test]
async fn a_status_without_an_answer_says_the_status() {
    for (status, body, said) in [
        (202, "", "the server answered HTTP 202"),
        (204, "", "the server answered HTTP 204"),
        (400, "Bad Request", "the server answered HTTP 400"),
        (
            404,
            "<h1>no</h1>",
            "the server answered HTTP 404: there is nothing at this address",
        ),
        (
            405,
            "",
            "the server answered HTTP 405: this address does not take requests of this kind",
        ),
        (
            413,
            "",
            "the server answered HTTP 413: the request is too large for it",
        ),
        (
            429,
            "",
            "the server answered HTTP 429: it has too much to do for this client",
        ),
        (
            503,
            "upstream",
            "the server answered HTTP 503: it has a fault of its own",
        ),
    ] {
        let fault = fault(Reply::Body(status, "text/html", body.to_owned())).await;
        assert_eq!((fault.to_string().as_str(), fault.left()), (said, true));
    }
    for status in [401, 403] {
        let fault = fault(Reply::Body(status, "application/json", "{}".to_owned())).await;
        assert_eq!(fault, Fault::SignIn { status });
        assert!(!fault.left(), "refused before acting");
    }
    let unknown = result(Reply::Error(404, -32601, "no such method")).await;
    assert_eq!(unknown, "error -32601 no such method");
}

#[tokio::test]
async fn what_is_no_answer_is_said_and_counts_as_sent() {
    let check = |reply: Reply, said: &'static str| async move {
        let fault = fault(reply).await;
        assert!(fault.to_string().contains(said), "{fault}");
        assert!(fault.left(), "{fault}");
    };
    let json = |body: &str| Reply::Body(200, "application/json", body.to_owned());
    check(json(""), "cannot be read").await;
    check(json("[]"), "batches are not part").await;
    check(json("nope"), "cannot be read").await;
    check(
        json(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#),
        "not an answer",
    )
    .await;
    check(
        json(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#),
        "another request",
    )
    .await;
    check(
        json(&format!("{}1{}", "[".repeat(200), "]".repeat(200))),
        "deeper than 128",
    )
    .await;
    check(events(&["data: {\n\n"]), "cannot be read").await;
    check(
        events(&["data: {\"id\":999,\"result\":{}}\n\n"]),
        "another request",
    )
    .await;
    check(events(&[": nothing\n\n"]), "the stream closed").await;
    check(
        events(&["data: {\"id\":@id,\"result\":{}}\n"]),
        "the stream closed",
    )
    .await;
    check(Reply::Close, "ended before the answer").await;
}

#[tokio::test]
async fn http_65_a_page_that_holds_json_is_no_answer() {
    for media_type in ["text/html", "text/plain; charset=utf-8", "image/png"] {
        let body = r#"{"jsonrpc":"2.0","id":@id,"result":{}}"#;
        let fault = fault(Reply::Body(200, media_type, body.to_owned())).await;
        assert!(fault.to_string().contains("not JSON or events"), "{fault}");
    }
}

#[tokio::test]
async fn http_51_sizes_are_capped_and_said_with_the_figure() {
    let large = "x".repeat(MAX_MESSAGE + 1);
    let body = fault(Reply::Body(200, "application/json", large.clone())).await;
    assert_eq!(body.to_string(), "more than 4194304 bytes in one answer");
    let event = fault(Reply::Events(vec![format!("data: {large}").into_bytes()])).await;
    assert_eq!(event.to_string(), "more than 4194304 bytes in one event");
    let flood = fault(Reply::Events(vec![
        ": x\n\n".repeat(3).into_bytes(),
        "data: {\"method\":\"x\"}\n\n".repeat(10_001).into_bytes(),
    ]))
    .await;
    assert_eq!(flood.to_string(), "more than 10000 events in one response");
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_body_and_headers() {
    for status in [307, 308] {
        let server = Http::new(move |seen, _| match seen.path.as_str() {
            "/mcp" => Reply::Redirect(status, Some("/v2/mcp?x=1".into())),
            _ => Reply::Result(r#"{"k":1}"#.into()),
        })
        .await;
        let session = session_with(&server.url, &[("X-Api-Key", "k")]);
        session.ask(tool_call("größe")).await.expect("an answer");
        let seen = server.seen();
        assert_eq!(seen[1].path, "/v2/mcp?x=1");
        assert_eq!(
            (&seen[0].headers, &seen[0].body),
            (&seen[1].headers, &seen[1].body)
        );
        assert_eq!(seen.len(), 2);
    }
}

#[tokio::test]
async fn case_114_a_redirect_to_another_origin_is_refused_and_nothing_goes_there() {
    let other = Http::new(|_, _| Reply::Result("{}".into())).await;
    for status in [307, 308, 301, 302, 303] {
        for location in [
            other.url.to_string(),
            other.url.as_str().replace("http:", ""),
            "https://127.0.0.1/mcp".to_owned(),
            "http://user:secret@127.0.0.1/".to_owned(),
        ] {
            let server = Http::new(move |_, _| Reply::Redirect(status, Some(location.clone()))).await;
            let session = session_with(&server.url, &[("X-Api-Key", "k")]);
            let fault = session.ask(tool_call("t")).await.expect_err("refused");
            match status {
                307 | 308 => assert!(matches!(fault, Fault::Redirected { .. }), "{fault}"),
                _ => assert!(matches!(fault, Fault::Moved { .. }), "{fault}"),
            }
            assert_eq!(server.seen().len(), 1);
        }
    }
    assert!(other.seen().is_empty());
    let from = Http::replies([Reply::Redirect(307, Some(other.url.to_string()))]).await;
    let said = ask(&from).await.expect_err("refused").to_string();
    for host in [&from, &other] {
        let origin = host.url.origin().ascii_serialization();
        assert!(said.contains(&origin), "both are named: {said}");
    }
}

#[tokio::test]
async fn a_redirect_to_the_same_origin_with_a_password_is_refused() {
    let server = Http::new(|seen, _| {
        let host = seen.header("host").unwrap_or_default();
        Reply::Redirect(307, Some(format!("http://user:secret@{host}/mcp")))
    })
    .await;
    let fault = ask(&server).await.expect_err("refused");
    assert!(matches!(fault, Fault::Redirected { .. }), "{fault}");
    assert!(!fault.to_string().contains("secret"));
}

#[tokio::test]
async fn a_fourth_redirect_and_one_without_a_target_end_it() {
    let server = Http::new(|_, _| Reply::Redirect(307, Some("/again".into()))).await;
    let fault = ask(&server).await.expect_err("refused");
    assert!(fault.to_string().contains("more than 3 times"), "{fault}");
    assert_eq!(server.seen().len(), 4);
    for location in [None, Some(String::new()), Some("http://[".to_owned())] {
        let server = Http::new(move |_, _| Reply::Redirect(308, location.clone())).await;
        let fault = ask(&server).await.expect_err("refused");
        assert!(matches!(fault, Fault::Redirected { .. }), "{fault}");
        assert_eq!(server.seen().len(), 1, "not sent to the same place again");
    }
}

#[tokio::test]
async fn case_119_a_time_out_says_its_figure() {
    let silent = Http::new(|_, _| Reply::Held(Gate::closed(), Box::new(Reply::Close))).await;
    let target = |server: &Http| Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    };
    let session = Session::new(target(&silent), Elicitation::Both, Duration::from_millis(40));
    let fault = session.ask(tool_call("t")).await.expect_err("silence");
    assert_eq!(fault.to_string(), "no answer within 0.04 s");
    assert!(fault.left());
    silent.until_closed(1).await;
    assert_eq!(
        Fault::TimedOut(Duration::from_secs(5)).to_string(),
        "no answer within 5 s"
    );
    let trickle = Http::new(|_, _| Reply::Silent(b": hello\n\n".to_vec())).await;
    let session = Session::new(target(&trickle), Elicitation::Both, Duration::from_millis(40));
    let fault = session.ask(tool_call("t")).await.expect_err("silence");
    assert_eq!(fault, Fault::TimedOut(Duration::from_millis(40)));
    trickle.until_closed(1).await;
}

#[tokio::test]
async fn a_retry_that_tells_of_an_opened_link_waits_in_silence_but_not_for_ever() {
    let patience = Patience::for_a_browser();
    assert_eq!((patience.idle, patience.total), (None, Duration::from_secs(600)));
    let silent = Http::new(|_, _| Reply::Silent(b": hello\n\n".to_vec())).await;
    let peer = HttpPeer::new(silent.url.clone(), &[]).expect("a peer");
    let patience = Patience {
        idle: None,
        total: Duration::from_millis(40),
    };
    let fault = peer
        .exchange(
            1,
            &tool_call("t"),
            Elicitation::Both,
            patience,
            &CancellationToken::new(),
            &mut |_| {},
        )
        .await
        .expect_err("silence");
    assert_eq!(fault, Fault::TimedOut(Duration::from_millis(40)));
    silent.until_closed(1).await;
}

#[tokio::test]
async fn stopping_closes_the_stream_and_sends_nothing_more() {
    for reply in [
        Reply::Held(Gate::closed(), Box::new(Reply::Close)),
        Reply::Silent(b": hello\n\n".to_vec()),
    ] {
        let server = Http::replies([reply]).await;
        let desk = Desk::new();
        let call = desk.call(desk.add("one", &server));
        server.until_seen(1).await;
        desk.app.inbox().stop(call);
        let row = desk.call_in(call, CallPhase::Stopped).await;
        assert!(row.detail.expect("words").contains("may still have happened"));
        server.until_closed(1).await;
        assert_eq!(server.seen().len(), 1, "no notification over HTTP");
    }
}

#[tokio::test]
async fn a_server_that_is_gone_after_a_redirect_may_have_got_the_request() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        drop(listener);
        let mut read = [0; 65536];
        let _ = stream.read(&mut read).await;
        let head = "HTTP/1.1 307 Go\r\nlocation: /there\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
    });
    let url = Url::parse(&format!("http://127.0.0.1:{port}/mcp")).expect("an address");
    let fault = session_with(&url, &[])
        .ask(tool_call("t"))
        .await
        .expect_err("nobody there");
    serving.await.expect("no panic");
    assert!(fault.left(), "{fault}");
}

#[tokio::test]
async fn a_server_that_is_not_there_got_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let url = Url::parse(&format!("http://127.0.0.1:{port}/?key=secret")).expect("an address");
    let fault = session_with(&url, &[])
        .ask(tool_call("t"))
        .await
        .expect_err("nobody");
    assert!(matches!(fault, Fault::CannotConnect(_)), "{fault:?}");
    assert!(!fault.left() && !fault.to_string().contains("secret"), "{fault}");
}

#[tokio::test]
async fn prompts_and_documents_are_asked_for_with_their_own_parameters() {
    let server = Http::new(|_, _| Reply::Result("{}".into())).await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    for (kind, name, params) in [
        (ListKind::Tools, "t", r#"{"name":"t","arguments":{"a":1}}"#),
        (ListKind::Prompts, "p", r#"{"name":"p","arguments":{"a":1}}"#),
        (ListKind::Resources, "r://x", r#"{"uri":"r://x"}"#),
    ] {
        let call = desk.call_offer(id, kind, name);
        desk.finished(call).await;
        assert_eq!(server.params().pop().as_deref(), Some(params));
    }
}
