//! The system prompt.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolsmith_llm::ToolDefinition;
use toolsmith_tool::ToolSpec;

use super::{
    context_files::{ContextFile, SkippedFile, look_for_context_files},
    git::git_branch,
};

const ROLE: &str = "\
You are Toolsmith, a coding agent. Work in the user's directory with the given tools until the task is done.

- Read the relevant code before changing it, and follow its conventions.
- Make the smallest change that does the whole job, then verify it (build, tests) where possible.
- Call independent tools in one turn. When a call fails, act on its error; do not repeat the same call.
- Never invent results. Say what you did not or could not do.
- Answer briefly, in the user's language. Refer to code as path:line.";

/// Included if the tools it names are offered.
const PREFER_TOOLS: &str = "- Prefer read, grep, find and ls to the shell, and edit to write.";

/// Directory, date and branch. Fixed for a session, because a prompt that changes cannot be cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Surroundings {
    /// The working directory.
    pub cwd: PathBuf,
    /// Current date, such as `2026-01-31`.
    pub date: String,
    /// The current git branch.
    pub git_branch: Option<String>,
}

impl Surroundings {
    /// Reads the values for this directory.
    pub fn of(cwd: &Path) -> Self {
        Self {
            cwd: cwd.to_path_buf(),
            date: toolsmith_host::today().to_string(),
            git_branch: git_branch(cwd),
        }
    }
}

/// Texts of tools for the system prompt: `promptSnippet` and `promptGuidelines`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolNotes {
    pub(crate) snippets: Vec<(String, String)>,
    pub(crate) guidelines: Vec<String>,
}

impl ToolNotes {
    pub(crate) fn of<'a>(specs: impl Iterator<Item = &'a ToolSpec>) -> Self {
        let mut notes = Self::default();
        for spec in specs {
            if let Some(snippet) = &spec.prompt_snippet {
                notes.snippets.push((spec.name.clone(), snippet.clone()));
            }
            for line in &spec.prompt_guidelines {
                if !notes.guidelines.contains(line) {
                    notes.guidelines.push(line.clone());
                }
            }
        }
        notes
    }

    fn add_to(&self, text: &mut String) {
        for line in &self.guidelines {
            text.push_str(&format!("\n- {line}"));
        }
        if !self.snippets.is_empty() {
            text.push_str("\n\nTools:");
            for (name, snippet) in &self.snippets {
                text.push_str(&format!("\n- {name}: {snippet}"));
            }
        }
    }
}

/// The system prompt. The default has only the role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemPrompt {
    /// Replaces the built-in text about the role and the tools.
    pub replacement: Option<String>,
    /// Context files of the user and the project, outermost first.
    pub context_files: Vec<ContextFile>,
    /// Context files that are not sent, such as links that lead out of the project.
    pub skipped_files: Vec<SkippedFile>,
    /// Where the agent works.
    pub surroundings: Option<Surroundings>,
    /// Texts appended at the end.
    pub appended: Vec<PromptPart>,
}

/// A part of the system prompt and its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptPart {
    /// Origin for people: a file, or what the part is for.
    pub origin: String,
    /// The text.
    pub text: String,
}

impl PromptPart {
    fn new(origin: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: origin.into(), text: text.into() }
    }
}

impl SystemPrompt {
    /// Creates the prompt for `cwd`, with the context files of the project and the user.
    pub fn for_folder(cwd: &Path, home: Option<&Path>) -> Self {
        let own = home.map(|home| home.join(".toolsmith"));
        Self::for_user(cwd, home, own.as_deref())
    }

    /// Creates the prompt for `cwd` and a user whose directory for Toolsmith is `own`.
    pub fn for_user(cwd: &Path, home: Option<&Path>, own: Option<&Path>) -> Self {
        let (context_files, skipped_files) = look_for_context_files(cwd, home, own);
        Self { context_files, skipped_files, surroundings: Some(Surroundings::of(cwd)), ..Self::default() }
    }

    /// Replaces the built-in text. Context files and surroundings still follow.
    #[must_use]
    pub fn replace(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some(text.into());
        self
    }

