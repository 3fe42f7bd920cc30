//! Arguments of tools under other names: models know other memory servers, and use their words.
//!
//! A name that a tool does not have is replaced by one that it has, if it can only mean that. Whatever is left is
//! returned, so that the answer can say that it had no effect.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Operation;

type Arguments = Map<String, Value>;

/// What a name means, best first; the tool decides which of them it has.
const ALIASES: &[(&str, &[&str])] = &[
    ("content", &["text"]),
    ("body", &["text"]),
    ("memory", &["text"]),
    ("new_content", &["text"]),
    ("what", &["title"]),
    ("slug", &["title"]),
    ("name", &["title"]),
    ("context", &["why"]),
    ("rationale", &["why"]),
    ("reason", &["why"]),
    ("type", &["kind", "kinds"]),
    ("types", &["kinds"]),
    ("kind", &["kinds"]),
    ("kinds", &["kind"]),
    ("category", &["kind", "kinds"]),
    ("categories", &["kinds"]),
    ("memory_type", &["kind", "kinds"]),
    ("link_type", &["relation"]),
    ("relation_type", &["relation"]),
    ("id", &["ids"]),
    ("memory_id", &["ids", "id"]),
    ("memory_ids", &["ids"]),
    ("ids", &["id"]),
    ("from_id", &["ids"]),
    ("to_id", &["to"]),
    ("target", &["to", "for"]),
    ("target_id", &["to"]),
    ("superseded_by", &["to"]),
    ("replaces", &["supersedes"]),
    ("tag", &["tags"]),
    ("labels", &["tags"]),
    ("file", &["files"]),
    ("files_affected", &["files"]),
    ("entity", &["entities"]),
    ("status", &["statuses"]),
    ("k", &["limit"]),
    ("top_k", &["limit"]),
    ("max_results", &["limit"]),
    ("count", &["limit"]),
    ("max_tokens", &["budget"]),
    ("token_budget", &["budget"]),
    ("compact", &["detail"]),
    ("since_days", &["since"]),
    ("days", &["since"]),
    ("text", &["query"]),
    ("question", &["query"]),
    ("q", &["query"]),
    ("session_id", &["session"]),
    ("conversation_id", &["session"]),
    ("expires_at", &["expires"]),
    ("work_completed", &["done"]),
    ("completed", &["done"]),
    ("work_pending", &["pending"]),
    ("next_steps", &["pending"]),
    ("todo", &["pending"]),
    ("work_summary", &["summary"]),
    ("plan_files", &["plans"]),
    ("tool", &["host"]),
    ("output_path", &["path"]),
    ("input_path", &["path"]),
    ("include_archived", &["archived"]),
];

/// Words for values, by the argument that they are for.
const WORDS: &[(&str, &str, &str)] = &[
    ("importance", "critical", "5"),
    ("importance", "vital", "5"),
    ("importance", "high", "4"),
    ("importance", "medium", "3"),
    ("importance", "normal", "3"),
    ("importance", "low", "2"),
    ("importance", "minor", "1"),
    ("detail", "true", "index"),
    ("detail", "compact", "index"),
    ("detail", "auto", "summary"),
    ("relation", "causal", "caused_by"),
    ("relation", "cause", "caused_by"),
    ("relation", "solution", "fixes"),
    ("relation", "derived_from", "extends"),
    ("action", "update", "edit"),
    ("action", "delete", "forget"),
    ("action", "remove", "forget"),
    ("action", "close", "resolve"),
    ("action", "done", "resolve"),
    ("action", "complete", "resolve"),
    ("action", "unresolve", "reopen"),
    ("action", "unarchive", "restore"),
    ("action", "replace", "supersede"),
    ("action", "link", "relate"),
    ("action", "upvote", "helpful"),
    ("action", "useful", "helpful"),
    ("action", "downvote", "wrong"),
    ("action", "incorrect", "wrong"),
    ("action", "outdated", "stale"),
];

/// Values that mean the same as no value.
const NOTHING: &[(&str, &str)] =
    &[("project", "auto"), ("kind", "all"), ("kinds", "all"), ("kind", "any"), ("detail", "false")];

/// Flags of commands that are no arguments of tools.
pub(super) const NOT_FOR_TOOLS: &[&str] = &["words", "from_stdin", "passphrase", "passphrase_file", "target"];

/// The names of an operation's arguments.
pub struct Names {
    fields: BTreeSet<String>,
}

impl Names {
    /// Those in its schema, and those that are accepted without being listed.
    pub fn of(operation: &Operation) -> Names {
        let schema = operation.code.request_schema();
        let listed = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
        let command = operation.code.args(clap::Command::new("tool"));
        let flags = command.get_arguments().map(|flag| flag.get_id().to_string());
        let flags = flags.filter(|name| !NOT_FOR_TOOLS.contains(&name.as_str()));
        let renamed = command.get_arguments().filter(|flag| flag.get_id() == "target");
        let renamed: Vec<String> = renamed.filter_map(|flag| flag.get_long().map(str::to_owned)).collect();
        Names { fields: listed.chain(flags).chain(renamed).collect() }
    }

    fn has(&self, name: &str) -> bool {
        self.fields.contains(name)
    }

