//! Servers that send too much, too little, too slowly, or somewhere else. Rows of the table of threats: `http_NN`.

use crate::kit::{
    Child, Desk, Gate, Http, Reply, chunk, done, events_head, form, input_required, name, patiently,
    peak_memory, text,
};
use countersign_core::mrtr::driver::Line;
use countersign_core::session::{ConnectError, Session, Target, address};
use countersign_core::transport::{self, Fault, MAX_MESSAGE};
use countersign_core::view::{Answered, CallPhase};
use countersign_core::wire::json::Json;
use countersign_core::wire::lists::ListKind;
use countersign_core::wire::request::{Elicitation, Method, Request};
use std::pin::pin;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

const SECOND: Duration = Duration::from_secs(1);
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":@id,"result":{"k":1}}"#;

fn session(url: &Url) -> Session {
    session_with(url, &[], 60)
}

fn session_with(url: &Url, headers: &[(&str, &str)], timeout: u32) -> Session {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let target = Target::Http {
        url: url.clone(),
        headers: headers.collect(),
    };
    Session::new(target, Elicitation::Both, SECOND * timeout)
}

/// One call of a tool, with the patience of calls.
async fn call(session: &Session) -> Result<transport::Reply, Fault> {
    call_until(session, &CancellationToken::new()).await
}

async fn call_until(session: &Session, stop: &CancellationToken) -> Result<transport::Reply, Fault> {
    let request = Request::new(Method::CallTool).with("name", Json::string("t"));
    session
        .send(&request, session.patience(), stop, &mut |_| {})
        .await
}

async fn fault(reply: Reply) -> Fault {
    let server = Http::replies([reply]).await;
    let answer = patiently("an answer", call(&session(&server.url))).await;
    answer.expect_err("no answer")
}

/// The result of a call that is answered so, as text.
async fn result(reply: Reply) -> String {
    let server = Http::replies([reply]).await;
    let answer = patiently("an answer", call(&session(&server.url))).await;
    match answer.expect("an answer").response.outcome {
        Ok(result) => result.to_string(),
        Err(error) => format!("error {} {}", error.code, error.message),
    }
}

/// How work ended and how long it took, with the clock held from the moment at which `begun` is over. It jumps to
/// what is waited for.
async fn held<T>(begun: impl Future<Output = ()>, work: impl Future<Output = T>) -> (T, Duration) {
    let mut work = pin!(work);
    tokio::select! {
        _ = &mut work => panic!("it ended before it began"),
        () = begun => {}
    }
    tokio::time::pause();
    let begun = now();
    let ended = work.await;
    let took = now() - begun;
    tokio::time::resume();
    (ended, took)
}

#[expect(clippy::disallowed_methods, reason = "the held clock of a test")]
fn now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

async fn asked(server: &Http) {
    server.until_seen(1).await;
}

/// In whole seconds, as a person would count.
fn seconds(took: Duration) -> u64 {
    took.as_secs_f64().round() as u64
}

fn events(parts: &[&str]) -> Reply {
    Reply::Events(parts.iter().map(|part| part.as_bytes().to_vec()).collect())
}

fn endless(part: &[u8], every: Duration) -> Reply {
    Reply::Endless {
        start: events_head(),
        part: chunk(part),
        every,
    }
}

