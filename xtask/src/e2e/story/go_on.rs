//! The client goes on with a session: nothing is told again, until the client compacts it.

use super::work::rate;
use super::{Play, Told};
use crate::e2e::clients::Compaction;
use crate::e2e::proof;
use crate::e2e::proven::Promise;
use crate::e2e::stage::Run;

impl Play<'_, '_> {
    pub(super) fn go_on(&mut self, told: &mut Told) -> Result<(), String> {
        let (client, lane, source) = (self.client, self.lane, self.source_path());
        let id = told.session["id"].as_str().unwrap_or_default().to_owned();
        let shown = self.stage.hark(&["sessions", "show", &id]);
        let name = shown["host_session"].as_str().ok_or("the session has no name")?.to_owned();
        let known = self.stage.sessions(client);
        let before = self.stage.ledger(&told.session);

        let mut steps = (client.edit)(&source, &rate("noon"), &rate("dusk"));
        if let Some(Compaction::Tokens(tokens)) = client.compacts {
            steps = steps.into_iter().rev().enumerate().map(|(at, s)| if at == 0 { s.reporting(tokens) } else { s }).rev().collect();
        }
        let script = self.script("RESUME", steps);
        let prompt = format!("Once more: how is the {lane} lane shipped? {}", script.prompt);
        let run = Run { name: "resume", prompt, resumes: Some(&name), scripts: vec![script.clone()] };
        let asked = self.perform_run(run);
        let new = self.new_sessions(&known);
        self.verdict.check(format!("a resumed session goes on ({} new)", new.len()), new.is_empty());
        proof::not_again(&told.asked, &asked, &before, &mut self.verdict);
        told.asked.extend(asked);

        let Some(compaction) = client.compacts else { return Ok(()) };
        if let Compaction::Prompt(prompt) = compaction {
            let run = Run {
                name: "compact",
                prompt: prompt.to_owned(),
                resumes: Some(&name),
                scripts: vec![script],
            };
            told.asked.extend(self.perform_run(run));
        }
        let compacted = told.asked.iter().any(|request| request.summarises);
        self.verdict.prove(Promise::AfterCompaction, "it asked its model for a summary", compacted);
        let script = self.script("AGAIN", Vec::new());
        let prompt = format!("And again: how is the {lane} lane shipped? {}", script.prompt);
        let run = Run { name: "again", prompt, resumes: Some(&name), scripts: vec![script] };
        let asked = self.perform_run(run);
        told.asked.extend(asked);
        let after = self.stage.ledger(&told.session).split_off(before.len());
        let words = format!("ship-{lane}");
        proof::told_again(&told.asked, &after, &words, &mut self.verdict);
        Ok(())
    }
}
