//! Searching earlier prompts (ctrl+r).

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
