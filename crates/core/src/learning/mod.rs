//! What can be learned from finished sessions, without a language model and without I/O.

pub mod episode;
pub mod procedure;
pub mod skill;
pub mod trouble;
