//! Exports and imports memories: hark's own export format, other tools' formats, and documents.
//!
//! Everything that comes in passes the redactor, gets an origin and goes through [`import`]; there is
//! one set of merge rules for all of it.

mod arrival;
pub mod documents;
pub mod export;
pub mod foreign;
pub mod format;
pub mod import;
mod markdown;
mod merge;
mod read;
mod rehearse;
pub(crate) mod seal;
mod unpack;

pub use seal::Passphrase;
