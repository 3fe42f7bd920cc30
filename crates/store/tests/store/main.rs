//! What the store promises by itself, below commands and assistants: files are the truth, the index follows them.

mod damage;
mod files;
mod home;
mod many;
mod opening;
mod phrases;
mod tombstones;
mod writing;
