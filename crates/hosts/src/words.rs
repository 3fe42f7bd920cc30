//! Texts for assistants: the instructions, the slash commands, the skills. Stored once, written in each
//! assistant's format.

use crate::host::CommandFormat;

/// Short, because every session includes it.
pub(crate) const INSTRUCTIONS: &str = include_str!("assets/instructions.md");

/// For assistants without tools.
pub(crate) const INSTRUCTIONS_WITHOUT_TOOLS: &str = include_str!("assets/instructions-without-tools.md");

/// A slash command.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    description: &'static str,
    /// The arguments; empty if there are none.
    arguments: &'static str,
    body: &'static str,
}

pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "hark-status",
        description: "Show whether memory works and what it contains",
        arguments: "",
        body: include_str!("assets/commands/status.md"),
    },
    Command {
        name: "hark-recall",
        description: "Search memory",
        arguments: "[what]",
        body: include_str!("assets/commands/recall.md"),
    },
    Command {
        name: "hark-remember",
        description: "Save something to memory",
        arguments: "[what]",
        body: include_str!("assets/commands/remember.md"),
    },
    Command {
        name: "hark-checkpoint",
        description: "Save the state of the current work",
        arguments: "[note]",
        body: include_str!("assets/commands/checkpoint.md"),
    },
    Command {
        name: "hark-resume",
        description: "Continue where an earlier session stopped",
        arguments: "[session]",
        body: include_str!("assets/commands/resume.md"),
    },
    Command {
        name: "hark-grep",
        description: "Search the exact words of past sessions",
        arguments: "[pattern]",
        body: include_str!("assets/commands/grep.md"),
    },
    Command {
        name: "hark-expand",
        description: "Show the full text behind an id",
        arguments: "[id]",
        body: include_str!("assets/commands/expand.md"),
    },
    Command {
        name: "hark-watch",
        description: "Follow a session and what is injected into it",
        arguments: "[session]",
        body: include_str!("assets/commands/watch.md"),
    },
    Command {
        name: "hark-failures",
        description: "Show past failures of a file, a command or an error",
        arguments: "[target]",
        body: include_str!("assets/commands/failures.md"),
    },
    Command {
        name: "hark-forget",
        description: "Remove something from memory",
        arguments: "[what]",
        body: include_str!("assets/commands/forget.md"),
    },
];

impl Command {
    pub(crate) fn file(&self, format: CommandFormat) -> String {
        match format {
            CommandFormat::Markdown => format!("{}.md", self.name),
            CommandFormat::Toml => format!("{}.toml", self.name),
        }
    }

    pub(crate) fn written(&self, format: CommandFormat) -> String {
        let body = self.body.trim_end();
        match format {
            CommandFormat::Markdown => {
                let hint = match self.arguments {
                    "" => String::new(),
                    arguments => format!("argument-hint: \"{arguments}\"\n"),
                };
                format!("---\ndescription: \"{}\"\n{hint}---\n{body}\n", self.description)
            }
            CommandFormat::Toml => {
                let body = body.replace("$ARGUMENTS", "{{args}}");
                format!("description = \"{}\"\nprompt = '''\n{body}\n'''\n", self.description)
            }
        }
    }
}

/// Skills: name and whole file.
pub(crate) const SKILLS: &[(&str, &str)] = &[
    ("hark-decision", include_str!("assets/skills/decision.md")),
    ("hark-task", include_str!("assets/skills/task.md")),
    ("hark-constraint", include_str!("assets/skills/constraint.md")),
    ("hark-context", include_str!("assets/skills/context.md")),
    // Not `hark-checkpoint`: a skill hides a command of the same name.
    ("hark-handoff", include_str!("assets/skills/handoff.md")),
];

/// Every text that hark gives to assistants and their users, by name, so that a test can check what it recommends.
pub fn texts() -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = vec![
        ("instructions".to_owned(), INSTRUCTIONS.to_owned()),
        ("instructions without tools".to_owned(), INSTRUCTIONS_WITHOUT_TOOLS.to_owned()),
        ("gone".to_owned(), crate::command_line::gone(std::path::Path::new("hark"))),
    ];
    texts.extend(COMMANDS.iter().map(|command| (command.name.to_owned(), command.body.to_owned())));
    texts.extend(SKILLS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    for host in crate::HOSTS {
        let install = &host.install;
        let said = install.next.iter().chain(install.plugin_next).chain([&install.asks]);
        texts.extend(said.map(|line| (host.id.to_owned(), (*line).to_owned())));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_short() {
        // Four characters are about one token.
        for text in [INSTRUCTIONS, INSTRUCTIONS_WITHOUT_TOOLS] {
            assert!(text.len() <= 600, "{} characters", text.len());
        }
    }

    #[test]
    fn commands_can_be_read_back() {
        for command in COMMANDS {
            let toml = command.written(CommandFormat::Toml);
            let parsed: toml_edit::DocumentMut = toml.parse().unwrap_or_else(|e| panic!("{e}\n{toml}"));
            assert!(parsed["prompt"].as_str().is_some_and(|p| !p.contains("$ARGUMENTS")));
            let markdown = command.written(CommandFormat::Markdown);
            let front = markdown.split("---\n").nth(1).unwrap();
            let front: serde_json::Value = serde_saphyr::from_str(front).unwrap();
            assert_eq!(front["description"], command.description);
        }
        for (name, text) in SKILLS {
            assert!(text.starts_with(&format!("---\nname: {name}\n")), "{name}");
            assert!(COMMANDS.iter().all(|command| command.name != *name), "{name} hides a command");
        }
    }
}
