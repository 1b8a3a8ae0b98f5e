//! What a tool says about an action that does not name its files: text, or data as indented JSON.

use serde_json::Value;
use toolsmith_text::row_starts;
use toolsmith_tool::visible;

/// Details in rows. All of them are shown, so long lines wrap.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    text: String,
    columns: usize,
    /// The bytes at which rows begin.
    starts: Vec<usize>,
}

impl Details {
    pub(super) fn new(details: &Value) -> Self {
        let text = match details.as_str() {
            Some(text) => visible(text).into_owned(),
            None => visible(&serde_json::to_string_pretty(details).unwrap_or_default()).into_owned(),
        };
        Self { text: text.trim_end_matches('\n').to_owned(), ..Self::default() }
    }

    /// Computes the rows for a width. Returns whether they are others than before.
    pub(super) fn measure(&mut self, columns: usize) -> bool {
        if self.columns == columns {
            return false;
        }
        self.columns = columns;
        self.starts = row_starts(&self.text, columns);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the text of a row.
    pub(super) fn row(&self, at: usize) -> &str {
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        let row = self.starts.get(at).and_then(|begin| self.text.get(*begin..end));
        row.unwrap_or_default().trim_end_matches('\n')
    }
}
