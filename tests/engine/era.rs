//! Which era a server is of (2026-07-28, basic/versioning): what its answer to the first question means, and what it
//! does not mean.

use crate::kit::live::{Feed, handshake, result};
use crate::kit::{Desk, Gate, Http, Program, Reply, Seen, done, pass};
use countersign_core::session::Target;
use countersign_core::transport::stdio::Command;
use countersign_core::view::{ServerRow, ServerState};
use countersign_core::wire::json::Json;
use std::time::Duration;

const DISCOVERY: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
    "ttlMs":0,"cacheScope":"private"}"#;
/// Longer than a program may be silent before it is greeted in the old way.
const SILENCE: Duration = Duration::from_secs(6);

fn http(server: &Http) -> Target {
    Target::Http {
        url: server.url.clone(),
        headers: Vec::new(),
    }
}

/// The row of a server once it was reached, or was not.
async fn row(target: Target) -> ServerRow {
    let desk = Desk::new();
    let id = desk.add_any("one", target);
    let _ = desk.app.reached(id).await;
    let row = desk.app.snapshot().servers.into_iter().find(|row| row.id == id);
    desk.app.shut_down().await;
    row.expect("its row")
}

/// What was asked, in order: methods of messages; GET and DELETE.
fn asked(server: &Http) -> Vec<String> {
    let seen = server.seen().into_iter();
    seen.map(|seen| match seen.method.as_str() {
        "POST" => seen.rpc_method(),
        _ => seen.method,
    })
    .collect()
}

/// Answers the first question with `probe`, `initialize` with `greeting`, and has no stream.
async fn server(probe: Reply, greeting: Reply) -> Http {
    Http::new(move |seen, _| match (seen.method.as_str(), seen) {
        ("POST", seen) if seen.rpc_method() == "server/discover" => probe.clone(),
        ("POST", seen) if seen.rpc_method() == "initialize" => greeting.clone(),
        ("POST", _) => Reply::Body(202, "", String::new()),
        _ => Reply::Body(405, "", String::new()),
    })
    .await
}

fn text(status: u16) -> Reply {
    Reply::Body(status, "text/plain", "What is this?".to_owned())
}

fn unsupported(supported: &str) -> Reply {
    let error = format!(
        r#"{{"jsonrpc":"2.0","id":@id,"error":{{"code":-32022,"message":"Unsupported protocol version",
            "data":{{"supported":{supported},"requested":"2026-07-28"}}}}}}"#
    );
    Reply::Body(400, "application/json", error)
}

#[tokio::test]
async fn what_is_no_modern_answer_leads_to_the_greeting_of_the_old_era() {
    let check = async |probe: Reply, found: &str| {
        let server = server(probe, Reply::Result(handshake("2025-11-25"))).await;
        let row = row(http(&server)).await;
        assert_eq!(
            (row.state, row.protocol.as_deref(), row.found.as_deref()),
            (ServerState::Connected, Some("2025-11-25"), Some(found)),
            "{:?}",
            row.detail
        );
        let asked = asked(&server);
        assert_eq!(
            asked[..3],
            ["server/discover", "initialize", "notifications/initialized"],
            "{found}"
        );
        assert!(
            server.seen()[1]
                .body
                .contains(r#""protocolVersion":"2025-11-25""#)
        );
    };
    check(text(404), "it answered server/discover with HTTP 404").await;
    check(text(405), "it answered server/discover with HTTP 405").await;
    check(text(400), "it answered server/discover with HTTP 400").await;
    let error = |status, code| Reply::Error(status, code, "no");
    check(error(400, -32602), "it does not know server/discover (-32602)").await;
    check(error(200, -32601), "it does not know server/discover (-32601)").await;
    check(error(404, -32601), "it does not know server/discover (-32601)").await;
    check(error(200, -32000), "it does not know server/discover (-32000)").await;
    check(
        Reply::Result("{}".to_owned()),
        "it does not understand server/discover (an empty answer)",
    )
    .await;
}

#[tokio::test]
async fn the_server_may_choose_an_older_revision_of_the_old_era_but_no_other() {
    for revision in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        let server = server(text(404), Reply::Result(handshake(revision))).await;
        let row = row(http(&server)).await;
        assert_eq!(
            (row.state, row.protocol.as_deref()),
            (ServerState::Connected, Some(revision))
        );
    }
    let server = server(text(404), Reply::Result(handshake("2031-01-01"))).await;
    let row = row(http(&server)).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    assert!(row.detail.is_some_and(|words| words.contains("2031-01-01")));
    assert_eq!(asked(&server), ["server/discover", "initialize"]);
}

