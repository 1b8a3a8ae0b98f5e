//! Formatting of results for the model.

use std::{fmt::Write, path::Path};

use toolsmith_tool::Name;

/// Maximum number of issues shown.
const MAX_ISSUES: usize = 20;
/// Maximum characters of a line shown.
const MAX_LINE_CHARS: usize = 120;

/// Files grouped by directory: `# dir`, `## └─ file (…)`, then the rows. A single file needs no header.
pub(super) struct Listing {
    text: String,
    with_headers: bool,
    folder: Option<String>,
}

impl Listing {
    pub(super) fn new(with_headers: bool) -> Self {
        Self { text: String::new(), with_headers, folder: None }
    }

    pub(super) fn file(&mut self, path: &Path, count: &str, rows: &[String]) {
        if self.with_headers {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            let name = Name(path.file_name().unwrap_or_default().display());
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            match folder.map(|folder| Name(folder.display()).to_string()) {
                None => self.line(&format!("# {name} ({count})")),
                Some(folder) => {
                    if self.folder.as_ref() != Some(&folder) {
                        self.line(&format!("# {folder}"));
                        self.folder = Some(folder);
                    }
                    self.line(&format!("## └─ {name} ({count})"));
                }
            }
        }
        rows.iter().for_each(|row| self.line(row));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns the listing, what was cut, and the issues.
    pub(super) fn finish(mut self, trailer: Option<&str>, issues: &[String]) -> String {
        if let Some(trailer) = trailer {
            let _ = write!(self.text, "\n{trailer}\n");
        }
        if !issues.is_empty() {
            let _ = write!(self.text, "\n{}\n", issue_text(issues));
        }
        self.text.trim().to_owned()
    }
}

pub(super) fn issue_text(issues: &[String]) -> String {
    let shown: Vec<String> = issues.iter().take(MAX_ISSUES).map(|issue| format!("- {issue}")).collect();
    let header = match issues.len() > MAX_ISSUES {
        true => format!("Parse issues ({MAX_ISSUES} / {}):", issues.len()),
        false => "Parse issues:".to_owned(),
    };
    format!("{header}\n{}", shown.join("\n"))
}

/// Returns the first line, truncated.
pub(super) fn first_line(code: &str) -> String {
    code.lines().next().unwrap_or_default().chars().take(MAX_LINE_CHARS).collect()
}

/// Formats `1 file`, `2 files`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
