//! The strict check of a skill by the Agent Skills specification. Its verdicts and messages are those of `skills-ref`, the
//! reference implementation.

use std::{fs, path::Path};

use serde_json::Value;
use toolsmith_middleware::front_matter::{Fields, parse_yaml};
use unicode_normalization::UnicodeNormalization as _;

use super::SKILL_FILE;
use crate::small_file;

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
/// The fields of the specification, sorted.
const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/// Checks the skill in a directory; an empty list means that it is valid.
pub fn check_skill(folder: &Path) -> Vec<String> {
    let about = match fs::metadata(folder) {
        Ok(about) => about,
        Err(_) => return vec![format!("Path does not exist: {}", folder.display())],
    };
    if !about.is_dir() {
        return vec![format!("Not a directory: {}", folder.display())];
    }
    let files = [SKILL_FILE, "skill.md"].map(|name| folder.join(name));
    let Some(file) = files.iter().find(|file| file.exists()) else {
        return vec![format!("Missing required file: {SKILL_FILE}")];
    };
    let text = match small_file::read(file).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return vec![format!("{SKILL_FILE} is not UTF-8")],
        Err(error) => return vec![format!("{SKILL_FILE} cannot be read: {error}")],
    };
    match fields(&text) {
        Ok(fields) => check_fields(&fields, folder),
        Err(problem) => vec![problem],
    }
}

/// Reads the front matter as the reference implementation does: it ends at the next `---`, wherever that is, and its YAML has
/// no flow collections, tags, anchors or duplicate names.
fn fields(text: &str) -> Result<Fields, String> {
    if !text.starts_with("---") {
        return Err(format!("{SKILL_FILE} must start with YAML frontmatter (---)"));
    }
    let Some(yaml) = text.split("---").nth(1).filter(|_| text.matches("---").nth(1).is_some()) else {
        return Err(format!("{SKILL_FILE} frontmatter not properly closed with ---"));
    };
    let invalid = |problem: &str| format!("Invalid YAML in frontmatter: {problem}");
    if let Some(problem) = unusual_yaml(yaml) {
        return Err(invalid(&problem));
    }
    match parse_yaml(yaml).map_err(|error| invalid(&error.to_string()))? {
        Value::Object(fields) => Ok(fields),
        _ => Err(format!("{SKILL_FILE} frontmatter must be a YAML mapping")),
    }
}

/// Finds YAML that the strict dialect of the reference implementation does not have.
fn unusual_yaml(yaml: &str) -> Option<String> {
    // Lines of a block text are deeper than the line that starts it.
    let mut block: Option<usize> = None;
    for line in yaml.lines() {
        let depth = line.len() - line.trim_start().len();
        if line.trim().is_empty() || block.is_some_and(|block| depth > block) {
            continue;
        }
        block = None;
        let mut value = line.trim_start();
        while let Some(item) = value.strip_prefix("- ") {
            value = item.trim_start();
        }
        if let Some((name, rest)) = value.split_once(':')
            && (rest.is_empty() || rest.starts_with(' '))
            && !name.contains(['"', '\'', '{', '['])
        {
            value = rest.trim_start();
        }
        match value.chars().next() {
            Some('|' | '>') => block = Some(depth),
            Some('[' | '{') => return Some("flow style is not allowed".to_owned()),
            Some('&') => return Some("anchors are not allowed".to_owned()),
            Some('!') => return Some("tags are not allowed".to_owned()),
            _ => {}
        }
    }
    None
}

/// A value as the strict dialect reads it: every scalar is a text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

fn check_fields(fields: &Fields, folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut extra: Vec<&str> =
        fields.keys().map(String::as_str).filter(|name| !FIELDS.contains(name)).collect();
    if !extra.is_empty() {
        extra.sort_unstable();
        let known: Vec<String> = FIELDS.iter().map(|name| format!("'{name}'")).collect();
        problems.push(format!(
            "Unexpected fields in frontmatter: {}. Only [{}] are allowed.",
            extra.join(", "),
            known.join(", ")
        ));
    }
    match fields.get("name") {
        None => problems.push("Missing required field in frontmatter: name".to_owned()),
        Some(name) => check_name(text_of(name), folder, &mut problems),
    }
    match fields.get("description").map(text_of) {
        None => problems.push("Missing required field in frontmatter: description".to_owned()),
        Some(Some(text)) if !text.trim().is_empty() => {
            let length = text.chars().count();
            if length > MAX_DESCRIPTION {
                problems
                    .push(format!("Description exceeds {MAX_DESCRIPTION} character limit ({length} chars)"));
            }
        }
        Some(_) => problems.push("Field 'description' must be a non-empty string".to_owned()),
    }
    match fields.get("compatibility").map(text_of) {
        None => {}
        Some(None) => problems.push("Field 'compatibility' must be a string".to_owned()),
        Some(Some(text)) => {
            let length = text.chars().count();
            if length > MAX_COMPATIBILITY {
                problems.push(format!(
                    "Compatibility exceeds {MAX_COMPATIBILITY} character limit ({length} chars)"
                ));
            }
        }
    }
    problems
}

fn check_name(name: Option<String>, folder: &Path, problems: &mut Vec<String>) {
    let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
        problems.push("Field 'name' must be a non-empty string".to_owned());
        return;
    };
    let name: String = name.trim().nfkc().collect();
    let length = name.chars().count();
    if length > MAX_NAME {
        problems.push(format!("Skill name '{name}' exceeds {MAX_NAME} character limit ({length} chars)"));
    }
    if name != name.to_lowercase() {
        problems.push(format!("Skill name '{name}' must be lowercase"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push("Skill name cannot start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        problems.push("Skill name cannot contain consecutive hyphens".to_owned());
    }
    if !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
        problems.push(format!(
            "Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
        ));
    }
    let written = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if written.nfkc().collect::<String>() != name {
        problems.push(format!("Directory name '{written}' must match skill name '{name}'"));
    }
}