    /// Replaces names and words that only other servers know. Returns the names that mean nothing here.
    pub fn settle(&self, arguments: &mut Arguments) -> Vec<String> {
        if !self.has("checkpoint")
            && self.has("goal")
            && let Some(Value::Object(inner)) = arguments.remove("checkpoint")
        {
            arguments.extend(inner);
        }
        let mut unknown = Vec::new();
        // Between two memories a type is that of their relation.
        if self.has("relation")
            && !self.has("type")
            && ["to", "to_id", "target", "target_id"].iter().any(|name| arguments.contains_key(*name))
            && let Some(value) = arguments.remove("type")
        {
            arguments.entry("relation").or_insert(value);
        }
        let strange: Vec<String> = arguments.keys().filter(|name| !self.has(name)).cloned().collect();
        for name in strange {
            match self.meant(&name).filter(|meant| !arguments.contains_key(*meant)) {
                Some(meant) => {
                    let Some(value) = arguments.remove(&name) else { continue };
                    arguments.insert(meant.to_owned(), adapted(&name, value));
                }
                None => {
                    arguments.remove(&name);
                    unknown.push(name);
                }
            }
        }
        arguments.retain(|name, value| !NOTHING.iter().any(|(of, word)| name == of && says(value, word)));
        for (name, value) in arguments.iter_mut() {
            translate(name, value);
        }
        unknown
    }

    /// The argument that this tool has for a name.
    fn meant(&self, name: &str) -> Option<&str> {
        let name = snake_case(name);
        let aliases = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&[][..], |(_, meant)| meant);
        let own = std::iter::once(name.as_str());
        own.chain(aliases.iter().copied()).find_map(|meant| self.fields.get(meant)).map(String::as_str)
    }
}

/// `since_days: 7` is `since: "7d"`.
fn adapted(alias: &str, value: Value) -> Value {
    match (snake_case(alias).as_str(), value.as_u64()) {
        ("since_days" | "days", Some(days)) => Value::from(format!("{days}d")),
        _ => value,
    }
}

fn says(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => text.trim().eq_ignore_ascii_case(word),
        Value::Bool(flag) => flag.to_string() == word,
        Value::Array(items) => items.len() == 1 && says(&items[0], word),
        _ => false,
    }
}

fn translate(name: &str, value: &mut Value) {
    if let Some((_, _, meant)) = WORDS.iter().find(|(of, word, _)| *of == name && says(value, word)) {
        *value = meant.parse::<u64>().map_or_else(|_| Value::from(*meant), Value::from);
    }
    // Others count to ten.
    if name == "importance"
        && let Some(out_of_ten @ 6..=10) = value.as_u64()
    {
        *value = Value::from(out_of_ten.div_ceil(2));
    }
}

/// `sessionId` is `session_id`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.push(if c == '-' { '_' } else { c.to_ascii_lowercase() });
    }
    snake
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ops;

    fn settled(tool: &str, arguments: Value) -> (Value, Vec<String>) {
        let Value::Object(mut arguments) = arguments else { panic!("{arguments}") };
        let unknown = Names::of(ops::find_tool(tool).unwrap()).settle(&mut arguments);
        (Value::Object(arguments), unknown)
    }

    #[test]
    fn words_of_other_servers_are_understood() {
        let cases = [
            (
                "memory_remember",
                json!({ "content": "x", "category": "decision", "importance": "critical", "what": "t" }),
                json!({ "text": "x", "kind": "decision", "importance": 5, "title": "t" }),
            ),
            (
                "memory_remember",
                json!({ "content": "x", "kind": "fact", "importance": 9, "project": "auto" }),
                json!({ "text": "x", "kind": "fact", "importance": 5 }),
            ),
            (
                "memory_recall",
                json!({ "query": "x", "type": "all", "compact": true, "since_days": 7, "topK": 3 }),
                json!({ "query": "x", "detail": "index", "since": "7d", "limit": 3 }),
            ),
            ("memory_recall", json!({ "query": "x", "compact": false }), json!({ "query": "x" })),
            ("memory_get", json!({ "memoryId": "m-1" }), json!({ "ids": "m-1" })),
            (
                "memory_update",
                json!({ "from_id": "m-1", "to_id": "m-2", "action": "link", "type": "causal" }),
                json!({ "ids": "m-1", "to": "m-2", "action": "relate", "relation": "caused_by" }),
            ),
            (
                "memory_checkpoint",
                json!({ "session_id": "s", "checkpoint": { "work_completed": ["a"], "work_pending": [] } }),
                json!({ "session": "s", "done": ["a"], "pending": [] }),
            ),
        ];
        for (tool, given, meant) in cases {
            assert_eq!(settled(tool, given.clone()), (meant, Vec::new()), "{tool} {given}");
        }
    }

    #[test]
    fn what_means_nothing_is_named_and_never_replaces_what_was_said() {
        let given = json!({ "text": "x", "content": "y", "bogus": 1, "words": ["z"] });
        let (left, unknown) = settled("memory_remember", given);
        assert_eq!((left, unknown.len()), (json!({ "text": "x" }), 3), "{unknown:?}");
    }

    #[test]
    fn arguments_outside_the_schema_are_known() {
        let given = json!({ "text": "x", "pin": true, "expires": "30d" });
        assert_eq!(settled("memory_remember", given.clone()), (given, Vec::new()));
        let given = json!({ "for": "codex" });
        assert_eq!(settled("memory_resume", given.clone()), (given, Vec::new()));
    }

    #[test]
    fn every_alias_means_an_argument_of_some_tool() {
        let tools: Vec<Names> =
            ops::TABLE.iter().filter(|row| row.tool_name().is_some()).map(|row| Names::of(row)).collect();
        for (alias, meant) in ALIASES {
            assert!(meant.iter().any(|name| tools.iter().any(|tool| tool.has(name))), "{alias}");
        }
    }
}
