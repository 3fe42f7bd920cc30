//! Factory's droid, cut off from its cloud.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, words};
use crate::e2e::proven::Promise;

pub(super) const CLIENT: Client = Client {
    id: "droid",
    // The package without a platform in its name lags behind or runs ahead of the binaries.
    packages: &["droid@0.215.0", "@factory/cli-linux-x64@0.215.0"],
    program: "droid",
    settings: |scene| {
        let own = json!({
            "enableDroidShield": false, "cloudSessionSync": false,
            "customModels": [{ "model": "fake-model", "displayName": "Fake", "baseUrl": format!("{}/v1", scene.url),
                "apiKey": "sk-not-a-key", "provider": "generic-chat-completion-api", "maxOutputTokens": 8_000 }],
        });
        vec![(scene.in_home(".factory/settings.json"), format!("{own:#}\n"))]
    },
    environment: |_| {
        vec![
            ("FACTORY_API_KEY", "fk-not-a-key".to_owned()),
            ("FACTORY_DROID_AUTO_UPDATE_ENABLED", "false".to_owned()),
            ("FACTORY_AIRGAP_ENABLED", "true".to_owned()),
        ]
    },
    reviewed: None,
    before: None,
    arguments: |prompt, _| {
        words(&["exec", "--skip-permissions-unsafe", "-m", "custom:fake-model", "-o", "stream-json", prompt])
    },
    call: |tool, input| {
        let query = json!({ "query": format!("select:hark___{tool}") });
        Step::new(&[tool], input).found_by("ToolSearch", query)
    },
    edit: |path, old, new| {
        let input = json!({ "file_path": path, "old_str": old, "new_str": new, "old_string": old, "new_string": new });
        vec![Step::new(&["Read"], json!({ "file_path": path })), Step::new(&["Edit"], input)]
    },
    shell: |command| {
        let input = json!({ "command": command, "summary": "Checks the lane", "riskLevel": "low",
            "riskLevelReason": "It only reads.", "timeout": 30 });
        Step::new(&["Execute", "Bash"], input)
    },
    delegate: None,
    // It fetches the session from its cloud.
    refuses: true,
    resumes: false,
    compacts: None,
    ends_by_hook: true,
    instructed: true,
    absent: &[
        (Promise::Prompt, NO_PROMPTS),
        (Promise::Silence, NO_PROMPTS),
        (Promise::AfterCompaction, "`droid exec` compacts without firing a hook"),
    ],
};

const NO_PROMPTS: &str = "`droid exec` fires no hook for a prompt";
