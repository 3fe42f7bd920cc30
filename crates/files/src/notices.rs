//! Learns of changes below folders from the system, without looking at every file again and again.
//!
//! Linux only (inotify). Elsewhere, and where the system refuses, callers look at files in intervals.

use std::io;
use std::path::{Path, PathBuf};

/// Folders that the system watches for us.
#[derive(Debug)]
pub struct Notices(system::Watched);

impl Notices {
    /// Fails where the system has no such service, or has none left.
    pub fn new() -> io::Result<Self> {
        system::Watched::new().map(Notices)
    }

    /// Watches a file, or a folder with the folders below it, as deep as `depth`. Watching it again costs little.
    pub fn watch(&mut self, path: &Path, depth: usize) -> io::Result<()> {
        self.0.watch(path, depth)
    }

    /// Files that changed since the last call, and folders that are new, in no order. Does not wait.
    pub fn take(&mut self) -> io::Result<Vec<PathBuf>> {
        self.0.take()
    }

    /// How many files and folders are watched.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::fs;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
    use rustix::io::Errno;

    /// Room for the longest name and some more.
    const BUFFER: usize = 16 * 1024;

    #[derive(Debug)]
    pub(super) struct Watched {
        events: OwnedFd,
        /// By the number that events name them with: the path, and how deep below it to watch.
        places: HashMap<i32, (PathBuf, usize)>,
    }

    impl Watched {
        pub(super) fn new() -> io::Result<Self> {
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            Ok(Watched { events, places: HashMap::new() })
        }

        pub(super) fn len(&self) -> usize {
            self.places.len()
        }

        pub(super) fn watch(&mut self, path: &Path, depth: usize) -> io::Result<()> {
            let wanted =
                WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::CREATE | WatchFlags::MOVED_TO;
            let number = match inotify::add_watch(&self.events, path, wanted) {
                Ok(number) => number,
                // It went since somebody saw it, or is not ours to read.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            self.places.insert(number, (path.to_owned(), depth));
            if depth == 0 {
                return Ok(());
            }
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                // Links are not followed: they may lead in circles.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    self.watch(&entry.path(), depth - 1)?;
                }
            }
            Ok(())
        }

        pub(super) fn take(&mut self) -> io::Result<Vec<PathBuf>> {
            let mut changed = Vec::new();
            let mut new_folders = Vec::new();
            let mut buffer = [MaybeUninit::uninit(); BUFFER];
            let mut reader = inotify::Reader::new(&self.events, &mut buffer);
            loop {
                let event = match reader.next() {
                    Ok(event) => event,
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                };
                if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                    // Some were lost: anything may have changed.
                    changed.extend(self.places.values().map(|(path, _)| path.clone()));
                    continue;
                }
                if event.events().contains(ReadFlags::IGNORED) {
                    self.places.remove(&event.wd());
                    continue;
                }
                let Some((place, depth)) = self.places.get(&event.wd()) else { continue };
                let path = match event.file_name() {
                    Some(name) => place.join(OsStr::from_bytes(name.to_bytes())),
                    None => place.clone(),
                };
                if event.events().contains(ReadFlags::ISDIR) {
                    if let Some(depth) = depth.checked_sub(1) {
                        new_folders.push((path, depth));
                    }
                } else {
                    changed.push(path);
                }
            }
            for (folder, depth) in new_folders {
                // What was made in it before it was watched would be missed, so the folder itself counts as changed.
                self.watch(&folder, depth)?;
                changed.push(folder);
            }
            changed.sort();
            changed.dedup();
            Ok(changed)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::path::{Path, PathBuf};

    #[derive(Debug)]
    pub(super) struct Watched;

    impl Watched {
        pub(super) fn new() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(super) fn len(&self) -> usize {
            0
        }

        pub(super) fn watch(&mut self, _path: &Path, _depth: usize) -> io::Result<()> {
            Ok(())
        }

        pub(super) fn take(&mut self) -> io::Result<Vec<PathBuf>> {
            Ok(Vec::new())
        }
    }
}
