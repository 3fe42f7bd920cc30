//! Claude Code.

use hark_testkit::model::Step;
use serde_json::json;

use super::{Client, Compaction, words};

pub(super) const CLIENT: Client = Client {
    id: "claude-code",
    packages: &["@anthropic-ai/claude-code@2.1.325"],
    program: "claude",
    settings: |scene| {
        let own = "{\n    \"includeCoAuthoredBy\": false\n}\n";
        vec![
            (scene.in_home(".claude/settings.json"), own.to_owned()),
            (scene.in_home(".claude/CLAUDE.md"), "# Mine\n\nUse tabs.\n".to_owned()),
        ]
    },
    environment: |scene| {
        vec![
            ("ANTHROPIC_BASE_URL", scene.url.to_owned()),
            ("ANTHROPIC_API_KEY", "sk-ant-not-a-key".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ]
    },
    reviewed: None,
    before: None,
    arguments: |prompt, session| {
        let tools = "Edit Read Agent Bash(node:*) mcp__hark";
        let mut all = words(&["-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", tools]);
        all.extend(session.into_iter().flat_map(|id| words(&["--resume", id])));
        all
    },
    call: |tool, input| {
        let query = json!({ "query": format!("select:mcp__hark__{tool}"), "max_results": 3 });
        Step::new(&[tool], input).found_by("ToolSearch", query)
    },
    edit: |path, old, new| {
        vec![
            Step::new(&["Read"], json!({ "file_path": path })),
            Step::new(&["Edit"], json!({ "file_path": path, "old_string": old, "new_string": new })),
        ]
    },
    shell: |command| Step::new(&["Bash"], json!({ "command": command, "description": "Checks the lane" })),
    delegate: Some(|prompt| {
        let input = json!({ "description": "Looks it up", "prompt": prompt, "subagent_type": "general-purpose",
            "run_in_background": false });
        Step::new(&["Agent"], input)
    }),
    refuses: true,
    resumes: true,
    compacts: Some(Compaction::Prompt("/compact")),
    ends_by_hook: true,
    instructed: true,
    absent: &[],
};
