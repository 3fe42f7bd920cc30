//! A line that tells how far a long command is. Only on a terminal: scripts and logs get nothing.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(200);

pub(crate) struct Bar {
    what: &'static str,
    terminal: bool,
    started: Instant,
    shown: Option<Instant>,
}

impl Bar {
    pub(crate) fn new(what: &'static str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Bar { what, terminal, started: Instant::now(), shown: None }
    }

    pub(crate) fn show(&mut self, done: usize, total: usize) {
        if !self.terminal || total == 0 || self.shown.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let line = line(self.what, done, total, self.started.elapsed());
        let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{line}");
    }

    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K");
        }
    }
}

fn line(what: &str, done: usize, total: usize, spent: Duration) -> String {
    const WIDTH: usize = 24;
    let done = done.min(total);
    let full = done * WIDTH / total.max(1);
    let rate = done as f64 / spent.as_secs_f64().max(0.001);
    let left = (total - done) as f64 / rate.max(1.0);
    format!(
        "{what} [{}{}] {done} of {total}, {rate:.0} a second, {left:.0} s left",
        "#".repeat(full),
        "-".repeat(WIDTH - full)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_and_how_long() {
        let text = line("importing", 500, 1_000, Duration::from_secs(5));
        assert_eq!(text, "importing [############------------] 500 of 1000, 100 a second, 5 s left");
        assert!(line("importing", 7, 0, Duration::ZERO).contains("0 of 0"));
    }
}
