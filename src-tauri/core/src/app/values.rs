//! What is secret of how servers are reached ([`address::veiled`]): in the store, whose key is in the key store, and not in the
//! list of servers.
//!
//! Promises: a value leaves the list only after the store has it on the disk; a server whose values are not at hand is not
//! connected without them. Without a store that outlives the app they stay in the list, a file for its owner only.

use super::{Countersign, Origin, Server, seconds};
use crate::session::{Session, Speak, address};
use crate::settings::Entry;
use crate::store::{Store, StoreError};
use crate::view::{Failure, ServerId, ServerState, TargetDraft};
use std::sync::atomic::Ordering;

impl Countersign {
    /// Whether a server cannot be connected until its values are there.
    pub fn waits_for_values(&self, id: ServerId) -> bool {
        self.with(id, |server| server.way.is_shut()).unwrap_or_default()
    }

    /// Gives servers back the values that the store has. Returns those that were waited for.
    pub(super) fn unseal_values(&self, store: &Store) -> Vec<ServerId> {
        let mut waited_for = Vec::new();
        let first_id = self.shared.first_id.load(Ordering::Relaxed);
        for server in self.lock().list.iter_mut().filter(|server| server.way.is_shut()) {
            let Origin::Added(entry) = &server.origin else {
                continue;
            };
            let target = whole(store, entry).and_then(|whole| address::target(&whole).ok());
            let Some(target) = target else {
                server.detail = Some(
                    "Its header or variable values cannot be read from the file in which they were kept. Remove the \
                     server and add it again."
                        .to_owned(),
                );
                continue;
            };
            let timeout = seconds(entry.timeout_seconds);
            let (session, heard) =
                Session::with_events(target, self.shared.elicitation, timeout, Speak::Newest);
            session.begin_after(first_id);
            server.turn_to(session, heard);
            if server.state == ServerState::Failed {
                waited_for.push(server.id);
            }
        }
        waited_for
    }

    /// Moves what is secret in one entry into the store, where there is one that outlives the app.
    ///
    /// # Errors
    /// It could not be kept; the entry is as it was.
    pub(super) fn seal_entry(&self, entry: &mut Entry) -> Result<(), Failure> {
        let store = self.shared.inbox.store().filter(|store| store.is_durable());
        let sealed = store.map(|store| seal(&store, entry)).transpose();
        sealed
            .map(|_| ())
            .map_err(|error| Failure::settings(error.to_string()))
    }

    /// Moves the values that stand in the list of servers into the store.
    ///
    /// # Errors
    /// A sentence; they stay where they were.
    pub(super) fn seal_values(&self, store: &Store) -> Result<(), String> {
        let _changing = self.lock_list();
        let mut sealed = Vec::new();
        for server in &self.lock().list {
            if let Origin::Added(entry) = &server.origin {
                let mut entry = entry.clone();
                if seal(store, &mut entry).map_err(|error| error.to_string())? {
                    sealed.push((server.id, entry));
                }
            }
        }
        if sealed.is_empty() {
            return Ok(());
        }
        let mut entries = self.entries(None);
        for (_, entry) in &sealed {
            for listed in entries.iter_mut().filter(|listed| listed.id == entry.id) {
                listed.clone_from(entry);
            }
        }
        self.shared.settings.save(entries)?;
        for (id, entry) in sealed {
            self.update(id, |server: &mut Server| server.origin = Origin::Added(entry));
        }
        Ok(())
    }
}

/// Moves what is secret in one entry into the store. False where nothing of it is in the list.
///
/// # Errors
/// It could not be kept; the entry is as it was.
fn seal(store: &Store, entry: &mut Entry) -> Result<bool, StoreError> {
    let veiled = address::veiled(&entry.target);
    if entry.id.is_empty() || veiled == entry.target {
        return Ok(false);
    }
    let whole = if entry.values_kept {
        // Somebody wrote into the list since. What cannot be put together stays as it is.
        whole(store, entry)
    } else {
        Some(entry.target.clone())
    };
    let Some(whole) = whole else { return Ok(false) };
    let text = zeroize::Zeroizing::new(serde_json::to_vec(&whole).unwrap_or_default());
    store.put(&name(&entry.id), Some(&text))?;
    entry.target = veiled;
    entry.values_kept = true;
    Ok(true)
}

/// Forgets the values of a server that was removed.
pub(super) fn forget(store: &Store, entry: &Entry) {
    // What cannot be removed now is sealed all the same.
    let _ = store.put(&name(&entry.id), None);
}

/// What the store and the list know of it together.
fn whole(store: &Store, entry: &Entry) -> Option<TargetDraft> {
    let kept = zeroize::Zeroizing::new(store.get(&name(&entry.id)).ok().flatten()?);
    let kept: TargetDraft = serde_json::from_slice(&kept).ok()?;
    address::unveiled(entry.target.clone(), kept)
}

fn name(id: &str) -> String {
    format!("server {id}")
}
