//! How memories live: repeated, replaced, judged, aged, forgotten, brought back from a snapshot.

mod backup;
mod feedback;
mod forget;
mod redact_scan;
mod repeat;
mod replace;
mod retention;
mod tombstones;

use hark_testkit::Home;

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}
