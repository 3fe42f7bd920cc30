//! `hark inbox [list | accept ID… | reject ID… | edit ID --text T]`

use hark_engine::ops::inbox::{self, Decision};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    request: inbox::Request,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List proposals, oldest first
    List(inbox::Request),
    /// Make proposals yours: from now on they count as your own words
    Accept(inbox::DecideRequest),
    /// Archive proposals; the same words are not proposed again
    Reject(inbox::DecideRequest),
    /// Reword a proposal before you accept it
    Edit(inbox::EditRequest),
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    match &args.action {
        None => list(&args.request, environment),
        Some(Action::List(request)) => list(request, environment),
        Some(Action::Accept(request)) => decide(request, Decision::Accept, environment),
        Some(Action::Reject(request)) => decide(request, Decision::Reject, environment),
        Some(Action::Edit(request)) => {
            environment.refuse_under_assistant("hark inbox edit")?;
            let response = environment.with_engine(|engine, caller| inbox::edit(engine, caller, request))?;
            show(&response, environment);
            Ok(())
        }
    }
}

fn list(request: &inbox::Request, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| inbox::run(engine, caller, request))?;
    show(&response, environment);
    if response.items.is_empty() {
        ui::note("No proposals are waiting.\n");
    } else {
        ui::note(&format!("{DIM}decide with `hark inbox accept ID` or `hark inbox reject ID`{DIM:#}\n"));
    }
    Ok(())
}

fn decide(
    request: &inbox::DecideRequest,
    decision: Decision,
    environment: &Environment,
) -> Result<(), Failure> {
    let command = match decision {
        Decision::Accept => "hark inbox accept",
        Decision::Reject => "hark inbox reject",
    };
    environment.refuse_under_assistant(command)?;
    let response =
        environment.with_engine(|engine, caller| inbox::decide(engine, caller, request, decision))?;
    show(&response, environment);
    Ok(())
}

fn show(response: &inbox::Response, environment: &Environment) {
    if environment.output.json {
        ui::print_json(response);
        return;
    }
    for item in &response.items {
        let place = item.project.as_deref().map_or("everywhere", ui::memory::short_project);
        ui::print(&format!(
            "{ID}{}{ID:#}  {DIM}{} · {} · {}{DIM:#}\n  {}\n  {DIM}{}{DIM:#}\n",
            item.id,
            item.kind,
            item.status,
            ui::words(place),
            ui::words(&item.text).replace('\n', "\n  "),
            ui::words(&item.evidence),
        ));
    }
}
