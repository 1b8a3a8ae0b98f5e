//! Text: width, truncation and wrapping with colours; Markdown and highlighted code by role; formats that Bun reads
//! (YAML and TOML).

use base64::Engine as _;
use rquickjs::{Ctx, Object, Result, function::Func};
use serde_json::Value;

use super::failure;
use crate::instance::HostError;

pub(super) fn install(host: &Object<'_>) -> Result<()> {
    host.set("visibleWidth", Func::from(|text: String| toolsmith_text::visible_width(&text)))?;
    host.set(
        "cutToWidth",
        Func::from(|text: String, width: usize, ellipsis: String| {
            toolsmith_text::cut_to_width(&text, width, &ellipsis)
        }),
    )?;
    host.set("wrapText", Func::from(|text: String, width: usize| toolsmith_text::wrap(&text, width)))?;
    host.set(
        "markdownRows",
        Func::from(|text: String, width: usize| toolsmith_text::markdown_json(&text, width)),
    )?;
    host.set("imageSize", Func::from(|data: String| image_size(&data)))?;
    host.set(
        "highlightRows",
        Func::from(|code: String, language: String| toolsmith_text::highlight_json(&code, &language)),
    )
}

/// The size of an image in base64 as JSON; empty if it cannot be read.
pub(super) fn image_size(data: &str) -> String {
    // The first bytes are enough for the size, except in a JPEG with large metadata.
    let head = data.get(..data.len().min(256 << 10) / 4 * 4).unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD.decode(head).unwrap_or_default();
    match toolsmith_text::image_size(&bytes) {
        Some(size) => serde_json::json!({ "widthPx": size.width, "heightPx": size.height }).to_string(),
        None => String::new(),
    }
}

/// Parses a text of a format to JSON.
fn parse(format: &str, text: &str) -> std::result::Result<String, String> {
    let value: Value = match format {
        "yaml" => serde_saphyr::from_str(text).map_err(|error| format!("YAML Parse error: {error}"))?,
        _ => toml::from_str(text).map_err(|error| format!("Failed to parse toml: {}", error.message()))?,
    };
    serde_json::to_string(&value).map_err(|error| error.to_string())
}

pub(super) fn install_formats(group: &Object<'_>) -> Result<()> {
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
