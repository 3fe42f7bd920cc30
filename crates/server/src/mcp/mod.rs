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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents, Role,
    ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use crate::toolbox::{FailureKind, PromptSpec, ResourceSpec, ToolBox, ToolFailure, ToolSpec};

pub(crate) use caller::Place;
pub(crate) use lines::{Input, serve_lines};
pub(crate) use message::peek;
pub(crate) use sessions::{HttpMcp, new as http_mcp};

/// Tools are named `memory_…` so that they explain themselves in clients that show bare names. Some clients
/// strip what they take for a prefix; calls that arrive so are understood.
const PREFIX: &str = "memory_";

/// What does not change while the process lives.
pub(crate) struct Shared {
    tools: Arc<dyn ToolBox>,
    config: ServerConfig,
    specs: Vec<ToolSpec>,
    listed: Vec<Tool>,
    resources: Vec<ResourceSpec>,
    prompts: Vec<PromptSpec>,
    running: AtomicUsize,
    begun: AtomicUsize,
}

impl Shared {
    pub(crate) fn new(tools: Arc<dyn ToolBox>) -> Arc<Self> {
        let specs = tools.tools();
        let resources = tools.resources();
        let prompts = tools.prompts();
        Arc::new(Self {
            config: describe::server(tools.instructions()),
            listed: specs.iter().map(describe::tool).collect(),
            specs,
            resources,
            prompts,
            running: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            tools,
        })
    }

    /// How many calls are being worked on.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    fn spec(&self, name: &str) -> Option<&ToolSpec> {
        let named = |full: &str| self.specs.iter().find(|spec| spec.name == full);
        named(name).or_else(|| named(&format!("{PREFIX}{name}")))
    }

    /// Runs `work` on a blocking thread. Work that has not begun when the client cancels is dropped.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&dyn ToolBox) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        struct Running(Arc<Shared>);
        impl Drop for Running {
            fn drop(&mut self) {
                self.0.running.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.running.fetch_add(1, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
        let running = Running(Arc::clone(self));
        let mut task = tokio::task::spawn_blocking(move || work(running.0.tools.as_ref()));
        tokio::select! {
            done = &mut task => done.unwrap_or_else(|_| {
                Err(ToolFailure::internal("the tool failed unexpectedly")
                    .with_hint("this is a defect in the server; its standard error output says more"))
            }),
            () = context.ct.cancelled() => {
                task.abort();
                Err(ToolFailure::internal("cancelled by the client"))
            }
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

    async fn caller(&self, context: &RequestContext<RoleServer>) -> crate::Caller {
        let roots = self.roots.of(context).await;
        self.place.caller(context, roots)
    }
}

/// No call for this long: nobody waits.
const A_MOMENT: Duration = Duration::from_millis(5);

/// While one call follows the other, what must not wait for a pause is done with every so many of them.
const A_WHILE: usize = 16;

/// What is left to do when the answer to a call that changed something is on its way. Not at once: whoever sent the
/// call mostly sends the next one, and would wait for this.
async fn rest(shared: Arc<Shared>) {
    let begun = shared.begun.load(Ordering::Relaxed);
    tokio::time::sleep(A_MOMENT).await;
    let is_idle = shared.begun.load(Ordering::Relaxed) == begun;
    if is_idle || begun.is_multiple_of(A_WHILE) {
        let _ = tokio::task::spawn_blocking(move || {
            shared.tools.rest();
            if is_idle {
                shared.tools.idle();
            }
        })
        .await;
    }
}

fn failed(failure: &ToolFailure) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(failure.to_string())])
}

/// Resources and prompts have no in-band errors as tools do.
fn protocol_error(failure: &ToolFailure) -> ErrorData {
    let text = failure.to_string();
    match failure.kind {
        FailureKind::NotFound => ErrorData::resource_not_found(text, None),
        FailureKind::InvalidArguments => ErrorData::invalid_params(text, None),
        FailureKind::Storage | FailureKind::Internal => ErrorData::internal_error(text, None),
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
        let spec = self.shared.spec(name)?;
        let listed = self.shared.listed.iter();
        listed.into_iter().find(|tool| tool.name == spec.name).cloned()
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
        let Some(spec) = self.shared.spec(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = match arguments::check(spec, request.arguments.unwrap_or_default()) {
            Ok(arguments) => arguments,
            Err(failure) => return Ok(failed(&failure).into()),
        };
        let caller = self.caller(&context).await;
        let name = spec.name.clone();
        let answer = self.shared.blocking(&context, move |tools| tools.call(&name, arguments, &caller)).await;
        if !spec.read_only {
            tokio::spawn(rest(self.shared.clone()));
        }
        let result = match answer {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = answer.structured.filter(Value::is_object);
                result
            }
            Err(failure) => failed(&failure),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.shared.resources.iter().map(describe::resource);
        let mut result = ListResourcesResult::with_all_items(resources.collect());
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
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let known = self.shared.resources.iter().find(|r| r.uri == request.uri);
        let Some(spec) = known.cloned() else {
            let message = format!("no resource `{}`", request.uri);
            return Err(ErrorData::resource_not_found(message, None));
        };
        let caller = self.caller(&context).await;
        let uri = spec.uri.clone();
        let text = self
            .shared
            .blocking(&context, move |tools| tools.read_resource(&uri, &caller))
            .await
            .map_err(|failure| protocol_error(&failure))?;
        let contents = ResourceContents::TextResourceContents {
            uri: spec.uri,
            mime_type: Some(spec.mime_type),
            text,
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.shared.prompts.iter().map(describe::prompt);
        let mut result = ListPromptsResult::with_all_items(prompts.collect());
        describe::FRESH.mark_for(&context, &mut result);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let known = self.shared.prompts.iter().find(|p| p.name == request.name);
        let Some(spec) = known.cloned() else {
            let message = format!("Unknown prompt: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let absent = spec
            .arguments
            .iter()
            .find(|argument| argument.required && !arguments.contains_key(&argument.name));
        if let Some(absent) = absent {
            let message = format!("argument `{}` is missing", absent.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let caller = self.caller(&context).await;
        let text = self
            .shared
            .blocking(&context, move |tools| tools.render_prompt(&spec.name, arguments, &caller))
            .await
            .map_err(|failure| protocol_error(&failure))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.roots.forget();
    }
}
