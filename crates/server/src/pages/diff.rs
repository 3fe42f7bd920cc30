//! What changed between two texts, within the line.

use similar::{ChangeTag, TextDiff};

use super::text::{cut, escaped};

/// Longer texts are compared by their beginning.
const MOST: usize = 4_000;

/// The newer text with `<ins>` and `<del>` around words, safe to put into a page.
pub(crate) fn inline(old: &str, new: &str) -> String {
    let (old, new) = (cut(old, MOST), cut(new, MOST));
    let diff = TextDiff::from_words(&old, &new);
    let mut html = String::new();
    let mut last = ChangeTag::Equal;
    for change in diff.iter_all_changes() {
        if change.tag() != last {
            html.push_str(match last {
                ChangeTag::Insert => "</ins>",
                ChangeTag::Delete => "</del>",
                ChangeTag::Equal => "",
            });
            html.push_str(match change.tag() {
                ChangeTag::Insert => "<ins>",
                ChangeTag::Delete => "<del>",
                ChangeTag::Equal => "",
            });
            last = change.tag();
        }
        html.push_str(&escaped(change.value()));
    }
    html.push_str(match last {
        ChangeTag::Insert => "</ins>",
        ChangeTag::Delete => "</del>",
        ChangeTag::Equal => "",
    });
    html
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn only_the_words_that_changed_are_marked_and_nothing_is_markup() {
        let html = inline("use npm <b>here</b>", "use pnpm <b>here</b>");
        assert_eq!(html, "use <del>npm</del><ins>pnpm</ins> &lt;b&gt;here&lt;/b&gt;");
    }
}
