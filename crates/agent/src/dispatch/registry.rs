//! The registry that the dispatcher, hooks and reloads share, and how it is brought up to date before a call.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use toolsmith_tool::Registry;

/// A shared registry. Clones are the same registry.
#[derive(Clone, Debug, Default)]
pub struct SharedRegistry(Arc<RwLock<Registry>>);

impl SharedRegistry {
    /// Reads the registry, which is locked meanwhile: `look` must be brief.
    pub fn read<R>(&self, look: impl FnOnce(&Registry) -> R) -> R {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the registry for calls that start afterwards.
    pub fn write<R>(&self, change: impl FnOnce(&mut Registry) -> R) -> R {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl From<Registry> for SharedRegistry {
    fn from(registry: Registry) -> Self {
        Self(Arc::new(RwLock::new(registry)))
    }
}

/// Brings the registry up to date with tools that changed on disk.
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
