//! Hooks of OpenCode, through hark's own plugin and protocol. The plugin never blocks a tool, but it can add
//! to what survives a compaction.

use hark_core::Raw;

use crate::generic;
use crate::hook::wire::Wire;
use crate::hook::{Dialect, HookEvent, Moment, What};

pub(crate) const DIALECT: Dialect = Dialect {
    read,
    reply: generic::hook::reply,
    passes_on: &[Moment::Start, Moment::Prompt, Moment::AfterTool, Moment::Compacting],
    can_deny: false,
    can_ask: false,
    transcript: None,
};

fn read(wire: &Wire, event: &mut HookEvent) {
    if let What::Prompt(text) = &mut event.what
        && let Some(typed) = wire.text(&["prompt"]).as_deref().and_then(crate::hook::typed::typed)
    {
        *text = Raw::new(&*unquoted(&typed));
    }
    generic::hook::read(wire, event);
}

/// `opencode run` wraps an argument with spaces in quotes and escapes those inside; what was piped in follows.
pub(crate) fn unquoted(text: &str) -> std::borrow::Cow<'_, str> {
    let Some(inner) = text.strip_prefix('"') else { return text.into() };
    let mut typed = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.as_str().starts_with('"') => {
                typed.push('"');
                characters.next();
            }
            '"' => {
                let rest = characters.as_str();
                // Otherwise the quotes are the user's own.
                if !(rest.is_empty() || rest.starts_with('\n')) {
                    return text.into();
                }
                typed.push_str(rest);
                return typed.into();
            }
            other => typed.push(other),
        }
    }
    // Cut off before the closing quote.
    typed.into()
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn the_quotes_of_the_command_line_are_removed_and_those_of_the_user_are_kept() {
        for (stored, typed) in [
            (r#""How do we deploy?""#, "How do we deploy?"),
            (r#""Rename \"a\" to \"b\"""#, r#"Rename "a" to "b""#),
            ("\"Explain this log\"\nline 1\nline 2", "Explain this log\nline 1\nline 2"),
            ("\"Fix the build\nand then the docs\"", "Fix the build\nand then the docs"),
            ("\"Fix the build, which was cut", "Fix the build, which was cut"),
            (r#""foo" is not defined, why?"#, r#""foo" is not defined, why?"#),
            ("deploy", "deploy"),
            ("", ""),
        ] {
            assert_eq!(unquoted(stored), typed, "{stored}");
        }
    }
}
