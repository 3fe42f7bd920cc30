//! From candidates to a set: what is ambiguous or unanswerable goes, the rest is cut out of its documents.

use std::collections::{BTreeMap, BTreeSet};

use super::pick::{Candidate, Kind, candidates};
use super::session::{Event, Role, Session};
use super::words::{head, order, plain, terms};

pub(super) struct Document {
    pub(super) id: String,
    pub(super) project: String,
    pub(super) date: String,
    pub(super) body: Body,
    pub(super) files: Vec<String>,
}

pub(super) enum Body {
    Turns(Vec<(Role, String)>),
    Fact { session: String, text: String },
}

pub(super) struct Question {
    pub(super) qid: String,
    pub(super) kind: Kind,
    pub(super) query: String,
    pub(super) project: String,
    pub(super) date: String,
    pub(super) gold: Vec<String>,
    /// Sessions that said the same earlier: they should come after the gold one.
    pub(super) stale: Vec<String>,
}

pub(super) struct Set {
    pub(super) documents: Vec<Document>,
    pub(super) questions: Vec<Question>,
    /// How many candidates were dropped, and why.
    pub(super) dropped: BTreeMap<&'static str, usize>,
}

/// Questions of one kind: the rarer kinds would otherwise drown.
const MOST_OF_A_KIND: usize = 90;
/// From this share of a question's terms in one turn, another session answers it as well.
const AMBIGUOUS: f64 = 0.75;
/// Least share of a question's terms that the gold session still has to hold after the cut.
const ANSWERABLE: f64 = 0.4;
/// Sessions that may share a file before its history is nobody's in particular.
const MOST_EDITORS: usize = 4;

/// What the sessions hold before anything is cut, for telling apart whom a question fits.
pub(super) struct Index {
    /// Where each term is: session, and which of its turns, commands with their goals among them.
    places: BTreeMap<String, Vec<(usize, usize)>>,
    commands: BTreeSet<(usize, usize)>,
    sessions: usize,
}

/// Which turns can answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    All,
    Commands,
}

impl Index {
    pub(super) fn of(sessions: &[Session]) -> Self {
        let mut places: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut commands = BTreeSet::new();
        for (at, session) in sessions.iter().enumerate() {
            for (turn, event) in session.events.iter().enumerate() {
                let held = match event {
                    Event::Said { text, .. } => terms(text),
                    Event::Ran(run) => {
                        commands.insert((at, turn));
                        terms(&format!("{} {} {}", run.goal, run.command, head(&run.output, 2000)))
                    }
                };
                held.into_iter().for_each(|term| places.entry(term).or_default().push((at, turn)));
            }
        }
        Index { places, commands, sessions: sessions.len() }
    }

    /// For each session, by its best turn: what share of the question's terms it holds, rare ones weighing more.
    pub(super) fn fit(&self, question: &BTreeSet<String>, among: Among) -> Vec<f64> {
        let mut turns: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        let mut all = f64::MIN_POSITIVE;
        for term in question {
            let weight = self.weight(term);
            all += weight;
            for place in self.places.get(term).into_iter().flatten() {
                *turns.entry(*place).or_insert(0.0) += weight;
            }
        }
        turns.retain(|place, _| among == Among::All || self.commands.contains(place));
        let mut best = vec![0.0; self.sessions];
        turns.into_iter().for_each(|((at, _), sum)| best[at] = f64::max(best[at], sum / all));
        best
    }

    fn share(&self, question: &BTreeSet<String>, held: &BTreeSet<String>) -> f64 {
        let all: f64 = question.iter().map(|term| self.weight(term)).sum();
        let there = question.iter().filter(|term| held.contains(*term));
        there.map(|term| self.weight(term)).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }

    fn weight(&self, term: &str) -> f64 {
        let mut spread: Vec<usize> = self.places.get(term).into_iter().flatten().map(|(at, _)| *at).collect();
        spread.dedup();
        (1.0 + self.sessions as f64 / (1.0 + spread.len() as f64)).ln()
    }
}

