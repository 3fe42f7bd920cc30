//! Turns the rows of an assistant into wishes: which edits in which files make it use hark.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::bearer::Bearer;
use crate::command_line::{self, Shell};
use crate::edit::{Block, Edit};
use crate::host::{Allow, Asset, Event, HookTable, Hooks, Host, Piece, Scope};
use crate::place::Surroundings;
use crate::{remote, words};

/// One thing that should be in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    pub(crate) file: PathBuf,
    pub(crate) edit: Edit,
    /// Nice to have: if it does not fit into the file, the others still go in.
    pub(crate) optional: bool,
    /// Takes the place of a whole file that somebody else wrote.
    pub(crate) replace: bool,
}

/// How to set up an assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub scope: Scope,
    pub hooks: Hooks,
    /// A plugin folder instead of edited settings.
    pub plugin: bool,
    /// The checkpoint policy is `gate`, which needs hooks around tools.
    pub gate: bool,
    /// The user has rules that refuse or ask.
    pub binding_rules: bool,
    /// Let assistants call hark's read-only tools without asking.
    pub allow_reads: bool,
    /// Families of tools that the server lists besides the core ones.
    pub tools: Vec<String>,
    /// Call the server at this address instead of starting one, where the assistant can.
    pub http: Option<String>,
}

impl Options {
    pub fn new(scope: Scope, hooks: Hooks) -> Options {
        Options {
            scope,
            hooks,
            plugin: false,
            gate: false,
            binding_rules: false,
            allow_reads: false,
            tools: Vec::new(),
            http: None,
        }
    }
}

/// Tools that only read, of every family.
pub const READ_TOOLS: &[&str] = &[
    "memory_recall",
    "memory_get",
    "memory_list",
    "memory_context",
    "memory_resume",
    "memory_sessions",
    "memory_session",
    "memory_grep",
    "memory_expand",
    "memory_describe",
    "memory_ledger",
    "memory_check_failures",
    "memory_links",
    "memory_tags",
    "memory_stats",
    "memory_doctor",
    "memory_history",
    "memory_insights",
    "memory_reflect",
    "memory_rule_test",
    "memory_rules",
];

/// Everything that `options` ask for.
pub(crate) fn wishes(host: &Host, options: &Options, around: &Surroundings) -> Vec<Wish> {
    let pieces = if options.plugin { host.install.plugin } else { host.install.pieces };
    let writer = Writer { host, options, around };
    let wanted = pieces.iter().filter(|piece| piece.scope == writer.options.scope);
    wanted.flat_map(|piece| writer.write(piece)).collect()
}

struct Writer<'a> {
    host: &'a Host,
    options: &'a Options,
    around: &'a Surroundings,
}

