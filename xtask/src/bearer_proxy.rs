//! Puts the token into requests of programs that cannot: the conformance suites have no option for a header.
//!
//! Each connection carries one request: its head gets the header, and everything after it passes as it is.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;

/// Listens on a port of its own for as long as the process lives.
pub(crate) fn start(listener: TcpListener, server: u16, token: String) {
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let token = token.clone();
            thread::spawn(move || pass(client, server, &token));
        }
    });
}

fn pass(mut client: TcpStream, server: u16, token: &str) -> io::Result<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte)? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let mut upstream = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    upstream.write_all(&with_header(&head, token))?;
    let (mut from, mut to) = (client.try_clone()?, upstream.try_clone()?);
    thread::spawn(move || io::copy(&mut from, &mut to));
    let copied = io::copy(&mut upstream, &mut client);
    client.shutdown(Shutdown::Both)?;
    copied.map(drop)
}

fn with_header(head: &[u8], token: &str) -> Vec<u8> {
    let head = String::from_utf8_lossy(head);
    let lines = head.trim_end().split("\r\n");
    let kept = lines.filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let mut kept: Vec<String> = kept.map(str::to_owned).collect();
    kept.push(format!("Authorization: Bearer {token}"));
    kept.push("Connection: close".to_owned());
    (kept.join("\r\n") + "\r\n\r\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_gets_the_token_and_ends_the_connection() {
        let head = b"GET /mcp HTTP/1.1\r\nHost: a\r\nconnection: keep-alive\r\n\r\n";
        let meant = "GET /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\nConnection: close\r\n\r\n";
        assert_eq!(String::from_utf8(with_header(head, "t")).unwrap(), meant);
    }
}
