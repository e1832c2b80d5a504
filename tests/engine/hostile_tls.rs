//! Certificates and proxies. The environment says what holds, so each look is a child program with variables of its
//! own.

use crate::kit::{Authority, Child, Http, Reply};
use countersign_core::session::{Session, Target, address};
use countersign_core::wire::request::{Elicitation, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use url::Url;

const HTTP_1: &[&str] = &["http/1.1"];
/// An answer of an older HTTP server to everything.
const FINE: &str = r#"{"k":1}"#;

/// What children say who ask `url` so many times.
async fn asking(times: u32, url: &str, with: impl FnOnce(Child) -> Child) -> Vec<String> {
    let child = Child::new("hostile_tls::a_child_that_asks", &format!("{times} {url}"));
    let said = with(child).said().await;
    assert_eq!(said.len(), times as usize, "{said:?}");
    said
}

#[tokio::test]
async fn a_child_that_asks() {
    let Some(told) = Child::told() else { return };
    let (times, url) = told.split_once(' ').expect("times and an address");
    let target = Target::Http {
        url: Url::parse(url).expect("an address"),
        headers: vec![("X-Api-Key".to_owned(), "k".to_owned())],
    };
    let session = Session::new(target, Elicitation::Both, Duration::from_secs(20));
    println!();
    for _ in 0..times.parse().expect("a number") {
        match session.ask(Request::new(Method::Discover)).await {
            Ok(reply) => println!(
                "said: {:?}",
                reply.response.outcome.map(|result| result.to_string())
            ),
            Err(fault) => println!("said: {} (left: {})", fault, fault.left()),
        }
    }
}

fn fine() -> String {
    format!("Ok({FINE:?})")
}

fn port(url: &Url) -> u16 {
    url.port().expect("a port")
}

#[tokio::test]
async fn case_116_a_certificate_of_a_stranger_is_refused_and_its_issuer_named() {
    let works = Authority::new("Works Root \u{202e}CA");
    let other = Authority::new("Other Root");
    let server = Http::over_tls(works.server(HTTP_1), |_, _| Reply::Result(FINE.into())).await;
    let said = asking(1, server.url.as_str(), |child| child.trusting(&other.file())).await;
    let place = if cfg!(all(unix, not(target_vendor = "apple"))) {
        "to the system's trusted certificates, or to a file that SSL_CERT_FILE names, and start Countersign again"
    } else {
        "to the system's trusted certificates and start Countersign again"
    };
    assert_eq!(
        said[0],
        format!(
            "its certificate says that it is from “Works Root ⟦U+202E⟧CA”, which is not trusted here; if you know who that is (your company, say), add their certificate {place} (left: false)"
        )
    );
    assert!(server.seen().is_empty(), "nothing left");
}

/// Only where the system's trust can be told by a variable.
#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn case_116_a_private_authority_is_trusted_by_its_file() {
    let works = Authority::new("Works Root");
    let server = Http::over_tls(works.server(HTTP_1), |_, _| Reply::Result(FINE.into())).await;
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("https://{host}:{}/mcp", port(&server.url));
        let said = asking(3, &url, |child| child.trusting(&works.file())).await;
        assert_eq!(said, [fine(), fine(), fine()]);
    }
    assert_eq!(server.connections(), 2, "one for each child");
    assert_eq!(server.seen()[0].header("x-api-key").as_deref(), Some("k"));
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn case_116_a_file_without_certificates_is_said() {
    let said = asking(1, "https://127.0.0.1:9/mcp", |child| {
        child.trusting(std::path::Path::new("/nonexistent/root.pem"))
    })
    .await;
    assert_eq!(
        said[0],
        "TLS cannot be used here: No CA certificates were loaded from the system (SSL_CERT_FILE is set, and counts instead of the system's) (left: false)"
    );
    let said = asking(1, "https://127.0.0.1:9/mcp", |child| {
        child.with("SSL_CERT_DIR", "/nonexistent")
    })
    .await;
    assert!(said[0].contains("(SSL_CERT_DIR is set"), "{}", said[0]);
    let server = Http::new(|_, _| Reply::Result(FINE.into())).await;
    let said = asking(1, server.url.as_str(), |child| {
        child.with("SSL_CERT_DIR", "/nonexistent")
    })
    .await;
    assert_eq!(said, [fine()], "this computer needs none");
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn a_certificate_that_is_not_for_here_or_not_for_now_is_said() {
    let works = Authority::new("Works Root");
    let names: Vec<String> = (0..9).map(|n| format!("n{n}.corp.test")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (names, years, said) in [
        (
            &["other.corp.test"][..],
            None,
            "its certificate is for other.corp.test, not for this address",
        ),
        (
            &names,
            None,
            "its certificate is for n0.corp.test, n1.corp.test, n2.corp.test, n3.corp.test and others, not for this address",
        ),
        (&[], None, "its certificate is for nobody, not for this address"),
        (&["127.0.0.1"], Some((2001, 2002)), "its certificate has expired"),
        (
            &["127.0.0.1"],
            Some((2900, 2901)),
            "its certificate is not valid yet",
        ),
    ] {
        let tls = works.server_for(names, years, HTTP_1);
        let server = Http::over_tls(tls, |_, _| Reply::Result(FINE.into())).await;
        let lines = asking(1, server.url.as_str(), |child| child.trusting(&works.file())).await;
        assert!(lines[0].starts_with(said), "{}", lines[0]);
        assert!(lines[0].ends_with("(left: false)"), "{}", lines[0]);
        assert!(server.seen().is_empty());
    }
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn http_64_a_redirect_from_tls_into_the_clear_is_refused() {
    let works = Authority::new("Works Root");
    let clear = Http::new(|_, _| Reply::Result(FINE.into())).await;
    let location = clear.url.to_string();
    let server = Http::over_tls(works.server(HTTP_1), move |_, _| {
        Reply::Redirect(307, Some(location.clone()))
    })
    .await;
    let said = asking(1, server.url.as_str(), |child| child.trusting(&works.file())).await;
    let expected = format!(
        "https://127.0.0.1:{} sends this request on to http://127.0.0.1:{}; requests go only where you added the server (left: true)",
        port(&server.url),
        port(&clear.url)
    );
    assert_eq!(said, [expected]);
    assert_eq!(clear.connections(), 0);
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn http_2_is_spoken_where_the_server_knows_it_over_one_connection() {
    let works = Authority::new("Works Root");
    let tls = TlsAcceptor::from(works.server(&["h2", "http/1.1"]));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            let tls = tls.clone();
            tokio::spawn(async move {
                let Ok(stream) = tls.accept(stream).await else {
                    return;
                };
                let io = hyper_util::rt::TokioIo::new(stream);
                let service = hyper::service::service_fn(answer_over_http_2);
                let serving = hyper::server::conn::http2::Builder::new(hyper_util::rt::TokioExecutor::new());
                let _ = serving.serve_connection(io, service).await;
            });
        }
    });
    let url = format!("https://localhost:{port}/mcp");
    let said = asking(3, &url, |child| child.trusting(&works.file())).await;
    let expected: Vec<String> = (1..=3)
        .map(|id| format!("Ok({:?})", format!(r#"{{"id":{id},"as":"HTTP/2.0"}}"#)))
        .collect();
    assert_eq!(said, expected);
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}

/// The id of the request and the version it came in.
async fn answer_over_http_2(
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let version = format!("{:?}", request.version());
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    let body = countersign_core::wire::json::Json::parse_bytes(&body).expect("JSON");
    let id = body.get("id").expect("an id");
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"id":{id},"as":"{version}"}}}}"#);
    let response = hyper::Response::builder().header("content-type", "application/json");
    Ok(response.body(Full::from(answer)).expect("an answer"))
}

