//! `hark mcp`: memory as tools for an assistant, over stdin and stdout.

use std::sync::Arc;

use hark_engine::Machine;
use hark_engine::operation::Family;
use hark_server::Pool;

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct Mcp {
    /// List these families of tools besides the core ones; default: the setting mcp.tools
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
}

/// The families that a flag names, else those in the settings. Settings that cannot be read are reported by each call.
pub(super) fn listed(machine: &Machine, flag: Vec<Family>) -> Vec<Family> {
    if flag.is_empty() { machine.config().map(|config| config.mcp.tools).unwrap_or_default() } else { flag }
}

impl Start for Mcp {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        let pool = Arc::new(Pool::new(environment.machine.clone()));
        let tools = listed(&environment.machine, self.tools);
        Ok(hark_server::serve_stdio(pool, &tools)?)
    }
}
