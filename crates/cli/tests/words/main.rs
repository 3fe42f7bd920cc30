//! No memory leaves the frame it is quoted in.

mod frame;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}
