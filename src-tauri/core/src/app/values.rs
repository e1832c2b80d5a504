//! Header and environment values of servers: in the store, whose key is in the key store, and not in the list of servers.
//!
//! Promises: a value leaves the list only after the store has it on the disk; a server whose values are not at hand is not
//! connected without them. Without a store that outlives the app they stay in the list, a file for its owner only.

use super::{Countersign, Origin, Server, seconds};
use crate::session::{Session, Speak, address};
use crate::settings::Entry;
use crate::store::{Store, StoreError};
use crate::view::{NameValue, ServerId, ServerState, TargetDraft};
use std::sync::atomic::Ordering;

impl Countersign {
    /// Whether a server cannot be connected until its values are there.
    pub fn waits_for_values(&self, id: ServerId) -> bool {
        self.with(id, |server| server.is_sealed).unwrap_or_default()
    }

    /// Gives servers back the values that the store has. Returns those that were waited for.
    pub(super) fn unseal_values(&self, store: &Store) -> Vec<ServerId> {
        let mut waited_for = Vec::new();
        let first_id = self.shared.first_id.load(Ordering::Relaxed);
        for server in self.lock().list.iter_mut().filter(|server| server.is_sealed) {
            let Origin::Added(entry) = &server.origin else {
                continue;
            };
            let Some(target) = values_of(store, entry).and_then(|values| whole(entry, values)) else {
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
            server.is_sealed = false;
            if server.state == ServerState::Failed {
                waited_for.push(server.id);
            }
        }
        waited_for
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

/// Moves the values of one entry into the store. False where it has none there.
///
/// # Errors
/// They could not be kept; the entry is as it was.
pub(super) fn seal(store: &Store, entry: &mut Entry) -> Result<bool, StoreError> {
    let pairs = pairs(&mut entry.target);
    if entry.id.is_empty() || entry.values_kept || pairs.is_empty() {
        return Ok(false);
    }
    let values: Vec<&str> = pairs.iter().map(|pair| pair.value.as_str()).collect();
    let values = zeroize::Zeroizing::new(serde_json::to_vec(&values).unwrap_or_default());
    store.put(&name(&entry.id), Some(&values))?;
    for pair in pairs {
        pair.value.clear();
    }
    entry.values_kept = true;
    Ok(true)
}

/// Forgets the values of a server that was removed.
pub(super) fn forget(store: &Store, entry: &Entry) {
    // What cannot be removed now is sealed all the same.
    let _ = store.put(&name(&entry.id), None);
}

fn values_of(store: &Store, entry: &Entry) -> Option<Vec<String>> {
    let kept = store.get(&name(&entry.id)).ok().flatten()?;
    serde_json::from_slice(&kept).ok()
}

fn whole(entry: &Entry, values: Vec<String>) -> Option<crate::session::Target> {
    let mut target = entry.target.clone();
    let pairs = pairs(&mut target);
    if pairs.len() != values.len() {
        return None;
    }
    for (pair, value) in pairs.iter_mut().zip(values) {
        pair.value = value;
    }
    address::target(&target).ok()
}

fn pairs(target: &mut TargetDraft) -> &mut [NameValue] {
    match target {
        TargetDraft::Http { headers, .. } => headers,
        TargetDraft::Stdio { env, .. } => env,
    }
}

fn name(id: &str) -> String {
    format!("server {id}")
}
