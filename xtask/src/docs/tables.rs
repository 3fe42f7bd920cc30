//! Tables that live in the sources: environment variables, kinds, files of a data directory.

use std::fmt::Write as _;
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::workspace;

pub(super) fn environment() -> Outcome<String> {
    let rows = rows("crates/cli/src/environment.rs", "const VARIABLES", 2)?;
    let mut page = String::from("# Environment variables\n\n| variable | meaning |\n|---|---|\n");
    for row in rows {
        let _ = writeln!(page, "| `{}` | {} |", row[0], row[1]);
    }
    Ok(page)
}

pub(super) fn kinds() -> Outcome<String> {
    let kinds = rows("crates/core/src/kind.rs", "kinds! {", 2)?;
    let source = workspace::read(&workspace::root().join("crates/core/src/kind.rs"))?;
    let aliases = section(&source, "const ALIASES").unwrap_or_default();
    let words_for = |kind: &str| -> String {
        let wanted = format!("Kind::{})", title_case(kind));
        let lines = aliases.lines().filter(|line| line.contains(&wanted));
        let words: Vec<String> =
            lines.filter_map(|l| strings(l).into_iter().next()).map(|w| format!("`{w}`")).collect();
        words.join(", ")
    };
    let mut page = String::from(
        "# Kinds of memory\n\nWords of other tools are understood as the kind beside them.\n\n\
         | kind | meaning | other words |\n|---|---|---|\n",
    );
    for row in kinds {
        let _ = writeln!(page, "| `{}` | {} | {} |", row[0], row[1], words_for(&row[0]));
    }
    Ok(page)
}

/// The data directory, from the comments and names in `layout.rs`.
pub(super) fn files() -> Outcome<String> {
    let source = workspace::read(&workspace::root().join("crates/store/src/layout.rs"))?;
    let mut page = String::from(
        "# Files of a data directory\n\nYour store is `HARK_HOME`, else the user's data directory (`~/.local/share/hark`). \
         A project can carry a second one, `.hark`, with memories of that project only: see `hark trust`.\n\n| path | what | truth or index |\n\
         |---|---|---|\n| `memories/<kind>/<slug>_<id>.md` | one memory: front matter and text, to be read and edited \
         by hand | truth |\n| `revisions/<id>.jsonl` | what a memory was before each change, one JSON line each | truth |\n",
    );
    for (function, path, what) in FIXED {
        if !source.contains(function) {
            return Err(Failure::new(format!(
                "layout.rs no longer has `{function}`; update xtask/src/docs/tables.rs"
            )));
        }
        let _ = writeln!(page, "| `{path}` | {what} |");
    }
    page.push_str(EXAMPLE);
    let keys = rows("crates/core/src/markdown/front_matter.rs", "KNOWN_KEYS", 1)?;
    let keys: Vec<String> = keys.iter().map(|row| format!("`{}`", row[0])).collect();
    let _ = write!(page, "\nKeys that hark knows: {}. Other keys are kept as they are.\n", keys.join(", "));
    page.push_str(SESSION);
    Ok(page)
}

const FIXED: &[(&str, &str, &str)] = &[
    (
        "\"trust.json\"",
        "trust.json",
        "the stores of projects that you trusted: path, owner, id, since when | truth",
    ),
    (
        "\"projects.json\"",
        "projects.json",
        "which projects were merged into which, and what you call them | truth",
    ),
    (
        "\"hark.db\"",
        "hark.db`, `hark.db-wal`, `hark.db-shm",
        "the index; `hark reindex` makes it from the files | index",
    ),
    (
        "\"placeholder.key\"",
        "placeholder.key",
        "makes the placeholders of redacted secrets stable in this store and meaningless elsewhere; keep it private | truth",
    ),
    (
        "\"serve.token\"",
        "serve.token",
        "what callers of `hark serve` have to show; delete it to get a new one; keep it private | truth",
    ),
    (
        "\"sessions\"",
        "sessions/<start>_<assistant>_<about>_<id>.md",
        "one session of an assistant, to be read and edited by hand | truth",
    ),
    (
        "\"tombstones.jsonl\"",
        "tombstones.jsonl",
        "what was forgotten for good: ids, times and keyed marks, no text; keeps it from coming back | truth",
    ),
    (
        "\"phrases.jsonl\"",
        "phrases.jsonl",
        "questions after which a memory proved useful, redacted, with its id; delete it to drop what was learned | truth",
    ),
    ("\"backups\"", "backups/<time>.tar.gz", "snapshots of the files, rotated; see `hark backup` | copy"),
    ("\"exports\"", "exports/", "exports that tools made; can be deleted | copy"),
    (
        "\"spool\"",
        "spool/",
        "redacted events that hooks could not store yet; the next command stores them | truth",
    ),
    ("\"hook-errors.jsonl\"", "hook-errors.jsonl", "errors in hooks; `hark doctor` reads it | –"),
    ("\"worker.lock\"", "worker.lock", "held by the one background worker | –"),
    ("\"activity\"", "activity/", "how far long work of running processes is | –"),
    (
        "\"serve.address\"",
        "serve.address",
        "where a running `hark serve` listens; `hark ui` looks there first | –",
    ),
    (
        "\"service.json\"",
        "service.json",
        "what the running service says about itself; `hark doctor` reads it | –",
    ),
    (
        "\"documents.json\"",
        "documents.json",
        "documents that `hark bootstrap` read; a running service reads them again when they change | –",
    ),
    (
        "\"tool-rules\"",
        "tool-rules",
        "there while a rule is about tools other than editors and shells; made again as needed | –",
    ),
    ("\"tmp\"", "tmp/", "staging files; anything that a crash leaves here can be deleted | –"),
    (
        "\"hark.lock\"",
        "hark.lock",
        "locked while the index is opened, and exclusively while a damaged one is moved aside | –",
    ),
    ("fn home", "hark.db.damaged-<time>", "a damaged index that was moved aside; can be deleted | –"),
];

