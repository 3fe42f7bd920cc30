//! Plans one file: what hark has in it now, what it should have, and what remains after an uninstall.

use std::collections::BTreeSet;
use std::path::Path;

use super::http_entry::{self, Fit};
use crate::bearer::Bearer;
use crate::edit::atomic::{self, Mode};
use crate::edit::{Edit, Refusal, State, Text, Trace};
use crate::manifest::{self, EditRecord, FileRecord, Owner, hash};
use crate::place::Surroundings;
use crate::wish::Wish;

/// The file without hark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Before {
    /// These bytes, or no file.
    Bytes(Option<Vec<u8>>),
    /// Bytes that are already saved.
    Kept(Option<String>),
}

#[derive(Debug)]
pub(crate) struct NewRecord {
    pub(crate) before: Before,
    pub(crate) edits: Vec<EditRecord>,
}

type Changed = (Option<Vec<u8>>, Option<Vec<u8>>, Mode, NewRecord);

#[derive(Debug)]
pub(super) struct Planned {
    pub(super) change: Option<Changed>,
    pub(super) notes: Vec<String>,
    pub(super) tokenless: Vec<String>,
}

impl Planned {
    fn new(change: Option<Changed>, draft: Draft) -> Self {
        Planned { change, notes: draft.notes, tokenless: draft.tokenless }
    }
}

/// A file between its current and its planned state.
struct Draft {
    body: String,
    edits: Vec<EditRecord>,
    notes: Vec<String>,
    tokenless: Vec<String>,
}

pub(super) fn plan(
    around: &Surroundings,
    path: &Path,
    record: Option<&FileRecord>,
    active: &BTreeSet<Owner>,
    wanted: &[(&Owner, &Wish)],
) -> Result<Planned, Refusal> {
    let cannot = |error: std::io::Error| Refusal {
        line: None,
        what: format!("it cannot be read: {error}"),
        fix: "check that you have permission to read it".to_owned(),
    };
    let projects = wanted.iter().filter_map(|(owner, _)| owner.project.as_deref());
    if projects.into_iter().any(|root| path.starts_with(root) && atomic::leads_out(path, root)) {
        return Err(Refusal {
            line: None,
            what: "it is a link to a place outside the project".to_owned(),
            fix: "replace the link with a file, then run the command again".to_owned(),
        });
    }
    let bytes = atomic::read(path).map_err(cannot)?;
    let text = Text::decode(bytes.as_deref().unwrap_or_default())?;
    let as_left =
        record.is_some_and(|record| bytes.as_ref().is_some_and(|bytes| hash(bytes) == record.after));
    let mut draft = Draft {
        body: text.body.clone(),
        edits: record.map(|record| record.edits.clone()).unwrap_or_default(),
        notes: Vec::new(),
        tokenless: Vec::new(),
    };
    let asked = wanted;
    let wanted = &draft.fitted(wanted, around.bearer.as_ref(), record)?;

    draft.release(active, wanted)?;
    if as_left
        && let Some(record) = record
        && draft.edits.len() < record.edits.len()
    {
        // Nobody changed the file since: insert what stays into the original again, so that no residue
        // remains.
        let original = kept(&around.data, record).map_err(cannot)?;
        if draft.edits.is_empty() && wanted.is_empty() {
            return Ok(leave(bytes, original, record, draft));
        }
        draft.again(&Text::decode(original.as_deref().unwrap_or_default())?.body)?;
    }
    for (owner, edit) in wanted {
        let replaces = asked.iter().any(|(_, wish)| wish.replace && wish.edit == *edit);
        draft.put(owner, edit, bytes.is_some(), replaces)?;
    }

    let before = without_us(record, as_left, &bytes, &text)?;
    if draft.edits.is_empty() {
        return Ok(last_out(record, bytes, &text, before, draft));
    }
    let after = text.with(draft.body.clone()).encode();
    let executable = draft.edits.iter().any(|e| matches!(e.edit, Edit::Whole { executable: true, .. }));
    let mode = if executable { Mode::Executable } else { Mode::Usual };
    let same = bytes.as_ref() == Some(&after) && record.is_some_and(|record| record.edits == draft.edits);
    let edits = std::mem::take(&mut draft.edits);
    let change = (!same).then(|| (bytes, Some(after), mode, NewRecord { before, edits }));
    Ok(Planned::new(change, draft))
}

