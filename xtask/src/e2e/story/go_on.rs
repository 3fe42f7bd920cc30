//! The client goes on with a session: nothing is told again, until the client compacts it.

use hark_testkit::model::Step;

use super::work::rate;
use super::{Play, Told};
use crate::e2e::clients::Compaction;
use crate::e2e::proof;
use crate::e2e::proven::Promise;
use crate::e2e::stage::Run;

impl Play<'_, '_> {
    pub(super) fn go_on(&mut self, told: &mut Told) -> Result<(), String> {
        let (client, lane) = (self.client, self.lane);
        let shown = self.stage.show(&told.session);
        let name = shown["host_session"].as_str().ok_or("the session has no name")?.to_owned();
        let known = self.stage.sessions(client);
        let before = self.stage.ledger(&told.session);

        let mut steps = self.compacting_steps("noon", "dusk");
        // Qwen Code passes on what it heard of the compaction only with the request after the next.
        steps.push((client.shell)("node --version"));
        if client.compacts.is_none() {
            steps.push(self.farewell());
        }
        let script = self.script("RESUME", steps);
        let prompt = format!("Once more: how is the {lane} lane shipped? {}", script.prompt);
        let run = Run { name: "resume", prompt, resumes: Some(&name), scripts: vec![script.clone()] };
        let asked = self.perform_run(run);
        let new = self.new_sessions(&known);
        self.verdict.equal("a resumed session is no new one", &new, &Vec::new());
        let mut since = self.stage.ledger(&told.session);
        let since = since.split_off(before.len().min(since.len()));
        proof::not_again(&asked, &before, &since, &mut self.verdict);
        told.asked.extend(asked);

        let Some(compaction) = client.compacts else { return Ok(()) };
        if let Compaction::Prompt(prompt) = compaction {
            let prompt = prompt.to_owned();
            let run = Run { name: "compact", prompt, resumes: Some(&name), scripts: vec![script] };
            told.asked.extend(self.perform_run(run));
        }
        let script = self.script("AGAIN", vec![self.farewell()]);
        let prompt = format!("And again: how is the {lane} lane shipped? {}", script.prompt);
        let run = Run { name: "again", prompt, resumes: Some(&name), scripts: vec![script] };
        told.asked.extend(self.perform_run(run));
        self.after_compaction(told, before.len());
        Ok(())
    }

    /// Another edit, after which the client compacts the session if its model decides when.
    pub(super) fn compacting_steps(&self, old: &str, new: &str) -> Vec<Step> {
        let mut steps = (self.client.edit)(&self.source_path(), &rate(old), &rate(new));
        if let Some(Compaction::Tokens(tokens)) = self.client.compacts {
            let last = steps.pop().map(|step| step.reporting(tokens));
            steps.extend(last);
        }
        steps
    }

    /// Checks what was told after the compaction, if there is one. The ledger had `before` texts earlier.
    pub(super) fn after_compaction(&mut self, told: &Told, before: usize) {
        if self.client.compacts.is_none() {
            return;
        }
        let compacted = told.asked.iter().any(|request| request.summarises);
        self.verdict.prove(Promise::AfterCompaction, "it asked its model for a summary", compacted);
        let mut entries = self.stage.ledger(&told.session);
        let after = entries.split_off(before.min(entries.len()));
        proof::told_again(&told.asked, &after, &format!("ship-{}", self.lane), &mut self.verdict);
    }
}
