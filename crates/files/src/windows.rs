//! Windows has no folder handles to open relative to, so every component is checked before use. Links and
//! junctions are refused, but a program that swaps a folder between the check and the use can win the race.
//! Folders below the user's profile inherit private permissions, so none are set here.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::kind::{Kind, Look, expect};

pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn root(path: &Path, through_link: bool) -> io::Result<Self> {
        let meta = if through_link { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
        expect(kind_of(&meta), Kind::Folder)?;
        Ok(Folder(path.to_owned()))
    }

    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Folder> {
        expect(self.look(name)?.kind, Kind::Folder)?;
        Ok(Folder(self.0.join(name)))
    }

    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Look> {
        Ok(look_of(&fs::symlink_metadata(self.0.join(name))?))
    }

    pub(crate) fn look_at_itself(&self) -> io::Result<Look> {
        Ok(look_of(&fs::metadata(&self.0)?))
    }

    pub(crate) fn list(&self) -> io::Result<Vec<(OsString, Look)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let name = entry?.file_name();
            if let Ok(look) = self.look(&name) {
                found.push((name, look));
            }
        }
        Ok(found)
    }

    pub(crate) fn open(&self, name: &OsStr) -> io::Result<File> {
        expect(self.look(name)?.kind, Kind::File)?;
        File::open(self.0.join(name))
    }

    pub(crate) fn create_new(&self, name: &OsStr) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    pub(crate) fn open_or_create(&self, name: &OsStr, append: bool) -> io::Result<File> {
        match self.look(name) {
            Ok(look) => expect(look.kind, Kind::File)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        let mut options = fs::OpenOptions::new();
        options.read(true).create(true);
        if append {
            options.append(true)
        } else {
            options.write(true).truncate(false)
        };
        options.open(self.0.join(name))
    }

    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
            _ => Ok(()),
        }
    }

    pub(crate) fn rename(&self, name: &OsStr, target: &Folder, new_name: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(name), target.0.join(new_name))
    }

    pub(crate) fn hard_link(&self, name: &OsStr, target: &Folder, new_name: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(name), target.0.join(new_name))
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(crate) fn set_mode(&self, _name: &OsStr, _kind: Kind, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn set_own_mode(&self, _mode: u32) -> io::Result<()> {
        Ok(())
    }
}

fn look_of(meta: &Metadata) -> Look {
    let since = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let mtime = since.and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or(0);
    Look { kind: kind_of(meta), mtime, size: meta.len(), mode: 0, owner: None }
}

fn kind_of(meta: &Metadata) -> Kind {
    let found = meta.file_type();
    if found.is_symlink() {
        Kind::Link
    } else if found.is_dir() {
        Kind::Folder
    } else if found.is_file() {
        Kind::File
    } else {
        Kind::Device
    }
}

pub(crate) fn look_at(file: &File) -> io::Result<Look> {
    Ok(look_of(&file.metadata()?))
}

pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    expect(kind_of(&fs::metadata(path)?), Kind::File)?;
    File::open(path)
}

pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    File::create(path)
}

pub(crate) fn create_root(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub(crate) fn user() -> Option<u32> {
    None
}
