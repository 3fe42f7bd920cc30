//! How a rule reads, to a model before or after a call, to a user who is asked, and as the reason of a refusal.

use hark_core::Memory;
use hark_core::budget::truncate_to_tokens;
use hark_core::quote::quoted;

/// A rule is a sentence or two.
const TEXT_TOKENS: usize = 60;
const WHY_TOKENS: usize = 30;

/// The rule on one line, with its reason.
pub(crate) fn line(rule: &Memory) -> String {
    let body = rule.body.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if body.is_empty() { rule.title.to_string() } else { body };
    let text = truncate_to_tokens(&quoted(&text), TEXT_TOKENS);
    match &rule.why {
        Some(why) => format!("{text} (why: {})", truncate_to_tokens(&quoted(why), WHY_TOKENS)),
        None => text,
    }
}

/// For a model, before or after the call that a rule is about. It is the user's own instruction, so it is not framed as
/// data.
pub(super) fn told(rules: &[&Memory], before: bool) -> String {
    let when = if before { "for this call" } else { "for the call that just ran" };
    let mut text = match rules {
        [_] => format!("hark: a rule of this user {when}:"),
        _ => format!("hark: rules of this user {when}:"),
    };
    for rule in rules {
        text.push_str(&format!("\n- [{}] {}", rule.id.short(), line(rule)));
    }
    text
}

/// For a model, with a prompt.
pub(super) fn with_prompt(rules: &[&Memory]) -> String {
    let mut text = "hark: rules of this user for such requests:".to_owned();
    for rule in rules {
        text.push_str(&format!("\n- [{}] {}", rule.id.short(), line(rule)));
    }
    text
}

/// For a model whose call is refused.
pub(super) fn refused(rule: &Memory) -> String {
    format!(
        "hark: a rule of this user refuses this call: {} [{}]. Do what the rule says instead; do not look for a way around it.",
        line(rule).trim_end_matches('.'),
        rule.id.short()
    )
}

/// For a user who is asked.
pub(super) fn question(rule: &Memory) -> String {
    format!("Your rule {}: {}. Allow it this time?", rule.id.short(), line(rule).trim_end_matches('.'))
}
