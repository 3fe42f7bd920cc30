//! The part of a page between two markers, replaced.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::workspace;

const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";

pub(super) fn update(path: &Path, section: &str) -> Outcome {
    let page = workspace::read(path)?;
    let changed = replace(&page, section)
        .ok_or_else(|| Failure::new(format!("{}: has no {BEGIN} … {END}", path.display())))?;
    workspace::write(path, &changed)?;
    println!("wrote {}", path.display());
    Ok(())
}

fn replace(page: &str, section: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}\n{END}{after}", section.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_changes() {
        let page = "# a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\ntail\n";
        let expected = "# a\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\ntail\n";
        assert_eq!(replace(page, "new\n").as_deref(), Some(expected));
        assert_eq!(replace("# a\n", "new"), None);
    }
}
