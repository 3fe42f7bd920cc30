//! Hark itself is in trouble: the client works on, and `hark doctor` says what is wrong.

use std::fs;

use hark_testkit::model::Script;

use crate::e2e::clients::Client;
use crate::e2e::health;
use crate::e2e::stage::{Run, Stage};
use crate::e2e::verdict::Verdict;

/// Runs the client with settings of hark that cannot be read.
pub(in crate::e2e) fn trouble(stage: &Stage<'_>, client: &Client, verdict: &mut Verdict) {
    let settings = stage.home.user_config();
    let folder = settings.parent().unwrap_or(&settings);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&settings, "inject = [\n"));
    let mark = format!("E2E-TROUBLE-{}", client.id);
    let script = Script { closing: format!("DONE-{mark}"), prompt: mark.clone(), ..Script::default() };
    let closing = script.closing.clone();
    let prompt = format!("Write a haiku about the moon. {mark}");
    let run = Run { name: "trouble", prompt, resumes: None, scripts: vec![script] };
    let (outcome, _) = stage.perform(client, run);
    let said = fs::read_to_string(stage.log(client, "trouble")).unwrap_or_default();
    let works = written.is_ok() && outcome.is_ok() && said.contains(&closing);
    verdict.check(format!("it works on when hark cannot read its settings ({outcome:?})"), works);
    health::unreadable(stage, &settings, verdict);
    let removed = fs::remove_file(&settings).is_ok();
    health::failed_events(stage, client, removed, verdict);
}
