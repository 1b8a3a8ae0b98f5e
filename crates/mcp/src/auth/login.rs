//! The login: the person authorizes this program in a browser, and the code comes back to a port of this machine, or as an
//! address the person pastes.

use std::time::Duration;

use ::http as http_types;
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore as _,
};
use thiserror::Error;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use super::token_file::TokenFile;
use crate::{
    client::http,
    config::{Expander, ServerConfig, Transport},
    redaction::redact,
};

/// Time for the login in the browser.
const LOGIN_TIME: Duration = Duration::from_secs(600);
/// Time for the server to request a login.
const CHALLENGE_TIME: Duration = Duration::from_secs(10);
/// Longest request line of the browser.
const MAX_REQUEST: u64 = 64 << 10;
const CALLBACK: &str = "/callback";

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
    let listener = TcpListener::bind(("127.0.0.1", config.oauth.callback_port.unwrap_or(0)))
        .await
        .map_err(|error| failed(&error))?;
    let port = listener.local_addr().map_err(|error| failed(&error))?.port();
    let mut request = AuthorizationRequest::new(format!("http://127.0.0.1:{port}{CALLBACK}"))
        .with_initial_scope_selection()
        .with_application_type("native")
        .with_client_name(config.oauth.client_name.as_deref().unwrap_or("Toolsmith"))
        .with_scopes(scopes(config, &url, tokens).await);
    if let Some(id) = &config.oauth.client_id {
        request = request.with_preregistered_client(id);
    }
    if let Some(url) = &config.oauth.client_metadata_url {
        request = request.with_client_metadata_url(url);
    }
    if let Some(secret) = &config.oauth.client_secret {
        let secret = expander.value("oauth.clientSecret", secret).await;
        request = request.with_client_secret(secret.map_err(|error| LoginError::Config(error.to_string()))?);
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
    manager.set_metadata(found.metadata);
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| failed(&error))?;
    prompt.show(session.get_authorization_url()).await;
    let base = format!("http://127.0.0.1:{port}");
    let answer = async {
        tokio::select! {
            answer = callback(&listener, &base) => answer,
            pasted = prompt.pasted() => pasted.trim().to_owned(),
        }
    };
    let answer = tokio::time::timeout(LOGIN_TIME, answer).await.map_err(|_| LoginError::TimedOut)?;
    session.handle_callback_url(&answer).await.map_err(|error| failed(&error))?;
    Ok(())
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

/// Waits for the browser to return. Other requests, such as for an icon, are answered and ignored.
async fn callback(listener: &TcpListener, base: &str) -> String {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let Some(path) = answer_browser(stream).await else { continue };
        return format!("{base}{path}");
    }
}

async fn answer_browser(mut stream: TcpStream) -> Option<String> {
    use tokio::io::AsyncReadExt as _;
    let mut line = String::new();
    let (read, mut write) = stream.split();
    let reading = BufReader::new(read.take(MAX_REQUEST));
    let mut reading = reading;
    tokio::time::timeout(Duration::from_secs(10), reading.read_line(&mut line)).await.ok()?.ok()?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let is_callback =
        line.starts_with("GET ") && path.strip_prefix(CALLBACK).is_some_and(|rest| rest.starts_with('?'));
    let (status, text) = match is_callback {
        true => ("200 OK", "You can close this page and return to the terminal.\n"),
        false => ("404 Not Found", "Not found\n"),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = write.write_all(answer.as_bytes()).await;
    let _ = write.shutdown().await;
    is_callback.then_some(path)
}
