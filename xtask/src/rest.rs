//! REST end to end: schemathesis makes requests from `/v1/openapi.json`, right and wrong ones, and checks every answer
//! against it.
//!
//! It runs over all operations that only read. What it finds is a failure: a 5xx, a status or a type that is not
//! announced, data that does not fit its schema, a wrong request that is accepted, an answer without a credential.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::mcp::{Scratch, Server, TOKEN, venv};
use crate::npm::{self, Missing, finish};

const SCHEMATHESIS: &[&str] = &["schemathesis==4.32.5"];

/// What it says at most, from the end.
const LINES: usize = 60;

const PATIENCE: Duration = Duration::from_secs(900);

/// Runs it against the binary `hark`; tools are kept in `cache`.
pub(crate) fn run(hark: &Path, cache: &Path) -> Result<String, String> {
    let hark = fs::canonicalize(hark).map_err(|e| format!("{}: {e}", hark.display()))?;
    fs::create_dir_all(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let cache = fs::canonicalize(cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    let python = match venv(&cache, "schemathesis", SCHEMATHESIS) {
        Ok(python) => python,
        Err(Missing(what)) => return npm::pass_over(&what),
    };
    let home = Scratch::new("rest")?;
    for text in ["Deploys happen on Tuesdays", "The cache is Redis, since Memcached lost sessions"] {
        let mut remember = Command::new(&hark);
        remember.args(["remember", text]).env("HARK_HOME", home.path.join("store")).current_dir(&home.path);
        finish(&mut remember, &home.path.join("remember.log"), PATIENCE)?;
    }
    let server = Server::start(&hark, &home)?;
    let mut schemathesis = Command::new(python);
    schemathesis
        .args(["-m", "schemathesis.cli", "run", &format!("{}/v1/openapi.json", server.origin())])
        .args(["--header", &format!("Authorization: Bearer {TOKEN}")])
        // Reads; what never ends is tested elsewhere.
        .args(["--include-method", "GET", "--exclude-path", "/v1/events"])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", "25", "--seed", "1"])
        // A schema cannot say which ids exist or what is a date.
        .args(["--checks", "all", "--exclude-checks", "positive_data_acceptance"])
        .args(["--continue-on-failure", "--warnings", "off", "--generation-database", "none"])
        .current_dir(&home.path);
    let log = home.path.join("schemathesis.log");
    let outcome = finish(&mut schemathesis, &log, PATIENCE);
    let said = fs::read_to_string(&log).unwrap_or_default();
    let lines: Vec<&str> = said.lines().collect();
    for line in &lines[lines.len().saturating_sub(LINES)..] {
        println!("{line}");
    }
    outcome.map_err(|why| format!("schemathesis: {why}"))?;
    let count = lines.iter().find(|line| line.contains(" generated"));
    Ok(count.map(|line| line.trim().to_owned()).unwrap_or_default())
}
