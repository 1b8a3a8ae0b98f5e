//! Where a provider is, for sessions to remember: enough to ask the same one again, and never a key.

use serde::{Deserialize, Serialize};

use crate::config::{ApiKind, KeySource, ProviderConfig};

/// The place requests are sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Endpoint {
    /// The provider's name.
    pub provider: String,
    /// The wire it speaks.
    pub api: ApiKind,
    /// Its URL, without credentials.
    pub base_url: String,
    /// Set if requests carried a secret: a key, a header, or credentials in the URL.
    #[serde(default = "yes")]
    pub uses_key: bool,
}

/// Default for a record without the field.
fn yes() -> bool {
    true
}

impl Endpoint {
    pub(crate) fn of(config: &ProviderConfig) -> Self {
        let base_url = without_credentials(&config.base_url);
        let uses_key =
            config.key != KeySource::None || !config.headers.is_empty() || base_url != config.base_url;
        Self { provider: config.name.clone(), api: config.api, base_url, uses_key }
    }

    /// Returns whether both are the same provider at the same place.
    pub fn is_same_place(&self, other: &Self) -> bool {
        let place = |of: &Self| (of.provider.clone(), of.api, of.base_url.trim_end_matches('/').to_owned());
        place(self) == place(other)
    }
}

/// Escapes a text for a part of a URL. Letters, digits, `-`, `_`, `.` and the characters in `plain` stay as they are.
pub(crate) fn escaped(text: &str, plain: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte) || plain.contains(byte);
    text.bytes()
        .map(|byte| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// The URL without user, password, query and fragment: each may hold a secret.
fn without_credentials(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
