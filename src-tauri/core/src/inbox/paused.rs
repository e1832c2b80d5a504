//! Servers that the person paused: their questions are held.
//!
//! Promises: nothing is sent and nothing answered because of a pause; a held question comes back as it was, to be
//! looked at anew; a pause outlives the app where there is a store.
//!
//! Deliberately absent: holding back calls. What was called goes on, and what the person began (a page that is open,
//! an answer on its way) too.

use super::ask::Ask;
use super::call::Call;
use super::{Inbox, OF_NO_CALL, ServerFacts, State, noted};
use crate::store::history::Outcome;
use crate::store::{Store, StoreError};
use std::collections::BTreeSet;

/// The name of the list of paused servers in the store.
const PAUSED: &str = "paused";

impl Inbox {
    /// Holds the questions of a server, or no longer.
    ///
    /// # Errors
    /// It could not be kept; then nothing changed.
    pub fn pause(&self, server: &ServerFacts, paused: bool) -> Result<(), StoreError> {
        {
            let mut state = self.lock();
            let state = &mut *state;
            let mut wanted = state.paused.clone();
            let news = if paused {
                wanted.insert(server.key.clone())
            } else {
                wanted.remove(&server.key)
            };
            if !news {
                return Ok(());
            }
            if let Some(store) = &state.store {
                put(store, &wanted)?;
                let outcome = if paused {
                    Outcome::ServerPaused
                } else {
                    Outcome::ServerResumed
                };
                let entry = noted::of_server(server, outcome, &state.clock.local_time());
                if let Err(error) = store.note(&[entry]) {
                    state.unkept.insert(OF_NO_CALL, error.to_string());
                }
            }
            state.paused = wanted;
            let State { asks, calls, .. } = state;
            for call in calls.values().filter(|call| call.key == server.key) {
                for ask in asks.of_mut(call.id).filter(|ask| ask.can_be_held()) {
                    ask.changed();
                }
            }
        }
        self.bump();
        Ok(())
    }

    /// Keys of the servers that are paused.
    pub fn paused(&self) -> BTreeSet<String> {
        self.lock().paused.clone()
    }
}

impl State {
    /// Whether a pause holds this question.
    pub(super) fn holds(&self, ask: &Ask, call: &Call) -> bool {
        ask.can_be_held() && self.paused.contains(&call.key)
    }

    /// Keeps the pauses that could not be kept before.
    pub(super) fn keep_paused(&mut self) {
        if let Some(store) = &self.store
            && put(store, &self.paused).is_ok()
        {
            self.unkept.remove(&OF_NO_CALL);
        }
    }

    /// Takes up the pauses of earlier runs, and keeps those of this one. False where they cannot be read.
    pub(super) fn read_paused(&mut self, store: &Store) -> bool {
        let kept = match store.get(PAUSED) {
            Ok(None) => BTreeSet::new(),
            Ok(Some(bytes)) => match serde_json::from_slice::<BTreeSet<String>>(&bytes) {
                Ok(kept) => kept,
                Err(_) => return false,
            },
            Err(_) => return false,
        };
        let of_this_run = !self.paused.is_subset(&kept);
        self.paused.extend(kept);
        if of_this_run && let Err(error) = put(store, &self.paused) {
            self.unkept.insert(OF_NO_CALL, error.to_string());
        }
        true
    }
}

fn put(store: &Store, paused: &BTreeSet<String>) -> Result<(), StoreError> {
    let list = serde_json::to_vec(paused).unwrap_or_default();
    store.put(PAUSED, (!paused.is_empty()).then_some(list.as_slice()))
}
