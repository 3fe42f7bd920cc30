//! What happens to each client: it is connected, works in the project, answers questions, goes on with a
//! session, compacts it, and leaves something behind that the next one must find. At the end hark is
//! uninstalled.

mod ask;
mod go_on;
mod learn;
mod leave;
mod rule;
mod trouble;
mod work;

use hark_testkit::model::{Asked, Script, Step};
use serde_json::Value;

use super::clients::{self, Client};
use super::stage::{Left, Run, Stage};
use super::verdict::Verdict;
use super::{health, proof};

pub(super) use leave::leave;
pub(super) use trouble::trouble;
pub(super) use work::{goal, pending};

/// Each client has a unique word that no other client would produce.
const LANES: &[&str] = &[
    "cobalt",
    "saffron",
    "magenta",
    "viridian",
    "ochre",
    "indigo",
    "crimson",
    "turquoise",
    "umber",
    "sepia",
];

/// One client on the stage.
struct Play<'a, 'b> {
    stage: &'a mut Stage<'b>,
    client: &'static Client,
    /// The place of the client among all of them.
    number: usize,
    lane: &'static str,
    verdict: Verdict,
    /// Everything that its model was asked, to explain a failure.
    asked: Vec<Asked>,
    /// The name of the first run after which something was wrong, or of the last one.
    run: &'static str,
}

pub(super) fn play(stage: &mut Stage<'_>, client: &'static Client) -> Verdict {
    let number = clients::all().position(|other| other.id == client.id).unwrap_or(0);
    let verdict = Verdict::new(client);
    let lane = LANES[number % LANES.len()];
    let mut play = Play { stage, client, number, lane, verdict, asked: Vec::new(), run: "before" };
    if let Err(why) = play.perform() {
        play.verdict.check(why, false);
    }
    if play.verdict.failed > 0 {
        let (log, kept) = (play.stage.log(client, play.run), play.stage.kept(client));
        play.verdict.explain(&log, &play.asked, &kept);
    }
    play.verdict
}

/// A session, and what its model was asked in the course of it.
struct Told {
    session: Value,
    asked: Vec<Asked>,
    /// The prompts of its subagents.
    subagents: Vec<String>,
}

impl Play<'_, '_> {
    fn perform(&mut self) -> Result<(), String> {
        self.stage.furnish(self.client)?;
        let installed = self.wire();
        self.stage.prepare(self.client)?;
        if let Some(file) = self.client.reviewed {
            self.review(file)?;
        }
        let worked = self.work()?;
        self.compare(&worked);
        // Before the session that leaves something for the next client.
        self.rule();
        if self.client.learns {
            self.learn()?;
        }
        let (mut told, aside) = self.ask()?;
        self.compare(&aside);
        match self.client.resumes {
            true => self.go_on(&mut told)?,
            false => self.after_compaction(&told, 1),
        }
        self.stage.left = Some(Left { lane: self.lane });
        self.compare(&told);
        if !self.client.ends_by_hook {
            // A worker sees that the process is gone.
            self.stage.hark(&["work", "--until-idle", "--max", "20s"]);
            let shown = self.stage.show(&worked.session);
            proof::end(&shown, &mut self.verdict);
        }
        health::doctor(self.stage, self.client, &installed, &mut self.verdict);
        Ok(())
    }

    /// Words that only this run's prompt contains.
    fn mark(&self, name: &str) -> String {
        format!("E2E-{name}-{}", self.client.id)
    }

    fn script(&self, name: &str, steps: Vec<Step>) -> Script {
        let mark = self.mark(name);
        Script { closing: format!("DONE-{mark}"), prompt: mark, steps, held: false }
    }

    /// Runs the client with one script; what its model was asked.
    fn perform_run(&mut self, run: Run<'_>) -> Vec<Asked> {
        let name = run.name;
        let (outcome, asked) = self.stage.perform(self.client, run);
        self.ends_well(name, &outcome);
        self.asked.extend(asked.clone());
        asked
    }

    fn ends_well(&mut self, name: &'static str, outcome: &Result<(), String>) {
        if self.verdict.failed == 0 {
            self.run = name;
        }
        self.verdict.check(format!("the run `{name}` ends well ({outcome:?})"), outcome.is_ok());
    }

    /// The sessions that came since these.
    fn new_sessions(&self, before: &[Value]) -> Vec<Value> {
        let known = |session: &Value| before.iter().any(|other| other["id"] == session["id"]);
        // Those of subagents are found in transcripts, sooner or later.
        let is_own = |session: &Value| self.stage.show(session)["parent"].is_null();
        let all = self.stage.sessions(self.client).into_iter();
        all.filter(|session| !known(session) && is_own(session)).collect()
    }

    /// Everything that the ledger has of a session reached the model, and nothing else.
    fn compare(&mut self, told: &Told) {
        let Told { session, asked, subagents } = told;
        proof::same_texts(self.stage, session, asked, subagents, &mut self.verdict);
    }
}