/// The draft contains nothing of hark's any more.
fn last_out(
    record: Option<&FileRecord>,
    bytes: Option<Vec<u8>>,
    text: &Text,
    before: Before,
    draft: Draft,
) -> Planned {
    let Some(record) = record else { return Planned::new(None, draft) };
    let made_by_us = record.original.is_none();
    let after = if made_by_us && draft.body.trim().is_empty() {
        None
    } else {
        bytes.as_ref().map(|_| text.with(draft.body.clone()).encode())
    };
    let change = (bytes, after, Mode::Usual, NewRecord { before, edits: Vec::new() });
    Planned::new(Some(change), draft)
}

/// Restores the file byte for byte.
fn leave(bytes: Option<Vec<u8>>, original: Option<Vec<u8>>, record: &FileRecord, draft: Draft) -> Planned {
    let new = NewRecord { before: Before::Kept(record.original.clone()), edits: Vec::new() };
    Planned::new(Some((bytes, original, Mode::Usual, new)), draft)
}

fn kept(data: &Path, record: &FileRecord) -> std::io::Result<Option<Vec<u8>>> {
    record.original.as_ref().map(|name| manifest::original(data, name)).transpose()
}

/// Whether an edit is in a text or can be added to it.
fn fits(edit: &Edit, body: &str) -> Result<(), Refusal> {
    if edit.state(body)? == State::Absent {
        edit.insert(body)?;
    }
    Ok(())
}

/// What the file would be without hark, for a later uninstall.
fn without_us(
    record: Option<&FileRecord>,
    as_left: bool,
    bytes: &Option<Vec<u8>>,
    text: &Text,
) -> Result<Before, Refusal> {
    let Some(record) = record else { return Ok(Before::Bytes(bytes.clone())) };
    if as_left {
        return Ok(Before::Kept(record.original.clone()));
    }
    if bytes.is_none() {
        return Ok(Before::Bytes(None));
    }
    // The user changed it since, so the saved original needs those changes too.
    let mut body = text.body.clone();
    for edit in record.edits.iter().rev() {
        body = edit.edit.remove(&edit.trace, &body)?;
    }
    if record.original.is_none() && body.trim().is_empty() {
        return Ok(Before::Bytes(None));
    }
    Ok(Before::Bytes(Some(text.with(body).encode())))
}

