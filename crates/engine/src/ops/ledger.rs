//! What was said to assistants unasked, and what it cost.

use clap::Args;
use hark_core::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only newer than `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only of this session, each text by itself
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// At most this many single texts
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub count: i64,
    pub bytes: i64,
    pub tokens: i64,
    pub sums: Vec<Sum>,
    /// The newest texts.
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sum {
    pub host: String,
    pub surface: String,
    pub count: i64,
    pub bytes: i64,
    pub tokens: i64,
    pub last: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Entry {
    pub at: String,
    pub host: String,
    pub surface: String,
    pub items: Vec<String>,
    pub bytes: i64,
    pub tokens: i64,
    pub why: String,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let session = match &request.session {
        Some(id) => Some(super::sessions::one(engine, id)?.num),
        None => None,
    };
    let sums: Vec<Sum> = engine
        .store
        .ledger_sums(since)?
        .into_iter()
        .map(|sum| Sum {
            host: sum.host,
            surface: sum.surface,
            count: sum.count,
            bytes: sum.bytes,
            tokens: sum.tokens,
            last: sum.last.to_string(),
        })
        .collect();
    let limit = request.limit.unwrap_or(20).min(10_000);
    let entries =
        engine.store.ledger(session, limit)?.into_iter().filter(|e| since.is_none_or(|s| e.at >= s));
    Ok(Response {
        count: sums.iter().map(|s| s.count).sum(),
        bytes: sums.iter().map(|s| s.bytes).sum(),
        tokens: sums.iter().map(|s| s.tokens).sum(),
        sums,
        entries: entries
            .map(|row| Entry {
                at: row.at.to_string(),
                host: row.host,
                surface: row.surface,
                items: row.items,
                bytes: row.bytes,
                tokens: row.tokens,
                why: row.why,
            })
            .collect(),
    })
}
