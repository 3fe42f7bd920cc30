//! OpenCode.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Compaction, UNTOLD_END, words};

pub(super) const CLIENT: Client = Client {
    id: "opencode",
    packages: &["opencode-ai@1.18.33"],
    program: "opencode",
    settings: |scene| {
        let config = json!({
            "model": "fake/fake-model", "small_model": "fake/fake-model", "autoupdate": false, "share": "disabled",
            "provider": { "fake": { "npm": "@ai-sdk/openai-compatible", "name": "Fake",
                "options": { "baseURL": format!("{}/v1", scene.url), "apiKey": "sk-not-a-key" },
                "models": { "fake-model": { "name": "Fake", "tool_call": true,
                    "limit": { "context": 200_000, "output": 8_000 } } } } },
            "permission": { "*": "allow" },
        });
        // What its first start would fetch for plugins in TypeScript; ours needs none of it.
        let types = json!({ "dependencies": { "@opencode-ai/plugin": "1.18.33" } });
        let lock = json!({ "lockfileVersion": 3, "packages": { "": types } });
        vec![
            (scene.in_config("opencode/opencode.json"), format!("{config:#}\n")),
            (scene.in_config("opencode/package.json"), types.to_string()),
            (scene.in_config("opencode/package-lock.json"), lock.to_string()),
            (scene.in_config("opencode/node_modules/.keep"), String::new()),
        ]
    },
    environment: |_| {
        let off = [
            "OPENCODE_DISABLE_AUTOUPDATE",
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
            "OPENCODE_DISABLE_SHARE",
        ];
        off.map(|name| (name, "1".to_owned())).to_vec()
    },
    reviewed: None,
    before: None,
    arguments: |prompt, session| {
        let mut all = words(&["run", "--format", "json"]);
        all.extend(session.into_iter().flat_map(|id| words(&["--session", id])));
        all.push(prompt.to_owned());
        all
    },
    call: |tool, input| Step::new(&[tool], input),
    edit: |path, old, new| {
        vec![
            Step::new(&["read"], json!({ "filePath": path })),
            Step::new(&["edit"], json!({ "filePath": path, "oldString": old, "newString": new })),
        ]
    },
    shell: |command| Step::new(&["bash"], json!({ "command": command, "description": "Checks the lane" })),
    delegate: None,
    refuses: false,
    resumes: true,
    compacts: Some(Compaction::Tokens(195_000)),
    ends_by_hook: false,
    instructed: true,
    // A session is only left; it ends when its user deletes it.
    absent: UNTOLD_END,
};
