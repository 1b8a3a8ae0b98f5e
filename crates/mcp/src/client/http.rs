//! HTTP clients for servers behind a URL.

use std::{collections::BTreeMap, collections::HashMap, time::Duration};

use http::{HeaderName, HeaderValue};
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// Connecting to a server that is there takes far less.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Builds a client for a URL. A local server needs neither a proxy nor certificates, and loading the system's certificates
/// takes longer than its answer.
pub(crate) fn build(url: &str) -> Result<reqwest::Client, String> {
    let parsed = parse(url)?;
    // The process may have installed one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let origin = parsed.origin();
    let same_origin = reqwest::redirect::Policy::custom(move |attempt| {
        // The request carries a token, which must not reach another site.
        if attempt.url().origin() == origin && attempt.previous().len() < 5 {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let builder = reqwest::Client::builder()
        .user_agent(concat!("toolsmith/", env!("CARGO_PKG_VERSION")))
        .redirect(same_origin)
        // A connection whose last response was not read to its end stalls the next request.
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_TIME);
    let is_near = parsed.scheme() == "http";
    let builder = if is_near { builder.no_proxy().tls_certs_only([]) } else { builder };
    builder.build().map_err(|error| error.to_string())
}

/// Checks the URL. A token over plain HTTP to another machine could be read on the way.
pub(crate) fn parse(url: &str) -> Result<url::Url, String> {
    let parsed = url::Url::parse(url).map_err(|error| format!("\"{url}\" is not a URL: {error}"))?;
    match (parsed.scheme(), parsed.host_str()) {
        ("https", Some(_)) => Ok(parsed),
        ("http", Some(host)) if is_loopback(host) => Ok(parsed),
        ("http", Some(_)) => Err(format!(
            "{} must use https, because it is not on this machine",
            parsed.origin().ascii_serialization()
        )),
        _ => Err(format!("\"{url}\" must start with http:// or https://")),
    }
}

pub(crate) fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Converts configured headers.
pub(crate) fn headers(pairs: &BTreeMap<String, String>) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    pairs
        .iter()
        .map(|(name, value)| {
            let key: HeaderName = name.parse().map_err(|_| format!("\"{name}\" is not a header name"))?;
            let mut value: HeaderValue = value
                .parse()
                .map_err(|_| format!("the header \"{name}\" has characters that are not allowed"))?;
            value.set_sensitive(true);
            Ok((key, value))
        })
        .collect()
}

/// Returns the scope that a server asks for in its refusal of a request.
pub(crate) fn wanted_scope(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Option<String> {
    let refusal = error.downcast_ref::<StreamableHttpError<reqwest::Error>>()?;
    let challenge = refusal.auth_challenge()?;
    let (_, rest) = challenge.split_once("scope=")?;
    let scope = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ' ']).next(),
    };
    scope.filter(|scope| !scope.is_empty()).map(str::to_owned)
}
