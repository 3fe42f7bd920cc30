//! Stores memories: markdown files are the source of truth, and a SQLite index can be rebuilt from them
//! at any time.
//!
//! [`Store`] is the only entry point. It owns connections, migrations, atomic files, the search tiers
//! and the detection of hand-edited files. Callers decide how hits rank and who may change what.

mod access;
mod backup;
mod calendar;
mod conditions;
mod connection;
mod cursors;
mod damage;
mod digests;
mod distilled;
mod erase;
mod error;
mod events;
mod failures;
mod files;
mod folders;
pub mod foreign;
mod index;
mod inspect;
mod layers;
mod layout;
mod leaning;
mod ledger;
mod leftovers;
mod log;
mod lost;
mod meta;
mod migrate;
pub mod opencode;
mod own;
mod projects;
mod read;
mod read_only;
mod recorded;
mod remains;
mod revisions;
pub mod search;
mod sessions;
mod spaces;
pub mod spool;
mod store;
pub mod tombstones;
mod traces;
mod transfer;
mod used;
mod write;

pub use backup::{Restored, Snapshot};
pub use cursors::{Cursor, SourceFile};
pub use digests::{Digest, HeldEvent};
pub use distilled::{Deed, Moment};
pub use error::StoreError;
pub use events::{Beginning, Filed, HostSeen, PastEvent};
pub use failures::{FailureHit, FailureRow, Whereabouts};
pub use index::{PassageId, Prepared, Preparer};
pub use inspect::{Finding, Inspection, Severity};
pub use layers::{Layer, Told, Trust, TrustedStore, prepare_store, untrusted_key};
pub use layout::Layout;
pub use ledger::{Injection, LedgerRow, LedgerSum, Savings};
pub use log::fold_beside;
pub use projects::ProjectNum;
pub use read::{EntityCount, ListFilter, ListOrder, Neighbour, Stats, Stored};
pub use recorded::VIA as VIA_TRANSCRIPT;
pub use remains::Remains;
pub use revisions::Revision;
pub use sessions::{SessionFilter, SessionProcess, StoredSession};
pub use spaces::{Coverage, Missing};
pub use store::{OpenOptions, Role, Store};
pub use tombstones::{Passing, Tombstone};
pub use traces::{SCRUBBED, Traces};
pub use transfer::{Arrived, Departure, EntityTotal, is_safe_place};
pub use write::Writer;
