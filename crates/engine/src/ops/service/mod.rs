//! Runs hark as a service of the user: a systemd unit or a launchd agent.

pub mod control;
pub mod install;
pub mod logs;

use clap::Args;
use hark_hosts::Surroundings;
use hark_store::Layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::machine::Machine;
use crate::operation::text::safe;
use crate::operation::{
    BOLD, Call, Code, DIM, EVERYWHERE, Effect, GOOD, Group, OperateHere, Operation, Page, Reply, Surface,
    Surfaces, Tool, WARN, Who,
};
use crate::service::ServiceState;
use crate::units::{Condition, Desk, Job, Manager};

pub use control::{RESTART, START, STOP};
pub use install::{INSTALL, OWNER, UNINSTALL, disable};
pub use logs::LOGS;

/// Where units are changed and read.
const HERE: Surfaces = Surfaces {
    command: Surface::On,
    route: Surface::Off("changes services of this machine"),
    page: Surface::Off("changes services of this machine"),
};

/// The manager to ask; tests name the one of another system.
#[derive(Debug, Clone, Copy, Default, Args, Deserialize, JsonSchema)]
pub struct Which {
    #[arg(long, value_enum, hide = true)]
    #[serde(skip)]
    #[schemars(skip)]
    pub manager: Option<Manager>,
}

impl Which {
    fn manager(self) -> Manager {
        self.manager.unwrap_or_else(Manager::usual)
    }
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    #[command(flatten)]
    #[serde(flatten)]
    pub which: Which,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Status {
    pub manager: Manager,
    /// The unit or agent.
    pub file: String,
    pub installed: bool,
    /// Whether it differs from what `hark service install` would write.
    pub edited: bool,
    #[serde(flatten)]
    pub condition: Condition,
    /// Why the manager cannot be asked, and what to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<Unavailable>,
    /// What the service says about itself, however it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceState>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Unavailable {
    pub what: String,
    pub hint: Option<String>,
}

fn run(machine: &Machine, request: &Request) -> Result<Status, EngineError> {
    let around = machine.surroundings()?;
    let desk = Desk::new(request.which.manager(), &around);
    let written = std::fs::read_to_string(&desk.file).ok();
    let unavailable = desk
        .check(&job(machine, &around, "serve")?)
        .err()
        .map(|error| Unavailable { what: error.to_string(), hint: error.hint() });
    let condition = match &unavailable {
        Some(_) => Condition { state: "unknown".to_owned(), ..Condition::default() },
        None => desk.condition(),
    };
    let ours = hark_hosts::look(&around.data).ok().and_then(|manifest| {
        let file = manifest.file(&desk.file)?;
        Some(written.as_ref().is_some_and(|text| file.is_as_left(text.as_bytes())))
    });
    Ok(Status {
        manager: desk.manager,
        file: around.short(&desk.file),
        installed: written.is_some(),
        edited: written.is_some() && ours != Some(true),
        condition,
        unavailable,
        service: ServiceState::read(&Layout::new(&around.data)).map(ServiceState::view),
    })
}

/// What the unit runs: this program, in the store and with the settings that it has now.
pub(super) fn job(machine: &Machine, around: &Surroundings, task: &str) -> Result<Job, EngineError> {
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).map_err(|e| {
        EngineError::invalid(format!("cannot find the path of this program: {e}"), "run it by its full path")
    })?;
    let arguments = task.split(' ').map(str::to_owned).collect();
    let mut variables = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        variables.extend(value.filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value)));
    };
    let text = |path: &std::path::Path| Some(path.to_string_lossy().into_owned());
    add("HARK_HOME", machine.home_setting.as_ref().and(text(&around.data)));
    for name in ["HARK_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HARK_SERVE_HOST", "HARK_SERVE_PORT"] {
        add(name, std::env::var(name).ok());
    }
    for (name, folder) in &around.vars {
        add(name, text(folder));
    }
    Ok(Job { program, arguments, variables })
}

pub const OPERATION: Operation = Operation {
    name: "service",
    also: &["service status"],
    summary: "Show whether hark runs as a service",
    help: "A service is a systemd unit of yours on Linux, and a launchd agent on macOS. It runs `hark serve`: the HTTP server, \
           background work, and the reading of transcripts while they are written.",
    examples: &[
        ("hark service", "Show the unit, its state and what the service is doing"),
        ("hark service install", "Start hark now and with every login"),
        ("hark service logs -n 50", "Show what it printed last"),
    ],
    group: Group::Service,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("services are for the user to run"),
    surfaces: EVERYWHERE,
    code: Code::here::<Request>(),
};

impl OperateHere for Request {
    type Response = Status;

    fn run(&self, call: &mut Call<'_>) -> Result<Status, EngineError> {
        run(call.machine, self)
    }
}

impl Reply for Status {
    fn print(&self, page: &mut Page) {
        let style = if self.condition.active { GOOD } else { WARN };
        page.print(&format!("{BOLD}unit{BOLD:#}     {style}{}{style:#}\n", safe(&self.condition.state)));
        let file = match (self.installed, self.edited) {
            (false, _) => format!("not installed; install it with `hark service install` ({})", self.file),
            (true, true) => format!("{} (changed by you, or not written by hark)", self.file),
            (true, false) => self.file.clone(),
        };
        page.print(&format!("{BOLD}file{BOLD:#}     {}\n", safe(&file)));
        if let Some(pid) = self.condition.pid {
            page.print(&format!("{BOLD}process{BOLD:#}  {pid}\n"));
        }
        match &self.service {
            Some(service) => {
                page.print(&format!(
                    "{BOLD}work{BOLD:#}     {}, since {}\n",
                    service.host.command(),
                    service.since
                ));
            }
            None => page.print(&format!("{DIM}no service works on this store now{DIM:#}\n")),
        }
        if let Some(unavailable) = &self.unavailable {
            page.note(&format!("{}\n", safe(&unavailable.what)));
            page.note(&format!("hint: {}\n", safe(unavailable.hint.as_deref().unwrap_or_default())));
        }
    }
}
