//! Built-in MCP servers (revision 2026-07-28) to rehearse with: every kind of question, and nothing real happens.
//!
//! There are two. The *desk* speaks streamable HTTP on a loopback listener and serves the practice page that its
//! links lead to. The *workshop* speaks over stdio; the app starts itself with a hidden argument and calls
//! [`workshop`] there.
//!
//! ```no_run
//! # use tokio::io::{AsyncRead, AsyncWrite};
//! # async fn start(
//! #     stdin: impl AsyncRead + Unpin,
//! #     stdout: impl AsyncWrite + Unpin,
//! # ) -> std::io::Result<()> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let desk = countersign_practice::desk(listener)?;
//! let address = desk.mcp_url(); // for the list of servers
//! let here = desk.page_prefix(); // links that begin so lead to our own page
//! drop(desk); // stops it
//!
//! // In the process that was started for it:
//! countersign_practice::workshop(stdin, stdout).await
//! # }
//! ```
//!
//! The servers are strict: a request that is not as the revision wants it is refused, and answers are held
//! against the form they belong to. What they remember (states, visited pages) is in memory alone, so it is gone
//! after a restart, and a retry with an old `requestState` is then refused with -32602.
//!
//! Deliberately absent: anything hostile or sloppy, the 2025-era protocol, authorization, and any effect outside
//! this process.

mod body;
mod chance;
mod headers;
mod http;
mod json;
mod message;
mod page;
mod prompts;
mod resources;
mod rounds;
mod schema;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod tickets;
mod tools;

use chance::Chance;
use server::{Place, Practice};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What the desk calls itself on the wire.
pub const DESK_NAME: &str = "practice-desk";
/// What the desk is called before people.
pub const DESK_TITLE: &str = "Practice desk";
/// What the workshop calls itself on the wire.
pub const WORKSHOP_NAME: &str = "practice-workshop";
/// What the workshop is called before people.
pub const WORKSHOP_TITLE: &str = "Practice workshop";

/// How long one of the five steps of "Take your time" takes.
const PACE: Duration = Duration::from_millis(400);

/// The desk while it runs. Dropping it stops it and closes its connections.
#[derive(Debug)]
pub struct Desk {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

/// Starts the desk on a listener, which should be bound to loopback. Call it inside a Tokio runtime.
///
/// # Errors
/// [`io::ErrorKind::AddrNotAvailable`] for a listener that is not on loopback; or the listener has no address.
pub fn desk(listener: TcpListener) -> io::Result<Desk> {
    desk_with(listener, Chance::System, PACE)
}

/// Serves the workshop until `input` ends.
///
/// # Errors
/// What reading or writing says.
pub async fn workshop<R, W>(input: R, output: W) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let practice = Practice::new(Place::Workshop, Chance::System, PACE);
    stdio::serve(input, output, Arc::new(practice)).await
}

fn desk_with(listener: TcpListener, chance: Chance, pace: Duration) -> io::Result<Desk> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        return Err(io::Error::new(
            io::ErrorKind::AddrNotAvailable,
            "the practice desk serves this computer alone",
        ));
    }
    let place = Place::Desk {
        origin: format!("http://{address}"),
    };
    let practice = Arc::new(Practice::new(place, chance, pace));
    Ok(Desk {
        address,
        serving: tokio::spawn(http::serve(listener, address, practice)),
    })
}

impl Desk {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:4000`, without a slash at the end.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the MCP endpoint.
    pub fn mcp_url(&self) -> String {
        format!("{}{}", self.origin(), http::PATH)
    }

    /// How the address of each page that this desk links to begins. It ends before the ticket's value, so an
    /// address that begins so is on this desk and nowhere else.
    pub fn page_prefix(&self) -> String {
        format!("{}{}?ticket=", self.origin(), page::PATH)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
