//! The protocol end to end, with the official tools: the inspector in both eras of the protocol,
//! the Python SDK, and what the two conformance suites ask of any server.
//!
//! `Ok` says how many checks passed, or that the tools cannot be had on this machine; `Err` names how
//! many checks failed.
//!
//! The tools are installed once, by name and version, into the folder that is passed. Servers
//! listen on 127.0.0.1 only, on a port the system picks, and end with the run.

use std::ffi::OsStr;
use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::bearer_proxy;
use crate::npm::{self, Missing, Npm, PATIENCE_TO_INSTALL, finish};

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

pub(crate) const TOKEN: &str = "token-of-the-protocol-checks";

const PATIENCE: Duration = Duration::from_secs(90);

/// Runs every check against the binary `hark`; tools are kept in `cache`.
pub(crate) fn run(hark: &Path, cache: &Path) -> Result<String, String> {
    let hark = fs::canonicalize(hark).map_err(|e| format!("{}: {e}", hark.display()))?;
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let cache = fs::canonicalize(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let tools = match Tools::install(&cache) {
        Ok(tools) => tools,
        Err(Missing(what)) => return npm::pass_over(&what),
    };
    let home = Scratch::new("mcp")?;
    let mut checks = Checks { tools: &tools, home: &home, passed: 0, failed: 0 };
    over_stdio(&mut checks, &hark);
    over_http(&mut checks, &hark)?;
    println!("{} passed, {} failed", checks.passed, checks.failed);
    match checks.failed {
        0 => Ok(format!("{} checks", checks.passed)),
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
    let address = [OsStr::new(&url), OsStr::new("--header"), OsStr::new(SHOWN)];
    for era in ["legacy", "modern"] {
        let name = format!("inspector: tools/list over HTTP, {era} era");
        checks.inspector(&name, &address, &["--method", "tools/list", "--protocol-era", era]);
    }
    checks.python("Python SDK over HTTP", "http", &[OsStr::new(&url), OsStr::new(TOKEN)]);
    let load = [RECALL, &["--load", "--load-requests", "200", "--load-concurrency", "8"]].concat();
    checks.inspector("inspector: 200 calls over HTTP, 8 at a time", &address, &load);
    let url = server.proxied_url();
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

/// The header that clients must send with every request.
const SHOWN: &str = "Authorization: Bearer token-of-the-protocol-checks";

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
        let mut client = self.tools.npm.program(&self.tools.python);
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

/// `hark serve` for as long as this lives.
pub(crate) struct Server {
    child: Child,
    port: u16,
    /// Adds the token for those who cannot.
    proxy: u16,
}

impl Server {
    pub(crate) fn start(hark: &Path, home: &Scratch) -> Result<Self, String> {
        let no_port = |e| format!("no free port: {e}");
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let port = listen().and_then(|free| free.local_addr()).map_err(no_port)?.port();
        let listener = listen().map_err(no_port)?;
        let proxy = listener.local_addr().map_err(no_port)?.port();
        bearer_proxy::start(listener, port, TOKEN.to_owned());
        let names = ["localhost", "127.0.0.1"].map(|name| format!("--allow-host={name}:{proxy}"));
        let child = Command::new(hark)
            .args(["serve", "--port", &port.to_string()])
            .args(names)
            .env("HARK_SERVE_TOKEN", TOKEN)
            .current_dir(&home.path)
            .env("HOME", home.path.join("home"))
            .env("HARK_HOME", home.path.join("store"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e}", hark.display()))?;
        let server = Server { child, port, proxy };
        let started = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if started.elapsed() > PATIENCE {
                return Err(format!("`hark serve` does not listen on port {port}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn url(&self) -> String {
        format!("{}/mcp", self.origin())
    }

    fn proxied_url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.proxy)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder for one run, removed at the end.
pub(crate) struct Scratch {
    pub(crate) path: PathBuf,
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("hark-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("home")).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Scratch { path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The installed tools.
struct Tools {
    npm: Npm,
    python: PathBuf,
}

impl Tools {
    fn install(cache: &Path) -> Result<Self, Missing> {
        let npm = Npm::ready(cache)?;
        npm.install("inspector", &[INSPECTOR])?;
        npm.install("conformance", &[CONFORMANCE])?;
        npm.install("conformance-next", &[CONFORMANCE_NEXT])?;
        Ok(Tools { npm, python: venv(cache, "python", PYTHON_PACKAGES)? })
    }

    fn node_program(&self, folder: &str) -> Command {
        let name = if folder == "inspector" { "mcp-inspector" } else { "conformance" };
        self.npm.program(self.npm.binary(folder, name))
    }
}

/// The interpreter of a virtual environment with these packages.
pub(crate) fn venv(cache: &Path, name: &str, packages: &[&str]) -> Result<PathBuf, Missing> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    if npm::version(python, "--version").is_none() {
        npm::install_packages(cache);
    }
    let folder = cache.join(name);
    let own = folder.join(if cfg!(windows) { "venv/Scripts/python.exe" } else { "venv/bin/python" });
    npm::once(&folder, &packages.join(" "), || {
        let log = folder.join("install.log");
        let make = || {
            let mut venv = Command::new(python);
            venv.args(["-m", "venv", "--clear"]).arg(folder.join("venv"));
            finish(&mut venv, &log, PATIENCE_TO_INSTALL)
        };
        // Some systems ship Python without the means to make one.
        make().or_else(|_| {
            npm::install_packages(&folder);
            make()
        })?;
        let mut pip = Command::new(&own);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        finish(&mut pip, &log, PATIENCE_TO_INSTALL)
    })?;
    Ok(own)
}
