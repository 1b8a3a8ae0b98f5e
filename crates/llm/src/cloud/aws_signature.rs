//! Signatures of requests to AWS (Signature Version 4). The packages of AWS's own SDK that do this would be fifteen of all that
//! the program needs, for one algorithm with published test vectors.

use std::fmt::Write as _;

use jiff::{Timestamp, tz::TimeZone};
use ring::{
    digest::{SHA256, digest},
    hmac,
};
use url::Url;

use super::aws_credentials::AwsCredentials;
use crate::{http::HttpRequest, secret::Secret};

/// Name of the service in signatures.
const SERVICE: &str = "bedrock";
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Returns the headers that sign a request. They cover the method, the URL, the host and the body, so that the signature is of
/// no use for another request or another host.
pub(super) fn sign(
    request: &HttpRequest,
    credentials: &AwsCredentials,
    region: &str,
) -> Result<Vec<(String, Secret)>, String> {
    let (method, body) = match &request.body {
        Some(body) => ("POST", body.to_bytes()),
        None => ("GET", Vec::new()),
    };
    let scope = Scope { region, service: SERVICE, time: Timestamp::now() };
    scope.sign(method, request.url.as_str(), &body, credentials)
}

/// The validity of a signature, besides the request.
struct Scope<'a> {
    region: &'a str,
    service: &'a str,
    time: Timestamp,
}

impl Scope<'_> {
    fn sign(
        &self,
        method: &str,
        url: &str,
        body: &[u8],
        credentials: &AwsCredentials,
    ) -> Result<Vec<(String, Secret)>, String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let host = url.host_str().ok_or("the URL has no host")?;
        // A port is part of the header only if it is not the usual one, as the HTTP library sends it.
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let time = self.time.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ").to_string();
        let day = time.get(..8).unwrap_or_default();
        let token = credentials.session_token.as_ref().map(Secret::expose);
        let mut signed = vec![("host", host.as_str()), ("x-amz-date", time.as_str())];
        signed.extend(token.map(|token| ("x-amz-security-token", token)));
        let names = signed.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = signed.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let canonical = format!(
            "{method}\n{}\n{}\n{lines}\n{names}\n{}",
            encode(url.path(), "/"),
            canonical_query(&url),
            hex(digest(&SHA256, body).as_ref()),
        );
        let scope = format!("{day}/{}/{}/aws4_request", self.region, self.service);
        let text =
            format!("{ALGORITHM}\n{time}\n{scope}\n{}", hex(digest(&SHA256, canonical.as_bytes()).as_ref()));
        let mut key = format!("AWS4{}", credentials.secret.expose()).into_bytes();
        for part in [day, self.region, self.service, "aws4_request"] {
            key = keyed_hash(&key, part);
        }
        let signature = hex(&keyed_hash(&key, &text));
        let authorization = format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            credentials.access_key
        );
        let mut headers = vec![
            ("x-amz-date".to_owned(), Secret::new(time.clone())),
            ("authorization".to_owned(), Secret::new(authorization)),
        ];
        headers.extend(token.map(|token| ("x-amz-security-token".to_owned(), Secret::new(token))));
        Ok(headers)
    }
}

fn keyed_hash(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

/// Returns the parameters of a URL in the order of their encoded names and values.
fn canonical_query(url: &Url) -> String {
    let pairs = url.query_pairs().map(|(name, value)| (encode(&name, ""), encode(&value, "")));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// Encodes everything but letters, digits, `-`, `.`, `_`, `~` and the characters of `kept`. A path is encoded although the URL
/// has it encoded already: every service but S3 expects that.
fn encode(text: &str, kept: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ if kept.as_bytes().contains(&byte) => encoded.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => _ = write!(encoded, "%{byte:02X}"),
        }
    }
    encoded
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
#[path = "aws_signature_tests.rs"]
mod tests;
