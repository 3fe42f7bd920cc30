//! `hark serve`: the same tools over HTTP, on this machine only.

use std::net::{Ipv4Addr, SocketAddr};

use hark_engine::toolbox::Family;
use hark_server::{DEFAULT_PORT, HttpOptions};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Port on 127.0.0.1
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Offer these families of tools besides the core ones
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let options = HttpOptions { addr, ..HttpOptions::default() };
    let ready = |addr: SocketAddr| ui::note(&format!("serving MCP at http://{addr}/mcp; stop with Ctrl-C\n"));
    Ok(hark_server::serve_http(super::mcp::tools(&args.tools, environment), options, ready)?)
}
