//! Runs another program with a deadline: whatever it does, hark continues.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A running program. It works while hark does something else.
#[derive(Debug)]
pub(crate) struct Asked {
    child: Child,
    output: mpsc::Receiver<Option<Vec<u8>>>,
    until: Instant,
}

/// Starts a program with `input`, if any, and a deadline.
pub(crate) fn ask(
    command: &mut Command,
    input: Option<String>,
    most: u64,
    deadline: Duration,
) -> Option<Asked> {
    let until = Instant::now() + deadline;
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    // Each pipe has a thread that can be abandoned: a program may answer before it has read its input, keep
    // its output open after it exits, or do nothing at all.
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let mut stdout = child.stdout.take()?;
    let (done, output) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.by_ref().take(most).read_to_end(&mut bytes);
        // Read to the end so that a closed pipe does not kill it.
        let rest = io::copy(&mut stdout, &mut io::sink());
        let _ = done.send(read.and(rest).is_ok().then_some(bytes));
    });
    Some(Asked { child, output, until })
}

/// The first `most` bytes of its output, if it succeeds before the deadline.
pub(crate) fn answer(
    command: &mut Command,
    input: Option<String>,
    most: u64,
    deadline: Duration,
) -> Option<Vec<u8>> {
    ask(command, input, most, deadline)?.answer()
}

impl Asked {
    /// Waits for the output until the deadline, then kills the program.
    pub(crate) fn answer(mut self) -> Option<Vec<u8>> {
        let left = self.until.saturating_duration_since(Instant::now());
        let bytes = self.output.recv_timeout(left).ok().flatten();
        let ended_well = bytes.is_some() && ends_well(&mut self.child, self.until);
        if !ended_well {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        bytes.filter(|_| ended_well)
    }
}

/// A program that closed its output is about to exit.
fn ends_well(child: &mut Child, until: Instant) -> bool {
    let mut pause = Duration::from_micros(50);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            _ => return false,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: Option<&str>, most: u64) -> Option<String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let bytes = answer(&mut command, input.map(str::to_owned), most, Duration::from_millis(700))?;
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn an_answer_is_the_output_up_to_the_limit() {
        assert_eq!(shell("cat; echo .", Some("in"), 100).as_deref(), Some("in.\n"));
        assert_eq!(shell("echo early", Some(&"long ".repeat(100_000)), 100).as_deref(), Some("early\n"));
        assert_eq!(shell("yes | head -c 300000", None, 4).as_deref(), Some("y\ny\n"));
        assert_eq!(shell("true", None, 4).as_deref(), Some(""));
    }

    #[test]
    fn failure_and_silence_give_no_answer_without_waiting() {
        let began = Instant::now();
        assert_eq!(shell("echo half; exit 3", None, 100), None);
        assert_eq!(shell("sleep 20", None, 100), None);
        assert_eq!(shell("exec >&-; sleep 20", None, 100), None);
        // A child process that it left behind keeps the output open.
        assert_eq!(shell("sleep 20 & echo there", None, 100), None);
        assert!(began.elapsed() < Duration::from_secs(15));
    }
}
