//! All questions, found by their id and by their call, so that what is done with one call costs nothing for the
//! thousands of others. Pure.

use super::ask::Ask;
use crate::view::{AskId, CallId};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Asks {
    calls: BTreeMap<CallId, BTreeMap<AskId, Ask>>,
    /// A question never changes its call.
    call_of: BTreeMap<AskId, CallId>,
}

impl Asks {
    pub(super) fn insert(&mut self, ask: Ask) {
        self.call_of.insert(ask.id, ask.call);
        self.calls.entry(ask.call).or_default().insert(ask.id, ask);
    }

    pub(super) fn remove(&mut self, id: AskId) -> Option<Ask> {
        let call = self.call_of.remove(&id)?;
        self.calls.get_mut(&call)?.remove(&id)
    }

    pub(super) fn remove_call(&mut self, call: CallId) {
        for id in self.calls.remove(&call).unwrap_or_default().keys() {
            self.call_of.remove(id);
        }
    }

    pub(super) fn get(&self, id: AskId) -> Option<&Ask> {
        self.calls.get(self.call_of.get(&id)?)?.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: AskId) -> Option<&mut Ask> {
        self.calls.get_mut(self.call_of.get(&id)?)?.get_mut(&id)
    }

    /// The questions of one call, oldest first.
    pub(super) fn of(&self, call: CallId) -> impl DoubleEndedIterator<Item = &Ask> {
        self.calls.get(&call).into_iter().flat_map(BTreeMap::values)
    }

    pub(super) fn of_mut(&mut self, call: CallId) -> impl Iterator<Item = &mut Ask> {
        self.calls
            .get_mut(&call)
            .into_iter()
            .flat_map(BTreeMap::values_mut)
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Ask> {
        self.call_of.keys().filter_map(|id| self.get(*id))
    }

    /// All of them, in no order that matters.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Ask> {
        self.calls.values_mut().flat_map(BTreeMap::values_mut)
    }
}
