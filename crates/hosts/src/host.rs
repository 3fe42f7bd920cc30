//! An assistant as a row of data: its id, its name, and what is installed for it.

/// One assistant.
#[derive(Debug)]
pub struct Host {
    /// As in `hark install ID` and `hark hook ID`. Never changes: it is in users' files.
    pub id: &'static str,
    /// As people write it.
    pub name: &'static str,
    pub install: Install,
}

/// What `hark install` sets up for one assistant.
#[derive(Debug)]
pub struct Install {}
