//! Licences, sources, duplicates and the number of packages, by the lists in `deny.toml`. Needs
//! nothing but cargo; cargo-deny checks the same and more where it is installed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::{process, workspace};

/// More packages than this want a reason in the commit that raises it.
const MOST_PACKAGES: usize = 240;

pub(super) fn check() -> Outcome<Vec<String>> {
    let deny = workspace::read(&workspace::root().join("deny.toml"))?;
    let (licences, twins) = (strings(&deny, "allow = ["), strings(&deny, "skip = ["));
    let metadata = process::capture(&mut process::cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|e| Failure::new(format!("cargo metadata: {e}")))?;
    let packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();

    let mut complaints = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in &packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        versions.entry(text("name")).or_default().push(text("version"));
        if !is_allowed(text("license"), &licences) {
            complaints.push(format!("{}: licence `{}` is not in deny.toml", text("name"), text("license")));
        }
        let source = text("source");
        if !source.is_empty() && !source.starts_with("registry+") && !source.starts_with("sparse+") {
            complaints.push(format!("{}: comes from {source}, not from a registry", text("name")));
        }
    }
    for (name, found) in &versions {
        let known = twins.iter().any(|twin| twin.split('@').next() == Some(name));
        if found.len() > 1 && !known {
            complaints.push(format!(
                "{name}: is there as {}; add it to `skip` in deny.toml with the reason",
                found.join(", ")
            ));
        }
    }
    for twin in &twins {
        if versions.get(twin.split('@').next().unwrap_or_default()).is_none_or(|v| v.len() < 2) {
            complaints.push(format!("{twin}: is in `skip` in deny.toml but is not a duplicate; remove it"));
        }
    }
    if packages.len() > MOST_PACKAGES {
        complaints.push(format!("{} packages; the cap is {MOST_PACKAGES}", packages.len()));
    }
    println!(
        "{} packages of at most {MOST_PACKAGES}, {} of them in two versions",
        packages.len(),
        twins.len()
    );
    Ok(complaints)
}

/// The first string of each line of a list in `deny.toml`, one entry a line.
fn strings(toml: &str, opening: &str) -> Vec<String> {
    let lines = toml.lines().skip_while(|line| !line.starts_with(opening)).skip(1);
    let entries =
        lines.take_while(|line| !line.starts_with(']')).map(str::trim).filter(|l| !l.starts_with('#'));
    entries.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).collect()
}

/// Whether an SPDX expression can be satisfied with the allowed licences.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    !tokens.is_empty() && any(&tokens, &mut at, allowed) && at == tokens.len()
}

fn any(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut held = all(tokens, at, allowed);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        held |= all(tokens, at, allowed);
    }
    held
}

fn all(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut held = one(tokens, at, allowed);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        held &= one(tokens, at, allowed);
    }
    held
}

fn one(tokens: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(token) = tokens.get(*at) else { return false };
    *at += 1;
    if *token == "(" {
        let held = any(tokens, at, allowed);
        *at += 1;
        return held;
    }
    let mut name = (*token).to_owned();
    if tokens.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", tokens.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_expressions_are_understood() {
        let allowed: Vec<String> = ["MIT", "Apache-2.0", "BSD-3-Clause"].map(str::to_owned).into();
        for good in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Zlib) AND BSD-3-Clause"] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in
            ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND Zlib", "Apache-2.0 WITH LLVM-exception"]
        {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn lists_are_read_line_by_line() {
        let toml = "[licenses]\nallow = [\n    \"MIT\",\n    # why\n    \"Zlib\",\n]\nskip = [\n    { crate = \"syn@2\", reason = \"x\" },\n]\n";
        assert_eq!(strings(toml, "allow = ["), ["MIT", "Zlib"]);
        assert_eq!(strings(toml, "skip = ["), ["syn@2"]);
    }
}
