//! The list is whole, and answers as people ask.

use super::*;
use crate::builtin;

#[test]
fn every_line_is_a_model_of_a_provider_that_exists() {
    let catalog = Catalog::builtin();
    assert_eq!(catalog.entries.len(), LIST.lines().count());
    assert!(catalog.entries.len() > 200);
    let providers: Vec<String> = builtin::providers().into_iter().map(|config| config.name).collect();
    for entry in &catalog.entries {
        let row: Row =
            serde_json::from_str(entry.line).unwrap_or_else(|error| panic!("{}: {error}", entry.line));
        assert_eq!((row.provider.as_str(), row.id.as_str()), (entry.provider, entry.id));
        assert!(providers.contains(&row.provider), "{}", entry.line);
        assert!(row.context >= 1000 && row.output > 0, "{}", entry.line);
        assert!(row.price.input >= 0.0 && row.price.input < 1000.0, "{}", entry.line);
    }
}

#[test]
fn the_models_to_begin_with_are_known() {
    for (provider, id) in builtin::DEFAULT_MODELS {
        assert!(Catalog::builtin().get(provider, id).is_some(), "{provider}/{id}");
    }
}

#[test]
fn what_models_refuse_is_known() {
    let catalog = Catalog::builtin();
    let opus = catalog.get("anthropic", "claude-opus-5-5").unwrap();
    assert_eq!(opus.forced_tool, ForcedTool::None);
    assert!(opus.thinking.adaptive && opus.images && !opus.temperature);
    let haiku = catalog.get("anthropic", "claude-haiku-4-5").unwrap();
    assert_eq!((haiku.forced_tool, haiku.price.input), (ForcedTool::Named, 1.0));
    assert!(haiku.thinking.budget.is_some());
}

#[test]
fn a_dated_snapshot_is_the_model_it_is_a_snapshot_of() {
    let catalog = Catalog::builtin();
    let dated = catalog.get("anthropic", "claude-haiku-4-5-20251001").unwrap();
    assert_eq!((dated.id.as_str(), dated.context_window), ("claude-haiku-4-5-20251001", 200_000));
    assert!(catalog.get("openai", "gpt-4.1-2025-04-14").is_some());
    assert!(catalog.get("anthropic", "claude-haiku-4-5-2025").is_none());
    assert!(catalog.get("anthropic", "").is_none());
}
