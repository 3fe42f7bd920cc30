//! A rule of the user refuses a command and says the right one; where the client cannot refuse, its model is told.

use std::fs;

use serde_json::Value;

use super::Play;
use crate::e2e::proven::Promise;
use crate::e2e::stage::Run;

impl Play<'_, '_> {
    pub(super) fn rule(&mut self) {
        let (client, number) = (self.client, self.number);
        let (wrong, right) = (format!("wrong{number}.cjs"), format!("right{number}.cjs"));
        for name in [&wrong, &right] {
            let script = format!("require(\"fs\").writeFileSync(\"{name}.ran\", \"\");\n");
            let written = fs::write(self.stage.project.join(name), script).is_ok();
            self.verdict.check(format!("{name} is there"), written);
        }
        let text = format!("Check the depot with node {right}, never with node {wrong}");
        let when = format!("command:node {wrong}");
        let added = self.stage.hark(&["rules", "add", &text, "--when", &when, "--action", "deny"]);
        let id = added["id"].as_str().unwrap_or("no rule").to_owned();
        // Some clients have a hook for this only while there is such a rule.
        self.stage.hark(&["install", client.id]);

        let steps = vec![(client.shell)(&format!("node {wrong}")), (client.shell)(&format!("node {right}"))];
        let script = self.script("RULE", steps);
        let prompt = format!("Look at the depot. {}", script.prompt);
        let known = self.stage.sessions(client);
        let asked = self.perform_run(Run { name: "rule", prompt, resumes: None, scripts: vec![script] });
        let ran = |name: &str| self.stage.project.join(format!("{name}.ran")).exists();
        let (wrong_ran, right_ran) = (ran(&wrong), ran(&right));
        let told = asked.iter().any(|request| request.says(&text) && request.says(&id));
        let verdict = &mut self.verdict;
        verdict.prove(Promise::Rule, "its model reads the rule at the call", told);
        verdict.prove(Promise::Rule, "the right command runs", right_ran);
        if client.refuses {
            verdict.prove(Promise::Rule, "the wrong command is refused", !wrong_ran);
        } else {
            verdict.prove(Promise::Rule, "it cannot refuse, so the wrong command runs", wrong_ran);
        }
        let new = self.new_sessions(&known);
        self.verdict.equal("the rule's session is one", &new.len(), &1);
        self.stage.hark(&["work", "--until-idle", "--max", "20s"]);
        let shown: Value = self.stage.hark(&["rules", "show", &id]);
        let record = &shown["rule"]["record"];
        let held = record["upheld"] == 1 && record["broken"] == 0;
        self.verdict.prove(Promise::Rule, format!("the rule counts as upheld ({record})"), held);
        // The sessions that follow are about something else.
        self.stage.hark(&["rules", "retire", &id]);
        self.stage.hark(&["install", client.id]);
        self.forget(&new);
    }

    /// As if these sessions had never been: what is told in later ones depends on all work that was done before.
    pub(super) fn forget(&self, sessions: &[Value]) {
        for session in sessions {
            let id = session["id"].as_str().unwrap_or_default();
            self.stage.hark(&["forget", "--session", id, "--yes"]);
        }
    }
}
