//! Whose words are told as what, and that no memory leaves the frame it is quoted in.

mod frame;
mod origins_at_start;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}
