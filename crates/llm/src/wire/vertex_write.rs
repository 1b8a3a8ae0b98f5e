//! Encoder for Anthropic Messages at Vertex AI: the model is part of the path, and the version part of the body.

use serde_json::json;

use super::{Head, anthropic_write, gemini_write::path_segment};
use crate::{config::Quirks, request::Request};

const VERSION: &str = "vertex-2023-10-16";

pub(super) fn head(request: &Request<'_>) -> Head {
    let mut head = anthropic_write::head(request, &Quirks::default());
    head.fields.shift_remove("model");
    head.fields.insert("anthropic_version".to_owned(), json!(VERSION));
    head.path = format!("/models/{}:streamRawPredict", path_segment(&request.model.id));
    head.headers.clear();
    head
}
