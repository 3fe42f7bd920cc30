//! Trails of sessions within one transaction: each is read once and written once, however many events of its
//! session arrive together.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hark_core::failure::trail::Trail;
use hark_store::{StoreError, Writer};

#[derive(Default)]
pub(crate) struct Trails(HashMap<i64, Trail>);

impl Trails {
    pub(super) fn of(&mut self, writer: &Writer<'_>, session: i64) -> Result<&mut Trail, StoreError> {
        match self.0.entry(session) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(free) => Ok(free.insert(writer.trail(session)?)),
        }
    }

    /// Call before the transaction ends.
    pub(crate) fn put(self, writer: &mut Writer<'_>) -> Result<(), StoreError> {
        self.0.iter().try_for_each(|(session, trail)| writer.put_trail(*session, trail))
    }
}
