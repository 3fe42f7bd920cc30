//! Gemini CLI.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, words};
use crate::e2e::proven::Promise;

pub(super) const CLIENT: Client = Client {
    id: "gemini-cli",
    packages: &["@google/gemini-cli@0.61.0"],
    program: "gemini",
    settings: |scene| {
        let own = "{\n  // mine\n  \"general\": { \"disableAutoUpdate\": true, \"enableAutoUpdate\": false },\n  \
                   \"privacy\": { \"usageStatisticsEnabled\": false },\n  \"telemetry\": { \"enabled\": false },\n  \
                   \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } }\n}\n";
        vec![(scene.in_home(".gemini/settings.json"), own.to_owned())]
    },
    environment: |scene| {
        vec![
            ("GOOGLE_GEMINI_BASE_URL", scene.url.to_owned()),
            ("GEMINI_API_KEY", "not-a-key".to_owned()),
            ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ]
    },
    reviewed: None,
    before: None,
    arguments: |prompt, session| {
        let options =
            ["--model", "gemini-2.5-pro", "--approval-mode", "yolo", "--output-format", "stream-json"];
        let mut all = words(&[&["-p", prompt], options.as_slice()].concat());
        all.extend(session.into_iter().flat_map(|id| words(&["--resume", id])));
        all
    },
    call: |tool, input| Step::new(&[tool], input),
    edit: |path, old, new| {
        let input =
            json!({ "file_path": path, "old_string": old, "new_string": new, "instruction": "rename" });
        vec![Step::new(&["read_file"], json!({ "file_path": path })), Step::new(&["replace"], input)]
    },
    shell: |command| {
        Step::new(&["run_shell_command"], json!({ "command": command, "description": "Checks the lane" }))
    },
    delegate: None,
    refuses: true,
    resumes: true,
    compacts: None,
    ends_by_hook: true,
    instructed: true,
    absent: &[(
        Promise::AfterCompaction,
        "fires its compaction hook before every request, so nothing tells when it does compact",
    )],
};
