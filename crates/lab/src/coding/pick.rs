//! Picks what to ask about a session: its decisions, rules, commands and fixes.

use super::session::{Role, Run, Session};
use super::words::{content, has_phrase, head, order, plain, reduced, sentences};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Decision,
    Command,
    Fix,
    Constraint,
    FileHistory,
    Superseded,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Decision => "decision",
            Kind::Command => "command",
            Kind::Fix => "fix",
            Kind::Constraint => "constraint",
            Kind::FileHistory => "file-history",
            Kind::Superseded => "superseded",
        }
    }
}

/// A question that one session answers.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) query: String,
    /// What the question was made from, and no document may keep.
    pub(super) cut: Option<String>,
    /// The answer in one sentence, as a document of its own.
    pub(super) fact: Option<String>,
}

/// Per session and kind: long sessions would otherwise be the benchmark.
const MOST: usize = 5;
/// How many commands later a success may still belong to a failure.
const REACH: usize = 20;

const DECISIONS: [&str; 8] = [
    "decided",
    "let's use",
    "let's go with",
    "instead of",
    "because",
    "rather than",
    "we chose",
    "the reason",
];
const RULES: [&str; 11] = [
    "don't",
    "do not",
    "never",
    "always",
    "must",
    "should",
    "should not",
    "shouldn't",
    "make sure",
    "needs to",
    "has to",
];
/// The same words where they only tell what is the case.
const REPORTS: [&str; 9] = [
    "i don't",
    "we don't",
    "you don't",
    "they don't",
    "it always",
    "somehow always",
    "i do not",
    "we do not",
    "they do not",
];
const COMPLAINTS: [&str; 8] =
    ["error", "failed", "fail", "panic", "undefined", "cannot", "fatal", "not found"];

pub(super) fn candidates(session: &Session) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (kind, markers, speaker) in
        [(Kind::Decision, DECISIONS.as_slice(), None), (Kind::Constraint, RULES.as_slice(), Some(Role::User))]
    {
        let said = session.said().filter(|(role, _)| speaker.is_none_or(|speaker| speaker == *role));
        let sentences = said.flat_map(|(_, text)| sentences(text));
        let has = |sentence: &str, any: &[&str]| any.iter().any(|phrase| has_phrase(sentence, phrase));
        let marked = sentences.filter(|sentence| has(sentence, markers) && !sentence.ends_with('?'));
        let marked = marked.filter(|sentence| kind != Kind::Constraint || !has(sentence, &REPORTS));
        keep(&mut all, marked.filter_map(|sentence| from_sentence(kind, sentence)));
    }
    let recovered = recovered(session);
    keep(&mut all, recovered.iter().filter_map(|(failed, worked)| command(failed, worked)));
    keep(&mut all, recovered.iter().filter_map(|(failed, worked)| fix(failed, worked)));
    all
}

/// The first few in seeded order, each question once.
fn keep(all: &mut Vec<Candidate>, new: impl Iterator<Item = Candidate>) {
    let mut new: Vec<Candidate> = new.collect();
    new.sort_by_key(|candidate| (order(&candidate.query), candidate.query.clone()));
    new.dedup_by(|a, b| a.query == b.query);
    new.truncate(MOST);
    all.extend(new);
}

fn from_sentence(kind: Kind, sentence: &str) -> Option<Candidate> {
    let words = content(sentence);
    let query = (5..=22).contains(&words.len()).then(|| reduced(&words))?;
    Some(Candidate { kind, query, cut: Some(sentence.to_owned()), fact: None })
}

/// Failures with the later success of the same program in the same session.
fn recovered(session: &Session) -> Vec<(&Run, &Run)> {
    let runs: Vec<&Run> = session.runs().collect();
    let mut pairs: Vec<(&Run, &Run)> = Vec::new();
    let failures: Vec<bool> = runs.iter().map(|run| has_failed(run)).collect();
    for (at, failed) in runs.iter().enumerate().filter(|(at, _)| failures[*at]) {
        let same =
            |run: &&&Run| !run.output.is_empty() && program(run) == program(failed) && !has_failed(run);
        if let Some(worked) = runs[at + 1..].iter().take(REACH).find(same) {
            pairs.push((failed, worked));
        }
    }
    pairs
}

