//! Tools that may have changed on disk: brought up to date before a call looks for its tool.

use async_trait::async_trait;

/// Brings the registry up to date.
#[async_trait]
pub trait RegistryRefresh: Send + Sync {
    /// Called before a call looks for its tool. Returns a note for the model, which is added to the result.
    async fn before_call(&self, tool: &str) -> Option<String>;

    /// Identifies the code that a call of the tool would run now; `None` if that cannot change. It is compared before and
    /// after a question: what was approved is what runs (CONTRACT 5.8).
    async fn version(&self, _tool: &str) -> Option<String> {
        None
    }
}
