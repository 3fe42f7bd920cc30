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

/// Removes the markers and the lines that hark wrote. Lines that somebody else wrote between them stay.
pub(super) fn remove(text: &str, block: &str, trace: &Trace) -> Result<String, Refusal> {
    let Some((begin, end)) = find(text)? else { return Ok(text.to_owned()) };
    let after = &text[end..];
    let kept = foreign(&text[begin..end], block);
    if !kept.is_empty() {
        let last = if kept.ends_with('\n') || after.is_empty() { "" } else { line_end(text) };
        return Ok(format!("{}{kept}{last}{after}", &text[..begin]));
    }
    let before = text[..begin].strip_suffix(trace.lead.as_str()).unwrap_or(&text[..begin]);
    // Text added after the block must not run into the line before it.
    let joint =
        if before.is_empty() || before.ends_with('\n') || after.is_empty() { "" } else { line_end(text) };
    Ok(format!("{before}{joint}{after}"))
}

/// Whether somebody else wrote lines between the markers.
pub(super) fn has_foreign(text: &str, block: &str) -> bool {
    matches!(find(text), Ok(Some((begin, end))) if !foreign(&text[begin..end], block).is_empty())
}

/// The lines between the markers that are not hark's, without empty lines around them.
fn foreign<'t>(inside: &'t str, block: &str) -> String {
    let rest = |line: &'t str| {
        // Text after a marker on the same line is not hark's either.
        let marked = [BEGIN, END].iter().any(|marker| line.starts_with(marker));
        let line =
            if marked { line.split_once("-->").map_or("", |(_, rest)| rest.trim_start()) } else { line };
        let ours = block.lines().any(|ours| ours.trim_end() == line.trim_end());
        (!(ours || marked && line.is_empty())).then_some(line)
    };
    let lines: Vec<&str> = inside.split_inclusive('\n').filter_map(rest).collect();
    let is_text = |line: &&str| !line.trim().is_empty();
    match (lines.iter().position(is_text), lines.iter().rposition(is_text)) {
        (Some(first), Some(last)) => lines[first..=last].concat(),
        _ => String::new(),
    }
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
            assert_eq!(remove(&with, BLOCK, &trace).unwrap(), text);
        }
    }

    #[test]
    fn text_around_stays() {
        let (with, trace) = insert("# Rules", BLOCK);
        let edited = format!("# My{}\nMore.\n", &with[1..]);
        assert_eq!(remove(&edited, BLOCK, &trace).unwrap(), "# My Rules\n\nMore.\n");
        let changed = with.replace("Ask first", "Ask twice");
        assert_eq!(state(&changed, BLOCK), Ok(State::Differs));
        assert_eq!(remove(&changed, BLOCK, &trace).unwrap(), "# Rules\n\nAsk twice.\n");
    }

    #[test]
    fn lines_that_somebody_wrote_inside_stay() {
        for (text, end) in [("# Rules\n", "\n"), ("# Rules\r\n", "\r\n"), ("", "\n")] {
            let (with, trace) = insert(text, BLOCK);
            assert!(!has_foreign(&with, BLOCK));
            let mine = format!("{end}Never push on Friday.{end}{end}- Nor on Sunday.{end}{end}");
            let edited = with.replace(&format!("## Memory{end}"), &format!("## Memory{end}{mine}"));
            assert!(has_foreign(&edited, BLOCK));
            let left = remove(&edited, BLOCK, &trace).unwrap();
            assert!(
                left.contains(&format!("Never push on Friday.{end}{end}- Nor on Sunday.{end}")),
                "{left:?}"
            );
            assert!(
                left.starts_with(text) && !left.contains("hark") && !left.contains("Ask first"),
                "{left:?}"
            );
            assert!(!left.ends_with(&format!("{end}{end}")), "{left:?}");
        }
        // Empty lines alone are not worth a change.
        let (with, trace) = insert("# Rules", BLOCK);
        let spaced = with.replace("## Memory\n", "## Memory\n\n\n");
        assert_eq!(remove(&spaced, BLOCK, &trace).unwrap(), "# Rules");
        // Hark's lines in another order are still hark's.
        let turned = with.replace("## Memory\nAsk first.", "Ask first.\n## Memory");
        assert_eq!(remove(&turned, BLOCK, &trace).unwrap(), "# Rules");
    }

    #[test]
    fn half_a_block_is_refused() {
        let (with, trace) = insert("# Rules\n", BLOCK);
        let broken = with.replace(END, "");
        assert_eq!(remove(&broken, BLOCK, &trace).unwrap_err().line, Some(3));
        assert!(state(&format!("{with}{with}"), BLOCK).is_err());
    }
}
