//! The assistant's process, seen from a program that it started: a hook, a server, a command in its shell.
//!
//! The hook and the server of one assistant have it as their nearest ancestor that is neither a shell nor a wrapper
//! around `hark`, so what the hook reported tells the server which session it belongs to. Read from `/proc`, which
//! costs microseconds; where there is none, nothing is known.

use std::fs;
use std::path::Path;

use hark_core::ClientProcess;

/// Programs between an assistant and what it runs.
const WRAPPERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ash", "fish", "ksh", "mksh", "busybox", "env", "timeout", "nice", "ionice",
    "nohup", "setsid", "stdbuf", "sudo", "doas", "su", "xargs", "time", "script", "hark",
];

/// Programs that adopt the children of a process that has died.
const REAPERS: &[&str] = &["systemd", "init", "tini", "dumb-init", "catatonit"];

/// How far to look up.
const MOST_ANCESTORS: usize = 12;

/// The process of the assistant that started this one, if there is one.
pub fn client() -> Option<ClientProcess> {
    Table { root: Path::new("/proc") }.client_of("self")
}

/// This process, for others that want to know whether it still runs.
pub fn own() -> Option<ClientProcess> {
    Table { root: Path::new("/proc") }.process("self")
}

/// Whether a process still runs; `None` if that cannot be known here.
pub fn is_alive(process: &ClientProcess) -> Option<bool> {
    Table { root: Path::new("/proc") }.is_alive(process)
}

/// What the system tells about processes; another folder in tests.
struct Table<'a> {
    root: &'a Path,
}

/// One process.
struct Stat {
    pid: u32,
    name: String,
    is_dead: bool,
    parent: u32,
    start: u64,
}

impl Table<'_> {
    fn client_of(&self, pid: &str) -> Option<ClientProcess> {
        let realm = self.realm()?;
        let mut parent = self.stat(pid)?.parent;
        for _ in 0..MOST_ANCESTORS {
            // The first process adopts orphans, so being its child means nothing.
            if parent <= 1 {
                return None;
            }
            let found = self.stat(&parent.to_string())?;
            if REAPERS.contains(&found.name.as_str()) {
                return None;
            }
            if !self.is_wrapper(&found) {
                return Some(ClientProcess { pid: found.pid, start: found.start, realm });
            }
            parent = found.parent;
        }
        None
    }

    fn process(&self, pid: &str) -> Option<ClientProcess> {
        let (realm, found) = (self.realm()?, self.stat(pid)?);
        Some(ClientProcess { pid: found.pid, start: found.start, realm })
    }

    fn is_alive(&self, process: &ClientProcess) -> Option<bool> {
        if self.realm()? != process.realm {
            return None;
        }
        let found = self.stat(&process.pid.to_string());
        Some(found.is_some_and(|found| found.start == process.start && !found.is_dead))
    }

    /// The boot, and the namespace of the pids.
    fn realm(&self) -> Option<u64> {
        let mut hash = blake3::Hasher::new();
        hash.update(&fs::read(self.root.join("sys/kernel/random/boot_id")).ok()?);
        hash.update(fs::read_link(self.root.join("self/ns/pid")).ok()?.as_os_str().as_encoded_bytes());
        hash.finalize().as_bytes().first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    fn stat(&self, pid: &str) -> Option<Stat> {
        let bytes = fs::read(self.root.join(pid).join("stat")).ok()?;
        parse(&String::from_utf8_lossy(&bytes))
    }

    fn is_wrapper(&self, process: &Stat) -> bool {
        WRAPPERS.contains(&process.name.as_str()) || self.passes_on(process.pid)
    }

    /// Whether its own arguments are a command of ours, as with `npx hark mcp`, `node …/hark.js mcp`.
    fn passes_on(&self, pid: u32) -> bool {
        let Ok(bytes) = fs::read(self.root.join(pid.to_string()).join("cmdline")) else { return false };
        let line = String::from_utf8_lossy(&bytes);
        // npm writes its whole command into one word.
        if let Some(rest) = line.strip_prefix("npm exec ").or_else(|| line.strip_prefix("npx ")) {
            return rest.split(['\0', ' ']).any(is_ours);
        }
        let words: Vec<&str> = line.split('\0').collect();
        words.windows(2).any(|pair| is_ours(pair[0]) && matches!(pair[1], "mcp" | "hook" | "--"))
    }
}

