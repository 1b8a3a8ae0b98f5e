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
            date: jiff::Zoned::now().date().to_string(),
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
    pub appended: Vec<String>,
}

impl SystemPrompt {
    /// Creates the prompt for `cwd`, with the context files of the project and the user.
    pub fn for_folder(cwd: &Path, home: Option<&Path>) -> Self {
        let (context_files, skipped_files) = look_for_context_files(cwd, home);
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
    pub fn append(mut self, text: impl Into<String>) -> Self {
        self.appended.push(text.into());
        self
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
            "appendSystemPrompt": self.appended.join("\n\n"),
        })
    }

    /// Returns the text for a request that offers these tools, with what the tools say about themselves.
    pub(crate) fn render_with(&self, tools: &[ToolDefinition], notes: &ToolNotes) -> String {
        let mut text = match &self.replacement {
            Some(replacement) => replacement.trim_end().to_owned(),
            None => ROLE.to_owned(),
        };
        let offers = |name: &str| tools.iter().any(|tool| tool.name == name);
        if self.replacement.is_none() && ["read", "grep", "edit"].into_iter().all(offers) {
            text.push('\n');
            text.push_str(PREFER_TOOLS);
        }
        notes.add_to(&mut text);
        if !self.context_files.is_empty() {
            text.push_str("\n\nInstructions of the user and the project; later ones take precedence:");
            for file in &self.context_files {
                let path = file.path.display();
                text.push_str(&format!("\n<file path=\"{path}\">\n{}\n</file>", file.text.trim_end()));
            }
        }
        if let Some(surroundings) = &self.surroundings {
            text.push_str(&format!(
                "\n\nWorking directory: {}\nDate: {}",
                surroundings.cwd.display(),
                surroundings.date
            ));
            if let Some(branch) = &surroundings.git_branch {
                text.push_str(&format!("\nGit branch: {branch}"));
            }
        }
        for appended in self.appended.iter().filter(|appended| !appended.trim().is_empty()) {
            text.push_str("\n\n");
            text.push_str(appended.trim_end());
        }
        text
    }
}
