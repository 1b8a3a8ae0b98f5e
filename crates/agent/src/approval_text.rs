//! The approval question as text, the same for every UI (CONTRACT 5.8). Labels, reasons, details and arguments are untrusted:
//! hidden characters are escaped, every line of a value carries a sign, and what is left out is announced.

use serde_json::Value;
use toolsmith_tool::{BlockLimits, BlockRow, VisibleBlock, visible_line};

use crate::approval::ApprovalRequest;

/// Longer labels, names and keys are cut.
const MAX_NAME_CHARS: usize = 60;
/// Rows of each value, however many values there are.
const MIN_ROWS: usize = 3;

/// A question, laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalText {
    /// The tool and the tier, as a question.
    pub heading: String,
    /// Everything the call says it will do.
    pub lines: Vec<String>,
    /// Set if parts of long values are omitted from `lines`.
    pub is_cut: bool,
}

impl ApprovalRequest {
    /// Returns the question as text. `limits` are for all values together.
    pub fn text(&self, limits: BlockLimits) -> ApprovalText {
        let values = self.values();
        let share =
            |rows: usize| if rows == usize::MAX { rows } else { (rows / values.len().max(1)).max(MIN_ROWS) };
        let limits = BlockLimits { head: share(limits.head), tail: share(limits.tail), ..limits };
        let (mut lines, mut is_cut) = (Vec::new(), false);
        for (title, value) in &values {
            let block = match value {
                Shown::One(text) => VisibleBlock::new(text, limits),
                Shown::Several(texts) => VisibleBlock::entries(texts, limits),
            };
            let size = match (block.rows.len(), block.lines) {
                (..=1, _) => String::new(),
                (_, 1) => format!(" ({} characters)", block.chars),
                (_, lines) => format!(" ({} characters in {lines} lines)", block.chars),
            };
            lines.push(format!("{title}{size}:"));
            lines.extend(block.rows.iter().map(BlockRow::signed));
            is_cut |= block.is_cut;
        }
        ApprovalText { heading: self.heading(), lines, is_cut }
    }

    /// Returns the tool and the tier as a question.
    fn heading(&self) -> String {
        let (label, name, tier) = (quoted(&self.label), quoted(&self.tool_name), self.tier.as_str());
        match label == name {
            true => format!("Allow {label} ({tier})?"),
            false => format!("Allow {label} (tool {name}, {tier})?"),
        }
    }

    fn values(&self) -> Vec<(String, Shown<'_>)> {
        let mut values = Vec::new();
        // Whoever installed a plugin knows its tools by its name.
        if let Some(origin) = self.origin.as_ref().filter(|origin| origin.contains("plugin ")) {
            values.push(("origin".to_owned(), Shown::One(origin.clone())));
        }
        if let Some(reason) = &self.reason {
            values.push(("reason".to_owned(), Shown::One(reason.clone())));
        }
        if !self.details.is_empty() {
            values.push(("details".to_owned(), Shown::Several(&self.details)));
        }
        if self.details_are_complete && !self.details.is_empty() {
            return values;
        }
        match &self.arguments {
            Value::Object(arguments) => {
                for (key, value) in arguments {
                    let text = match value {
                        Value::String(text) => text.clone(),
                        value => format!("{value:#}"),
                    };
                    values.push((format!("argument {}", quoted(key)), Shown::One(text)));
                }
            }
            other => values.push(("arguments".to_owned(), Shown::One(format!("{other:#}")))),
        }
        values
    }
}

enum Shown<'a> {
    One(String),
    Several(&'a [String]),
}

/// A name as it stands where it is a plain word or two; anything else in quotes, so that its end can be seen.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/');
    let length = name.chars().count();
    let cut: String = name.chars().take(MAX_NAME_CHARS).collect();
    match (length > MAX_NAME_CHARS, !name.trim().is_empty() && name.chars().all(is_plain)) {
        (false, true) => visible_line(name).into_owned(),
        (false, false) => format!("\"{}\"", visible_line(name)),
        (true, _) => format!("\"{}…\" ({length} characters)", visible_line(&cut)),
    }
}

#[cfg(test)]
#[path = "approval_text_tests.rs"]
mod tests;
