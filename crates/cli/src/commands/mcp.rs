//! `hark mcp`: the memory as tools for an assistant, over stdin and stdout.

use std::sync::Arc;

use hark_engine::toolbox::Family;
use hark_server::{MemoryTools, Settings};

use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Offer these families of tools besides the core ones
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    Ok(hark_server::serve_stdio(tools(&args.tools, environment))?)
}

pub(super) fn tools(families: &[Family], environment: &Environment) -> Arc<MemoryTools> {
    Arc::new(MemoryTools::new(Settings {
        home: environment.home_setting.clone(),
        user_config: environment.user_config.clone(),
        clock: environment.clock,
        families: families.to_vec(),
    }))
}
