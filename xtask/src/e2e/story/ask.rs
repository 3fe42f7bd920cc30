//! Two sessions at once: one asks about what hark knows and returns to what broke; the other does something
//! unrelated.

use hark_testkit::model::Asked;

use super::work::rate;
use super::{Play, Told};
use crate::e2e::proof;
use crate::e2e::stage::Run;

impl Play<'_, '_> {
    pub(super) fn ask(&mut self) -> Result<(Told, Told), String> {
        let (client, lane, source) = (self.client, self.lane, self.source_path());
        let question = format!("How is the {lane} lane shipped?");
        let mut steps = Vec::new();
        let mut subagents = Vec::new();
        if let Some(delegate) = client.delegate {
            let script = self.script("SUB", Vec::new());
            steps.push(delegate(&format!("{question} {}", script.prompt)));
            subagents.push(script);
        }
        // Twice, and one warning.
        steps.extend((client.edit)(&source, &rate("night"), &rate("dawn")));
        steps.extend((client.edit)(&source, &rate("dawn"), &rate("noon")));
        if !client.resumes {
            steps.extend(self.compacting_steps("noon", "dusk"));
            steps.extend((client.edit)(&source, &rate("dusk"), &rate("eve")));
            steps.push(self.farewell());
        }
        let script = self.script("ASK", steps);
        let aside = self.script("ASIDE", vec![(client.shell)("node --version")]);
        let marks: Vec<String> = subagents.iter().map(|script| script.prompt.clone()).collect();
        let (mark, other_mark) = (script.prompt.clone(), aside.prompt.clone());
        let first = Run {
            name: "ask",
            prompt: format!("{question} {mark}"),
            resumes: None,
            scripts: [vec![script], subagents].concat(),
        };
        let second = Run {
            name: "aside",
            prompt: format!("Write a haiku about the sea. {other_mark}"),
            resumes: None,
            scripts: vec![aside],
        };
        let known = self.stage.sessions(client);
        let (outcome, other_outcome, asked) = self.stage.perform_both(client, first, second);
        self.ends_well("ask", &outcome);
        self.ends_well("aside", &other_outcome);
        self.asked.extend(asked.clone());

        let new = self.new_sessions(&known);
        self.verdict.equal("its hooks reported two sessions at once", &new.len(), &2);
        let [session, other] = <[_; 2]>::try_from(new).map_err(|_| "there are not two sessions")?;
        let of = |wanted: &[&String]| -> Vec<Asked> {
            let is_of = |request: &&Asked| request.script.as_ref().is_some_and(|s| wanted.contains(&s));
            asked.iter().filter(is_of).cloned().collect()
        };
        let told =
            Told { session, asked: of(&[vec![&mark], marks.iter().collect()].concat()), subagents: marks };
        let aside = Told { session: other, asked: of(&[&other_mark]), subagents: Vec::new() };
        let broken = self.source();
        let verdict = &mut self.verdict;
        proof::prompted(self.stage, &told.session, &told.asked, &format!("ship-{lane}"), verdict);
        proof::warned(self.stage, &told.session, &told.asked, &broken, verdict);
        proof::told_once(self.stage, &told.session, verdict);
        if client.delegate.is_some() {
            proof::delegated(self.stage, &told.session, &told.asked, &format!("ship-{lane}"), verdict);
        }
        proof::silence(self.stage, &aside.session, verdict);
        proof::live(&aside.asked, &told.session, verdict);
        Ok((told, aside))
    }
}
