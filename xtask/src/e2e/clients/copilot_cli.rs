//! Copilot CLI, offline and with a provider of one's own.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Compaction, words};

pub(super) const CLIENT: Client = Client {
    id: "copilot-cli",
    packages: &["@github/copilot@1.0.102"],
    program: "copilot",
    settings: |scene| vec![(scene.in_home(".copilot/copilot-instructions.md"), "Use tabs.\n".to_owned())],
    environment: |scene| {
        vec![
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", scene.url)),
            ("COPILOT_PROVIDER_API_KEY", "sk-not-a-key".to_owned()),
            ("COPILOT_MODEL", "fake-model".to_owned()),
        ]
    },
    reviewed: None,
    before: None,
    arguments: |prompt, session| {
        let options = ["--allow-all-tools", "--allow-all-paths", "--output-format", "json"];
        let mut all = words(&[&["-p", prompt], options.as_slice()].concat());
        all.push(session.map_or_else(|| "--trust-folder".to_owned(), |id| format!("--resume={id}")));
        all
    },
    call: |tool, input| Step::new(&[tool], input),
    edit: |path, old, new| {
        vec![
            Step::new(&["view"], json!({ "path": path })),
            Step::new(&["edit"], json!({ "path": path, "old_str": old, "new_str": new })),
        ]
    },
    shell: |command| Step::new(&["bash"], json!({ "command": command, "description": "Checks the lane" })),
    delegate: None,
    refuses: true,
    resumes: true,
    compacts: Some(Compaction::Tokens(190_000)),
    ends_by_hook: true,
    instructed: true,
    absent: &[],
};
