//! Resolution of specifiers: files by Node's rules with TypeScript's extensions, and host packages.

use std::path::{Path, PathBuf};

use oxc_resolver::{ResolveContext, ResolveError, ResolveOptions, Resolver, TsConfig, TsconfigDiscovery};

use toolsmith_host::regular_file::read_regular;

use super::{
    packages::{is_runtime_module, node_module, served_by_host},
    store::lexical,
    workspace,
};
use crate::definitions::Observed;

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
    /// For names that only the `paths` of a `tsconfig.json` explain.
    paths: Resolver,
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
        let discovered =
            ResolveOptions { tsconfig: Some(TsconfigDiscovery::Auto), ..options("import", OWN_EXTENSIONS) };
        let paths = import.clone_with_options(discovered);
        Self { own: Pair { import, require }, packages, paths }
    }

    /// Resolves a specifier for `importer`. What the result depends on is added to `observed`.
    pub(crate) fn resolve(
        &self,
        importer: &Path,
        specifier: &str,
        by_require: bool,
        observed: &mut Observed,
    ) -> Result<Target, NotFound> {
        if let Some(path) = specifier.strip_prefix("file://") {
            let path = file_url_path(path);
            if !path.is_file() {
                observed.note_files(std::iter::once(path.clone()));
            }
            return Ok(Target::File(path));
        }
        if let Some(module) = node_module(specifier) {
            return Ok(Target::Builtin(module));
        }
        let folder = importer.parent().unwrap_or(Path::new("/"));
        let in_package = importer.components().any(|part| part.as_os_str() == "node_modules");
        let pair = if in_package { &self.packages } else { &self.own };
        let resolver = if by_require { &pair.require } else { &pair.import };
        let mut context = ResolveContext::default();
        let resolved = resolver.resolve_with_context(folder, specifier, None, &mut context);
        observed.note_resolution(context);
        match resolved {
            Ok(resolution) => Ok(Target::File(resolution.into_path_buf())),
            Err(error) => match served_by_host(specifier) {
                Some(module) => Ok(Target::Builtin(module.to_owned())),
                None if is_runtime_module(specifier) => Ok(Target::Elsewhere),
                None => {
                    // These look further than is recorded.
                    observed.read_surroundings = true;
                    let elsewhere = (!in_package && !specifier.starts_with(['.', '/', '#']))
                        .then(|| self.resolve_in_project(importer, specifier, resolver, observed))
                        .flatten();
                    elsewhere.map(Target::File).ok_or_else(|| not_found(importer, specifier, &error))
                }
            },
        }
    }
}

impl FileResolver {
    /// Resolves what is not installed: by the `paths` of the nearest `tsconfig.json`, or as a package of the same workspace.
    fn resolve_in_project(
        &self,
        importer: &Path,
        specifier: &str,
        resolver: &Resolver,
        observed: &mut Observed,
    ) -> Option<PathBuf> {
        let mut context = ResolveContext::default();
        let mut resolve = |resolver: &Resolver, folder: &Path, specifier: &str, config: Option<&TsConfig>| {
            let found = resolver.resolve_with_context(folder, specifier, config, &mut context);
            found.ok().map(oxc_resolver::Resolution::into_path_buf)
        };
        let config = self.paths.find_tsconfig(importer).ok();
        let mut found =
            config.and_then(|config| resolve(&self.paths, importer.parent()?, specifier, config.as_deref()));
        if found.is_none()
            && let Some(folder) = workspace::package_folder(importer, &package_name(specifier))
        {
            // A package finds itself by its own name if it has `exports`.
            let rest = specifier.strip_prefix(package_name(specifier).as_str()).unwrap_or_default();
            let within = format!(".{rest}");
            found = resolve(resolver, &folder, specifier, None)
                .or_else(|| resolve(resolver, &folder, &within, None));
        }
        observed.note_resolution(context);
        for folder in importer.ancestors().skip(1) {
            observed.note_files(PROJECT_FILES.iter().map(|name| folder.join(name)));
            observed.note_files(named_configs(&folder.join(TSCONFIG)).into_iter());
        }
        found
    }
}

