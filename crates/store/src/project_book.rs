//! `projects.json`: what the user decided about projects. Which was merged into which, so that a folder that still
//! has the old key is the new project, and what a project is called.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::files::Stamp;
use crate::layout::Layout;
use crate::store::Store;
use crate::write::Writer;

const VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectBook {
    version: u32,
    /// The key of a project that is gone, and the key that replaced it.
    #[serde(default)]
    pub merged: BTreeMap<String, String>,
    /// What people call a project, by its key.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

impl Default for ProjectBook {
    fn default() -> Self {
        ProjectBook { version: VERSION, merged: BTreeMap::new(), names: BTreeMap::new() }
    }
}

impl ProjectBook {
    fn read(layout: &Layout) -> Result<ProjectBook, StoreError> {
        let path = layout.projects();
        let Some(bytes) = layout.read(&path)? else { return Ok(ProjectBook::default()) };
        let unreadable = |reason: String| StoreError::Unreadable { path: path.clone(), reason };
        let book: ProjectBook = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
        if book.version > VERSION {
            return Err(unreadable("it was written by a newer hark".to_owned()));
        }
        Ok(book)
    }

    fn write(&self, layout: &Layout) -> Result<(), StoreError> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        layout.create_folder(&layout.staging())?;
        layout.write(&layout.projects(), text.as_bytes()).map(drop)
    }

    /// The key that stands for `key` now.
    pub fn current<'b>(&'b self, key: &'b str) -> &'b str {
        let mut current = key;
        // As many steps as there are entries: a circle, made by hand, ends too.
        for _ in 0..self.merged.len() {
            match self.merged.get(current) {
                Some(next) if next != key => current = next,
                _ => break,
            }
        }
        current
    }

    /// From now on `into` stands for `from`. What was merged into `from` before goes on to `into`.
    pub fn merge(&mut self, from: &str, into: &str) {
        self.merged.remove(into);
        for target in self.merged.values_mut().filter(|target| *target == from) {
            into.clone_into(target);
        }
        self.merged.insert(from.to_owned(), into.to_owned());
        self.merged.retain(|from, into| from != into);
        if let Some(name) = self.names.remove(from) {
            self.names.entry(into.to_owned()).or_insert(name);
        }
    }
}

impl Store {
    /// The file as it stands now, or as it was when it could last be read.
    pub fn project_book(&self) -> ProjectBook {
        let stamp = self.layout.stamp(&self.layout.projects()).unwrap_or(None);
        let mut known = self.book.borrow_mut();
        if known.0 != stamp {
            match ProjectBook::read(&self.layout) {
                Ok(book) => *known = (stamp, book),
                Err(_) => known.0 = stamp,
            }
        }
        known.1.clone()
    }
}

/// The file as last read, and when that was.
pub(crate) type Known = (Option<Stamp>, ProjectBook);

impl Writer<'_> {
    pub fn change_project_book<T>(
        &mut self,
        change: impl FnOnce(&mut ProjectBook) -> T,
    ) -> Result<T, StoreError> {
        let mut book = ProjectBook::read(self.layout)?;
        let before = book.clone();
        let outcome = change(&mut book);
        if book != before {
            self.journal_file(&self.layout.projects());
            book.write(self.layout)?;
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_follow_each_other_and_never_form_a_circle() {
        let mut book = ProjectBook::default();
        book.merge("a", "b");
        book.merge("b", "c");
        assert_eq!([book.current("a"), book.current("b"), book.current("c")], ["c"; 3]);
        book.merge("c", "a");
        assert_eq!([book.current("a"), book.current("b"), book.current("c")], ["a"; 3]);
        book.merged = BTreeMap::from([("x".into(), "y".into()), ("y".into(), "x".into())]);
        assert_eq!(book.current("x"), "y", "a circle made by hand ends");
    }

    #[test]
    fn a_name_moves_along_unless_the_other_has_one() {
        let mut book = ProjectBook::default();
        book.names.insert("a".into(), "Shop".into());
        book.merge("a", "b");
        assert_eq!(book.names.get("b").map(String::as_str), Some("Shop"));
        book.names.insert("c".into(), "Till".into());
        book.merge("b", "c");
        assert_eq!(book.names, BTreeMap::from([("c".into(), "Till".into())]));
    }
}
