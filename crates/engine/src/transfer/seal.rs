//! Exports encrypted with a passphrase: Argon2i for the key, then libsodium's secretstream
//! (XChaCha20-Poly1305 in chunks), which detects a truncated, changed or reordered file.
//!
//! Layout: magic line, 16 bytes of salt, 24 of nonce, chunks of 64 kB each with 17 bytes of overhead. The
//! last chunk carries the end mark.

use std::fmt;
use std::io::{self, Read, Write};

use orion::hazardous::aead::streaming::{ABYTES, Nonce, SecretKey, StreamTag, StreamXChaCha20Poly1305};
use orion::hazardous::kdf::argon2i;

use crate::engine::Engine;
use crate::error::EngineError;

pub(crate) const MAGIC: &[u8] = b"hark-encrypted 1\n";
/// The kind of error for a passphrase that opens nothing.
pub(super) const WRONG: io::ErrorKind = io::ErrorKind::PermissionDenied;
const SALT: usize = 16;
const NONCE: usize = 24;
const CHUNK: usize = 64 * 1024;
/// 64 MB and three passes: a third of a second for one key, and slow for brute force.
const MEMORY_KB: u32 = 64 * 1024;
const PASSES: u32 = 3;

/// What opens an encrypted export. It cannot be printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Passphrase(String);

