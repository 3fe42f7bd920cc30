//! Resolve, reopen, archive, restore: moves between statuses.

use clap::Args;
use hark_core::{IdRef, Origin, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub changed: Vec<Changed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Changed {
    pub id: String,
    pub title: String,
    pub from: String,
    pub to: String,
}

pub fn run(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    next: Status,
    word: &'static str,
) -> Result<Response, EngineError> {
    let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let changed = engine.store.write(now, |writer| {
        let mut changed = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = writer.load(id)?;
            if !before.status.may_become(next) {
                return Err(EngineError::invalid(
                    format!("{} is {} and cannot become {next}", before.id, before.status),
                    format!("bring it back first: hark restore {}", before.id),
                ));
            }
            if before.kind.steers() && origin != Origin::User {
                return Err(EngineError::invalid(
                    format!("only the user may retire a {}", before.kind),
                    ASK_USER,
                ));
            }
            if before.status == Status::Proposed && next == Status::Active {
                let hint = if origin == Origin::User {
                    format!("accept it: hark inbox accept {}", before.id)
                } else {
                    ASK_USER.to_owned()
                };
                return Err(EngineError::invalid(format!("{} is a proposal", before.id), hint));
            }
            let mut after = before.clone();
            after.set_status(next, now);
            if after != before {
                after.touch(now);
                writer.update(&before, &after, word)?;
                if next == Status::Active && before.superseded_by.is_some() {
                    chain::unclaim(writer, &before, now)?;
                }
            }
            changed.push(Changed {
                id: before.id.short(),
                title: before.title.to_string(),
                from: before.status.to_string(),
                to: next.to_string(),
            });
        }
        Ok(changed)
    })?;
    Ok(Response { changed })
}
