//! `hark serve`: the same tools over HTTP, for callers that show the token.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use hark_engine::toolbox::Family;
use hark_engine::{Home, serve_token};
use hark_server::{DEFAULT_PORT, HttpOptions, Token};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; one that other machines reach needs a token of your own [default: 127.0.0.1, or
    /// HARK_SERVE_HOST]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    host: Option<IpAddr>,
    /// Port to listen on [default: 9824, or HARK_SERVE_PORT]
    #[arg(long)]
    port: Option<u16>,
    /// Read the token from this file instead of HARK_SERVE_TOKEN or the one in the store
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A further name under which clients reach this server, such as the one of a proxy in front of it
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Offer these families of tools besides the core ones
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAMILY")]
    tools: Vec<Family>,
}

/// What clients have to show, and where it came from.
pub(super) struct Secret {
    pub(super) text: String,
    source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    File(PathBuf),
    Variable,
    Store(PathBuf),
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let addr = SocketAddr::new(host(args.host)?, port(args.port)?);
    let secret = match given(args.token_file.as_deref())? {
        Some(secret) => secret,
        None if addr.ip().is_loopback() => of_store(environment)?,
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
            Source::Store(path) => format!("delete {}; `hark serve` then makes a new token", path.display()),
            Source::File(_) | Source::Variable => "make one with `openssl rand -hex 32`".to_owned(),
        };
        Failure::user(format!("{}: {e}", secret.source.name()), hint)
    })?;
    let mut options = HttpOptions::new(addr, token);
    options.allowed_hosts.clone_from(&args.allow_host);
    let ready = |addr: SocketAddr| {
        let from = secret.source.name();
        ui::note(&format!("serving MCP at http://{addr}/mcp; stop with Ctrl-C\n"));
        ui::note(&format!("clients need the token in {from}; `hark install generic` prints their entry\n"));
        if !addr.ip().is_loopback() {
            ui::note(
                "other machines can reach it: whoever has the token can read, change and delete your memories, \
                 and nothing is encrypted on the way; put a proxy with TLS in front of it\n",
            );
        }
    };
    Ok(hark_server::serve_http(super::mcp::tools(&args.tools, environment), options, ready)?)
}

/// The token that a server started here would ask for; the one of the store is made if there is none yet.
pub(super) fn expected(environment: &Environment) -> Result<Secret, Failure> {
    match given(None)? {
        Some(secret) => Ok(secret),
        None => of_store(environment),
    }
}

/// The same, but none is made, and a file that cannot be read is as good as none.
pub(crate) fn known(environment: &Environment) -> Option<String> {
    let given = given(None).ok().flatten().map(|secret| secret.text);
    given.or_else(|| serve_token::read(&Home::of_user(environment.home_setting.clone())?.path).ok()?)
}

/// Where a server started here would be reached from this machine.
pub(super) fn url() -> Result<String, Failure> {
    let host = match host(None)? {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        host => host,
    };
    Ok(format!("http://{}/mcp", SocketAddr::new(host, port(None)?)))
}

/// One that the user chose.
fn given(file: Option<&Path>) -> Result<Option<Secret>, Failure> {
    if let Some(path) = file {
        let text = std::fs::read_to_string(path).map_err(|e| {
            Failure::user(format!("{}: {e}", path.display()), "name a file with the token in it")
        })?;
        return Ok(Some(Secret { text: text.trim().to_owned(), source: Source::File(path.to_owned()) }));
    }
    let text = std::env::var("HARK_SERVE_TOKEN").unwrap_or_default().trim().to_owned();
    Ok((!text.is_empty()).then_some(Secret { text, source: Source::Variable }))
}

fn of_store(environment: &Environment) -> Result<Secret, Failure> {
    let home = Home::of_user(environment.home_setting.clone())
        .ok_or_else(|| Failure::user("there is no home directory", "set HARK_HOME to a folder"))?;
    let text = serve_token::read_or_make(&home.path)?;
    Ok(Secret { text, source: Source::Store(hark_engine::Layout::new(&home.path).serve_token()) })
}

impl Source {
    fn name(&self) -> String {
        match self {
            Source::File(path) | Source::Store(path) => path.display().to_string(),
            Source::Variable => "HARK_SERVE_TOKEN".to_owned(),
        }
    }
}

fn host(flag: Option<IpAddr>) -> Result<IpAddr, Failure> {
    let setting = std::env::var("HARK_SERVE_HOST").ok().filter(|text| !text.is_empty());
    match (flag, setting) {
        (Some(host), _) => Ok(host),
        (None, Some(text)) => address(&text)
            .map_err(|e| Failure::user(format!("HARK_SERVE_HOST: {e}"), "unset it, or correct it")),
        (None, None) => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
    }
}

fn port(flag: Option<u16>) -> Result<u16, Failure> {
    let setting = std::env::var("HARK_SERVE_PORT").ok().filter(|text| !text.is_empty());
    match (flag, setting) {
        (Some(port), _) => Ok(port),
        (None, Some(text)) => text.parse().map_err(|_| {
            Failure::user(format!("HARK_SERVE_PORT: `{text}` is not a port"), "unset it, or correct it")
        }),
        (None, None) => Ok(DEFAULT_PORT),
    }
}

fn address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let literal = text.trim_start_matches('[').trim_end_matches(']');
    literal.parse().map_err(|_| format!("`{text}` is not an IP address; try 127.0.0.1, ::1 or 0.0.0.0"))
}
