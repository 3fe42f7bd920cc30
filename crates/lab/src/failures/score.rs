//! Compares what the readers found with the labels.

use super::labels::Label;
use super::replay::{Reading, Session};
use crate::share::Share;

/// Shares of right readings, over labelled outputs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    /// Failures recognised as such.
    pub(super) seen: Share,
    /// Outputs that look like failures and are not, left alone.
    pub(super) quiet: Share,
    pub(super) message: Share,
    pub(super) class: Share,
    pub(super) file: Share,
    pub(super) fix: Share,
    /// Findings that a label confirms, of all findings.
    pub(super) findings: Share,
}

/// What is right about one reading; `None` where the label asks nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Right {
    pub(super) seen: bool,
    pub(super) message: Option<bool>,
    pub(super) class: Option<bool>,
    pub(super) file: Option<bool>,
    pub(super) fix: Option<bool>,
    found: (usize, usize),
}

pub(super) fn compare(label: &Label, reading: &Reading, session: &Session) -> Right {
    let told: Vec<String> = label.spans.iter().map(|span| cut(&reading.output, *span)).collect();
    let right =
        reading.findings.iter().filter(|found| told.iter().any(|t| overlaps(&found.message, t))).count();
    let mut judged = Right { seen: reading.failed == label.failure, ..Right::default() };
    judged.found = (right, reading.findings.len());
    if !label.failure {
        return judged;
    }
    let Some(first) = reading.findings.first() else {
        judged.message = Some(told.is_empty());
        if !told.is_empty() {
            (judged.class, judged.file, judged.fix) = (Some(false), Some(false), Some(label.fix.is_empty()));
        }
        return judged;
    };
    judged.message = Some(told.iter().any(|t| overlaps(&first.message, t)));
    if told.is_empty() {
        return judged;
    }
    judged.class = Some(label.classes.iter().any(|class| class == first.class.name()));
    judged.file = Some(match first.files.first() {
        None => label.files.iter().any(String::is_empty),
        Some(file) => label.files.iter().any(|path| is_same(path, file)),
    });
    let edited = session.files_edited_at(&label.fix);
    judged.fix = Some(match &reading.fixed_by {
        None => label.fix.is_empty(),
        Some(files) => !files.is_empty() && files.iter().all(|file| edited.contains(file)),
    });
    judged
}

impl Score {
    pub(super) fn add(&mut self, label: &Label, right: &Right) {
        let seen = if label.failure { &mut self.seen } else { &mut self.quiet };
        seen.add(right.seen);
        for (share, value) in [
            (&mut self.message, right.message),
            (&mut self.class, right.class),
            (&mut self.file, right.file),
            (&mut self.fix, right.fix),
        ] {
            if let Some(value) = value {
                share.add(value);
            }
        }
        self.findings.hits += right.found.0;
        self.findings.of += right.found.1;
    }
}

/// Tools that run inside a package print the name of the file only, or its path inside the package.
fn is_same(labelled: &str, found: &str) -> bool {
    labelled == found || labelled.ends_with(&format!("/{found}")) || found.ends_with(&format!("/{labelled}"))
}

/// Text of the span on one line, without colours.
fn cut(output: &str, (start, end): (usize, usize)) -> String {
    folded(&output.chars().skip(start).take(end.saturating_sub(start)).collect::<String>())
}

fn folded(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether one holds the beginning of the other.
fn overlaps(message: &str, span: &str) -> bool {
    const ENOUGH: usize = 40;
    let message = folded(message);
    let beginning = |text: &str| text.chars().take(ENOUGH).collect::<String>();
    !span.is_empty()
        && !message.is_empty()
        && (message.contains(&beginning(span)) || span.contains(&beginning(&message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_overlaps_the_labelled_text() {
        assert!(overlaps("undefined: cwd (typecheck)", "undefined: cwd"));
        assert!(overlaps("error[E0308]: mismatched types", "mismatched types"));
        assert!(!overlaps("undefined: cwd", "undefined: fmt"));
        assert_eq!(cut("a \u{1b}[31mbc\u{1b}[0m d", (0, 15)), "a bc d");
        assert!(is_same("cmd/a/b_test.go", "b_test.go"));
        assert!(!is_same("cmd/a/b_test.go", "a_b_test.go"));
    }
}
