//! Earlier prompts of a project: kept in a file that only its owner can read, one JSON string per line. Searching them
//! (ctrl+r).

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// Prompts kept in memory.
const MAX_PROMPTS: usize = 1000;
/// Bytes read from the end of the file.
const MAX_READ: u64 = 2 << 20;
/// Longer prompts are not kept.
const MAX_PROMPT: usize = 64 << 10;

/// Earlier prompts, oldest first, and the place in them.
#[derive(Clone, Debug, Default)]
pub struct History {
    prompts: Vec<String>,
    file: Option<PathBuf>,
    /// The prompt shown now, and the draft it replaced.
    place: Option<(usize, String)>,
}

/// Reads the prompts of a file, oldest first. A file that does not exist or cannot be read has none.
pub fn load(file: &Path) -> Vec<String> {
    let Ok(mut opened) = File::open(file) else { return Vec::new() };
    let Ok(metadata) = opened.metadata() else { return Vec::new() };
    let from = metadata.len().saturating_sub(MAX_READ);
    let mut bytes = Vec::new();
    if !metadata.is_file()
        || opened.seek(SeekFrom::Start(from)).is_err()
        || opened.take(MAX_READ).read_to_end(&mut bytes).is_err()
    {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut prompts: Vec<String> =
        text.lines().filter_map(|line| serde_json::from_str::<String>(line).ok()).collect();
    prompts.dedup();
    prompts.split_off(prompts.len().saturating_sub(MAX_PROMPTS))
}

impl History {
    /// Creates a history that new prompts are appended to.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self { file, ..Self::default() }
    }

    /// Adds prompts that were read from the file, before those of this session.
    pub fn prepend(&mut self, mut prompts: Vec<String>) {
        prompts.append(&mut self.prompts);
        self.prompts = prompts;
    }

    /// Returns the prompts, oldest first.
    pub fn prompts(&self) -> &[String] {
        &self.prompts
    }

    /// Adds a prompt, in memory and to the file.
    pub fn add(&mut self, prompt: &str) {
        self.place = None;
        let prompt = prompt.trim_end();
        if prompt.trim().is_empty()
            || prompt.len() > MAX_PROMPT
            || self.prompts.last().is_some_and(|last| last == prompt)
        {
            return;
        }
        self.prompts.push(prompt.to_owned());
        if let Some(file) = &self.file
            && let Err(error) = append(file, prompt)
        {
            tracing::warn!(%error, "the prompt was not added to the history");
        }
    }

    /// Goes to the previous prompt. `draft` is what is in the composer now.
    pub fn previous(&mut self, draft: &str) -> Option<String> {
        let at = match &self.place {
            Some((at, _)) => at.checked_sub(1)?,
            None => self.prompts.len().checked_sub(1)?,
        };
        let prompt = self.prompts.get(at)?.clone();
        let draft = self.place.take().map_or_else(|| draft.to_owned(), |(_, draft)| draft);
        self.place = Some((at, draft));
        Some(prompt)
    }

    /// Goes to the next prompt, and at the end back to the draft.
    pub fn following(&mut self) -> Option<String> {
        let (at, draft) = self.place.take()?;
        match self.prompts.get(at + 1) {
            Some(prompt) => {
                self.place = Some((at + 1, draft));
                Some(prompt.clone())
            }
            None => Some(draft),
        }
    }

    /// Returns whether a prompt of the history is shown.
    pub fn is_browsing(&self) -> bool {
        self.place.is_some()
    }

    /// Stays with what is shown: it was edited.
    pub fn leave(&mut self) {
        self.place = None;
    }
}

fn append(file: &Path, prompt: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        toolsmith_host::create_private_folder(folder)?;
    }
    let line = format!("{}\n", serde_json::to_string(prompt)?);
    // One write, so that two programs do not mix their lines.
    toolsmith_host::private(OpenOptions::new().append(true).create(true))
        .open(file)?
        .write_all(line.as_bytes())
}

/// A search in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) query: String,
    /// Index of the prompt shown.
    pub(super) found: Option<usize>,
}

impl Search {
    /// Looks for the newest prompt that contains the query, at or before the one shown.
    pub(super) fn update(&mut self, prompts: &[String], older: bool) {
        let from = match (self.found, older) {
            (Some(found), true) => found,
            (Some(found), false) => found + 1,
            (None, _) => prompts.len(),
        };
        let query = self.query.to_lowercase();
        let matches = |prompt: &String| prompt.to_lowercase().contains(&query);
        let found = prompts.iter().take(from).rposition(matches);
        // A query that became longer may match only newer prompts.
        let newest = || prompts.iter().rposition(matches);
        self.found = match older {
            true => found.or(self.found),
            false => found.or_else(newest),
        };
    }

    /// Returns the prompt shown.
    pub(super) fn prompt<'a>(&self, prompts: &'a [String]) -> Option<&'a str> {
        self.found.and_then(|at| prompts.get(at)).map(String::as_str)
    }
}
