//! Qwen Code. It never shows the tools of a server: one tool finds them and another calls them.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Hooks, words};

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
    before: None,
    arguments: |prompt| words(&["-p", prompt, "--approval-mode", "yolo", "--output-format", "stream-json"]),
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
    shell: None,
    instructed: true,
    hooks: Hooks { ends: false, prompt: true },
};
