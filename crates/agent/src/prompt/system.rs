//! The parts put together.

use std::path::{Path, PathBuf};

use toolsmith_llm::ToolDefinition;

use super::{
    context_files::{ContextFile, SkippedFile, look_for_context_files},
    git::git_branch,
};

const ROLE: &str = "\
You are Toolsmith, a coding agent. You work in the user's folder with the tools you are given, until the task is done.

- Look before you change: read what is concerned and follow the conventions you find there.
- Make the smallest change that does the whole job, then check it (build, tests) where that is possible.
- Call independent tools in one turn. An error says what to do: do that, do not repeat the call.
- Never make up results. Say what you did not or could not do.
- Answer briefly, in the user's language. Name places as path:line.";

/// Said where the tools it names are on offer.
const PREFER_TOOLS: &str = "- Use read, grep, find and ls rather than the shell for looking, and edit rather than write for changing.";

/// Where and when the agent works. Fixed for a session: a prompt that changes cannot be cached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Surroundings {
    /// The working folder.
    pub cwd: PathBuf,
    /// Today, as `2026-01-31`.
    pub date: String,
    /// The branch that is checked out.
    pub git_branch: Option<String>,
}

impl Surroundings {
    /// What is true of this folder now.
    pub fn of(cwd: &Path) -> Self {
        Self {
            cwd: cwd.to_path_buf(),
            date: jiff::Zoned::now().date().to_string(),
            git_branch: git_branch(cwd),
        }
    }
}

/// The system prompt. The default one has the role alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemPrompt {
    /// In place of our own words about the role and the tools.
    pub replacement: Option<String>,
    /// What projects and the user say, the farthest first.
    pub context_files: Vec<ContextFile>,
    /// Context files that are not sent, such as links that lead out of the project.
    pub skipped_files: Vec<SkippedFile>,
    /// Where the agent works.
    pub surroundings: Option<Surroundings>,
    /// Comes last.
    pub appended: Vec<String>,
}

impl SystemPrompt {
    /// The prompt for work in `cwd`: with the context files found from there and from the user's own folder.
    pub fn for_folder(cwd: &Path, home: Option<&Path>) -> Self {
        let (context_files, skipped_files) = look_for_context_files(cwd, home);
        Self { context_files, skipped_files, surroundings: Some(Surroundings::of(cwd)), ..Self::default() }
    }

    /// Says this in place of our own words. Context files and surroundings still follow.
    #[must_use]
    pub fn replace(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some(text.into());
        self
    }

    /// Says this last.
    #[must_use]
    pub fn append(mut self, text: impl Into<String>) -> Self {
        self.appended.push(text.into());
        self
    }

    /// The text, for a request that offers these tools.
    pub fn render(&self, tools: &[ToolDefinition]) -> String {
        let mut text = match &self.replacement {
            Some(replacement) => replacement.trim_end().to_owned(),
            None => ROLE.to_owned(),
        };
        let offers = |name: &str| tools.iter().any(|tool| tool.name == name);
        if self.replacement.is_none() && ["read", "grep", "edit"].into_iter().all(offers) {
            text.push('\n');
            text.push_str(PREFER_TOOLS);
        }
        if !self.context_files.is_empty() {
            text.push_str(
                "\n\nInstructions of the user and the project; where they differ, the last one counts:",
            );
            for file in &self.context_files {
                let path = file.path.display();
                text.push_str(&format!("\n<file path=\"{path}\">\n{}\n</file>", file.text.trim_end()));
            }
        }
        if let Some(surroundings) = &self.surroundings {
            text.push_str(&format!(
                "\n\nWorking folder: {}\nDate: {}",
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
