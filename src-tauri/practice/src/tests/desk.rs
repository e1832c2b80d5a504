//! Over HTTP, with requests written by hand.

use super::{QUICK, at, counting, keys, parsed, request, retried, said};
use crate::server::{Place, Practice};
use crate::{Desk, desk_with, http};
use countersign_core::wire::json::Json;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

async fn desk(pace: Duration) -> Desk {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    desk_with(listener, counting(), pace).expect("a desk")
}

struct Response {
    status: u16,
    head: String,
    body: String,
}

/// Sends `head` (with `HOST` for the desk's own) and `body` on a new connection; reads to its end.
async fn exchange(desk: &Desk, head: &str, body: &str) -> Response {
    let mut stream = TcpStream::connect(desk.address()).await.expect("a connection");
    let host = desk.address().to_string();
    let head = head.replace("HOST", &host);
    let length = body.len();
    let text = format!("{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Response {
        status: status.expect(head),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

const POST: &str = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n\
                    Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28";

fn post(method: &str, name: Option<&str>) -> String {
    match name {
        None => format!("{POST}\r\nMcp-Method: {method}"),
        Some(name) => format!("{POST}\r\nMcp-Method: {method}\r\nMcp-Name: {name}"),
    }
}

async fn call(desk: &Desk, name: &str, params: &str) -> Json {
    let body = request(1, "tools/call", params).to_string();
    let response = exchange(desk, &post("tools/call", Some(name)), &body).await;
    assert_eq!(response.status, 200, "{}", response.body);
    at(&parsed(&response.body), "result").clone()
}

#[tokio::test]
async fn an_account_is_connected_by_visiting_its_page() {
    let desk = desk(QUICK).await;
    let params = r#"{"name":"connect_account"}"#;
    let accept = r#"{"account":{"action":"accept"}}"#;
    let first = call(&desk, "connect_account", params).await;
    let url = said(&first, "inputRequests.account.params.url").to_owned();
    assert!(url.starts_with(&desk.page_prefix()), "{url}");
    let again = call(&desk, "connect_account", &retried(params, &first, accept)).await;
    assert_eq!(keys(&again), ["account"]);

    let path = url.strip_prefix(&desk.origin()).expect(&url);
    let page = exchange(&desk, &format!("GET {path} HTTP/1.1\r\nHost: HOST"), "").await;
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("Practice account: connected.") && page.body.contains("You can close this page.")
    );
    assert!(
        page.head.contains("content-security-policy: default-src 'none';"),
        "{}",
        page.head
    );
    assert!(
        !page.body.contains("<script") && !page.body.contains("http"),
        "{}",
        page.body
    );

    let end = call(&desk, "connect_account", &retried(params, &again, accept)).await;
    assert_eq!(said(&end, "resultType"), "complete");
}

#[tokio::test]
async fn requests_are_refused_with_the_right_status() {
    let desk = desk(QUICK).await;
    let list = request(1, "tools/list", "{}").to_string();
    let old = list.replace("2026-07-28", "2025-11-25");
    let busy = request(1, "tools/call", r#"{"name":"busy"}"#).to_string();
    let listing = post("tools/list", None);
    let cases = [
        (listing.clone(), list.as_str(), 200, "\"tools\""),
        (listing.replace("HOST", "localhost:PORT"), &list, 200, "\"tools\""),
        (
            listing.replace("HOST\r", "HOST\r\nOrigin: http://HOST\r"),
            &list,
            200,
            "\"tools\"",
        ),
        (
            post("tools/call", Some("=?base64?YnVzeQ==?=")),
            &busy,
            200,
            "requestState",
        ),
        (post("tools/call", Some("other")), &busy, 400, "-32020"),
        (post("tools/call", None), &busy, 400, "-32020"),
        (post("tools/call", None), &list, 400, "-32020"),
        (listing.clone(), &old, 400, "-32020"),
        (listing.replace("2026-07-28", "2025-11-25"), &old, 400, "-32022"),
        (
            listing.clone(),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            400,
            "-32602",
        ),
        (listing.clone(), "{", 400, "-32700"),
        (listing.clone(), "[]", 400, "-32600"),
        (
            listing.clone(),
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
            202,
            "",
        ),
        (
            listing.replace("application/json\r", "text/plain\r"),
            &list,
            415,
            "",
        ),
        (listing.replace(", text/event-stream", ""), &list, 406, ""),
        (
            listing.replace("Host: HOST", "Host: evil.example:PORT"),
            &list,
            403,
            "",
        ),
        (listing.replace("Host: HOST", "Host: 127.0.0.1:1"), &list, 403, ""),
        (
            listing.replace("HOST\r", "HOST\r\nOrigin: https://evil.example\r"),
            &list,
            403,
            "",
        ),
        (
            listing.replace("HOST\r", "HOST\r\nOrigin: null\r"),
            &list,
            403,
            "",
        ),
        (listing.replace("POST", "GET"), "", 405, ""),
        (listing.replace("POST", "DELETE"), "", 405, ""),
        (listing.replace("/mcp", "/"), &list, 404, ""),
        (
            "GET /practice/account?ticket=1 HTTP/1.1\r\nHost: HOST".to_owned(),
            "",
            404,
            "no rehearsal",
        ),
        (
            "GET /practice/account HTTP/1.1\r\nHost: HOST".to_owned(),
            "",
            404,
            "no rehearsal",
        ),
        (
            "POST /practice/account?ticket=1 HTTP/1.1\r\nHost: HOST".to_owned(),
            "",
            405,
            "",
        ),
    ];
    let port = desk.address().port().to_string();
    for (head, body, status, words) in cases {
        let response = exchange(&desk, &head.replace("PORT", &port), body).await;
        assert_eq!(response.status, status, "{head}\n{body}\n{}", response.body);
        assert!(response.body.contains(words), "{head}\n{body}\n{}", response.body);
    }
    let unknown = request(1, "ping", "{}").to_string();
    let response = exchange(&desk, &post("ping", None), &unknown).await;
    assert_eq!((response.status, response.body.contains("-32601")), (404, true));
    // Refused by its announced length, before any of it is sent.
    let head = post("tools/list", None).replace("HOST", &desk.address().to_string());
    let mut stream = TcpStream::connect(desk.address()).await.expect("a connection");
    let text = format!("{head}\r\nContent-Length: 2000000\r\n\r\n");
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 413");
}

#[tokio::test]
async fn progress_comes_as_events_before_the_result() {
    let desk = desk(QUICK).await;
    let body = request(1, "tools/call", r#"{"name":"slow_task"}"#).to_string();
    let response = exchange(&desk, &post("tools/call", Some("slow_task")), &body).await;
    assert!(
        response.head.contains("content-type: text/event-stream"),
        "{}",
        response.head
    );
    let events: Vec<_> = response
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(parsed)
        .collect();
    assert_eq!(events.len(), 6, "{}", response.body);
    assert_eq!(at(&events[4], "params.progress").as_i64(), Some(5));
    assert_eq!(said(&events[5], "result.resultType"), "complete");

    let old = body.replace("2026-07-28", "2025-11-25");
    let head = post("tools/call", Some("slow_task")).replace("2026-07-28", "2025-11-25");
    assert_eq!(exchange(&desk, &head, &old).await.status, 400);
}

#[tokio::test]
async fn closing_the_stream_cancels_the_call() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let place = Place::Desk {
        origin: format!("http://{address}"),
    };
    let practice = Arc::new(Practice::new(place, counting(), Duration::from_secs(3600)));
    let serving = tokio::spawn(http::serve(listener, address, Arc::clone(&practice)));

    let body = request(1, "tools/call", r#"{"name":"slow_task"}"#).to_string();
    let head = post("tools/call", Some("slow_task")).replace("HOST", &address.to_string());
    let stream = TcpStream::connect(address).await.expect("a connection");
    let mut stream = BufReader::new(stream);
    let text = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.expect("sent");
    let mut line = String::new();
    while !line.starts_with(": this is a rehearsal") {
        line.clear();
        stream.read_line(&mut line).await.expect("a line");
    }
    // The test, the listener, the connection and the call hold it.
    let idle = 2;
    assert!(Arc::strong_count(&practice) > idle);
    drop(stream);
    let gone = async {
        while Arc::strong_count(&practice) > idle {
            tokio::task::yield_now().await;
        }
    };
    let limit = Duration::from_secs(30);
    assert!(
        tokio::time::timeout(limit, gone).await.is_ok(),
        "the task of an hour goes on"
    );
    serving.abort();
}

#[tokio::test]
async fn the_desk_stops_when_it_is_dropped_and_serves_this_computer_alone() {
    let running = desk(QUICK).await;
    let address = running.address();
    let mut open = TcpStream::connect(address).await.expect("a connection");
    drop(running);
    let mut rest = Vec::new();
    // Closed or reset: either way the connection has ended.
    let _ = open.read_to_end(&mut rest).await;
    assert!(rest.is_empty());

    let everywhere = TcpListener::bind("0.0.0.0:0").await.expect("a port");
    assert!(crate::desk(everywhere).is_err());
}
