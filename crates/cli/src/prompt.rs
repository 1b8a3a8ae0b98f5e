//! Asking the person at the terminal, on standard error, so that standard output stays the result's.

use std::io::{self, BufRead as _, Write as _};

use crate::terminal::{NAME, paint};

/// Asks for a line; `None` at the end of input.
pub(crate) fn line(question: &str) -> Option<String> {
    // What was typed before the question was on the screen is not an answer to it.
    crate::terminal::discard_typed();
    let mut out = crate::streams::stderr();
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

/// How often a question is asked before no answer counts as none.
const MAX_ATTEMPTS: usize = 5;

/// Asks yes or no, and again after anything else. `None` when there is no answer: at the end of input, or after too many
/// attempts.
pub(crate) fn yes_or_no(question: &str) -> Option<bool> {
    let mut question = format!("{question} {}", paint(NAME, "[y/n]"));
    for _ in 0..MAX_ATTEMPTS {
        match line(&question)?.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => question = format!("Answer yes or no. {}", paint(NAME, "[y/n]")),
        }
    }
    None
}
