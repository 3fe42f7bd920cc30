//! Turns a real input into a hostile one: applies changes that have broken parsers before, at random places.

use std::ops::Range;

/// One change. `at` and `much` are drawn from the whole range and scaled to the input.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub how: How,
    pub at: u16,
    pub much: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Truncate,
    FlipByte,
    Delete,
    Repeat,
    DuplicateKey,
    DuplicateLine,
    HugeNumber,
    Nest,
    InvalidUtf8,
    Bidi,
    Control,
    LongLine,
    LineEnds,
    Hostile,
}

pub const ALL: &[How] = &[
    How::Truncate,
    How::FlipByte,
    How::Delete,
    How::Repeat,
    How::DuplicateKey,
    How::DuplicateLine,
    How::HugeNumber,
    How::Nest,
    How::InvalidUtf8,
    How::Bidi,
    How::Control,
    How::LongLine,
    How::LineEnds,
    How::Hostile,
];

const NUMBERS: &[&str] = &[
    "1e999",
    "-1e999",
    "99999999999999999999999999999999999999",
    "-9223372036854775809",
    "18446744073709551616",
    "0.1e-400",
    "-0",
    "NaN",
];

const BROKEN: &[&[u8]] =
    &[b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xe2\x80"];

const BIDI: &[&str] = &[
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{200f}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "\u{2028}",
    "\u{85}",
];

const NESTING: &[(&str, &str)] = &[
    ("[", "]"),
    ("{\"a\":", "}"),
    ("> ", ""),
    ("- ", ""),
    ("<private>", "</private>"),
    ("(", ")"),
    ("&a [*a, ", "]"),
];

/// Text that tends to end something early.
const HOSTILE: &[&str] = &[
    "---\n",
    "\n---\n",
    "```\n",
    "</hark>",
    "<!-- hark:begin -->",
    "<!-- hark:end -->",
    "\"\"\"",
    "'''",
    "\\u0000",
    "\\ud800",
    "/*",
    "//",
    "#",
    "[REDACTED:",
    "mcpServers",
    "[[mcp_servers]]\n",
    "%s%n",
    "*hark",
    "!!binary ",
    "|-\n",
];

/// Longer inputs are truncated: a test has many, and none should take long.
pub const LONGEST: usize = 256 * 1024;

pub fn apply(seed: &[u8], steps: &[Step]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for step in steps {
        bytes = one(bytes, *step);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn one(mut bytes: Vec<u8>, step: Step) -> Vec<u8> {
    let at = place(bytes.len(), step.at);
    let much = usize::from(step.much);
    let end = (at + 1 + much).min(bytes.len());
    match step.how {
        How::Truncate => bytes.truncate(at),
        How::FlipByte => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << (step.much % 8);
            }
        }
        How::Delete => drop(bytes.drain(at.min(end)..end)),
        How::Repeat => {
            let piece = bytes[at.min(end)..end].repeat(3);
            insert(&mut bytes, at, &piece);
        }
        How::DuplicateKey => {
            if let Some(range) = key(&bytes, at) {
                let start = range.start;
                let piece = [&bytes[range], b": \"twice\", "].concat();
                insert(&mut bytes, start, &piece);
            }
        }
        How::DuplicateLine => {
            let line = line(&bytes, at);
            let (start, piece) = (line.start, bytes[line].to_vec());
            insert(&mut bytes, start, &piece);
        }
        How::HugeNumber => {
            let range = digits(&bytes, at);
            bytes.splice(range, pick(NUMBERS, much).bytes());
        }
        How::Nest => {
            let (open, close) = pick(NESTING, much);
            let depth = 1 << (much % 12);
            let piece = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            insert(&mut bytes, at, piece.as_bytes());
        }
        How::InvalidUtf8 => insert(&mut bytes, at, pick(BROKEN, much)),
        How::Bidi => insert(&mut bytes, at, pick(BIDI, much).as_bytes()),
        How::Control => insert(&mut bytes, at, &[step.much % 32]),
        How::LongLine => {
            let piece: Vec<u8> =
                bytes[at.min(end)..end].iter().copied().filter(|byte| *byte != b'\n').collect();
            let times = 20_000 / piece.len().max(1);
            insert(&mut bytes, at, &piece.repeat(times));
        }
        How::LineEnds => {
            let ends: &[u8] = pick(&[&b"\r\n"[..], b"\r", b"\n\n", b""], much);
            bytes = bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(ends);
        }
        How::Hostile => insert(&mut bytes, at, pick(HOSTILE, much).as_bytes()),
    }
    bytes
}

fn place(length: usize, at: u16) -> usize {
    length * usize::from(at) / (usize::from(u16::MAX) + 1)
}

fn pick<T: Copy>(from: &[T], much: usize) -> T {
    from[much % from.len()]
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The next `"name"` followed by a colon.
fn key(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let colon = at + bytes[at..].windows(2).position(|pair| pair == b"\":")?;
    let open = bytes[..colon].iter().rposition(|byte| *byte == b'"')?;
    Some(open..colon + 1)
}

fn line(bytes: &[u8], at: usize) -> Range<usize> {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
    start..end
}

/// The next run of digits, or an empty range.
fn digits(bytes: &[u8], at: usize) -> Range<usize> {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|start| at + start) else {
        return at..at;
    };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    start..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(how: How, seed: &str, at: u16, much: u8) -> String {
        String::from_utf8_lossy(&apply(seed.as_bytes(), &[Step { how, at, much }])).into_owned()
    }

    #[test]
    fn each_mutation_does_what_its_name_says() {
        let seed = "{\"a\": 1,\n\"b\": 22}";
        assert_eq!(with(How::Truncate, seed, 0x8000, 0), "{\"a\": 1,");
        assert_eq!(with(How::DuplicateKey, seed, 0, 0), "{\"a\": \"twice\", \"a\": 1,\n\"b\": 22}");
        assert_eq!(with(How::HugeNumber, seed, 0xc000, 0), "{\"a\": 1,\n\"b\": 1e999}");
        assert_eq!(with(How::DuplicateLine, "a\nb\n", 0, 0), "a\na\nb\n");
        assert_eq!(with(How::LineEnds, "a\nb", 0, 0), "a\r\nb");
        assert!(with(How::LongLine, seed, 0, 3).len() > 10_000);
    }

    #[test]
    fn no_input_is_too_short() {
        for how in ALL {
            for seed in ["", "x", "\n", "\""] {
                for much in [0, 1, 127, 255] {
                    let _ = with(*how, seed, u16::MAX, much);
                }
            }
        }
    }
}
