//! The tour's project: a small repository in a temporary directory, or plain files where git is not installed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use toolsmith::Home;
use toolsmith_host::{
    exec::{Request, run},
    real_path,
};
use toolsmith_tool::CancelToken;

use crate::failure::Problem;

/// The tools, as in the repository.
const TOOLS: &[(&str, &str)] = &[
    (REPO_STATS, include_str!("../../../demo/repo_stats.ts")),
    ("batch_rename.ts", include_str!("../../../demo/batch_rename.ts")),
    ("slow_count.ts", include_str!("../../../demo/slow_count.ts")),
    ("endless.ts", include_str!("../../../demo/endless.ts")),
];

const FILES: &[(&str, &str)] = &[
    ("README.md", "# Acorn\n"),
    ("package.json", "{ \"name\": \"acorn\" }\n"),
    ("src/index.ts", "export const grow = () => \"oak\";\n"),
    ("src/leaf.ts", "export const leaf = true;\n"),
    ("src/root.ts", "export const root = true;\n"),
    ("tests/grow.test.ts", "import { grow } from \"../src\";\ngrow();\n"),
    ("notes/note 1.txt", "Water it.\n"),
    ("notes/note 2.txt", "Wait.\n"),
    ("notes/note 3.txt", "Wait longer.\n"),
];

const HINT: &str = "The demo creates a small git repository.";
/// The tool that needs git.
const REPO_STATS: &str = "repo_stats.ts";

/// The directory of the demo.
pub(super) struct Stage {
    folder: PathBuf,
    /// Removes the directory, unless it is kept.
    temporary: Option<TempDir>,
    has_git: bool,
}

impl Stage {
    /// Creates the project in a new directory, or in a temporary one.
    pub(super) async fn set(keep: Option<&Path>) -> Result<Self> {
        let failed = "could not create a directory for the demo";
        let (folder, temporary) = match keep {
            Some(folder) => {
                fs::create_dir(folder).with_context(|| format!("{failed}: {}", folder.display()))?;
                (real_path(folder).context(failed)?, None)
            }
            None => {
                let made = tempfile::Builder::new().prefix("toolsmith-demo-").tempdir().context(failed)?;
                (made.path().to_path_buf(), Some(made))
            }
        };
        let mut stage = Self { folder, temporary, has_git: true };
        for (name, text) in FILES {
            write(&stage.project().join(name), text)?;
        }
        for (name, text) in TOOLS {
            write(&stage.tools_folder().join(name), text)?;
        }
        stage.has_git = stage.make_repository().await?;
        Ok(stage)
    }

    /// Makes the project a git repository. Returns false if git is not installed.
    async fn make_repository(&self) -> Result<bool> {
        for arguments in [&["init", "-q"][..], &["add", "-A"]] {
            let mut request = Request::new("git").args(arguments.iter().copied());
            request.cwd = Some(self.project());
            match run(&request, &CancelToken::new(), |_| {}).await {
                Ok(outcome) if outcome.code == 0 => {}
                Ok(outcome) => return Err(Problem::failed(outcome.stderr.text()).hint(HINT).into()),
                Err(error) if error.is_not_found() => return Ok(false),
                Err(error) => return Err(Problem::failed(error.to_string()).hint(HINT).into()),
            }
        }
        Ok(true)
    }

    /// Set if the project is a repository and the tour counts its files.
    pub(super) fn has_git(&self) -> bool {
        self.has_git
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("acorn")
    }

    pub(super) fn home(&self) -> Home {
        Home::at(self.folder.join("home"))
    }

    pub(super) fn tools_folder(&self) -> PathBuf {
        self.folder.join("tools")
    }

    /// Returns whether the directory stays.
    pub(super) fn is_kept(&self) -> bool {
        self.temporary.is_none()
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.tools_folder();
        let shown = TOOLS.iter().filter(|(name, _)| self.has_git || *name != REPO_STATS);
        shown.map(move |(name, _)| folder.join(name))
    }

    /// Returns the current content of the notes.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.project().join("notes"))
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("{} could not be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The demo has copies, because a package holds no files from outside its folder.
    #[test]
    fn the_tools_of_the_demo_are_the_examples() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools");
        for (name, text) in TOOLS.iter().filter(|(name, _)| examples.join(name).exists()) {
            assert_eq!(fs::read_to_string(examples.join(name)).unwrap(), *text, "{name}");
        }
    }
}
