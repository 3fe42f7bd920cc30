//! Realistic memories of a few invented projects, and questions with their expected answers.

use serde::Deserialize;
use serde_json::{Value, json};

/// One memory in the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct Note {
    /// The name that questions use for it.
    pub key: String,
    pub kind: String,
    pub title: String,
    pub body: String,
    pub why: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub entities: Vec<String>,
    /// Absent if the memory applies everywhere.
    pub project: Option<String>,
    pub importance: u8,
}

impl Note {
    /// The arguments of `memory_remember`, which are also the engine's request.
    pub fn arguments(&self) -> Value {
        let mut arguments = json!({
            "text": self.body, "title": self.title, "kind": self.kind, "tags": self.tags, "files": self.files,
            "entities": self.entities, "importance": self.importance, "global": self.project.is_none(),
        });
        for (name, value) in [("why", &self.why), ("project", &self.project)] {
            if let Some(value) = value {
                arguments[name] = json!(value);
            }
        }
        arguments
    }
}

/// A question and the keys of the memories that answer it; no keys for nonsense.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    pub query: String,
    pub expect: Vec<String>,
    #[serde(rename = "type")]
    pub sort: String,
    /// The project in which it is asked; absent means all projects.
    pub project: Option<String>,
}

impl Question {
    pub fn is_nonsense(&self) -> bool {
        self.expect.is_empty()
    }
}

pub fn notes() -> Vec<Note> {
    lines(include_str!("../corpus/memories.jsonl"))
}

pub fn questions() -> Vec<Question> {
    lines(include_str!("../corpus/queries.jsonl"))
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    let read = |(at, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("line {}: {e}", at + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_question_names_memories_that_exist() {
        let keys: HashSet<String> = notes().into_iter().map(|note| note.key).collect();
        assert!(keys.len() >= 300, "{} distinct memories", keys.len());
        let questions = questions();
        assert!(questions.len() >= 60, "{} questions", questions.len());
        for question in questions {
            assert_eq!(question.is_nonsense(), question.sort == "nonsense", "{}", question.query);
            for key in &question.expect {
                assert!(keys.contains(key), "{}: {key}", question.query);
            }
        }
    }
}
