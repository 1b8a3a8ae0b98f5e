//! OAuth for servers behind a URL: stored tokens, and the login.

mod callback;
mod login;
mod token_file;

pub use login::{LoginError, LoginPrompt, login};
pub use token_file::TokenFile;

use rmcp::transport::auth::{AuthorizationManager, AuthorizationMetadata, OAuthClientConfig};

use crate::{
    client::http,
    config::{ExpandError, Expander, ServerConfig},
};

/// Creates a manager that adds the stored token to requests and refreshes it; `None` if nobody logged in to the server.
pub(crate) async fn manager(
    config: &ServerConfig,
    url: &str,
    tokens: &TokenFile,
    expander: &Expander<'_>,
) -> Option<AuthorizationManager> {
    let store = tokens.entry(&config.name, url);
    store.exists().await.then_some(())?;
    let mut manager = AuthorizationManager::new(url).await.ok()?;
    manager.set_credential_store(store.clone());
    let prepared = async {
        let metadata = manager.resolve_metadata().await.map_err(|error| error.to_string())?.metadata;
        check_endpoints(&metadata)?;
        manager.set_metadata(metadata);
        let has_token = manager.initialize_from_store().await.map_err(|error| error.to_string())?;
        // What was just configured has no secret, and a refresh of a confidential client needs one.
        if let Some((id, issued)) = store.client().filter(|_| has_token) {
            let configured = match config.oauth.client_id.as_ref() == Some(&id) {
                true => configured_secret(config, expander).await.map_err(|error| error.to_string())?,
                false => None,
            };
            if let Some(secret) = configured.or(issued) {
                let client = OAuthClientConfig::new(id, url).with_client_secret(secret);
                manager.configure_client(client).map_err(|error| error.to_string())?;
            }
        }
        Ok::<bool, String>(has_token)
    };
    match prepared.await {
        Ok(true) => Some(manager),
        Ok(false) => None,
        Err(error) => {
            tracing::warn!(server = config.name, error, "The stored MCP login cannot be used");
            None
        }
    }
}

/// Returns the client secret of an entry.
async fn configured_secret(
    config: &ServerConfig,
    expander: &Expander<'_>,
) -> Result<Option<String>, ExpandError> {
    match &config.oauth.client_secret {
        Some(secret) => expander.value("oauth.clientSecret", secret).await.map(Some),
        None => Ok(None),
    }
}

/// Checks the addresses that codes, tokens and secrets are sent to. They come from the authorization server, and plain HTTP to
/// another machine could be read on the way.
fn check_endpoints(metadata: &AuthorizationMetadata) -> Result<(), String> {
    let addresses = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    for address in addresses.into_iter().chain(&metadata.registration_endpoint) {
        http::parse(address)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "auth_tests.rs"]
mod tests;
