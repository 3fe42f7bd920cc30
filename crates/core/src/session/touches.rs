//! What became of each file in a session: one entry per path, however many tools touched it.

use std::collections::HashMap;

use super::{FileOp, FileTouch};

/// Merges touches of the same file into its net effect: a file that was created and then edited was created, a file
/// that was edited and then deleted was deleted, a file that was created and then renamed was created under its
/// new name.
pub fn merge(touches: Vec<FileTouch>) -> Vec<FileTouch> {
    let mut order: Vec<String> = Vec::new();
    let mut by_path: HashMap<String, Vec<FileTouch>> = HashMap::new();
    for touch in touches {
        let path = touch.path.to_string();
        if !by_path.contains_key(&path) {
            order.push(path.clone());
        }
        by_path.entry(path).or_default().push(touch);
    }
    let mut merged: Vec<FileTouch> =
        order.iter().filter_map(|path| by_path.remove(path).and_then(net)).collect();
    while let Some((old, new)) = renamed_within(&merged) {
        let before = merged.remove(old);
        let after = &mut merged[if new > old { new - 1 } else { new }];
        after.edits = after.edits.saturating_add(before.edits);
        after.first = after.first.min(before.first);
        match before.op {
            FileOp::Created => (after.op, after.from) = (FileOp::Created, None),
            FileOp::Renamed => after.from = before.from,
            FileOp::Modified | FileOp::Deleted => {}
        }
    }
    merged
}

/// A rename whose old name was touched in the session before, as positions of the old and the new name.
fn renamed_within(touches: &[FileTouch]) -> Option<(usize, usize)> {
    touches.iter().enumerate().find_map(|(new, after)| {
        let from = after.from.as_ref().filter(|_| after.op == FileOp::Renamed)?;
        let is_former = |before: &FileTouch| {
            before.path == *from && before.op != FileOp::Deleted && before.last <= after.last
        };
        let old = touches.iter().position(is_former).filter(|old| *old != new)?;
        Some((old, new))
    })
}

/// The net effect of touches of one path.
fn net(touches: Vec<FileTouch>) -> Option<FileTouch> {
    let edits = touches.iter().fold(0_u32, |sum, touch| sum.saturating_add(touch.edits));
    let first = touches.iter().map(|touch| touch.first).min()?;
    let last = touches.iter().map(|touch| touch.last).max()?;
    let of = |op: FileOp| touches.iter().find(|touch| touch.op == op);
    let op = if of(FileOp::Deleted).is_some_and(|deleted| deleted.last >= last) {
        FileOp::Deleted
    } else if of(FileOp::Created).is_some_and(|created| created.first <= first) {
        FileOp::Created
    } else if of(FileOp::Renamed).is_some() {
        FileOp::Renamed
    } else {
        FileOp::Modified
    };
    let from = of(FileOp::Renamed).filter(|_| op == FileOp::Renamed).and_then(|touch| touch.from.clone());
    touches.into_iter().next().map(|touch| FileTouch { op, from, edits, first, last, ..touch })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Clean;
    use crate::time::Timestamp;

    fn touch(path: &str, op: FileOp, from: Option<&str>, at: i64) -> FileTouch {
        let clean = |text: &str| Clean::already_redacted(text.to_owned());
        let at = Timestamp::from_millis(at);
        FileTouch { path: clean(path), op, from: from.map(clean), edits: 1, first: at, last: at }
    }

    fn merged(touches: &[(&str, FileOp, Option<&str>)]) -> Vec<(String, FileOp, Option<String>, u32)> {
        let touches = touches.iter().zip(1..).map(|((path, op, from), at)| touch(path, *op, *from, at));
        let shown = |t: FileTouch| (t.path.to_string(), t.op, t.from.map(|from| from.to_string()), t.edits);
        merge(touches.collect()).into_iter().map(shown).collect()
    }

    #[test]
    fn a_file_is_counted_once_with_its_net_effect() {
        use FileOp::{Created, Deleted, Modified};
        for (ops, net) in [
            (vec![Created, Modified], Created),
            (vec![Modified, Created], Modified),
            (vec![Modified, Deleted], Deleted),
            (vec![Created, Deleted], Deleted),
            (vec![Deleted, Created], Modified),
            (vec![Deleted, Modified], Modified),
        ] {
            let touches: Vec<_> = ops.iter().map(|op| ("a.rs", *op, None)).collect();
            assert_eq!(merged(&touches), [("a.rs".to_owned(), net, None, 2)], "{ops:?}");
        }
        let same_moment = vec![touch("a", Created, None, 1), touch("a", Modified, None, 1)];
        assert_eq!(merge(same_moment)[0].op, Created);
    }

    #[test]
    fn a_renamed_file_is_one_file() {
        use FileOp::{Created, Modified, Renamed};
        let owned = |path: &str, op, from: Option<&str>, edits| {
            vec![(path.to_owned(), op, from.map(str::to_owned), edits)]
        };
        let found = merged(&[("a", Created, None), ("b", Renamed, Some("a"))]);
        assert_eq!(found, owned("b", Created, None, 2));
        let found = merged(&[("a", Modified, None), ("b", Renamed, Some("a")), ("b", Modified, None)]);
        assert_eq!(found, owned("b", Renamed, Some("a"), 3));
        let found = merged(&[("b", Renamed, Some("a")), ("c", Renamed, Some("b"))]);
        assert_eq!(found, owned("c", Renamed, Some("a"), 2));
        // The old name was used again afterwards: two files.
        let found = merged(&[("b", Renamed, Some("a")), ("a", Created, None)]);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
