//! What a group of evidence proposes: a sentence, where it applies, and when to say it.
//!
//! The sentence is one of the user's own, the one that stands alone best; nothing is composed from several.

use std::collections::{BTreeMap, BTreeSet};

use super::cluster::telling_words;
use super::language;
use super::piece::Piece;
use crate::guidance::{Action, Record, Sort};
use crate::rule::{PROMOTE_IMPORTANCE, Trigger, confidence};

/// Where a proposal applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Project(String),
    /// Several projects, in files of one language.
    Language(&'static str),
    Everywhere,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The piece whose words it has.
    pub lead: usize,
    pub reach: Reach,
    pub when: Vec<Trigger>,
    pub avoid: Vec<String>,
    pub action: Action,
    pub importance: u8,
    pub confidence: f32,
}

/// What an insight starts with before anything speaks for it.
const INITIAL: f32 = 0.5;
/// A longer sentence says more than one thing.
const LONG: usize = 160;
/// More triggers would match everything.
const MOST_TRIGGERS: usize = 3;

/// What these pieces propose; nothing if none of them says what holds.
pub fn propose(pieces: &[&Piece]) -> Option<Proposal> {
    let lead = lead(pieces)?;
    let reach = reach(pieces);
    let when = triggers(pieces, &reach);
    let binds = when.iter().any(|trigger| !matches!(trigger, Trigger::Prompt(_)));
    let sessions: BTreeSet<&str> = pieces.iter().map(|piece| piece.session.as_str()).collect();
    let held = Record { upheld: u32::try_from(sessions.len()).unwrap_or(u32::MAX), ..Record::default() };
    let is_explicit = pieces.iter().any(|piece| piece.is_explicit());
    Some(Proposal {
        lead,
        reach,
        avoid: wrong_terms(pieces),
        action: if binds { Action::Warn } else { Action::Tell },
        when,
        importance: if is_explicit { PROMOTE_IMPORTANCE } else { 3 },
        confidence: confidence(INITIAL, &held),
    })
}

/// The piece that stands alone best.
fn lead(pieces: &[&Piece]) -> Option<usize> {
    let words: Vec<BTreeSet<String>> = pieces.iter().map(|piece| telling_words(&piece.text)).collect();
    let score = |at: usize| {
        let piece = pieces[at];
        let shared: usize = (0..pieces.len())
            .filter(|other| *other != at)
            .map(|other| words[at].intersection(&words[other]).count())
            .sum();
        let detail = &piece.detail;
        i64::from(detail.own) * 1_000
            + i64::from(detail.wrong.is_some() && detail.right.is_some()) * 300
            + i64::from(piece.is_explicit()) * 100
            - i64::from(piece.text.len() > LONG) * 200
            + 20 * (shared.min(20) / pieces.len().max(1)) as i64
            // Of equals, the shorter.
            - (piece.text.len() / 40) as i64
    };
    let can_lead = |piece: &Piece| {
        piece.detail.lasting && matches!(piece.sort, Sort::Correction | Sort::Rejection | Sort::Learned)
    };
    let able = (0..pieces.len()).filter(|at| can_lead(pieces[*at]));
    able.max_by_key(|at| (score(*at), std::cmp::Reverse(*at)))
}

/// One project, or several with a common language, or any.
fn reach(pieces: &[&Piece]) -> Reach {
    let projects: BTreeSet<&str> = pieces.iter().filter_map(|piece| piece.project.as_deref()).collect();
    let elsewhere = pieces.iter().any(|piece| piece.project.is_none());
    match projects.first() {
        Some(only) if projects.len() == 1 && !elsewhere => Reach::Project((*only).to_owned()),
        _ => common_language(pieces).map_or(Reach::Everywhere, Reach::Language),
    }
}

