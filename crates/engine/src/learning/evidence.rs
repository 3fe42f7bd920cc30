//! Reads finished sessions for evidence: corrections, refused tool calls with a reason, edits taken back, and failures that
//! earned a memory. Each session is read once.
//!
//! Only words that the user typed become text of evidence. What tools printed is looked at in one case: where a client puts
//! the reason of a refusal, in its own words at the very beginning of a result that it wrote itself.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use hark_core::event::EventKind;
use hark_core::failure::command::simple_commands;
use hark_core::guidance::{Evidence, Sort};
use hark_core::learning::{self, Act, Context, Correction, Detail, asked_words, first_words};
use hark_core::{Clean, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{Deed, Moment, ProjectNum, StoredSession};

use crate::engine::Engine;
use crate::error::EngineError;

/// The name under which the store notes how far a session was read.
const WHAT: &str = "evidence";
/// What Claude Code writes before the reason of a refusal, and what newer versions write after it.
const REFUSED: &str = "The user doesn't want to proceed with this tool use.";
const REASON: &str = "the user said:\n";
const AFTER_REASON: &str = "\n\nNote: The user's next message";
const CLAUDE_CODE: &str = "claude-code";
/// A correction is about what was done lately.
const MOST_ACTS: usize = 40;
const MOST_FILES: usize = 8;
const MOST_BODIES: usize = 4_000;
const MOST_PROMPTS: usize = 2_000;
const MOST_FAILURES: usize = 200;

/// A piece of evidence before it is stored.
struct Found {
    mark: String,
    at: Timestamp,
    sort: Sort,
    text: String,
    detail: Detail,
}

/// Reads every finished, unread session until the time is up. Returns how many pieces are new.
pub(super) fn gather(engine: &mut Engine, started: Instant, limit: Duration) -> Result<usize, EngineError> {
    let mut added = 0;
    for num in engine.store.unlearned(WHAT, super::BATCH)? {
        if started.elapsed() > limit {
            break;
        }
        if let Some(stored) = engine.store.session_at(num)? {
            added += session(engine, &stored)?;
        }
    }
    Ok(added)
}

fn session(engine: &mut Engine, stored: &StoredSession) -> Result<usize, EngineError> {
    let num = stored.num;
    let moments = engine.store.moments(num)?;
    let events = engine.store.events(num, &[EventKind::Tool], MOST_BODIES)?;
    let since = engine.store.learned_until(num, WHAT)?;
    let newest = engine.store.events(num, &[], 1)?.last().map_or(0, |event| event.seq);
    let last = moments.iter().map(|moment| moment.seq).max().unwrap_or(0).max(newest);
    let project = match &stored.session.project {
        Some(key) => engine.store.project_num(key)?,
        None => None,
    };
    let mut found = Vec::new();
    // An assistant starts a subagent, so the prompts of a subagent are not the user's words.
    if let Some(project) = project
        && stored.session.parent.is_none()
    {
        let bodies = events.into_iter().map(|event| (event.seq, event.body)).collect();
        let typed = engine.store.typed_prompts(num, MOST_PROMPTS)?;
        let reader = Reader {
            is_claude_code: &*stored.session.host == CLAUDE_CODE,
            bodies,
            typed: typed.iter().map(ToString::to_string).collect(),
            since,
        };
        found = reader.read(&moments);
        found.extend(failures(engine, project, num)?);
    }
    let (now, project) = (engine.now(), project.unwrap_or(ProjectNum::GLOBAL));
    // Redacted when the event was stored; once more, because a sentence was taken out of its surroundings.
    let rows: Vec<(Found, Clean)> =
        found.into_iter().map(|one| (engine.clean(&one.text), one)).map(|(text, one)| (one, text)).collect();
    engine.store.write(now, |writer| {
        let mut added = 0;
        for (one, text) in rows {
            if writer.passing_of_text(&text)?.is_some() {
                continue;
            }
            let evidence = Evidence { at: one.at, sort: one.sort, session: None, text };
            let doc = serde_json::to_string(&one.detail).unwrap_or_default();
            added += usize::from(writer.add_evidence(num, project, &one.mark, &evidence, &doc)?);
        }
        writer.set_learned(num, WHAT, last)?;
        Ok(added)
    })
}

/// Failures that earned a memory and were last seen in this session. What tools printed about them is left out.
fn failures(engine: &Engine, project: ProjectNum, session: i64) -> Result<Vec<Found>, EngineError> {
    let mut found: Vec<Found> = Vec::new();
    for hit in engine.store.failures(project, MOST_FAILURES)? {
        let row = hit.failure;
        let mark = format!("failure-{}", row.num);
        if row.session != session || row.memory.is_none() || found.iter().any(|one| one.mark == mark) {
            continue;
        }
        let files: Vec<String> = row.record.suspects.iter().take(MOST_FILES).cloned().collect();
        let place = files.first().map(|file| format!(" after a change of {file}")).unwrap_or_default();
        let text = format!("`{}` failed{place}.", row.record.command);
        found.push(Found {
            mark,
            at: row.last_at,
            sort: Sort::Failure,
            text,
            detail: Detail { files, ..Detail::default() },
        });
    }
    Ok(found)
}

struct Reader {
    is_claude_code: bool,
    bodies: HashMap<i64, Clean>,
    typed: HashSet<String>,
    since: i64,
}

/// What happened up to a moment.
#[derive(Default)]
struct Past<'m> {
    reply: Option<&'m str>,
    acts: Vec<Act<'m>>,
    /// Where in `acts` the turn before the last prompt began.
    turn: usize,
    prompt: Option<&'m str>,
    /// The last edit of each file: what it took out, what it put in, and how many prompts were before it.
    edits: HashMap<&'m str, (String, String, usize)>,
    prompts: usize,
}

