//! What a result has to be before a model sees it. A bad image would make a provider refuse this request and, being part
//! of the conversation, every later one.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolsmith_tool::{ContentBlock, ToolResult};

/// The largest image in base64 that providers take.
const MAX_IMAGE: usize = 5 << 20;
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Puts a note in place of every image no provider would take, and a word where a failure has none.
pub(super) fn check(mut result: ToolResult) -> ToolResult {
    for block in &mut result.content {
        if let ContentBlock::Image { data, mime_type } = block
            && let Err(why) = check_image(data, mime_type)
        {
            *block = ContentBlock::text(format!("[An image was left out: {why}]"));
        }
    }
    let says_nothing =
        result.content.iter().all(|block| block.as_text().is_some_and(|text| text.trim().is_empty()));
    if result.is_error && says_nothing {
        result.content = vec![ContentBlock::text("Tool failed with no output.")];
    }
    result
}

/// Checks that providers accept an image. A data URL is reduced to its data.
pub(crate) fn check_image(data: &mut String, mime_type: &str) -> Result<(), String> {
    // Tools often hand on a whole data URL.
    if let Some((_, bytes)) = data.split_once(";base64,").filter(|(head, _)| head.starts_with("data:")) {
        *data = bytes.to_owned();
    }
    if !IMAGE_TYPES.contains(&mime_type) {
        return Err(format!("{mime_type:?} is not one of {}", IMAGE_TYPES.join(", ")));
    }
    if data.len() > MAX_IMAGE {
        return Err(format!("it has {} bytes in base64, and models take {MAX_IMAGE}", data.len()));
    }
    match STANDARD.decode(&*data) {
        Ok(bytes) if bytes.is_empty() => Err("it is empty".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("its data is not base64 ({error})")),
    }
}