#[tokio::test]
async fn case_097_a_sign_in_says_nothing_about_the_era() {
    for status in [401, 403] {
        let head = "WWW-Authenticate: Bearer resource_metadata=\"https://auth.example\"\r\n";
        let reply = Reply::Head(status, head.to_owned(), String::new());
        let server = server(reply, Reply::Result(handshake("2025-11-25"))).await;
        let row = row(http(&server)).await;
        assert_eq!((row.state, row.protocol), (ServerState::NeedsSignIn, None));
        assert_eq!(asked(&server), ["server/discover"], "HTTP {status}");
    }
}

#[tokio::test]
async fn a_fault_of_the_moment_says_nothing_about_the_era() {
    for status in [408, 429, 500, 502, 503] {
        let server = server(text(status), Reply::Result(handshake("2025-11-25"))).await;
        let row = row(http(&server)).await;
        assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
        assert!(
            row.detail
                .is_some_and(|words| words.contains(&status.to_string()))
        );
        assert_eq!(asked(&server), ["server/discover"], "HTTP {status}");
    }
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let target = Target::Http {
        url: format!("http://127.0.0.1:{port}/mcp")
            .parse()
            .expect("an address"),
        headers: Vec::new(),
    };
    let row = row(target).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    assert!(row.detail.is_some_and(|words| words.contains("refused")));
}

