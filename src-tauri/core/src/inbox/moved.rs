//! Calls whose server is not where it was when it asked: another address, path or query, another program, arguments or
//! folder.
//!
//! Promises: nothing of such a call is decided or sent until the person puts the server back to where it was; it can be
//! stopped. Its card names the old place. Changed headers, variables or accounts do not stop it, and are said.

use super::{Inbox, ServerFacts};
use crate::link::Asker;
use crate::session::{Target, address};
use crate::view::{CallId, ServerId, TargetDraft};

impl ServerFacts {
    /// Of a server that was removed since.
    pub(super) fn gone(name: &str, place: &TargetDraft, practice: bool) -> Self {
        Self {
            id: ServerId(0),
            key: String::new(),
            place: place.clone(),
            values: String::new(),
            name: name.to_owned(),
            goes_to: shown(place),
            practice,
            asker: Asker::Local,
            practice_page: None,
        }
    }

    /// The same server where it was before, if it was elsewhere.
    pub(super) fn at(self, place: &TargetDraft) -> Self {
        if self.place == *place {
            return self;
        }
        let place = place.clone();
        match address::target(&place) {
            Ok(target) => Self {
                goes_to: address::goes_to(&target),
                asker: match target {
                    Target::Http { url, .. } => Asker::Remote(url),
                    Target::Stdio(_) => Asker::Local,
                },
                place,
                practice_page: None,
                ..self
            },
            Err(_) => Self { place, ..self },
        }
    }
}

/// What is said where a server was at one place and is at another; `None` where that is the same.
pub(super) fn why(was: &TargetDraft, is: &TargetDraft) -> Option<String> {
    if was == is {
        return None;
    }
    let (was, is) = (described(was), described(is));
    let where_to = if was == is {
        format!("This server is still at {is}, but with another query than when it asked.")
    } else {
        format!("When this server asked, it was at {was}. In your list it is at {is} now.")
    };
    Some(format!(
        "{where_to} What was meant for one place goes to no other. Restore the server to go on, or stop the call."
    ))
}

/// As under a server's name.
pub(super) fn shown(place: &TargetDraft) -> String {
    address::target(place).map_or_else(|_| "another place".to_owned(), |target| address::shown(&target))
}

fn described(place: &TargetDraft) -> String {
    address::target(place).map_or_else(
        |_| "another place".to_owned(),
        |target| address::described(&target),
    )
}

impl Inbox {
    /// Where the server of a call was when it asked, if it is elsewhere now.
    pub fn moved_from(&self, call: CallId) -> Option<(ServerId, TargetDraft)> {
        let state = self.lock();
        let call = state.calls.get(&call).filter(|call| call.has_moved())?;
        Some((call.new.server.id, call.place.clone()))
    }

    /// Whether a call of this server goes on where the server is now.
    pub fn goes_on(&self, server: ServerId) -> bool {
        let state = self.lock();
        let mut calls = state.calls.values();
        calls.any(|call| call.new.server.id == server && call.end.is_none() && !call.has_moved())
    }

    /// A server is at another place than before: calls that asked there go on, others do not. Each of their questions is
    /// to be looked at anew.
    pub fn moved(&self, server: &ServerFacts) {
        {
            let mut state = self.lock();
            let state = &mut *state;
            let moved = state.calls.values_mut();
            let moved = moved.filter(|call| call.new.server.id == server.id && call.has_moved());
            for call in moved {
                call.moved = why(&call.place, &server.place);
                if call.moved.is_none() {
                    call.new.server = server.clone();
                }
                for ask in state.asks.of_mut(call.id) {
                    ask.changed();
                }
            }
        }
        self.bump();
    }
}
