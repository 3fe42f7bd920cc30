//! A folder that somebody cloned is hostile until its user trusts it.
#![cfg(unix)]

mod hostile;
mod layers;
mod modes;
mod snapshot;
mod strange_files;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}
