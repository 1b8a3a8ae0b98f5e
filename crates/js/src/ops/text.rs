//! Terminal text: width, truncation and wrapping with colours; Markdown and highlighted code by role.

use rquickjs::{Object, Result, function::Func};

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
    host.set(
        "highlightRows",
        Func::from(|code: String, language: String| toolsmith_text::highlight_json(&code, &language)),
    )
}