impl Draft {
    /// Adapts the wishes to this file: an entry that calls `hark serve` keeps doing so.
    fn fitted<'o>(
        &mut self,
        wanted: &[(&'o Owner, &Wish)],
        bearer: Option<&Bearer>,
        record: Option<&FileRecord>,
    ) -> Result<Vec<(&'o Owner, Edit)>, Refusal> {
        let mut fitted = Vec::with_capacity(wanted.len());
        for (owner, Wish { edit, optional, .. }) in wanted {
            if *optional && let Err(refusal) = fits(edit, &self.body) {
                let note = format!("permissions for read-only tools are not added: {}", refusal.what);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                continue;
            }
            let calls = format!("{} calls `hark serve` without the right token", edit.label());
            let edit = match http_entry::fit(edit, &self.body, bearer, owner.project.is_some(), record)? {
                Fit::AsWished => edit.clone(),
                Fit::Complete => continue,
                Fit::Header { edit, lacking } => {
                    self.tokenless.extend(lacking.then_some(calls));
                    edit
                }
                Fit::ByHand(fix) => {
                    self.tokenless.push(format!("{calls}; {fix}"));
                    self.notes.push(format!("{calls}; {fix}"));
                    continue;
                }
            };
            fitted.push((*owner, edit));
        }
        Ok(fitted)
    }

    /// Removes what these owners no longer want, unless another owner does.
    fn release(&mut self, active: &BTreeSet<Owner>, wanted: &[(&Owner, Edit)]) -> Result<(), Refusal> {
        for at in (0..self.edits.len()).rev() {
            let key = self.edits[at].edit.key();
            let wants =
                |owner: &Owner| wanted.iter().any(|(wisher, edit)| *wisher == owner && edit.key() == key);
            self.edits[at].owners.retain(|owner| !active.contains(owner) || wants(owner));
            if !self.edits[at].owners.is_empty() {
                continue;
            }
            let gone = self.edits.remove(at);
            if matches!(gone.edit, Edit::Whole { .. }) && gone.edit.state(&self.body)? == State::Differs {
                self.notes.push("you changed it, so it stays".to_owned());
                continue;
            }
            if gone.edit.leaves_lines(&self.body) {
                self.notes.push("the lines that you wrote between the hark markers stay".to_owned());
            }
            let changed = gone.edit.changed_by_others(&self.body)?;
            if !changed.is_empty() {
                let (label, changed) = (gone.edit.label(), changed.join(", "));
                self.notes.push(format!("your changes to {label} are removed with it: {changed}"));
            }
            self.body = gone.edit.remove(&gone.trace, &self.body)?;
        }
        Ok(())
    }

    /// Inserts all edits into another text.
    fn again(&mut self, body: &str) -> Result<(), Refusal> {
        self.body = body.to_owned();
        for record in &mut self.edits {
            (self.body, record.trace) = record.edit.insert(&self.body)?;
        }
        Ok(())
    }

    fn put(&mut self, owner: &Owner, edit: &Edit, exists: bool, replaces: bool) -> Result<(), Refusal> {
        let state = edit.state(&self.body)?;
        let known = self.edits.iter().position(|record| record.edit.key() == edit.key());
        if replaces && state == State::Differs {
            (self.body, _) = edit.insert("")?;
            if let Some(at) = known {
                self.edits.remove(at);
            }
            let owners = vec![owner.clone()];
            self.edits.push(EditRecord { edit: edit.clone(), trace: Trace::default(), owners });
            return Ok(());
        }
        if let Some(at) = known {
            return self.renew(at, owner, edit, state);
        }
        match state {
            State::Absent if exists && matches!(edit, Edit::Whole { .. }) => {
                self.notes.push("hark did not create it, so it stays unchanged".to_owned());
            }
            State::Absent => {
                let trace;
                (self.body, trace) = edit.insert(&self.body)?;
                self.edits.push(EditRecord { edit: edit.clone(), trace, owners: vec![owner.clone()] });
            }
            // Someone else added it, so hark will not remove it.
            State::Same => {}
            State::Differs => self.notes.push(format!(
                "{} already exists and `hark install` did not add it, so it stays; to let hark manage it, remove it and install again",
                edit.label()
            )),
        }
        Ok(())
    }

    /// An edit of hark's, perhaps from an older version.
    fn renew(&mut self, at: usize, owner: &Owner, edit: &Edit, state: State) -> Result<(), Refusal> {
        let former = self.edits[at].clone();
        let record = &mut self.edits[at];
        if !record.owners.contains(owner) {
            record.owners.push(owner.clone());
        }
        match (former.edit.state(&self.body)?, state) {
            (_, State::Same) => record.edit = edit.clone(),
            (State::Absent, _) => {
                (self.body, record.trace) = edit.insert(&self.body)?;
                record.edit = edit.clone();
            }
            (State::Same, _) => {
                (self.body, record.trace) = edit.replace(&former.edit, &former.trace, &self.body)?;
                record.edit = edit.clone();
            }
            (State::Differs, _) => self.notes.push(format!("you changed {}, so it stays", edit.label())),
        }
        Ok(())
    }
}
