//! Maps all the names that clients give to tools, and finds the files a call touches.

use hark_core::Raw;
use hark_core::session::FileOp;
use serde_json::Value;

use super::names::folded;
use super::own_command;
use super::wire::{Wire, text_of};

/// A call of a tool.
#[derive(Debug)]
pub struct ToolUse {
    /// The client's name for it.
    pub name: String,
    pub class: ToolClass,
    pub input: Raw,
    /// The command, the file or the query it is about.
    pub target: Option<Raw>,
    pub touches: Vec<FileTouched>,
    /// One of hark's own tools.
    pub ours: bool,
    /// A command that runs `hark`: its output is already known.
    pub echoes: bool,
    /// The program of a command that only makes a checkpoint: `hark`, or a path to it.
    pub checkpoints_with: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolClass {
    /// Changes files.
    Edit,
    /// Runs a command.
    Shell,
    Read,
    /// Finds tools that the client hides; blocking it would hide hark's tools as well.
    Search,
    Other,
}

#[derive(Debug)]
pub struct FileTouched {
    pub path: Raw,
    pub op: FileOp,
    pub from: Option<Raw>,
}

const EDITS: &[&str] = &[
    "edit",
    "multiedit",
    "write",
    "writefile",
    "replace",
    "strreplace",
    "editor",
    "applypatch",
    "create",
    "createfile",
    "notebookedit",
    "editfile",
    "searchreplace",
    "insert",
    "strreplaceeditor",
    "strreplacebasededittool",
    "deletefile",
    "delete",
    "patch",
    "writetofile",
    "replaceinfile",
    "replacestringinfile",
    "inserteditintofile",
    "newfile",
    "editnotebook",
    "multireplacestringinfile",
];
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "execute",
    "runshellcommand",
    "execcommand",
    "shellcommand",
    "runcommand",
    "runcommands",
    "runterminalcmd",
    "runinterminal",
    "terminal",
    "executecommand",
    "localshell",
    "powershell",
    "runterminalcommand",
];
const READS: &[&str] =
    &["read", "readfile", "readfiles", "view", "readmanyfiles", "notebookread", "grep", "glob", "ls"];
const SEARCHES: &[&str] = &["toolsearch"];

/// A call that the client describes without naming the tool: its fields are the input.
pub(crate) fn named(name: &str, wire: &Wire) -> ToolUse {
    call(name, &wire.to_value(), None)
}

/// The tool of a call, or `None` if none is named.
pub(super) fn used(wire: &Wire) -> Option<ToolUse> {
    let nested = wire.inside("tool_call").or_else(|| wire.inside("tool_result").filter(|w| w.has("name")));
    let own = |names: &[&str]| wire.text(names).or_else(|| nested.as_ref()?.text(names));
    let name = own(&["tool_name", "toolName", "name", "tool"])?;
    let input = nested
        .as_ref()
        .and_then(|w| w.get(&["input"]))
        .or_else(|| wire.get(&["tool_input", "toolInput", "toolArgs", "tool_args", "args", "input"]))
        .cloned()
        .unwrap_or(Value::Null);
    // Some clients send the input as a string that contains an object.
    let input = match &input {
        Value::String(text) => serde_json::from_str(text).unwrap_or(input),
        _ => input,
    };
    let server = wire.inside("mcp_server").and_then(|s| s.text(&["name"]));
    let server = server.or_else(|| wire.inside("mcp_context")?.text(&["server_name"]));
    Some(call(&name, &input, server.as_deref()))
}

/// A call as a client describes it, from a hook or a transcript.
pub(crate) fn call(name: &str, input: &Value, server: Option<&str>) -> ToolUse {
    let class = class_of(name);
    let touches = if class == ToolClass::Edit { touched(name, input) } else { Vec::new() };
    let target = target(class, input, &touches);
    let shell = class == ToolClass::Shell;
    ToolUse {
        ours: is_ours(name, server),
        checkpoints_with: shell.then(|| own_command::checkpoint(name, input)).flatten(),
        echoes: class == ToolClass::Shell && target.as_ref().is_some_and(runs_hark),
        target,
        input: Raw::new(text_of(input)),
        touches,
        class,
        name: name.chars().take(200).collect(),
    }
}

/// What a tool does, judged by the client's name for it.
pub fn class_of(name: &str) -> ToolClass {
    let folded = folded(name);
    let is = |list: &[&str]| list.contains(&folded.as_str());
    match () {
        () if is(EDITS) => ToolClass::Edit,
        () if is(SHELLS) => ToolClass::Shell,
        () if is(READS) => ToolClass::Read,
        () if is(SEARCHES) => ToolClass::Search,
        () => ToolClass::Other,
    }
}

