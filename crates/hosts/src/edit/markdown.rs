//! A block between two markers in a text that people edit, such as `AGENTS.md`.

use super::text::{gap, line_end, with_line_ends_of};
use super::{Refusal, State, Trace};

const BEGIN: &str = "<!-- BEGIN hark";
const END: &str = "<!-- END hark -->";

/// The range of the block: from the first marker to the end of the second marker's line.
fn find(text: &str) -> Result<Option<(usize, usize)>, Refusal> {
    let broken = |at: usize, what: &str| {
        Err(Refusal::new(what, "remove the leftover marker line `hark` by hand").at(text, at))
    };
    let Some(begin) = line_starting(text, 0, BEGIN) else {
        return match line_starting(text, 0, END) {
            Some(at) => broken(at, "a hark block ends here but never begins"),
            None => Ok(None),
        };
    };
    let Some(end) = line_starting(text, begin, END) else {
        return broken(begin, "a hark block begins here but never ends");
    };
    if let Some(second) = line_starting(text, begin + BEGIN.len(), BEGIN) {
        return broken(second, "a second hark block begins here");
    }
    let end = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
    Ok(Some((begin, end)))
}

fn line_starting(text: &str, from: usize, marker: &str) -> Option<usize> {
    let found = text[from..].match_indices(marker).map(|(at, _)| from + at);
    found.into_iter().find(|at| *at == 0 || text[..*at].ends_with('\n'))
}

/// The block with its markers and the line ends of `text`.
fn written(block: &str, text: &str) -> String {
    let block = block.trim_end();
    with_line_ends_of(&format!("{BEGIN}: kept by `hark install` -->\n{block}\n{END}\n"), text)
}

pub(super) fn state(text: &str, block: &str) -> Result<State, Refusal> {
    Ok(match find(text)? {
        None => State::Absent,
        Some((begin, end)) if text[begin..end].trim_end() == written(block, text).trim_end() => State::Same,
        Some(_) => State::Differs,
    })
}

pub(super) fn insert(text: &str, block: &str) -> (String, Trace) {
    let lead = gap(text);
    (format!("{text}{lead}{}", written(block, text)), Trace { lead, ..Trace::default() })
}

pub(super) fn replace(text: &str, block: &str) -> String {
    match find(text) {
        Ok(Some((begin, end))) => {
            let new = written(block, text);
            let new = if text[..end].ends_with('\n') { &new } else { new.trim_end() };
            format!("{}{new}{}", &text[..begin], &text[end..])
        }
        _ => text.to_owned(),
    }
}

pub(super) fn remove(text: &str, trace: &Trace) -> Result<String, Refusal> {
    let Some((begin, end)) = find(text)? else { return Ok(text.to_owned()) };
    let before = text[..begin].strip_suffix(trace.lead.as_str()).unwrap_or(&text[..begin]);
    let after = &text[end..];
    // Text added after the block must not run into the line before it.
    let joint =
        if before.is_empty() || before.ends_with('\n') || after.is_empty() { "" } else { line_end(text) };
    Ok(format!("{before}{joint}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "## Memory\nAsk first.";

    #[test]
    fn insert_and_remove_restore_the_text() {
        for text in ["", "# Rules", "# Rules\n", "# Rules\n\n", "# Rules\r\n\r\nTabs.\r\n", "\n\n"] {
            let (with, trace) = insert(text, BLOCK);
            assert_eq!(state(&with, BLOCK), Ok(State::Same), "{with:?}");
            assert_eq!(replace(&with, BLOCK), with);
            assert_eq!(remove(&with, &trace).unwrap(), text);
        }
    }

    #[test]
    fn text_around_stays() {
        let (with, trace) = insert("# Rules", BLOCK);
        let edited = format!("# My{}\nMore.\n", &with[1..]);
        assert_eq!(remove(&edited, &trace).unwrap(), "# My Rules\n\nMore.\n");
        let changed = with.replace("Ask first", "Ask twice");
        assert_eq!(state(&changed, BLOCK), Ok(State::Differs));
        assert_eq!(remove(&changed, &trace).unwrap(), "# Rules");
    }

    #[test]
    fn half_a_block_is_refused() {
        let (with, trace) = insert("# Rules\n", BLOCK);
        let broken = with.replace(END, "");
        assert_eq!(remove(&broken, &trace).unwrap_err().line, Some(3));
        assert!(state(&format!("{with}{with}"), BLOCK).is_err());
    }
}