/// The language of which every piece with files has some. One piece with files says nothing of the others.
fn common_language(pieces: &[&Piece]) -> Option<&'static str> {
    let of_files = |piece: &&Piece| -> BTreeSet<&'static str> {
        piece.detail.files.iter().filter_map(|file| language::of(file)).collect()
    };
    let known: Vec<BTreeSet<&'static str>> =
        pieces.iter().map(of_files).filter(|found| !found.is_empty()).collect();
    if known.len() < 2 || known.len() * 2 < pieces.len() {
        return None;
    }
    let first = known.first()?;
    first.iter().copied().find(|language| known.iter().all(|found| found.contains(language)))
}

fn wrong_terms(pieces: &[&Piece]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for wrong in pieces.iter().filter_map(|piece| piece.detail.wrong.as_ref()) {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(wrong)) {
            found.push(wrong.clone());
        }
    }
    found.truncate(MOST_TRIGGERS);
    found
}

/// The command that was wrong; else the files that were changed right before; else what the requests had in common.
fn triggers(pieces: &[&Piece], reach: &Reach) -> Vec<Trigger> {
    let mut patterns: Vec<String> = Vec::new();
    for command in pieces.iter().filter_map(|piece| piece.detail.command.as_ref()) {
        let pattern = format!("command:{command} *");
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if patterns.is_empty() {
        patterns.extend(files(pieces, reach).map(|glob| format!("file:{glob}")));
    }
    if patterns.is_empty() {
        patterns.extend(asked(pieces).map(|words| format!("prompt:{words}")));
    }
    patterns.truncate(MOST_TRIGGERS);
    patterns.iter().filter_map(|pattern| pattern.parse().ok()).collect()
}

/// What most of the evidence has in common, from the narrowest: a file, a folder in one project, an ending.
fn files(pieces: &[&Piece], reach: &Reach) -> Option<String> {
    let with_files: Vec<&Vec<String>> =
        pieces.iter().map(|piece| &piece.detail.files).filter(|files| !files.is_empty()).collect();
    if with_files.len() < 2 || with_files.len() * 2 < pieces.len() {
        return None;
    }
    let in_all = |of: &dyn Fn(&str) -> Vec<String>| -> Option<String> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for files in &with_files {
            let found: BTreeSet<String> = files.iter().flat_map(|file| of(file)).collect();
            for one in found {
                *counts.entry(one).or_default() += 1;
            }
        }
        // Of several, the longest: it is the narrowest.
        let all = counts.into_iter().filter(|(_, count)| *count == with_files.len());
        all.map(|(one, _)| one).max_by_key(|one| one.len())
    };
    let in_project = matches!(reach, Reach::Project(_));
    let is_plain =
        |file: &str| !file.starts_with(['/', '~', '.']) && !file.contains(['*', '?', '[', '{', '\\']);
    let ending =
        |file: &str| language::ending(file).filter(|_| language::of(file).is_some()).map(str::to_lowercase);
    if in_project {
        let whole = |file: &str| if is_plain(file) { vec![file.to_owned()] } else { Vec::new() };
        if let Some(file) = in_all(&whole) {
            return Some(file);
        }
        // `src/` alone is nearly everything.
        let folders = |file: &str| -> Vec<String> {
            let slashes: Vec<usize> = file.match_indices('/').map(|(at, _)| at).collect();
            let deep = slashes.iter().skip(1).filter(|_| is_plain(file));
            deep.map(|at| format!("{}/**", &file[..*at])).collect()
        };
        if let Some(folder) = in_all(&folders) {
            return Some(folder);
        }
    }
    in_all(&|file| ending(file).into_iter().collect()).map(|ending| format!("*.{ending}"))
}