#[tokio::test]
async fn a_server_that_refuses_the_revision_it_names_is_asked_once_more() {
    let server = Http::replies([
        unsupported(r#"["2026-07-28","2025-11-25"]"#),
        Reply::Result(DISCOVERY.to_owned()),
    ])
    .await;
    let row = row(http(&server)).await;
    assert_eq!(
        (row.state, row.protocol.as_deref()),
        (ServerState::Connected, Some("2026-07-28"))
    );
    assert_eq!(asked(&server), ["server/discover", "server/discover"]);
}

#[tokio::test]
async fn a_server_that_names_older_revisions_is_greeted_with_the_newest_of_them() {
    let greeting = Reply::Result(handshake("2025-06-18"));
    let server = server(
        unsupported(r#"["2024-11-05","2025-06-18","1999-01-01"]"#),
        greeting,
    )
    .await;
    let row = row(http(&server)).await;
    assert_eq!(
        (row.protocol.as_deref(), row.found.as_deref()),
        (
            Some("2025-06-18"),
            Some("it does not speak the newest revision (-32022)")
        )
    );
    let seen = server.seen();
    assert!(
        seen[1].body.contains(r#""protocolVersion":"2025-06-18""#),
        "{}",
        seen[1].body
    );
}

#[tokio::test]
async fn a_server_that_names_only_unknown_revisions_is_not_greeted_and_they_are_said() {
    let greeting = Reply::Result(handshake("2025-11-25"));
    let server = server(unsupported(r#"["2027-01-01","2026-12-24"]"#), greeting).await;
    let row = row(http(&server)).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    let detail = row.detail.expect("words");
    assert!(detail.contains("2027-01-01, 2026-12-24"), "{detail}");
    assert_eq!(asked(&server), ["server/discover"]);
}

#[tokio::test]
async fn where_both_greetings_are_refused_the_modern_refusal_is_told() {
    for status in [200, 400] {
        let server = server(
            Reply::Error(404, -32601, "No such method here"),
            Reply::Error(status, -32600, "Go away"),
        )
        .await;
        let row = row(http(&server)).await;
        assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
        let detail = row.detail.expect("words");
        assert!(
            detail.contains("No such method here") && !detail.contains("Go away"),
            "{detail}"
        );
    }
}

/// HTTP+SSE as it was in 2024: one stream that names `endpoint`, and posts elsewhere.
async fn stream_of_2024(endpoint: &str, refusal: u16) -> Http {
    let feed = Feed::new();
    feed.part(&format!("event: endpoint\ndata: {endpoint}\n\n"));
    Http::new(move |seen: &Seen, _| {
        let stream = |message: String| {
            feed.part(&format!("event: message\ndata: {message}\n\n"));
            Reply::Body(202, "text/plain", "Accepted".to_owned())
        };
        match (seen.method.as_str(), seen.path.as_str()) {
            ("GET", "/mcp") => Reply::Fed(feed.clone()),
            ("POST", "/messages?s=1") => match seen.rpc_method().as_str() {
                "initialize" => stream(result(&seen.id(), &handshake("2024-11-05"))),
                "tools/call" => stream(result(&seen.id(), &done("ok"))),
                _ => Reply::Body(202, "", String::new()),
            },
            _ => text(refusal),
        }
    })
    .await
}

#[tokio::test]
async fn a_server_that_takes_no_greeting_may_be_one_of_http_and_sse() {
    for refusal in [400, 404, 405] {
        let server = stream_of_2024("/messages?s=1", refusal).await;
        let desk = Desk::new();
        let id = desk.add_any("one", http(&server));
        desk.app.reached(id).await.expect("a session");
        let row = desk.app.snapshot().servers.remove(0);
        assert_eq!(row.protocol.as_deref(), Some("2024-11-05"));
        assert_eq!(
            row.found,
            Some(format!(
                "it answered server/discover with HTTP {refusal}, and offers the stream of 2024-11-05"
            ))
        );
        desk.finished(desk.call(id)).await;
        let asked = asked(&server);
        assert_eq!(
            asked,
            [
                "server/discover",
                "initialize",
                "GET",
                "initialize",
                "notifications/initialized",
                "tools/call"
            ]
        );
        let last = server.seen().remove(5);
        assert_eq!(last.header("mcp-protocol-version"), None);
        desk.app.shut_down().await;
    }
}

#[tokio::test]
async fn the_end_of_the_one_stream_is_the_end_of_its_calls() {
    let feed = Feed::new();
    feed.part("event: endpoint\ndata: messages\n\n");
    let held = feed.clone();
    let server = Http::new(
        move |seen: &Seen, _| match (seen.method.as_str(), seen.path.as_str()) {
            ("GET", "/mcp") => Reply::Fed(held.clone()),
            ("POST", "/messages") => {
                match seen.rpc_method().as_str() {
                    "initialize" => held.say(&result(&seen.id(), &handshake("2024-11-05"))),
                    "tools/call" => held.end(),
                    _ => {}
                }
                Reply::Body(202, "", String::new())
            }
            _ => text(404),
        },
    )
    .await;
    let desk = Desk::new();
    let id = desk.add_any("one", http(&server));
    desk.app.reached(id).await.expect("a session");
    let call = desk.call(id);
    let row = desk
        .call_in(call, countersign_core::view::CallPhase::Unknown)
        .await;
    assert!(
        row.detail
            .is_some_and(|words| words.contains("the stream closed"))
    );
    desk.app.shut_down().await;
}

#[tokio::test]
async fn messages_are_never_posted_to_an_endpoint_of_another_origin() {
    let other = Http::replies([]).await;
    let server = stream_of_2024(other.url.as_str(), 405).await;
    let row = row(http(&server)).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    let port = other.url.port().expect("a port").to_string();
    assert!(
        row.detail.is_some_and(|words| words.contains(&port)),
        "it says where"
    );
    assert_eq!(asked(&server), ["server/discover", "initialize", "GET"]);
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn case_091_both_eras_side_by_side_each_with_its_revision() {
    let modern = server(
        Reply::Result(DISCOVERY.to_owned()),
        Reply::Error(200, -32601, "not here"),
    )
    .await;
    let older = server(text(404), Reply::Result(handshake("2025-11-25"))).await;
    let desk = Desk::new();
    for (name, server) in [("new", &modern), ("old", &older)] {
        let id = desk.add_any(name, http(server));
        desk.app.reached(id).await.expect(name);
    }
    let rows = desk.app.snapshot().servers;
    let protocols: Vec<_> = rows
        .iter()
        .map(|row| (row.name.as_str(), row.protocol.as_deref()))
        .collect();
    assert_eq!(
        protocols,
        [("new", Some("2026-07-28")), ("old", Some("2025-11-25"))]
    );
    assert_eq!(
        asked(&modern),
        ["server/discover"],
        "it is not greeted in the old way"
    );
    desk.app.shut_down().await;
}

/// A line that answers the request with this id.
fn line(id: &str, outcome: &str) -> String {
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#);
    format!(r#"{{"out":{}}}"#, Json::string(line))
}

fn greets() -> String {
    line("@id", &format!(r#""result":{}"#, handshake("2025-11-25")))
}

fn plan(discover: &str, initialize: &str) -> Program {
    Program::new(&format!(
        r#"{{"on":{{"server/discover":[[{discover}]],"initialize":[[{initialize}]]}}}}"#
    ))
}

/// The row of a program, and what it heard, as methods.
async fn program_row(program: &Program) -> (ServerRow, Vec<String>) {
    let row = row(Target::Stdio(program.command())).await;
    (row, methods(program))
}

fn methods(program: &Program) -> Vec<String> {
    let method = |line: &String| match Json::parse(line) {
        Ok(json) => json
            .get("method")
            .and_then(Json::as_str)
            .unwrap_or("answer")
            .to_owned(),
        Err(_) => line.clone(),
    };
    program.heard().iter().map(method).collect()
}

#[tokio::test]
async fn case_094_any_error_of_a_program_leads_to_the_greeting_at_once_on_the_same_program() {
    for code in [-32602, -32000, -32601, -32600, -32603] {
        let refuses = line("@id", &format!(r#""error":{{"code":{code},"message":"no"}}"#));
        let (row, heard) = program_row(&plan(&refuses, &greets())).await;
        assert_eq!(row.protocol.as_deref(), Some("2025-11-25"), "{:?}", row.detail);
        assert_eq!(
            row.found,
            Some(format!("it does not know server/discover ({code})"))
        );
        assert_eq!(
            heard,
            [
                "# start",
                "server/discover",
                "initialize",
                "notifications/initialized",
                "# eof"
            ]
        );
    }
}

/// Connects to a program that says nothing to the first question, and lets the time pass.
async fn silent(program: &Program) -> ServerRow {
    let desk = Desk::new();
    let id = desk.add_any("one", Target::Stdio(program.command()));
    let passing = async {
        program.until_heard("server/discover").await;
        assert!(!program.heard().iter().any(|line| line.contains("initialize")));
        pass(SILENCE).await;
    };
    let (reached, ()) = tokio::join!(desk.app.reached(id), passing);
    reached.expect("a session");
    let row = desk.app.snapshot().servers.remove(0);
    desk.app.shut_down().await;
    row
}

#[tokio::test]
async fn case_094_a_program_that_is_silent_is_greeted_after_a_while() {
    let program = plan("", &greets());
    let row = silent(&program).await;
    assert_eq!(row.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(
        row.found.as_deref(),
        Some("it was silent on server/discover for 5 s")
    );
    assert_eq!(
        methods(&program),
        [
            "# start",
            "server/discover",
            "initialize",
            "notifications/initialized",
            "# eof"
        ],
        "the first question is not cancelled"
    );
}

#[tokio::test]
async fn a_program_that_is_slow_to_start_is_still_modern() {
    let late = format!(r#""result":{}"#, DISCOVERY.replace('\n', " "));
    let refuses = line("@id", r#""error":{"code":-32601,"message":"no"}"#);
    for initialize in [line("@d", &late), format!("{},{refuses}", line("@d", &late))] {
        let program = plan(r#"{"keep":"d"}"#, &initialize);
        let row = silent(&program).await;
        assert_eq!(row.protocol.as_deref(), Some("2026-07-28"));
        assert_eq!(
            methods(&program),
            ["# start", "server/discover", "initialize", "# eof"]
        );
    }
}

#[tokio::test]
async fn case_094_a_program_that_ends_at_the_first_question_is_started_anew_and_greeted() {
    let (row, heard) = program_row(&plan(r#"{"exit":1}"#, &greets())).await;
    assert_eq!(row.protocol.as_deref(), Some("2025-11-25"), "{:?}", row.detail);
    assert_eq!(row.found.as_deref(), Some("it ended when asked server/discover"));
    assert_eq!(
        heard,
        [
            "# start",
            "server/discover",
            "# start",
            "initialize",
            "notifications/initialized",
            "# eof"
        ]
    );
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_of_no_era() {
    let command = Command {
        program: "/nonexistent/program".to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
    };
    let row = row(Target::Stdio(command)).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    let (row, heard) = program_row(&plan(r#"{"exit":3}"#, r#"{"exit":3}"#)).await;
    assert_eq!((row.state, row.protocol), (ServerState::Failed, None));
    assert!(row.detail.is_some_and(|words| words.contains("exit code 3")));
    assert_eq!(heard, ["# start", "server/discover", "# start", "initialize"]);
}

#[tokio::test]
async fn a_revision_that_no_longer_holds_is_found_out_anew() {
    let old = Gate::closed();
    let gate = old.clone();
    let server = Http::new(move |seen, _| {
        let modern = !gate.is_open();
        match (seen.method.as_str(), seen.rpc_method().as_str()) {
            ("GET", _) => Reply::Body(405, "", String::new()),
            (_, "server/discover") if modern => Reply::Result(DISCOVERY.to_owned()),
            (_, "tools/call") if modern => Reply::Result(done("modern")),
            (_, "initialize") if !modern => Reply::Result(handshake("2025-11-25")),
            (_, "tools/call") if seen.header("mcp-protocol-version").as_deref() == Some("2025-11-25") => {
                Reply::Result(done("old"))
            }
            (_, "notifications/initialized") => Reply::Body(202, "", String::new()),
            _ => unsupported(r#"["2025-11-25"]"#),
        }
    })
    .await;
    let desk = Desk::new();
    let id = desk.add_any("one", http(&server));
    desk.finished(desk.call(id)).await;
    let protocol = |desk: &Desk| {
        let rows = desk.app.snapshot().servers;
        rows.into_iter().find(|row| row.id == id).map(|row| row.state)
    };
    assert!(protocol(&desk).is_some());
    // The server was exchanged for an older one.
    old.open();
    desk.ended(desk.call(id)).await;
    desk.finished(desk.call(id)).await;
    assert_eq!(
        asked(&server),
        [
            "server/discover",
            "tools/call",
            "tools/call",
            "server/discover",
            "initialize",
            "notifications/initialized",
            "GET",
            "tools/call",
        ]
    );
    desk.app.shut_down().await;
}
