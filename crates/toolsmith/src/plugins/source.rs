//! Sources of plugins, as people write them and as lock files record them.

use std::{fmt, path::PathBuf};

use super::error::PluginError;

/// The source of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginSource {
    /// A package of the npm registry: name, and a version or tag.
    Npm(String),
    /// A git repository.
    Git {
        /// URL.
        url: String,
        /// Branch, tag or commit.
        reference: Option<String>,
        /// Directory in the repository.
        folder: Option<String>,
    },
    /// A directory.
    Path(PathBuf),
    /// A plugin of a marketplace that was added before.
    Marketplace {
        /// Name of the plugin.
        plugin: String,
        /// Name of the marketplace.
        marketplace: String,
    },
}

impl PluginSource {
    /// Reads a source. `resolve` makes a written path absolute.
    ///
    /// # Errors
    /// Fails if it is none.
    pub fn parse(text: &str, resolve: impl Fn(&str) -> PathBuf) -> Result<Self, PluginError> {
        let unknown = || PluginError::UnknownSource(text.to_owned());
        let written = text.trim();
        // Neither npm nor git may take it for an option.
        let is_plain = |value: &str| {
            !value.is_empty() && !value.starts_with('-') && !value.contains(char::is_whitespace)
        };
        if let Some(package) = written.strip_prefix("npm:") {
            return is_plain(package).then(|| Self::Npm(package.to_owned())).ok_or_else(unknown);
        }
        let git = written.strip_prefix("git:").or_else(|| written.strip_prefix("git+"));
        let github = written.strip_prefix("github:").map(|name| format!("https://github.com/{name}"));
        let is_url =
            written.starts_with("https://") || written.starts_with("ssh://") || written.starts_with("git@");
        if let Some(url) =
            github.or_else(|| git.map(str::to_owned)).or_else(|| is_url.then(|| written.to_owned()))
        {
            let (url, reference) = match url.split_once('#') {
                Some((url, reference)) => (url.to_owned(), Some(reference.to_owned())),
                None => (url, None),
            };
            if !is_plain(&url) {
                return Err(unknown());
            }
            // `git:github.com/owner/name` needs a scheme; a path of a local repository does not.
            let has_scheme =
                url.contains("://") || url.starts_with("git@") || url.starts_with(['/', '.', '~']);
            let url = match () {
                () if has_scheme && url.starts_with(['.', '~']) => resolve(&url).display().to_string(),
                () if has_scheme => url,
                () => format!("https://{url}"),
            };
            let is_safe = is_plain(&url) && !url.contains("::") && reference.as_deref().is_none_or(is_plain);
            return is_safe.then_some(Self::Git { url, reference, folder: None }).ok_or_else(unknown);
        }
        if written.starts_with(['/', '.', '~']) || written.starts_with("path:") {
            let path = written.strip_prefix("path:").unwrap_or(written);
            return Ok(Self::Path(resolve(path)));
        }
        match written.split_once('@') {
            Some((plugin, marketplace)) if is_plain(plugin) && is_plain(marketplace) => {
                Ok(Self::Marketplace { plugin: plugin.to_owned(), marketplace: marketplace.to_owned() })
            }
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for PluginSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm(package) => write!(f, "npm:{package}"),
            Self::Git { url, reference, folder } => {
                write!(f, "git:{url}")?;
                if let Some(reference) = reference {
                    write!(f, "#{reference}")?;
                }
                match folder {
                    Some(folder) => write!(f, " ({folder})"),
                    None => Ok(()),
                }
            }
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Marketplace { plugin, marketplace } => write!(f, "{plugin}@{marketplace}"),
        }
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
