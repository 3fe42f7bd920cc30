//! Every way into a store, field by field: a secret is put into each place where text can stand, and
//! then the bytes of the data directory are searched for it.
//!
//! Places are not listed here. They come from what the doors themselves say they take: the flags that
//! `--help` names, the schemas of the tools, the keys of an export, the columns of other tools'
//! databases, the strings of events and transcripts. So a new field is covered the day it appears.

mod by_hand;
mod commands;
mod events;
mod foreign;
mod imports;
mod secrets;