impl Reader {
    fn read(&self, moments: &[Moment]) -> Vec<Found> {
        let mut found = Vec::new();
        let mut past = Past::default();
        for moment in moments {
            match &moment.what {
                Deed::Reply(text) => past.reply = Some(text.as_str()),
                Deed::Prompt(text) => {
                    if moment.seq > self.since {
                        found.extend(self.prompt(moment, text, &past));
                    }
                    past.turn = past.acts.len();
                    past.prompt = Some(text.as_str());
                    past.prompts += 1;
                }
                Deed::Tool { name, target, ok } => {
                    found.extend(self.tool(moment, name, target, *ok, &mut past));
                }
            }
        }
        found
    }

    fn prompt(&self, moment: &Moment, text: &Clean, past: &Past<'_>) -> Vec<Found> {
        let from = past.acts.len().saturating_sub(MOST_ACTS);
        let context = Context { reply: past.reply, acts: &past.acts[from..], is_refusal: false };
        let typed = self.typed.contains(text.as_str());
        let corrections = learning::corrections(text, &context);
        let mut found: Vec<Found> = corrections
            .into_iter()
            .map(|one| {
                let mark = format!("{}@{}", moment.once, one.span.start);
                correction(one, Sort::Correction, mark, moment.at, past, typed)
            })
            .collect();
        let recent = Context { acts: &past.acts[past.turn.min(past.acts.len())..], ..context };
        if found.is_empty()
            && let Some(said) = learning::taken_back(text, &recent)
        {
            found.push(undone(said, format!("{}-undone", moment.once), moment.at, past, typed));
        }
        found
    }

    fn tool<'m>(
        &self,
        moment: &'m Moment,
        name: &str,
        target: &'m Clean,
        ok: Option<bool>,
        past: &mut Past<'m>,
    ) -> Vec<Found> {
        let class = class_of(name);
        let is_new = moment.seq > self.since;
        let body = self.bodies.get(&moment.seq);
        match class {
            ToolClass::Shell => past.acts.push(Act::Ran(target.as_str())),
            ToolClass::Edit => past.acts.push(Act::Edited(target.as_str())),
            ToolClass::Read | ToolClass::Search | ToolClass::Other => {}
        }
        let mut found = Vec::new();
        let is_clients_own =
            matches!(class, ToolClass::Shell | ToolClass::Edit) && !name.starts_with("mcp__");
        if ok == Some(false) {
            let reason = body
                .filter(|_| self.is_claude_code && is_clients_own && is_new)
                .and_then(|body| reason(body));
            if let Some(reason) = reason {
                let from = past.acts.len().saturating_sub(MOST_ACTS);
                let context = Context { reply: None, acts: &past.acts[from..], is_refusal: true };
                for one in learning::corrections(reason, &context) {
                    let mark = format!("{}-refused@{}", moment.once, one.span.start);
                    // It came in the result of a tool, so it never counts as typed.
                    found.push(correction(one, Sort::Rejection, mark, moment.at, past, false));
                }
            }
        } else if class == ToolClass::Edit
            && let Some((out, put)) = body.and_then(|body| change_of(body))
        {
            let before = past.edits.insert(target.as_str(), (out.clone(), put.clone(), past.prompts));
            let is_back = before.is_some_and(|(was_out, was_put, when)| {
                was_out == put && was_put == out && when < past.prompts
            });
            if is_back
                && is_new
                && let Some(prompt) = past.prompt
                && let Some(said) = first_words(prompt)
            {
                let typed = self.typed.contains(prompt);
                found.push(undone(said, format!("{}-back", moment.once), moment.at, past, typed));
            }
        }
        found
    }
}

