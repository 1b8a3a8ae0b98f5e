//! What was used so far.

use serde::{Deserialize, Serialize};
use toolsmith_llm::Usage;
use toolsmith_tool::CallMetrics;

/// Sums of what calls and model requests used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Used {
    /// Wall time of tool calls in microseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub time_us: u64,
    /// Processes that tools started.
    #[serde(skip_serializing_if = "is_zero")]
    pub processes: u64,
    /// Bytes that tools returned.
    #[serde(skip_serializing_if = "is_zero")]
    pub output: u64,
    /// Tokens of model requests.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// US dollars for model requests.
    #[serde(skip_serializing_if = "is_free")]
    pub money: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_free(money: &f64) -> bool {
    *money == 0.0
}

impl Used {
    /// Use of a call.
    pub fn of_call(metrics: &CallMetrics) -> Self {
        Self {
            time_us: metrics.wall_us,
            processes: metrics.processes.unwrap_or(0),
            output: metrics.output_bytes,
            ..Self::default()
        }
    }

    /// Use of a model request.
    pub fn of_response(usage: &Usage) -> Self {
        Self { tokens: usage.total_tokens, money: usage.cost.total, ..Self::default() }
    }

    /// Adds. Sums stay at their maximum, and money that is not a positive number is passed over.
    pub fn add(&mut self, more: &Self) {
        self.time_us = self.time_us.saturating_add(more.time_us);
        self.processes = self.processes.saturating_add(more.processes);
        self.output = self.output.saturating_add(more.output);
        self.tokens = self.tokens.saturating_add(more.tokens);
        if more.money.is_finite() && more.money > 0.0 {
            self.money += more.money;
        }
    }
}