const EXAMPLE: &str = "
## A memory file

```markdown
---
id: 019a87f2-5f10-7c3a-9b1e-3f6f0c7b2a41
kind: decision
title: PostgreSQL for billing
status: active
project: github.com/acme/shop
confidence: 0.9
origin: user
tags: [database]
files: [services/billing/store.rs]
why: its JSON support
created: 2026-03-03T14:32:10.125Z
updated: 2026-03-03T14:32:10.125Z
revision: 1
---

We chose PostgreSQL over MySQL for the billing service.
```

Only `id` is needed. A file that cannot be read is left as it is and skipped; `hark doctor` names it.
";

const SESSION: &str = "
## A session file

```markdown
---
id: 019a87f2-5f10-7c3a-9b1e-3f6f0c7b2a42
host: claude-code
host_session: \"43bd0ca9-814f-49e4-aaf0-e8a394eb9297\"
project: github.com/acme/shop
status: closed
branch: main
started: 2026-03-03T14:32:10.125Z
updated: 2026-03-03T15:02:44.000Z
ended: 2026-03-03T15:02:44.000Z
tool_calls: 42
summary_by: hark-1a2b3c4d
---

## Goal

Move billing to queues

## Work completed

- wrote the consumer

## Work to be completed

- retry policy

## Work done

- measured it: 2,000 messages a second

## Decisions

- at least once, because orders are idempotent

## Files touched

### Modified

- `src/queue.rs`, 3 times, 2026-03-03T14:40:00.000Z to 2026-03-03T14:59:00.000Z

### Renamed

- `src/retry.rs` (was `src/again.rs`), once, 2026-03-03T14:50:00.000Z to 2026-03-03T14:50:00.000Z

## Plan files

- `docs/queues.md`: the plan

## References

- `https://example.com/queues`: how others do it

## Checkpoints

- 2026-03-03T14:59:30.000Z agent: goal, 1 done, 1 pending
- 2026-03-03T15:02:44.000Z end: 42 tool calls, 2 files

## Summary

Asked: Move billing to queues
```

Sections may be edited, moved and left out; in lists a path or a line of text is enough. `summary_by` marks a summary \
that hark took from the events; once a person changes it, it is kept. A line of a text that begins with `## ` is \
written with a backslash before it. Other sections and keys are kept as they are.
";

/// The string literals of each entry of a table that begins at a line with `opening`.
fn rows(file: &str, opening: &str, columns: usize) -> Outcome<Vec<Vec<String>>> {
    let source = workspace::read(&workspace::root().join(Path::new(file)))?;
    let missing = || Failure::new(format!("{file}: no table `{opening}`; update xtask/src/docs/tables.rs"));
    let all = strings(section(&source, opening).ok_or_else(missing)?);
    if all.is_empty() || !all.len().is_multiple_of(columns) {
        return Err(missing());
    }
    Ok(all.chunks(columns).map(<[String]>::to_vec).collect())
}

/// From the line that contains `opening` to the next line that closes it at the left margin.
fn section<'a>(source: &'a str, opening: &str) -> Option<&'a str> {
    let from = source.find(opening)?;
    let rest = &source[from..];
    let rest = &rest[rest.find('\n')?..];
    let to = ["\n];", "\n}"].iter().filter_map(|end| rest.find(end)).min()?;
    Some(&rest[..to])
}

fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(open) = rest.find('"') {
        let body = &rest[open + 1..];
        let Some(close) = body.find('"') else { break };
        found.push(body[..close].to_owned());
        rest = &body[close + 1..];
    }
    found
}

fn title_case(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_up_to_its_end() {
        let source = "const A: &[(&str, &str)] = &[\n    (\"x\", \"one\"),\n    (\"y\", \"two\"),\n];\nconst B: &str = \"z\";\n";
        assert_eq!(strings(section(source, "const A").unwrap()), ["x", "one", "y", "two"]);
    }
}
