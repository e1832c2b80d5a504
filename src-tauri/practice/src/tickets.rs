//! Which practice pages were given out and which of them were visited. The newest [`KEPT`] are remembered.

use crate::chance::Chance;
use crate::message::Fault;
use crate::rounds::KEPT;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Tickets(VecDeque<Ticket>);

#[derive(Debug)]
struct Ticket {
    name: String,
    visited: bool,
}

impl Tickets {
    /// # Errors
    /// [`Fault::Internal`] when there is no randomness.
    pub(crate) fn issue(&mut self, chance: &Chance) -> Result<String, Fault> {
        let name = chance.token()?;
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Ticket {
            name: name.clone(),
            visited: false,
        });
        Ok(name)
    }

    /// Notes the visit; false when there is no such ticket.
    pub(crate) fn visit(&mut self, name: &str) -> bool {
        match self.0.iter_mut().find(|ticket| ticket.name == name) {
            None => false,
            Some(ticket) => {
                ticket.visited = true;
                true
            }
        }
    }

    pub(crate) fn was_visited(&self, name: &str) -> bool {
        self.0.iter().any(|ticket| ticket.name == name && ticket.visited)
    }
}
