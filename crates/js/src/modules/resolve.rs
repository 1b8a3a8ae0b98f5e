//! Specifiers to modules: files by Node's rules with TypeScript's extensions, and what the host serves.

use std::path::{Path, PathBuf};

use oxc_resolver::{ResolveError, ResolveOptions, Resolver};

use super::packages::{node_module, served_by_host};

/// What a specifier leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module of the host.
    Builtin(String),
    File(PathBuf),
}

/// Nothing was found.
#[derive(Debug)]
pub(crate) struct NotFound {
    pub(crate) message: String,
    /// The package that may be missing, for a hint.
    pub(crate) package: Option<String>,
}

/// Resolves for `import` and for `require`, which packages may answer differently.
pub(crate) struct FileResolver {
    import: Resolver,
    require: Resolver,
}

impl FileResolver {
    pub(crate) fn new() -> Self {
        let import = Resolver::new(options("import"));
        let require = import.clone_with_options(options("require"));
        Self { import, require }
    }

    /// Resolves what `importer` asks for.
    pub(crate) fn resolve(
        &self,
        importer: &Path,
        specifier: &str,
        by_require: bool,
    ) -> Result<Target, NotFound> {
        if let Some(path) = specifier.strip_prefix("file://") {
            return Ok(Target::File(file_url_path(path)));
        }
        if let Some(module) = node_module(specifier) {
            return Ok(Target::Builtin(module));
        }
        let folder = importer.parent().unwrap_or(Path::new("/"));
        let resolver = if by_require { &self.require } else { &self.import };
        match resolver.resolve(folder, specifier) {
            Ok(resolution) => Ok(Target::File(resolution.into_path_buf())),
            Err(error) => match served_by_host(specifier) {
                Some(module) => Ok(Target::Builtin(module.to_owned())),
                None => Err(not_found(importer, specifier, &error)),
            },
        }
    }
}

fn options(condition: &str) -> ResolveOptions {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let alias = |from: &str, to: &[&str]| (from.to_owned(), texts(to));
    ResolveOptions {
        condition_names: texts(&["node", condition, "module-sync", "default"]),
        extensions: texts(&[".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"]),
        // Source that was written to be compiled names what it will be compiled to.
        extension_alias: vec![
            alias(".js", &[".js", ".ts"]),
            alias(".mjs", &[".mjs", ".mts"]),
            alias(".cjs", &[".cjs", ".cts"]),
        ],
        main_fields: texts(&["main"]),
        main_files: texts(&["index"]),
        ..ResolveOptions::default()
    }
}

fn not_found(importer: &Path, specifier: &str, error: &ResolveError) -> NotFound {
    let is_bare = !specifier.starts_with(['.', '/', '#']);
    let kind = if is_bare { "package" } else { "module" };
    let detail = match error {
        ResolveError::NotFound(_) | ResolveError::MatchedAliasNotFound(..) => String::new(),
        other => format!(": {other}"),
    };
    let package = is_bare.then(|| {
        let parts = if specifier.starts_with('@') { 2 } else { 1 };
        specifier.split('/').take(parts).collect::<Vec<_>>().join("/")
    });
    NotFound {
        message: format!("Cannot find {kind} '{specifier}' imported from {}{detail}", importer.display()),
        package,
    }
}

/// The path of a `file://` address, without its prefix.
pub(crate) fn file_url_path(address: &str) -> PathBuf {
    let full = format!("file://{address}");
    url::Url::parse(&full)
        .ok()
        .and_then(|url| url.to_file_path().ok())
        .unwrap_or_else(|| PathBuf::from(address))
}
