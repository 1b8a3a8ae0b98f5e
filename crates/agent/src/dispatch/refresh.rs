//! Tools that may have changed on disk: brought up to date before a call looks for its tool.

use async_trait::async_trait;

/// Brings the registry up to date.
#[async_trait]
pub trait RegistryRefresh: Send + Sync {
    /// Called before a call looks for its tool. Returns a note for the model, which is added to the result.
    async fn before_call(&self, tool: &str) -> Option<String>;
}
