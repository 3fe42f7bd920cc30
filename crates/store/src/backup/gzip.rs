//! gzip (RFC 1952) on top of the project's deflate library. A file may have several members, each complete in
//! itself; every tool reads them as one stream. Snapshots have one member per entry, so that each entry has its own
//! checksum and damage does not affect earlier entries. Archives that other tools repacked have one member and work too.

use std::io::{self, BufRead, Read};

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

use super::bad;

pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];
const DEFLATE: u8 = 8;
const LEVEL: u8 = 6;

/// Flags in the fourth byte: optional fields between the header of a member and its content.
const HEAD_CHECKSUM: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

/// No name or comment is longer.
const LONGEST_TEXT: u64 = 64 * 1024;
const BUFFER: usize = 32 * 1024;

/// A member with this content, and no time: the same content is the same bytes.
pub(super) fn member(content: &[u8]) -> Vec<u8> {
    const UNKNOWN_SYSTEM: u8 = 255;
    let mut out = [&MAGIC[..], &[DEFLATE, 0, 0, 0, 0, 0, 0, UNKNOWN_SYSTEM]].concat();
    out.extend(compress_to_vec(content, LEVEL));
    let mut sum = Checksum::new();
    sum.update(content);
    out.extend(sum.value().to_le_bytes());
    out.extend((content.len() as u32).to_le_bytes());
    out
}

/// Reads the content of all members in sequence. A damaged member is an error before its last bytes are returned.
pub(super) struct Reader<R> {
    input: R,
    /// None between members.
    member: Option<Member>,
    out: Box<[u8]>,
    given: usize,
    filled: usize,
}

struct Member {
    state: Box<InflateState>,
    sum: Checksum,
    /// Modulo 2³², as the format has it.
    size: u32,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Self {
        Reader { input, member: None, out: vec![0; BUFFER].into(), given: 0, filled: 0 }
    }

    /// If the current member ends here, checks its checksum now rather than at the next byte.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if self.given == self.filled {
            self.decode()?;
        }
        Ok(())
    }

    /// Fills the buffer from this member; false if there is none, or no more of it.
    fn decode(&mut self) -> io::Result<bool> {
        (self.given, self.filled) = (0, 0);
        let Some(member) = &mut self.member else { return Ok(false) };
        loop {
            let input = self.input.fill_buf()?;
            let is_over = input.is_empty();
            let done = inflate(&mut member.state, input, &mut self.out, MZFlush::None);
            self.input.consume(done.bytes_consumed);
            member.sum.update(&self.out[..done.bytes_written]);
            member.size = member.size.wrapping_add(done.bytes_written as u32);
            match done.status {
                Ok(MZStatus::StreamEnd) => {
                    let expected = (member.sum.value(), member.size);
                    self.member = None;
                    if (self.number()?, self.number()?) != expected {
                        return Err(bad("it is damaged"));
                    }
                    self.filled = done.bytes_written;
                    return Ok(self.filled > 0);
                }
                Ok(_) | Err(MZError::Buf) if done.bytes_written > 0 => {
                    self.filled = done.bytes_written;
                    return Ok(true);
                }
                Ok(_) | Err(MZError::Buf) if !is_over && done.bytes_consumed > 0 => {}
                Ok(_) | Err(MZError::Buf) => return Err(bad("it is truncated")),
                Err(_) => return Err(bad("it is damaged")),
            }
        }
    }

    /// Begins the next member; false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let head: [u8; 10] = self.bytes()?;
        if head[..2] != MAGIC || head[2] != DEFLATE {
            return Err(bad("it is damaged"));
        }
        if head[3] & EXTRA != 0 {
            let length = u16::from_le_bytes(self.bytes()?);
            io::copy(&mut self.input.by_ref().take(length.into()), &mut io::sink())?;
        }
        for text in [NAME, COMMENT] {
            if head[3] & text != 0 {
                self.input.by_ref().take(LONGEST_TEXT).skip_until(0)?;
            }
        }
        if head[3] & HEAD_CHECKSUM != 0 {
            self.bytes::<2>()?;
        }
        let state = InflateState::new_boxed(DataFormat::Raw);
        self.member = Some(Member { state, sum: Checksum::new(), size: 0 });
        Ok(true)
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn number(&mut self) -> io::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.filled {
            if !self.decode()? && self.member.is_none() && !self.begin()? {
                return Ok(0);
            }
        }
        let count = into.len().min(self.filled - self.given);
        into[..count].copy_from_slice(&self.out[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

/// CRC-32 as gzip has it.
struct Checksum(u32);

impl Checksum {
    fn new() -> Self {
        Checksum(!0)
    }

    fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = TABLE[usize::from(self.0 as u8 ^ byte)] ^ (self.0 >> 8);
        }
    }

    fn value(&self) -> u32 {
        !self.0
    }
}

static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (0xedb8_8320 * (value & 1));
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Reader::new(bytes).read_to_end(&mut all).map(|_| all)
    }

    /// The value that every implementation gives for these nine digits.
    #[test]
    fn the_checksum_is_the_usual_one() {
        let mut sum = Checksum::new();
        sum.update(b"1234");
        sum.update(b"56789");
        assert_eq!(sum.value(), 0xcbf4_3926);
    }

    #[test]
    fn members_are_read_as_one() {
        let long: Vec<u8> =
            (0..300_000u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
        let all = [member(b"walrus "), member(b""), member(&long), member(b"end")].concat();
        assert_eq!(read(&all).unwrap(), [b"walrus ", &long[..], b"end"].concat());
        assert_eq!(read(b"").unwrap(), b"");
    }

    /// What `gzip` writes: a name in the head.
    #[test]
    fn a_head_with_everything_is_read() {
        let plain = member(b"walrus");
        let mut full = plain[..10].to_vec();
        full[3] = EXTRA | NAME | COMMENT | HEAD_CHECKSUM;
        full.extend([3, 0, 1, 2, 3]);
        full.extend(b"name.tar\0a comment\0");
        full.extend([9, 9]);
        full.extend(&plain[10..]);
        assert_eq!(read(&full).unwrap(), b"walrus");
    }

    #[test]
    fn damage_anywhere_is_an_error() {
        let whole = [member(b"The walrus sleeps."), member(b"The penguin does not.")].concat();
        let boundary = member(b"The walrus sleeps.").len();
        for length in (1..whole.len()).filter(|length| *length != boundary) {
            assert!(read(&whole[..length]).is_err(), "cut at {length}");
        }
        // Some bits say nothing: times, systems, what fills up a last byte. The others are noticed.
        let content = read(&whole).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            assert!(read(&changed).map_or(true, |said| said == content), "changed at {at}");
        }
    }
}