/// Returns the files that a `tsconfig.json` and those it extends or refers to may name, whether they exist or not.
fn named_configs(config: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![config.to_path_buf()];
    while let Some(config) = open.pop().filter(|_| found.len() < MAX_CONFIGS) {
        let Ok(bytes) = read_regular(&config, MAX_CONFIG_BYTES) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let folder = config.parent().unwrap_or(Path::new("/"));
        // Every text in it, because comments make it no JSON. Names of packages lead to `node_modules`.
        for name in text.split('"').filter(|part| part.starts_with(['.', '/']) && !part.contains(['\n', '*']))
        {
            let path = lexical(&folder.join(name));
            let with_extension = PathBuf::from(format!("{}.json", path.display()));
            for candidate in [path.join(TSCONFIG), with_extension, path] {
                let is_config = candidate.extension().is_some_and(|extension| extension == "json");
                if is_config && !found.contains(&candidate) {
                    open.push(candidate.clone());
                    found.push(candidate);
                }
            }
        }
    }
    found
}

/// The name of the package in a bare specifier.
fn package_name(specifier: &str) -> String {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    specifier.split('/').take(parts).collect::<Vec<_>>().join("/")
}

/// Files that say what a name means that is not installed.
const TSCONFIG: &str = "tsconfig.json";
/// Configuration files that one names with all that those name, and bytes of one that are read.
const MAX_CONFIGS: usize = 100;
const MAX_CONFIG_BYTES: u64 = 1 << 20;
const PROJECT_FILES: [&str; 3] = [TSCONFIG, "package.json", "pnpm-workspace.yaml"];
const OWN_EXTENSIONS: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"];
const PACKAGE_EXTENSIONS: &[&str] = &[".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

fn options(condition: &str, extensions: &[&str]) -> ResolveOptions {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let alias = |from: &str, to: &[&str]| (from.to_owned(), texts(to));
    ResolveOptions {
        condition_names: texts(&["node", condition, "module-sync", "default"]),
        extensions: texts(extensions),
        // TypeScript sources import the name of the compiled file.
        extension_alias: vec![
            alias(".js", &[".js", ".ts", ".tsx"]),
            alias(".jsx", &[".jsx", ".tsx"]),
            alias(".mjs", &[".mjs", ".mts"]),
            alias(".cjs", &[".cjs", ".cts"]),
        ],
        main_fields: texts(&["main"]),
        main_files: texts(&["index"]),
        ..ResolveOptions::default()
    }
}

fn not_found(importer: &Path, specifier: &str, error: &ResolveError) -> NotFound {
    if specifier.starts_with("node:") || specifier.starts_with("bun:") {
        let message = format!("No such built-in module: {specifier} (imported from {})", importer.display());
        return NotFound { message, package: None };
    }
    let is_alias = is_path_alias(importer, specifier);
    let is_bare = !specifier.starts_with(['.', '/', '#']) && !is_alias;
    let kind = if is_bare { "package" } else { "module" };
    let detail = match error {
        ResolveError::NotFound(_) | ResolveError::MatchedAliasNotFound(..) => String::new(),
        other => format!(": {other}"),
    };
    let package = is_bare.then(|| package_name(specifier));
    NotFound {
        message: format!("Cannot find {kind} '{specifier}' imported from {}{detail}", importer.display()),
        package,
    }
}

/// Returns whether a bare specifier is a path alias: npm has no package of such a name, or a `tsconfig.json` above the importer
/// lists its first part under `paths`.
fn is_path_alias(importer: &Path, specifier: &str) -> bool {
    if specifier.starts_with("@/") || specifier.starts_with('~') {
        return true;
    }
    let first = specifier.split('/').next().unwrap_or_default();
    let keys = [format!("\"{first}/*\""), format!("\"{first}\""), format!("\"{specifier}\"")];
    let names = ["tsconfig.json", "jsconfig.json"];
    let configured = importer.ancestors().skip(1).flat_map(|folder| names.map(|name| folder.join(name)));
    let mut texts = configured.filter_map(|path| std::fs::read_to_string(path).ok());
    texts.any(|text| {
        let paths = text.split_once("\"paths\"").map_or("", |(_, rest)| rest);
        keys.iter().any(|key| paths.contains(key.as_str()))
    })
}

/// Returns the path of a `file://` URL.
pub(crate) fn file_url_path(address: &str) -> PathBuf {
    let full = format!("file://{address}");
    url::Url::parse(&full)
        .ok()
        .and_then(|url| url.to_file_path().ok())
        .unwrap_or_else(|| PathBuf::from(address))
}
