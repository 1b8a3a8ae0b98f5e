//! Checks AWS signatures (Signature Version 4) from their description, independently of the library that makes them.

use ring::{digest, hmac};

use super::http::Recorded;

/// Checks that a request is signed with this key for a region and a service, and returns its access key.
///
/// # Errors
/// Fails with the reason if the signature is missing or does not fit the request.
pub fn check_aws_signature(
    request: &Recorded,
    secret: &str,
    region: &str,
    service: &str,
) -> Result<String, String> {
    let header = request.header("authorization").ok_or("there is no authorization header")?;
    let fields = header.strip_prefix("AWS4-HMAC-SHA256 ").ok_or("the algorithm is another one")?;
    let field = |name: &str| {
        let found = fields.split(',').find_map(|field| field.trim().strip_prefix(name)?.strip_prefix('='));
        found.ok_or_else(|| format!("{name} is missing"))
    };
    let (credential, signed, signature) =
        (field("Credential")?, field("SignedHeaders")?, field("Signature")?);
    let time = request.header("x-amz-date").ok_or("there is no date")?;
    let day = time.get(..8).ok_or("the date is too short")?;
    let scope = format!("{day}/{region}/{service}/aws4_request");
    let (access_key, found) = credential.split_once('/').ok_or("the credential has no scope")?;
    if found != scope {
        return Err(format!("the scope is {found}, not {scope}"));
    }
    for needed in ["host", "x-amz-date"] {
        if !signed.split(';').any(|name| name == needed) {
            return Err(format!("{needed} is not signed"));
        }
    }
    if request.header("x-amz-security-token").is_some() && !signed.contains("x-amz-security-token") {
        return Err("the session token is not signed".to_owned());
    }
    let mut canonical_headers = String::new();
    for name in signed.split(';') {
        let value = request.header(name).ok_or_else(|| format!("the signed header {name} is missing"))?;
        canonical_headers += &format!("{name}:{value}\n");
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let mut query: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let canonical = format!(
        "{}\n{}\n{}\n{canonical_headers}\n{signed}\n{}",
        request.method,
        encode_path(path),
        query.join("&"),
        hex(digest::digest(&digest::SHA256, &request.raw_body).as_ref()),
    );
    let hashed = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashed}");
    let mut key = format!("AWS4{secret}").into_bytes();
    for part in [day, region, service, "aws4_request"] {
        key = mac(&key, part.as_bytes());
    }
    match hex(&mac(&key, text.as_bytes())) == signature {
        true => Ok(access_key.to_owned()),
        false => Err(format!("the signature does not fit this request:\n{canonical}")),
    }
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text).as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The path as it was sent, encoded once more, as all services but one want it.
fn encode_path(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}
