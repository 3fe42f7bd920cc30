//! Refuses requests that a web page could forge.
//!
//! A page on any site can make a browser send requests to a port on this machine, and by DNS rebinding even
//! read the answers. Such a request names the site in `Host` or in `Origin`; a real client names us.

use std::net::{IpAddr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The names under which this server may be addressed.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    addr: SocketAddr,
    /// Further hosts, as `name` (any port) or `name:port`.
    hosts: Vec<String>,
    /// Further origins, compared as a whole.
    origins: Vec<String>,
}

impl Guard {
    pub(crate) fn new(addr: SocketAddr, hosts: &[String], origins: &[String]) -> Self {
        let lower = |list: &[String]| list.iter().map(|s| s.trim().to_ascii_lowercase()).collect();
        Self { addr, hosts: lower(hosts), origins: lower(origins) }
    }

    /// The reason to refuse, if there is one.
    pub(crate) fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok().and_then(|host| host.parse().ok()),
            (None, _) => uri.authority().cloned(),
            (Some(_), Some(_)) => None,
        };
        let Some(host) = host.filter(|host| self.knows(host, 80) || self.is_an_address_of_ours(host)) else {
            return Some("Host is not this server");
        };
        for origin in headers.get_all(header::ORIGIN) {
            let own = format!("http://{host}");
            let allowed = origin.to_str().is_ok_and(|o| self.trusts(o) || o.eq_ignore_ascii_case(&own));
            if !allowed {
                return Some("Origin is not allowed");
            }
        }
        None
    }

    fn trusts(&self, origin: &str) -> bool {
        let origin = origin.trim().to_ascii_lowercase();
        if self.origins.contains(&origin) {
            return true;
        }
        let (rest, default_port) = match origin.split_once("://") {
            Some(("http", rest)) => (rest, 80),
            Some(("https", rest)) => (rest, 443),
            _ => return false,
        };
        rest.parse().is_ok_and(|authority| self.knows(&authority, default_port))
    }

    fn knows(&self, authority: &Authority, default_port: u16) -> bool {
        if authority.as_str().contains('@') {
            return false;
        }
        let host = authority.host().to_ascii_lowercase();
        let port = authority.port_u16().unwrap_or(default_port);
        (LOOPBACK.contains(&host.as_str()) && port == self.addr.port())
            || self.hosts.iter().any(|known| *known == host || *known == format!("{host}:{port}"))
    }

    /// The address we listen on; any address if we listen on all. Only names can be rebound, so an address in `Host`
    /// is where the request was really sent.
    fn is_an_address_of_ours(&self, host: &Authority) -> bool {
        let literal = host.host().trim_start_matches('[').trim_end_matches(']');
        let Ok(ip) = literal.parse::<IpAddr>() else { return false };
        let ours = self.addr.ip();
        !host.as_str().contains('@')
            && host.port_u16().unwrap_or(80) == self.addr.port()
            && !ours.is_loopback()
            && (ours.is_unspecified() || ours == ip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(host: &str, origin: Option<&str>) -> bool {
        refused_on("127.0.0.1:9824", host, origin)
    }

    fn refused_on(addr: &str, host: &str, origin: Option<&str>) -> bool {
        let guard = Guard::new(
            addr.parse().unwrap(),
            &["Memory.example".into(), "proxy:8443".into(), "127.0.0.1:8080".into()],
            &["https://app.example".into()],
        );
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        guard.refusal(&Uri::from_static("/mcp"), &headers).is_some()
    }

    #[test]
    fn only_our_own_names_with_our_port() {
        for host in ["localhost:9824", "127.0.0.1:9824", "[::1]:9824", "LOCALHOST:9824"] {
            assert!(!refused(host, None), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:9824",
            "localhost",
            "localhost:80",
            "localhost.evil.example:9824",
            "localhost:9824@evil.example",
            "user@localhost:9824",
            "127.0.0.2:9824",
            "",
        ] {
            assert!(refused(host, None), "{host}");
        }
    }

    #[test]
    fn further_hosts_by_configuration() {
        assert!(!refused("memory.example", None));
        assert!(!refused("memory.example:444", None));
        assert!(!refused("proxy:8443", None));
        assert!(refused("proxy:8444", None));
        assert!(!refused("127.0.0.1:8080", None));
        assert!(refused("127.0.0.1:8081", None));
    }

    #[test]
    fn origin_must_be_ours_when_there_is_one() {
        for origin in
            ["http://localhost:9824", "http://127.0.0.1:9824", "http://[::1]:9824", "https://app.example"]
        {
            assert!(!refused("localhost:9824", Some(origin)), "{origin}");
        }
        for origin in [
            "null",
            "http://evil.example",
            "http://localhost:3000",
            "http://localhost",
            "file://localhost:9824",
            "https://app.example.evil.example",
            "http://localhost:9824.evil.example",
        ] {
            assert!(refused("localhost:9824", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn beyond_loopback_addresses_are_known_and_names_are_not() {
        for addr in ["0.0.0.0:9824", "192.168.1.5:9824"] {
            for host in ["192.168.1.5:9824", "localhost:9824"] {
                assert!(!refused_on(addr, host, None), "{addr} {host}");
                assert!(!refused_on(addr, host, Some(&format!("http://{host}"))), "{addr} {host}");
                assert!(refused_on(addr, host, Some("http://192.168.1.6:9824")), "{addr} {host}");
            }
            for host in ["evil.example:9824", "192.168.1.5:80", "user@192.168.1.5:9824"] {
                assert!(refused_on(addr, host, None), "{addr} {host}");
            }
        }
        assert!(!refused_on("[::]:9824", "[fd00::1]:9824", None));
        assert!(!refused_on("0.0.0.0:9824", "10.0.0.9:9824", None));
        assert!(refused_on("192.168.1.5:9824", "10.0.0.9:9824", None));
        assert!(refused_on("127.0.0.1:9824", "10.0.0.9:9824", None));
    }

    #[test]
    fn two_hosts_or_none_are_refused() {
        let guard = Guard::new("127.0.0.1:9824".parse().unwrap(), &[], &[]);
        let mut headers = HeaderMap::new();
        let uri = Uri::from_static("/");
        assert!(guard.refusal(&uri, &headers).is_some());
        headers.append(header::HOST, "localhost:9824".parse().unwrap());
        headers.append(header::HOST, "evil.example".parse().unwrap());
        assert!(guard.refusal(&uri, &headers).is_some());
    }
}
