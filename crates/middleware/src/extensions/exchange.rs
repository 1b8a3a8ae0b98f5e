//! Provider requests and responses, as extensions see and change them.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use toolsmith_llm::Exchange;
use toolsmith_tool::ToolContext;

use super::runner::Extensions;

/// Shows each exchange with a provider to the extensions that listen.
pub(super) struct ExtensionExchange {
    pub(super) extensions: Extensions,
    pub(super) context: ToolContext,
}

impl ExtensionExchange {
    /// Returns whether a module listens to any of the events.
    pub(super) fn is_wanted(extensions: &Extensions) -> bool {
        ["before_provider_request", "before_provider_headers", "after_provider_response"]
            .iter()
            .any(|event| extensions.listens_to(event))
    }
}

#[async_trait]
impl Exchange for ExtensionExchange {
    async fn request(&self, mut payload: Value) -> Value {
        for module in self.extensions.listening("before_provider_request") {
            let event = json!({ "type": "before_provider_request", "payload": payload });
            let answer =
                self.extensions.call(&module, "before_provider_request", event, self.context.clone()).await;
            if let Ok(Value::Object(mut answer)) = answer
                && let Some(replaced) = answer.remove("payload")
            {
                payload = replaced;
            }
        }
        payload
    }

    async fn headers(&self, mut headers: Map<String, Value>) -> Map<String, Value> {
        for module in self.extensions.listening("before_provider_headers") {
            let event = json!({ "type": "before_provider_headers", "headers": headers });
            let answer =
                self.extensions.call(&module, "before_provider_headers", event, self.context.clone()).await;
            if let Ok(Value::Object(mut answer)) = answer
                && let Some(Value::Object(changed)) = answer.remove("headers")
            {
                headers = changed;
            }
        }
        headers
    }

    async fn response(&self, status: u16, headers: Map<String, Value>) {
        let payload = json!({ "type": "after_provider_response", "status": status, "headers": headers });
        self.extensions.notify("after_provider_response", payload, &self.context).await;
    }
}
