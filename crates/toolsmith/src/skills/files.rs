//! Skills as `read` opens them: `skill://` lists them, `skill://NAME` is the text of one, and `skill://NAME/FILE` is a file in
//! its directory. Nothing outside the directory can be read this way (CONTRACT 11.3).

use std::{
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::json;
use toolsmith_agent::{OpenedName, ReadNames};
use toolsmith_host::regular_file::open_within;
use toolsmith_tool::closest_names;

use super::{SCHEME, Skills, activate};

/// Names in a listing.
const MAX_LISTED: usize = 500;

/// Opens skills by name.
pub(crate) struct SkillFiles(pub(crate) Arc<RwLock<Arc<Skills>>>);

impl ReadNames for SkillFiles {
    fn open(&self, written: &str) -> Option<Result<OpenedName, String>> {
        let rest = written.trim().strip_prefix(SCHEME)?;
        Some(self.open_skill(rest))
    }

    fn file(&self, written: &str) -> Option<PathBuf> {
        let rest = written.trim().strip_prefix(SCHEME)?;
        let (name, file) = rest.split_once('/').unwrap_or((rest, ""));
        let skills = self.skills();
        let file = if file.is_empty() { super::SKILL_FILE } else { file };
        Some(skills.get(name)?.folder.join(file))
    }
}

impl SkillFiles {
    fn open_skill(&self, rest: &str) -> Result<OpenedName, String> {
        let (name, file) = rest.split_once('/').unwrap_or((rest, ""));
        if name.is_empty() {
            return Ok(OpenedName::text(self.list()));
        }
        let skills = self.skills();
        let Some(skill) = skills.get(name) else {
            let names: Vec<&str> = skills.list.iter().map(|skill| skill.name.as_str()).collect();
            let closest = closest_names(name, names.iter().copied());
            let hint = match closest.as_slice() {
                [] => format!(" Read \"{SCHEME}\" for a list."),
                closest => format!(" Did you mean {}?", closest.join(" or ")),
            };
            return Err(format!("There is no skill \"{name}\".{hint}"));
        };
        if file.is_empty() || file == super::SKILL_FILE {
            let text = activate(skill, None)
                .map_err(|error| format!("The skill \"{name}\" cannot be read any more: {error}"))?;
            return Ok(OpenedName::text(text).details(json!({ "skill": skill.name })));
        }
        let relative = Path::new(file);
        if relative.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(format!("\"{file}\" is not a file of the skill \"{name}\""));
        }
        let path = skill.folder.join(relative);
        if fs::metadata(&path).is_ok_and(|about| about.is_dir()) {
            return list_folder(&path, &skill.folder, &format!("{SCHEME}{name}/{file}"));
        }
        let opened = open_within(&path, &skill.folder)
            .map_err(|error| format!("\"{file}\" of the skill \"{name}\" cannot be read: {error}"))?;
        Ok(OpenedName::file(opened, format!("{SCHEME}{name}/{file}")))
    }

    fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn list(&self) -> String {
        let skills = self.skills();
        if skills.list.is_empty() {
            return "There are no skills.".to_owned();
        }
        let lines = skills.list.iter().take(MAX_LISTED).map(|skill| {
            let end = skill.description.floor_char_boundary(200);
            format!("{}: {}", skill.name, &skill.description[..end])
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn list_folder(path: &Path, skill: &Path, shown: &str) -> Result<OpenedName, String> {
    let failed = |error: std::io::Error| format!("{shown} cannot be read: {error}");
    let (real, skill) =
        (toolsmith_host::real_path(path).map_err(failed)?, toolsmith_host::real_path(skill).map_err(failed)?);
    if !real.starts_with(&skill) {
        return Err(format!("{shown} is outside the skill"));
    }
    let mut names: Vec<String> = fs::read_dir(&real)
        .map_err(failed)?
        .flatten()
        .take(MAX_LISTED)
        .filter_map(|entry| {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            Some(format!("{}{}", entry.file_name().to_str()?, if is_folder { "/" } else { "" }))
        })
        .collect();
    names.sort();
    Ok(OpenedName::text(names.join("\n")))
}
