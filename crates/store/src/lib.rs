//! Where memories live: markdown files that are the truth, and a SQLite index that can be rebuilt
//! from them at any time.
//!
//! [`Store`] is the only way in. It owns connections, migrations, atomic files, the search tiers
//! and the pick-up of hand-edited files. What a hit is worth, and who may change what, is decided
//! above it.

mod connection;
mod distilled;
mod error;
mod events;
mod files;
mod folders;
pub mod foreign;
mod index;
mod inspect;
mod layout;
mod ledger;
mod migrate;
mod projects;
mod read;
mod revisions;
pub mod search;
mod sessions;
pub mod spool;
mod store;
mod transfer;
mod write;

pub use distilled::{Deed, Moment};
pub use error::StoreError;
pub use events::{Beginning, Filed, HostSeen, PastEvent};
pub use inspect::{Finding, Inspection, Severity};
pub use layout::Layout;
pub use ledger::{Injection, LedgerRow, LedgerSum};
pub use projects::ProjectNum;
pub use read::{EntityCount, ListFilter, ListOrder, Neighbour, Stats, Stored};
pub use revisions::Revision;
pub use sessions::{SessionFilter, StoredSession};
pub use store::{OpenOptions, Role, Store};
pub use transfer::{Arrived, Departure, EntityTotal, is_safe_place};
pub use write::Writer;
