//! Asking the person at the terminal, on standard error, so that standard output stays the result's.

use std::io::{self, BufRead as _, Write as _};

use crate::terminal::{NAME, paint};

/// Asks for a line; `None` at the end of input.
pub(crate) fn line(question: &str) -> Option<String> {
    let mut out = anstream::stderr().lock();
    let _ = write!(out, "{question} ");
    let _ = out.flush();
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(0) | Err(_) => {
            let _ = writeln!(out);
            None
        }
        Ok(_) => Some(answer.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

/// Asks yes or no; anything but a yes is a no.
pub(crate) fn yes(question: &str) -> bool {
    let answer = line(&format!("{question} {}", paint(NAME, "[y/N]")));
    answer.is_some_and(|answer| matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
