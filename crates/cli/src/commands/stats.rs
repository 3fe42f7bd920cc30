//! `hark stats`

use hark_engine::ops::stats;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: stats::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| stats::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let s = &response.stats;
    let mut text = format!("{BOLD}{} memories{BOLD:#} in {}\n", s.memories, response.home);
    if let Some(project) = &response.project {
        text.push_str(&format!("{DIM}this folder is project{DIM:#} {project}\n"));
    }
    for (label, counts) in [("kind", &s.by_kind), ("status", &s.by_status), ("project", &s.by_project)] {
        let parts: Vec<String> =
            counts.iter().take(12).map(|(name, n)| format!("{} {n}", ui::safe(name))).collect();
        if !parts.is_empty() {
            text.push_str(&format!("{DIM}by {label:<8}{DIM:#} {}\n", parts.join(", ")));
        }
    }
    text.push_str(&format!(
        "{DIM}index{DIM:#}       {} passages, {} words, {} entities, {} links, {:.1} MB, vectors by {}\n",
        s.passages,
        s.words,
        s.entities,
        s.links,
        s.index_bytes as f64 / 1e6,
        response.embedding
    ));
    if let Some(savings) = &response.savings {
        text.push_str(&format!(
            "{DIM}savings{DIM:#}     {} sessions were told {} tokens instead of reading {} of history: {} saved\n",
            savings.sessions, savings.told_tokens, savings.history_tokens, savings.saved_tokens
        ));
    }
    ui::print(&text);
    if s.unreadable_files > 0 {
        ui::note(&format!("{} file(s) cannot be read; see `hark doctor`\n", s.unreadable_files));
    }
    Ok(())
}
