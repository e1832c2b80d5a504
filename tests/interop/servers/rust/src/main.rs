//! MCP test server on the official Rust SDK: tools, a prompt and a resource that ask, in both eras.
//!
//! What asks is written once, in rounds (`rounds`). A client of 2026-07-28 gets every round as a result; with an older
//! one, which began with `initialize`, `peer` asks by `elicitation/create` and goes through the rounds by itself.
//! Nothing here decides whether an answer is right.

mod pages;
mod peer;
mod rounds;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use pages::Pages;
use peer::Peer;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use tokio::net::TcpListener;

type Served = Response<BoxBody<Bytes, Infallible>>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let pages = Arc::new(Pages::new(listener.local_addr()?.port()));
    tokio::spawn(serve_pages(listener, Arc::clone(&pages)));
    let peer = Peer::new(pages);
    match arguments[..] {
        ["--stdio"] => {
            peer.serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
        ["--http", port] => serve_http(peer, port.parse()?).await?,
        _ => return Err("give either --http PORT or --stdio".into()),
    }
    Ok(())
}

async fn serve_http(peer: Peer, port: u16) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let service = StreamableHttpService::new(
        move || Ok(peer.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            // A connection that breaks off is the client's affair.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn serve_pages(listener: TcpListener, pages: Arc<Pages>) {
    while let Ok((stream, _)) = listener.accept().await {
        let pages = Arc::clone(&pages);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let found = pages.visit(
                request.method().as_str(),
                request.uri().query().unwrap_or_default(),
            );
            async move { Ok::<_, Infallible>(page(found)) }
        });
        tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn page(found: bool) -> Served {
    let body = if found {
        "<!doctype html><title>Done</title><p>You can close this page."
    } else {
        ""
    };
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    if !found {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}
