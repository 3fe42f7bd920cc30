//! Our specs in the words of the protocol.

use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, DiscoverResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, MetaObject, Prompt, PromptArgument, ProtocolVersion, Resource,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use crate::toolbox::{PromptSpec, ResourceSpec, ToolSpec};

pub(super) fn server(instructions: String) -> ServerConfig {
    // Resources and prompts are announced even when there are none: several clients ask for the lists
    // anyway, and some take the absence of the capability for an error.
    let capabilities =
        ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
    let name = Implementation::new(crate::SERVER_NAME, env!("CARGO_PKG_VERSION"));
    ServerConfig::new(capabilities).with_server_info(name.with_title("Hark")).with_instructions(instructions)
}

pub(super) fn tool(spec: &ToolSpec) -> Tool {
    let schema = match &spec.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => Map::from_iter([("type".to_owned(), "object".into())]),
    };
    let mut tool = Tool::new(spec.name.clone(), spec.description.clone(), schema);
    tool.title = Some(spec.title.clone());
    tool.annotations = Some(ToolAnnotations::from_raw(
        None,
        Some(spec.read_only),
        Some(spec.destructive && !spec.read_only),
        // Says nothing about a tool that only reads, and every session pays for it.
        Some(spec.idempotent).filter(|_| !spec.read_only),
        Some(false),
    ));
    if spec.always_load {
        let mut meta = MetaObject::new();
        meta.insert("anthropic/alwaysLoad".to_owned(), true.into());
        tool.meta = Some(meta);
    }
    tool
}

pub(super) fn resource(spec: &ResourceSpec) -> Resource {
    Resource::new(spec.uri.clone(), spec.name.clone())
        .with_title(spec.title.clone())
        .with_description(spec.description.clone())
        .with_mime_type(spec.mime_type.clone())
}

pub(super) fn prompt(spec: &PromptSpec) -> Prompt {
    let arguments = spec.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name.clone())
            .with_description(argument.description.clone())
            .with_required(argument.required)
    });
    Prompt::new(spec.name.clone(), Some(spec.description.clone()), Some(arguments.collect()))
        .with_title(spec.title.clone())
}

/// How long a client may keep a list (2026-07-28 requires that it be said). The lists are the same for
/// every caller and change only with the binary.
pub(super) struct Freshness {
    ttl_ms: u64,
    scope: CacheScope,
}

pub(super) const FRESH: Freshness = Freshness { ttl_ms: 5 * 60 * 1000, scope: CacheScope::Public };

impl Freshness {
    pub(super) fn mark(&self, result: &mut DiscoverResult) {
        result.ttl_ms = self.ttl_ms;
        result.cache_scope = self.scope;
    }

    /// Older versions do not have these fields.
    pub(super) fn mark_for(&self, context: &RequestContext<RoleServer>, result: &mut impl Cacheable) {
        let modern =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if modern {
            let (ttl_ms, scope) = result.hints();
            *ttl_ms = Some(self.ttl_ms);
            *scope = Some(self.scope);
        }
    }
}

pub(super) trait Cacheable {
    fn hints(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>);
}

macro_rules! cacheable {
    ($($list:ty),+) => {$(
        impl Cacheable for $list {
            fn hints(&mut self) -> (&mut Option<u64>, &mut Option<CacheScope>) {
                (&mut self.ttl_ms, &mut self.cache_scope)
            }
        }
    )+};
}
cacheable!(ListToolsResult, ListResourcesResult, ListResourceTemplatesResult, ListPromptsResult);