/// How the line that tells of a failure begins.
const FAILURES: [&str; 11] = [
    "FAIL",
    "--- FAIL",
    "error:",
    "Error:",
    "error[",
    "error TS",
    "panic:",
    "fatal:",
    "npm ERR!",
    "** (",
    "== Compilation error",
];

/// Behind a pipe (`go test | tail`) a failure is only in the output; what merely shows text may show anybody's.
fn has_failed(run: &Run) -> bool {
    let shows = |first: &&str| LOOKING.contains(first) || matches!(*first, "git" | "gh" | "jq");
    let told = || {
        let output = plain(&run.output);
        output.lines().any(|line| FAILURES.iter().any(|start| line.trim_start().starts_with(start)))
    };
    !run.ok || !program(run).first().is_none_or(shows) && told()
}

/// The program and its first argument that is not an option: `go test`, `mix format`.
fn program(run: &Run) -> Vec<&str> {
    let own = run.command.rsplit_once("&& ").filter(|(before, _)| before.starts_with("cd "));
    let command = own.map_or(run.command.as_str(), |(_, after)| after);
    let words =
        command.split_whitespace().filter(|word| !word.contains('=') && !word.starts_with(['-', '/']));
    words.take(2).collect()
}

/// Programs whose failure says nothing about how the project is worked on.
const LOOKING: [&str; 12] =
    ["ls", "cat", "find", "grep", "rg", "sed", "head", "tail", "cd", "echo", "which", "sleep"];

fn command(failed: &Run, worked: &Run) -> Option<Candidate> {
    let words = content(&worked.goal);
    let looking = program(worked).first().is_none_or(|first| LOOKING.contains(first));
    if looking || words.len() < 3 || worked.command.len() > 600 {
        return None;
    }
    let mut fact = format!("`{}` works", worked.command);
    if failed.command != worked.command {
        fact += &format!("; `{}` failed", head(&failed.command, 300));
    }
    Some(Candidate {
        kind: Kind::Command,
        query: format!("command to {}", words.join(" ")),
        cut: None,
        fact: Some(fact),
    })
}

fn fix(failed: &Run, worked: &Run) -> Option<Candidate> {
    let output = plain(&failed.output);
    let said_no = ["doesn't want to proceed", "requires approval", "tool_use_error", "interrupted", "denied"];
    if said_no.iter().any(|no| output.contains(no)) {
        return None;
    }
    let lines = output.lines().map(str::trim).filter(|line| (20..400).contains(&line.len()));
    let complains = |line: &&str| COMPLAINTS.iter().any(|word| has_phrase(line, word));
    let line = lines.filter(complains).find(|line| content(line).len() >= 4)?;
    if plain(&worked.output).contains(line) {
        return None;
    }
    let words = content(line);
    let query = words[..words.len().min(10)].join(" ");
    Some(Candidate { kind: Kind::Fix, query, cut: Some(line.to_owned()), fact: None })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::coding::session::Event;

    pub(in crate::coding) fn run(command: &str, goal: &str, output: &str, ok: bool) -> Event {
        let (command, goal, output) = (command.to_owned(), goal.to_owned(), output.to_owned());
        Event::Ran(Run { command, goal, ok, output })
    }

    #[test]
    fn each_kind_is_found() {
        let mut session = Session::default();
        session.say(Role::User, "Never write the lock file from two worker processes at once here.");
        session.say(
            Role::Assistant,
            "We keep sqlite rather than postgres since laptops start without a database daemon.",
        );
        session.events.push(run(
            "cd /p && go test ./store",
            "Run tests",
            "Exit code 1\nstore.go:3: undefined: OpenWriter in package shelf",
            false,
        ));
        session.events.push(run("cd /p && go test ./store | tail", "Run tests", "--- FAIL: TestOpen", true));
        session.events.push(run(
            "cd /p && go test -tags fts5 ./store",
            "Run store tests with full text",
            "ok",
            true,
        ));
        let found = candidates(&session);
        let kinds: Vec<Kind> = found.iter().map(|candidate| candidate.kind).collect();
        assert_eq!(kinds, [Kind::Decision, Kind::Constraint, Kind::Command, Kind::Fix]);
        assert_eq!(found[2].query, "command to Run store tests full text");
        assert!(found[2].fact.as_ref().unwrap().contains("-tags fts5"));
        assert_eq!(found[3].query, "store.go undefined OpenWriter package shelf");
    }
}
