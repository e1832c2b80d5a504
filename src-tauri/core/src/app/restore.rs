//! Putting a server back to where it was when a call asked there.
//!
//! Promises: the list of servers is written before anything goes there; a call that asked at the present place keeps the
//! server where it is. Headers and variables stay with the server.

use super::{Countersign, Origin, Server, moved_on};
use crate::session::{Session, Speak, address};
use crate::store::history::Outcome;
use crate::view::{CallId, Failure, ServerState};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Countersign {
    /// # Errors
    /// [`Failure::gone`], [`Failure::not_possible`], or why it could not be saved; then nothing changed.
    pub(super) fn restore_server(&self, call: CallId) -> Result<(), Failure> {
        let _changing = self.lock_list();
        let inbox = &self.shared.inbox;
        let (id, place) = inbox.moved_from(call).ok_or_else(moved_on)?;
        if inbox.goes_on(id) {
            return Err(Failure::not_possible(
                "Other calls go on where this server is now. Finish or stop them first.",
            ));
        }
        let (mut entry, old) = self
            .with(id, |server| match &server.origin {
                Origin::Added(entry) => Some((entry.clone(), Arc::clone(&server.session))),
                Origin::Passing { .. } | Origin::Practice { .. } => None,
            })
            .flatten()
            .ok_or_else(Failure::gone)?;
        let whole = address::moved_to(address::draft(old.target()), &place);
        let restored = whole.and_then(|whole| Some((address::target(&whole).ok()?, whole)));
        let Some((restored, whole)) = restored else {
            return Err(Failure::not_possible(
                "Its place cannot be restored here. Stop the call, and add the server anew.",
            ));
        };
        entry.target = whole;
        entry.values_kept = false;
        self.seal_entry(&mut entry)?;
        let mut entries = self.entries(None);
        for listed in entries.iter_mut().filter(|listed| listed.id == entry.id) {
            listed.clone_from(&entry);
        }
        self.shared.settings.save(entries).map_err(Failure::settings)?;
        let timeout = super::seconds(entry.timeout_seconds);
        let (session, heard) =
            Session::with_events(restored, self.shared.elicitation, timeout, Speak::Newest);
        session.begin_after(self.shared.first_id.load(Ordering::Relaxed));
        self.update(id, |server: &mut Server| {
            server.origin = Origin::Added(entry);
            server.state = ServerState::Connecting;
            server.discovery = None;
            server.take_offers(Default::default());
            server.turn_to(session, heard);
        });
        if let Some(facts) = self.with(id, Server::facts) {
            if let Err(error) = inbox.note_server(&facts, Outcome::ServerRestored) {
                self.lock_notices()
                    .push(format!("That a server was restored could not be kept: {error}"));
            }
            inbox.moved(&facts);
        }
        tokio::spawn(async move { old.shut_down().await });
        self.connect(id);
        Ok(())
    }
}
