//! The desk over streamable HTTP on a loopback listener, and its practice page.
//!
//! Promised: POST to `/mcp` alone is MCP; a call that reports progress is answered with an event stream,
//! everything else with JSON; closing the stream cancels the call; a foreign `Host` or `Origin` is refused, so
//! that no page in a browser can reach this server under another name (DNS rebinding). Deliberately absent: TLS,
//! HTTP/2, sessions, resumption, authorization.

use crate::body::{Answer, Events};
use crate::message::{Fault, Message, Unreadable, read};
use crate::server::{Practice, Reply, handle};
use crate::{headers, page};
use countersign_core::wire::json::Json;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinSet;

/// Where MCP is, below the desk's origin.
pub(crate) const PATH: &str = "/mcp";

/// Largest body that is read, in bytes.
const LARGEST: usize = 1024 * 1024;

/// How long to wait after the system could not accept a connection.
const BREATH: Duration = Duration::from_millis(100);

/// Serves until dropped. Open connections end with it.
pub(crate) async fn serve(listener: TcpListener, address: SocketAddr, practice: Arc<Practice>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_one(stream, address, Arc::clone(&practice)));
                }
                Err(_) => tokio::time::sleep(BREATH).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_one(stream: TcpStream, address: SocketAddr, practice: Arc<Practice>) {
    let service = service_fn(move |request| {
        let practice = Arc::clone(&practice);
        async move { Ok::<_, Infallible>(answer(request, address, practice).await) }
    });
    // A connection that breaks is the client's business; there is nobody to tell.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    request: Request<Incoming>,
    address: SocketAddr,
    practice: Arc<Practice>,
) -> Response<Answer> {
    if !is_local(request.headers(), address) {
        return plain(
            StatusCode::FORBIDDEN,
            "This address answers this computer alone.\n",
        );
    }
    match (request.uri().path(), request.method()) {
        (PATH, &Method::POST) => answer_mcp(request, practice).await,
        (PATH, _) => only("POST"),
        (page::PATH, &Method::GET) => show_page(request.uri().query(), &practice),
        (page::PATH, _) => only("GET"),
        (_, _) => plain(StatusCode::NOT_FOUND, "There is nothing here.\n"),
    }
}

async fn answer_mcp(request: Request<Incoming>, practice: Arc<Practice>) -> Response<Answer> {
    let (head, body) = request.into_parts();
    if !media_types(&head.headers, &CONTENT_TYPE).any(|media| media == "application/json") {
        return plain(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "The body must be application/json.\n",
        );
    }
    let accepts = |wanted: &str| media_types(&head.headers, &ACCEPT).any(|media| media == wanted);
    if !(accepts("application/json") && accepts("text/event-stream")) {
        return plain(
            StatusCode::NOT_ACCEPTABLE,
            "Accept must list application/json and text/event-stream.\n",
        );
    }
    let too_large = || plain(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.\n");
    if body.size_hint().lower() > LARGEST as u64 {
        return too_large();
    }
    let bytes = match Limited::new(body, LARGEST).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return too_large(),
        Err(_) => return plain(StatusCode::BAD_REQUEST, "The body broke off.\n"),
    };
    let request = match read(&bytes) {
        Ok(Message::Request(request)) => request,
        Ok(Message::Notification { .. }) => return respond(StatusCode::ACCEPTED, None, Answer::Empty),
        Err(Unreadable { id, fault }) => return refuse(&fault, id),
    };
    if let Err(fault) = headers::check(&head.headers, &request) {
        return refuse(&fault, Some(request.id));
    }
    let (notes, noted) = unbounded_channel();
    if practice.streams(&request) {
        let call = async move { handle(&practice, &request, &notes).await };
        return respond(
            StatusCode::OK,
            Some("text/event-stream"),
            Answer::Events(Events::new(Box::pin(call), noted)),
        );
    }
    json_reply(&handle(&practice, &request, &notes).await)
}

fn show_page(query: Option<&str>, practice: &Practice) -> Response<Answer> {
    let known = query
        .and_then(page::ticket)
        .is_some_and(|ticket| practice.visit(ticket));
    let (status, html) = if known {
        (StatusCode::OK, page::CONNECTED)
    } else {
        (StatusCode::NOT_FOUND, page::UNKNOWN)
    };
    let mut response = respond(status, Some("text/html; charset=utf-8"), Answer::whole(html));
    let fixed = [
        ("content-security-policy", page::POLICY),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in fixed {
        response
            .headers_mut()
            .insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

/// The host must be this listener by a loopback name, and a browser must come from a page of ours.
fn is_local(headers: &HeaderMap, address: SocketAddr) -> bool {
    let port = address.port();
    let is_ours = |host: &str| {
        host.rsplit_once(':').is_some_and(|(name, number)| {
            number == port.to_string()
                && ["127.0.0.1", "localhost", "[::1]"]
                    .iter()
                    .any(|ours| name.eq_ignore_ascii_case(ours))
        })
    };
    let host = headers::single(headers, HOST.as_str());
    let origin = headers::single(headers, ORIGIN.as_str());
    matches!(host, Ok(Some(host)) if is_ours(host))
        && match origin {
            Ok(None) => true,
            Ok(Some(origin)) => origin.strip_prefix("http://").is_some_and(is_ours),
            Err(_) => false,
        }
}

/// The media types in a header, in lower case and without parameters.
fn media_types<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> + use<'a> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|media| {
            let media = media.split_once(';').map_or(media, |(media, _)| media);
            media.trim().to_ascii_lowercase()
        })
}

fn json_reply(reply: &Reply) -> Response<Answer> {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    respond(
        status,
        Some("application/json"),
        Answer::whole(reply.message.to_string()),
    )
}

fn refuse(fault: &Fault, id: Option<Json>) -> Response<Answer> {
    json_reply(&Reply {
        message: fault.response(id),
        status: fault.status(),
    })
}

fn only(method: &'static str) -> Response<Answer> {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Not with this method.\n");
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(method));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Answer> {
    respond(status, Some("text/plain; charset=utf-8"), Answer::whole(text))
}

fn respond(status: StatusCode, media: Option<&'static str>, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Some(media) = media {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    response
}
