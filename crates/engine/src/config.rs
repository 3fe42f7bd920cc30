//! Settings: the compiled-in defaults, then the user's file, then a project's file.
//!
//! A cloned repository must not redirect anything: only the keys in [`PROJECT_MAY_SET`] count in its file.

mod ranges;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use hark_files::{Door, regular};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The documented defaults; `hark config` explains the settings with them.
pub const DEFAULTS: &str = include_str!("../../../config/default.toml");

/// Settings are a page of text.
const LARGEST_FILE: u64 = 1024 * 1024;

/// What a project's own `.hark/config.toml` may change.
pub const PROJECT_MAY_SET: &[&str] = &["recall.limit", "recall.budget", "recall.detail"];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub recall: RecallConfig,
    pub embedding: EmbeddingConfig,
    pub redact: RedactConfig,
    pub inject: InjectConfig,
    pub boot: BootConfig,
    pub checkpoint: CheckpointConfig,
    pub sessions: SessionsConfig,
    pub retention: RetentionConfig,
    pub backup: BackupConfig,
    pub history: HistoryConfig,
    pub distil: DistilConfig,
    pub learning: LearningConfig,
    pub proof: ProofConfig,
    pub ingest: IngestConfig,
    pub mcp: McpConfig,
    pub serve: ServeConfig,
    pub projects: ProjectsConfig,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecallConfig {
    pub limit: usize,
    pub budget: usize,
    pub detail: crate::recall::Detail,
    pub learn_phrases: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingConfig {
    pub model: crate::embed::Choice,
    /// The name of a reranker; empty for none.
    pub reranker: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedactConfig {
    pub emails: bool,
}

/// How many tokens to inject, and how certain a match must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InjectConfig {
    pub boot: usize,
    pub prompt: usize,
    pub alert: usize,
    pub edit: usize,
    pub certainty: f32,
}

/// Which parts the context for a new session has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootConfig {
    pub identity: bool,
    pub directives: bool,
    pub reminders: bool,
    pub left_off: bool,
    pub uncommitted: bool,
    pub blockers: bool,
    pub constraints: bool,
    pub decisions: bool,
    pub hot: bool,
    pub sessions: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointConfig {
    pub policy: CheckpointPolicy,
    pub every: u32,
}

/// What to do about an agent that makes no checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckpointPolicy {
    Off,
    Remind,
    Gate,
}

/// What to learn from sessions that are over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningConfig {
    pub enabled: bool,
    pub accept: AcceptPolicy,
}

/// Which insights become rules without a decision of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptPolicy {
    Ask,
    OwnCorrections,
}

/// The share of sessions that hear nothing of a rule, to compare them with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofConfig {
    pub silent: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionsConfig {
    pub stale: String,
}

/// When to archive memories, and whether to ever delete them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    pub auto: bool,
    pub archive: u32,
    pub resolved: u32,
    #[serde(serialize_with = "by_name")]
    pub kinds: BTreeMap<hark_core::Kind, u32>,
    pub purge: bool,
    pub purge_after: u32,
}

/// Keys of a TOML table are strings.
fn by_name<S: serde::Serializer>(kinds: &BTreeMap<hark_core::Kind, u32>, s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(kinds.iter().map(|(kind, days)| (kind.name(), days)))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupConfig {
    pub every: String,
    pub keep: usize,
}

/// How long to keep events in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryConfig {
    pub digest: String,
    pub tokens: usize,
    pub tail: usize,
    pub explored: String,
    pub keep: String,
    pub summarise: Vec<String>,
}

/// Memories made from what was said in sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistilConfig {
    pub enabled: bool,
    pub most: usize,
    pub ask: bool,
    pub inbox: usize,
    pub inbox_days: u32,
}

/// Which transcripts to read, and how a running service learns of changes in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestConfig {
    pub paths: Vec<PathBuf>,
    pub watch: Watch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Watch {
    Auto,
    Poll,
    Off,
}

/// What servers offer to assistants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpConfig {
    pub tools: Vec<crate::operation::Family>,
}

/// What `hark serve` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServeConfig {
    pub open_metrics: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectsConfig {
    pub alias: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        toml::from_str(DEFAULTS).expect("the compiled-in defaults are valid; a test reads them")
    }
}

