//! One skill, read leniently: a skill with a fault that does not matter is loaded, and the fault is reported.

use std::path::{Path, PathBuf};

use toolsmith_middleware::front_matter::{Fields, flag, split, texts};

use crate::{allowed_tools::split_tools, discovery::ToolSource};

/// Longest name and description that the specification allows.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

/// A skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skill {
    /// Name, with that of its plugin in front: `plugin:name`.
    pub name: String,
    /// Purpose, and when to use it.
    pub description: String,
    /// Its SKILL.md.
    pub file: PathBuf,
    /// Its directory.
    pub folder: PathBuf,
    /// Origin.
    pub source: ToolSource,
    /// Left out of the catalogue; the user can still invoke it.
    pub hidden: bool,
    /// The user can invoke it as a command.
    pub invocable: bool,
    /// Arguments for help.
    pub argument_hint: Option<String>,
    /// Tools that its author wants to run without a question. Only those of the user's own skills count.
    pub allowed_tools: Vec<String>,
}

impl Skill {
    /// Reads a SKILL.md; also returns faults that do not prevent its use.
    ///
    /// # Errors
    /// Returns the reason why it cannot be used.
    pub(crate) fn parse(file: &Path, text: &str, source: &ToolSource) -> Result<(Self, Vec<String>), String> {
        let (fields, _) = split(text).map_err(|error| error.to_string())?;
        let fields = fields.ok_or("it has no front matter with a description")?;
        let mut faults = Vec::new();
        let description = one_line(&text_of(&fields, "description", &mut faults).unwrap_or_default());
        if description.is_empty() {
            return Err("it has no description".to_owned());
        }
        if description.chars().count() > MAX_DESCRIPTION {
            faults.push(format!("its description is longer than {MAX_DESCRIPTION} characters"));
        }
        let folder = file.parent().unwrap_or(file);
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = match text_of(&fields, "name", &mut faults).map(|name| name.trim().to_owned()) {
            Some(name) if !is_usable_name(&name) => {
                faults.push(format!("its name {name:?} cannot be used; \"{folder_name}\" is used instead"));
                folder_name
            }
            Some(name) => {
                if name != folder_name {
                    faults.push(format!("its name \"{name}\" is not that of its directory"));
                }
                if name.chars().count() > MAX_NAME {
                    faults.push(format!("its name is longer than {MAX_NAME} characters"));
                }
                name
            }
            None => folder_name,
        };
        if !is_usable_name(&name) {
            return Err(format!("its name {name:?} cannot be used"));
        }
        let mut is_set = |name: &str| {
            flag(&fields, name).unwrap_or_else(|error| {
                faults.push(error.to_string());
                None
            })
        };
        let hidden = is_set("disable-model-invocation") == Some(true) || is_set("hide") == Some(true);
        let invocable = is_set("user-invocable") != Some(false);
        let tools = texts(&fields, &["allowed-tools"]).unwrap_or_else(|error| {
            faults.push(error.to_string());
            Vec::new()
        });
        let skill = Self {
            name,
            description,
            file: file.to_path_buf(),
            folder: folder.to_path_buf(),
            source: source.clone(),
            hidden,
            invocable,
            argument_hint: text_of(&fields, "argument-hint", &mut faults).map(|hint| one_line(&hint)),
            allowed_tools: tools.iter().flat_map(|text| split_tools(text)).collect(),
        };
        Ok((skill, faults))
    }

    /// Returns whether the tools that it allows count: those of a skill that the user wrote or installed by hand.
    pub(crate) fn may_allow_tools(&self) -> bool {
        self.source.is_users_own()
    }
}

/// A name must be a component of `skill://NAME/FILE` and of a command.
fn is_usable_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 256
        && !matches!(name, "." | "..")
        && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "/\\\"<>".contains(c))
}

fn text_of(fields: &Fields, name: &str, faults: &mut Vec<String>) -> Option<String> {
    match fields.get(name) {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(text.clone()),
        Some(serde_json::Value::Array(_) | serde_json::Value::Object(_)) => {
            // `argument-hint: [file]` is a list in YAML, and a text for its author.
            if name == "argument-hint" {
                return fields.get(name).map(|value| value.to_string().replace('"', ""));
            }
            faults.push(format!("`{name}` must be a text"));
            None
        }
        Some(other) => Some(other.to_string()),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "skill_tests.rs"]
mod tests;