impl Writer<'_> {
    fn write(&self, piece: &Piece) -> Vec<Wish> {
        let Some(place) = self.around.find(self.host, &piece.place) else { return Vec::new() };
        let wish = |edit: Edit| vec![Wish { file: place.clone(), edit, optional: false, replace: false }];
        let whole = |text: String| wish(Edit::Whole { text, executable: false });
        let hooked = self.options.hooks != Hooks::None;
        match &piece.what {
            Asset::Server { path, entry } => {
                wish(Edit::JsonEntry { path: strings(path), value: self.server(entry) })
            }
            Asset::TomlServer { path, entry } => {
                wish(Edit::TomlTable { path: strings(path), value: self.server(entry) })
            }
            Asset::YamlServer { key, entry, seed } => wish(Edit::YamlItem {
                key: (*key).to_owned(),
                value: self.server(entry),
                seed: (*seed).to_owned(),
            }),
            Asset::Hooks(table) => self.hooks(&place, table),
            Asset::HookPrograms { events, suffix } => self.programs(&place, events, suffix),
            Asset::HookSetting { path, value } if hooked => {
                wish(Edit::JsonEntry { path: strings(path), value: self.filled(value) })
            }
            Asset::HookFile { text } if hooked => whole(self.text(text)),
            Asset::HookSetting { .. } | Asset::HookFile { .. } => Vec::new(),
            Asset::Rules => {
                wish(Edit::Block { text: words::INSTRUCTIONS.to_owned(), of: Block::Instructions })
            }
            Asset::RulesFile { front } => whole(format!("{}{}", self.text(front), words::INSTRUCTIONS)),
            Asset::File { text } => whole(self.text(text)),
            Asset::Commands(format) => {
                let file = |command: &words::Command| Wish {
                    file: place.join(command.file(*format)),
                    edit: Edit::Whole { text: command.written(*format), executable: false },
                    optional: false,
                    replace: false,
                };
                words::COMMANDS.iter().map(file).collect()
            }
            Asset::Skills => {
                let file = |(name, text): &(&str, &str)| Wish {
                    file: place.join(name).join("SKILL.md"),
                    edit: Edit::Whole { text: (*text).to_owned(), executable: false },
                    optional: false,
                    replace: false,
                };
                words::SKILLS.iter().map(file).collect()
            }
            Asset::Allow(_) if !self.options.allow_reads => Vec::new(),
            Asset::Allow(allow) => allowed(*allow, &place),
            Asset::YamlRead { key, file } => {
                let Some(read) = self.around.find(self.host, file) else { return Vec::new() };
                // A project's settings are shared, so they must not name folders of one machine.
                let inside = place.parent().and_then(|folder| read.strip_prefix(folder).ok());
                let read = inside.filter(|_| self.options.scope == Scope::Project).unwrap_or(&read);
                wish(Edit::YamlItem {
                    key: (*key).to_owned(),
                    value: json!(read.to_string_lossy()),
                    seed: String::new(),
                })
            }
        }
    }

    fn wanted<'e>(&self, events: &'e [Event]) -> impl Iterator<Item = &'e Event> {
        let hooks = self.options.hooks;
        let gate = self.options.gate && self.host.can_gate();
        let few = move |event: &Event| event.minimal || (gate && event.serves_gate());
        let binds = self.options.binding_rules;
        let wanted = move |event: &&Event| match hooks {
            Hooks::None => false,
            Hooks::Minimal => few(event) && !event.binding,
            Hooks::Full => !event.binding || binds,
        };
        events.iter().filter(wanted)
    }

    fn hooks(&self, file: &Path, table: &HookTable) -> Vec<Wish> {
        let wish = |event: &Event| {
            let element = event.element.unwrap_or(table.element);
            let value = fill(parsed(element), &|name| match name {
                "{command}" => Some(json!(self.command(Shell::here(table.windows), table.host, event))),
                "{timeout}" => Some(json!(event.seconds * table.time_unit)),
                "{matcher}" => event.matcher.map(|matcher| json!(matcher)),
                _ => Some(json!(name)),
            });
            let path = strings(table.path).into_iter().chain([event.name.to_owned()]).collect();
            let mark = command_line::mark(table.host, event.name);
            Wish {
                file: file.to_owned(),
                edit: Edit::JsonItem { path, value: value.unwrap_or_default(), mark },
                optional: false,
                replace: false,
            }
        };
        self.wanted(table.events).map(wish).collect()
    }

    fn programs(&self, folder: &Path, events: &[Event], suffix: &str) -> Vec<Wish> {
        let wish = |event: &Event| Wish {
            file: folder.join(format!("{}{suffix}", event.name)),
            edit: Edit::Whole {
                text: format!("#!/bin/sh\n{}\n", self.command(Shell::Posix, self.host.id, event)),
                executable: true,
            },
            optional: false,
            replace: false,
        };
        self.wanted(events).map(wish).collect()
    }

    fn command(&self, shell: Shell, host: &str, event: &Event) -> String {
        let gone = Value::String(command_line::gone(&self.around.executable)).to_string();
        let said = event.when_gone.map(|said| said.replace("\"{gone}\"", &gone));
        let (executable, store) = (&self.around.executable, self.store());
        command_line::hook(shell, executable, store, host, event.name, said.as_deref())
    }

    /// A project's files are shared, so they must not name one user's store.
    fn store(&self) -> Option<&Path> {
        self.around.hark_home.as_deref().filter(|_| self.options.scope == Scope::User)
    }

    /// The entry that starts a server, or calls the one that runs.
    fn server(&self, entry: &str) -> Value {
        let remote = self.options.http.as_ref().and_then(|_| remote::entry(self.host));
        self.filled(remote.unwrap_or(entry))
    }

    fn filled(&self, template: &str) -> Value {
        let mut filled = fill(parsed(template), &|name| match name {
            "{hark}" => Some(json!(self.around.executable.to_string_lossy())),
            "{env}" => self.store().map(|store| json!({ "HARK_HOME": store.to_string_lossy() })),
            "{url}" => self.options.http.as_ref().map(|url| json!(url)),
            "{authorization}" => {
                Some(self.around.bearer.clone().unwrap_or_else(Bearer::placeholder).header())
            }
            "{reads}" => self.options.allow_reads.then(|| json!(READ_TOOLS)),
            "{reads_approved}" => self.options.allow_reads.then(|| {
                let approved = |tool: &&str| ((*tool).to_owned(), json!({ "approval_mode": "approve" }));
                Value::Object(READ_TOOLS.iter().map(approved).collect())
            }),
            _ => Some(json!(name)),
        })
        .unwrap_or_default();
        if !self.options.tools.is_empty() {
            add_tools(&mut filled, &self.options.tools.join(","));
        }
        filled
    }

    /// Fills names into one of hark's texts, as JSON strings where they are in code.
    fn text(&self, template: &str) -> String {
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let store = self.store().map_or_else(|| "null".to_owned(), |s| quoted(&s.to_string_lossy()));
        let servers = json!({ "command": "{hark}", "args": ["mcp"], "env": "{env}" }).to_string();
        template
            .replace("\"{server}\"", &self.filled(&servers).to_string())
            .replace("\"{hark}\"", &quoted(&self.around.executable.to_string_lossy()))
            .replace("\"{store}\"", &store)
            .replace("\"{host}\"", &quoted(self.host.id))
            .replace("\"{gone}\"", &quoted(&command_line::gone(&self.around.executable)))
            .replace("\"{full}\"", if self.options.hooks == Hooks::Full { "true" } else { "false" })
            .replace("{version}", env!("CARGO_PKG_VERSION"))
    }
}

