//! An assistant as a row of data: its id, its name, and what is installed for it.

use crate::hook::Dialect;

/// One assistant.
#[derive(Debug)]
pub struct Host {
    /// As in `hark install ID` and `hark hook ID`. Never changes: it is in users' files.
    pub id: &'static str,
    /// As people write it.
    pub name: &'static str,
    pub install: Install,
    /// How its hooks speak; the generic way for one that has none.
    pub(crate) hooks: &'static Dialect,
}

/// What `hark install` sets up for one assistant.
#[derive(Debug)]
pub struct Install {}
