//! Resolution of specifiers: files by Node's rules with TypeScript's extensions, and host packages.

use std::path::{Path, PathBuf};

use oxc_resolver::{ResolveError, ResolveOptions, Resolver};

use super::packages::{is_runtime_module, node_module, served_by_host};

/// Target of a specifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A host module.
    Builtin(String),
    /// A Node or Bun module that is not built in.
    Elsewhere,
    File(PathBuf),
}

/// Nothing was found.
#[derive(Debug)]
pub(crate) struct NotFound {
    pub(crate) message: String,
    /// The package that may be missing, for a hint.
    pub(crate) package: Option<String>,
}

/// Resolvers for `import` and `require`, for which packages may differ.
pub(crate) struct FileResolver {
    /// For an author's own files: TypeScript first.
    own: Pair,
    /// For package files, which ship TypeScript beside the compiled code.
    packages: Pair,
}

struct Pair {
    import: Resolver,
    require: Resolver,
}

impl FileResolver {
    pub(crate) fn new() -> Self {
        let import = Resolver::new(options("import", OWN_EXTENSIONS));
        let with = |condition, extensions| import.clone_with_options(options(condition, extensions));
        let packages =
            Pair { import: with("import", PACKAGE_EXTENSIONS), require: with("require", PACKAGE_EXTENSIONS) };
        let require = with("require", OWN_EXTENSIONS);
        Self { own: Pair { import, require }, packages }
    }

    /// Resolves a specifier for `importer`.
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
        let in_package = importer.components().any(|part| part.as_os_str() == "node_modules");
        let pair = if in_package { &self.packages } else { &self.own };
        let resolver = if by_require { &pair.require } else { &pair.import };
        match resolver.resolve(folder, specifier) {
            Ok(resolution) => Ok(Target::File(resolution.into_path_buf())),
            Err(error) => match served_by_host(specifier) {
                Some(module) => Ok(Target::Builtin(module.to_owned())),
                None if is_runtime_module(specifier) => Ok(Target::Elsewhere),
                None => Err(not_found(importer, specifier, &error)),
            },
        }
    }
}

const OWN_EXTENSIONS: &[&str] = &[".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];
const PACKAGE_EXTENSIONS: &[&str] = &[".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

fn options(condition: &str, extensions: &[&str]) -> ResolveOptions {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let alias = |from: &str, to: &[&str]| (from.to_owned(), texts(to));
    ResolveOptions {
        condition_names: texts(&["node", condition, "module-sync", "default"]),
        extensions: texts(extensions),
        // TypeScript sources import the name of the compiled file.
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

/// Returns the path of a `file://` URL.
pub(crate) fn file_url_path(address: &str) -> PathBuf {
    let full = format!("file://{address}");
    url::Url::parse(&full)
        .ok()
        .and_then(|url| url.to_file_path().ok())
        .unwrap_or_else(|| PathBuf::from(address))
}
