//! Usage totals of an agent.

use serde::Serialize;
use toolsmith_llm::Usage;

/// Usage of one run or of all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Totals {
    /// Tokens and cost.
    pub usage: Usage,
    /// Model responses.
    pub turns: usize,
    /// Tool calls.
    pub tool_calls: usize,
    /// Failed tool calls.
    pub failed_calls: usize,
}

impl Totals {
    pub(super) fn add_answer(&mut self, usage: &Usage) {
        self.turns += 1;
        self.add_usage(usage);
    }

    pub(super) fn add_usage(&mut self, more: &Usage) {
        let all = &mut self.usage;
        all.input = all.input.saturating_add(more.input);
        all.output = all.output.saturating_add(more.output);
        all.cache_read = all.cache_read.saturating_add(more.cache_read);
        all.cache_write = all.cache_write.saturating_add(more.cache_write);
        all.total_tokens = all.total_tokens.saturating_add(more.total_tokens);
        all.cost.input += more.cost.input;
        all.cost.output += more.cost.output;
        all.cost.cache_read += more.cost.cache_read;
        all.cost.cache_write += more.cost.cache_write;
        all.cost.total += more.cost.total;
    }

    pub(super) fn add_calls(&mut self, calls: usize, failed: usize) {
        self.tool_calls += calls;
        self.failed_calls += failed;
    }
}
