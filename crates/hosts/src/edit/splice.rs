//! Several changes to a text, given as positions in the original and applied at once.

use std::ops::Range;

pub(super) type Splice = (Range<usize>, String);

pub(super) fn splice(text: &str, mut changes: Vec<Splice>) -> String {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, with) in changes {
        out.push_str(&text[at..range.start]);
        out.push_str(&with);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}
