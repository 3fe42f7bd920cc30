//! Where `hark serve` listens and which token it asks for: flags, then variables, then the user's store.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use hark_store::Layout;

use super::Machine;
use crate::error::EngineError;
use crate::{serve_address, serve_token};

pub const DEFAULT_PORT: u16 = 9824;

/// What clients have to send, and where it came from.
pub struct ServeSecret {
    pub text: String,
    pub source: SecretSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    File(PathBuf),
    Variable,
    Store(PathBuf),
}

impl SecretSource {
    pub fn name(&self) -> String {
        match self {
            SecretSource::File(path) | SecretSource::Store(path) => path.display().to_string(),
            SecretSource::Variable => "HARK_SERVE_TOKEN".to_owned(),
        }
    }
}

impl Machine {
    /// The token that the user chose, by a file or a variable.
    pub fn chosen_token(&self, file: Option<&Path>) -> Result<Option<ServeSecret>, EngineError> {
        if let Some(path) = file {
            let text = std::fs::read_to_string(path).map_err(|e| {
                EngineError::invalid(
                    format!("{}: {e}", path.display()),
                    "name a file that contains the token",
                )
            })?;
            let source = SecretSource::File(path.to_owned());
            return Ok(Some(ServeSecret { text: text.trim().to_owned(), source }));
        }
        let text = std::env::var("HARK_SERVE_TOKEN").unwrap_or_default().trim().to_owned();
        Ok((!text.is_empty()).then_some(ServeSecret { text, source: SecretSource::Variable }))
    }

    /// The token in the user's store, made on first use.
    pub fn stored_token(&self) -> Result<ServeSecret, EngineError> {
        let home = self.home()?;
        let text = serve_token::read_or_make(&home.path)?;
        Ok(ServeSecret { text, source: SecretSource::Store(Layout::new(&home.path).serve_token()) })
    }

    /// The token that a server started here would ask for.
    pub fn expected_token(&self) -> Result<ServeSecret, EngineError> {
        match self.chosen_token(None)? {
            Some(secret) => Ok(secret),
            None => self.stored_token(),
        }
    }

    /// The same without making one. A file that cannot be read counts as none.
    pub fn known_token(&self) -> Option<String> {
        let chosen = self.chosen_token(None).ok().flatten().map(|secret| secret.text);
        chosen.or_else(|| serve_token::read(&self.home().ok()?.path).ok()?)
    }

    /// The address to listen on.
    pub fn serve_host(&self, flag: Option<IpAddr>) -> Result<IpAddr, EngineError> {
        let setting = std::env::var("HARK_SERVE_HOST").ok().filter(|text| !text.is_empty());
        match (flag, setting) {
            (Some(host), _) => Ok(host),
            (None, Some(text)) => address(&text).map_err(|e| {
                EngineError::invalid(format!("HARK_SERVE_HOST: {e}"), "unset it, or correct it")
            }),
            (None, None) => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        }
    }

    pub fn serve_port(&self, flag: Option<u16>) -> Result<u16, EngineError> {
        let setting = std::env::var("HARK_SERVE_PORT").ok().filter(|text| !text.is_empty());
        match (flag, setting) {
            (Some(port), _) => Ok(port),
            (None, Some(text)) => text.parse().map_err(|_| {
                EngineError::invalid(
                    format!("HARK_SERVE_PORT: invalid port `{text}`"),
                    "unset it, or correct it",
                )
            }),
            (None, None) => Ok(DEFAULT_PORT),
        }
    }

    /// Requests a minute per caller; 0 is no limit.
    pub fn serve_rate(&self, flag: Option<u32>, default: u32) -> Result<u32, EngineError> {
        let setting = std::env::var("HARK_SERVE_RATE").ok().filter(|text| !text.is_empty());
        match (flag, setting) {
            (Some(rate), _) => Ok(rate),
            (None, Some(text)) => text.parse().map_err(|_| {
                EngineError::invalid(
                    format!("HARK_SERVE_RATE: invalid number `{text}`"),
                    "unset it, or set it to requests a minute; 0 means no limit",
                )
            }),
            (None, None) => Ok(default),
        }
    }

    /// The address of a server started here, as seen from this machine.
    pub fn serve_address(&self, port: Option<u16>) -> Result<SocketAddr, EngineError> {
        let address = SocketAddr::new(self.serve_host(None)?, self.serve_port(port)?);
        Ok(serve_address::reached(address))
    }

    /// Where clients on this machine reach it.
    pub fn serve_url(&self) -> Result<String, EngineError> {
        Ok(format!("http://{}/mcp", self.serve_address(None)?))
    }
}

/// Parses an address to listen on.
pub fn address(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let literal = text.trim_start_matches('[').trim_end_matches(']');
    literal.parse().map_err(|_| format!("invalid IP address `{text}`; try 127.0.0.1, ::1 or 0.0.0.0"))
}
