//! Secrets in the store that the system has for them: the keychain of macOS. The other systems have none that every installation
//! offers, so a caller stores its secrets in a private file there.

#[cfg(target_os = "macos")]
mod macos;

use std::{fmt::Debug, io, sync::Arc};

/// A store of secrets. A secret is found by a service, which is the program it belongs to, and an account.
pub trait SecretStore: Debug + Send + Sync {
    /// Returns a secret; `None` if there is none.
    ///
    /// # Errors
    /// Fails if the store is locked, cannot ask the user, or the user refuses.
    fn get(&self, service: &str, account: &str) -> io::Result<Option<String>>;

    /// Stores a secret, replacing an earlier one.
    ///
    /// # Errors
    /// Fails like [`Self::get`].
    fn set(&self, service: &str, account: &str, secret: &str) -> io::Result<()>;

    /// Removes a secret; returns whether there was one.
    ///
    /// # Errors
    /// Fails like [`Self::get`].
    fn remove(&self, service: &str, account: &str) -> io::Result<bool>;
}

/// Returns the store of this system; `None` if it has none.
pub fn system_secrets() -> Option<Arc<dyn SecretStore>> {
    #[cfg(target_os = "macos")]
    return Some(Arc::new(macos::LoginKeychain));
    #[cfg(not(target_os = "macos"))]
    return None;
}