impl Passphrase {
    /// A file's last newline is not part of it. `None` when nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['\n', '\r']);
        (!text.is_empty()).then(|| Passphrase(text.to_owned()))
    }

    fn key(&self, salt: &[u8]) -> Result<SecretKey, EngineError> {
        let broken = |_| EngineError::invalid("the passphrase cannot be used", "choose another");
        let mut key = [0; 32];
        argon2i::derive_key(self.0.as_bytes(), salt, PASSES, MEMORY_KB, None, None, &mut key)
            .map_err(broken)?;
        SecretKey::from_slice(&key).map_err(broken)
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

/// Encrypts what is written to it. [`Sealer::finish`] must be called, or the file will not open.
pub(crate) struct Sealer<W: Write> {
    to: W,
    stream: StreamXChaCha20Poly1305,
    waiting: Vec<u8>,
}

impl<W: Write> Sealer<W> {
    pub(crate) fn new(mut to: W, passphrase: &Passphrase) -> Result<Self, EngineError> {
        let salt: [u8; SALT] = Engine::random()?;
        let nonce: [u8; NONCE] = Engine::random()?;
        let key = passphrase.key(&salt)?;
        let start = |e: io::Error| EngineError::invalid(e.to_string(), "");
        for part in [MAGIC, &salt, &nonce] {
            to.write_all(part).map_err(start)?;
        }
        Ok(Sealer { to, stream: stream(&key, &nonce), waiting: Vec::with_capacity(CHUNK) })
    }

    fn seal(&mut self, length: usize, tag: &StreamTag) -> io::Result<()> {
        let mut sealed = vec![0; length + ABYTES];
        self.stream
            .seal_chunk(&self.waiting[..length], None, &mut sealed, tag)
            .map_err(|_| io::Error::other("encrypting failed"))?;
        self.waiting.drain(..length);
        self.to.write_all(&sealed)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.seal(self.waiting.len(), &StreamTag::Finish)?;
        self.to.flush()
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        // One chunk always waits: the last one has to say that it is the last.
        while self.waiting.len() > CHUNK {
            self.seal(CHUNK, &StreamTag::Message)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The key of one file, so that reading it twice derives it once.
pub(super) struct Opened {
    key: SecretKey,
    nonce: [u8; NONCE],
}

impl Opened {
    /// `from` stands behind the magic line.
    pub(super) fn new(from: &mut dyn Read, passphrase: &Passphrase) -> Result<io::Result<Self>, EngineError> {
        let (mut salt, mut nonce) = ([0; SALT], [0; NONCE]);
        if let Err(e) = from.read_exact(&mut salt).and_then(|()| from.read_exact(&mut nonce)) {
            return Ok(Err(e));
        }
        Ok(Ok(Opened { key: passphrase.key(&salt)?, nonce }))
    }

    /// Reads a file from its beginning.
    pub(super) fn reader<R: Read>(&self, mut from: R) -> io::Result<Opener<R>> {
        let mut head = [0; MAGIC.len() + SALT + NONCE];
        from.read_exact(&mut head)?;
        Ok(Opener {
            from,
            stream: stream(&self.key, &self.nonce),
            plain: Vec::new(),
            at: 0,
            ended: false,
            opened: false,
        })
    }
}

fn stream(key: &SecretKey, nonce: &[u8; NONCE]) -> StreamXChaCha20Poly1305 {
    StreamXChaCha20Poly1305::new(key, &Nonce::from(*nonce))
}

/// Decrypts the data read through it.
pub(super) struct Opener<R: Read> {
    from: R,
    stream: StreamXChaCha20Poly1305,
    plain: Vec<u8>,
    at: usize,
    ended: bool,
    /// Whether a chunk was opened, so that the passphrase is known to be right.
    opened: bool,
}

impl<R: Read> Opener<R> {
    fn next_chunk(&mut self) -> io::Result<()> {
        let mut sealed = Vec::with_capacity(CHUNK + ABYTES);
        self.from.by_ref().take((CHUNK + ABYTES) as u64).read_to_end(&mut sealed)?;
        if sealed.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is truncated"));
        }
        self.plain = vec![0; sealed.len().saturating_sub(ABYTES)];
        let tag = self.stream.open_chunk(&sealed, None, &mut self.plain).map_err(|_| match self.opened {
            true => io::Error::new(io::ErrorKind::InvalidData, "the file was changed"),
            false => io::Error::new(WRONG, "the passphrase is wrong"),
        })?;
        self.opened = true;
        self.at = 0;
        self.ended = tag == StreamTag::Finish;
        Ok(())
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.plain.len() {
            if self.ended {
                return Ok(0);
            }
            self.next_chunk()?;
        }
        let count = into.len().min(self.plain.len() - self.at);
        into[..count].copy_from_slice(&self.plain[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(text: &[u8], passphrase: &Passphrase) -> Vec<u8> {
        let mut out = Vec::new();
        let mut sealer = Sealer::new(&mut out, passphrase).unwrap();
        for part in text.chunks(10_000) {
            sealer.write_all(part).unwrap();
        }
        sealer.finish().unwrap();
        out
    }

    fn opened(bytes: &[u8], passphrase: &Passphrase) -> io::Result<Vec<u8>> {
        let opened = Opened::new(&mut &bytes[MAGIC.len()..], passphrase).unwrap()?;
        let mut out = Vec::new();
        opened.reader(bytes)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn what_goes_in_comes_out_and_nothing_else_opens_it() {
        let right = Passphrase::new("correct horse\n").unwrap();
        let text: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
        for length in [0, 1, CHUNK, CHUNK + 1, text.len()] {
            assert_eq!(
                opened(&sealed(&text[..length], &right), &right).unwrap(),
                &text[..length],
                "{length}"
            );
        }
        let bytes = sealed(&text, &right);
        assert!(opened(&bytes, &Passphrase::new("wrong horse").unwrap()).is_err());
        // Shortened at a chunk, shortened anywhere, one bit changed.
        let head = MAGIC.len() + SALT + NONCE;
        assert!(opened(&bytes[..head + CHUNK + ABYTES], &right).is_err());
        assert!(opened(&bytes[..bytes.len() - 5], &right).is_err());
        assert!(opened(&bytes[..20], &right).is_err());
        let mut changed = bytes;
        changed[head + 100] ^= 1;
        assert!(opened(&changed, &right).is_err());
        assert_eq!(format!("{right:?}"), "Passphrase");
    }
}
