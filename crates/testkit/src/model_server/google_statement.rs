//! A service account of Google whose key is public, and the check of the statements (JWT) it signs.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature;
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _};
use serde_json::{Value, json};

/// Made for tests; it opens nothing.
const KEY: &str = include_str!("../../keys/service_account_test_key.pem");

/// Returns the key file of a service account that gets its tokens at `token_url`.
pub fn service_account(token_url: &str) -> Value {
    json!({
        "type": "service_account", "project_id": "test-project", "private_key_id": "key-1", "private_key": KEY,
        "client_email": "robot@test-project.iam.gserviceaccount.com", "token_uri": token_url,
    })
}

/// Checks the statement in the form of a request for a token, and returns its claims.
///
/// # Errors
/// Fails with the reason if it is missing, not signed by [`service_account`], or not valid now.
pub fn check_google_statement(form: &[u8], now_seconds: u64) -> Result<Value, String> {
    let form = String::from_utf8_lossy(form);
    let statement =
        form.split('&').find_map(|pair| pair.strip_prefix("assertion=")).ok_or("there is no assertion")?;
    if !form.contains("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer") {
        return Err("the grant type is another one".to_owned());
    }
    let (signed, signature) = statement.rsplit_once('.').ok_or("the statement has no signature")?;
    let (header, claims) = signed.split_once('.').ok_or("the statement has no claims")?;
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|error| error.to_string());
    let der = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).map_err(|error| error.to_string())?;
    let pair =
        signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|error| error.to_string())?;
    signature::UnparsedPublicKey::new(&signature::RSA_PKCS1_2048_8192_SHA256, pair.public().as_ref())
        .verify(signed.as_bytes(), &decode(signature)?)
        .map_err(|_| "the signature is wrong".to_owned())?;
    let read = |text: &str| -> Result<Value, String> {
        serde_json::from_slice(&decode(text)?).map_err(|error| error.to_string())
    };
    let (header, claims) = (read(header)?, read(claims)?);
    if header["alg"] != "RS256" || header["kid"] != "key-1" {
        return Err(format!("the header is {header}"));
    }
    let (issued, expires) =
        (claims["iat"].as_u64().unwrap_or_default(), claims["exp"].as_u64().unwrap_or_default());
    if issued > now_seconds + 60 || expires <= now_seconds || expires > issued + 3600 {
        return Err(format!("it is not valid now: {claims}"));
    }
    Ok(claims)
}
