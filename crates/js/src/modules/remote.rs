//! Module requests of a sidecar: it resolves and runs files itself, and asks for what only the host knows.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use serde_json::{Value, json};

use super::{
    resolve::Target,
    store::ModuleStore,
    transform::{self, Format, Prepared, line_and_column},
};
use crate::instance::HostError;

impl ModuleStore {
    /// Resolves an import that the other runtime did not find: to a file, or to a host module and the requested names.
    pub(crate) fn resolve_remote(&self, importer: &str, specifier: &str) -> Result<Value, HostError> {
        let target = self.resolve_file(Path::new(importer), specifier, false).map_err(|missing| {
            let error = HostError::new(missing.message).with("code", "ERR_MODULE_NOT_FOUND");
            match missing.package {
                Some(package) => error.with("missingPackage", package),
                None => error,
            }
        })?;
        Ok(match target {
            Target::File(path) => json!({ "file": path }),
            Target::Builtin(name) if !is_the_runtimes(&name) => {
                json!({ "builtin": name, "names": wanted(importer, specifier) })
            }
            Target::Elsewhere | Target::Builtin(_) => {
                let message = format!("{specifier} is not available in this runtime");
                return Err(HostError::new(message).with("code", "ERR_UNKNOWN_BUILTIN_MODULE"));
            }
        })
    }

    /// Returns a file as JavaScript. `to_common_js` is for a required file.
    pub(crate) fn transform_remote(&self, name: &str, to_common_js: bool) -> Result<Value, HostError> {
        let path = Path::new(name);
        let text = std::fs::read_to_string(path)
            .map_err(|error| HostError::new(format!("Cannot read {name}: {error}")).with("fileName", name))?;
        let source: Arc<str> = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
        let as_common_js = to_common_js.then_some(Format::CommonJs);
        let Prepared { code, format, imports, .. } = transform::prepare_as(path, &source, as_common_js)
            .map_err(|problem| {
                let (line, column) = line_and_column(&source, problem.offset);
                HostError::of_class("SyntaxError", problem.message)
                    .with("name", "SyntaxError")
                    .with("fileName", name)
                    .with("lineNumber", line)
                    .with("columnNumber", column)
                    .with("hint", problem.help)
            })?;
        let code = code.unwrap_or_else(|| source.to_string());
        let served = self.served(path, &imports);
        self.remember_as(name, source, imports, format);
        Ok(json!({ "code": code, "isModule": format == Format::EsModule, "served": served }))
    }

    /// Returns the host packages a file imports: those not installed beside it.
    fn served(&self, path: &Path, imports: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, Value> {
        let bare = imports.iter().filter(|(specifier, _)| !specifier.starts_with(['.', '/', '#']));
        bare.filter_map(|(specifier, names)| match self.resolve_file(path, specifier, false) {
            Ok(Target::Builtin(name)) if !is_the_runtimes(&name) => {
                Some((specifier.clone(), json!({ "builtin": name, "names": names })))
            }
            _ => None,
        })
        .collect()
    }
}

/// Returns whether a real runtime itself has, or lacks, the module.
fn is_the_runtimes(name: &str) -> bool {
    name.starts_with("toolsmith:node/") || name.starts_with("toolsmith:bun/")
}

/// Returns the names a file imports by one specifier.
fn wanted(importer: &str, specifier: &str) -> Vec<String> {
    let imports: BTreeMap<String, Vec<String>> = std::fs::read_to_string(importer)
        .ok()
        .and_then(|source| transform::prepare(Path::new(importer), &source).ok())
        .map(|prepared| prepared.imports)
        .unwrap_or_default();
    imports.get(specifier).cloned().unwrap_or_default()
}
