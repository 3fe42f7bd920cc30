//! `hark config [get NAME | set NAME VALUE | path]`

use std::fs;

use hark_engine::Config;
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print one setting
    Get { name: String },
    /// Change one setting in your settings file
    Set { name: String, value: String },
    /// Print where your settings file is
    Path,
    /// Print the commented defaults
    Defaults,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    match &args.action {
        None => list(environment),
        Some(Action::Get { name }) => get(name, environment),
        Some(Action::Set { name, value }) => set(name, value, environment),
        Some(Action::Path) => {
            let path = user_file(environment)?;
            if environment.output.json {
                ui::print_json(&json!({ "path": path.display().to_string() }));
            } else {
                ui::print(&format!("{}\n", path.display()));
            }
            Ok(())
        }
        Some(Action::Defaults) => {
            if environment.output.json {
                ui::print_json(&Config::default());
            } else {
                ui::print(hark_engine::config::DEFAULTS);
            }
            Ok(())
        }
    }
}

fn list(environment: &Environment) -> Result<(), Failure> {
    let config = environment.config()?;
    if environment.output.json {
        ui::print_json(&config);
        return Ok(());
    }
    let defaults = Config::default();
    for (name, value) in config.entries() {
        let changed = defaults.get(&name).is_none_or(|default| default != value);
        let mark = if changed { "" } else { "  (default)" };
        ui::print(&format!("{name} = {}{DIM}{mark}{DIM:#}\n", ui::safe(&value)));
    }
    Ok(())
}

fn get(name: &str, environment: &Environment) -> Result<(), Failure> {
    let config = environment.config()?;
    let value = config.get(name).ok_or_else(|| unknown(name, &config))?;
    if environment.output.json {
        ui::print_json(&json!({ "name": name, "value": as_data(&config, name) }));
    } else {
        ui::print(&format!("{}\n", ui::safe(&value)));
    }
    Ok(())
}

/// One setting with its own type: a number stays a number.
fn as_data(config: &Config, name: &str) -> Value {
    let all = serde_json::to_value(config).unwrap_or_default();
    all.pointer(&format!("/{}", name.replace('.', "/"))).cloned().unwrap_or_default()
}

fn set(name: &str, value: &str, environment: &Environment) -> Result<(), Failure> {
    environment.refuse_under_assistant("hark config set")?;
    let (path, changed) = write(name, value, environment)?;
    if environment.output.json {
        let place = path.display().to_string();
        ui::print_json(&json!({ "name": name, "value": as_data(&changed, name), "path": place }));
    } else {
        ui::note(&ui::safe(&format!("{name} = {value} in {}\n", path.display())));
    }
    Ok(())
}

/// Puts one setting into the user's file. Gives the file, and the settings it now makes.
pub(crate) fn write(
    name: &str,
    value: &str,
    environment: &Environment,
) -> Result<(std::path::PathBuf, Config), Failure> {
    let path = user_file(environment)?;
    let storage = |e: std::io::Error| {
        Failure::storage(format!("{}: {e}", path.display()), "check that you may write there")
    };
    let before = match hark_files::regular::read_to_string(&path, 1024 * 1024) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(storage(e)),
    };
    let defaults = Config::default();
    if defaults.get(name).is_none() {
        return Err(unknown(name, &defaults));
    }
    let broken =
        |e: toml_edit::TomlError| Failure::user(format!("{}: {e}", path.display()), "mend the file first");
    let mut document: toml_edit::DocumentMut = before.parse().map_err(broken)?;
    let parsed: toml_edit::Value = value.parse().unwrap_or_else(|_| toml_edit::Value::from(value));
    let Some((section, key)) = name.split_once('.') else { return Err(unknown(name, &defaults)) };
    let table = document.entry(section).or_insert(toml_edit::table());
    table[key] = toml_edit::value(parsed);
    // Checked as it will be read, before anything is replaced.
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(storage)?;
    }
    let draft = path.with_extension("toml.new");
    fs::write(&draft, document.to_string()).map_err(storage)?;
    let changed = match Config::load(Some(&draft), None) {
        Ok(changed) => changed,
        Err(e) => {
            let _ = fs::remove_file(&draft);
            return Err(Failure::user(
                format!("{name} cannot be {value}: {e}"),
                "see `hark config defaults`",
            ));
        }
    };
    fs::rename(&draft, &path).map_err(storage)?;
    Ok((path, changed))
}

fn user_file(environment: &Environment) -> Result<std::path::PathBuf, Failure> {
    environment
        .user_config
        .clone()
        .ok_or_else(|| Failure::user("there is no place for a settings file", "set HARK_CONFIG to a file"))
}

fn unknown(name: &str, config: &Config) -> Failure {
    let names: Vec<String> = config.entries().into_iter().map(|(name, _)| name).collect();
    Failure::user(format!("there is no setting `{name}`"), format!("settings are {}", names.join(", ")))
}
