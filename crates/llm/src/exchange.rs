//! Observers of the exchange with a provider: they see and may change a request before it is sent.

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};

/// Sees one request and its response. Keys are not part of what it sees.
#[async_trait]
pub trait Exchange: Send + Sync {
    /// Returns the body to send.
    async fn request(&self, payload: Value) -> Value {
        payload
    }

    /// Returns the headers to send besides the key. A null value removes a header.
    async fn headers(&self, headers: Map<String, Value>) -> Map<String, Value> {
        headers
    }

    /// Called when the provider accepted the request.
    async fn response(&self, _status: u16, _headers: Map<String, Value>) {}
}

impl fmt::Debug for dyn Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exchange")
    }
}
