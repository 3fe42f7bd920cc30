//! Opening files without being led astray.
//!
//! A [`Door`] opens, creates, renames, lists and deletes below one folder and nowhere else: no link is
//! followed on the way, and nothing but regular files and folders is touched. What it creates is private
//! (folders 0700, files 0600) whatever the umask. [`regular`] is for files that somebody named on purpose,
//! such as settings and transcripts: links are followed there, but a FIFO or a device is refused at once
//! instead of being waited for.
//!
//! On Unix each step of a path is opened relative to the one before it, without following links, so a folder
//! that is swapped for a link in between changes nothing. On Windows every step is looked at before it is used:
//! links and junctions are refused, but a program that swaps a folder at the right moment could win the race.

mod door;
mod kind;
pub mod regular;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

pub use door::Door;
pub use kind::{Kind, Look, Refusal, refusal_of};

#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
use windows as system;

/// The user whom this process works for; `None` where the system has no such number.
pub fn user() -> Option<u32> {
    system::user()
}

/// What an open file is.
pub fn look_at(file: &std::fs::File) -> std::io::Result<Look> {
    system::look_at(file)
}
