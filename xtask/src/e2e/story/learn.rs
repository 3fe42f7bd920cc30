//! A user corrects the assistant three times, in two projects. Hark proposes what it concludes, the user accepts it, and the
//! next edit like these is preceded by the rule.

use std::fs;
use std::time::Duration;

use hark_testkit::git;
use serde_json::Value;

use super::Play;
use crate::e2e::stage::Run;

/// What the user says, in words of their own each time.
const CORRECTIONS: [&str; 3] = [
    "No, use unknown instead of any in TypeScript types.",
    "No, I told you: use unknown instead of any in TypeScript types.",
    "Use unknown instead of any in TypeScript types, I have told you before.",
];

impl Play<'_, '_> {
    pub(super) fn learn(&mut self) -> Result<(), String> {
        let here = self.stage.project.clone();
        let before = self.stage.sessions(self.client);
        let other = git::repository(&self.stage.home, &format!("other{}", self.number));
        for (number, correction) in CORRECTIONS.iter().enumerate() {
            self.stage.project = if number == 2 { other.clone() } else { here.clone() };
            let outcome = self.correct(number, correction);
            self.stage.project = here.clone();
            outcome?;
        }
        let (found, id) = self.insight();
        self.verdict
            .check(format!("three corrections are one insight with evidence ({found})"), !id.is_empty());
        let accepted = self.stage.hark(&["rules", "accept", &id, "--when", "file:*.ts"]);
        self.verdict
            .check(format!("the user accepts it ({accepted})"), accepted["rule"]["status"] == "active");

        let known = self.stage.sessions(self.client);
        let file = self.stage.project.join(format!("last{}.ts", self.number));
        fs::write(&file, "export let last: number;\n").map_err(|e| e.to_string())?;
        let steps = (self.client.edit)(&file, "export let last: number;", "export let last: unknown;");
        let script = self.script("HEED", steps);
        let prompt = format!("Widen the type of the last value. {}", script.prompt);
        let asked = self.perform_run(Run { name: "heed", prompt, resumes: None, scripts: vec![script] });
        self.verdict
            .check("its model reads the rule at the edit", asked.iter().any(|request| request.says(&id)));
        let new = self.new_sessions(&known);
        self.verdict.equal("the edit's session is one", &new.len(), &1);
        self.stage.hark(&["work", "--until-idle", "--max", "20s"]);
        let shown = self.stage.hark(&["rules", "show", &id]);
        let record = &shown["rule"]["record"];
        let held = record["upheld"] == 1 && record["broken"] == 0;
        self.verdict.check(format!("the mistake that did not happen counts as upheld ({record})"), held);
        self.stage.hark(&["rules", "retire", &id]);
        let new = self.new_sessions(&before);
        self.forget(&new);
        Ok(())
    }

    /// The insight that three corrections support, as soon as a worker has read the last session: the one that its end has
    /// started may be at it.
    fn insight(&self) -> (Value, String) {
        let mut found = Value::Null;
        for _ in 0..40 {
            self.stage.hark(&["work", "--until-idle", "--max", "20s"]);
            found = self.stage.hark(&["insights"]);
            let about = |one: &&Value| {
                let text = one["text"].as_str().unwrap_or_default();
                let evidence = one["evidence"].as_array().map_or(0, Vec::len);
                text.contains("unknown") && evidence == CORRECTIONS.len()
            };
            let insight = found["insights"].as_array().and_then(|all| all.iter().find(about));
            if let Some(id) = insight.and_then(|one| one["id"].as_str()) {
                let id = id.to_owned();
                return (found, id);
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        (found, String::new())
    }

    /// A session in which the model makes the mistake, and the user says so.
    fn correct(&mut self, number: usize, correction: &str) -> Result<(), String> {
        let known = self.stage.sessions(self.client);
        let file = self.stage.project.join(format!("types{}{number}.ts", self.number));
        fs::write(&file, "export let value: number;\n").map_err(|e| e.to_string())?;
        let (first, wrong, right) =
            ("export let value: number;", "export let value: any;", "export let value: unknown;");
        let script = self.script(&format!("WRONG{number}"), (self.client.edit)(&file, first, wrong));
        let prompt = format!("Widen the type of the value. {}", script.prompt);
        self.perform_run(Run { name: "wrong", prompt, resumes: None, scripts: vec![script] });
        let new = self.new_sessions(&known);
        let session = new.first().ok_or("the mistake has no session")?;
        let shown = self.stage.show(session);
        let name = shown["host_session"].as_str().ok_or("the session has no name")?.to_owned();
        let script = self.script(&format!("RIGHT{number}"), (self.client.edit)(&file, wrong, right));
        // On a line of its own, so that the mark is no part of what the user says.
        let prompt = format!("{correction}\n\n{}", script.prompt);
        self.perform_run(Run { name: "right", prompt, resumes: Some(&name), scripts: vec![script] });
        Ok(())
    }
}
