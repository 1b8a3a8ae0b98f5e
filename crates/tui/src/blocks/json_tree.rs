//! JSON as a tree of rows, with limits for depth, lines and long values.

use serde_json::Value;
use toolsmith_text::{Row, Theme, Token};

/// Limits of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeLimits {
    pub(super) depth: usize,
    pub(super) lines: usize,
    pub(super) scalar: usize,
}

impl TreeLimits {
    /// The limits of a card.
    pub(super) fn of(expanded: bool) -> Self {
        if expanded {
            Self { depth: 6, lines: 200, scalar: 2000 }
        } else {
            Self { depth: 2, lines: 6, scalar: 60 }
        }
    }
}

/// Draws a value. Returns the rows and how many more there would be.
pub(super) fn rows(value: &Value, columns: usize, limits: TreeLimits, theme: &Theme) -> (Vec<Row>, usize) {
    let mut tree = Tree { limits, theme, rows: Vec::new(), hidden: 0 };
    tree.value(None, value, 0);
    let rows = tree
        .rows
        .into_iter()
        .flat_map(|row| if limits.scalar > 60 { row.wrap(columns) } else { vec![row.ellipsized(columns)] })
        .collect();
    (rows, tree.hidden)
}

struct Tree<'t> {
    limits: TreeLimits,
    theme: &'t Theme,
    rows: Vec<Row>,
    hidden: usize,
}

impl Tree<'_> {
    fn value(&mut self, name: Option<&str>, value: &Value, depth: usize) {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(entries) => entries.iter().map(|(name, value)| (name.clone(), value)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(at, value)| (format!("[{at}]"), value)).collect()
            }
            _ => Vec::new(),
        };
        let is_leaf = children.is_empty();
        if name.is_some() || is_leaf {
            let text = if is_leaf || depth >= self.limits.depth { self.short(value) } else { String::new() };
            self.row(name, &text, depth.saturating_sub(1));
        }
        if is_leaf || depth >= self.limits.depth && name.is_some() {
            return;
        }
        for (name, child) in children {
            // What is not drawn is only counted, not visited.
            if self.rows.len() >= self.limits.lines {
                self.hidden += 1;
                continue;
            }
            self.value(Some(&name), child, depth + 1);
        }
    }

    fn row(&mut self, name: Option<&str>, text: &str, level: usize) {
        if self.rows.len() >= self.limits.lines {
            self.hidden += 1;
            return;
        }
        let mut row = Row::plain("  ".repeat(level));
        if let Some(name) = name {
            row.push_text(name, self.theme.style(Token::Muted));
            if !text.is_empty() {
                row.push_text(": ", self.theme.style(Token::Dim));
            }
        }
        row.push_text(text, self.theme.style(Token::ToolOutput));
        self.rows.push(row);
    }

    fn short(&self, value: &Value) -> String {
        match value {
            Value::String(text) => cut(&text.replace('\n', "↵"), self.limits.scalar),
            Value::Array(items) if !items.is_empty() => format!("[{} items]", items.len()),
            Value::Object(entries) if !entries.is_empty() => format!("{{{} fields}}", entries.len()),
            value => cut(&value.to_string(), self.limits.scalar),
        }
    }
}

/// Cuts a text after some characters.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Arguments in one line: `path: src/x.rs, limit: 5`.
pub(super) fn inline(value: &Value, chars: usize) -> String {
    let Value::Object(entries) = value else {
        return if value.is_null() { String::new() } else { cut(&value.to_string(), chars) };
    };
    let mut line = String::new();
    for (name, value) in entries {
        if line.len() > chars {
            break;
        }
        if !line.is_empty() {
            line.push_str(", ");
        }
        let text = match value {
            Value::String(text) => cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), 60),
            Value::Array(items) => format!("[{}]", items.len()),
            Value::Object(_) => "{…}".to_owned(),
            value => value.to_string(),
        };
        line.push_str(&format!("{name}: {text}"));
    }
    cut(&line, chars)
}
