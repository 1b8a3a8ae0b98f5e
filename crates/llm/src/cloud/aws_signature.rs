//! Signatures of requests to AWS (Signature Version 4).

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign as sign_request},
    sign::v4,
};

use super::aws_credentials::AwsCredentials;
use crate::{http::HttpRequest, secret::Secret};

/// Name of the service in signatures.
const SERVICE: &str = "bedrock";

/// Returns the headers that sign a request. They cover the method, the URL, the host and the body, so that the signature is of
/// no use for another request or another host.
pub(super) fn sign(
    request: &HttpRequest,
    credentials: &AwsCredentials,
    region: &str,
) -> Result<Vec<(String, Secret)>, String> {
    let identity = Credentials::new(
        &credentials.access_key,
        credentials.secret.expose(),
        credentials.session_token.as_ref().map(|token| token.expose().to_owned()),
        None,
        "toolsmith",
    )
    .into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(SystemTime::now())
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| error.to_string())?
        .into();
    let (method, body) = match &request.body {
        Some(body) => ("POST", SignableBody::Bytes(body)),
        None => ("GET", SignableBody::Bytes(&[])),
    };
    let signable = SignableRequest::new(method, request.url.as_str(), std::iter::empty(), body)
        .map_err(|error| error.to_string())?;
    let (instructions, _) = sign_request(signable, &params).map_err(|error| error.to_string())?.into_parts();
    let headers = instructions.headers();
    Ok(headers.map(|(name, value)| (name.to_owned(), Secret::new(value))).collect())
}
