//! Labels made by hand: which outputs of which sessions report a failure, and what they say. The texts stay
//! where they are.

use std::path::Path;

use serde_json::Value;

use crate::distil::fnv;

use crate::failure::{Failure, Outcome};
use crate::workspace;

/// A labelled output of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    pub(super) file: String,
    /// The line of the event, counted from 0.
    pub(super) line: usize,
    pub(super) failure: bool,
    pub(super) language: String,
    /// Any of them is right.
    pub(super) classes: Vec<String>,
    /// Any of them is right; an empty one stands for no file.
    pub(super) files: Vec<String>,
    /// Characters of the output that say what went wrong; empty if nothing says it.
    pub(super) spans: Vec<(usize, usize)>,
    /// Lines of the edits that made the same check pass.
    pub(super) fix: Vec<usize>,
}

impl Label {
    /// Readers are tuned on one part and scored on the other; the name of the session decides.
    pub(super) fn is_tuned_on(&self) -> bool {
        (fnv(self.file.as_bytes()) >> 17) & 1 == 0
    }
}

pub(super) fn read(path: &Path) -> Outcome<Vec<Label>> {
    let text = workspace::read(path)?;
    let labels = text.lines().enumerate().map(|(number, line)| {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        parse(&value).ok_or_else(|| Failure::new(format!("{}:{}: not a label", path.display(), number + 1)))
    });
    labels.collect()
}

fn parse(value: &Value) -> Option<Label> {
    let spans = list(&value["spans"]).iter().map(|span| Some((number(&span[0])?, number(&span[1])?)));
    Some(Label {
        file: value["file"].as_str()?.to_owned(),
        line: number(&value["line"])?,
        failure: value["failure"].as_bool()?,
        language: value["lang"].as_str().unwrap_or("").to_owned(),
        classes: words(&value["class"]),
        files: words(&value["at"]),
        spans: spans.collect::<Option<_>>()?,
        fix: list(&value["fix"]).iter().filter_map(number).collect(),
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn words(value: &Value) -> Vec<String> {
    list(value).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_read() {
        let line = r#"{"file":"a.jsonl","line":3,"failure":true,"lang":"go","class":["name"],"at":[""],"spans":[[2,9]],"fix":[5,7]}"#;
        let label = parse(&serde_json::from_str(line).unwrap()).unwrap();
        assert_eq!(
            (label.line, label.spans.as_slice(), label.fix.as_slice()),
            (3, &[(2, 9)][..], &[5, 7][..])
        );
        assert_eq!(label.files, [""], "an empty name stands for no file");
        assert!(parse(&Value::Null).is_none());
    }
}
