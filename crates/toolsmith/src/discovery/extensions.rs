//! Discovery of extensions: directories of Toolsmith and compatible agents, installed plugins, and configured paths.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use super::{
    ModuleKind, Scope, ToolSource,
    configured::take_named,
    found::Finder,
    plugins::{self, MANIFEST_FIELDS, OneOrMany, read_json, take_tool},
    providers::{PROVIDERS, places},
    scan::scan,
};
use crate::plugins::expand_patterns;

/// Name of the directory and of the manifest's field.
pub(super) const EXTENSIONS: &str = "extensions";

/// Finds extensions in load order: directories, plugins, settings, command line.
pub(super) fn find(finder: &mut Finder<'_>) {
    if finder.options.settings.extensions.enabled {
        finder.looking_for = ModuleKind::Extension;
        for provider in PROVIDERS.iter().filter(|provider| provider.extensions) {
            let Some((project, user)) = provider.folders else { continue };
            if !finder.options.settings.discovery.is_on(provider.id) {
                continue;
            }
            let source = |scope| ToolSource::new(provider.id, provider.name, scope);
            let (project, user) = places(finder, project, user, EXTENSIONS);
            if let Some(project) = project {
                scan(finder, &project, &source(Scope::Project));
            }
            scan(finder, &user, &source(Scope::User));
        }
        plugins::find(finder);
    }
    find_configured(finder);
}

/// Finds only configured extensions.
pub(super) fn find_configured(finder: &mut Finder<'_>) {
    finder.looking_for = ModuleKind::Extension;
    let options = finder.options;
    let settings = options.settings.extensions.paths.iter().filter(|_| options.settings.extensions.enabled);
    for configured in settings.chain(&options.extensions) {
        let path = configured.resolve(options);
        finder.configured(&path);
        let source = configured.source();
        if path.is_dir() && package_extensions(finder, &path, &source).is_some() {
            continue;
        }
        take_named(finder, &path, &source);
    }
    finder.looking_for = ModuleKind::Tool;
}

/// Adds the extensions that the manifest of a directory names; `None` if it names none.
pub(super) fn package_extensions(
    finder: &mut Finder<'_>,
    folder: &Path,
    source: &ToolSource,
) -> Option<usize> {
    let file = folder.join("package.json");
    let package = match read_json::<BTreeMap<String, Value>>(&file) {
        Ok(package) => package?,
        Err(message) => {
            finder.warn(&file, message);
            return None;
        }
    };
    let named = MANIFEST_FIELDS.iter().find_map(|field| package.get(*field)?.get(EXTENSIONS))?;
    let named: OneOrMany = serde_json::from_value(named.clone()).ok()?;
    let paths = expand_patterns(folder, named.into_vec());
    for path in &paths {
        take_tool(finder, folder, &file, path, source);
    }
    Some(paths.len())
}