pub(super) fn build(sessions: &[Session]) -> Set {
    let index = Index::of(sessions);
    let mut dropped = BTreeMap::new();
    let mut chosen: Vec<(usize, Candidate, Vec<usize>)> = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        for candidate in candidates(session) {
            // Who asks for a command is not helped by talk about what it does.
            let among = if candidate.kind == Kind::Command { Among::Commands } else { Among::All };
            let fits = index.fit(&terms(&candidate.query), among);
            let others: Vec<usize> =
                (0..sessions.len()).filter(|other| *other != at && fits[*other] >= AMBIGUOUS).collect();
            // The same subject again, later and in the same project: the last word counts.
            let earlier = |other: &usize| {
                sessions[*other].project == session.project && sessions[*other].ended < session.began
            };
            if others.is_empty() || others.iter().all(earlier) && others.len() < MOST_EDITORS {
                chosen.push((at, candidate, others));
            } else {
                *dropped.entry("ambiguous").or_insert(0) += 1;
            }
        }
    }
    chosen.sort_by_key(|(at, candidate, _)| (order(&candidate.query), *at));
    // A sentence can be a decision and a rule.
    chosen.dedup_by(|(a, one, _), (b, other, _)| a == b && one.query == other.query);
    let mut per_kind: BTreeMap<Kind, usize> = BTreeMap::new();
    chosen.retain(|(_, candidate, _)| {
        let count = per_kind.entry(candidate.kind).or_insert(0);
        *count += 1;
        *count <= MOST_OF_A_KIND
    });

    let mut documents: Vec<Document> = Vec::new();
    for (at, session) in sessions.iter().enumerate() {
        // Where an earlier session says the same, both keep their words: the question is which comes first.
        let cuts = chosen.iter().filter(|(owner, _, others)| *owner == at && others.is_empty());
        let cuts: Vec<&str> = cuts.filter_map(|(_, candidate, _)| candidate.cut.as_deref()).collect();
        documents.push(document(session, &cuts));
    }
    let mut questions = Vec::new();
    for (at, candidate, others) in chosen {
        let held = documents[at].terms();
        // A command is rarely in the words of its goal: that is what the kind is about.
        if candidate.kind != Kind::Command && index.share(&terms(&candidate.query), &held) < ANSWERABLE {
            *dropped.entry("nothing left to find").or_insert(0) += 1;
            continue;
        }
        let session = &sessions[at];
        let mut gold = vec![session.id.clone()];
        if let Some(text) = candidate.fact {
            let id = format!("{}#{}", session.id, questions.len());
            gold.push(id.clone());
            let body = Body::Fact { session: session.id.clone(), text };
            let (project, date) = (session.project.clone(), session.ended.clone());
            documents.push(Document { id, project, date, body, files: Vec::new() });
        }
        let kind = if others.is_empty() { candidate.kind } else { Kind::Superseded };
        let stale = others.iter().map(|other| sessions[*other].id.clone()).collect();
        questions.push(question(sessions, session, kind, candidate.query, gold, stale));
    }
    questions.extend(histories(sessions));
    questions.sort_by(|a, b| (a.kind, &a.query).cmp(&(b.kind, &b.query)));
    for (number, question) in questions.iter_mut().enumerate() {
        question.qid = format!("k{number:04}");
    }
    Set { documents, questions, dropped }
}

/// Asked after everything that happened in the project.
fn question(
    sessions: &[Session],
    session: &Session,
    kind: Kind,
    query: String,
    gold: Vec<String>,
    stale: Vec<String>,
) -> Question {
    let own = sessions.iter().filter(|other| other.project == session.project);
    let date = own.map(|other| other.ended.clone()).max().unwrap_or_default();
    Question { qid: String::new(), kind, query, project: session.project.clone(), date, gold, stale }
}

/// Every other file that several sessions edited asks for the last one, the rest for all of them.
fn histories(sessions: &[Session]) -> Vec<Question> {
    let mut editors: BTreeMap<&str, BTreeMap<&str, Vec<&Session>>> = BTreeMap::new();
    for session in sessions {
        for path in &session.files {
            let name = path.rsplit('/').next().unwrap_or_default();
            editors.entry(name).or_default().entry(path).or_default().push(session);
        }
    }
    // A name that is several files does not say which one is meant.
    let single = editors.into_iter().filter(|(_, paths)| paths.len() == 1);
    let mut files: Vec<(&str, Vec<&Session>)> =
        single.flat_map(|(name, paths)| paths.into_values().map(move |by| (name, by))).collect();
    files.retain(|(name, by)| {
        by.len() <= MOST_EDITORS && name.len() > 5 && by.iter().all(|one| one.project == by[0].project)
    });
    files.sort_by_key(|(name, _)| order(name));
    let mut questions = Vec::new();
    let (mut all, mut last) = (0, 0);
    for (name, mut by) in files {
        by.sort_by(|a, b| a.ended.cmp(&b.ended));
        let Some(latest) = by.last() else { continue };
        let id = |session: &&Session| session.id.clone();
        if by.len() > 1 && last <= all && last < MOST_OF_A_KIND / 2 {
            last += 1;
            let stale = by[..by.len() - 1].iter().map(id).collect();
            let query = format!("what was the latest change to {name}");
            questions.push(question(sessions, latest, Kind::Superseded, query, vec![id(latest)], stale));
        } else if all < MOST_OF_A_KIND / 2 {
            all += 1;
            let (query, gold) = (format!("what changed in {name}"), by.iter().map(id).collect());
            questions.push(question(sessions, latest, Kind::FileHistory, query, gold, Vec::new()));
        }
    }
    questions
}

