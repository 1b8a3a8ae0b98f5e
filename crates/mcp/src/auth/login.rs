//! The login: the person authorizes this program in a browser, and the code comes back to a port of this machine, or as an
//! address the person pastes.

use std::time::Duration;

use ::http as http_types;
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore as _,
    OAuthClientConfig,
};
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::{
    callback::{Callback, parameter},
    token_file::TokenFile,
};
use crate::{
    client::http,
    config::{Expander, ServerConfig, Transport},
    redaction::redact,
};

/// Name of this program for authorization servers.
const CLIENT_NAME: &str = "Toolsmith";
/// Scope that some authorization servers require for tokens that can be refreshed.
const OFFLINE: &str = "offline_access";
/// Time for the login in the browser.
const LOGIN_TIME: Duration = Duration::from_secs(600);
/// Time for the server to request a login.
const CHALLENGE_TIME: Duration = Duration::from_secs(10);

/// Login errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The server has no URL.
    #[error("MCP server \"{0}\" is a local process; it has no login")]
    NotHttp(String),
    /// The entry cannot be used.
    #[error("{0}")]
    Config(String),
    /// The authorization failed.
    #[error("the login failed: {0}")]
    Failed(String),
    /// Nobody finished it.
    #[error("the login was not finished within {} minutes", LOGIN_TIME.as_secs() / 60)]
    TimedOut,
}

/// The person who logs in.
#[async_trait]
pub trait LoginPrompt: Send + Sync {
    /// Shows the address to open in a browser.
    async fn show(&self, url: &str);

    /// Waits for an address the person pastes, for browsers on another machine. Never returns if nothing can be pasted.
    async fn pasted(&self) -> String;
}

/// Logs in to a server and stores the token.
///
/// # Errors
/// Fails if the server has no URL, or the authorization fails.
pub async fn login(
    config: &ServerConfig,
    cwd: &std::path::Path,
    tokens: &TokenFile,
    prompt: &dyn LoginPrompt,
) -> Result<(), LoginError> {
    let Transport::Http { url, .. } = &config.transport else {
        return Err(LoginError::NotHttp(config.name.clone()));
    };
    let failed = |error: &dyn std::fmt::Display| LoginError::Failed(redact(&error.to_string()));
    let expander = Expander::new(cwd, config.expands);
    let url = expander.value("url", url).await.map_err(|error| LoginError::Config(error.to_string()))?;
    let client = http::build(&url).map_err(LoginError::Config)?;
    let callback = Callback::listen(config.oauth.callback_port).await.map_err(|error| failed(&error))?;
    let mut request = AuthorizationRequest::new(callback.url())
        .with_initial_scope_selection()
        .with_application_type("native")
        .with_client_name(config.oauth.client_name.as_deref().unwrap_or(CLIENT_NAME))
        .with_scopes(scopes(config, &url, tokens).await);
    if let Some(id) = &config.oauth.client_id {
        request = request.with_preregistered_client(id);
    }
    if let Some(url) = &config.oauth.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    let secret = super::configured_secret(config, &expander).await;
    if let Some(secret) = secret.map_err(|error| LoginError::Config(error.to_string()))? {
        request = request.with_client_secret(secret);
    }
    // Its own client refuses addresses that a server's metadata must not lead to.
    let mut manager = AuthorizationManager::new(url.as_str()).await.map_err(|error| failed(&error))?;
    manager.set_credential_store(tokens.entry(&config.name, &url));
    let challenge = challenge(&client, &url).await;
    let found = manager
        .resolve_metadata_from_challenge(challenge.as_deref())
        .await
        .map_err(|error| failed(&error))?;
    super::check_endpoints(&found.metadata).map_err(|error| failed(&error))?;
    let has_document = found.metadata.additional_fields.get("client_id_metadata_document_supported")
        == Some(&Value::Bool(true))
        && config.oauth.client_metadata_url.is_some();
    let offline = found.metadata.scopes_supported.iter().flatten().find(|scope| *scope == OFFLINE).cloned();
    manager.set_metadata(found.metadata);
    if config.oauth.client_id.is_none() && request.client_secret.is_none() && !has_document {
        let issued = register(&mut manager, &request, offline).await.map_err(|error| failed(&error))?;
        let entry = tokens.entry(&config.name, &url).issued_secret(issued.client_secret.clone());
        manager.set_credential_store(entry);
        request = request.with_preregistered_client(issued.client_id);
        request.client_secret = issued.client_secret;
    }
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| failed(&error))?;
    let shown = Url::parse(session.get_authorization_url()).map_err(|error| failed(&error))?;
    let state = parameter(&shown, "state").ok_or_else(|| failed(&"the login has no state"))?;
    prompt.show(session.get_authorization_url()).await;
    let answer = async {
        tokio::select! {
            answer = callback.wait(&state) => answer.to_string(),
            pasted = prompt.pasted() => pasted.trim().to_owned(),
        }
    };
    let answer = tokio::time::timeout(LOGIN_TIME, answer).await.map_err(|_| LoginError::TimedOut)?;
    if let Some(reason) = Url::parse(&answer).ok().and_then(|answer| refusal(&answer)) {
        return Err(failed(&reason));
    }
    session.handle_callback_url(&answer).await.map_err(|error| failed(&error))?;
    Ok(())
}

/// Registers this program as a client. The protocol library does so too, but keeps a secret that it is issued to itself, and
/// without the secret the tokens cannot be refreshed later.
async fn register(
    manager: &mut AuthorizationManager,
    request: &AuthorizationRequest,
    offline: Option<String>,
) -> Result<OAuthClientConfig, AuthError> {
    // These are the scopes that the login requests.
    let scopes = match request.scopes.is_empty() {
        true => manager.select_initial_scopes(&[]).await,
        false => {
            let added = offline.filter(|scope| !request.scopes.contains(scope));
            request.scopes.iter().cloned().chain(added).collect()
        }
    };
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let name = request.client_name.as_deref().unwrap_or(CLIENT_NAME);
    manager.register_client(name, &request.redirect_uri, &scopes).await
}

/// Returns the reason if the authorization server refused.
fn refusal(answer: &Url) -> Option<String> {
    let error = parameter(answer, "error")?;
    Some(match parameter(answer, "error_description") {
        Some(description) => format!("the authorization server answered {error}: {description}"),
        None => format!("the authorization server answered {error}"),
    })
}

/// Returns the scopes to request. More permissions are added to those granted before, which a login replaces.
async fn scopes(config: &ServerConfig, url: &str, tokens: &TokenFile) -> Vec<String> {
    let mut scopes = config.oauth.scopes.clone();
    if config.oauth.additional_scopes.is_empty() {
        return scopes;
    }
    let stored = tokens.entry(&config.name, url).load().await.ok().flatten();
    let granted = stored.map(|stored| stored.granted_scopes).unwrap_or_default();
    for scope in granted.iter().chain(&config.oauth.additional_scopes) {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    scopes
}

/// Sends a first request and returns the challenge of the server, which says where and for what to log in.
async fn challenge(client: &reqwest::Client, url: &str) -> Option<String> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let request = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(body)
        .timeout(CHALLENGE_TIME);
    let answer = request.send().await.ok()?;
    let header = answer.headers().get(http_types::header::WWW_AUTHENTICATE)?;
    header.to_str().ok().map(str::to_owned)
}
