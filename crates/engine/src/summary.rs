//! A short summary of a session, made from its events: what was asked, what was done, how it ended. Never
//! longer than its limit, and always the same for the same events.

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::event::EventKind;
use hark_core::memory::{one_line, title_from_body};
use hark_core::session::title_of_prompt;
use hark_core::{Clean, Session};
use hark_store::{PastEvent, Writer};

use crate::error::EngineError;
use crate::recall::gate::is_trivial;

pub(crate) const MOST_TOKENS: usize = 300;
/// The maximum number of newest events of each kind.
const PROMPTS: usize = 200;
const TOOLS: usize = 2_000;

pub(crate) fn extract(writer: &Writer<'_>, num: i64, session: &Session) -> Result<Clean, EngineError> {
    let prompts = writer.events(num, &[EventKind::Prompt], PROMPTS)?;
    let replies = writer.events(num, &[EventKind::Reply], 1)?;
    let tools = writer.events(num, &[EventKind::Tool], TOOLS)?;
    Ok(compose(session, &prompts, replies.last(), &tools))
}

fn compose(session: &Session, prompts: &[PastEvent], last: Option<&PastEvent>, tools: &[PastEvent]) -> Clean {
    let mut lines: Vec<String> = Vec::new();
    let asked: Vec<Clean> = prompts
        .iter()
        .filter(|p| !is_trivial(&p.body))
        .map(|p| one_line(&title_of_prompt(&p.body).unwrap_or_else(|| title_from_body(&p.body))))
        .filter(|title| !title.is_empty())
        .collect();
    if let Some(first) = asked.first() {
        lines.push(format!("Asked: {first}"));
    }
    if let Some(reply) = last.filter(|r| !r.body.trim().is_empty()) {
        let text = reply.body.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(format!("Last said: {}", truncate_to_tokens(&text, 90)));
    }
    if !session.files.is_empty() {
        let mut files: Vec<_> = session.files.iter().collect();
        files.sort_by(|a, b| b.edits.cmp(&a.edits).then(a.path.cmp(&b.path)));
        let names: Vec<&str> = files.iter().take(8).map(|f| f.path.as_str()).collect();
        let more = files.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!("Files: {}{more}", names.join(", ")));
    }
    let failed: Vec<&PastEvent> = tools.iter().filter(|t| t.ok == Some(false)).collect();
    if let Some(worst) = failed.last() {
        let target = if worst.target.is_empty() { &worst.tool } else { &worst.target };
        let target = truncate_to_tokens(&target.split_whitespace().collect::<Vec<_>>().join(" "), 30);
        lines.push(format!("{} of {} tool calls failed, last {target}", failed.len(), session.tool_calls));
    }
    // Later requests fill the remaining room, newest first, and appear in their order.
    let mut room = MOST_TOKENS.saturating_sub(lines.iter().map(|l| estimate_tokens(l) + 1).sum());
    let mut later = Vec::new();
    for title in asked.iter().skip(1).rev() {
        let line = format!("Then: {title}");
        let cost = estimate_tokens(&line) + 1;
        if cost > room || later.len() >= 6 {
            break;
        }
        room -= cost;
        later.push(line);
    }
    later.reverse();
    let at = usize::from(!asked.is_empty()).min(lines.len());
    lines.splice(at..at, later);
    // Composed only of clean texts.
    Clean::already_redacted(truncate_to_tokens(&lines.join("\n"), MOST_TOKENS))
}