fn correction(
    one: Correction,
    sort: Sort,
    mark: String,
    at: Timestamp,
    past: &Past<'_>,
    typed: bool,
) -> Found {
    let command = one.wrong.as_deref().and_then(|wrong| command(wrong, &past.acts));
    let detail = Detail {
        wrong: one.wrong,
        right: one.right,
        entities: one.entities,
        files: files(past),
        command,
        asked: past.prompt.map(asked_words).unwrap_or_default(),
        own: true,
        typed,
        lasting: one.lasting,
        again: one.again,
    };
    Found { mark, at, sort, text: one.text, detail }
}

fn undone(text: String, mark: String, at: Timestamp, past: &Past<'_>, typed: bool) -> Found {
    let detail = Detail { files: files(past), own: true, typed, ..Detail::default() };
    Found { mark, at, sort: Sort::Undone, text, detail }
}

/// Why the user refused a tool call, if the client says so.
fn reason(body: &str) -> Option<&str> {
    let rest = body.strip_prefix(REFUSED)?;
    let said = &rest[rest.find(REASON)? + REASON.len()..];
    let said = said.find(AFTER_REASON).map_or(said, |end| &said[..end]);
    Some(said.trim()).filter(|said| !said.is_empty())
}

/// What an edit took out and put in.
fn change_of(body: &str) -> Option<(String, String)> {
    let input: serde_json::Value = serde_json::from_str(body).ok()?;
    let text = |key: &str| {
        input.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Some((text("old_string")?, text("new_string")?))
}

/// The files that the assistant changed since the last prompt, or else lately.
fn files(past: &Past<'_>) -> Vec<String> {
    let edited = |acts: &[Act<'_>]| -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for act in acts.iter().rev() {
            if let Act::Edited(path) = act
                && files.len() < MOST_FILES
                && !files.iter().any(|known| known == path)
            {
                files.push((*path).to_owned());
            }
        }
        files
    };
    let turn = edited(&past.acts[past.turn.min(past.acts.len())..]);
    if turn.is_empty() {
        let from = past.acts.len().saturating_sub(MOST_ACTS);
        let mut lately = edited(&past.acts[from..]);
        lately.truncate(3);
        return lately;
    }
    turn
}

/// The wrong term as the beginning of a command that ran.
fn command(wrong: &str, acts: &[Act<'_>]) -> Option<String> {
    let wanted: Vec<String> = wrong.split_whitespace().map(str::to_lowercase).collect();
    let begins = |words: &Vec<String>| {
        words.len() >= wanted.len()
            && words.iter().zip(&wanted).all(|(word, wanted)| word.to_lowercase() == *wanted)
    };
    let ran = acts.iter().any(|act| match act {
        Act::Ran(line) => simple_commands(line).iter().any(begins),
        Act::Edited(_) => false,
    });
    (ran && !wanted.is_empty()).then(|| wanted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_only_where_the_client_puts_it() {
        let said = format!(
            "{REFUSED} The tool use was rejected. To tell you how to proceed, the user said:\nuse pnpm, not npm{AFTER_REASON} may contain a correction."
        );
        assert_eq!(reason(&said), Some("use pnpm, not npm"));
        assert_eq!(reason(&format!("Exit code 1\n{said}")), None);
        assert_eq!(reason(REFUSED), None);
    }

    #[test]
    fn a_command_counts_if_it_ran() {
        let acts = [Act::Ran("cd web && npm install x"), Act::Edited("npm")];
        assert_eq!(command("npm", &acts).as_deref(), Some("npm"));
        assert_eq!(command("npm install", &acts).as_deref(), Some("npm install"));
        assert_eq!(command("yarn", &acts), None);
    }
}
