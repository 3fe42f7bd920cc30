//! The steps of several runs as one: `{name}` stands where they differ.

use std::collections::BTreeMap;

use super::step::{Part, parts};
use super::value::{is_generated, is_message, name_of, sort_of};

/// The steps as command lines. `None` if the runs differ too much to be one procedure: a step may differ in one word,
/// in a message, and in which files it names.
pub fn general(runs: &[&[Vec<String>]]) -> Option<Vec<String>> {
    let steps = runs.iter().map(|steps| steps.len()).min()?;
    let mut names = Names::default();
    let split: Vec<Vec<Vec<Part>>> =
        (0..steps).map(|step| runs.iter().map(|run| parts(&run[step])).collect()).collect();
    // Messages quote other values, so those get their names first.
    for step in &split {
        let mut own = Vec::new();
        for (place, part) in step.first()?.iter().enumerate() {
            let flag = flag_before(&step[0], place);
            for values in columns(step, place, part)? {
                if values.iter().all(|value| is_message(value)) {
                    continue;
                }
                if values.iter().any(|value| is_generated(value))
                    || values.windows(2).any(|two| two[0] != two[1])
                {
                    let name = names.of(&values, flag.as_deref());
                    let counts = !values.iter().all(|value| is_generated(value)) && !is_list(&values);
                    if counts && !own.contains(&name) {
                        own.push(name);
                    }
                }
            }
        }
        if own.len() > 1 {
            return None;
        }
    }
    split.iter().map(|step| line(step, &mut names)).collect()
}

/// Each value of a part in every run: one column per word, or one for all words if their number differs.
fn columns(step: &[Vec<Part>], place: usize, part: &Part) -> Option<Vec<Vec<String>>> {
    let others = || step.iter().map(|parts| parts.get(place));
    match part {
        Part::Fixed(_) => Some(Vec::new()),
        Part::Set(..) => {
            let values = others().map(|part| match part {
                Some(Part::Set(_, value)) => Some(value.clone()),
                _ => None,
            });
            Some(vec![values.collect::<Option<Vec<_>>>()?])
        }
        Part::Values(_) => {
            let values = others().map(|part| match part {
                Some(Part::Values(values)) => Some(values.clone()),
                _ => None,
            });
            let values = values.collect::<Option<Vec<_>>>()?;
            let width = values.first()?.len();
            if values.iter().all(|list| list.len() == width) {
                return Some(
                    (0..width).map(|at| values.iter().map(|list| list[at].clone()).collect()).collect(),
                );
            }
            Some(vec![values.iter().map(|list| list.join("\u{1}")).collect()])
        }
    }
}

/// Several words as one value.
fn is_list(values: &[String]) -> bool {
    values.iter().any(|value| value.contains('\u{1}'))
}

fn flag_before(parts: &[Part], place: usize) -> Option<String> {
    match (parts.get(place), place.checked_sub(1).and_then(|before| parts.get(before))) {
        (Some(Part::Set(flag, _)), _) => Some(flag.clone()),
        (_, Some(Part::Fixed(flag))) if flag.starts_with('-') => Some(flag.clone()),
        _ => None,
    }
}

fn line(step: &[Vec<Part>], names: &mut Names) -> Option<String> {
    let mut words = Vec::new();
    for (place, part) in step.first()?.iter().enumerate() {
        let flag = flag_before(&step[0], place);
        let told = |values: Vec<String>, names: &mut Names| -> String {
            if values.iter().all(|value| is_message(value)) {
                return message(&values, names, flag.as_deref());
            }
            if let Some(name) = names.known(&values) {
                return format!("{{{name}}}");
            }
            shell_word(&values[0])
        };
        match part {
            Part::Fixed(word) => words.push(shell_word(word)),
            Part::Set(name, _) => {
                let values = columns(step, place, part)?.into_iter().next()?;
                words.push(format!("{name}={}", told(values, names)));
            }
            Part::Values(_) => {
                for values in columns(step, place, part)? {
                    words.push(told(values, names));
                }
            }
        }
    }
    Some(words.join(" "))
}

/// A message: itself if it is the same in every run, apart from values that have a name.
fn message(values: &[String], names: &mut Names, flag: Option<&str>) -> String {
    let filled: Vec<String> = values.iter().enumerate().map(|(run, text)| names.fill(text, run)).collect();
    let same = filled.windows(2).all(|two| two[0] == two[1]);
    let plain =
        filled[0].split_whitespace().all(|word| !is_generated(word)) && !filled[0].contains(['$', '`', '\n']);
    if same && plain && filled[0].chars().count() <= 80 {
        return shell_word(&filled[0]);
    }
    format!("{{{}}}", names.of(values, flag))
}

/// A word as it is typed.
fn shell_word(word: &str) -> String {
    let is_plain =
        !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"`$&|;<>()*?#\\!".contains(c));
    if is_plain {
        word.to_owned()
    } else {
        format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// One run of a command, without values that belong to that run only.
pub(super) fn masked(words: &[String]) -> String {
    let mask = |word: &String| match sort_of(word).filter(|_| is_generated(word)) {
        Some(sort) => format!("{{{sort}}}"),
        None if is_message(word) => "{message}".to_owned(),
        None => shell_word(word),
    };
    let line: Vec<String> = words.iter().map(mask).collect();
    crate::failure::record::short(&line.join(" "), 120)
}

/// Parameters: the same values in the same runs have one name.
#[derive(Default)]
struct Names(BTreeMap<Vec<String>, String>);

impl Names {
    fn known(&self, values: &[String]) -> Option<&String> {
        self.0.get(values)
    }

    fn of(&mut self, values: &[String], flag: Option<&str>) -> String {
        if let Some(name) = self.0.get(values) {
            return name.clone();
        }
        let plain: Vec<&str> = values.iter().map(String::as_str).collect();
        let base = if is_list(values) {
            let all = || values.iter().flat_map(|value| value.split('\u{1}'));
            if all().all(|word| word.contains(['/', '.'])) { "files" } else { "arguments" }.to_owned()
        } else {
            name_of(&plain, flag)
        };
        let mut name = base.clone();
        let mut number = 2;
        while self.0.values().any(|taken| *taken == name) {
            name = format!("{base}{number}");
            number += 1;
        }
        self.0.insert(values.to_vec(), name.clone());
        name
    }

    /// A text of one run with the values that have a name replaced.
    fn fill(&self, text: &str, run: usize) -> String {
        let mut values: Vec<(&str, &str)> = self
            .0
            .iter()
            .filter_map(|(values, name)| Some((values.get(run)?.as_str(), name.as_str())))
            .filter(|(value, _)| value.len() >= 3)
            .collect();
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        let mut text = text.to_owned();
        for (value, name) in values {
            text = text.replace(value, &format!("{{{name}}}"));
        }
        text
    }
}
