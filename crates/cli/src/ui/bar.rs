//! A progress bar on stderr, only on a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use hark_engine::operation::Progress;

const WIDTH: u64 = 24;
const PAUSE: Duration = Duration::from_millis(150);

pub(crate) struct Bar {
    terminal: bool,
    started: Instant,
    shown: Option<Instant>,
}

impl Bar {
    pub(crate) fn new() -> Bar {
        Bar { terminal: std::io::stderr().is_terminal(), started: Instant::now(), shown: None }
    }

    pub(crate) fn show(&mut self, progress: Progress) {
        if !self.terminal || progress.total == 0 || self.shown.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{}", line(progress, self.started.elapsed()));
    }

    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K");
        }
    }
}

fn line(Progress { what, done, total }: Progress, spent: Duration) -> String {
    // A file can grow while it is read.
    let done = done.min(total);
    let full = (done * WIDTH).checked_div(total).unwrap_or(0) as usize;
    let rate = done as f64 / spent.as_secs_f64().max(0.001);
    let left = (total - done) as f64 / rate.max(1.0);
    format!(
        "{what} [{}{}] {done} of {total}, {rate:.0} per second, {left:.0} s left",
        "#".repeat(full),
        "-".repeat(WIDTH as usize - full)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_progress_and_time_left() {
        let at = |done, total| Progress { what: "importing", done, total };
        let text = line(at(500, 1_000), Duration::from_secs(5));
        assert_eq!(text, "importing [############------------] 500 of 1000, 100 per second, 5 s left");
        assert!(line(at(7, 0), Duration::ZERO).contains("0 of 0"));
        assert!(line(at(9, 3), Duration::from_secs(1)).contains("3 of 3"));
    }
}
