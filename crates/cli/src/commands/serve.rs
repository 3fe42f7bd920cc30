//! `hark serve`: the same tools over HTTP, for callers that send the token.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use hark_engine::machine::{SecretSource, address};
use hark_engine::operation::Family;
use hark_engine::service::{Host, Service};
use hark_engine::{Machine, serve_address};
use hark_server::{HttpOptions, Pool, Token};

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    /// Address to listen on; one that other machines can reach needs a token of your own [default: 127.0.0.1, or
    /// HARK_SERVE_HOST]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    host: Option<IpAddr>,
    /// Port to listen on [default: 9824, or HARK_SERVE_PORT]
    #[arg(long)]
    port: Option<u16>,
    /// Read the token from this file instead of HARK_SERVE_TOKEN or the store
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Requests a minute from one caller; 0 means no limit [default: 60000, or HARK_SERVE_RATE]
    #[arg(long, value_name = "N")]
    rate: Option<u32>,
    /// Leave the session of the terminal, for `hark ui`
    #[arg(long, hide = true)]
    detached: bool,
    /// Another host name of this server, such as that of a proxy in front of it
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// List these families of tools besides the core ones; default: the setting mcp.tools
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
    /// Only answer: leave background work and transcripts to `hark work`
    #[arg(long)]
    no_worker: bool,
}

impl Start for Serve {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        #[cfg(unix)]
        if self.detached {
            // Fails only in a process that leads a group, which has no terminal to leave.
            let _ = rustix::process::setsid();
        }
        let machine = &environment.machine;
        let addr = SocketAddr::new(machine.serve_host(self.host)?, machine.serve_port(self.port)?);
        let secret = match machine.chosen_token(self.token_file.as_deref())? {
            Some(secret) => secret,
            None if addr.ip().is_loopback() => machine.stored_token()?,
            None => {
                return Err(Failure::user(
                    format!(
                        "other machines can reach {}: with the token they can read, change and delete your memories",
                        addr.ip()
                    ),
                    "if that is what you want, choose a token and set HARK_SERVE_TOKEN or --token-file FILE",
                ));
            }
        };
        let token = Token::new(&secret.text).map_err(|e| {
            let hint = match &secret.source {
                SecretSource::Store(path) => {
                    format!("delete {}; `hark serve` then makes a new token", path.display())
                }
                SecretSource::File(_) | SecretSource::Variable => {
                    "make one with `openssl rand -hex 32`".to_owned()
                }
            };
            Failure::user(format!("{}: {e}", secret.source.name()), hint)
        })?;
        let mut options = HttpOptions::new(addr, token);
        options.allowed_hosts = self.allow_host;
        options.rate = machine.serve_rate(self.rate, hark_server::DEFAULT_RATE)?;
        options.open_metrics = machine.config().is_ok_and(|config| config.serve.open_metrics);
        let from = secret.source.name();
        let home = machine.home()?.path;
        let mut listens = None;
        let ready = |addr: SocketAddr| {
            serve_address::leave(&home, addr);
            listens = Some(addr);
            ui::note(&format!("serving MCP at http://{addr}/mcp; stop with Ctrl-C\n"));
            ui::note(&format!(
                "clients need the token in {from}; `hark install generic` prints their entry\n"
            ));
            if !addr.ip().is_loopback() {
                ui::note(
                    "other machines can reach it: anyone with the token can read, change and delete your memories, \
                     and nothing is encrypted in transit; put a proxy with TLS in front of it\n",
                );
            }
        };
        let tools = super::mcp::listed(machine, self.tools);
        // Each client has its own project; this process has none.
        let machine = Machine { project: None, ..machine.clone() };
        let worker = if self.no_worker { None } else { worker(&machine) };
        let pool = Arc::new(Pool::new(machine));
        let outcome = hark_server::serve_http(pool, &tools, options, ready);
        if let Some(addr) = listens {
            serve_address::take_away(&home, addr);
        }
        if let Some(worker) = worker {
            worker.stop();
        }
        Ok(outcome?)
    }
}

/// Answers do not depend on it.
fn worker(machine: &Machine) -> Option<Service> {
    if !hark_engine::is_enabled() {
        return None;
    }
    let say = Arc::new(|line: &str| ui::note(&format!("{}\n", ui::safe(line))));
    match Service::start(machine, Host::Serve, say) {
        Ok(service) => Some(service),
        Err(error) => {
            ui::note(&format!("no background work: {}\n", ui::safe(&error.to_string())));
            None
        }
    }
}