/// Whether it starts another agent with a prompt.
pub fn is_delegation(name: &str) -> bool {
    matches!(folded(name).as_str(), "task" | "agent" | "runsubagent" | "spawnagent")
}

/// Judged by the name alone, which comes from the client. The input comes from the model, so it must not
/// decide.
fn is_ours(name: &str, server: Option<&str>) -> bool {
    const PREFIXES: &[&str] = &[
        "mcp__hark__",
        "mcp__plugin_hark_hark__",
        "mcp_hark_",
        "hark___",
        "hark__",
        "hark_",
        "hark-",
        "hark/",
    ];
    let is_tool = |rest: &str| {
        rest.strip_prefix("memory_")
            .is_some_and(|verb| !verb.is_empty() && verb.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
    };
    match server {
        Some(server) => {
            let bare = server.strip_prefix("plugin:hark:").unwrap_or(server);
            bare == "hark" && name.rfind("memory_").is_some_and(|at| is_tool(&name[at..]))
        }
        None => is_tool(name) || PREFIXES.iter().any(|p| name.strip_prefix(p).is_some_and(is_tool)),
    }
}

/// Whether one of the programs in a command line is hark.
fn runs_hark(command: &Raw) -> bool {
    command.words().any(|word| {
        let word = word.trim_start_matches(['(', '$', '`', '{']);
        word == "hark" || word.ends_with("/hark")
    })
}

const PATHS: &[&str] =
    &["file_path", "filePath", "path", "notebook_path", "target_file", "absolute_path", "filename", "file"];

fn touched(name: &str, input: &Value) -> Vec<FileTouched> {
    let patch = match input {
        Value::String(text) => Some(text.as_str()),
        _ => ["command", "patch", "input", "patchText"].iter().find_map(|key| input.get(key)?.as_str()),
    };
    if let Some(patch) = patch.filter(|text| text.contains("*** Begin Patch")) {
        return patched(patch);
    }
    let verb = input.get("command").and_then(Value::as_str).map(folded).unwrap_or_default();
    let name = folded(name);
    let op = match () {
        () if name.contains("delete") || verb == "delete" => FileOp::Deleted,
        () if name.starts_with("create") || name == "newfile" || verb == "create" => FileOp::Created,
        () => FileOp::Modified,
    };
    let mut paths: Vec<&str> = PATHS.iter().filter_map(|key| input.get(key)?.as_str()).take(1).collect();
    for list in ["file_paths", "edits", "replacements", "files"] {
        for item in input.get(list).and_then(Value::as_array).into_iter().flatten().take(200) {
            let inner = || PATHS.iter().find_map(|key| item.get(key)?.as_str());
            paths.extend(item.as_str().or_else(inner));
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths.retain(|path| !path.trim().is_empty() && path.len() < 4_096);
    paths.into_iter().map(|path| FileTouched { path: Raw::new(path), op, from: None }).collect()
}

/// The files in a patch in the format of Codex and OpenCode.
fn patched(patch: &str) -> Vec<FileTouched> {
    let mut found: Vec<(String, FileOp, Option<String>)> = Vec::new();
    for line in patch.lines() {
        let Some(rest) = line.strip_prefix("*** ") else { continue };
        if let Some((what, path)) = rest.split_once(" File: ") {
            let op = match what {
                "Add" => FileOp::Created,
                "Delete" => FileOp::Deleted,
                _ => FileOp::Modified,
            };
            found.push((path.trim().to_owned(), op, None));
        } else if let Some(to) = rest.strip_prefix("Move to: ")
            && let Some(last) = found.last_mut()
        {
            let from = std::mem::replace(&mut last.0, to.trim().to_owned());
            (last.1, last.2) = (FileOp::Renamed, Some(from));
        }
    }
    let made = |(path, op, from): (String, FileOp, Option<String>)| FileTouched {
        path: Raw::new(path),
        op,
        from: from.map(Raw::new),
    };
    found.into_iter().take(500).map(made).collect()
}

fn target(class: ToolClass, input: &Value, touches: &[FileTouched]) -> Option<Raw> {
    if let Some(touch) = touches.first() {
        return Some(touch.path.clone());
    }
    let named = |names: &[&str]| names.iter().find_map(|key| input.get(key)?.as_str().map(str::to_owned));
    let text = match class {
        ToolClass::Shell => named(&["command", "cmd", "command_line"]).or_else(|| {
            let list = input.get("command").or_else(|| input.get("commands"))?.as_array()?;
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }),
        ToolClass::Edit | ToolClass::Read => {
            named(PATHS).or_else(|| input.get("file_paths")?.get(0)?.as_str().map(str::to_owned))
        }
        ToolClass::Search | ToolClass::Other => {
            named(&["query", "pattern", "url", "path", "file_path", "prompt"])
        }
    };
    text.filter(|t| !t.trim().is_empty()).map(Raw::new)
}

impl ToolUse {
    /// A result may reveal more than the call, for example that a written file was new.
    pub(crate) fn learn_from(&mut self, output: Option<&Value>) {
        let kind = output.and_then(|o| o.get("type")).and_then(Value::as_str);
        if kind == Some("create") && self.class == ToolClass::Edit {
            for touch in self.touches.iter_mut().filter(|t| t.op == FileOp::Modified) {
                touch.op = FileOp::Created;
            }
        }
    }
}

/// Whether a call succeeded, if the client reports it in any of the usual ways.
pub(super) fn outcome(output: Option<&Value>, error: Option<&Value>) -> Option<bool> {
    if error.is_some_and(|e| e.as_str().is_none_or(|t| !t.is_empty())) {
        return Some(false);
    }
    let output = output?;
    for key in ["is_error", "isError"] {
        if let Some(failed) = output.get(key).and_then(Value::as_bool) {
            return Some(!failed);
        }
    }
    if let Some(ok) = output.get("success").and_then(Value::as_bool) {
        return Some(ok);
    }
    for key in ["exitCode", "exit_code", "returncode"] {
        if let Some(code) = output.get(key).and_then(Value::as_i64) {
            return Some(code == 0);
        }
    }
    // Some clients send the result as a string that contains an object.
    if let Value::String(text) = output
        && text.starts_with('{')
        && let Ok(inner @ Value::Object(_)) = serde_json::from_str(text)
    {
        return outcome(Some(&inner), None);
    }
    if let Some(sort) = output.get("resultType").or_else(|| output.get("result_type")).and_then(Value::as_str)
        && sort != "success"
    {
        return Some(false);
    }
    exit_code(&text_of(output)).map(|code| code == 0)
}

/// Exit codes as clients print them, before or after a command's output.
pub(crate) fn exit_code(text: &str) -> Option<i64> {
    let edges = text.lines().take(2).chain(text.lines().rev().take(4));
    for line in edges {
        let lower = line.to_ascii_lowercase();
        for mark in ["exit code: ", "exit code ", "exited with code "] {
            if let Some(at) = lower.find(mark) {
                let digits: String = lower[at + mark.len()..]
                    .chars()
                    .take_while(|c| c.is_ascii_digit() || *c == '-')
                    .collect();
                if let Ok(code) = digits.parse() {
                    return Some(code);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn our_tools_are_known_by_name_only() {
        for name in [
            "mcp__hark__memory_checkpoint",
            "hark_memory_recall",
            "hark-memory_remember",
            "memory_checkpoint",
        ] {
            assert!(is_ours(name, None), "{name}");
        }
        for name in
            ["mcp__evil__memory_checkpoint", "Bash", "xmemory_checkpoint", "mcp__hark__memory_ x", "memory_"]
        {
            assert!(!is_ours(name, None), "{name}");
        }
        assert!(is_ours("mcp__hark__memory_checkpoint", Some("hark")));
        assert!(!is_ours("mcp__hark__memory_checkpoint", Some("other")), "the client knows better");
    }

    #[test]
    fn commands_that_run_hark_are_echoes() {
        let echoes = |command: &str| call("Bash", &json!({ "command": command }), None).echoes;
        for command in ["hark recall deploy", "cd x && /usr/bin/hark show m-1", "echo $(hark recall q)"] {
            assert!(echoes(command), "{command}");
        }
        for command in ["cargo test", "grep hark-core Cargo.toml", "cat hark.md"] {
            assert!(!echoes(command), "{command}");
        }
    }

    #[test]
    fn patches_name_their_files() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n\
                     *** Delete File: d.rs\n*** End Patch\n";
        let ops: Vec<FileOp> = patched(patch).iter().map(|t| t.op).collect();
        assert_eq!(ops, [FileOp::Created, FileOp::Renamed, FileOp::Deleted]);
    }

    #[test]
    fn outcomes_are_read_wherever_clients_report_them() {
        let text = |t: &str| outcome(Some(&json!(t)), None);
        assert_eq!(text("[Process exited with code 3]"), Some(false));
        assert_eq!(text("Exit code: 0\nWall time: 0 seconds"), Some(true));
        assert_eq!(text("hello"), None);
        assert_eq!(outcome(Some(&json!({"isError": true})), None), Some(false));
        assert_eq!(outcome(None, Some(&json!("no such file"))), Some(false));
    }
}
