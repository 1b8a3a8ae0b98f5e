//! The hooks of a plugin, for people who decide about it.

use std::path::PathBuf;

use toolsmith_middleware::hooks::{Handler, Hook};

use super::{entries, files::files_of_plugin};
use crate::plugins::InstalledPlugin;

/// A hook of a plugin, or what is not usable as one.
pub(crate) enum HookPart {
    /// A hook.
    Hook {
        /// Its event.
        event: &'static str,
        /// Everything that it runs.
        what: String,
    },
    /// A file, or an entry of it, that is not usable.
    NotUsable {
        /// The file.
        file: PathBuf,
        /// The reason.
        problem: String,
    },
}

/// Returns the hooks of a plugin as they would be loaded, with the variable for its directory as written.
pub(crate) fn hooks_of_plugin(plugin: &InstalledPlugin) -> Vec<HookPart> {
    let mut parts = Vec::new();
    for file in files_of_plugin(plugin, None) {
        let parsed = match file.read(None) {
            Ok(Some(read)) => entries::parse(&read, &file),
            Ok(None) => continue,
            Err(problem) => {
                parts.push(HookPart::NotUsable { file: file.path, problem });
                continue;
            }
        };
        parts.extend(
            parsed
                .drafts
                .into_iter()
                .map(|draft| HookPart::Hook { event: draft.hook.event.as_str(), what: what(&draft.hook) }),
        );
        let problems = parsed.problems.into_iter();
        parts.extend(
            problems.map(|problem| HookPart::NotUsable { file: file.path.clone(), problem: problem.message }),
        );
    }
    parts
}

fn what(hook: &Hook) -> String {
    match &hook.handler {
        Handler::Shell { command } => command.clone(),
        Handler::Program { program, args } => {
            std::iter::once(program).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Handler::Http { url, headers, allowed_env } => {
            let mut text = url.clone();
            for (name, value) in headers {
                text.push_str(&format!("; header {name}={value}"));
            }
            for variable in allowed_env {
                text.push_str(&format!("; may send the variable {variable}"));
            }
            text
        }
        _ => hook.label(),
    }
}
