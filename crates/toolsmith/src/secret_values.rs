//! Secrets of the environment, which are kept out of recordings.

use toolsmith_tool::is_secret_name;

/// Returns the values of environment variables with secret names.
pub fn secret_values() -> Vec<String> {
    let texts = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value).collect()
}
