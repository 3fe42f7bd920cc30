//! One file per operation: request, response, run.
//!
//! A request derives its command-line flags and its JSON schema from one struct, so that every
//! surface offers the same thing under the same names.

pub mod backup;
pub mod bootstrap;
pub mod checkpoint;
pub mod consolidate;
pub mod context;
pub mod describe;
pub mod distil;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod expand;
pub mod export;
pub mod failures;
pub mod feedback;
pub mod forget;
pub mod grep;
pub mod history;
pub mod import;
pub mod inbox;
pub mod ingest;
pub mod ledger;
pub mod links;
pub mod list;
pub mod migrate;
pub mod model;
pub mod recall;
pub mod redact_scan;
pub mod reindex;
pub mod relate;
pub mod remember;
pub mod resume;
pub mod retention;
pub mod scope;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod status;
pub mod tags;
pub mod trust;
pub mod undo;
mod view;
pub mod work;

pub use view::MemoryView;
