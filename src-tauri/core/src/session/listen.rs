//! Hearing what changes at a server of the modern era (2026-07-28, basic/patterns/subscriptions).
//!
//! Promises: one subscription at a time, begun again when it ends, with growing pauses; what changed is no longer
//! taken from the cache. A server that refuses to tell is not asked again.

use super::keeper::ServerEvent;
use super::{Peer, Session};
use crate::transport::{Incoming, Patience};
use crate::wire::request::Method;
use crate::wire::rpc::Message;
use crate::wire::subscription::{Filter, Heard, hear};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A subscription is as long as its server lets it be.
const LONG: Patience = Patience {
    idle: None,
    total: Duration::from_secs(365 * 86_400),
};
const FIRST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(300);
/// Most documents that are watched; the oldest are let go.
const MAX_WATCHED: usize = 50;

impl Session {
    /// Tells of changes ([`ServerEvent`]) until the session is over or the server has nothing to tell.
    pub async fn listen(self: Arc<Self>) {
        let mut wait = FIRST;
        loop {
            let filter = self.wanted();
            if filter.is_empty() {
                // A document that is read may make it worth while.
                tokio::select! {
                    biased;
                    () = self.over.cancelled() => return,
                    () = self.watches_more.notified() => continue,
                }
            }
            let told = tokio::select! {
                biased;
                () = self.over.cancelled() => return,
                told = self.listen_once(&filter) => told,
            };
            wait = match told {
                Told::MoreWanted => continue,
                Told::Refused => return,
                Told::Ended => FIRST,
                Told::Nothing => (wait * 2).min(MOST),
            };
            tokio::select! {
                biased;
                () = self.over.cancelled() => return,
                () = tokio::time::sleep(jittered(wait)) => {}
            }
        }
    }

    /// Changes of this document are to be told, where the server tells them.
    pub fn watch(&self, uri: &str) {
        let tells = self
            .discovery()
            .is_some_and(|discovery| discovery.tells.documents);
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if !tells || watched.iter().any(|known| known == uri) {
            return;
        }
        if watched.len() == MAX_WATCHED {
            watched.remove(0);
        }
        watched.push(uri.to_owned());
        self.watches_more.notify_one();
    }

    fn wanted(&self) -> Filter {
        let Some(discovery) = self
            .discovery()
            .filter(|discovery| discovery.revision.is_modern())
        else {
            return Filter::default();
        };
        Filter {
            tools: discovery.tells.tools,
            prompts: discovery.tells.prompts,
            resources: discovery.tells.resources,
            uris: self
                .watched
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }

    async fn listen_once(&self, filter: &Filter) -> Told {
        let Ok(peer) = self.peer().await else {
            return Told::Nothing;
        };
        let id = self.next_id();
        if let Peer::Stdio { program, .. } = &peer {
            program.routes().listens(id);
        }
        let stop = CancellationToken::new();
        let mut agreed = false;
        let mut incoming = |incoming| {
            let Incoming::Note(note) = incoming else { return };
            if note.method == "notifications/cancelled" {
                stop.cancel();
                return;
            }
            let message = Message::Notification {
                method: note.method,
                params: note.params,
            };
            let heard = hear(&message, Some(id));
            self.no_longer_fresh(&heard);
            match heard {
                Heard::Acknowledged(_) => agreed = true,
                Heard::Ended => stop.cancel(),
                Heard::ToolsChanged
                | Heard::PromptsChanged
                | Heard::ResourcesChanged
                | Heard::ResourceUpdated { .. }
                | Heard::Other => {
                    if let Some(event) = ServerEvent::of(heard) {
                        // Nobody hears it any more once the server is removed.
                        let _ = self.events.send(event);
                    }
                }
            }
        };
        let request = filter.request();
        let ended = tokio::select! {
            biased;
            ended = self.exchange(&peer, id, &request, LONG, &stop, &mut incoming) => ended,
            () = self.watches_more.notified() => return Told::MoreWanted,
        };
        match ended {
            Ok(reply) if reply.response.outcome.is_err() => Told::Refused,
            Ok(_) => Told::Ended,
            Err(_) if agreed => Told::Ended,
            Err(_) => Told::Nothing,
        }
    }

    fn no_longer_fresh(&self, heard: &Heard) {
        let mut cache = self.lock_cache();
        match heard {
            Heard::ToolsChanged => cache.invalidate(Method::ListTools),
            Heard::PromptsChanged => cache.invalidate(Method::ListPrompts),
            Heard::ResourcesChanged => {
                cache.invalidate(Method::ListResources);
                cache.invalidate(Method::ListTemplates);
            }
            Heard::ResourceUpdated { uri } => cache.invalidate_resource(uri),
            Heard::Acknowledged(_) | Heard::Ended | Heard::Other => {}
        }
    }
}

enum Told {
    /// It was agreed to, and has ended.
    Ended,
    /// It could not be begun.
    Nothing,
    Refused,
    MoreWanted,
}

/// Up to half as long again, so that many clients do not come back at once.
fn jittered(wait: Duration) -> Duration {
    let chance = u32::try_from(RandomState::new().hash_one(0) % 512).unwrap_or_default();
    wait + wait * chance / 1024
}
