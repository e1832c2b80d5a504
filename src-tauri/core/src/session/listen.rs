//! Hearing what changes at a server of the modern era (2026-07-28, basic/patterns/subscriptions).
//!
//! Promises: one subscription at a time, begun again when it ends, with growing pauses; what changed is no longer
//! taken from the cache. A server that refuses to tell is not asked again.

use super::keeper::ServerEvent;
use super::{Peer, Session};
use crate::transport::{Fault, Incoming, Patience};
use crate::wire::request::Method;
use crate::wire::rpc::Message;
use crate::wire::subscription::{Filter, Heard, hear};
use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::{Arc, MutexGuard, PoisonError};
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
    /// Tells of changes ([`ServerEvent`]) until the session is over, the server refuses, or this is called again.
    pub async fn listen(self: Arc<Self>) {
        let until = self.over.child_token();
        std::mem::replace(&mut *self.lock_listens_until(), until.clone()).cancel();
        let mut wait = FIRST;
        loop {
            let filter = self.wanted();
            if filter.is_empty() {
                // A document that is read may make it worth while.
                tokio::select! {
                    biased;
                    () = until.cancelled() => return,
                    () = self.watches_more.notified() => continue,
                }
            }
            wait = match self.listen_once(&filter, &until).await {
                Told::MoreWanted => continue,
                Told::Refused | Told::Over => return,
                Told::Ended => FIRST,
                Told::Nothing => (wait * 2).min(MOST),
            };
            tokio::select! {
                biased;
                () = until.cancelled() => return,
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

    async fn listen_once(&self, filter: &Filter, until: &CancellationToken) -> Told {
        // Held until the server was told that nobody listens any more.
        let _telling = self.listening.lock().await;
        if until.is_cancelled() {
            return Told::Over;
        }
        let Ok(peer) = self.peer().await else {
            return Told::Nothing;
        };
        let id = self.next_id();
        if let Peer::Stdio { program, .. } = &peer {
            program.routes().listens(id);
        }
        let (stop, ended) = (until.child_token(), CancellationToken::new());
        let mut agreed = false;
        let mut incoming = |incoming| {
            let Incoming::Note(note) = incoming else { return };
            if note.method == "notifications/cancelled" {
                ended.cancel();
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
                Heard::Ended => ended.cancel(),
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
        let told = {
            let mut exchange = pin!(self.exchange(&peer, id, &request, LONG, &stop, &mut incoming));
            tokio::select! {
                biased;
                told = &mut exchange => Some(told),
                // The server has given it up itself: there is nothing left to cancel.
                () = ended.cancelled() => None,
                () = self.watches_more.notified() => {
                    stop.cancel();
                    let _ = exchange.await;
                    return Told::MoreWanted;
                }
            }
        };
        match told {
            Some(Err(Fault::Cancelled { .. })) => Told::Over,
            Some(Ok(reply)) if reply.response.outcome.is_err() => Told::Refused,
            None | Some(Ok(_)) => Told::Ended,
            Some(Err(_)) if agreed => Told::Ended,
            Some(Err(_)) => Told::Nothing,
        }
    }

    fn lock_listens_until(&self) -> MutexGuard<'_, CancellationToken> {
        self.listens_until.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// Nobody listens any more.
    Over,
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
