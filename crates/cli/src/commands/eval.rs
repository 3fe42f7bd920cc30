//! `hark eval`

use std::fmt::Write;

use clap::Subcommand;
use hark_engine::eval;

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(super) struct Eval {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Store documents in a temporary store and write what each question finds
    Rank(eval::RankRequest),
    /// Write whether each prompt would get something injected, and what
    Gate(eval::GateRequest),
}

impl Start for Eval {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        let (report, cost, found, out) = match &self.what {
            What::Rank(request) => {
                let report = eval::rank(request)?;
                let found = format!("{} questions found nothing", report.silent);
                (serde_json::to_value(&report), report.cost, found, &request.out)
            }
            What::Gate(request) => {
                let report = eval::gate(request)?;
                let found = format!("{} prompts got something", report.injected);
                (serde_json::to_value(&report), report.cost, found, &request.out)
            }
        };
        if environment.json {
            ui::print_json(&report.unwrap_or_default());
            return Ok(());
        }
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} documents stored in {} s; {} asked, {:.2} ms each (p99 {:.2} ms); {found}",
            cost.documents,
            cost.store_seconds,
            cost.queries,
            cost.query_micros_p50 as f64 / 1e3,
            cost.query_micros_p99 as f64 / 1e3,
        );
        let _ = writeln!(text, "written to {}", out.display());
        ui::print(&text);
        Ok(())
    }
}