fn document(session: &Session, cuts: &[&str]) -> Document {
    let without = |text: String| cuts.iter().fold(text, |text, cut| text.replace(cut, ""));
    let turn = |event: &Event| match event {
        Event::Said { role, text } => (*role, without(text.clone())),
        Event::Ran(run) => {
            // What a command prints when all is well is rarely worth remembering.
            let output = if run.ok { String::new() } else { without(plain(&run.output)) };
            let command = without(run.command.clone());
            let text = format!("$ {}\n{}", head(&command, 600), head(&output, 400));
            (Role::Assistant, text.trim_end().to_owned())
        }
    };
    let turns = session.events.iter().map(turn).filter(|(_, text)| !text.trim().is_empty()).collect();
    Document {
        id: session.id.clone(),
        project: session.project.clone(),
        date: session.ended.clone(),
        body: Body::Turns(turns),
        files: session.files.iter().cloned().collect(),
    }
}

impl Document {
    fn terms(&self) -> BTreeSet<String> {
        match &self.body {
            Body::Turns(turns) => turns.iter().flat_map(|(_, text)| terms(text)).collect(),
            Body::Fact { text, .. } => terms(text),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::coding) fn session(id: &str, day: u8, user: &str, answer: &str) -> Session {
        let time = format!("2026-01-{day:02}T00:00:00Z");
        let mut session = Session { id: id.to_owned(), project: "p".to_owned(), ..Session::default() };
        session.seen_at(&time);
        session.say(Role::User, user);
        session.say(Role::Assistant, answer);
        session
    }

    const RULE: &str = "Never write the journal file from two worker processes holding different leases.";

    #[test]
    fn the_question_is_not_in_its_document() {
        let other = session("b", 2, "Colour the buttons of the settings page green", "Done with the buttons");
        let sessions = [
            session(
                "a",
                1,
                RULE,
                "The journal file now has leases: worker processes holding none cannot write",
            ),
            other,
        ];
        let set = build(&sessions);
        assert_eq!(set.questions.len(), 1);
        assert_eq!(
            (set.questions[0].kind, set.questions[0].gold.as_slice()),
            (Kind::Constraint, ["a".to_owned()].as_slice())
        );
        let Body::Turns(turns) = &set.documents[0].body else { panic!("a session") };
        assert!(turns.iter().all(|(_, text)| !text.contains("Never write")));
    }

    #[test]
    fn said_twice_means_the_later_one() {
        let answer = "The journal file now has leases: worker processes holding none cannot write";
        let set = build(&[session("a", 1, RULE, answer), session("b", 2, RULE, answer)]);
        assert_eq!(set.questions.len(), 1);
        assert_eq!((set.questions[0].gold[0].as_str(), set.questions[0].stale[0].as_str()), ("b", "a"));
        assert_eq!(set.questions[0].kind, Kind::Superseded);
        assert_eq!(set.dropped["ambiguous"], 1);
    }

    #[test]
    fn files_have_histories() {
        let (mut a, mut b) = (session("a", 1, "x", "y"), session("b", 2, "x", "y"));
        for path in ["src/journal.rs", "src/reader.rs", "src/writer.rs"] {
            a.files.insert(path.to_owned());
        }
        b.files.insert("src/journal.rs".to_owned());
        let questions = build(&[a, b]).questions;
        let last: Vec<&Question> = questions.iter().filter(|q| !q.stale.is_empty()).collect();
        assert_eq!((last.len(), questions.len()), (1, 3));
        assert_eq!(last[0].gold, ["b"]);
    }
}
