//! The protocol end to end, with the official tools: the inspector in both eras of the protocol,
//! the Python SDK, and what the two conformance suites ask of any server.
//!
//! In `main.rs`: `mod mcp;`, and for the command `["mcp"]`
//! `mcp::run(&workspace::debug_binary()?, &workspace::target().join("e2e")).map_err(Failure::new)`.
//! `Ok` means that every check passed, or that the tools cannot be had on this machine, which is
//! said; `Err` names how many checks failed.
//!
//! The tools are installed once, by name and version, into the folder that is passed. Servers
//! listen on 127.0.0.1 only, on a port the system picks, and end with the run.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NODE: &str = "node@24";
const LEAST_NODE: u32 = 22;
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const CONFORMANCE: &str = "@modelcontextprotocol/conformance@0.1.16";
const CONFORMANCE_NEXT: &str = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const PYTHON_PACKAGES: &[&str] = &["mcp==2.3.0", "fastmcp==4.1.2"];

/// Scenarios any server can pass; the others need tools made for the suite.
const SCENARIOS: &[&str] = &[
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
];
const SCENARIOS_NEXT: &[&str] = &[
    "tools-list",
    "resources-list",
    "prompts-list",
    "caching",
    "http-header-validation",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
];
const NEXT_VERSION: &str = "2026-07-28";

const PATIENCE: Duration = Duration::from_secs(90);
const PATIENCE_TO_INSTALL: Duration = Duration::from_secs(900);

/// Runs every check against the binary `hark`; tools are kept in `cache`.
pub(crate) fn run(hark: &Path, cache: &Path) -> Result<(), String> {
    let hark = fs::canonicalize(hark).map_err(|e| format!("{}: {e}", hark.display()))?;
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let cache = fs::canonicalize(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let tools = match Tools::install(&cache) {
        Ok(tools) => tools,
        Err(Missing(what)) => {
            println!("passed over: {what}");
            return Ok(());
        }
    };
    let home = Scratch::new()?;
    let mut checks = Checks { tools: &tools, home: &home, passed: 0, failed: 0 };
    over_stdio(&mut checks, &hark);
    over_http(&mut checks, &hark)?;
    println!("{} passed, {} failed", checks.passed, checks.failed);
    match checks.failed {
        0 => Ok(()),
        failed => Err(format!("{failed} MCP checks failed")),
    }
}

fn over_stdio(checks: &mut Checks<'_>, hark: &Path) {
    let server = [hark.as_os_str(), OsStr::new("mcp")];
    for era in ["legacy", "modern"] {
        let name = format!("inspector: tools/list over stdio, {era} era");
        checks.inspector(&name, &server, &["--method", "tools/list", "--protocol-era", era]);
    }
    let name = "inspector: tool schemas that every client can read";
    checks.inspector(name, &server, &["--method", "tools/list", "--strict"]);
    checks.inspector("inspector: tools/call over stdio", &server, RECALL);
    checks.python("Python SDK over stdio", "stdio", &server);
}

fn over_http(checks: &mut Checks<'_>, hark: &Path) -> Result<(), String> {
    let server = Server::start(hark, checks.home)?;
    let url = server.url();
    let address = [OsStr::new(&url)];
    for era in ["legacy", "modern"] {
        let name = format!("inspector: tools/list over HTTP, {era} era");
        checks.inspector(&name, &address, &["--method", "tools/list", "--protocol-era", era]);
    }
    checks.python("Python SDK over HTTP", "http", &address);
    let load = [RECALL, &["--load", "--load-requests", "200", "--load-concurrency", "8"]].concat();
    checks.inspector("inspector: 200 calls over HTTP, 8 at a time", &address, &load);
    for scenario in SCENARIOS {
        let mut suite = checks.tools.node_program("conformance");
        suite.args(["server", "--url", &url, "--scenario", scenario]);
        checks.check(&format!("conformance 0.1.16: {scenario}"), suite);
    }
    for scenario in SCENARIOS_NEXT {
        let mut suite = checks.tools.node_program("conformance-next");
        suite.args(["server", "--url", &url, "--scenario", scenario, "--spec-version", NEXT_VERSION]);
        checks.check(&format!("conformance 0.2.0-alpha.12: {scenario}, {NEXT_VERSION}"), suite);
    }
    Ok(())
}

const RECALL: &[&str] =
    &["--method", "tools/call", "--tool-name", "memory_recall", "--tool-arg", "query=deploy window"];

/// Runs checks and counts.
struct Checks<'a> {
    tools: &'a Tools,
    home: &'a Scratch,
    passed: usize,
    failed: usize,
}

