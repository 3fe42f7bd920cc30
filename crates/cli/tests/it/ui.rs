//! `hark ui`: starts or finds the server, and makes a link that works once.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;

use hark_testkit::{Home, Serve};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Ends the server that `hark ui` left running.
struct Started<'a> {
    home: &'a Home,
    port: u16,
}

impl Started<'_> {
    fn url(&self) -> String {
        let said = self.home.hark(["ui", "--json", "--port", &self.port.to_string()]).ok().json();
        said["url"].as_str().unwrap_or_else(|| panic!("{said}")).to_owned()
    }

    /// The process on our port, by what it was started with.
    #[cfg(target_os = "linux")]
    fn process(&self) -> Vec<u32> {
        let wanted = format!("serve\0--detached\0--port\0{}\0", self.port);
        let all =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let is_ours = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).ends_with(&wanted)
        };
        all.filter(is_ours).collect()
    }
}

#[cfg(target_os = "linux")]
impl Drop for Started<'_> {
    fn drop(&mut self) {
        for pid in self.process() {
            let _ = Command::new("kill").arg(pid.to_string()).status();
        }
    }
}

fn get(port: u16, path: &str, cookie: Option<&str>) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let cookie = cookie.map(|cookie| format!("Cookie: {cookie}\r\n")).unwrap_or_default();
    let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookie}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(target_os = "linux")]
#[test]
fn it_starts_a_server_once_and_its_links_work_once() {
    let home = home();
    let started = Started { home: &home, port: free_port() };
    let url = started.url();
    let path =
        url.strip_prefix(&format!("http://127.0.0.1:{}", started.port)).unwrap_or_else(|| panic!("{url}"));
    assert!(path.starts_with("/login?code="), "{url}");
    let first = get(started.port, path, None);
    assert!(first.starts_with("HTTP/1.1 303"), "{first}");
    let cookie = first.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).unwrap();
    assert!(get(started.port, path, None).starts_with("HTTP/1.1 401"));
    assert!(get(started.port, "/v1/stats", Some(cookie)).starts_with("HTTP/1.1 200"));
    assert!(get(started.port, "/v1/stats", None).starts_with("HTTP/1.1 401"));

    // The second one finds it.
    let said = home.hark(["ui", "--no-open", "--port", &started.port.to_string()]).ok();
    assert!(
        said.stdout().starts_with("http://127.0.0.1:") && said.stdout().trim() != url,
        "{}",
        said.stdout()
    );
    let [pid] = started.process()[..] else { panic!("{:?}", started.process()) };
    // It outlives us: it leads a session of its own.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session: u32 = stat.rsplit(')').next().unwrap().split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(session, pid);
    let log = home.store().join("logs/serve.log");
    assert!(fs::read_to_string(&log).unwrap().contains("serving MCP at"));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_on_another_port_is_found_and_no_second_one_starts() {
    let home = home();
    let mut command = home.program(home.binary());
    command.args(["serve", "--port", "0"]);
    let server = Serve::start(command);
    // The usual port, on which nobody listens.
    let usual = free_port();
    let ask = || {
        let mut ui = home.program(home.binary());
        ui.args(["ui", "--json"]).env("HARK_SERVE_PORT", usual.to_string());
        ui.output().unwrap()
    };
    let said = ask();
    let started = Started { home: &home, port: usual };
    let url = serde_json::from_slice::<serde_json::Value>(&said.stdout).unwrap()["url"].to_string();
    assert!(url.contains(&format!("http://127.0.0.1:{}/login", server.port())), "{url}");
    assert!(started.process().is_empty(), "a second server runs");

    // A clean end leaves nothing behind.
    assert!(Command::new("kill").arg(server.pid().to_string()).status().unwrap().success());
    assert_eq!(server.wait(), Some(0));
    let left = home.store().join("serve.address");
    assert!(!left.exists());
    // What a killed server leaves is tried and passed over.
    fs::write(&left, format!("127.0.0.1:{}\n", free_port())).unwrap();
    let url = serde_json::from_slice::<serde_json::Value>(&ask().stdout).unwrap()["url"].to_string();
    assert!(url.contains(&format!("http://127.0.0.1:{usual}/login")), "{url}");
}

#[test]
fn the_token_is_not_shown_to_a_stranger_on_our_port() {
    let home = home();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let stranger = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = vec![0; 4096];
        let length = stream.read(&mut heard).unwrap();
        let body = r#"{"status":"ok","name":"hark","version":"0.1.0","proof":"00"}"#;
        let answer =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&heard[..length]).into_owned()
    });
    let refused = home.hark(["ui", "--json", "--port", &port.to_string()]).fails(1);
    assert!(refused.stderr().contains("not a server with your token"), "{}", refused.stderr());
    let heard = stranger.join().unwrap();
    let token = fs::read_to_string(home.store().join("serve.token")).unwrap();
    assert!(heard.starts_with("GET /health?challenge=") && !heard.contains(token.trim()), "{heard}");
}
