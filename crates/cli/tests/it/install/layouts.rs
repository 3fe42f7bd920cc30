//! Other people's settings, in the layouts that people and programs write.

use std::path::Path;

/// How settings may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Pretty,
    Commented,
    Windows,
    Marked,
    Minified,
    Hollow,
    Blank,
    NoLastLineEnd,
}

pub(crate) const LAYOUTS: &[Layout] = &[
    Layout::Pretty,
    Layout::Commented,
    Layout::Windows,
    Layout::Marked,
    Layout::Minified,
    Layout::Hollow,
    Layout::Blank,
    Layout::NoLastLineEnd,
];

/// The word that tests change, to play a user who edits around us.
pub(crate) const THEME: &str = "dark-theme";

const PRETTY: &str = r#"{
  "theme": "dark-theme",
  "version": 1,
  "mcpServers": {
    "other": {
      "command": "npx",
      "args": ["-y", "other"]
    }
  },
  "mcp": {
    "other": { "type": "local", "command": ["other"] }
  },
  "servers": {"other": {"command": "other"}},
  "context_servers": {
    "other": { "command": "other" }
  },
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "echo mine" }] }
    ],
    "sessionStart": [{ "command": "echo mine" }],
    "Stop": []
  }
}
"#;

const COMMENTED: &str = r#"// my settings
{
	"theme": "dark-theme", // not the light one
	/* servers, others' */
	"mcpServers": {
		"other": { "command": "npx" }, // the first
	},
	"mcp": { "other": {} /* , */ },
	"servers": {
		// none, yet
	},
	"context_servers": {
		"other": {
			"command": "other" // no comma
		} // either
	},
	"hooks": {
		"Stop": [
			{ "hooks": [] }, // a trailing comma
		],
	},
}
// the end
"#;

const HOLLOW: &str = "{\n  \"theme\": \"dark-theme\",\n  \"mcpServers\": {},\n  \"mcp\": { },\n  \"servers\": {\n  },\n  \"hooks\": {\"Stop\": [ ], \"SessionStart\": []}\n}\n";

const TOML: &str = "# mine\nmodel = \"x\" # why\ntheme = 'dark-theme'\n\n[mcp_servers.other]\ncommand = \"npx\"\nargs = [\"-y\"]\n\n[tui]\nnotifications = true\n";

const YAML: &str = "# mine\nname: me\nversion: 1.0.0\nschema: v1\ntheme: dark-theme\nmcpServers:\n  - name: other\n    command: npx # why\nread:\n  - notes.md\n\n# the end\nmodels: []\n";

const MARKDOWN: &str = "# House rules\n\nUse the dark-theme. Tabs, not spaces.\n";

/// What a file of this name holds in this layout.
pub(crate) fn content(path: &Path, layout: Layout) -> Vec<u8> {
    let kind = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let text = match (kind.as_str(), layout) {
        ("json" | "jsonc", Layout::Commented) => COMMENTED.to_owned(),
        ("json" | "jsonc", Layout::Hollow) => HOLLOW.to_owned(),
        ("json" | "jsonc", Layout::Minified) => minified(PRETTY),
        ("json" | "jsonc", _) => PRETTY.to_owned(),
        ("toml", Layout::Hollow) => "mcp_servers = {}\ntheme = \"dark-theme\"\n".to_owned(),
        ("toml", Layout::Minified) => {
            "theme=\"dark-theme\"\nmcp_servers={other={command=\"npx\"}}".to_owned()
        }
        ("toml", _) => TOML.to_owned(),
        ("yaml" | "yml", Layout::Hollow) => "theme: dark-theme\nmcpServers: []\nread: []\n".to_owned(),
        ("yaml" | "yml", Layout::Minified) => {
            "theme: dark-theme\nmcpServers: [{name: other, command: npx}]\nread: notes.md".to_owned()
        }
        ("yaml" | "yml", _) => YAML.to_owned(),
        ("md", Layout::Minified) => "dark-theme".to_owned(),
        ("md", Layout::Hollow) => "\n\n".to_owned(),
        _ => MARKDOWN.to_owned(),
    };
    match layout {
        Layout::Windows => text.replace('\n', "\r\n").into_bytes(),
        Layout::Marked => format!("\u{feff}{text}").into_bytes(),
        Layout::Blank => Vec::new(),
        Layout::NoLastLineEnd => text.trim_end().as_bytes().to_vec(),
        _ => text.into_bytes(),
    }
}

fn minified(text: &str) -> String {
    serde_json::from_str::<serde_json::Value>(text).unwrap().to_string()
}

/// A file that its own program could not read either, and the line where it breaks.
pub(crate) fn broken(path: &Path) -> Option<(&'static str, u64)> {
    match path.extension()?.to_str()? {
        "json" | "jsonc" => Some(("{\n  \"a\": 1\n  \"b\": 2\n}\n", 3)),
        "toml" => Some(("a = 1\nb = = 2\n", 2)),
        "yaml" | "yml" => Some(("a: [1\nb: 2\n", 2)),
        "md" => Some(("# Rules\n<!-- BEGIN hark: kept by `hark install` -->\nlost its end\n", 2)),
        _ => None,
    }
}
