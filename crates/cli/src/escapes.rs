//! Text of tools and models on a terminal: colours stay, and whatever else a terminal would obey goes.

use std::{borrow::Cow, io::IsTerminal, iter::Peekable, str::Chars};

/// The text as it may be written there: untouched where no terminal reads it.
pub(crate) fn shown<'a>(text: &'a str, out: &impl IsTerminal) -> Cow<'a, str> {
    if out.is_terminal() { tame(text) } else { Cow::Borrowed(text) }
}

/// Keeps ends of lines, tabs and colours. Moving the cursor, clearing, titles, clipboards and the like are left out.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len());
    let mut is_coloured = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => tamed.push(c),
            // Alone it goes back to the beginning of the line, over what is there.
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => tamed.push('\n'),
            '\x1b' => match rest.next() {
                Some('[') => {
                    if let Some(style) = sequence(&mut rest) {
                        tamed.push_str("\x1b[");
                        tamed.push_str(&style);
                        is_coloured = true;
                    }
                }
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut rest),
                _ => {}
            },
            '\u{9b}' => drop(sequence(&mut rest)),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut rest),
            c if c.is_control() => tamed.push('\u{fffd}'),
            c => tamed.push(c),
        }
    }
    if is_coloured {
        tamed.push_str("\x1b[0m");
    }
    Cow::Owned(tamed)
}

/// Reads a control sequence after its introducer: the rest of it, if it sets colours.
fn sequence(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut read = String::new();
    while let Some(c) = rest.next_if(|c| matches!(c, ' '..='~')) {
        read.push(c);
        if matches!(c, '@'..='~') {
            break;
        }
    }
    let numbers = read.strip_suffix('m')?;
    numbers.chars().all(|c| c.is_ascii_digit() || c == ';' || c == ':').then_some(read)
}

/// Skips a string for the terminal, up to its end. One without an end stops at the line's.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\x07' | '\u{9c}' => return,
            '\x1b' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "escapes_tests.rs"]
mod tests;
