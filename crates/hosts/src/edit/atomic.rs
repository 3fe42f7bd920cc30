//! Writes a file completely or not at all. Links stay links, and permissions stay unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hark_files::regular;

/// No settings file is larger than this.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;
/// A longer chain of links is a loop.
const MOST_LINKS: usize = 40;

/// The actual file: the end of a chain of links, even if nothing exists there yet.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut here = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&here) {
            Ok(next) => here = here.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(here),
        }
    }
    Err(io::Error::other("the links form a loop"))
}

/// Whether writing to `path` would change something outside `root`: a repository may have links in place of
/// its settings files.
pub(crate) fn leads_out(path: &Path, root: &Path) -> bool {
    let (Ok(target), Ok(root)) = (target(path), fs::canonicalize(root)) else { return true };
    let there = target.ancestors().skip(1).find_map(|folder| fs::canonicalize(folder).ok());
    !there.is_some_and(|folder| folder.starts_with(&root))
}

/// The bytes of a file; `None` if there is no file.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match regular::read(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The permissions of a new file. An existing file keeps its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Usual,
    Executable,
    Private,
}

pub(crate) fn write(path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let target = target(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let draft = folder.join(format!(".{name}.hark-{}", std::process::id()));
    let outcome = write_draft(&draft, &target, bytes, mode).and_then(|()| fs::rename(&draft, &target));
    if outcome.is_err() {
        let _ = fs::remove_file(&draft);
    }
    outcome
}

fn write_draft(draft: &Path, target: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
    let _ = fs::remove_file(draft);
    let mut file = create(draft, mode)?;
    file.write_all(bytes)?;
    match fs::metadata(target) {
        // Only the user may read it, whatever its permissions were before.
        _ if mode == Mode::Private => make_private(&file)?,
        Ok(former) => fs::set_permissions(draft, former.permissions())?,
        Err(_) if mode == Mode::Executable => make_executable(&file)?,
        Err(_) => {}
    }
    // This may be another program's settings file: a power cut must not leave it empty.
    file.sync_all()
}

#[cfg(unix)]
fn create(path: &Path, mode: Mode) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let bits = if mode == Mode::Private { 0o600 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(bits).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _mode: Mode) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Everyone who may read it may run it.
#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn make_executable(_file: &File) -> io::Result<()> {
    Ok(())
}
