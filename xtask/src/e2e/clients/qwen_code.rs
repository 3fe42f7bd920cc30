//! Qwen Code. It never shows the tools of a server: one tool finds them and another calls them.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Compaction, UNTOLD_END, words};

pub(super) const CLIENT: Client = Client {
    id: "qwen-code",
    packages: &["@qwen-code/qwen-code@0.24.4"],
    program: "qwen",
    settings: |scene| {
        let own = json!({
            "general": { "enableAutoUpdate": false, "disableAutoUpdate": true },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
            "security": { "auth": { "selectedType": "openai" } },
        });
        vec![(scene.in_home(".qwen/settings.json"), own.to_string())]
    },
    environment: |scene| {
        vec![
            ("OPENAI_API_KEY", "sk-not-a-key".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", scene.url)),
            ("OPENAI_MODEL", "fake-model".to_owned()),
        ]
    },
    reviewed: None,
    before: None,
    arguments: |prompt, session| {
        let mut all = words(&["-p", prompt, "--approval-mode", "yolo", "--output-format", "stream-json"]);
        all.extend(session.into_iter().flat_map(|id| words(&["--resume", id])));
        all
    },
    call: |tool, input| {
        let name = format!("mcp__hark__{tool}");
        Step::new(&[tool], input.clone())
            .found_by("tool_search", json!({ "query": format!("select:{name}") }))
            .called_through("tool_call", json!({ "name": name, "arguments": input }))
    },
    edit: |path, old, new| {
        vec![
            Step::new(&["read_file"], json!({ "file_path": path })),
            Step::new(&["edit"], json!({ "file_path": path, "old_string": old, "new_string": new })),
        ]
    },
    shell: |command| {
        let input = json!({ "command": command, "description": "Checks the lane", "is_background": false });
        Step::new(&["run_shell_command"], input)
    },
    delegate: None,
    refuses: true,
    resumes: true,
    compacts: Some(Compaction::Tokens(190_000)),
    ends_by_hook: false,
    instructed: true,
    absent: UNTOLD_END,
};