#[tokio::test]
async fn http_49_a_redirect_to_another_port_takes_nothing_there() {
    let other = Http::new(|_, _| Reply::Result("{}".into())).await;
    for status in [301, 302, 303, 307, 308] {
        let location = other.url.to_string();
        let server = Http::new(move |seen, _| match (seen.path.as_str(), status) {
            ("/mcp", 307 | 308) => Reply::Redirect(307, Some("/deeper/mcp".into())),
            _ => Reply::Redirect(status, Some(location.clone())),
        })
        .await;
        let session = session_with(
            &server.url,
            &[("X-Api-Key", "k"), ("Authorization", "Bearer b")],
            60,
        );
        let fault = call(&session).await.expect_err("refused");
        let (from, to) = (server.url.origin(), other.url.origin());
        let said = match status {
            307 | 308 => format!(
                "{} sends this request on to {}; requests go only where you added the server",
                from.ascii_serialization(),
                to.ascii_serialization()
            ),
            _ => format!(
                "the server says that it moved to {} (HTTP {status}) in a way",
                to.ascii_serialization()
            ),
        };
        assert!(fault.to_string().starts_with(&said), "{fault}");
        assert!(fault.left(), "the server itself has it");
        for seen in server.seen() {
            assert_eq!(seen.header("referer"), None);
        }
    }
    assert!(other.seen().is_empty());
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_move_that_would_lose_the_request_is_refused_with_words() {
    let check = |status: u16, location: Option<&'static str>, said: &'static str| async move {
        let fault = fault(Reply::Redirect(status, location.map(str::to_owned))).await;
        assert!(fault.to_string().contains(said), "{status} {location:?}: {fault}");
        assert!(fault.left() && !fault.to_string().contains("secret"), "{fault}");
    };
    check(
        301,
        Some("https://new.example/mcp?key=secret"),
        "moved to https://new.example (HTTP 301)",
    )
    .await;
    check(
        302,
        Some("/mcp/?key=secret"),
        "moved to another place on http://127.0.0.1:",
    )
    .await;
    check(
        303,
        Some("https://u:secret@new.example/"),
        "moved to https://new.example (HTTP 303)",
    )
    .await;
    check(301, None, "the server answered HTTP 301").await;
    check(302, Some("http://["), "the server answered HTTP 302").await;
    check(300, Some("https://new.example/"), "the server answered HTTP 300").await;
    check(304, None, "the server answered HTTP 304").await;
    check(305, Some("http://127.0.0.1:9/"), "the server answered HTTP 305").await;
    check(
        307,
        Some("//u:secret@[::1]/"),
        "an address with a name and password in it",
    )
    .await;
    check(308, Some("file:///etc/passwd"), "sends this request on to null").await;
    check(
        308,
        Some("https://xn--80ak6aa92e.example/"),
        "to https://xn--80ak6aa92e.example;",
    )
    .await;
}

#[tokio::test]
async fn a_relative_redirect_is_followed_from_where_it_stands_and_a_loop_ends() {
    let server = Http::new(|seen, _| match seen.path.as_str() {
        "/mcp" => Reply::Redirect(307, Some("v2/deep/".into())),
        "/v2/deep/" => Reply::Redirect(308, Some("../other?q=1#part".into())),
        "/v2/other?q=1" => Reply::Redirect(307, Some("?q=2".into())),
        _ => Reply::Result(r#"{"k":1}"#.into()),
    })
    .await;
    call(&session(&server.url)).await.expect("an answer");
    let seen = server.seen();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/mcp", "/v2/deep/", "/v2/other?q=1", "/v2/other?q=2"]);
    assert!(
        seen.iter()
            .all(|each| each.method == "POST" && each.body == seen[0].body)
    );
    let circle = Http::new(|seen, _| {
        let other = if seen.path == "/mcp" { "/b" } else { "/mcp" };
        Reply::Redirect(308, Some(other.into()))
    })
    .await;
    let fault = call(&session(&circle.url)).await.expect_err("a circle");
    assert!(
        fault.to_string().contains("redirected more than 3 times"),
        "{fault}"
    );
    assert_eq!(circle.seen().len(), 4);
}

#[tokio::test]
async fn http_50_what_is_compressed_is_not_unpacked_and_not_asked_for() {
    let head =
        |encoding: &str, kind: &str| format!("content-type: {kind}\r\ncontent-encoding: {encoding}\r\n");
    for (encoding, kind) in [
        ("gzip", "application/json"),
        ("GZIP, br", "application/json"),
        ("deflate", "text/event-stream"),
        ("zstd\u{202e}", "text/event-stream"),
    ] {
        let fault = fault(Reply::Head(200, head(encoding, kind), "\u{1f}8b".repeat(100))).await;
        let said = fault.to_string();
        assert!(
            said.starts_with("the answer cannot be read: it is compressed (“")
                && said.ends_with("”), although that was not asked for"),
            "{said}"
        );
        assert!(!said.contains('\u{202e}'), "{said}");
    }
    let plain = Reply::Head(200, head("identity", "application/json"), ANSWER.to_owned());
    assert_eq!(result(plain).await, r#"{"k":1}"#);
    let page = fault(Reply::Head(404, head("gzip", "text/html"), "x".repeat(50))).await;
    assert_eq!(
        page,
        Fault::Status { status: 404 },
        "an error's page is not needed"
    );
    let server = Http::replies([Reply::Body(200, "application/json", ANSWER.to_owned())]).await;
    let session = session_with(&server.url, &[("Accept-Encoding", "gzip, br")], 60);
    call(&session).await.expect("an answer");
    assert_eq!(server.seen()[0].header("accept-encoding"), None);
}

/// What floods cost a whole process: the limits of one message, and what the runtime needs besides.
#[tokio::test]
async fn http_50_51_a_flood_of_any_kind_costs_no_more_memory_than_the_limits() {
    let plain = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let gzip =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n";
    let block = vec![b'a'; 256 * 1024];
    let floods: [(&str, Vec<u8>, Vec<u8>, &str); 5] = [
        (
            "body",
            plain.to_vec(),
            chunk(&block),
            "more than 4194304 bytes in one answer",
        ),
        ("gzip", gzip.to_vec(), chunk(&block), "compressed"),
        (
            "line",
            [events_head(), chunk(b"data: ")].concat(),
            chunk(&block),
            "more than 4194304 bytes in one event",
        ),
        (
            "comments",
            events_head(),
            chunk(format!(": {}\n", "x".repeat(997)).repeat(250).as_bytes()),
            "more than 67108864 bytes in one response",
        ),
        (
            "events",
            events_head(),
            chunk("data: {\"method\":\"x\"}\n\n".repeat(900).as_bytes()),
            "more than 10000 events",
        ),
    ];
    for (kind, start, part, said) in floods {
        let server = Http::replies([Reply::Endless {
            start,
            part,
            every: Duration::ZERO,
        }])
        .await;
        let told = server.url.to_string();
        let lines = Child::new("hostile_http::a_child_that_measures", &told)
            .said()
            .await;
        server.until_closed(1).await;
        assert!(lines[0].contains(said), "{kind}: {}", lines[0]);
        let Ok(grown) = lines[1].parse::<u64>() else {
            continue; // a system that does not say it
        };
        println!("{kind}: {grown} KiB more at the most");
        assert!(grown < 20 * 1024, "{kind}: {grown} KiB");
    }
}

#[tokio::test]
async fn a_child_that_measures() {
    let Some(url) = Child::told() else { return };
    let session = session(&Url::parse(&url).expect("an address"));
    let before = peak_memory();
    let fault = call(&session).await.expect_err("a flood");
    let grown = peak_memory().zip(before).map(|(after, before)| after - before);
    println!("\nsaid: {fault}");
    println!(
        "said: {}",
        grown.map_or_else(|| "unknown".to_owned(), |grown| grown.to_string())
    );
}

#[tokio::test]
async fn http_51_a_length_beyond_the_limit_is_refused_before_anything_is_read() {
    let start = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        MAX_MESSAGE + 1
    );
    let server = Http::replies([Reply::Endless {
        start: start.into_bytes(),
        part: Vec::new(),
        every: SECOND * 3600,
    }])
    .await;
    let fault = call(&session(&server.url)).await.expect_err("too large");
    assert_eq!(fault.to_string(), "more than 4194304 bytes in one answer");
    server.until_closed(1).await;
}

#[tokio::test]
async fn http_52_an_endless_stream_ends_by_time_silence_or_number() {
    for (every, took, said) in [
        (SECOND * 10, 600, Fault::TimedOut(SECOND * 600)),
        (SECOND * 59, 600, Fault::TimedOut(SECOND * 600)),
        (SECOND * 61, 60, Fault::TimedOut(SECOND * 60)),
    ] {
        let server = Http::replies([endless(b":", every)]).await;
        let session = session(&server.url);
        let (ended, waited) = held(asked(&server), call(&session)).await;
        assert_eq!(
            (ended.expect_err("no answer"), seconds(waited)),
            (said, took),
            "{every:?}"
        );
        server.until_closed(1).await;
    }
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n".repeat(100);
    let server = Http::replies([endless(note.as_bytes(), Duration::ZERO)]).await;
    let fault = call(&session(&server.url)).await.expect_err("a million notes");
    assert_eq!(fault.to_string(), "more than 10000 events in one response");
    server.until_closed(1).await;
}

#[tokio::test]
async fn http_52_a_stream_that_trickles_can_be_stopped_at_once() {
    let server = Http::replies([endless(b": still here\n\n", SECOND * 10)]).await;
    let session = session(&server.url);
    let stop = CancellationToken::new();
    let stopping = async {
        asked(&server).await;
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(call_until(&session, &stop), stopping);
    assert_eq!(ended.expect_err("stopped"), Fault::Cancelled { left: true });
    server.until_closed(1).await;
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn http_53_deep_json_is_refused_before_it_is_read() {
    let deep = "[".repeat(200_000);
    let json = |body: String| Reply::Body(200, "application/json", body);
    for reply in [
        json(deep.clone()),
        json(format!(
            r#"{{"jsonrpc":"2.0","id":@id,"result":{deep}{}}}"#,
            "]".repeat(200_000)
        )),
        json(format!(
            r#"{{"jsonrpc":"2.0","id":@id,"result":{}"#,
            r#"{"a":"#.repeat(200_000)
        )),
        events(&[&format!("data: {deep}\n\n")]),
        Reply::Body(400, "application/json", deep.clone()),
    ] {
        let error = matches!(&reply, Reply::Body(400, ..));
        let fault = fault(reply).await;
        if error {
            assert_eq!(fault, Fault::Status { status: 400 });
        } else {
            assert_eq!(
                fault.to_string(),
                "the answer cannot be read: nested deeper than 128 levels"
            );
        }
    }
}

#[tokio::test]
async fn http_55_a_flood_of_headers_is_refused() {
    let head = |lines: &str| {
        let text = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{lines}content-length: 2\r\n\r\n{{}}"
        );
        Reply::Raw(text.into_bytes())
    };
    let many = |count: usize| (0..count).map(|n| format!("x-{n}: v\r\n")).collect::<String>();
    for (what, reply) in [
        ("101 headers", head(&many(99))),
        ("100,000 headers", head(&many(100_000))),
        ("one of 900 KB", head(&format!("x: {}\r\n", "v".repeat(900_000)))),
        (
            "a name of 900 KB",
            head(&format!("{}: v\r\n", "n".repeat(900_000))),
        ),
        (
            "a status line of 900 KB",
            Reply::Raw(format!("HTTP/1.1 200 {}", "O".repeat(900_000)).into_bytes()),
        ),
    ] {
        let fault = fault(reply).await;
        assert!(matches!(fault, Fault::Lost(_)), "{what}: {fault}");
        println!("{what}: {fault}");
        assert!(fault.to_string().len() < 120, "{what}: {fault}");
    }
    let fine = Reply::Head(
        200,
        format!("content-type: application/json\r\n{}", many(90)),
        ANSWER.to_owned(),
    );
    assert_eq!(result(fine).await, r#"{"k":1}"#);
}

#[tokio::test]
async fn http_60_two_questions_that_look_the_same_have_their_own_places_and_answers() {
    let more = r#"{"type":"object","properties":{"name":{"type":"string"},"room":{"type":"string"}}}"#;
    let server = Http::replies([
        Reply::Result(input_required(
            &[
                ("a", form("Who are you?", name())),
                ("b", form("Who are you?", more)),
            ],
            None,
        )),
        Reply::Result(done("ok")),
    ])
    .await;
    let desk = Desk::new();
    let call = desk.call(desk.add("one", &server));
    let asks = desk.questions(call, 2).await;
    let places: Vec<(u32, u32)> = asks.iter().map(|ask| (ask.position, ask.of)).collect();
    assert_eq!(places, [(1, 2), (2, 2)]);
    assert_eq!(asks[0].message, asks[1].message);
    assert_eq!(
        desk.accept(asks[0].id, vec![text(0, "first")]).await,
        Answered::Kept { open: 1 }
    );
    assert_eq!(server.seen().len(), 1, "one answer is no answer to the other");
    assert_eq!(
        desk.accept(asks[1].id, vec![text(0, "second"), text(1, "7")])
            .await,
        Answered::Sent
    );
    desk.finished(call).await;
    let sent = server.params().pop().expect("a retry");
    assert!(
        sent.contains(
            r#""inputResponses":{"a":{"action":"accept","content":{"name":"first"}},"b":{"action":"accept","content":{"name":"second","room":"7"}}}"#
        ),
        "{sent}"
    );
}

/// The server's metadata for a sign-in is not read yet; so nothing that an answer names may be fetched, whatever it is.
#[tokio::test]
async fn http_62_nothing_that_a_refusal_names_is_fetched() {
    let other = Http::new(|_, _| Reply::Result("{}".into())).await;
    for status in [401, 403] {
        let address = other.url.clone();
        let server = Http::new(move |seen, _| {
            let host = seen.header("host").unwrap_or_default();
            let head = format!(
                "www-authenticate: Bearer resource_metadata=\"http://169.254.169.254/latest\"\r\n\
                 www-authenticate: Bearer resource_metadata=\"{address}\", scope=\"a\"\r\n\
                 www-authenticate: Basic realm=\"http://{host}/.well-known/oauth-protected-resource\"\r\n\
                 link: <{address}>; rel=preload\r\nlocation: {address}\r\nrefresh: 0; url={address}\r\n\
                 alt-svc: h2=\":{}\"\r\nset-cookie: a=b\r\n",
                address.port().unwrap_or_default()
            );
            Reply::Head(status, head, "{}".into())
        })
        .await;
        let session = session(&server.url);
        for turn in 1..=2 {
            let error = session.connect().await.expect_err("a sign-in is wanted");
            assert_eq!(error, ConnectError::Fault(Fault::SignIn { status }));
            assert_eq!(
                server.seen().len(),
                turn,
                "one request each, and to the same server"
            );
        }
        assert_eq!(server.seen()[1].header("cookie"), None);
        assert_eq!(server.seen()[1].header("authorization"), None);
    }
    assert_eq!(other.connections(), 0);
}

/// Names that would be judged by where they resolve to belong to sign-in, which is not built yet. What holds today: a
/// name of this computer is not looked up, so that nobody can rebind it.
#[tokio::test]
async fn http_63_a_name_of_this_computer_is_never_looked_up() {
    let server = Http::new(|_, _| Reply::Result(r#"{"k":1}"#.into())).await;
    let port = server.url.port().expect("a port");
    for host in [
        "localhost",
        "rebound.localhost",
        "LOCALHOST",
        "127.1",
        "127.9.9.9",
        "0x7f000001",
    ] {
        if host == "127.9.9.9" && !cfg!(target_os = "linux") {
            continue; // only there all of 127.0.0.0/8 is this computer
        }
        let url = Url::parse(&format!("http://{host}:{port}/mcp")).expect("an address");
        let answer = call(&session(&url)).await;
        let reached = host != "127.9.9.9"; // nobody listens there, but it may be tried
        assert_eq!(answer.is_ok(), reached, "{host}: {answer:?}");
    }
}

#[test]
fn http_61_an_address_in_the_clear_is_for_this_computer_only() {
    for refused in [
        "http://mcp.corp.test/mcp",
        "http://192.168.1.5:8080/mcp",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest",
        "http://0.0.0.0:8080/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://localhost.example/",
        "http://notlocalhost/",
        "http://localhost./",
    ] {
        let said = address::understand(refused).expect_err(refused);
        assert!(
            said.contains("is for this computer only") && said.contains("Use https:"),
            "{said}"
        );
    }
    for fine in [
        "http://127.0.0.1:8080/mcp",
        "http://localhost/mcp",
        "http://[::1]:8080/mcp",
        "http://[::ffff:127.0.0.1]/mcp",
        "http://app.localhost/mcp",
        "https://mcp.corp.test/mcp",
        "https://192.168.1.5/mcp",
    ] {
        let understood = address::understand(fine);
        assert!(understood.is_ok(), "{fine}: {understood:?}");
    }
}

#[tokio::test]
async fn http_66_a_name_with_control_characters_is_shown_filtered_and_sent_exactly() {
    let name = "\u{1b}[31mx\n\u{202e}";
    let server = Http::new(|seen, _| {
        Reply::Result(match seen.rpc_method().as_str() {
            "server/discover" => r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#.into(),
            "tools/list" => {
                r#"{"tools":[{"name":"\u001b[31mx\n\u202e","inputSchema":{"type":"object"}}]}"#.into()
            }
            _ => done("ok"),
        })
    })
    .await;
    let desk = Desk::new();
    let id = desk.add("one", &server);
    desk.app.connected(id).await.expect("connected");
    let page = desk.app.server_page(id).await.expect("a page");
    let shown = serde_json::to_string(&page).expect("JSON");
    assert!(shown.contains("⟦U+001B⟧[31mx"), "{shown}");
    assert!(
        !shown.contains(['\u{1b}', '\u{202e}']) && !shown.contains("\\u001b"),
        "{shown}"
    );
    let call = desk.call_offer(id, ListKind::Tools, name);
    desk.finished(call).await;
    let seen = server.seen().pop().expect("the call");
    assert_eq!(
        seen.header("mcp-name").as_deref(),
        Some("=?base64?G1szMW14CuKArg==?=")
    );
    let sent = seen.json();
    let sent = sent.get("params").and_then(|params| params.get("name"));
    assert_eq!(sent.and_then(Json::as_str), Some(name));
}

#[tokio::test]
async fn http_68_a_server_that_does_not_speak_ends_after_ten_thirty_or_its_own_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let url = Url::parse(&format!("https://127.0.0.1:{port}/mcp")).expect("an address");
    let connected = Gate::closed();
    let (opens, gate) = (connected.clone(), connected.clone());
    tokio::spawn(async move {
        let _silent = listener.accept().await;
        opens.open();
        std::future::pending::<()>().await;
    });
    let session = session(&url);
    let (ended, took) = held(gate.opened(), call(&session)).await;
    let fault = ended.expect_err("no handshake");
    assert_eq!(
        (fault.to_string().as_str(), fault.left(), seconds(took)),
        ("no connection within 10 s", false, 10)
    );

    for (timeout, lists, calls) in [(120, 30, 120), (60, 30, 60), (5, 5, 5)] {
        let silent = || Http::new(|_, _| Reply::Held(Gate::closed(), Box::new(Reply::Close)));
        let server = silent().await;
        let session = session_with(&server.url, &[], timeout);
        let (ended, took) = held(asked(&server), session.connect()).await;
        let fault = Fault::TimedOut(SECOND * lists);
        assert_eq!((ended, seconds(took)), (Err(fault.into()), u64::from(lists)));
        server.until_closed(1).await;

        let server = silent().await;
        let session = session_with(&server.url, &[], timeout);
        let listing = session.ask(Request::new(Method::ListTools));
        let (ended, took) = held(asked(&server), listing).await;
        assert!(ended.is_err());
        assert_eq!(seconds(took), u64::from(lists));

        let server = silent().await;
        let session = session_with(&server.url, &[], timeout);
        let (ended, took) = held(asked(&server), call(&session)).await;
        assert_eq!(ended.expect_err("silence"), Fault::TimedOut(SECOND * calls));
        assert_eq!(seconds(took), u64::from(calls));
    }
}

#[tokio::test]
async fn http_68_a_head_that_never_ends_is_silence() {
    for start in ["HTTP/1.1 200 OK\r\nx: ", "HTTP/1.1 103 Early Hints\r\n\r\n"] {
        let part = if start.contains("103") {
            start.as_bytes()
        } else {
            b"a"
        };
        let server = Http::replies([Reply::Endless {
            start: start.into(),
            part: part.to_vec(),
            every: SECOND * 10,
        }])
        .await;
        let session = session(&server.url);
        let (ended, took) = held(asked(&server), call(&session)).await;
        assert_eq!(
            ended.expect_err("no head"),
            Fault::TimedOut(SECOND * 60),
            "{start}"
        );
        assert_eq!(seconds(took), 60);
    }
}

#[tokio::test]
async fn case_101_line_ends_of_every_kind_end_lines_and_events() {
    for stream in [
        format!("event: message\r\ndata: {ANSWER}\r\n\r\n"),
        format!("event: message\ndata: {ANSWER}\n\n"),
        format!("event: message\rdata: {ANSWER}\r\r"),
        format!("event: message\r\ndata: {ANSWER}\n\r\n"),
        format!("event: message\rdata: {ANSWER}\r\n\r"),
        format!("event: message\ndata: {ANSWER}\r\r\n"),
    ] {
        assert_eq!(result(events(&[&stream])).await, r#"{"k":1}"#, "{stream:?}");
        let bytes = stream
            .replace("@id", "1")
            .bytes()
            .map(|byte| vec![byte])
            .collect();
        assert_eq!(
            result(Reply::Events(bytes)).await,
            r#"{"k":1}"#,
            "{stream:?} byte by byte"
        );
    }
}

#[tokio::test]
async fn case_103_data_over_several_lines_is_joined() {
    let stream =
        "data: {\ndata: \"jsonrpc\":\"2.0\",\ndata:\ndata: \"id\":@id,\ndata:  \"result\":{\"k\":1}}\n\n";
    assert_eq!(result(events(&[stream])).await, r#"{"k":1}"#);
}

#[tokio::test]
async fn case_104_a_priming_event_without_data_and_events_of_other_names_are_passed_over() {
    let prime = "id: 1\ndata:\n\nretry: 3000\n\n";
    let ping = "event: ping\ndata: 2026-01-01T00:00:00Z\n\n";
    let other = "event: endpoint\ndata: /messages?session=1\n\n";
    let answer = format!("id: 2\nevent: message\ndata: {ANSWER}\n\n");
    let reply = events(&[prime, ping, other, ": tick\n\n", &answer]);
    assert_eq!(result(reply).await, r#"{"k":1}"#);
}

#[tokio::test]
async fn an_event_that_is_no_message_is_said_and_counts_as_sent() {
    for (data, said) in [
        ("data: hello\n\n", "not JSON"),
        ("data: {\"jsonrpc\":\"2.0\",\ndata: broken\n\n", "not JSON"),
        ("data: [1,2]\n\n", "batches"),
        ("data: 7\n\n", "must be an object"),
        ("data: {}\n\n", "neither a result, an error nor a method"),
        ("data: \u{feff}\u{feff}{}\n\n", "not JSON"),
    ] {
        let fault = fault(events(&[data])).await;
        assert!(fault.to_string().contains(said), "{data:?}: {fault}");
        assert!(fault.left());
    }
    let fault = fault(Reply::Events(vec![b"data: {\"k\":\"\xff\xfe\"}\n\n".to_vec()])).await;
    assert!(fault.to_string().contains("cannot be read"), "{fault}");
}

#[tokio::test]
async fn case_110_an_error_of_any_status_is_shown_in_the_servers_words() {
    for status in [400, 404, 405, 409, 413, 422, 429, 500, 502, 503] {
        for media_type in ["application/json", "text/plain", ""] {
            let body =
                r#"{"jsonrpc":"2.0","id":@id,"error":{"code":-32602,"message":"Unknown tool: zap \u202e"}}"#;
            let server = Http::replies([Reply::Body(status, media_type, body.to_owned())]).await;
            let desk = Desk::new();
            let call = desk.call(desk.add("one", &server));
            let row = desk.call_in(call, CallPhase::Failed).await;
            assert_eq!(
                row.detail,
                Some(format!(
                    "The server refused: “Unknown tool: zap ⟦U+202E⟧” (-32602) (HTTP {status})."
                ))
            );
        }
    }
    let null = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let answer = result(Reply::Body(400, "application/json", null.to_owned())).await;
    assert_eq!(answer, "error -32700 Parse error");
}

#[tokio::test]
async fn case_113_an_id_that_comes_back_as_text_is_matched_and_a_foreign_one_reported_at_once() {
    let json = |id: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"k":1}}}}"#);
        [
            Reply::Body(200, "application/json", body.clone()),
            events(&[&format!("data: {body}\n\n")]),
        ]
    };
    for reply in json("\"@id\"") {
        assert_eq!(result(reply).await, r#"{"k":1}"#);
    }
    for id in ["\"other\"", "2", "\"2\"", "1.5", "true", "[1]"] {
        for reply in json(id) {
            let fault = fault(reply).await;
            assert!(
                fault.to_string().contains("belongs to another request"),
                "{id}: {fault}"
            );
        }
    }
}

#[tokio::test]
async fn case_119_each_server_has_its_own_time_out_and_its_figure_is_said() {
    let sleeper = |sleep: u32| async move {
        let gate = Gate::closed();
        let opens = gate.clone();
        let answer = Reply::Result(r#"{"k":1}"#.into());
        let server = Http::replies([Reply::Held(gate, Box::new(answer))]).await;
        (server, async move {
            tokio::time::sleep(SECOND * sleep).await;
            opens.open();
        })
    };
    for (timeout, sleep, said) in [
        (5, 8, Err("no answer within 5 s".to_owned())),
        (120, 70, Ok(r#"{"k":1}"#.to_owned())),
    ] {
        let (server, asleep) = sleeper(sleep).await;
        let session = session_with(&server.url, &[], timeout);
        let work = async {
            let mut call = pin!(call(&session));
            tokio::select! {
                ended = &mut call => ended,
                () = async {
                    asked(&server).await;
                    asleep.await;
                } => call.await,
            }
        };
        let (ended, took) = held(asked(&server), work).await;
        let ended = ended
            .map(|reply| reply.response.outcome.expect("a result").to_string())
            .map_err(|fault| fault.to_string());
        assert_eq!((ended, seconds(took)), (said, u64::from(timeout.min(sleep))));
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Http::new(|_, _| Reply::Result("{}".into())).await;
    let session = session(&server.url);
    for _ in 0..3 {
        call(&session).await.expect("an answer");
    }
    assert_eq!((server.seen().len(), server.connections()), (3, 1));
}

/// An `https:` server that answers in the clear or with a TLS of the last century.
#[tokio::test]
async fn http_64_what_is_no_tls_or_an_old_one_is_refused_with_words() {
    for (answer, said) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            "it does not speak TLS there",
        ),
        (&[0x15, 3, 1, 0, 2, 2, 0x46][..], "TLS 1.2 is the least"),
        (&[0x15, 3, 1, 0, 2, 2, 0x28][..], "TLS 1.2 is the least"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let serving = tokio::spawn(async move {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut hello = vec![0; 4096];
            let _ = stream.read(&mut hello).await;
            let _ = stream.write_all(answer).await;
            let _ = stream.read(&mut hello).await;
        });
        let url = Url::parse(&format!("https://127.0.0.1:{port}/mcp")).expect("an address");
        let fault = call(&session(&url)).await.expect_err("refused");
        assert!(fault.to_string().contains(said), "{fault}");
        assert!(!fault.left());
        serving.await.expect("no panic");
    }
}

#[test]
fn http_64_nothing_in_the_source_weakens_tls() {
    fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                found.push(path);
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    files(&root, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a source");
    let with = |word: &str| -> Vec<String> {
        let holding = found.iter().filter(|path| read(path).contains(word));
        let names = holding.filter_map(|path| path.file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    };
    for word in [
        "danger_accept",
        "tls_danger",
        "tls_version_m",
        "min_tls_version",
        "SSLKEYLOGFILE",
        "KeyLogFile",
        "tls_certs_only",
        "NoVerifier",
    ] {
        assert_eq!(with(word), [""; 0], "{word}");
    }
    assert_eq!(with(".dangerous()"), ["trust.rs"]);
    assert_eq!(with("https_only("), ["client.rs"]);
    assert_eq!(with("reqwest::Client::builder"), ["client.rs"]);
    let manifest = std::fs::read_to_string(root.join("../Cargo.toml")).expect("a manifest");
    let line = manifest.lines().find(|line| line.starts_with("reqwest ="));
    assert_eq!(
        line,
        Some(
            r#"reqwest = { version = "0.13", default-features = false, features = ["rustls", "http2", "system-proxy", "stream"] }"#
        ),
        "no compression, no cookies, no other TLS"
    );
}