impl Config {
    /// Layers the existing files over the defaults. `project` is the project's store, if the user trusts it.
    pub fn load(user: Option<&Path>, project: Option<&Door>) -> Result<Config, EngineError> {
        let from_user = |path: &Path| table(path.to_owned(), regular::read_to_string(path, LARGEST_FILE));
        let user = user.map(from_user).transpose()?.flatten();
        let from_project = |door: &Door| {
            let path = Path::new("config.toml");
            table(door.root().join(path), door.read_to_string(path, LARGEST_FILE))
        };
        let project = project.map(from_project).transpose()?.flatten();
        if user.is_none() && project.is_none() {
            return Ok(Config::default());
        }
        let mut merged: toml::Table = DEFAULTS.parse().unwrap_or_default();
        let mut last = None;
        if let Some((path, table)) = user {
            merge(&mut merged, table);
            last = Some(path);
        }
        if let Some((path, table)) = project {
            merge(&mut merged, allowed_only(&table));
            last = last.or(Some(path));
        }
        checked(merged, &last.unwrap_or_default())
    }

    /// The settings that a user's file with this text would result in.
    pub fn parse(path: &Path, text: &str) -> Result<Config, EngineError> {
        let mut merged: toml::Table = DEFAULTS.parse().unwrap_or_default();
        if let Some((_, table)) = table(path.to_owned(), Ok(text.to_owned()))? {
            merge(&mut merged, table);
        }
        checked(merged, path)
    }

    /// One setting by dotted name, as TOML text.
    pub fn get(&self, name: &str) -> Option<String> {
        let table = toml::Table::try_from(self).ok()?;
        let mut value = &toml::Value::Table(table);
        for part in name.split('.') {
            value = value.get(part)?;
        }
        Some(value.to_string())
    }

    /// Every setting by dotted name.
    pub fn entries(&self) -> Vec<(String, String)> {
        let mut entries = Vec::new();
        if let Ok(table) = toml::Table::try_from(self) {
            flatten("", &table, &mut entries);
        }
        entries
    }
}

fn checked(table: toml::Table, path: &Path) -> Result<Config, EngineError> {
    let fail = |message: String| EngineError::Config { path: path.to_owned(), message };
    let config: Config = table.try_into().map_err(|e: toml::de::Error| fail(e.message().to_owned()))?;
    ranges::check(&config).map_err(fail)?;
    Ok(config)
}

type ReadTable = Option<(PathBuf, toml::Table)>;

fn table(path: PathBuf, text: io::Result<String>) -> Result<ReadTable, EngineError> {
    let fail = |message: String| EngineError::Config { path: path.clone(), message };
    match text {
        Ok(text) => {
            let table = text.parse::<toml::Table>().map_err(|e| fail(e.message().to_owned()))?;
            Ok(Some((path, table)))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(fail(e.to_string())),
    }
}

fn merge(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(over)) => merge(inner, over),
            (_, value) => drop(base.insert(key, value)),
        }
    }
}

fn allowed_only(table: &toml::Table) -> toml::Table {
    let mut kept = toml::Table::new();
    for name in PROJECT_MAY_SET {
        if let Some((section, key)) = name.split_once('.')
            && let Some(value) = table.get(section).and_then(|s| s.get(key))
        {
            let inner = kept.entry(section).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(inner) = inner {
                inner.insert(key.to_owned(), value.clone());
            }
        }
    }
    kept
}

fn flatten(prefix: &str, table: &toml::Table, entries: &mut Vec<(String, String)>) {
    for (key, value) in table {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            toml::Value::Table(inner) if !inner.is_empty() => flatten(&name, inner, entries),
            value => entries.push((name, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_defaults_are_valid_and_every_key_is_explained() {
        let config = Config::default();
        for (name, _) in config.entries() {
            let key = name.rsplit('.').next().unwrap();
            let line = DEFAULTS.lines().position(|l| l.starts_with(&format!("{key} ="))).expect(key);
            assert!(DEFAULTS.lines().nth(line - 1).unwrap().starts_with('#'), "{name} has no comment");
        }
    }

    #[test]
    fn a_project_file_can_change_only_allowed_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "[recall]\nlimit = 3\n[redact]\nemails = false\n").unwrap();
        let config = Config::load(None, Some(&Door::to_stranger(folder.path()))).unwrap();
        assert_eq!((config.recall.limit, config.redact.emails), (3, true));
    }

    #[test]
    fn a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "recall = [").unwrap();
        let error = Config::load(Some(&path), None).unwrap_err();
        assert!(error.to_string().contains("config.toml"), "{error}");
        fs::write(&path, "[recall]\nlimitt = 3\n").unwrap();
        assert!(Config::load(Some(&path), None).unwrap_err().to_string().contains("limitt"));
    }
}
