//! The client is connected, then its model works with memory and files, and breaks something.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use hark_testkit::model::Step;
use serde_json::{Value, json};

use super::{Play, Told};
use crate::e2e::stage::{NOTES, Run};
use crate::e2e::{health, proof, trust};

impl Play<'_, '_> {
    /// Installs, takes out again, and installs for good; the files that hark is in.
    pub(super) fn wire(&mut self) -> Vec<PathBuf> {
        let id = self.client.id;
        let before = self.stage.files();
        let installed = self.stage.hark(&["install", id]);
        let changed = installed["assistants"][0]["changed"].as_array().into_iter().flatten();
        let place = |path: &Value| self.stage.place(path.as_str().unwrap_or_default());
        let changed: Vec<PathBuf> = changed.map(place).collect();
        self.verdict
            .check(format!("`hark install {id}` wires it ({} files)", changed.len()), !changed.is_empty());
        self.stage.hark(&["uninstall", id]);
        let differing = differing(&before, &self.stage.files());
        self.verdict.equal("`hark uninstall` gives every byte back", &differing, &Vec::new());
        self.stage.hark(&["install", id]);
        changed
    }

    /// The user trusts the hooks. Until then `hark doctor` says that they do not run.
    pub(super) fn review(&mut self, file: &str) -> Result<(), String> {
        health::untrusted(self.stage, self.client, &mut self.verdict);
        let server = self.stage.command(self.client, vec!["app-server".to_owned()]);
        let count = trust::review(server, &self.stage.project, &self.stage.home.user().join(file))?;
        self.verdict.check(format!("its user trusts {count} hooks"), count > 0);
        Ok(())
    }

    /// A first session: recalls, remembers, changes files, and runs a command that fails. Its prompt is about
    /// nothing that hark knows.
    pub(super) fn work(&mut self) -> Result<Told, String> {
        let (client, lane, before) = (self.client, self.lane, self.stage.left);
        let notes = self.stage.project.join(NOTES);
        let old = fs::read_to_string(&notes).unwrap_or_default().trim().to_owned();
        let new = format!("lanes: {lane}");
        let write = |name: String, text: String| {
            fs::write(self.stage.project.join(name), text).map_err(|e| e.to_string())
        };
        write(self.source(), rate("day") + "\n")?;
        write(self.check_file(), format!("require(\"./{}\")(\"day\");\n", self.source()))?;

        let mut steps = Vec::new();
        if let Some(left) = before {
            let query = json!({ "query": format!("How is the {} lane shipped?", left.lane) });
            steps.push((client.call)("memory_recall", query));
        }
        steps.push((client.call)("memory_remember", json!({ "text": fact(lane), "kind": "decision" })));
        steps.extend((client.edit)(&notes, &old, &new));
        steps.extend((client.edit)(&self.source_path(), &rate("day"), &rate("night")));
        steps.push((client.shell)(&format!("node {}", self.check_file())));
        // Two attempts in vain: what cost nothing is not worth a warning later.
        for (old, new) in [("night", "late"), ("late", "night")] {
            steps.extend((client.edit)(&self.source_path(), &rate(old), &rate(new)));
            steps.push((client.shell)(&format!("node {}", self.check_file())));
        }
        let script = self.script("WORK", steps);
        let closing = script.closing.clone();
        let prompt = format!("Bring the notes up to date. {}", script.prompt);
        let known = self.stage.sessions(client);
        let asked = self.perform_run(Run { name: "work", prompt, resumes: None, scripts: vec![script] });

        let said = fs::read_to_string(self.stage.log(client, "work")).unwrap_or_default();
        self.verdict.check("its model said the closing word", said.contains(&closing));
        if client.instructed {
            proof::rules(&asked, &mut self.verdict);
        }
        let now = fs::read_to_string(&notes).unwrap_or_default();
        self.verdict.check("its model changed the file", now.trim() == new);
        if let Some(left) = before {
            proof::recalled(&asked, &format!("ship-{}", left.lane), &mut self.verdict);
        }
        let kept = self.stage.hark(&["recall", &format!("How is the {lane} lane shipped?")]);
        self.verdict.check("what it remembered is kept", kept.to_string().contains(&format!("ship-{lane}")));
        let mut new = self.new_sessions(&known);
        self.verdict.equal("its hooks reported one session", &new.len(), &1);
        let session = new.pop().unwrap_or_default();
        proof::session(&session, &mut self.verdict);
        if client.ends_by_hook {
            proof::end(&session, &mut self.verdict);
        }
        proof::boot(self.stage, &session, &asked, before, &mut self.verdict);
        proof::silence(self.stage, &session, &mut self.verdict);
        Ok(Told { session, asked, subagents: Vec::new() })
    }

    /// How the last run ends: with a checkpoint for the client that follows.
    pub(super) fn farewell(&self) -> Step {
        let checkpoint = json!({ "goal": goal(self.lane), "pending": [pending(self.lane)] });
        (self.client.call)("memory_checkpoint", checkpoint)
    }

    /// A file that the client's model breaks. Its name has no word of the client's prompts.
    pub(super) fn source(&self) -> String {
        format!("rate{}.cjs", self.number)
    }

    pub(super) fn source_path(&self) -> PathBuf {
        self.stage.project.join(self.source())
    }

    fn check_file(&self) -> String {
        format!("check{}.cjs", self.number)
    }
}

/// The line of the source; the check wants `day`.
pub(super) fn rate(time: &str) -> String {
    format!("module.exports = (when) => ({{ {time}: {{ rate: 1 }} }})[when].rate;")
}

fn fact(lane: &str) -> String {
    format!("The {lane} lane is shipped with `make ship-{lane}`, never by hand.")
}

pub(in crate::e2e) fn goal(lane: &str) -> String {
    format!("Move the {lane} lane to the new depot")
}

pub(in crate::e2e) fn pending(lane: &str) -> String {
    format!("paint the {lane} sign")
}

fn differing<K: Clone + Ord, V: PartialEq>(before: &BTreeMap<K, V>, after: &BTreeMap<K, V>) -> Vec<K> {
    let changed =
        before.iter().filter(|(path, bytes)| after.get(*path) != Some(*bytes)).map(|(path, _)| path);
    changed.chain(after.keys().filter(|path| !before.contains_key(*path))).cloned().collect()
}
