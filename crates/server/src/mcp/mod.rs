//! MCP: the only place that knows `rmcp`.
//!
//! [`Handler`] answers one connection (stdio), one session (HTTP up to 2025-11-25) or one request (HTTP from
//! 2026-07-28 on). Everything that is the same for all of them sits in [`Shared`].

mod arguments;
mod bounded;
mod caller;
mod describe;
mod lines;
mod message;
mod roots;
mod sessions;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hark_core::quote::quoted;
use hark_engine::operation::{Effect, Family, Names};
use hark_engine::{EngineError, Operation};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::pool::Pool;

pub(crate) use caller::Place;
pub(crate) use lines::{Input, serve_lines};
pub(crate) use message::peek;
pub(crate) use sessions::{HttpMcp, new as http_mcp};

/// Tools are named `memory_…` so that they explain themselves in clients that show bare names. Some clients
/// strip what they take for a prefix; calls that arrive so are understood.
const PREFIX: &str = "memory_";

/// Reads that run at the same time. One more than cores, so that a slow one does not hold up the others; each costs
/// memory for its own connection.
pub(crate) fn readers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2) + 1
}

/// Threads for calls: the readers, the writer, and one for deferred work.
pub(crate) fn threads() -> usize {
    readers() + 2
}

/// What does not change while the process lives.
pub(crate) struct Shared {
    pool: Arc<Pool>,
    config: ServerConfig,
    /// Every tool, listed or not: a tool outside the list still answers.
    tools: Vec<(&'static Operation, Tool)>,
    listed: Vec<Tool>,
    reading: Semaphore,
    writing: Semaphore,
    running: AtomicUsize,
    begun: AtomicUsize,
    /// Whether somebody waits for the process to become idle.
    watched: AtomicBool,
}

/// Why a call failed, as text for the model that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Refusal {
    fn result(&self) -> CallToolResult {
        let hint = self.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        CallToolResult::error(vec![ContentBlock::text(format!("{}{hint}", self.message))])
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let hint = error.hint().map(|hint| quoted(&hint).into_owned());
        Refusal { message: quoted(&error.to_string()).into_owned(), hint }
    }
}

impl Shared {
    pub(crate) fn new(pool: Arc<Pool>, families: &[Family]) -> Arc<Self> {
        let tool = |operation: &&'static Operation| Some((*operation, describe::tool(operation)?));
        // Switched off, it still answers: a client would report a server that does not start as an error.
        let table = if hark_engine::is_enabled() { pool.table() } else { &[] };
        let tools: Vec<_> = table.iter().filter_map(tool).collect();
        let is_listed = |operation: &Operation| hark_engine::ops::is_listed(operation, families);
        Arc::new(Self {
            config: describe::server(),
            listed: tools.iter().filter(|(row, _)| is_listed(row)).map(|(_, tool)| tool.clone()).collect(),
            tools,
            reading: Semaphore::new(readers()),
            writing: Semaphore::new(1),
            running: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            watched: AtomicBool::new(false),
            pool,
        })
    }

