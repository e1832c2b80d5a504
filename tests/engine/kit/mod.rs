//! What the tests stand on: scripted servers, a held clock, a browser that only remembers.

mod child;
mod desk;
mod http;
pub(crate) mod live;
mod rounds;
mod schema;
mod stdio;
mod tls;

pub(crate) use child::{Child, peak_memory};
pub(crate) use desk::{Desk, FakeBrowser, name, text};
pub(crate) use http::{Http, Reply, Seen, chunk, events_head};
pub(crate) use rounds::{done, form, input_required, link};
pub(crate) use schema::{Official, answer_fits, fixtures as schemas};
pub(crate) use stdio::{Program, here};
pub(crate) use tls::Authority;

use std::time::Duration;
use tokio::sync::watch;

/// Something that tests let happen.
#[derive(Clone)]
pub(crate) struct Gate(watch::Sender<bool>);

impl Gate {
    pub(crate) fn closed() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn opened(&self) {
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }

    pub(crate) fn is_open(&self) -> bool {
        *self.0.borrow()
    }
}

/// Lets time pass on the runtime's clock: what waits for it goes on.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Waits for what must come. The limit only keeps a failing test from hanging.
pub(crate) async fn patiently<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work)
        .await
        .unwrap_or_else(|_| panic!("never came: {what}"))
}
