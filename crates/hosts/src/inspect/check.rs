//! Settings of an assistant's own that make it ignore what hark installed.

use serde_json::Value;

use crate::edit;
use crate::host::{Host, Place};
use crate::place::Surroundings;

/// One such setting.
#[derive(Debug)]
pub struct Check {
    pub about: About,
    pub place: Place,
    /// `{project}` stands for the project's folder.
    pub path: &'static [&'static str],
    pub off: Off,
}

/// What the setting turns off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    Hooks,
    Server,
}

/// The value that turns it off.
#[derive(Debug, Clone, Copy)]
pub enum Off {
    True,
    False,
    /// A list with this name in it.
    With(&'static str),
    /// A list without this name.
    Without(&'static str),
    /// A list with a name that begins like this.
    Beginning(&'static str),
}

impl Check {
    pub(crate) const fn hooks(place: Place, path: &'static [&'static str], off: Off) -> Check {
        Check { about: About::Hooks, place, path, off }
    }

    pub(crate) const fn server(place: Place, path: &'static [&'static str], off: Off) -> Check {
        Check { about: About::Server, place, path, off }
    }

    /// The problem, if the setting is there and turns something off.
    pub(super) fn problem(&self, host: &Host, around: &Surroundings) -> Option<String> {
        let file = around.find(host, &self.place)?;
        let path = self.path.iter().map(|part| match *part {
            "{project}" => around.project.as_ref().map(|root| root.to_string_lossy().into_owned()),
            part => Some(part.to_owned()),
        });
        let path = path.collect::<Option<Vec<String>>>()?;
        let value = edit::setting(&file, &path)?;
        if !self.off.matches(&value) {
            return None;
        }
        let effect = match self.about {
            About::Hooks => "so its hooks do not run",
            About::Server => "so its tools are not available",
        };
        let name = path.join(".");
        let said = match self.off {
            Off::True => format!("`{name}` is true"),
            Off::False => format!("`{name}` is false"),
            Off::With(listed) => format!("`{name}` lists `{listed}`"),
            Off::Without(listed) => format!("`{name}` does not list `{listed}`"),
            Off::Beginning(listed) => format!("`{name}` lists `{listed}…`"),
        };
        Some(format!("{}: {said}, {effect}", around.short(&file)))
    }
}

impl Off {
    fn matches(self, value: &Value) -> bool {
        let list = || value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>());
        match self {
            Off::True => value == &Value::Bool(true),
            Off::False => value == &Value::Bool(false),
            Off::With(name) => list().is_some_and(|list| list.contains(&name)),
            Off::Without(name) => list().is_some_and(|list| !list.contains(&name)),
            Off::Beginning(start) => list().is_some_and(|list| list.iter().any(|n| n.starts_with(start))),
        }
    }
}