/// Whether a word names this program: `hark`, `/usr/bin/hark`, `…/hark.js`.
fn is_ours(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(name.split(['.', '@']).next(), Some("hark"))
}

/// `PID (NAME) STATE PARENT …`, where the name can contain anything and the start is the 22nd field.
fn parse(text: &str) -> Option<Stat> {
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let pid = text[..open].trim().parse().ok()?;
    let name = text.get(open + 1..close)?.trim_start_matches('-').to_owned();
    let mut rest = text[close + 1..].split_whitespace();
    let is_dead = matches!(rest.next()?, "Z" | "X" | "x");
    let parent = rest.next()?.parse().ok()?;
    let start = rest.nth(17)?.parse().ok()?;
    Some(Stat { pid, name, is_dead, parent, start })
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A machine with these processes: pid, parent, name, arguments.
    fn machine(processes: &[(u32, u32, &str, &str)]) -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("hark-proc-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let folder = Folder(std::env::temp_dir().join(name));
        let root = &folder.0;
        fs::create_dir_all(root.join("sys/kernel/random")).unwrap();
        fs::write(root.join("sys/kernel/random/boot_id"), "b00t\n").unwrap();
        fs::create_dir_all(root.join("self/ns")).unwrap();
        std::os::unix::fs::symlink("pid:[4]", root.join("self/ns/pid")).unwrap();
        for (pid, parent, name, arguments) in processes {
            let place = root.join(pid.to_string());
            fs::create_dir_all(&place).unwrap();
            let start = pid + 1000;
            let stat =
                format!("{pid} ({name}) S {parent} 1 1 0 -1 4194560 1 1 0 0 0 0 0 0 20 0 1 0 {start} 0 0\n");
            fs::write(place.join("stat"), stat).unwrap();
            fs::write(place.join("cmdline"), arguments.replace('|', "\0")).unwrap();
        }
        folder
    }

    fn client(processes: &[(u32, u32, &str, &str)], of: u32) -> Option<u32> {
        let folder = machine(processes);
        Table { root: &folder.0 }.client_of(&of.to_string()).map(|found| found.pid)
    }

    #[test]
    fn hook_and_server_of_one_assistant_have_the_same_client() {
        let processes = [
            (10, 1, "bash", "-bash"),
            (20, 10, "claude", "claude|-p|fix hark mcp"),
            (30, 20, "sh", "sh|-c|hark hook claude-code Stop"),
            (31, 30, "hark", "hark|hook|claude-code|Stop"),
            (40, 20, "hark", "hark|mcp"),
            (50, 20, "npm exec hark m", "npm exec hark mcp"),
            (51, 50, "sh", "sh|-c|hark mcp"),
            (52, 51, "node", "node|/x/bin/hark.js|mcp"),
            (53, 52, "hark", "/x/hark|mcp"),
        ];
        assert_eq!([31, 40, 53].map(|pid| client(&processes, pid)), [Some(20); 3]);
    }

    #[test]
    fn an_orphan_has_no_client_and_a_nested_assistant_is_its_own() {
        let processes = [
            (10, 1, "hark", "hark|hook|codex"),
            (20, 1, "systemd", "/lib/systemd/systemd|--user"),
            (21, 20, "hark", "hark|hook|codex"),
            (30, 2, "claude", "claude"),
            (31, 30, "bash", "bash|-c|codex exec x"),
            (32, 31, "codex", "codex|exec|x"),
            (33, 32, "hark", "hark|mcp"),
        ];
        assert_eq!([10, 21, 33].map(|pid| client(&processes, pid)), [None, None, Some(32)]);
    }

    #[test]
    fn a_process_is_alive_until_its_pid_is_free_or_used_again() {
        let folder = machine(&[(20, 1, "a (b) c", "x"), (21, 20, "hark", "hark|mcp")]);
        let table = Table { root: &folder.0 };
        let process = table.client_of("21").unwrap();
        assert_eq!((process.pid, process.start), (20, 1020));
        assert_eq!(table.is_alive(&process), Some(true));
        let alive = |change: fn(&mut ClientProcess)| {
            let mut other = process;
            change(&mut other);
            table.is_alive(&other)
        };
        assert_eq!(alive(|p| p.start = 7), Some(false));
        assert_eq!(alive(|p| p.pid = 99), Some(false));
        assert_eq!(alive(|p| p.realm += 1), None, "in another container");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_test_has_a_client_that_is_alive() {
        let Some(process) = super::client() else { return };
        assert_eq!(super::is_alive(&process), Some(true));
    }
}
