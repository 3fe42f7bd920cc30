//! What exists at a path, and why it may be refused.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    Link,
    Fifo,
    Socket,
    Device,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::File => "a file",
            Kind::Folder => "a folder",
            Kind::Link => "a link",
            Kind::Fifo => "a FIFO",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
        }
    }
}

/// What exists at a path, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub kind: Kind,
    /// Modification time in nanoseconds.
    pub mtime: i64,
    pub size: u64,
    /// Permission bits; 0 on systems without them.
    pub mode: u32,
    /// The owner's user id; `None` on systems without one.
    pub owner: Option<u32>,
}

impl Look {
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }
}

/// Why something at a path is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Found, expected.
    Is(Kind, Kind),
    TooLarge {
        most: u64,
    },
    /// The path leads outside the folder.
    Outside,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Is(Kind::Link, _) => f.write_str("is a link, which hark does not follow here"),
            Refusal::Is(found, Kind::Folder) => write!(f, "is {}, not a folder", found.name()),
            Refusal::Is(found, _) => write!(f, "is {}, not a regular file", found.name()),
            Refusal::TooLarge { most } if *most >= 1024 * 1024 => {
                write!(f, "is larger than {} MB", most / 1024 / 1024)
            }
            Refusal::TooLarge { most } => write!(f, "is larger than {} kB", most / 1024),
            Refusal::Outside => f.write_str("leads outside its folder"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, refusal)
    }
}

/// The refusal behind an error, if it is one of ours.
pub fn refusal_of(error: &io::Error) -> Option<Refusal> {
    error.get_ref()?.downcast_ref::<Refusal>().copied()
}

/// Fails unless `found` is `expected`.
pub(crate) fn expect(found: Kind, expected: Kind) -> io::Result<()> {
    if found == expected { Ok(()) } else { Err(Refusal::Is(found, expected).into()) }
}
