//! Rules about cost: a tool's share of every request, and its load time.

use std::time::Duration;

use serde_json::json;
use toolsmith_tool::ToolSpec;

use super::{finding::Remark, subject::Subject};

/// Approximate bytes per token of schema text.
const BYTES_PER_TOKEN: usize = 4;
/// Maximum number of tokens without a warning.
const MANY_TOKENS: usize = 1500;
/// Maximum load time without a warning.
const SLOW: Duration = Duration::from_secs(1);

/// Estimates the tokens of name, description and schema in every request.
pub(crate) fn tokens(spec: &ToolSpec) -> usize {
    let sent = json!({ "name": spec.name, "description": spec.description, "parameters": spec.parameters });
    sent.to_string().len().div_ceil(BYTES_PER_TOKEN)
}

pub(super) fn token_cost(subject: &Subject<'_>) -> Vec<Remark> {
    let tokens = tokens(subject.spec());
    if tokens > MANY_TOKENS {
        return vec![Remark::new(
            format!("it uses about {tokens} tokens in every request"),
            "Shorten descriptions, split the tool, or set loadMode: \"discoverable\".",
        )];
    }
    Vec::new()
}

pub(super) fn slow_load(module: &toolsmith_js::LoadedModule) -> Vec<Remark> {
    if module.errors.is_empty() && module.elapsed > SLOW {
        return vec![Remark::new(
            format!("loading took {:.1} s", module.elapsed.as_secs_f64()),
            "Move work from the module's top level and the factory into execute, and import large packages there.",
        )];
    }
    Vec::new()
}
