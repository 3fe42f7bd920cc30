//! Takes everything out after clients have written into their own settings.

use std::fs;

use serde_json::{Value, json};

use crate::e2e::clients::Client;
use crate::e2e::stage::Stage;
use crate::e2e::verdict::Verdict;

pub(in crate::e2e) fn leave(stage: &Stage<'_>, clients: &[&Client], verdict: &mut Verdict) {
    let removed = stage.hark(&["uninstall"]);
    verdict.equal("nothing refuses", &removed["refused"], &json!([]));
    let places = removed["assistants"].as_array().map_or(0, Vec::len);
    verdict.equal("all of them are taken out", &places, &clients.len());
    for (path, bytes) in &stage.settings {
        let now = fs::read(path).unwrap_or_default();
        let same = now == *bytes;
        let text = String::from_utf8_lossy(&now);
        let ours = [stage.home.binary().to_string_lossy().as_ref(), "\"hark\"", "hook "]
            .iter()
            .any(|w| text.contains(w));
        let path = path.strip_prefix(stage.home.root()).unwrap_or(path).display();
        let note = if same { "as its user wrote it" } else { "changed by the client, without us" };
        verdict.check(format!("{path} is {note}"), same || !ours);
        if !same && ours {
            verdict.say(&text);
        }
    }
    let mut left: Vec<String> = Vec::new();
    for report in removed["assistants"].as_array().into_iter().flatten() {
        for path in report["removed"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let path = stage.place(path);
            left.extend(path.exists().then(|| path.display().to_string()));
        }
    }
    verdict.equal("hark's own files were removed", &left, &Vec::new());
}