impl Checks<'_> {
    fn inspector(&mut self, name: &str, server: &[&OsStr], arguments: &[&str]) {
        let mut inspector = self.tools.node_program("inspector");
        inspector.arg("--cli").args(server).args(arguments);
        self.check(name, inspector);
    }

    fn python(&mut self, name: &str, transport: &str, server: &[&OsStr]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/python_client.py");
        let mut client = self.tools.program(&self.tools.python);
        client.arg(script).arg(transport).args(server);
        self.check(name, client);
    }

    fn check(&mut self, name: &str, mut command: Command) {
        let log = self.home.path.join("check.log");
        command.env("HOME", self.home.path.join("home")).env("HARK_HOME", self.home.path.join("store"));
        let outcome = finish(&mut command, &log, PATIENCE);
        let said = fs::read_to_string(&log).unwrap_or_default();
        // The tools count a call as made when the server answered, even if it answered with an error.
        let outcome = outcome.and_then(|()| match said.contains("\"isError\": true") {
            true => Err("the tool answered with an error".to_owned()),
            false => Ok(()),
        });
        match outcome {
            Ok(()) => {
                self.passed += 1;
                println!("ok    {name}");
            }
            Err(why) => {
                self.failed += 1;
                println!("FAIL  {name}: {why}");
                let lines: Vec<&str> = said.lines().collect();
                for line in &lines[lines.len().saturating_sub(8)..] {
                    println!("      {line}");
                }
            }
        }
    }
}

/// Runs to the end with its output in `log`, or ends it when patience does.
fn finish(command: &mut Command, log: &Path, patience: Duration) -> Result<(), String> {
    let file = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let errors = file.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
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
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("not done after {} s", patience.as_secs()));
            }
            Err(e) => return Err(e.to_string()),
        }
    }
}

