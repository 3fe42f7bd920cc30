//! Scanners written by hand: for grammars that a regular expression describes badly or slowly.
//!
//! Each receives a text and the position of its keyword, and adds the byte ranges of secrets. None looks
//! further than a fixed distance except along the secret itself, so a text made of keywords costs linear
//! time.

pub(super) mod assignment;
pub(super) mod card;
pub(super) mod command;
pub(super) mod discord;
pub(super) mod email;
pub(super) mod header;
pub(super) mod jwt;
pub(super) mod kubernetes;
pub(super) mod pem;
pub(super) mod pgpass;
pub(super) mod seed;
mod seed_words;
pub(super) mod url;
pub(super) mod wallet;
