//! The line below a call.

use serde_json::{Value, json};
use toolsmith_tool::CallMetrics;

use super::metrics_text;

fn metrics(fields: Value) -> CallMetrics {
    serde_json::from_value(fields).unwrap()
}

#[test]
fn only_figures_worth_seeing_make_a_line() {
    let small =
        metrics(json!({ "wallUs": 900_000, "cpuUs": 1200, "peakMemoryBytes": 2_000_000, "requests": 0 }));
    assert_eq!(metrics_text(&small, false), None);
    let large = metrics(json!({
        "wallUs": 1_230_000, "cpuUs": 912_000, "peakMemoryBytes": 35_651_584, "requests": 2, "processes": 1
    }));
    assert_eq!(metrics_text(&large, false).as_deref(), Some("1.2 s · 912 ms CPU · 34 MB · 2 requests"));
}

#[test]
fn the_whole_line_has_every_known_figure_and_no_unknown_one() {
    let known =
        metrics(json!({ "wallUs": 18, "cpuUs": 12, "readBytes": 0, "processes": 1, "resultTokens": 3 }));
    let text = metrics_text(&known, true);
    assert_eq!(text.as_deref(), Some("18 µs · 12 µs CPU · 0 B read · 1 process · ~3 tokens"));
}
