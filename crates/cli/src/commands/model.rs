//! `hark model list | get | use | verify | embed`

use hark_engine::embed::Choice;
use hark_engine::ops::{embed, model};
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
    /// Choose the model that has a say in recall beside the static one
    Use {
        /// encoder, static or minilm
        #[arg(value_name = "MODEL")]
        name: String,
    },
    /// Check that a model is whole and works
    Verify(model::Verify),
    /// Give passages their vectors in the encoder's space; goes on where it was stopped
    Embed(embed::Request),
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    match &args.action {
        None | Some(Action::List) => list(environment),
        Some(Action::Get(request)) => get(request, environment),
        Some(Action::Use { name }) => choose(name, environment),
        Some(Action::Verify(request)) => verify(request, environment),
        Some(Action::Embed(request)) => fill(request, environment),
    }
}

fn list(environment: &Environment) -> Result<(), Failure> {
    let mut response = model::list(&environment.home()?, &environment.config()?);
    for choice in [Choice::Encoder, Choice::MiniLm] {
        let Some(model) = response.models.iter_mut().find(|model| model.name == choice.name()) else {
            continue;
        };
        if model.installed
            && let Some(coverage) = environment.with_engine(|engine, _| embed::coverage(engine, choice))?
        {
            (model.embedded, model.passages) = (Some(coverage.embedded), Some(coverage.passages));
        }
    }
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for model in &response.models {
        let state = match (model.used, model.installed) {
            (true, true) => "in use",
            (true, false) => "chosen, but not installed",
            (false, true) => "installed",
            (false, false) => "not installed",
        };
        let size =
            if model.installed { format!(", {:.1} MB", model.bytes as f64 / 1e6) } else { String::new() };
        ui::print(&format!("{BOLD}{}{BOLD:#}  {state}{size}\n", model.name));
        ui::print(&format!("    {DIM}{}, {}{DIM:#}\n", model.about, model.licence));
        if let (Some(embedded), Some(passages)) = (model.embedded, model.passages) {
            ui::print(&format!("    {DIM}{embedded} of {passages} passages have its vectors{DIM:#}\n"));
        }
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
            ui::note(
                "passages get its vectors in the background, or now with `hark model embed`; until then the static model speaks for them\n",
            );
        }
    }
    Ok(())
}

fn fill(request: &embed::Request, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| embed::run(engine, caller, request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("{} of {} passages have vectors\n", response.embedded, response.passages));
    ui::note(&format!("{DIM}{} added in {:.1} s{DIM:#}\n", response.added, response.millis as f64 / 1000.0));
    if response.embedded < response.passages {
        ui::note("run `hark model embed` again for the rest\n");
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
