//! `hark mcp`: memory as tools for an assistant, over stdin and stdout.

use std::sync::Arc;

use hark_engine::operation::Family;
use hark_server::Pool;

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct Mcp {
    /// List these families of tools besides the core ones
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
}

impl Start for Mcp {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        let pool = Arc::new(Pool::new(environment.machine.clone()));
        Ok(hark_server::serve_stdio(pool, &self.tools)?)
    }
}