/// `hark serve` for as long as this lives.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(hark: &Path, home: &Scratch) -> Result<Self, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|e| format!("no free port: {e}"))?.port();
        let child = Command::new(hark)
            .args(["serve", "--port", &port.to_string()])
            .current_dir(&home.path)
            .env("HOME", home.path.join("home"))
            .env("HARK_HOME", home.path.join("store"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e}", hark.display()))?;
        let server = Server { child, port };
        let started = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if started.elapsed() > PATIENCE {
                return Err(format!("`hark serve` does not listen on port {port}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for one run, gone at the end.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("hark-mcp-{}", std::process::id()));
        fs::create_dir_all(path.join("home")).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Scratch { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Why the checks cannot run here.
struct Missing(String);

/// The installed tools.
struct Tools {
    cache: PathBuf,
    /// Where our own Node is, if the machine's is too old.
    node: Option<PathBuf>,
    python: PathBuf,
}

impl Tools {
    fn install(cache: &Path) -> Result<Self, Missing> {
        let python = if cfg!(windows) { "python" } else { "python3" };
        if version("npm", "--version").is_none() || version(python, "--version").is_none() {
            install_packages(cache);
        }
        if version("npm", "--version").is_none() {
            return Err(Missing("npm is not installed, and could not be".to_owned()));
        }
        let mut tools = Tools { cache: cache.to_owned(), node: None, python: PathBuf::new() };
        let major = version("node", "--version")
            .and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
        if major.is_none_or(|major| major < LEAST_NODE) {
            tools.npm("node", NODE)?;
            tools.node = Some(cache.join("node/node_modules/.bin"));
        }
        tools.npm("inspector", INSPECTOR)?;
        tools.npm("conformance", CONFORMANCE)?;
        tools.npm("conformance-next", CONFORMANCE_NEXT)?;
        tools.python = tools.venv(python)?;
        Ok(tools)
    }

    /// One package in a folder of its own: their dependencies disagree.
    fn npm(&self, folder: &str, package: &str) -> Result<(), Missing> {
        let folder = self.cache.join(folder);
        once(&folder, package, || {
            fs::write(folder.join("package.json"), "{\"private\":true}\n").map_err(|e| e.to_string())?;
            let mut npm = self.program(if cfg!(windows) { "npm.cmd" } else { "npm" });
            npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", package])
                .current_dir(&folder);
            finish(&mut npm, &folder.join("install.log"), PATIENCE_TO_INSTALL)
        })
    }

    /// The interpreter of a virtual environment with the SDKs.
    fn venv(&self, python: &str) -> Result<PathBuf, Missing> {
        let folder = self.cache.join("python");
        let own = folder.join(if cfg!(windows) { "venv/Scripts/python.exe" } else { "venv/bin/python" });
        once(&folder, &PYTHON_PACKAGES.join(" "), || {
            let log = folder.join("install.log");
            let make = || {
                let mut venv = Command::new(python);
                venv.args(["-m", "venv", "--clear"]).arg(folder.join("venv"));
                finish(&mut venv, &log, PATIENCE_TO_INSTALL)
            };
            // Some systems ship Python without the means to make one.
            make().or_else(|_| {
                install_packages(&folder);
                make()
            })?;
            let mut pip = Command::new(&own);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(PYTHON_PACKAGES);
            finish(&mut pip, &log, PATIENCE_TO_INSTALL)
        })?;
        Ok(own)
    }

    /// A program that finds our Node first.
    fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some(node) = &self.node {
            let rest = std::env::var_os("PATH").unwrap_or_default();
            let all: Vec<PathBuf> =
                std::iter::once(node.clone()).chain(std::env::split_paths(&rest)).collect();
            command.env("PATH", std::env::join_paths(all).unwrap_or(OsString::from(node)));
        }
        command
    }

    fn node_program(&self, folder: &str) -> Command {
        let name = if folder == "inspector" { "mcp-inspector" } else { "conformance" };
        let name = if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() };
        self.program(self.cache.join(folder).join("node_modules/.bin").join(name))
    }
}

/// Installs unless the folder says that exactly this is already there.
fn once(folder: &Path, what: &str, install: impl FnOnce() -> Result<(), String>) -> Result<(), Missing> {
    let mark = folder.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|there| there == what) {
        return Ok(());
    }
    println!("installing {what}");
    let done = fs::create_dir_all(folder).map_err(|e| e.to_string()).and_then(|()| install());
    done.and_then(|()| fs::write(&mark, what).map_err(|e| e.to_string()))
        .map_err(|why| Missing(format!("{what} could not be installed ({why}); see {}", folder.display())))
}

/// What a container's root may do; everybody else installs what is missing themselves.
fn install_packages(log: &Path) {
    let root = version("id", "-u").is_some_and(|user| user == "0");
    if !root || version("apt-get", "--version").is_none() {
        return;
    }
    println!("installing nodejs, npm and python3-venv");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-y", "nodejs", "npm", "python3-venv"]).env("DEBIAN_FRONTEND", "noninteractive");
    let _ = finish(&mut apt, &log.join("apt.log"), PATIENCE_TO_INSTALL);
}

/// The first line a program prints about itself; `None` if it is not installed.
fn version(program: &str, flag: &str) -> Option<String> {
    let program = if cfg!(windows) && program == "npm" { "npm.cmd" } else { program };
    let output = Command::new(program).arg(flag).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned();
    output.status.success().then_some(said)
}
