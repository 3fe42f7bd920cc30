//! Reports how much of what hark said unasked was of use, judged by what followed.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use hark_core::Timestamp;
use hark_core::hindsight::{Sign, is_of_use};
use hark_store::LedgerRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hindsight::LookBack;
use crate::operation::text::count;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate,
};
use crate::proof::{self, ProofView};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only newer than `30d` or a date; default: `7d`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub since: String,
    /// Sessions that were told something.
    pub sessions: usize,
    pub texts: usize,
    pub tokens: i64,
    /// Texts whose use can be judged.
    pub judged: usize,
    pub of_use: usize,
    /// Of those judged.
    pub share: Option<f64>,
    pub surfaces: Vec<Surface>,
    /// Absent if no session was drawn to stay silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofView>,
}

/// The texts of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Surface {
    pub surface: String,
    pub texts: usize,
    pub tokens: i64,
    pub judged: usize,
    pub of_use: usize,
    pub share: Option<f64>,
    /// How many texts each sign followed.
    pub followed: BTreeMap<Sign, usize>,
}

const DEFAULT_SINCE: &str = "7d";
/// More texts than a year of work brings.
const MOST: usize = 50_000;

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let since = Timestamp::parse_since(request.since.as_deref().unwrap_or(DEFAULT_SINCE), now)?;
    let rows = engine.store.ledger(None, MOST)?;
    let rows: Vec<LedgerRow> = rows.into_iter().filter(|row| row.at >= since).collect();
    let mut back = LookBack::with_futures(engine, &rows)?;
    let mut surfaces: BTreeMap<String, Surface> = BTreeMap::new();
    for row in &rows {
        let signs = back.signs(engine, row)?;
        let sum = surfaces.entry(row.surface.clone()).or_default();
        sum.texts += 1;
        sum.tokens += row.tokens;
        for sign in &signs {
            *sum.followed.entry(*sign).or_default() += 1;
        }
        if let Some(of_use) = is_of_use(&row.surface, &signs) {
            sum.judged += 1;
            sum.of_use += usize::from(of_use);
        }
    }
    let surfaces: Vec<Surface> = surfaces
        .into_iter()
        .map(|(surface, sum)| Surface { surface, share: share(sum.of_use, sum.judged), ..sum })
        .collect();
    let (judged, of_use) = surfaces.iter().fold((0, 0), |(j, u), s| (j + s.judged, u + s.of_use));
    Ok(Response {
        since: since.to_string(),
        sessions: rows.iter().map(|row| row.session).collect::<BTreeSet<_>>().len(),
        texts: rows.len(),
        tokens: rows.iter().map(|row| row.tokens).sum(),
        judged,
        of_use,
        share: share(of_use, judged),
        surfaces,
        proof: proof::of_help(engine)?,
    })
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1000.0).round() / 1000.0)
}

pub const OPERATION: Operation = Operation {
    name: "report",
    also: &[],
    summary: "Show how much of what hark said unasked was of use",
    help: "A text counts as useful by what its session did next: it worked on what a memory is about, changed a file \
           that the text names, ran into the failure that it warned of, stored what it was asked to store, or made the \
           checkpoint that it was reminded of. A memory marked as wrong was of no use. This shows direction, not proof: \
           a good warning prevents the failure that would confirm it.",
    examples: &[
        ("hark report", "Judge the last week"),
        ("hark report --since 30d --json", "Judge the last month, for a script"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("it is for the user, who decides how much hark may say"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if let Some(proof) = &self.proof {
            proof.print(page);
        }
        if self.texts == 0 {
            page.note(&format!("nothing was injected since {}\n", self.since));
            return;
        }
        page.print(&format!(
            "{BOLD}{} in {}, {} tokens{BOLD:#}; {}\n",
            count(self.texts as i64, "text", "texts"),
            count(self.sessions as i64, "session", "sessions"),
            self.tokens,
            used(self.of_use, self.judged)
        ));
        for surface in &self.surfaces {
            let signs: Vec<String> =
                surface.followed.iter().map(|(sign, count)| format!("{} {count}", sign.words())).collect();
            let signs = if signs.is_empty() { String::new() } else { format!(" ({})", signs.join(", ")) };
            page.print(&format!(
                "{:<8} {:>5} × {:>7} tokens  {}{DIM}{signs}{DIM:#}\n",
                surface.surface,
                surface.texts,
                surface.tokens,
                used(surface.of_use, surface.judged)
            ));
        }
    }
}

fn used(of_use: usize, judged: usize) -> String {
    match share(of_use, judged) {
        Some(share) => format!("{of_use} of {judged} of use ({:.0} %)", share * 100.0),
        None => "not judged".to_owned(),
    }
}
