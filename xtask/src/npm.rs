//! Installs programs from npm once into a folder below the target folder, by name and version. In a
//! container, as root, it also installs what the machine lacks for that.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const NODE: &str = "node@24";
/// Some clients install an old release without a word where Node is older.
const LEAST_NODE: u32 = 22;
pub(crate) const PATIENCE_TO_INSTALL: Duration = Duration::from_secs(900);

/// Why something cannot run here.
pub(crate) struct Missing(pub(crate) String);

/// The note about skipped checks in the final list. In CI, a skip is a failure if npm is installed: the checks could
/// have run, and the skip would go unnoticed.
pub(crate) fn pass_over(what: &str) -> Result<String, String> {
    let note = format!("skipped: {what}");
    println!("{note}");
    if hark_testkit::is_ci() && version("npm", "--version").is_some() { Err(note) } else { Ok(note) }
}

/// npm, with a Node that is new enough.
pub(crate) struct Npm {
    cache: PathBuf,
    /// Where our own Node is, if the machine's is too old.
    node: Option<PathBuf>,
}

impl Npm {
    /// Programs will be kept below `cache`.
    pub(crate) fn ready(cache: &Path) -> Result<Self, Missing> {
        if version("npm", "--version").is_none() {
            install_packages(cache);
        }
        if version("npm", "--version").is_none() {
            return Err(Missing("npm is not installed, and could not be".to_owned()));
        }
        let mut npm = Npm { cache: cache.to_owned(), node: None };
        let major = version("node", "--version")
            .and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
        if major.is_none_or(|major| major < LEAST_NODE) {
            npm.install("node", &[NODE])?;
            npm.node = Some(cache.join("node/node_modules/.bin"));
        }
        Ok(npm)
    }

    /// Packages in a folder of their own: their dependencies disagree.
    pub(crate) fn install(&self, folder: &str, packages: &[impl AsRef<str>]) -> Result<(), Missing> {
        let folder = self.cache.join(folder);
        let packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
        once(&folder, &packages.join(" "), || {
            fs::write(folder.join("package.json"), "{\"private\":true}\n").map_err(|e| e.to_string())?;
            let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
            npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
                .args(&packages)
                .env("PATH", self.search_path())
                .current_dir(&folder);
            finish(&mut npm, &folder.join("install.log"), PATIENCE_TO_INSTALL)
        })
    }

    /// A program that one of the packages in `folder` brought.
    pub(crate) fn binary(&self, folder: &str, name: &str) -> PathBuf {
        let name = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
        self.cache.join(folder).join("node_modules/.bin").join(name)
    }

    /// Any program, which finds our Node first.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", self.search_path());
        command
    }

    /// Where programs are looked for, our Node first.
    pub(crate) fn search_path(&self) -> OsString {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let all = self.node.iter().cloned().chain(std::env::split_paths(&rest));
        std::env::join_paths(all).unwrap_or(rest)
    }
}

/// Runs to the end with its output in `log`, or ends it when patience does.
pub(crate) fn finish(command: &mut Command, log: &Path, patience: Duration) -> Result<(), String> {
    let file = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let errors = file.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Its own process group, so that its children end with it.
        command.process_group(0);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if started.elapsed() < patience => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                if cfg!(unix) {
                    let group = format!("-{}", child.id());
                    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
                }
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", patience.as_secs()));
            }
            Err(e) => return Err(e.to_string()),
        }
    }
}

/// Installs unless the folder says that exactly this is already there.
pub(crate) fn once(
    folder: &Path,
    what: &str,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), Missing> {
    let mark = folder.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|there| there == what) {
        return Ok(());
    }
    println!("installing {what}");
    let done = fs::create_dir_all(folder).map_err(|e| e.to_string()).and_then(|()| install());
    done.and_then(|()| fs::write(&mark, what).map_err(|e| e.to_string()))
        .map_err(|why| Missing(format!("{what} could not be installed ({why}); see {}", folder.display())))
}

/// What the suites below need of the system.
pub(crate) fn install_packages(log: &Path) {
    apt_install(&["nodejs", "npm", "python3-venv"], &log.join("apt.log"));
}

/// Installs packages of Debian. A container's root may do that; everybody else installs what is missing themselves.
pub(crate) fn apt_install(packages: &[&str], log: &Path) {
    let is_root = version("id", "-u").is_some_and(|user| user == "0");
    if !is_root || version("apt-get", "--version").is_none() {
        return;
    }
    println!("installing {}", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        finish(&mut apt, log, PATIENCE_TO_INSTALL)
    };
    let install = [&["install", "-y"], packages].concat();
    if apt(&install).is_err() {
        // The lists of an image grow old, and a package that they name may be gone.
        let done = apt(&["update"]).and_then(|()| apt(&install));
        if let Err(why) = done {
            println!("{}: {why}; see {}", packages.join(", "), log.display());
        }
    }
}

/// The first line a program prints about itself; `None` if it is not installed.
pub(crate) fn version(program: &str, flag: &str) -> Option<String> {
    let program = if cfg!(windows) && program == "npm" { "npm.cmd" } else { program };
    let output = Command::new(program).arg(flag).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned();
    output.status.success().then_some(said)
}
