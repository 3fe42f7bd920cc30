//! `hark model list | get | use | verify`

use hark_engine::ops::model;
use serde_json::json;

use crate::commands::config;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, GOOD};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show which models there are
    List,
    /// Install a model from a file or folder on this machine
    Get(model::Get),
    /// Choose the model that gives texts their vectors
    Use {
        /// static or minilm
        #[arg(value_name = "MODEL")]
        name: String,
    },
    /// Check that a model is whole and works
    Verify(model::Verify),
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    match &args.action {
        None | Some(Action::List) => list(environment),
        Some(Action::Get(request)) => get(request, environment),
        Some(Action::Use { name }) => choose(name, environment),
        Some(Action::Verify(request)) => verify(request, environment),
    }
}

fn list(environment: &Environment) -> Result<(), Failure> {
    let response = model::list(&environment.home()?, &environment.config()?);
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for model in &response.models {
        let state = match (model.used, model.installed) {
            (true, true) => "chosen",
            (true, false) => "chosen, but not installed",
            (false, true) => "installed",
            (false, false) => "not installed",
        };
        let size =
            if model.installed { format!(", {:.1} MB", model.bytes as f64 / 1e6) } else { String::new() };
        ui::print(&format!("{BOLD}{}{BOLD:#}  {state}{size}\n", model.name));
        ui::print(&format!("    {DIM}{}, {}{DIM:#}\n", model.about, model.licence));
    }
    Ok(())
}

fn get(request: &model::Get, environment: &Environment) -> Result<(), Failure> {
    let response = model::get(&environment.home()?, request)?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("{GOOD}installed{GOOD:#} {} as {}\n", response.name, ui::safe(&response.path)));
    ui::note(&format!("use it with `hark model use {}`\n", response.name));
    Ok(())
}

fn choose(name: &str, environment: &Environment) -> Result<(), Failure> {
    model::ready(&environment.home()?, name)?;
    let path = config::write("embedding.model", name, environment)?.0;
    if environment.output.json {
        ui::print_json(&json!({ "model": name, "settings": path.display().to_string() }));
    } else {
        ui::print(&ui::safe(&format!("{name} is chosen in {}\n", path.display())));
        if name != "static" {
            ui::note("recall does not search its vectors yet and goes on with the static model\n");
        }
    }
    Ok(())
}

fn verify(request: &model::Verify, environment: &Environment) -> Result<(), Failure> {
    let response = model::verify(&environment.home()?, &environment.config()?, request)?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let checksum = response.checksum.map_or(String::new(), |sum| format!(", checksum {sum}"));
    ui::print(&format!("{GOOD}{} is whole and works{GOOD:#}{checksum}\n", response.name));
    ui::note(&format!(
        "{DIM}like sentences {:.2}, unlike sentences {:.2}{DIM:#}\n",
        response.alike, response.unlike
    ));
    Ok(())
}