/// One edit per tool, or one file for all of them.
fn allowed(allow: Allow, file: &Path) -> Vec<Wish> {
    let wish = |edit: Edit| Wish { file: file.to_owned(), edit, optional: true, replace: false };
    let edit = |tool: &&str| match allow {
        Allow::Listed { path, element } => {
            let element = element.replace("{tool}", tool);
            Edit::JsonItem { path: strings(path), value: json!(element), mark: element }
        }
        Allow::Named { path, name, value } => {
            let path = strings(path).into_iter().chain([name.replace("{tool}", tool)]).collect();
            Edit::JsonEntry { path, value: parsed(value) }
        }
        Allow::File { text } => {
            let tools: Vec<String> = READ_TOOLS.iter().map(|tool| format!("\"{tool}\"")).collect();
            Edit::Whole { text: text.replace("{tools}", &tools.join(", ")), executable: false }
        }
    };
    let tools = if matches!(allow, Allow::File { .. }) { &READ_TOOLS[..1] } else { READ_TOOLS };
    tools.iter().map(edit).map(wish).collect()
}

/// Every entry starts the server with `mcp` as the last word, in `args` or in `command`.
fn add_tools(entry: &mut Value, tools: &str) {
    match entry {
        Value::Array(words) if words.last() == Some(&json!("mcp")) => {
            words.extend([json!("--tools"), json!(tools)]);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| add_tools(item, tools)),
        Value::Object(entries) => entries.values_mut().for_each(|value| add_tools(value, tools)),
        _ => {}
    }
}

fn strings(path: &[&str]) -> Vec<String> {
    path.iter().map(|part| (*part).to_owned()).collect()
}

/// Templates are constants; a test parses every one of them.
fn parsed(template: &str) -> Value {
    serde_json::from_str(template).unwrap_or_default()
}

/// Replaces placeholders with their values and drops those that have none.
fn fill(template: Value, name: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    match template {
        Value::String(text) => name(&text),
        Value::Array(elements) => {
            Some(Value::Array(elements.into_iter().filter_map(|e| fill(e, name)).collect()))
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().filter_map(|(key, value)| Some((key, fill(value, name)?)));
            Some(Value::Object(entries.collect::<Map<_, _>>()))
        }
        plain => Some(plain),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::HOSTS;

    fn around() -> Surroundings {
        let home = PathBuf::from("/home/ann");
        Surroundings {
            config: home.join(".config"),
            app_config: home.join(".config"),
            project: Some(home.join("shop")),
            data: home.join(".local/share/hark"),
            executable: PathBuf::from("/usr/bin/hark"),
            hark_home: None,
            vars: BTreeMap::new(),
            path: Vec::new(),
            bearer: None,
            home,
        }
    }

    fn all() -> Vec<(&'static Host, Options, Wish)> {
        let mut all = Vec::new();
        for host in HOSTS {
            for (scope, plugin) in [(Scope::User, false), (Scope::Project, false), (Scope::User, true)] {
                let options = Options { plugin, allow_reads: true, ..Options::new(scope, Hooks::Full) };
                let wanted = wishes(host, &options, &around());
                all.extend(wanted.into_iter().map(|wish| (*host, options.clone(), wish)));
            }
        }
        all
    }

    #[test]
    fn every_template_is_filled() {
        for (host, _, wish) in all() {
            let said = serde_json::to_string(&wish.edit).unwrap();
            for name in [
                "{hark}",
                "{env}",
                "{command}",
                "{timeout}",
                "{matcher}",
                "{version}",
                "{server}",
                "{reads",
                "{tool",
                "null",
            ] {
                let code = matches!(wish.edit, Edit::Whole { .. }) && name == "null";
                assert!(code || !said.contains(name), "{}: {name} in {said}", host.id);
            }
            assert!(wish.edit.insert("").is_ok(), "{}: {said}", host.id);
        }
    }

    #[test]
    fn assistants_that_share_a_file_agree_on_what_is_in_it() {
        let mut seen: BTreeMap<(PathBuf, String), (Edit, &str)> = BTreeMap::new();
        for (host, _, wish) in all() {
            let place = (wish.file.clone(), wish.edit.key());
            let (edit, other) = seen.entry(place).or_insert_with(|| (wish.edit.clone(), host.id));
            assert_eq!(*edit, wish.edit, "{} and {} in {}", host.id, other, wish.file.display());
        }
    }

    #[test]
    fn ids_are_unique_and_found() {
        for host in HOSTS {
            assert_eq!(crate::find(host.id).map(|found| found.name), Some(host.name));
        }
        assert_eq!(HOSTS.len(), 18);
    }

    #[test]
    fn hooks_have_a_time_limit_wherever_there_is_one() {
        for (host, _, wish) in all() {
            if let Edit::JsonItem { value, .. } = &wish.edit
                && host.id != "windsurf"
                // Otherwise it is the name of a tool that may be called.
                && value.is_object()
            {
                assert!(value.to_string().contains("\"timeout"), "{}: {value}", host.id);
            }
        }
    }
}
