//! Prompts for the gate: a project's own questions want an answer, a stranger's and small talk silence.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::pick::Kind;
use super::session::{Role, Session};
use super::set::{Among, Index, Question};
use super::words::{order, terms};

pub(super) struct Pair {
    pid: String,
    /// The project whose memories are searched.
    project: String,
    prompt: String,
    date: String,
    why: &'static str,
    /// What may be injected; nothing where silence is right.
    pub(super) gold: Vec<String>,
}

impl Pair {
    pub(super) fn json(&self) -> Value {
        let expect = if self.gold.is_empty() { "silent" } else { "inject" };
        json!({"pid": self.pid, "set": "coding", "haystack": self.project, "prompt": self.prompt,
            "expect": expect, "gold": self.gold, "date": self.date, "why": self.why})
    }
}

/// Above this share of its terms in one turn, a stranger's session may hold an answer by chance.
const BY_CHANCE: f64 = 0.5;
/// Prompts of at most so many words that people really sent: "yes", "go ahead", "commit it".
const SMALL_TALK: usize = 2;
const MOST_SMALL_TALK: usize = 40;
/// First prompts of a session, asked in another project.
const MOST_PROMPTS: usize = 60;

pub(super) fn pairs(sessions: &[Session], questions: &[Question]) -> Vec<Pair> {
    let index = Index::of(sessions);
    let projects: BTreeSet<&str> = sessions.iter().map(|session| session.project.as_str()).collect();
    let projects: Vec<&str> = projects.into_iter().collect();
    let mut pairs = Vec::new();
    let mut add = |project: &str, prompt: &str, date: &str, why, gold: &[String]| {
        let (project, prompt, date) = (project.to_owned(), prompt.to_owned(), date.to_owned());
        pairs.push(Pair {
            pid: format!("p{:04}", pairs.len()),
            project,
            prompt,
            date,
            why,
            gold: gold.to_vec(),
        });
    };
    let stranger = |own: &str, prompt: &str| {
        let mut others: Vec<&str> = projects.iter().copied().filter(|project| *project != own).collect();
        others.sort_by_key(|project| order(&format!("{project} {prompt}")));
        let fits = index.fit(&terms(prompt), Among::All);
        let knows = |project: &str| {
            sessions.iter().zip(&fits).any(|(session, fit)| session.project == project && *fit >= BY_CHANCE)
        };
        others.into_iter().find(|project| !knows(project))
    };
    for question in questions {
        add(&question.project, &question.query, &question.date, question.kind.name(), &question.gold);
        // A file that a project does not have is easily silent: a few of those are enough.
        let easy = matches!(question.kind, Kind::FileHistory | Kind::Superseded);
        if (!easy || order(&question.query).is_multiple_of(4))
            && let Some(other) = stranger(&question.project, &question.query)
        {
            add(other, &question.query, &question.date, "other project", &[]);
        }
    }
    let users = |session: &Session| -> Vec<String> {
        let prompts = session.said().filter(|(role, _)| *role == Role::User);
        prompts.map(|(_, text)| text.to_owned()).collect()
    };
    let mut first: Vec<(&Session, String)> =
        sessions.iter().filter_map(|s| users(s).into_iter().next().map(|prompt| (s, prompt))).collect();
    first.retain(|(_, prompt)| (6..80).contains(&prompt.split_whitespace().count()));
    first.sort_by_key(|(_, prompt)| order(prompt));
    for (session, prompt) in first.iter().take(MOST_PROMPTS) {
        if let Some(other) = stranger(&session.project, prompt) {
            add(other, prompt, &session.ended, "other project's prompt", &[]);
        }
    }
    let mut small: Vec<(String, &Session)> =
        sessions.iter().flat_map(|s| users(s).into_iter().map(move |prompt| (prompt, s))).collect();
    small.retain(|(prompt, _)| {
        prompt.len() < 20 && (1..=SMALL_TALK).contains(&prompt.split_whitespace().count())
    });
    small.sort_by(|a, b| (order(&a.0), &a.0, &a.1.id).cmp(&(order(&b.0), &b.0, &b.1.id)));
    small.dedup_by(|a, b| a.0.eq_ignore_ascii_case(&b.0));
    for (prompt, session) in small.iter().take(MOST_SMALL_TALK) {
        add(&session.project, prompt, &session.ended, "small talk", &[]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::set::tests::session;

    #[test]
    fn strangers_and_small_talk_want_silence() {
        let rule = "Never write the journal file from two worker processes holding different leases.";
        let mut a =
            session("a", 1, rule, "The journal file has leases: worker processes holding none cannot write");
        a.say(Role::User, "yes");
        let mut b = session("b", 2, "Colour all buttons of the settings page green", "Done with the buttons");
        b.project = "q".to_owned();
        let sessions = [a, b];
        let questions = crate::coding::set::build(&sessions).questions;
        let pairs = pairs(&sessions, &questions);
        let seen: Vec<(&str, &str)> = pairs.iter().map(|p| (p.why, p.project.as_str())).collect();
        assert!(seen.contains(&("constraint", "p")) && seen.contains(&("other project", "q")));
        assert!(seen.contains(&("small talk", "p")));
        assert!(pairs.iter().all(|pair| pair.gold.is_empty() == (pair.why != "constraint")));
    }
}
