//! Encoder for Anthropic Messages at Vertex AI: the model is part of the path, and the version part of the body.

use serde_json::json;

use super::{Encoded, anthropic_write, gemini_write::path_segment};
use crate::{
    config::{ApiKind, Quirks},
    request::Request,
};

const VERSION: &str = "vertex-2023-10-16";

pub(super) fn encode(request: &Request<'_>) -> Encoded {
    let mut encoded = anthropic_write::encode(request, &Quirks::default(), ApiKind::VertexAnthropic);
    if let Some(body) = encoded.body.as_object_mut() {
        body.shift_remove("model");
        body.insert("anthropic_version".to_owned(), json!(VERSION));
    }
    let path = format!("/models/{}:streamRawPredict", path_segment(&request.model.id));
    Encoded { path, headers: Vec::new(), body: encoded.body }
}
