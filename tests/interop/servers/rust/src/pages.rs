//! Pages on loopback behind the links; a ticket counts as visited after a GET.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::watch;

#[derive(Debug)]
pub struct Pages {
    port: u16,
    last: AtomicUsize,
    visited: Mutex<HashSet<String>>,
    visits: watch::Sender<usize>,
}

impl Pages {
    pub fn new(port: u16) -> Self {
        Self {
            port,
            last: AtomicUsize::new(0),
            visited: Mutex::default(),
            visits: watch::Sender::new(0),
        }
    }

    pub fn new_ticket(&self) -> String {
        format!("t{}", self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub fn url(&self, ticket: &str) -> String {
        format!("http://127.0.0.1:{}/page?ticket={ticket}", self.port)
    }

    pub fn was_visited(&self, ticket: &str) -> bool {
        self.visited.lock().is_ok_and(|visited| visited.contains(ticket))
    }

    pub async fn until_visited(&self, ticket: &str) {
        let mut visits = self.visits.subscribe();
        while !self.was_visited(ticket) {
            if visits.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whether there is such a page.
    pub fn visit(&self, method: &str, query: &str) -> bool {
        let Some(ticket) = query.strip_prefix("ticket=") else {
            return false;
        };
        if method != "GET" {
            return false;
        }
        if let Ok(mut visited) = self.visited.lock() {
            visited.insert(ticket.to_owned());
        }
        self.visits.send_modify(|visits| *visits += 1);
        true
    }
}
