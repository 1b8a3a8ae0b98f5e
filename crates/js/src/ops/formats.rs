//! Text formats that Bun reads: YAML and TOML.

use rquickjs::{Ctx, Object, Result, function::Func};
use serde_json::Value;

use super::failure;
use crate::instance::HostError;

/// Parses a text of a format to JSON.
fn parse(format: &str, text: &str) -> std::result::Result<String, String> {
    let value: Value = match format {
        "yaml" => serde_saphyr::from_str(text).map_err(|error| format!("YAML Parse error: {error}"))?,
        _ => toml::from_str(text).map_err(|error| format!("Failed to parse toml: {}", error.message()))?,
    };
    serde_json::to_string(&value).map_err(|error| error.to_string())
}

pub(super) fn install(group: &Object<'_>) -> Result<()> {
    group.set(
        "parse",
        Func::from(|ctx: Ctx<'_>, format: String, text: String| {
            parse(&format, &text).map_err(|message| {
                failure::throw(
                    &ctx,
                    &HostError { class: "SyntaxError", message, properties: serde_json::Map::new() },
                )
            })
        }),
    )
}