/// A proxy that refuses whatever it is asked, and remembers it.
async fn refusing() -> Http {
    Http::new(|_, _| Reply::Head(502, String::new(), String::new())).await
}

fn origin(url: &Url) -> String {
    format!("http://127.0.0.1:{}", port(url))
}

#[tokio::test]
async fn http_61_servers_on_this_computer_never_go_through_a_proxy() {
    let proxy = refusing().await;
    let server = Http::new(|_, _| Reply::Result(FINE.into())).await;
    for host in ["127.0.0.1", "localhost", "app.localhost", "127.1"] {
        let url = format!("http://{host}:{}/mcp", port(&server.url));
        let said = asking(1, &url, |child| through(child, &origin(&proxy.url))).await;
        assert_eq!(said, [fine()], "{host}");
    }
    assert_eq!(proxy.connections(), 0);
    let (works, other) = (Authority::new("Works Root"), Authority::new("Other Root"));
    let secure = Http::over_tls(works.server(HTTP_1), |_, _| Reply::Result(FINE.into())).await;
    let said = asking(1, secure.url.as_str(), |child| {
        through(child, &origin(&proxy.url)).trusting(&other.file())
    })
    .await;
    assert!(
        said[0].contains("certificate") && !said[0].contains("proxy"),
        "{}",
        said[0]
    );
    assert_eq!(secure.connections(), 1);
    assert_eq!(proxy.connections(), 0);
}

