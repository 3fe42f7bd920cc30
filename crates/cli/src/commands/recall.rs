//! `hark recall QUERY`

use hark_engine::ops::recall;
use hark_engine::recall::Detail;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, ID, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A question or a few words
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    request: recall::Request,
}

pub(crate) fn run(args: Args, environment: &Environment) -> Result<(), Failure> {
    let mut request = args.request;
    request.query = args.words.join(" ");
    let response = environment.with_engine(|engine, caller| recall::run(engine, caller, &request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    if response.hits.is_empty() {
        ui::note("nothing relevant is remembered\n");
        return Ok(());
    }
    let titles_only = request.detail == Some(Detail::Index);
    for hit in &response.hits {
        ui::print(&hit_text(hit, titles_only));
    }
    let count = response.hits.len();
    ui::note(&format!(
        "{DIM}{count} {}, {} tokens, {:.1} ms{DIM:#}\n",
        if count == 1 { "memory" } else { "memories" },
        response.tokens,
        response.micros as f64 / 1000.0
    ));
    Ok(())
}

fn hit_text(hit: &recall::Hit, title_only: bool) -> String {
    let mut text = format!("{ID}{}{ID:#}  {BOLD}{}{BOLD:#}\n", hit.id, ui::words(&hit.title));
    let mut facts = vec![hit.kind.clone(), ui::memory::old(&hit.age), format!("from {}", hit.origin)];
    facts.push(
        hit.project.as_deref().map_or("everywhere".to_owned(), |p| ui::words(ui::memory::short_project(p))),
    );
    let mut warnings = Vec::new();
    if hit.status != "active" {
        warnings.push(hit.status.clone());
    }
    if hit.freshness == recall::Freshness::Stale {
        warnings.push("names files that are gone".to_owned());
    }
    text.push_str(&format!("    {DIM}{}{DIM:#}", facts.join(" · ")));
    if !warnings.is_empty() {
        text.push_str(&format!(" {WARN}{}{WARN:#}", warnings.join(", ")));
    }
    text.push('\n');
    if !title_only && !hit.text.is_empty() && hit.text != hit.title {
        for line in ui::words(&hit.text).lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    for reason in hit.explain.iter().flatten() {
        let rank = reason.rank.map_or(String::new(), |rank| format!(" rank {rank}"));
        let sign = if reason.is_added() { "+" } else { "×" };
        text.push_str(&format!(
            "    {DIM}{:<10} {sign}{:.4}  ({:.3}{rank}){DIM:#}\n",
            reason.source, reason.effect, reason.value
        ));
    }
    text.push('\n');
    text
}
