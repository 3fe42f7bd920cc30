//! `hark ui`: opens the dashboard, and starts `hark serve` if it does not run.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hark_engine::{Engine, serve_address};
use hark_files::Door;
use hark_server::Token;
use serde_json::{Value, json};

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;

/// What a server says that was started here, inside the store.
const LOG: &str = "logs/serve.log";
const OLD_LOG: &str = "logs/serve.log.old";
/// A longer file becomes the old one.
const LONGEST_LOG: u64 = 1024 * 1024;

/// A server that runs answers at once.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, clap::Args)]
pub(super) struct Ui {
    /// Print the link instead of opening a browser
    #[arg(long)]
    no_open: bool,
    /// Port of the server [default: that of a running one, else 9824, or HARK_SERVE_PORT]
    #[arg(long)]
    port: Option<u16>,
}

/// Who answers on our port.
enum Found {
    /// A server that holds our token.
    Ours,
    Nobody,
    Somebody,
}

impl Start for Ui {
    fn start(self, environment: &Environment) -> Result<(), Failure> {
        let machine = &environment.machine;
        let mut address = machine.serve_address(self.port)?;
        let secret = machine.expected_token()?;
        let token = Token::new(&secret.text)
            .map_err(|e| Failure::user(format!("{}: {e}", secret.source.name()), "correct it"))?;
        // A server of this store may listen on another port than the usual one.
        if self.port.is_none()
            && let Some(left) = serve_address::read(&machine.home()?.path)
            && matches!(look(left, &token), Ok(Found::Ours))
        {
            address = left;
        }
        let link = |code: &str| format!("http://{address}/login?code={code}");
        let mut child = None;
        let begun = Instant::now();
        loop {
            match look(address, &token)? {
                Found::Ours => break,
                Found::Somebody => {
                    return Err(Failure::user(
                        format!("the program that answers on {address} is not a server with your token"),
                        "stop it, or choose another port with --port; a server with another token needs \
                         HARK_SERVE_TOKEN",
                    ));
                }
                Found::Nobody if child.is_none() => {
                    child = Some(serve(environment, address.port())?);
                }
                Found::Nobody => {}
            }
            let ended =
                child.as_mut().is_some_and(|child: &mut Child| matches!(child.try_wait(), Ok(Some(_))));
            if ended || begun.elapsed() > PATIENCE {
                let home = machine.home()?.path;
                return Err(Failure::user(
                    "`hark serve` does not start",
                    format!("see {}", home.join(LOG).display()),
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let (status, body) =
            ask(address, "POST", "/v1/login-code", Some(&secret.text)).map_err(|e| unreachable(&e))?;
        let code = serde_json::from_str::<Value>(&body)
            .ok()
            .and_then(|body| Some(body["code"].as_str()?.to_owned()));
        let (200, Some(code)) = (status, code) else {
            return Err(Failure::user(
                format!("the server on {address} makes no link (status {status})"),
                "it may be of another version: restart it",
            ));
        };
        let url = link(&code);
        if environment.json {
            ui::print_json(&json!({ "url": url }));
        } else if !self.no_open && open(&url) {
            ui::print(&format!("opened http://{address}/ in your browser\n"));
        } else {
            ui::note("open this link in your browser; it works once, for five minutes:\n");
            ui::print(&format!("{url}\n"));
        }
        Ok(())
    }
}

fn unreachable(error: &io::Error) -> Failure {
    Failure::user(format!("`hark serve` does not answer: {error}"), "try again, or run `hark doctor`")
}

/// Whether the program on this address holds our token. It has to prove that before it is shown to it: any user of this
/// machine could listen there.
fn look(address: SocketAddr, token: &Token) -> Result<Found, Failure> {
    let nonce: [u8; 16] = Engine::random()?;
    let challenge: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
    match ask(address, "GET", &format!("/health?challenge={challenge}"), None) {
        Ok((_, body)) => {
            let body: Value = serde_json::from_str(&body).unwrap_or_default();
            let right = body["proof"] == token.proof(&challenge, address.port()).as_str();
            Ok(if right { Found::Ours } else { Found::Somebody })
        }
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(Found::Nobody),
        Err(_) => Ok(Found::Somebody),
    }
}

/// One request, without a client library: the answer is small and its server is ours.
fn ask(address: SocketAddr, method: &str, path: &str, token: Option<&str>) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let authorization = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{authorization}Connection: close\r\nContent-Length: 0\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(64 * 1024).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.ok_or(io::ErrorKind::InvalidData)?, body.to_owned()))
}

/// Starts a server that outlives this process and its terminal.
fn serve(environment: &Environment, port: u16) -> Result<Child, Failure> {
    let failed = |error: io::Error| {
        Failure::storage(
            format!("cannot start `hark serve`: {error}"),
            "start it yourself in another terminal",
        )
    };
    let home = environment.machine.home()?.path;
    let log = log(&Door::new(&home)).map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(["serve", "--detached", "--port", &port.to_string()]).env("HARK_HOME", &home);
    // It works for every project.
    command.env_remove("HARK_PROJECT").current_dir("/").stdin(Stdio::null());
    command.stdout(log.try_clone().map_err(failed)?).stderr(log);
    command.spawn().map_err(failed)
}

fn log(door: &Door) -> io::Result<std::fs::File> {
    let path = Path::new(LOG);
    door.create_folder(Path::new("logs"))?;
    if door.look(path)?.is_some_and(|file| file.size > LONGEST_LOG) {
        door.rename(path, Path::new(OLD_LOG))?;
    }
    door.append_to(path)
}

/// Whether a browser was started.
fn open(url: &str) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(unix) && (set("DISPLAY") || set("WAYLAND_DISPLAY")) {
        "xdg-open"
    } else {
        return false;
    };
    let mut browser = Command::new(program);
    browser.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    browser.status().is_ok_and(|status| status.success())
}
