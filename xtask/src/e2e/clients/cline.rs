//! Cline's command line. It tells hooks of no prompt and takes context after tools only.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, words};
use crate::e2e::proven::Promise;

pub(super) const CLIENT: Client = Client {
    id: "cline",
    packages: &["cline@3.0.65"],
    program: "cline",
    settings: |scene| {
        let own = "{\n  \"mcpServers\": {}\n}\n";
        vec![(scene.in_home(".cline/data/settings/cline_mcp_settings.json"), own.to_owned())]
    },
    environment: |_| {
        ["CLINE_TELEMETRY_DISABLED", "CLINE_NO_AUTO_UPDATE"].map(|name| (name, "1".to_owned())).to_vec()
    },
    reviewed: None,
    before: Some(|scene| {
        let url = format!("{}/v1", scene.url);
        words(&["auth", "-p", "openai-compatible", "-k", "sk-not-a-key", "-m", "fake-model", "-b", &url])
    }),
    arguments: |prompt, _| words(&["--json", "--auto-approve", "true", prompt]),
    call: |tool, input| Step::new(&[tool], input),
    edit: |path, old, new| {
        let input = json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new,
            "old_text": old, "new_text": new });
        vec![Step::new(&["editor", "edit"], input)]
    },
    shell: |command| {
        let input = json!({ "commands": [command], "command": command });
        Step::new(&["run_commands", "execute_command", "bash"], input)
    },
    delegate: None,
    // With the id of a session, it wants a terminal.
    refuses: false,
    learns: false,
    resumes: false,
    compacts: None,
    ends_by_hook: true,
    instructed: false,
    absent: &[
        (Promise::Prompt, NO_PROMPTS),
        (Promise::Silence, NO_PROMPTS),
        (
            Promise::AfterCompaction,
            "compacts only what is long by its own estimate, whatever its model reports; no scripted session is",
        ),
    ],
};

const NO_PROMPTS: &str = "fires no hook for a prompt without a terminal";
