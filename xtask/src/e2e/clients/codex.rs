//! Codex. Its user has to trust hooks.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Compaction, words};

pub(super) const CLIENT: Client = Client {
    id: "codex",
    packages: &["@openai/codex@0.166.0"],
    program: "codex",
    settings: |scene| {
        let config = format!(
            "# mine\nmodel = \"gpt-5.5\"\nmodel_provider = \"fake\"\ncheck_for_update_on_startup = false\nmodel_auto_compact_token_limit = 80000\n\n\
             [analytics]\nenabled = false\n\n[model_providers.fake]\nname = \"fake\"\nbase_url = \"{}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n",
            scene.url
        );
        vec![(scene.in_home(".codex/config.toml"), config)]
    },
    environment: |_| vec![("FAKE_KEY", "sk-not-a-key".to_owned())],
    reviewed: Some(".codex/config.toml"),
    before: None,
    arguments: |prompt, session| {
        let resume: &[&str] = if session.is_some() { &["exec", "resume"] } else { &["exec"] };
        let options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
        let last: Vec<&str> = session.into_iter().chain([prompt]).collect();
        words(&[resume, &options, &last].concat())
    },
    call: |tool, input| {
        Step::new(&[tool], input)
            .found_by("tool_search", json!({ "query": format!("{tool} memory hark"), "limit": 8 }))
    },
    edit: |path, old, new| {
        let patch = format!(
            "*** Begin Patch\n*** Update File: {}\n@@\n-{old}\n+{new}\n*** End Patch\n",
            path.file_name().unwrap_or_default().display()
        );
        vec![Step::new(&["apply_patch"], json!(patch))]
    },
    shell: |command| {
        Step::new(&["exec_command", "shell_command"], json!({ "cmd": command, "command": command }))
    },
    delegate: None,
    refuses: true,
    resumes: true,
    compacts: Some(Compaction::Tokens(90_000)),
    ends_by_hook: true,
    instructed: true,
    absent: &[],
};