    /// How many calls are running.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    fn tool(&self, name: &str) -> Option<&(&'static Operation, Tool)> {
        let named = |full: &str| self.tools.iter().find(|(_, tool)| tool.name == full);
        named(name).or_else(|| named(&format!("{PREFIX}{name}")))
    }

    /// Runs `work` on a blocking thread, when its turn has come. Work that has not begun when the client cancels is
    /// dropped.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        effect: Effect,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Pool) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Refusal> {
        struct Running(Arc<Shared>);
        impl Drop for Running {
            fn drop(&mut self) {
                self.0.running.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.running.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        let running = Running(Arc::clone(self));
        let turns = if effect == Effect::Read { &self.reading } else { &self.writing };
        let cancelled = || Refusal { message: "cancelled by the client".to_owned(), hint: None };
        let turn = tokio::select! {
            turn = turns.acquire() => turn,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let mut task = tokio::task::spawn_blocking(move || work(&running.0.pool));
        let outcome = tokio::select! {
            done = &mut task => match done {
                Ok(outcome) => outcome.map_err(Refusal::from),
                Err(_) => Err(Refusal {
                    message: "the tool failed unexpectedly".to_owned(),
                    hint: Some("this is a bug in the server; its standard error output says more".to_owned()),
                }),
            },
            () = context.ct.cancelled() => {
                task.abort();
                Err(cancelled())
            }
        };
        drop(turn);
        outcome
    }
}

pub(crate) struct Handler {
    shared: Arc<Shared>,
    place: Arc<Place>,
    roots: roots::Roots,
}

impl Handler {
    pub(crate) fn new(shared: Arc<Shared>, place: Arc<Place>) -> Self {
        Self { shared, place, roots: roots::Roots::default() }
    }

    async fn client(&self, context: &RequestContext<RoleServer>) -> caller::Client {
        let roots = self.roots.of(context).await;
        self.place.client(context, roots)
    }
}

/// Without a call for this long, deferred work holds nobody up.
const PAUSE: Duration = Duration::from_millis(5);

/// While calls follow each other without a pause, long logs are folded after every so many of them.
const CALLS_BETWEEN: usize = 16;

/// After this long without a call, connections and models are closed and their memory is returned.
const IDLE: Duration = Duration::from_secs(20);

/// Deferred work, once the answer to a call that wrote is on its way. Not at once: the same client mostly sends the next
/// call, which would have to wait.
async fn after_write(shared: Arc<Shared>) {
    let begun = shared.begun.load(Ordering::Relaxed);
    tokio::time::sleep(PAUSE).await;
    let paused = shared.begun.load(Ordering::Relaxed) == begun;
    if paused || begun.is_multiple_of(CALLS_BETWEEN) {
        let _ = tokio::task::spawn_blocking(move || {
            shared.pool.fold_long_logs();
            if paused {
                shared.pool.prepare_for_questions();
            }
        })
        .await;
    }
}

/// Waits until no call has come for a while, then closes what is idle. One at a time.
async fn close_when_idle(shared: Arc<Shared>) {
    if shared.watched.swap(true, Ordering::Relaxed) {
        return;
    }
    loop {
        let begun = shared.begun.load(Ordering::Relaxed);
        tokio::time::sleep(IDLE).await;
        if shared.begun.load(Ordering::Relaxed) == begun && shared.running() == 0 {
            break;
        }
    }
    shared.watched.store(false, Ordering::Relaxed);
    let _ = tokio::task::spawn_blocking(move || shared.pool.close_idle()).await;
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.shared.config.clone()
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        describe::FRESH.mark(&mut result);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tool(name).map(|(_, tool)| tool.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = ListToolsResult::with_all_items(self.shared.listed.clone());
        describe::FRESH.mark_for(&context, &mut result);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some((operation, tool)) = self.shared.tool(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let mut arguments = request.arguments.unwrap_or_default();
        let unknown = Names::of(operation).settle(&mut arguments);
        let arguments = match arguments::check(&tool.name, &tool.input_schema, arguments, &unknown) {
            Ok(arguments) => arguments,
            Err(refusal) => return Ok(refusal.result().into()),
        };
        let remark = arguments::remark(&tool.name, &tool.input_schema, &unknown);
        let client = self.client(&context).await;
        let (operation, caller) = (*operation, client.caller());
        let answer = self
            .shared
            .blocking(operation.effect, &context, move |pool| pool.call(operation, arguments, &caller))
            .await;
        if operation.effect != Effect::Read {
            tokio::spawn(after_write(Arc::clone(&self.shared)));
        }
        tokio::spawn(close_when_idle(Arc::clone(&self.shared)));
        let result = match answer {
            Ok(mut answer) => {
                if let Some(remark) = remark {
                    answer.text = format!("{}\n{remark}", answer.text.trim_end());
                    if let Value::Object(data) = &mut answer.data {
                        data.insert("ignored".to_owned(), remark.into());
                    }
                }
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                if !client.shows_both() {
                    result.structured_content = Some(answer.data).filter(Value::is_object);
                }
                result
            }
            Err(refusal) => refusal.result(),
        };
        Ok(result.into())
    }

    // Resources and prompts are announced although there are none: several clients ask for the lists anyway.

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = ListResourcesResult::default();
        describe::FRESH.mark_for(&context, &mut result);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = ListResourceTemplatesResult::default();
        describe::FRESH.mark_for(&context, &mut result);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Err(ErrorData::resource_not_found(format!("no resource `{}`", request.uri), None))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = ListPromptsResult::default();
        describe::FRESH.mark_for(&context, &mut result);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(ErrorData::invalid_params(format!("Unknown prompt: {}", request.name), None))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.roots.forget();
    }
}
