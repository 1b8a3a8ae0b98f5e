//! Conversion of terminal output to plain text.

/// Removes escape sequences and control characters. Of an overwritten line, the last version stays.
pub(crate) fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                Some('[') => {
                    // Parameters, then a final letter.
                    while chars.next_if(|char| matches!(char, ' '..='?')).is_some() {}
                    chars.next_if(|char| matches!(char, '@'..='~'));
                }
                // A string for the terminal, up to a bell or the next escape.
                Some(']' | 'P' | '_' | '^') => {
                    while let Some(char) = chars.next_if(|char| *char != '\n') {
                        if char == '\u{7}' || (char == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => {
                let line = kept.rfind('\n').map_or(0, |end| end + 1);
                kept.truncate(line);
            }
            '\n' | '\t' => kept.push(char),
            // Bidirectional marks could make text appear as something else.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            char if char.is_control() => {}
            char => kept.push(char),
        }
    }
    kept
}

/// Returns whether a text is a diff.
pub(super) fn is_diff(text: &str) -> bool {
    let mut lines = text.lines();
    let begins = text.starts_with("diff --git ") || text.starts_with("--- ") || text.starts_with("@@ ");
    begins && lines.any(|line| line.starts_with("@@ ") || line.starts_with("+++ "))
}

/// Returns a data URL of an image, or nothing if the data is not an image.
pub(super) fn image_url(data: &str, mime_type: &str) -> Option<String> {
    let is_type = mime_type.strip_prefix("image/").is_some_and(|kind| {
        kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    });
    let is_data = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    (is_type && is_data).then(|| format!("data:{mime_type};base64,{data}"))
}
