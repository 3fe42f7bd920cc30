//! The smallest server: a table of two operations over a list in memory. Used by the tests and by conformance runs.
//!
//! `echo_server stdio`, or `echo_server http PORT`. Over HTTP its token is `echo-server-token`, and limits may follow the port: `connections=2`,
//! `spare=1`, `sessions=4`, `rate=60`, `open_metrics=1`, and in milliseconds `headers=`, `body=` and `idle=`.
#![expect(clippy::print_stderr, reason = "a program of its own")]

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hark_engine::operation::{
    Answer, Call, Code, Effect, Family, Group, OperateHere, Operation, Page, Reply, Surface, Surfaces, Tool,
    Who,
};
use hark_engine::{Caller, EngineError, Machine};
use hark_server::{HttpOptions, Limits, Pool, Token, serve_http, serve_stdio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

static REMEMBERED: Mutex<Vec<String>> = Mutex::new(Vec::new());

static TABLE: &[&Operation] = &[
    &Operation {
        summary: "Search what is remembered",
        tool: Tool::On {
            name: "memory_recall",
            family: Family::Core,
            description: "Search what is remembered.",
        },
        effect: Effect::Read,
        code: Code::here::<Recall>(),
        ..row("recall")
    },
    &Operation {
        summary: "Keep a text",
        tool: Tool::On { name: "memory_remember", family: Family::Core, description: "Keep a text." },
        code: Code::here::<Remember>(),
        ..row("remember")
    },
];

const fn row(name: &'static str) -> Operation {
    let off = Surface::Off("only tools and routes are tested");
    Operation {
        name,
        also: &[],
        summary: "",
        help: "",
        examples: &[],
        group: Group::Memories,
        effect: Effect::Write,
        who: Who::Anyone,
        tool: Tool::Off("replaced below"),
        surfaces: Surfaces { command: off, route: Surface::On, page: off },
        code: Code::here::<Recall>(),
    }
}

#[derive(Debug, Clone, clap::Args, Deserialize, JsonSchema)]
struct Recall {
    /// What to look for
    query: String,
    /// How many at most
    limit: Option<u32>,
}

#[derive(Debug, Clone, clap::Args, Deserialize, JsonSchema)]
struct Remember {
    /// What to keep
    text: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
struct Response {
    data: Value,
    #[serde(skip)]
    text: String,
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&self.text);
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        Ok(Answer { text: self.text.clone(), data: self.data.clone() })
    }
}

impl OperateHere for Recall {
    type Response = Response;

    fn run(&self, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let query = &self.query;
        // Words by which a test gets the behaviour it needs.
        if let Some(ms) = query.strip_prefix("sleep ") {
            let ms = ms.parse().map_err(|_| EngineError::invalid("bad sleep", ""))?;
            eprintln!("sleeping");
            std::thread::sleep(Duration::from_millis(ms));
        }
        match query.as_str() {
            "caller" => return Ok(about(call.caller)),
            "panic" => panic!("asked to"),
            "fail" => return Err(EngineError::invalid("the index cannot be opened", "run `hark doctor`")),
            _ => {}
        }
        let remembered = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
        let hits: Vec<&String> = remembered.iter().filter(|t| t.contains(query)).collect();
        let text = format!("{} hits for {query}: {hits:?}", hits.len());
        Ok(Response { data: json!({"query": query, "hits": hits}), text })
    }
}

impl OperateHere for Remember {
    type Response = Response;

    fn run(&self, _call: &mut Call<'_>) -> Result<Response, EngineError> {
        let mut remembered = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.push(self.text.clone());
        let id = format!("m-{}", remembered.len());
        Ok(Response { data: json!({"id": id}), text: format!("remembered as {id}") })
    }
}

fn about(caller: &Caller) -> Response {
    let data = json!({ "project": caller.cwd, "client": caller.author, "session": caller.session });
    Response { text: data.to_string(), data }
}

fn limits(mut limits: Limits, setting: &str) -> Limits {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "0"));
    let number: usize = value.parse().unwrap_or(0);
    let time = Duration::from_millis(value.parse().unwrap_or(0));
    match name {
        "connections" => limits.connections = number,
        "spare" => limits.spare_connections = number,
        "sessions" => limits.sessions = number,
        "headers" => limits.headers = time,
        "body" => limits.body = time,
        "idle" => limits.session_idle = time,
        other => eprintln!("no limit `{other}`"),
    }
    limits
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Ok(machine) = Machine::read() else { return ExitCode::FAILURE };
    let pool = Arc::new(Pool::of(machine, TABLE));
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => serve_stdio(pool, &[]),
        ["http", port, ref limited @ ..] => {
            let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().unwrap_or(0)));
            let Ok(token) = Token::new("echo-server-token") else { return ExitCode::FAILURE };
            let mut options = HttpOptions::new(addr, token);
            for limit in limited {
                match limit.split_once('=') {
                    Some(("rate", number)) => options.rate = number.parse().unwrap_or(0),
                    Some(("open_metrics", _)) => options.open_metrics = true,
                    _ => options.limits = limits(options.limits, limit),
                }
            }
            serve_http(pool, &[], options, |addr| eprintln!("listening on {addr}"))
        }
        _ => {
            eprintln!("usage: echo_server stdio | http PORT [LIMIT=N…]");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
