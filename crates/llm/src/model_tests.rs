//! Levels, budgets and prices.

use super::*;

fn thinking(efforts: &[&str]) -> Thinking {
    Thinking { efforts: efforts.iter().map(|&word| word.to_owned()).collect(), ..Thinking::default() }
}

#[test]
fn a_level_a_model_lacks_becomes_the_next_below_else_the_next_above() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, Xhigh};
    for (efforts, level, word) in [
        (&["minimal", "low", "medium", "high"][..], Medium, Some("medium")),
        (&["low", "high"], Medium, Some("low")),
        (&["high"], Low, Some("high")),
        (&["low", "medium", "high", "max"], Xhigh, Some("max")),
        (&["low", "medium", "high", "xhigh", "max"], Xhigh, Some("xhigh")),
        (&["low", "medium", "high"], Xhigh, Some("high")),
        (&["none", "low"], Off, Some("none")),
        (&["low", "high"], Off, Some("low")),
        (&["none", "high"], Minimal, Some("high")),
        (&["none", "default"], High, None),
        (&[], High, None),
    ] {
        assert_eq!(thinking(efforts).effort(level), word, "{efforts:?} {level}");
    }
}

#[test]
fn a_budget_stays_within_the_models_bounds() {
    let bounded = |bounds| Thinking { budget: Some(bounds), ..Thinking::default() };
    assert_eq!(bounded((0, 24_576)).budget_for(ThinkingLevel::Off), Some(0));
    assert_eq!(bounded((128, 24_576)).budget_for(ThinkingLevel::Off), Some(128));
    assert_eq!(bounded((128, 24_576)).budget_for(ThinkingLevel::Xhigh), Some(24_576));
    // A catalog may be wrong; it must not be able to do harm.
    assert_eq!(bounded((5000, 10)).budget_for(ThinkingLevel::Low), Some(5000));
}

#[test]
fn tokens_cost_what_the_price_says() {
    let price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
    let cost = price.cost(&Usage::new(1_000_000, 100_000, 2_000_000, 400_000));
    assert_eq!((cost.input, cost.output, cost.cache_read, cost.cache_write), (3.0, 1.5, 0.6, 1.5));
    assert!((cost.total - 6.6).abs() < 1e-9);
}
