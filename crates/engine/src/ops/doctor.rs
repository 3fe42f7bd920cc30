//! Is everything well, and if not, what mends it.

use clap::Args;
use hark_store::{Coverage, Finding, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::embed;
use crate::embed::Choice;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub healthy: bool,
    pub home: String,
    pub memories: i64,
    /// What was heard of each assistant through its hooks.
    pub heard: Vec<Heard>,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Heard {
    pub host: String,
    pub sessions: i64,
    pub last_event: String,
    /// When it was last told something unasked.
    pub last_injection: Option<String>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let picked_up = engine.store.refresh_fully(now)?;
    let mut findings = engine.store.inspect()?.findings;
    if picked_up > 0 {
        findings.push(Finding {
            severity: Severity::Ok,
            what: format!("picked up {picked_up} files that changed outside hark"),
            mend: None,
        });
    }
    findings.extend(crate::health::findings(engine));
    findings.extend(chosen_model(engine)?);
    let heard = engine.store.hosts_seen()?.into_iter().filter(|seen| seen.host != "cli").map(|seen| Heard {
        host: seen.host,
        sessions: seen.sessions,
        last_event: seen.last_event.to_string(),
        last_injection: seen.last_injection.map(|at| at.to_string()),
    });
    let heard = heard.collect();
    let stats = engine.store.stats()?;
    if stats.memories > 0 && clock_is_behind(engine)? {
        findings.push(Finding {
            severity: Severity::Warning,
            what: "the newest memory is from the future: the clock has jumped back".to_owned(),
            mend: Some("set the clock; ids stay unique meanwhile".to_owned()),
        });
    }
    let healthy = findings.iter().all(|finding| finding.severity != Severity::Problem);
    let home = engine.home.path.display().to_string();
    Ok(Response { healthy, home, memories: stats.memories, heard, findings })
}

/// How it stands with the model that the settings choose; nothing to say about those inside the binary.
fn chosen_model(engine: &mut Engine) -> Result<Option<Finding>, EngineError> {
    let choice = engine.config.embedding.model;
    let name = choice.name();
    if choice != Choice::MiniLm {
        return Ok(None);
    }
    let Some(Coverage { embedded, passages }) = embed::coverage(engine, choice)? else {
        return Ok(Some(Finding {
            severity: Severity::Warning,
            what: format!(
                "the model {name} is chosen, but not there or damaged; the static one answers alone"
            ),
            mend: Some(format!("see `hark model verify {name}`, or go back with: hark model use encoder")),
        }));
    };
    let is_whole = embedded == passages;
    Ok(Some(Finding {
        severity: Severity::Ok,
        what: format!("{embedded} of {passages} passages have vectors of {name}"),
        mend: (!is_whole).then(|| "the worker makes the rest; at once with: hark model embed".to_owned()),
    }))
}

fn clock_is_behind(engine: &Engine) -> Result<bool, EngineError> {
    use hark_store::{ListFilter, ListOrder};
    const TOLERANCE_MS: i64 = 5 * 60 * 1000;
    let newest = engine.store.list(&ListFilter::default(), ListOrder::NewestChange, 1)?;
    Ok(newest.first().is_some_and(|s| s.memory.updated > engine.now().plus_millis(TOLERANCE_MS)))
}