/// Every variable that there is, in both spellings.
fn through(child: Child, proxy: &str) -> Child {
    [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ]
    .into_iter()
    .fold(child, |child, name| child.with(name, proxy))
}

#[tokio::test]
async fn http_61_a_proxy_is_said_before_a_server_is_added() {
    let note = |name: &str| format!("Requests to it go through the proxy proxy.test:3128 (from {name}).");
    let understood = |url: &'static str, with: fn(Child) -> Child| async move {
        with(Child::new("hostile_tls::a_child_that_understands", url))
            .said()
            .await
    };
    let proxied = |child: Child| {
        let child = child.with("HTTPS_PROXY", "http://user:secret@proxy.test:3128");
        child.with("NO_PROXY", "localhost,.corp.test")
    };
    let none = [""; 0];
    assert_eq!(
        understood("https://mcp.example/mcp", proxied).await,
        [note("HTTPS_PROXY")]
    );
    assert_eq!(understood("https://mcp.corp.test/mcp", proxied).await, none);
    assert_eq!(understood("https://127.0.0.1/mcp", proxied).await, none);
    assert_eq!(understood("http://localhost:8080/mcp", proxied).await, none);
    assert_eq!(understood("https://mcp.example/mcp", |child| child).await, none);
    let emptied = |child: Child| child.with("HTTPS_PROXY", "").with("all_proxy", "proxy.test:3128");
    assert_eq!(
        understood("https://mcp.example/mcp", emptied).await,
        [note("all_proxy")]
    );
}

#[test]
fn a_child_that_understands() {
    let Some(url) = Child::told() else { return };
    println!();
    let preview = address::understand(&url).expect("understood");
    for note in preview.notes {
        println!("said: {note}");
    }
}

