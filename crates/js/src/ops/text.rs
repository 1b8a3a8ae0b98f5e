//! Terminal text: width, truncation and wrapping with colours; Markdown parsing.

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
    host.set("parseMarkdown", Func::from(|text: String| crate::markdown::to_json(&text)))
}
