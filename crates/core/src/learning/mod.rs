//! What can be learned from what users say to assistants: corrections, which of them belong together, and what they
//! propose.
//!
//! Only words that a user typed count. Nothing here believes anything: a proposal waits until the user accepts it.

pub mod cluster;
pub mod correction;
pub mod language;
pub mod piece;
pub mod propose;
mod swap;

pub use cluster::{clusters, is_alike, is_enough};
pub use correction::{Act, Context, Correction, asked_words, corrections, first_words, taken_back};
pub use piece::{Detail, Piece};
pub use propose::{Proposal, Reach, propose};