#[tokio::test]
async fn http_61_nothing_goes_to_a_proxy_in_the_clear() {
    let proxy = refusing().await;
    let said = asking(1, "http://mcp.corp.test/mcp", |child| {
        through(child, &origin(&proxy.url))
    })
    .await;
    assert!(said[0].contains("is for this computer only"), "{}", said[0]);
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn case_116_a_proxy_is_used_and_said_when_it_fails() {
    let proxy = refusing().await;
    let address = format!("127.0.0.1:{}", port(&proxy.url));
    for (name, value) in [
        ("HTTPS_PROXY", origin(&proxy.url)),
        ("https_proxy", address.clone()),
        ("ALL_PROXY", format!("http://user:secret@{address}")),
    ] {
        let before = proxy.seen().len();
        let said = asking(1, "https://mcp.corp.test/mcp", |child| {
            let child = child
                .with("NO_PROXY", "localhost,.other.test")
                .with("HTTP_PROXY", "http://127.0.0.1:1");
            child.with(name, &value)
        })
        .await;
        assert_eq!(
            said[0],
            format!(
                "through the proxy {address} (from {name}): it does not let this connection through (left: false)"
            )
        );
        let seen = proxy.seen();
        assert_eq!(seen.len(), before + 1);
        let last = &seen[before];
        assert_eq!(
            (last.method.as_str(), last.path.as_str()),
            ("CONNECT", "mcp.corp.test:443")
        );
        assert_eq!(last.header("x-api-key"), None);
        assert_eq!(
            last.header("proxy-authorization").as_deref(),
            value.contains("secret").then_some("Basic dXNlcjpzZWNyZXQ=")
        );
    }
    let wants = Http::new(|_, _| Reply::Head(407, String::new(), String::new())).await;
    let said = asking(1, "https://mcp.corp.test/mcp", |child| {
        child.with("HTTPS_PROXY", origin(&wants.url))
    })
    .await;
    assert!(said[0].contains("it wants a name and password"), "{}", said[0]);

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let gone = listener.local_addr().expect("an address").port();
    drop(listener);
    let said = asking(1, "https://mcp.corp.test/mcp", |child| {
        child.with("HTTPS_PROXY", format!("http://127.0.0.1:{gone}"))
    })
    .await;
    assert_eq!(
        said[0],
        format!(
            "through the proxy 127.0.0.1:{gone} (from HTTPS_PROXY): nothing listens there (connection refused) (left: false)"
        )
    );
}

#[tokio::test]
async fn case_116_a_name_that_needs_no_proxy_does_not_go_through_one() {
    let proxy = refusing().await;
    let said = asking(1, "https://mcp.corp.test/mcp", |child| {
        through(child, &origin(&proxy.url)).with("NO_PROXY", "localhost,.corp.test")
    })
    .await;
    // Nobody has this name (RFC 6761, 6.2).
    assert!(
        said[0].starts_with("the name mcp.corp.test is not known"),
        "{}",
        said[0]
    );
    assert!(said[0].ends_with("(left: false)"), "{}", said[0]);
    assert_eq!(proxy.connections(), 0);
}

#[cfg(all(unix, not(target_vendor = "apple")))]
#[tokio::test]
async fn case_116_what_is_behind_a_proxy_is_reached_by_tls_of_its_own() {
    let works = Authority::new("Works Root");
    let tls = works.server_for(&["mcp.corp.test"], None, HTTP_1);
    let server = Http::over_tls(tls, |_, _| Reply::Result(FINE.into())).await;
    let proxy = tunnel_to(port(&server.url)).await;
    let said = asking(2, "https://mcp.corp.test/mcp", |child| {
        child.with("HTTPS_PROXY", &proxy).trusting(&works.file())
    })
    .await;
    assert_eq!(said, [fine(), fine()]);
    assert_eq!(server.seen()[0].header("host").as_deref(), Some("mcp.corp.test"));
    assert_eq!(server.connections(), 1);
    let other = Authority::new("Other Root");
    let said = asking(1, "https://mcp.corp.test/mcp", |child| {
        child.with("HTTPS_PROXY", &proxy).trusting(&other.file())
    })
    .await;
    let start = format!(
        "through the proxy {} (from HTTPS_PROXY): its certificate says that it is from “Works Root”",
        proxy.trim_start_matches("http://")
    );
    assert!(said[0].starts_with(&start), "{}", said[0]);
}

/// A proxy that tunnels everything to one port of this computer.
async fn tunnel_to(port: u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(near.read_u8().await?);
                }
                let mut far = TcpStream::connect(("127.0.0.1", port)).await?;
                near.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
                tokio::io::copy_bidirectional(&mut near, &mut far).await
            });
        }
    });
    format!("http://{address}")
}
