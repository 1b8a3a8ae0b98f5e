//! Google's access tokens: requested with a signed statement or a refresh token, kept until shortly before they expire.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{rand::SystemRandom, signature};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _};
use serde_json::{Value, json};

use super::google_credentials::{GoogleCredentials, Grant};
use crate::{
    endpoint::escaped,
    error::{ErrorClass, LlmError},
    http::{HttpClient, HttpRequest},
    secret::Secret,
};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// Deadline of a request for a token.
const TOKEN_TIME: Duration = Duration::from_secs(30);
/// The longest that a statement may be valid.
const STATEMENT_SECONDS: u64 = 3600;
/// Tokens are renewed this long before they expire, because requests take time.
const MARGIN: Duration = Duration::from_secs(60);
const MAX_BYTES: usize = 64 << 10;

/// The token of one provider. Several requests at once may each fetch one, which is harmless.
#[derive(Debug, Default)]
pub(super) struct GoogleToken {
    held: Mutex<Option<Held>>,
}

#[derive(Clone, Debug)]
struct Held {
    token: Secret,
    expires: Instant,
    /// Credentials it was requested with.
    credentials: GoogleCredentials,
}

impl GoogleToken {
    /// Returns a token for these credentials.
    pub(super) async fn get(
        &self,
        credentials: &GoogleCredentials,
        client: &HttpClient,
    ) -> Result<Secret, LlmError> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(held) = held
            && held.credentials == *credentials
            && held.expires > Instant::now()
        {
            return Ok(held.token);
        }
        let (token, lifetime) = fetch(credentials, client).await?;
        let expires = Instant::now() + lifetime.saturating_sub(MARGIN);
        let held = Held { token: token.clone(), expires, credentials: credentials.clone() };
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        Ok(token)
    }

    pub(super) fn forget(&self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn auth(text: impl Into<String>) -> LlmError {
    LlmError::new(ErrorClass::Auth, text)
}

async fn fetch(credentials: &GoogleCredentials, client: &HttpClient) -> Result<(Secret, Duration), LlmError> {
    let url = &credentials.token_url;
    let is_local = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"]
        .iter()
        .any(|start| url.starts_with(start));
    if !url.starts_with("https://") && !is_local {
        return Err(auth("The credentials name a token address that is not https."));
    }
    let (form, secret) = match &credentials.grant {
        Grant::ServiceAccount { email, key_id, key } => {
            let statement = statement(email, key_id.as_deref(), key, url)?;
            (
                vec![
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned()),
                    ("assertion", statement.clone()),
                ],
                statement,
            )
        }
        Grant::User { client_id, client_secret, refresh_token } => (
            vec![
                ("grant_type", "refresh_token".to_owned()),
                ("client_id", client_id.clone()),
                ("client_secret", client_secret.expose().to_owned()),
                ("refresh_token", refresh_token.expose().to_owned()),
            ],
            refresh_token.expose().to_owned(),
        ),
    };
    let body: Vec<String> =
        form.iter().map(|(key, value)| format!("{key}={}", escaped(value, b"~"))).collect();
    let headers = vec![("content-type".to_owned(), Secret::new("application/x-www-form-urlencoded"))];
    let request = HttpRequest { url: url.clone(), headers, body: Some(body.join("&").into_bytes().into()) };
    let hide = |text: String| Secret::new(secret.as_str()).redact(&text);
    let answer = client.send(request, TOKEN_TIME).await.map_err(|mut error| {
        error.text = hide(format!("the login was not renewed: {}", error.text));
        // Google answers 400 to a login that was revoked or has expired.
        if error.class == ErrorClass::BadRequest && error.status == Some(400) {
            error.class = ErrorClass::Auth;
            error.text = format!(
                "{}. Run `gcloud auth application-default login` again, or renew the key file",
                error.text
            );
        }
        error
    })?;
    let text = answer.text(TOKEN_TIME, MAX_BYTES).await?;
    let value: Value =
        serde_json::from_str(&text).map_err(|_| auth("The token server did not answer with JSON."))?;
    let token = value["access_token"].as_str().filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| auth("The token server gave no token."))?;
    let seconds = value["expires_in"].as_u64().unwrap_or(STATEMENT_SECONDS).min(24 * 3600);
    Ok((Secret::new(token), Duration::from_secs(seconds)))
}

/// Returns the signed statement (JWT) that a service account asks for a token with.
fn statement(email: &str, key_id: Option<&str>, key: &Secret, audience: &str) -> Result<String, LlmError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut header = json!({ "alg": "RS256", "typ": "JWT" });
    if let Some(key_id) = key_id {
        header["kid"] = json!(key_id);
    }
    let claims = json!({
        "iss": email, "scope": SCOPE, "aud": audience, "iat": now, "exp": now + STATEMENT_SECONDS,
    });
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encode(&header), encode(&claims));
    let unusable = || auth("The private key of the service account cannot be used.");
    let der = PrivatePkcs8KeyDer::from_pem_slice(key.expose().as_bytes()).map_err(|_| unusable())?;
    let pair = signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| unusable())?;
    let mut bytes = vec![0; pair.public().modulus_len()];
    pair.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut bytes)
        .map_err(|_| unusable())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(bytes)))
}
