//! Reads lines of any length with little memory: a line longer than the limit is skipped, and an incomplete
//! last line is left for the next run.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr;

/// Longer lines are skipped.
pub(super) const MOST_LINE: usize = 8 * 1024 * 1024;
const CHUNK: usize = 256 * 1024;

pub(super) enum Line<'a> {
    Whole {
        text: &'a [u8],
        /// Where it begins.
        at: u64,
    },
    TooLong,
    /// No more lines, or only an incomplete one.
    End,
}

pub(super) struct Lines {
    file: File,
    buffer: Vec<u8>,
    /// The part of the buffer that has not been returned yet.
    from: usize,
    filled: usize,
    /// No line end was found up to here.
    scanned: usize,
    /// The position of `from` in the file.
    position: u64,
    is_over: bool,
}

impl Lines {
    pub(super) fn new(mut file: File, from: u64) -> io::Result<Lines> {
        file.seek(SeekFrom::Start(from))?;
        Ok(Lines {
            file,
            buffer: vec![0; CHUNK],
            from: 0,
            filled: 0,
            scanned: 0,
            position: from,
            is_over: false,
        })
    }

    /// The position after the last line that was returned.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn next(&mut self) -> io::Result<Line<'_>> {
        loop {
            let seen = &self.buffer[self.scanned..self.filled];
            if let Some(end) = memchr(b'\n', seen) {
                let (from, end) = (self.from, self.scanned + end);
                let at = self.position;
                self.advance(end + 1);
                if end - from > MOST_LINE {
                    return Ok(Line::TooLong);
                }
                return Ok(Line::Whole { text: &self.buffer[from..end], at });
            }
            self.scanned = self.filled;
            if self.filled - self.from > MOST_LINE {
                return if self.pass_over()? { Ok(Line::TooLong) } else { Ok(Line::End) };
            }
            if self.is_over {
                return Ok(self.last());
            }
            self.fill()?;
        }
    }

    fn advance(&mut self, to: usize) {
        self.position += (to - self.from) as u64;
        self.from = to;
        self.scanned = to;
    }

    /// The text after the last line end: a complete object, or part of one.
    fn last(&mut self) -> Line<'_> {
        let rest = &self.buffer[self.from..self.filled];
        let is_object = rest.trim_ascii_end().ends_with(b"}");
        if !is_object || serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_err() {
            return Line::End;
        }
        let (from, end, at) = (self.from, self.filled, self.position);
        self.advance(end);
        Line::Whole { text: &self.buffer[from..end], at }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.filled, 0);
            self.filled -= self.from;
            self.scanned -= self.from;
            self.from = 0;
        }
        if self.buffer.len() - self.filled < CHUNK / 2 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let count = self.file.read(&mut self.buffer[self.filled..])?;
        self.filled += count;
        self.is_over = count == 0;
        Ok(())
    }

    /// Finds the end of a line that is too long to keep. False if it has no end yet.
    fn pass_over(&mut self) -> io::Result<bool> {
        let mut at = self.position + (self.filled - self.from) as u64;
        self.buffer.resize(CHUNK, 0);
        self.buffer.shrink_to_fit();
        (self.from, self.filled, self.scanned) = (0, 0, 0);
        loop {
            let count = self.file.read(&mut self.buffer)?;
            if count == 0 {
                // Reported as the end; the next run starts at the beginning of this line.
                self.is_over = true;
                return Ok(false);
            }
            if let Some(end) = self.buffer[..count].iter().position(|byte| *byte == b'\n') {
                self.filled = count;
                self.from = end + 1;
                self.scanned = self.from;
                self.position = at + self.from as u64;
                return Ok(true);
            }
            at += count as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn told(bytes: &[u8], from: u64) -> (Vec<(Vec<u8>, u64)>, usize, u64) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let mut lines = Lines::new(file, from).unwrap();
        let (mut whole, mut long) = (Vec::new(), 0);
        loop {
            match lines.next().unwrap() {
                Line::Whole { text, at } => whole.push((text.to_vec(), at)),
                Line::TooLong => long += 1,
                Line::End => return (whole, long, lines.position()),
            }
        }
    }

    #[test]
    fn an_incomplete_line_is_left_for_the_next_run() {
        let (whole, _, position) = told(b"{\"a\":1}\n{\"b\":", 0);
        assert_eq!((whole.len(), position), (1, 8));
        let (whole, _, position) = told(b"{\"a\":1}\n{\"b\":2}", 0);
        assert_eq!((whole.len(), position), (2, 15), "a whole object needs no end of line");
    }

    #[test]
    fn very_long_lines_are_skipped() {
        let mut bytes = b"first\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', MOST_LINE + 3 * CHUNK));
        let torn = bytes.len() as u64;
        assert_eq!(told(&bytes, 0).2, 6, "one without an end is looked at again");
        bytes.extend(b"\nlast\n");
        let (whole, long, position) = told(&bytes, 0);
        assert_eq!((whole.len(), long, position), (2, 1, torn + 6));
        assert_eq!(whole[1], (b"last".to_vec(), torn + 1));
    }

    proptest! {
        #[test]
        fn lines_match_the_text(lines in proptest::collection::vec("[a-z]{0,400}", 0..60), from in 0usize..60) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let from = from.min(lines.len());
            let start: usize = lines[..from].iter().map(|line| line.len() + 1).sum();
            let (whole, _, position) = told(text.as_bytes(), start as u64);
            let expected: Vec<&[u8]> = lines[from..].iter().map(|line| line.as_bytes()).collect();
            prop_assert_eq!(whole.iter().map(|(line, _)| &line[..]).collect::<Vec<_>>(), expected);
            prop_assert_eq!(position as usize, text.len());
            for (line, at) in &whole {
                prop_assert_eq!(&text.as_bytes()[*at as usize..][..line.len()], &line[..]);
            }
        }
    }
}
