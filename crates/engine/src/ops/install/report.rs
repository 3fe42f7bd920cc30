//! Reports what an install or uninstall did for each assistant, as text and as JSON.

use hark_hosts::{Hooks, Host, Options, Plan, Scope, Surroundings, Trouble};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{BAD, BOLD, DIM, GOOD, Page, Reply, WARN};

#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    #[serde(skip)]
    word: &'static str,
    /// `None` means both.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub(crate) scope: Option<Scope>,
    pub(crate) dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) store: Option<String>,
    pub(crate) assistants: Vec<Assistant>,
    /// Files that could not be changed.
    pub(crate) refused: Vec<Refused>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diff: Option<String>,
    /// For clients that hark does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet_http: Option<Value>,
    #[serde(skip)]
    pub(crate) nothing_found: bool,
    /// Printed at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Assistant {
    host: &'static str,
    name: &'static str,
    changed: Vec<String>,
    removed: Vec<String>,
    notes: Vec<String>,
    next: Vec<String>,
    /// What it asks before it calls a tool for the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    asks: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Refused {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    what: String,
    fix: String,
}

impl Report {
    pub(crate) fn new(word: &'static str, scope: Option<Scope>, dry_run: bool) -> Self {
        Report {
            word,
            scope,
            dry_run,
            store: None,
            assistants: Vec::new(),
            refused: Vec::new(),
            diff: None,
            snippet: None,
            snippet_http: None,
            nothing_found: false,
            remarks: Vec::new(),
        }
    }

