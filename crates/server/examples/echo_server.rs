//! The smallest server: two tools over a list in memory. Used by the tests and by conformance runs.
//!
//! `echo_server stdio`, or `echo_server http PORT`; `echo_server tools-only` is `stdio` without resources
//! and prompts. Over HTTP its token is `echo-server-token`, and limits may follow the port: `connections=2`,
//! `spare=1`, `sessions=4`, and in milliseconds `headers=`, `body=` and `idle=`.
#![expect(clippy::print_stderr, reason = "a program of its own")]

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hark_server::{
    Caller, HttpOptions, Limits, PromptArgumentSpec, PromptSpec, ResourceSpec, Token, ToolAnswer, ToolBox,
    ToolFailure, ToolSpec, serve_http, serve_stdio,
};
use serde_json::{Map, Value, json};

#[derive(Default)]
struct Echo {
    tools_only: bool,
    remembered: Mutex<Vec<String>>,
}

impl ToolBox for Echo {
    fn instructions(&self) -> String {
        "Long-term memory: recall what was decided, remember what is worth keeping.".into()
    }

    fn tools(&self) -> Vec<ToolSpec> {
        vec![
            ToolSpec {
                name: "memory_recall".into(),
                title: "Recall".into(),
                description: "Search what is remembered.".into(),
                input_schema: json!({
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "What to look for"},
                        "limit": {"type": "integer", "minimum": 1, "description": "How many at most"},
                    },
                    "required": ["query"],
                }),
                read_only: true,
                destructive: false,
                idempotent: true,
                always_load: true,
            },
            ToolSpec {
                name: "memory_remember".into(),
                title: "Remember".into(),
                description: "Keep a text.".into(),
                input_schema: json!({
                    "type": "object",
                    "properties": {"text": {"type": "string", "description": "What to keep"}},
                    "required": ["text"],
                }),
                read_only: false,
                destructive: false,
                idempotent: false,
                always_load: false,
            },
        ]
    }

    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<ToolAnswer, ToolFailure> {
        let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        match name {
            "memory_recall" => {
                let query = text("query");
                drop(remembered);
                // Words by which a test gets the behaviour it needs.
                if let Some(ms) = query.strip_prefix("sleep ") {
                    let ms = ms.parse().map_err(|_| ToolFailure::invalid_arguments("bad sleep"))?;
                    eprintln!("sleeping");
                    std::thread::sleep(Duration::from_millis(ms));
                }
                if query == "caller" {
                    return Ok(about(caller));
                }
                if query == "panic" {
                    panic!("asked to");
                }
                if query == "fail" {
                    let failure = ToolFailure::storage("the index cannot be opened");
                    return Err(failure.with_hint("run `hark doctor`"));
                }
                let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
                let hits: Vec<&String> = remembered.iter().filter(|t| t.contains(&query)).collect();
                Ok(ToolAnswer {
                    text: format!("{} hits for {query}: {hits:?}", hits.len()),
                    structured: Some(json!({"query": query, "hits": hits})),
                })
            }
            "memory_remember" => {
                remembered.push(text("text"));
                Ok(ToolAnswer {
                    text: format!("remembered as m-{}", remembered.len()),
                    structured: Some(json!({"id": format!("m-{}", remembered.len())})),
                })
            }
            other => Err(ToolFailure::internal(format!("no tool {other}"))),
        }
    }

    fn resources(&self) -> Vec<ResourceSpec> {
        if self.tools_only {
            return Vec::new();
        }
        vec![ResourceSpec {
            uri: "hark://memories".into(),
            name: "memories".into(),
            title: "Memories".into(),
            description: "All that is remembered".into(),
            mime_type: "text/plain".into(),
        }]
    }

    fn read_resource(&self, _uri: &str, _caller: &Caller) -> Result<String, ToolFailure> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(remembered.join("\n"))
    }

    fn prompts(&self) -> Vec<PromptSpec> {
        if self.tools_only {
            return Vec::new();
        }
        vec![PromptSpec {
            name: "recall".into(),
            title: "Recall".into(),
            description: "Ask the memory first".into(),
            arguments: vec![PromptArgumentSpec {
                name: "topic".into(),
                description: "What about".into(),
                required: true,
            }],
        }]
    }

    fn render_prompt(
        &self,
        _name: &str,
        arguments: Map<String, Value>,
        _caller: &Caller,
    ) -> Result<String, ToolFailure> {
        let topic = arguments["topic"].as_str().unwrap_or_default();
        Ok(format!("Recall what is known about {topic}."))
    }
}

fn about(caller: &Caller) -> ToolAnswer {
    let structured = json!({
        "roots": caller.roots,
        "cwd": caller.cwd,
        "project": caller.project_dir(),
        "client": caller.client_name,
        "version": caller.client_version,
        "session": caller.session,
        "transport": format!("{:?}", caller.transport),
    });
    ToolAnswer { text: structured.to_string(), structured: Some(structured) }
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
    let tools: Arc<dyn ToolBox> = Arc::new(Echo {
        tools_only: arguments.first().is_some_and(|first| first == "tools-only"),
        ..Echo::default()
    });
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio" | "tools-only"] => serve_stdio(tools),
        ["http", port, ref limited @ ..] => {
            let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().unwrap_or(0)));
            let Ok(token) = Token::new("echo-server-token") else { return ExitCode::FAILURE };
            let mut options = HttpOptions::new(addr, token);
            for limit in limited {
                options.limits = limits(options.limits, limit);
            }
            serve_http(tools, options, |addr| eprintln!("listening on {addr}"))
        }
        _ => {
            eprintln!("usage: echo_server stdio | tools-only | http PORT [LIMIT=N…]");
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
