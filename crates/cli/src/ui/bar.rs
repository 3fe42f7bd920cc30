//! A bar that says how far something is: on a terminal, on stderr, and nowhere else.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const WIDTH: usize = 30;
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) struct Bar {
    is_seen: bool,
    shown: Option<Instant>,
}

impl Bar {
    pub(crate) fn new() -> Bar {
        Bar { is_seen: std::io::stderr().is_terminal(), shown: None }
    }

    pub(crate) fn show(&mut self, done: u64, total: u64, what: &str) {
        if !self.is_seen || self.shown.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let _ = write!(std::io::stderr(), "\r\x1b[2K{}", line(done, total, what));
    }

    /// Leaves the line as it was.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

fn line(done: u64, total: u64, what: &str) -> String {
    let share = if total == 0 { 1.0 } else { (done as f64 / total as f64).clamp(0.0, 1.0) };
    let full = (share * WIDTH as f64) as usize;
    let bar: String = (0..WIDTH).map(|at| if at < full { '#' } else { '.' }).collect();
    format!("[{bar}] {:>3.0} % of {:.0} MB, {what}", share * 100.0, total as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_bar_never_leaves_its_frame() {
        assert_eq!(line(0, 0, ""), format!("[{}] 100 % of 0 MB, ", "#".repeat(30)));
        assert!(line(50_000_000, 100_000_000, "3 files").ends_with(" 50 % of 100 MB, 3 files"));
        assert!(line(9, 3, "").contains("100 %"), "a file may grow while it is read");
    }
}
