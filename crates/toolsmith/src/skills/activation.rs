//! The text of a skill that is used: its instructions, where its files are, and the arguments of the user.

use std::{fs, io, path::Path};

use toolsmith_middleware::front_matter::body;

use super::{SCHEME, SKILL_FILE, Skill};
use crate::small_file;

/// Files of a skill that are named, and how deep they may lie.
const MAX_FILES: usize = 60;
const MAX_DEPTH: usize = 3;

/// Returns the instructions of a skill with its directory and files. `arguments` are those of the user who invoked it.
///
/// # Errors
/// Fails if its file cannot be read any more.
pub(crate) fn activate(skill: &Skill, arguments: Option<&str>) -> io::Result<String> {
    let bytes = small_file::read_within(&skill.file, &skill.folder)?;
    let text = String::from_utf8_lossy(&bytes);
    let body = body(&text).trim();
    let folder = skill.folder.display().to_string();
    let mut body = body.replace("${CLAUDE_SKILL_DIR}", &folder).replace("{baseDir}", &folder);
    let arguments = arguments.map(str::trim).filter(|arguments| !arguments.is_empty());
    let takes_arguments = body.contains("$ARGUMENTS");
    if takes_arguments {
        body = body.replace("$ARGUMENTS", arguments.unwrap_or_default());
    }
    let name = &skill.name;
    let mut text = format!("<skill name=\"{name}\" folder=\"{folder}\">\n{body}\n");
    let files = files(&skill.folder);
    if !files.is_empty() {
        text.push_str(&format!(
            "\nFiles of this skill (read with path \"{SCHEME}{name}/FILE\"): {}\n",
            files.join(", ")
        ));
    }
    text.push_str("</skill>");
    if let Some(arguments) = arguments.filter(|_| !takes_arguments) {
        text.push_str(&format!("\n\nUser: {arguments}"));
    }
    Ok(text)
}

/// Returns the files of a skill, relative to it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((next, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten().take(MAX_FILES * 4) {
            let (Ok(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str().map(str::to_owned))
            else {
                continue;
            };
            if name.starts_with('.') || matches!(name.as_str(), "node_modules" | "__pycache__") {
                continue;
            }
            // Links are not followed here; `read` decides where one leads.
            if kind.is_dir() && depth + 1 < MAX_DEPTH {
                folders.push((entry.path(), depth + 1));
            } else if kind.is_file()
                && let Ok(relative) = entry.path().strip_prefix(folder)
                && relative != Path::new(SKILL_FILE)
            {
                found.push(relative.display().to_string());
            }
        }
        if found.len() > MAX_FILES {
            break;
        }
    }
    found.sort();
    if found.len() > MAX_FILES {
        found.truncate(MAX_FILES);
        found.push("…".to_owned());
    }
    found
}