    /// An install: what changes for each assistant, and the next step for the user.
    pub(crate) fn add_hosts(
        &mut self,
        hosts: &[&'static Host],
        options: &Options,
        around: &Surroundings,
        plan: &Plan,
    ) {
        for host in hosts.iter().filter(|host| !host.install.pieces.is_empty()) {
            let mut assistant = self.assistant(host, around, plan);
            let pieces = if options.plugin { host.install.plugin } else { host.install.pieces };
            if !pieces.iter().any(|piece| piece.scope == options.scope) {
                assistant.notes.push("it has no project settings".to_owned());
            } else {
                let next = if options.plugin { host.install.plugin_next } else { host.install.next };
                let folder = around.data.join("plugins").join(host.id);
                let said = |line: &&str| line.replace("{plugin}", &folder.display().to_string());
                assistant.next = next.iter().map(said).collect();
                assistant.asks = asks(host, options);
                if options.gate && options.hooks == Hooks::Minimal && host.can_gate() {
                    assistant.notes.push(
                        "the checkpoint policy `gate` needs the hooks around tools, so they are included"
                            .to_owned(),
                    );
                }
            }
            self.assistants.push(assistant);
        }
        self.add_refused(around, plan);
    }

    /// An uninstall: only the assistants that change.
    pub(crate) fn add_removed(&mut self, hosts: &[&'static Host], around: &Surroundings, plan: &Plan) {
        for host in hosts {
            let assistant = self.assistant(host, around, plan);
            self.assistants.push(assistant);
        }
        self.add_refused(around, plan);
    }

    fn assistant(&self, host: &'static Host, around: &Surroundings, plan: &Plan) -> Assistant {
        let mine = plan.changes.iter().filter(|c| c.is_visible() && Plan::concerns(&c.owners, host.id));
        let (changed, removed): (Vec<_>, Vec<_>) = mine.partition(|change| change.after.is_some());
        let short = |change: &hark_hosts::Change| around.short(&change.path);
        let notes = plan.notes.iter().filter(|note| Plan::concerns(&note.owners, host.id));
        Assistant {
            host: host.id,
            name: host.name,
            changed: changed.into_iter().map(short).collect(),
            removed: removed.into_iter().map(short).collect(),
            notes: notes.map(|note| format!("{}: {}", around.short(&note.path), note.what)).collect(),
            next: Vec::new(),
            asks: None,
        }
    }

    fn add_refused(&mut self, around: &Surroundings, plan: &Plan) {
        self.refused.extend(plan.refused.iter().map(|refused| Refused {
            file: around.short(&refused.path),
            line: refused.why.line,
            what: refused.why.what.clone(),
            fix: refused.why.fix.clone(),
        }));
    }

    pub(crate) fn add_trouble(&mut self, around: &Surroundings, trouble: &Trouble) {
        let file = around.short(&trouble.path);
        for assistant in &mut self.assistants {
            assistant.changed.retain(|changed| *changed != file);
            assistant.removed.retain(|removed| *removed != file);
        }
        let (what, fix) = (trouble.what.clone(), trouble.fix.clone());
        self.refused.push(Refused { file, line: None, what, fix });
    }

    /// Whether a file could not be changed.
    pub(crate) fn is_troubled(&self) -> bool {
        !self.refused.is_empty()
    }

    pub(crate) fn add_diff(&mut self, plan: &Plan) {
        let visible = plan.changes.iter().filter(|change| change.is_visible());
        self.diff = Some(visible.map(hark_hosts::Change::diff).collect());
    }
}

impl Reply for Report {
    fn print(&self, page: &mut Page) {
        if let Some(diff) = &self.diff {
            print_diff(page, diff);
        }
        if self.nothing_found {
            page.print("no assistant was found on this machine\n");
        }
        for assistant in &self.assistants {
            self.print_assistant(page, assistant);
        }
        for refused in &self.refused {
            let line = refused.line.map(|line| format!(":{line}")).unwrap_or_default();
            let said = format!("{}{line}: {}", refused.file, refused.what);
            page.print(&format!("{BAD}not changed{BAD:#} {}\n  fix: {}\n", safe(&said), safe(&refused.fix)));
        }
        if let Some(snippet) = &self.snippet {
            let text = serde_json::to_string_pretty(snippet).unwrap_or_default();
            page.print(&format!("any MCP client can use hark with this entry:\n{}\n", safe(&text)));
        }
        if let Some(snippet) = &self.snippet_http {
            let text = serde_json::to_string_pretty(snippet).unwrap_or_default();
            page.print(&format!(
                "or over HTTP while `hark serve` runs; keep the token private:\n{}\n",
                safe(&text)
            ));
        }
        if let (Some(store), false) = (&self.store, self.dry_run) {
            page.print(&format!("{DIM}memories are stored in {}{DIM:#}\n", safe(store)));
        }
        for remark in &self.remarks {
            page.print(&format!("{}\n", safe(remark)));
        }
        if self.dry_run {
            page.print("nothing was changed; run it without --dry-run to apply\n");
        } else if self.word == "install" && !self.assistants.is_empty() {
            page.print("check each assistant with `hark doctor`; undo everything with `hark uninstall`\n");
        }
    }

    /// Files that could not be changed make the command fail, although the other files were changed.
    fn problem(&self) -> Option<EngineError> {
        if self.refused.is_empty() {
            return None;
        }
        let hint =
            format!("fix the files above and run `hark {}` again; the other files were changed", self.word);
        let files = count(self.refused.len(), "file was", "files were");
        Some(EngineError::invalid(format!("{files} not changed"), hint))
    }
}

impl Report {
    fn print_assistant(&self, page: &mut Page, assistant: &Assistant) {
        page.print(&format!("{BOLD}{}{BOLD:#}\n", safe(assistant.name)));
        let tense = |done: &'static str, would: &'static str| if self.dry_run { would } else { done };
        for file in gathered(&assistant.changed) {
            page.print(&format!("  {GOOD}{}{GOOD:#} {}\n", tense("changed", "would change"), safe(&file)));
        }
        for file in gathered(&assistant.removed) {
            page.print(&format!("  {GOOD}{}{GOOD:#} {}\n", tense("removed", "would remove"), safe(&file)));
        }
        if assistant.changed.is_empty() && assistant.removed.is_empty() && self.refused.is_empty() {
            page.print("  nothing to change\n");
        }
        for note in &assistant.notes {
            page.print(&format!("  {WARN}note{WARN:#} {}\n", safe(note)));
        }
        if let Some(asks) = &assistant.asks {
            page.print(&format!("  permission: {}\n", safe(asks)));
        }
        for next in &assistant.next {
            page.print(&format!("  next: {}\n", safe(next)));
        }
    }
}

/// What the assistant asks before the first call, and how to answer in advance.
fn asks(host: &Host, options: &Options) -> Option<String> {
    let allowed = options.allow_reads && host.install.can_allow();
    let text = match (host.install.asks, allowed) {
        ("", true) => "tools that only read run without a question".to_owned(),
        ("", false) => return None,
        (asks, true) => format!("tools that only read run without a question; otherwise {asks}"),
        (asks, false) if host.install.can_allow() && !options.plugin => {
            format!("{asks}; `hark install {} --allow-reads` allows those that only read", host.id)
        }
        (asks, false) => asks.to_owned(),
    };
    Some(text)
}

/// Prints several files in one folder as one line.
fn gathered(files: &[String]) -> Vec<String> {
    let folder = |file: &str| file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let mut lines: Vec<String> = Vec::new();
    for file in files {
        let folder = folder(file);
        let there = files.iter().filter(|other| other.starts_with(&format!("{folder}/hark-"))).count();
        let line = if there > 1 { format!("{folder} ({there} files)") } else { file.clone() };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn print_diff(page: &mut Page, diff: &str) {
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => GOOD,
            Some(b'-') => BAD,
            _ => DIM,
        };
        page.print(&format!("{style}{}{style:#}\n", safe(line)));
    }
}