    /// Appends a text at the end.
    #[must_use]
    pub fn append(self, text: impl Into<String>) -> Self {
        self.append_from("appended text", text)
    }

    /// Appends a text at the end, with its origin.
    #[must_use]
    pub fn append_from(mut self, origin: impl Into<String>, text: impl Into<String>) -> Self {
        self.appended.push(PromptPart::new(origin, text));
        self
    }

    /// Replaces the appended text of an origin, or appends it.
    pub(crate) fn set_part(&mut self, origin: &str, text: &str) {
        match self.appended.iter_mut().find(|part| part.origin == origin) {
            Some(part) => text.clone_into(&mut part.text),
            None => self.appended.push(PromptPart::new(origin, text)),
        }
    }

    /// Returns the text for a request that offers these tools.
    pub fn render(&self, tools: &[ToolDefinition]) -> String {
        self.render_with(tools, &ToolNotes::default())
    }

    /// Returns the facts the prompt is built from, as extensions see them.
    pub(crate) fn options_json(&self, tools: &[String], notes: &ToolNotes) -> Value {
        let cwd = self.surroundings.as_ref().map(|surroundings| surroundings.cwd.display().to_string());
        let files = self.context_files.iter().map(|file| json!({ "path": file.path, "content": file.text }));
        let snippets = notes.snippets.iter().map(|(name, text)| (name.clone(), json!(text)));
        json!({
            "cwd": cwd,
            "selectedTools": tools,
            "toolSnippets": snippets.collect::<serde_json::Map<_, _>>(),
            "promptGuidelines": notes.guidelines,
            "contextFiles": files.collect::<Vec<_>>(),
            "skills": [],
            "sections": {},
            "customPrompt": self.replacement,
            "appendSystemPrompt": self.appended.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n\n"),
        })
    }

    /// Returns the text for a request that offers these tools, with what the tools say about themselves.
    pub(crate) fn render_with(&self, tools: &[ToolDefinition], notes: &ToolNotes) -> String {
        self.parts(tools, notes).into_iter().map(|part| part.text).collect()
    }

    /// Returns the parts of the text, which follow each other without anything in between.
    pub(crate) fn parts(&self, tools: &[ToolDefinition], notes: &ToolNotes) -> Vec<PromptPart> {
        let mut text = match &self.replacement {
            Some(replacement) => replacement.trim_end().to_owned(),
            None => ROLE.to_owned(),
        };
        let offers = |name: &str| tools.iter().any(|tool| tool.name == name);
        if self.replacement.is_none() && ["read", "grep", "edit"].into_iter().all(offers) {
            text.push('\n');
            text.push_str(PREFER_TOOLS);
        }
        let role = if self.replacement.is_some() { "system prompt" } else { "built-in instructions" };
        let mut parts = vec![PromptPart::new(role, text)];
        let mut text = String::new();
        notes.add_to(&mut text);
        parts.push(PromptPart::new("notes of tools", text));
        for (at, file) in self.context_files.iter().enumerate() {
            let path = file.path.display();
            let heading = match at {
                0 => "\n\nInstructions of the user and the project; later ones take precedence:",
                _ => "",
            };
            let text = format!("{heading}\n<file path=\"{path}\">\n{}\n</file>", file.text.trim_end());
            parts.push(PromptPart::new(path.to_string(), text));
        }
        if let Some(surroundings) = &self.surroundings {
            let mut text =
                format!("\n\nWorking directory: {}\nDate: {}", surroundings.cwd.display(), surroundings.date);
            if let Some(branch) = &surroundings.git_branch {
                text.push_str(&format!("\nGit branch: {branch}"));
            }
            parts.push(PromptPart::new("directory, date and branch", text));
        }
        for part in self.appended.iter().filter(|part| !part.text.trim().is_empty()) {
            parts.push(PromptPart::new(&part.origin, format!("\n\n{}", part.text.trim_end())));
        }
        parts.retain(|part| !part.text.is_empty());
        parts
    }
}
