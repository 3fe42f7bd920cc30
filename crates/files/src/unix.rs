//! Opens each path component relative to an open folder, without following links.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{self as sys, AtFlags, Dir, FileType, Mode, OFlags, Stat};

use crate::kind::{Kind, Look, Refusal, expect};

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// An open folder.
pub(crate) struct Folder(OwnedFd);

impl Folder {
    pub(crate) fn root(path: &Path, through_link: bool) -> io::Result<Self> {
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !through_link {
            flags |= OFlags::NOFOLLOW;
        }
        match sys::open(path, flags, Mode::empty()) {
            Ok(folder) => Ok(Folder(folder)),
            Err(e) => Err(named(e, || {
                fs::symlink_metadata(path).ok().map(|meta| kind_of(FileType::from_raw_mode(meta.mode() as _)))
            })),
        }
    }

    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match sys::openat(&self.0, name, flags, Mode::empty()) {
            Ok(folder) => Ok(Folder(folder)),
            Err(e) => Err(named(e, || self.look(name).ok().map(|look| look.kind))),
        }
    }

    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Look> {
        Ok(look_of(&sys::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    pub(crate) fn look_at_itself(&self) -> io::Result<Look> {
        Ok(look_of(&sys::fstat(&self.0)?))
    }

    pub(crate) fn list(&self) -> io::Result<Vec<(OsString, Look)>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            match self.look(name) {
                Ok(look) => found.push((name.to_owned(), look)),
                // It was deleted after it was listed.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                // A folder that can be listed but not searched is not empty.
                Err(e) => return Err(e),
            }
        }
        Ok(found)
    }

    /// The file may have been swapped since the last check, so this checks the open file again. Opens a FIFO
    /// without waiting for its other end.
    pub(crate) fn open(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = sys::openat(&self.0, name, flags, Mode::empty())
            .map_err(|e| named(e, || self.look(name).ok().map(|look| look.kind)))?;
        only_regular(file)
    }

    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(PRIVATE_FILE as _);
        let file = sys::openat(&self.0, name, flags, mode)?;
        // The umask may have removed bits, but the creator must be able to read the file.
        sys::fchmod(&file, mode)?;
        Ok(file.into())
    }

    pub(crate) fn open_or_create(&self, name: &OsStr, append: bool) -> io::Result<File> {
        match self.create_new(name) {
            Ok(_) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
        expect(self.look(name)?.kind, Kind::File)?;
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        if append {
            flags |= OFlags::APPEND;
        }
        let file = sys::openat(&self.0, name, flags, Mode::empty())
            .map_err(|e| named(e, || self.look(name).ok().map(|look| look.kind)))?;
        only_regular(file)
    }

    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        let mode = Mode::from_raw_mode(PRIVATE_FOLDER as _);
        match sys::mkdirat(&self.0, name, mode) {
            Ok(()) => Ok(sys::fchmod(&self.folder(name)?.0, mode)?),
            Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    pub(crate) fn rename(&self, name: &OsStr, target: &Folder, new_name: &OsStr) -> io::Result<()> {
        Ok(sys::renameat(&self.0, name, &target.0, new_name)?)
    }

    pub(crate) fn hard_link(&self, name: &OsStr, target: &Folder, new_name: &OsStr) -> io::Result<()> {
        Ok(sys::linkat(&self.0, name, &target.0, new_name, AtFlags::empty())?)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(sys::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn set_mode(&self, name: &OsStr, kind: Kind, mode: u32) -> io::Result<()> {
        let mode = Mode::from_raw_mode(mode as _);
        if kind == Kind::Folder {
            return Ok(sys::fchmod(&self.folder(name)?.0, mode)?);
        }
        Ok(sys::fchmod(&self.open(name)?, mode)?)
    }

    pub(crate) fn set_own_mode(&self, mode: u32) -> io::Result<()> {
        Ok(sys::fchmod(&self.0, Mode::from_raw_mode(mode as _))?)
    }
}

fn only_regular(file: OwnedFd) -> io::Result<File> {
    expect(look_of(&sys::fstat(&file)?).kind, Kind::File)?;
    Ok(file.into())
}

/// Names what is there when the system only reports a refusal.
fn named(error: rustix::io::Errno, kind: impl FnOnce() -> Option<Kind>) -> io::Error {
    use rustix::io::Errno;
    let expected = match error {
        Errno::LOOP | Errno::NOTDIR => Kind::Folder,
        Errno::NXIO | Errno::NODEV => Kind::File,
        _ => return error.into(),
    };
    match kind() {
        Some(found) if found != expected => Refusal::Is(found, expected).into(),
        _ => error.into(),
    }
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn look_of(stat: &Stat) -> Look {
    let nanos =
        (stat.st_mtime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64);
    Look {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
        mtime: nanos,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mode: u32::from(stat.st_mode) & 0o7777,
        owner: Some(stat.st_uid),
    }
}

fn kind_of(found: FileType) -> Kind {
    match found {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    }
}

pub(crate) fn look_at(file: &File) -> io::Result<Look> {
    Ok(look_of(&sys::fstat(file)?))
}

pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Checked first, because opening a device can have side effects.
    let meta = fs::metadata(path)?;
    let kind = kind_of(FileType::from_raw_mode(meta.mode() as _));
    expect(kind, Kind::File)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    only_regular(sys::open(path, flags, Mode::empty())?)
}

pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    if let Ok(meta) = fs::metadata(path) {
        expect(kind_of(FileType::from_raw_mode(meta.mode() as _)), Kind::File)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(PRIVATE_FILE);
    let file = options.open(path)?;
    sys::fchmod(&file, Mode::from_raw_mode(PRIVATE_FILE as _))?;
    Ok(file)
}

/// The parent folders get default permissions; only the last folder is private.
pub(crate) fn create_root(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(path) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
        _ => {}
    }
    Folder::root(path, true)?.set_own_mode(PRIVATE_FOLDER)
}

#[allow(clippy::unnecessary_wraps, reason = "not every system has such a number")]
pub(crate) fn user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}
