//! One file per operation: request, response, run.
//!
//! A request derives its command-line flags and its JSON schema from one struct, so that every
//! surface offers the same thing under the same names.

pub mod checkpoint;
pub mod context;
pub mod distil;
pub mod doctor;
pub mod edit;
pub mod export;
pub mod forget;
pub mod history;
pub mod import;
pub mod ledger;
pub mod links;
pub mod list;
pub mod model;
pub mod recall;
pub mod reindex;
pub mod relate;
pub mod remember;
pub mod resume;
pub mod scope;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod status;
pub mod tags;
mod view;
pub mod work;

pub use view::MemoryView;
