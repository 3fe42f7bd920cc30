//! Where a running `hark serve` listens, in the user's own store, so that `hark ui` finds it on whatever port.
//!
//! Nothing depends on it: a file that a killed server left is tried and passed over, and whoever answers at the address
//! still has to prove that it holds the token.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use hark_store::Layout;

/// An address and a line break.
const LONGEST: u64 = 128;

/// The address that the last server left.
pub fn read(home: &Path) -> Option<SocketAddr> {
    let layout = Layout::new(home);
    layout.door().read_to_string(&layout.serve_address(), LONGEST).ok()?.trim().parse().ok()
}

/// Leaves the address of this server. Best effort: without it, others look at the usual port.
pub fn leave(home: &Path, address: SocketAddr) {
    let layout = Layout::new(home);
    let _ = layout.put(&layout.serve_address(), format!("{}\n", reached(address)).as_bytes());
}

/// Takes it away again, unless another server has left its own since.
pub fn take_away(home: &Path, address: SocketAddr) {
    if read(home) == Some(reached(address)) {
        let layout = Layout::new(home);
        let _ = layout.door().remove(&layout.serve_address());
    }
}

/// How programs on this machine reach a server that listens there.
pub(crate) fn reached(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_takes_away_its_own_address_only() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("store");
        let (first, second): (SocketAddr, SocketAddr) =
            ("0.0.0.0:4001".parse().unwrap(), "127.0.0.1:4002".parse().unwrap());
        assert_eq!(read(&home), None);
        leave(&home, first);
        assert_eq!(read(&home), Some("127.0.0.1:4001".parse().unwrap()));
        leave(&home, second);
        take_away(&home, first);
        assert_eq!(read(&home), Some(second));
        take_away(&home, second);
        assert_eq!(read(&home), None);
        std::fs::write(home.join("serve.address"), "nonsense").unwrap();
        assert_eq!(read(&home), None);
    }
}
