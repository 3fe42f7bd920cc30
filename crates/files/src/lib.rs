//! Opening files safely: no link, FIFO or device can redirect or block hark.
//!
//! A [`Door`] opens, creates, renames, lists and deletes files below one folder and nowhere else. It follows
//! no links on the way and touches only regular files and folders. Whatever it creates is private (folders
//! 0700, files 0600) regardless of the umask. [`regular`] is for files that someone named on purpose, such as
//! settings and transcripts: it follows links, but refuses a FIFO or a device at once instead of waiting for
//! it.
//!
//! On Unix, each component of a path is opened relative to the previous one without following links, so
//! swapping a folder for a link in between changes nothing. On Windows, each component is checked before use:
//! links and junctions are refused, but a program that swaps a folder at the right moment could win the race.

mod door;
mod kind;
mod notices;
pub mod regular;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

pub use door::Door;
pub use kind::{Kind, Look, Refusal, refusal_of};
pub use notices::Notices;

#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
use windows as system;

/// The id of the user that runs this process; `None` on systems without one.
pub fn user() -> Option<u32> {
    system::user()
}

/// The kind and metadata of an open file.
pub fn look_at(file: &std::fs::File) -> std::io::Result<Look> {
    system::look_at(file)
}
