//! What can be learned from finished sessions, without a language model and without I/O: corrections, and what several of
//! them propose; procedures and skills; the stories of sessions.
//!
//! Only words that a user typed count as corrections. Nothing here believes anything: a proposal waits until the user accepts
//! it.

pub mod cluster;
pub mod correction;
pub mod episode;
pub mod language;
pub mod piece;
pub mod procedure;
pub mod propose;
pub mod skill;
mod swap;
pub mod trouble;

pub use cluster::{clusters, is_alike, is_enough};
pub use correction::{Act, Context, Correction, asked_words, corrections, first_words, taken_back};
pub use piece::{Detail, Piece};
pub use propose::{Proposal, Reach, propose};
