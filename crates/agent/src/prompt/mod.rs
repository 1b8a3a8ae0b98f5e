//! The system prompt, from parts: who the model is, what the project says, where it is. Short: it goes with every request.

mod context_files;
mod git;
mod system;

pub use context_files::{CONTEXT_FILE_NAMES, ContextFile, SkippedFile, find_context_files};
pub use git::{git_branch, git_root};
pub(crate) use system::ToolNotes;
pub use system::{PromptPart, Surroundings, SystemPrompt};