/// Two telling words that every request before a correction had.
fn asked(pieces: &[&Piece]) -> Option<String> {
    let known: Vec<BTreeSet<&String>> = pieces
        .iter()
        .map(|piece| piece.detail.asked.iter().collect())
        .filter(|asked: &BTreeSet<_>| !asked.is_empty())
        .collect();
    if known.len() < 2 || known.len() < pieces.len() {
        return None;
    }
    let mut common: Vec<&String> = known
        .first()?
        .iter()
        .copied()
        .filter(|word| known.iter().all(|asked| asked.contains(word)))
        .collect();
    common.sort_by_key(|word| (std::cmp::Reverse(word.len()), (*word).clone()));
    match common.as_slice() {
        [one, other, ..] => Some(format!("{one} {other}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::Detail;
    use crate::time::Timestamp;

    fn piece(session: &str, project: &str, text: &str, detail: Detail) -> Piece {
        Piece {
            session: session.to_owned(),
            project: Some(project.to_owned()),
            at: Timestamp::from_millis(0),
            sort: Sort::Correction,
            text: text.to_owned(),
            detail: Detail { own: true, lasting: true, ..detail },
        }
    }

    fn proposed(pieces: &[Piece]) -> Proposal {
        propose(&pieces.iter().collect::<Vec<_>>()).unwrap()
    }

    fn edited(files: &[&str]) -> Detail {
        Detail { files: files.iter().map(|file| (*file).to_owned()).collect(), ..Detail::default() }
    }

    fn npm() -> Detail {
        Detail {
            wrong: Some("npm".to_owned()),
            right: Some("pnpm".to_owned()),
            command: Some("npm".to_owned()),
            ..Detail::default()
        }
    }

    fn when(proposal: &Proposal) -> Vec<String> {
        proposal.when.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_wrong_command_is_the_trigger() {
        let pieces = [
            piece("a", "shop", "You keep using npm in this repo.", Detail { right: None, ..npm() }),
            piece("b", "shop", "Use pnpm, not npm.", npm()),
        ];
        let found = proposed(&pieces);
        assert_eq!((found.lead, found.action, found.importance), (1, Action::Warn, 5));
        assert_eq!((when(&found), found.avoid), (vec!["command:npm *".to_owned()], vec!["npm".to_owned()]));
        assert_eq!(found.reach, Reach::Project("shop".to_owned()));
        assert!(found.confidence < 0.8);
    }

    #[test]
    fn files_show_language_and_trigger() {
        let text = "Handlers must be thin.";
        let two = [
            piece("a", "shop", text, edited(&["src/handlers/a.ts", "README.md"])),
            piece("b", "shop", text, edited(&["src/handlers/b.ts"])),
        ];
        assert_eq!(when(&proposed(&two)), ["file:src/handlers/**"]);
        let across = [two[0].clone(), piece("b", "blog", text, edited(&["lib/b.ts"]))];
        let found = proposed(&across);
        assert_eq!(
            (when(&found), found.reach),
            (vec!["file:*.ts".to_owned()], Reach::Language("typescript"))
        );
        let mixed = [two[0].clone(), piece("b", "blog", text, edited(&["lib/b.py"]))];
        let found = proposed(&mixed);
        assert_eq!((when(&found), found.action, found.reach), (vec![], Action::Tell, Reach::Everywhere));
    }

    #[test]
    fn confidence_has_to_be_earned() {
        let many: Vec<Piece> =
            (0..6).map(|n| piece(&format!("s{n}"), "shop", "Use pnpm, not npm.", npm())).collect();
        assert!(proposed(&many[..3]).confidence < 0.8);
        assert!(proposed(&many).confidence >= 0.8);
    }

    #[test]
    fn words_of_requests_are_the_last_resort() {
        let asked = |words: &[&str]| Detail {
            asked: words.iter().map(|word| (*word).to_owned()).collect(),
            ..Detail::default()
        };
        let pieces = [
            piece("a", "shop", "Release notes name the issue.", asked(&["release", "note", "write"])),
            piece("b", "shop", "Release notes must name the issue.", asked(&["draft", "release", "note"])),
        ];
        let found = proposed(&pieces);
        assert_eq!((when(&found), found.action), (vec!["prompt:release note".to_owned()], Action::Tell));
    }

    #[test]
    fn nothing_is_proposed_without_a_sentence_that_holds() {
        let mut pieces = [
            piece("a", "shop", "Revert that change.", Detail::default()),
            piece("b", "shop", "Undo it.", Detail::default()),
        ];
        for piece in &mut pieces {
            piece.sort = Sort::Undone;
        }
        assert_eq!(propose(&pieces.iter().collect::<Vec<_>>()), None);
    }
}
