//! File access confined to one folder and everything below it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use crate::kind::{Kind, Look, Refusal, expect};
use crate::{regular, system};

/// Opens, creates, renames, lists and deletes files below one folder, and nowhere else.
///
/// Paths may be relative to the folder, or absolute paths that start with the folder's own path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door {
    root: PathBuf,
    /// Whether the folder itself may be a link.
    through_link: bool,
}

impl Door {
    /// A folder that the user chose; it may be a link to somewhere else.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Door { root: root.into(), through_link: true }
    }

    /// A folder that someone else may have created; it must be a real folder, not a link.
    pub fn to_stranger(root: impl Into<PathBuf>) -> Self {
        Door { root: root.into(), through_link: false }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path components from the folder to `path`.
    fn steps<'p>(&self, path: &'p Path) -> io::Result<Vec<&'p std::ffi::OsStr>> {
        let inner = match path.strip_prefix(&self.root) {
            Ok(inner) => inner,
            Err(_) if path.is_absolute() => return Err(Refusal::Outside.into()),
            Err(_) => path,
        };
        let step = |part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::from(Refusal::Outside)),
        };
        inner.components().filter(|part| *part != Component::CurDir).map(step).collect()
    }

    /// The open parent folder of `path`, and its last component.
    fn enter<'p>(&self, path: &'p Path) -> io::Result<(system::Folder, &'p std::ffi::OsStr)> {
        let mut steps = self.steps(path)?;
        let last = steps.pop().ok_or(Refusal::Outside)?;
        Ok((self.walk(&steps)?, last))
    }

    fn walk(&self, steps: &[&std::ffi::OsStr]) -> io::Result<system::Folder> {
        let mut folder = system::Folder::root(&self.root, self.through_link)?;
        for step in steps {
            folder = folder.folder(step)?;
        }
        Ok(folder)
    }

    /// What is at `path`, or `None` if nothing is. An empty path means the folder itself.
    pub fn look(&self, path: &Path) -> io::Result<Option<Look>> {
        let found = if self.steps(path)?.is_empty() {
            self.walk(&[]).and_then(|folder| folder.look_at_itself())
        } else {
            self.enter(path).and_then(|(folder, name)| folder.look(name))
        };
        match found {
            Ok(look) => Ok(Some(look)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Whether a regular file is there.
    pub fn has_file(&self, path: &Path) -> bool {
        matches!(self.look(path), Ok(Some(look)) if look.is_file())
    }

    /// Whether a real folder is there.
    pub fn has_folder(&self, path: &Path) -> bool {
        matches!(self.look(path), Ok(Some(look)) if look.is_folder())
    }

    /// The names in a folder and what each of them is. Empty if the folder does not exist.
    pub fn list(&self, path: &Path) -> io::Result<Vec<(OsString, Look)>> {
        match self.walk(&self.steps(path)?).and_then(|folder| folder.list()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed,
        }
    }

    /// Opens a regular file for reading.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.enter(path)?;
        expect(folder.look(name)?.kind, Kind::File)?;
        folder.open(name)
    }

    /// Reads a regular file of at most `most` bytes.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        regular::read_all(self.open(path)?, most)
    }

    pub fn read_to_string(&self, path: &Path, most: u64) -> io::Result<String> {
        regular::text(self.read(path, most)?)
    }

    /// Creates a private file. Fails if anything already exists there.
    pub fn create_new(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.enter(path)?;
        folder.create_new(name)
    }

    /// Opens a regular file for reading and writing. Creates it if it is missing and keeps existing content.
    pub fn open_or_create(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.enter(path)?;
        folder.open_or_create(name, false)
    }

    /// Like [`Door::open_or_create`], but every write appends.
    pub fn append_to(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.enter(path)?;
        folder.open_or_create(name, true)
    }

    /// Creates a private folder and its missing parents, including the door's own folder.
    pub fn create_folder(&self, path: &Path) -> io::Result<()> {
        let steps = self.steps(path)?;
        let mut folder = match system::Folder::root(&self.root, self.through_link) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                system::create_root(&self.root)?;
                system::Folder::root(&self.root, self.through_link)?
            }
            opened => opened?,
        };
        for step in steps {
            folder = match folder.folder(step) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    folder.create_folder(step)?;
                    folder.folder(step)?
                }
                opened => opened?,
            };
        }
        Ok(())
    }

    /// Moves a regular file within the folder, replacing a regular file at `to`.
    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (source, name) = self.enter(from)?;
        expect(source.look(name)?.kind, Kind::File)?;
        let (target, new_name) = self.enter(to)?;
        match target.look(new_name) {
            Ok(look) => expect(look.kind, Kind::File)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        source.rename(name, &target, new_name)
    }

    /// Gives the file at `from` a second name. Fails if that name already exists.
    pub fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (source, name) = self.enter(from)?;
        expect(source.look(name)?.kind, Kind::File)?;
        let (target, new_name) = self.enter(to)?;
        source.hard_link(name, &target, new_name)
    }

    /// Creates a whole file exactly once: when many try at the same time, one wins and all of them see what
    /// it wrote. `draft` must be a name that nobody else uses.
    pub fn put_once(&self, draft: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let placed = self.create_new(draft).and_then(|mut file| file.write_all(bytes)).and_then(|()| {
            match self.link(draft, path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                // This file system has no hard links.
                Err(_) => self.rename(draft, path),
                Ok(()) => Ok(()),
            }
        });
        let _ = self.remove(draft);
        placed
    }

    /// Deletes a regular file. Links, FIFOs and devices are not ours and stay.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.enter(path)?;
        expect(folder.look(name)?.kind, Kind::File)?;
        folder.remove(name)
    }

    /// Removes other users' access to a file or folder. Does not add permissions for the owner, so a store
    /// that was made read-only stays read-only.
    pub fn tighten(&self, path: &Path) -> io::Result<()> {
        let Some(look) = self.look(path)? else { return Ok(()) };
        let wanted = match look.kind {
            Kind::File => 0o600,
            Kind::Folder => 0o700,
            _ => return Ok(()),
        };
        if look.mode & 0o777 & !wanted == 0 {
            return Ok(());
        }
        let wanted = look.mode & wanted;
        if self.steps(path)?.is_empty() {
            return self.walk(&[])?.set_own_mode(wanted);
        }
        let (folder, name) = self.enter(path)?;
        folder.set_mode(name, look.kind, wanted)
    }

    /// Does the same for everything below `path`, as deep as a store goes.
    pub fn tighten_all(&self, path: &Path) -> io::Result<()> {
        const DEEPEST: usize = 8;
        self.tighten_below(path, DEEPEST)
    }

    fn tighten_below(&self, path: &Path, depth: usize) -> io::Result<()> {
        self.tighten(path)?;
        if depth == 0 {
            return Ok(());
        }
        for (name, look) in self.list(path)? {
            let inner = path.join(name);
            match look.kind {
                Kind::Folder => self.tighten_below(&inner, depth - 1)?,
                Kind::File => self.tighten(&inner)?,
                _ => {}
            }
        }
        Ok(())
    }
}
