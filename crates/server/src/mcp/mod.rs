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

use crate::calls::{Calls, Trouble};
use crate::pool::Pool;

pub(crate) use caller::Place;
pub(crate) use lines::{Input, serve_lines};
pub(crate) use message::peek;
pub(crate) use sessions::{HttpMcp, new as http_mcp};

/// Tools are named `memory_…` so that they explain themselves in clients that show bare names. Some clients
/// strip what they take for a prefix; calls that arrive so are understood.
const PREFIX: &str = "memory_";

/// What does not change while the process lives.
pub(crate) struct Shared {
    calls: Arc<Calls>,
    config: ServerConfig,
    /// Every tool, listed or not: a tool outside the list still answers.
    tools: Vec<(&'static Operation, Tool)>,
    listed: Vec<Tool>,
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
    pub(crate) fn new(calls: Arc<Calls>, families: &[Family]) -> Arc<Self> {
        let tool = |operation: &&'static Operation| Some((*operation, describe::tool(operation)?));
        // Switched off, it still answers: a client would report a server that does not start as an error.
        let table = if hark_engine::is_enabled() { calls.table() } else { &[] };
        let tools: Vec<_> = table.iter().filter_map(tool).collect();
        let is_listed = |operation: &Operation| hark_engine::ops::is_listed(operation, families);
        Arc::new(Self {
            config: describe::server(),
            listed: tools.iter().filter(|(row, _)| is_listed(row)).map(|(_, tool)| tool.clone()).collect(),
            tools,
            calls,
        })
    }

    fn tool(&self, name: &str) -> Option<&(&'static Operation, Tool)> {
        let named = |full: &str| self.tools.iter().find(|(_, tool)| tool.name == full);
        named(name).or_else(|| named(&format!("{PREFIX}{name}")))
    }

    /// Runs `work` when its turn has come, unless the client cancels.
    async fn blocking<T: Send + 'static>(
        &self,
        effect: Effect,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Pool) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Refusal> {
        tokio::select! {
            done = self.calls.run(effect, work) => done.map_err(Refusal::from),
            () = context.ct.cancelled() => {
                Err(Refusal { message: "cancelled by the client".to_owned(), hint: None })
            }
        }
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Failed(error) => error.into(),
            Trouble::Panicked => Refusal {
                message: "the tool failed unexpectedly".to_owned(),
                hint: Some("this is a bug in the server; its standard error output says more".to_owned()),
            },
        }
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
