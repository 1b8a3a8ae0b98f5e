//! The one place where long output is cut (CONTRACT 4.9). The model gets a part it can read; the whole is in a file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolsmith_host::output::{
    FULL_OUTPUT, FULL_OUTPUT_INCOMPLETE, OutputBuffer, OutputLimits, usable_folder,
};
use toolsmith_tool::{ContentBlock, Keep, ToolResult};

/// How long an output may be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputCut {
    /// Bytes of text.
    pub max_bytes: usize,
    /// Lines of text.
    pub max_lines: usize,
    /// Where whole outputs go when the session has no place for them.
    pub folder: PathBuf,
}

impl Default for OutputCut {
    fn default() -> Self {
        Self { max_bytes: 50 * 1024, max_lines: 2000, folder: std::env::temp_dir() }
    }
}

impl OutputCut {
    /// Cuts to this many bytes and lines.
    pub fn new(max_bytes: usize, max_lines: usize) -> Self {
        Self { max_bytes, max_lines, ..Self::default() }
    }

    /// Puts whole outputs into this folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Cuts what is too long. Images stay; texts become one.
    pub(super) fn apply(
        &self,
        mut result: ToolResult,
        keep: Keep,
        folder: Option<&Path>,
    ) -> (ToolResult, Option<PathBuf>) {
        let named = result.details.as_ref().and_then(|details| details.get(FULL_OUTPUT));
        let named = named.and_then(Value::as_str).map(PathBuf::from);
        let (bytes, lines) = result
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .fold((0, 0), |(bytes, lines), text| (bytes + text.len(), lines + count_lines(text)));
        if bytes <= self.max_bytes && lines <= self.max_lines {
            return (result, named);
        }
        let whole = result.joined_text();
        let (file, incomplete) = match named {
            Some(file) => {
                let details = result.details.as_ref().and_then(|details| details.get(FULL_OUTPUT_INCOMPLETE));
                (Some(file), details.and_then(Value::as_bool).unwrap_or(false))
            }
            None => self.save(&whole, folder),
        };
        let text = self.cut_text(&whole, keep, file.as_deref(), incomplete);
        let mut text = Some(ContentBlock::text(text));
        // The text takes the place of the first one.
        result.content = std::mem::take(&mut result.content)
            .into_iter()
            .filter_map(|block| if block.as_text().is_some() { text.take() } else { Some(block) })
            .collect();
        (result, file)
    }

    fn save(&self, whole: &str, folder: Option<&Path>) -> (Option<PathBuf>, bool) {
        let folder = usable_folder(folder.into_iter().chain([self.folder.as_path()]));
        // Limits of nothing in memory put all of it into the file.
        let mut buffer = OutputBuffer::new(OutputLimits::new(0, 0).spill_dir(folder));
        buffer.push(whole.as_bytes());
        let output = buffer.finish();
        (output.file, output.file_incomplete)
    }

    fn cut_text(&self, whole: &str, keep: Keep, file: Option<&Path>, incomplete: bool) -> String {
        // In tenths: what goes to the beginning.
        let share = match keep {
            Keep::Head => 10,
            Keep::Tail => 1,
            _ => 5,
        };
        let part = |total: usize| total / 10 * share + total % 10 * share / 10;
        let head = head(whole, part(self.max_bytes), part(self.max_lines));
        let rest = &whole[head.len()..];
        let tail = tail(rest, self.max_bytes - part(self.max_bytes), self.max_lines - part(self.max_lines));
        let left_out = &rest[..rest.len() - tail.len()];
        let place = match file {
            Some(file) if incomplete => format!("the first part of the output is in {}", file.display()),
            Some(file) => format!("the whole output is in {}", file.display()),
            None => "the whole output could not be saved".to_owned(),
        };
        let notice = format!(
            "[{} lines, {} bytes left out of {} lines, {} bytes; {place}]",
            count_lines(left_out),
            left_out.len(),
            count_lines(whole),
            whole.len()
        );
        let gap = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        match tail {
            "" => format!("{head}{}{notice}", gap(head)),
            tail => format!("{head}{}{notice}\n{tail}", gap(head)),
        }
    }
}

fn count_lines(text: &str) -> usize {
    text.lines().count()
}

/// The longest beginning within both limits, whole lines where there is one.
fn head(text: &str, max_bytes: usize, max_lines: usize) -> &str {
    let by_lines = match max_lines.checked_sub(1) {
        None => 0,
        Some(skip) => text.match_indices('\n').nth(skip).map_or(text.len(), |(at, _)| at + 1),
    };
    if by_lines <= max_bytes {
        return &text[..by_lines];
    }
    let by_bytes = text.floor_char_boundary(max_bytes);
    match text[..by_bytes].rfind('\n') {
        Some(at) => &text[..=at],
        None => &text[..by_bytes],
    }
}

/// The longest end within both limits, whole lines where there is one.
fn tail(text: &str, max_bytes: usize, max_lines: usize) -> &str {
    if max_lines == 0 || max_bytes == 0 {
        return "";
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let by_lines = body.rmatch_indices('\n').nth(max_lines - 1).map_or(0, |(at, _)| at + 1);
    if text.len() - by_lines <= max_bytes {
        return &text[by_lines..];
    }
    let by_bytes = text.ceil_char_boundary(text.len() - max_bytes);
    match body[by_bytes.min(body.len())..].find('\n') {
        Some(at) => &text[by_bytes + at + 1..],
        None => &text[by_bytes..],
    }
}

#[cfg(test)]
#[path = "cut_tests.rs"]
mod tests;
