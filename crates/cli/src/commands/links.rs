//! `hark links ID`

use hark_engine::ops::links;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: links::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| links::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("{ID}{}{ID:#} {BOLD}{}{BOLD:#}\n", response.id, ui::words(&response.title)));
    for link in &response.links {
        let title = link.title.as_deref().map_or_else(|| "(no longer there)".to_owned(), ui::safe);
        let age = link.age.as_deref().unwrap_or("?");
        ui::print(&format!("  {:<14} {ID}{}{ID:#} {title} {DIM}{age}{DIM:#}\n", link.relation, link.id));
    }
    for entity in &response.entities {
        let shared =
            if entity.memories > 1 { format!(" · in {} memories", entity.memories) } else { String::new() };
        ui::print(&format!(
            "  {DIM}mentions{DIM:#}       {} {DIM}{}{shared}{DIM:#}\n",
            ui::words(&entity.name),
            entity.kind
        ));
    }
    if response.links.is_empty() {
        ui::note(&format!("no links yet; add one with `hark relate {} OTHER --as extends`\n", response.id));
    }
    Ok(())
}
