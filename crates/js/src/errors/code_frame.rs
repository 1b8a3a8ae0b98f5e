//! Code frames: a few lines of source with a mark under a position.

/// Lines shown before and after.
const CONTEXT: usize = 2;
/// Longer lines are cut around the mark.
const MAX_COLUMNS: usize = 100;

/// Draws the frame; `None` if the source has no such line. Line and column start at one.
pub fn code_frame(source: &str, line: u32, column: u32) -> Option<String> {
    let lines: Vec<&str> = source.lines().collect();
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    if index >= lines.len() {
        return None;
    }
    let first = index.saturating_sub(CONTEXT);
    let last = (index + CONTEXT).min(lines.len() - 1);
    let gutter = (last + 1).to_string().len();
    let column = usize::try_from(column).ok()?.max(1) - 1;
    // All lines are shifted equally, so that the mark stays in place.
    let shift = column.saturating_sub(MAX_COLUMNS * 3 / 4);
    let mut frame = Vec::new();
    for (number, text) in lines.iter().enumerate().take(last + 1).skip(first) {
        let shown: String = text
            .chars()
            .skip(shift)
            .take(MAX_COLUMNS)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mark = if number == index { '>' } else { ' ' };
        frame.push(format!("{mark} {:>gutter$} | {shown}", number + 1).trim_end().to_owned());
        if number == index {
            frame.push(format!("  {:>gutter$} | {:>width$}", "", "^", width = column - shift + 1));
        }
    }
    Some(frame.join("\n"))
}

#[cfg(test)]
#[path = "code_frame_tests.rs"]
mod tests;
