//! The registry as everybody who needs it at once sees it: a reload changes it between two calls.

use std::sync::{Arc, PoisonError, RwLock};

use toolsmith_tool::Registry;

/// One registry, seen from several places. Clones are the same registry.
#[derive(Clone, Debug, Default)]
pub struct SharedRegistry(Arc<RwLock<Registry>>);

impl SharedRegistry {
    /// Looks. The registry is locked meanwhile, so `look` must be brief.
    pub fn read<R>(&self, look: impl FnOnce(&Registry) -> R) -> R {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes it, for every call that begins afterwards.
    pub fn write<R>(&self, change: impl FnOnce(&mut Registry) -> R) -> R {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl From<Registry> for SharedRegistry {
    fn from(registry: Registry) -> Self {
        Self(Arc::new(RwLock::new(registry)))
    }
}
