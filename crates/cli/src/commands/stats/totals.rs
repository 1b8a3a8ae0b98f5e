//! Sums of recorded use.

use serde_json::{Map, Value, json};
use toolsmith_agent::session::RecordedUse;
use toolsmith_middleware::budget::Used;
use toolsmith_tool::CallMetrics;

/// A sum of figures that are not known for every call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// The sum, or the largest for memory.
    pub(super) value: u64,
    /// Number of calls it is known for.
    pub(super) known: u64,
}

impl Sum {
    fn add(&mut self, figure: Option<u64>) {
        if let Some(figure) = figure {
            self.value = self.value.saturating_add(figure);
            self.known += 1;
        }
    }

    fn raise(&mut self, figure: Option<u64>) {
        if let Some(figure) = figure {
            self.value = self.value.max(figure);
            self.known += 1;
        }
    }
}

/// Use of the calls and responses of one row.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) wall_us: Sum,
    pub(super) cpu_us: Sum,
    pub(super) memory: Sum,
    pub(super) read: Sum,
    pub(super) written: Sum,
    pub(super) requests: Sum,
    pub(super) processes: Sum,
    pub(super) result_tokens: Sum,
    pub(super) output: Sum,
    pub(super) responses: u64,
    pub(super) model_tokens: u64,
    pub(super) cost: f64,
}

impl Totals {
    pub(super) fn add(&mut self, record: &RecordedUse) {
        match record {
            RecordedUse::Call(call) => {
                self.calls += 1;
                self.failed += u64::from(call.is_error);
                if let Some(metrics) = &call.metrics {
                    self.add_metrics(metrics);
                }
            }
            RecordedUse::Response(response) => {
                self.responses += 1;
                self.model_tokens = self.model_tokens.saturating_add(response.usage.total_tokens);
                self.cost += response.usage.cost.total;
            }
            _ => {}
        }
    }

    fn add_metrics(&mut self, metrics: &CallMetrics) {
        self.wall_us.add(Some(metrics.wall_us));
        self.cpu_us.add(metrics.cpu_us);
        self.memory.raise(metrics.peak_memory_bytes);
        self.read.add(metrics.read_bytes);
        self.written.add(metrics.written_bytes);
        self.requests.add(metrics.requests);
        self.processes.add(metrics.processes);
        self.result_tokens.add(Some(metrics.result_tokens));
        self.output.add(Some(metrics.output_bytes));
    }

    /// Use of a budget by the rows.
    pub(super) fn used(&self) -> Used {
        let mut used = Used::default();
        used.time_us = self.wall_us.value;
        used.processes = self.processes.value;
        used.output = self.output.value;
        used.tokens = self.model_tokens;
        used.money = self.cost;
        used
    }

    /// The figures with their names in JSON.
    fn figures(&self) -> [(&'static str, Sum); 9] {
        [
            ("wallUs", self.wall_us),
            ("cpuUs", self.cpu_us),
            ("peakMemoryBytes", self.memory),
            ("readBytes", self.read),
            ("writtenBytes", self.written),
            ("requests", self.requests),
            ("processes", self.processes),
            ("resultTokens", self.result_tokens),
            ("outputBytes", self.output),
        ]
    }

    /// Returns the figures for programs. A figure that is known for no call is left out; `known` says for how many calls
    /// each is known.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("calls".to_owned(), self.calls.into());
        object.insert("failed".to_owned(), self.failed.into());
        let mut known = Map::new();
        for (name, sum) in self.figures() {
            if sum.known > 0 {
                object.insert(name.to_owned(), sum.value.into());
            }
            known.insert(name.to_owned(), sum.known.into());
        }
        object.insert("known".to_owned(), Value::Object(known));
        object.insert("responses".to_owned(), self.responses.into());
        object.insert("modelTokens".to_owned(), self.model_tokens.into());
        object.insert("costUsd".to_owned(), json!(self.cost));
        object
    }
}
