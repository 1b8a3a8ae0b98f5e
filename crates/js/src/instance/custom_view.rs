//! A component that a tool shows through `ui.custom`.

use std::sync::Weak;

use serde_json::json;
use toolsmith_tool::{CustomView, RenderedLines, async_trait};

use super::{command::Drawn, instance::Instance, state::ThreadState};

/// The component, by its number in the engine.
pub(crate) struct CustomComponent {
    instance: Weak<Instance>,
    number: u32,
}

impl CustomComponent {
    pub(crate) fn new(state: &ThreadState, number: u32) -> Self {
        Self { instance: state.shared.instance(), number }
    }
}

#[async_trait]
impl CustomView for CustomComponent {
    async fn render(&self, width: usize) -> Option<RenderedLines> {
        let payload = json!({ "width": width }).to_string();
        match self.instance.upgrade()?.view(self.number, "render", payload).await? {
            Drawn::Lines(lines) => Some(lines.into()),
            Drawn::Nothing => None,
            Drawn::Failed(error) => {
                tracing::warn!(%error, "A tool's component failed to render");
                None
            }
        }
    }

    async fn input(&self, keys: &str) {
        if let Some(instance) = self.instance.upgrade() {
            instance.view(self.number, "input", json!({ "keys": keys }).to_string()).await;
        }
    }
}
