//! Whose words count, who may decide, and that no memory leaves the frame it is quoted in.

mod frame;
mod heard;
mod origins_at_start;
mod proposals;
mod shells;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}
