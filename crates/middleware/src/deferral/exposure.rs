//! Which tools are offered directly: those that say so, and the others as long as they are few or cost little.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::{self, Write},
};

use toolsmith_tool::{LoadMode, OriginKind, RegisteredTool, Registry};

/// This many tools are always offered directly.
const FEW: usize = 20;
/// More than this are never all offered directly, however small they are.
const MANY: usize = 100;
/// Share of the context window that definitions may take.
const SHARE: usize = 10;
/// Bytes per token, roughly.
const BYTES_PER_TOKEN: usize = 4;

/// Returns the bytes that definitions add to a request.
fn cost(tools: &[&RegisteredTool]) -> usize {
    let mut bytes = Length(0);
    for tool in tools {
        let spec = tool.tool.spec();
        bytes.0 += spec.name.len() + spec.description.len();
        let _ = write!(bytes, "{}", spec.parameters);
    }
    bytes.0
}

/// Counts what is written.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// The group that is offered or deferred together: the tools of one server, or all of one kind.
fn group(tool: &RegisteredTool) -> (usize, String) {
    let server = tool.tool.spec().mcp.as_ref().map(|mcp| mcp.server.clone()).unwrap_or_default();
    (usize::from(tool.origin.kind == OriginKind::Mcp), server)
}

/// Returns the names of the active tools that are deferred in a context window of this many tokens.
pub(super) fn deferred(registry: &Registry, window: usize) -> HashSet<String> {
    let mut deferred = HashSet::new();
    let mut groups: BTreeMap<(usize, String), Vec<&RegisteredTool>> = BTreeMap::new();
    for tool in registry.active() {
        match (tool.tool.spec().load_mode, tool.origin.kind) {
            (Some(LoadMode::Discoverable), _) => {
                deferred.insert(tool.tool.spec().name.clone());
            }
            (None, kind) if kind != OriginKind::BuiltIn => groups.entry(group(tool)).or_default().push(tool),
            _ => {}
        }
    }
    let budget = window / SHARE * BYTES_PER_TOKEN;
    let (mut count, mut bytes) = (0, 0);
    // Custom tools come first; a small server is offered even if a large one before it is not.
    for tools in groups.into_values() {
        let (more, size) = (tools.len(), cost(&tools));
        let is_direct = count + more <= FEW || (count + more <= MANY && bytes + size <= budget);
        if is_direct {
            count += more;
            bytes += size;
        } else {
            deferred.extend(tools.iter().map(|tool| tool.tool.spec().name.clone()));
        }
    }
    deferred
}
