//! OAuth for servers behind a URL: stored tokens, and the login.

mod login;
mod token_file;

pub use login::{LoginError, LoginPrompt, login};
pub use token_file::TokenFile;

use rmcp::transport::auth::AuthorizationManager;

use crate::config::ServerConfig;

/// Creates a manager that adds the stored token to requests and refreshes it; `None` if nobody logged in to the server.
pub(crate) async fn manager(
    config: &ServerConfig,
    url: &str,
    tokens: &TokenFile,
) -> Option<AuthorizationManager> {
    let store = tokens.entry(&config.name, url);
    store.exists().await.then_some(())?;
    let mut manager = AuthorizationManager::new(url).await.ok()?;
    manager.set_credential_store(store);
    match manager.initialize_from_store().await {
        Ok(true) => Some(manager),
        Ok(false) => None,
        Err(error) => {
            tracing::warn!(server = config.name, %error, "The stored MCP login cannot be used");
            None
        }
    }
}
