//! Shows settings, changes one, and prints the path of their file.

pub mod explain;

pub use explain::OPERATION as EXPLAIN;

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{self, Config};
use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::text::safe;
use crate::operation::{
    Call, Code, DIM, EVERYWHERE, Effect, Group, OperateHere, Operation, Page, Reply, Surface, Surfaces, Tool,
    Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct List {}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Get {
    /// Name of a setting, such as recall.limit
    pub name: String,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Set {
    /// Name of a setting, such as recall.limit
    pub name: String,
    /// Its new value
    pub value: String,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Path {}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Defaults {}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Settings(#[schemars(with = "serde_json::Map<String, Value>")] Config);

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Setting {
    pub name: String,
    pub value: Value,
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip)]
    text: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct File {
    pub path: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct DefaultSettings(#[schemars(with = "serde_json::Map<String, Value>")] Config);

/// One setting with its own type: a number stays a number.
fn as_data(config: &Config, name: &str) -> Value {
    let all = serde_json::to_value(config).unwrap_or_default();
    all.pointer(&format!("/{}", name.replace('.', "/"))).cloned().unwrap_or_default()
}

/// Writes one setting to the user's file. Returns the path and the resulting settings.
pub(crate) fn write(machine: &Machine, name: &str, value: &str) -> Result<(PathBuf, Config), EngineError> {
    let path = machine.user_file()?;
    let storage = |e: std::io::Error| EngineError::File { path: path.clone(), message: e.to_string() };
    let before = match hark_files::regular::read_to_string(&path, 1024 * 1024) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(storage(e)),
    };
    let defaults = Config::default();
    if defaults.get(name).is_none() {
        return Err(unknown(name, &defaults));
    }
    let broken = |e: toml_edit::TomlError| {
        EngineError::invalid(format!("{}: {e}", path.display()), "fix the file first")
    };
    let mut document: toml_edit::DocumentMut = before.parse().map_err(broken)?;
    let parsed: toml_edit::Value = value.parse().unwrap_or_else(|_| toml_edit::Value::from(value));
    let Some((section, key)) = name.split_once('.') else { return Err(unknown(name, &defaults)) };
    let table = document.entry(section).or_insert(toml_edit::table());
    table[key] = toml_edit::value(parsed);
    // Checked as it will be read, before anything is replaced.
    let text = document.to_string();
    let changed = Config::parse(&path, &text).map_err(|e| {
        EngineError::invalid(format!("invalid value `{value}` for {name}: {e}"), "see `hark config defaults`")
    })?;
    hark_hosts::write_settings(&path, text.as_bytes()).map_err(storage)?;
    Ok((path, changed))
}

fn unknown(name: &str, config: &Config) -> EngineError {
    let names: Vec<String> = config.entries().into_iter().map(|(name, _)| name).collect();
    EngineError::invalid(format!("no setting `{name}`"), format!("settings are {}", names.join(", ")))
}

pub const OPERATION: Operation = Operation {
    name: "config",
    also: &[],
    summary: "Show or change settings",
    help: "",
    examples: &[
        ("hark config", "List every setting and its value"),
        ("hark config set recall.limit 12", "Change a setting"),
        ("hark config defaults", "Print the commented defaults"),
    ],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: EVERYWHERE,
    code: Code::here::<List>(),
};

pub const GET: Operation = Operation {
    name: "config get",
    also: &[],
    summary: "Print one setting",
    help: "",
    examples: &[("hark config get recall.limit", "Print the number of hits")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: EVERYWHERE,
    code: Code::here::<Get>(),
};

pub const SET: Operation = Operation {
    name: "config set",
    also: &[],
    summary: "Change one setting in your settings file",
    help: "",
    examples: &[("hark config set recall.limit 12", "Return up to 12 hits")],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("changes files of this machine"),
        page: Surface::On,
    },
    code: Code::here::<Set>(),
};

pub const PATH: Operation = Operation {
    name: "config path",
    also: &[],
    summary: "Print the path of your settings file",
    help: "",
    examples: &[("hark config path", "Print the path")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: EVERYWHERE,
    code: Code::here::<Path>(),
};

pub const DEFAULTS: Operation = Operation {
    name: "config defaults",
    also: &[],
    summary: "Print the commented defaults",
    help: "",
    examples: &[("hark config defaults", "Print every setting with its meaning")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("settings are for the user to change"),
    surfaces: EVERYWHERE,
    code: Code::here::<Defaults>(),
};

impl OperateHere for List {
    type Response = Settings;

    fn run(&self, call: &mut Call<'_>) -> Result<Settings, EngineError> {
        Ok(Settings(call.machine.config()?))
    }
}

impl OperateHere for Get {
    type Response = Setting;

    fn run(&self, call: &mut Call<'_>) -> Result<Setting, EngineError> {
        let config = call.machine.config()?;
        let text = config.get(&self.name).ok_or_else(|| unknown(&self.name, &config))?;
        Ok(Setting { name: self.name.clone(), value: as_data(&config, &self.name), path: None, text })
    }
}

impl OperateHere for Set {
    type Response = Setting;

    fn run(&self, call: &mut Call<'_>) -> Result<Setting, EngineError> {
        let (path, changed) = write(call.machine, &self.name, &self.value)?;
        let value = as_data(&changed, &self.name);
        let path = Some(path.display().to_string());
        Ok(Setting { name: self.name.clone(), value, path, text: self.value.clone() })
    }
}

impl OperateHere for Path {
    type Response = File;

    fn run(&self, call: &mut Call<'_>) -> Result<File, EngineError> {
        Ok(File { path: call.machine.user_file()?.display().to_string() })
    }
}

impl OperateHere for Defaults {
    type Response = DefaultSettings;

    fn run(&self, call: &mut Call<'_>) -> Result<DefaultSettings, EngineError> {
        let _ = call;
        Ok(DefaultSettings(Config::default()))
    }
}

impl Reply for Settings {
    fn print(&self, page: &mut Page) {
        let defaults = Config::default();
        for (name, value) in self.0.entries() {
            let changed = defaults.get(&name).is_none_or(|default| default != value);
            let mark = if changed { "" } else { "  (default)" };
            page.print(&format!("{name} = {}{DIM}{mark}{DIM:#}\n", safe(&value)));
        }
    }
}

impl Reply for Setting {
    fn print(&self, page: &mut Page) {
        match &self.path {
            Some(path) => page.note(&safe(&format!("set {} = {} in {path}\n", self.name, self.text))),
            None => page.print(&format!("{}\n", safe(&self.text))),
        }
    }
}

impl Reply for File {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{}\n", self.path));
    }
}

impl Reply for DefaultSettings {
    fn print(&self, page: &mut Page) {
        page.print(config::DEFAULTS);
    }
}
