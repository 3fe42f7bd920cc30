//! The part of a page between two markers, replaced.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::workspace;

/// Replaces what is between `<!-- name:begin -->` and `<!-- name:end -->`.
pub(crate) fn update(path: &Path, name: &str, section: &str) -> Outcome {
    let page = workspace::read(path)?;
    let changed = replace(&page, name, section).ok_or_else(|| {
        let (begin, end) = markers(name);
        Failure::new(format!("{}: no {begin} … {end}", path.display()))
    })?;
    workspace::write(path, &changed)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn markers(name: &str) -> (String, String) {
    (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"))
}

fn replace(page: &str, name: &str, section: &str) -> Option<String> {
    let (begin, end) = markers(name);
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{}\n{end}{after}", section.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_changes() {
        let page =
            "# a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\n<!-- eval:begin -->\n<!-- eval:end -->\n";
        let expected =
            "# a\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\n<!-- eval:begin -->\n<!-- eval:end -->\n";
        assert_eq!(replace(page, "bench", "new\n").as_deref(), Some(expected));
        assert_eq!(replace("# a\n", "bench", "new"), None);
    }
}
