//! Settings, from the commented defaults that are compiled in.

use std::fmt::Write as _;

use crate::failure::Outcome;
use crate::workspace;

pub(super) fn page() -> Outcome<String> {
    let toml = workspace::read(&workspace::root().join("config/default.toml"))?;
    let mut page = String::from(
        "# Settings\n\nLater ones win: the defaults below, `~/.config/hark/config.toml` (or the file that `HARK_CONFIG` \
         names), then `.hark/config.toml` of a project, of which only harmless keys count. `hark config` shows the \
         current values; `hark config set NAME VALUE` changes it.\n\n| name | default | |\n|---|---|---|\n",
    );
    for (name, value, meaning) in entries(&toml) {
        let _ = writeln!(page, "| `{name}` | `{value}` | {} |", meaning.replace('|', "\\|"));
    }
    let _ = write!(page, "\nThe whole file:\n\n```toml\n{}\n```\n", toml.trim());
    Ok(page)
}

/// Name, default and comment of each key.
fn entries(toml: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let (mut section, mut comment) = (String::new(), Vec::new());
    for line in toml.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text.trim().to_owned());
        } else if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = format!("{name}.");
            comment.clear();
        } else if let Some((name, value)) = line.split_once('=') {
            found.push((format!("{section}{}", name.trim()), value.trim().to_owned(), comment.join(" ")));
            comment.clear();
        } else {
            comment.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_the_key_below() {
        let found = entries("# head\n\n[a]\n# one\n# two\nb = 3\nc = \"x\"\n");
        let expect = |n: &str, v: &str, m: &str| (n.to_owned(), v.to_owned(), m.to_owned());
        assert_eq!(found, [expect("a.b", "3", "one two"), expect("a.c", "\"x\"", "")]);
    }
}
