//! The terminal user as tools see them (CONTRACT 3.3): questions on standard error, answers from standard input.

use std::io::{self, BufRead as _, Write as _};

use tokio::{sync::Mutex, task::JoinHandle};
use toolsmith_tool::{CancelToken, DialogOptions, NoticeLevel, Ui, async_trait};

use crate::{
    escapes::plain,
    streams,
    terminal::{DIM, ERROR, HEADING, NAME, WARNING, paint},
};

/// Asks on the terminal, one question at a time.
#[derive(Default)]
pub(crate) struct TerminalUi {
    /// A line being read. It outlives a cancelled question, so that the next question gets the next line.
    reading: Mutex<Option<JoinHandle<Option<String>>>>,
}

impl TerminalUi {
    /// Asks for a line; `None` at the end of input or when cancelled.
    pub(crate) async fn ask(&self, question: &str, cancel: &CancelToken) -> Option<String> {
        let mut reading = self.reading.lock().await;
        say(&format!("{question} "), false);
        self.next_line(&mut reading, cancel).await
    }

    async fn next_line(
        &self,
        reading: &mut Option<JoinHandle<Option<String>>>,
        cancel: &CancelToken,
    ) -> Option<String> {
        let line = reading.get_or_insert_with(|| tokio::task::spawn_blocking(read_line));
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                say("", true);
                return None;
            }
            answer = line => answer,
        };
        *reading = None;
        answer.ok().flatten()
    }
}

fn read_line() -> Option<String> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

fn say(text: &str, ends: bool) {
    let mut out = streams::stderr();
    let _ = if ends { writeln!(out, "{text}") } else { write!(out, "{text}") };
    let _ = out.flush();
}

#[async_trait]
impl Ui for TerminalUi {
    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        let mut question = format!("{}\n", paint(HEADING, plain(title)));
        for (at, option) in options.iter().enumerate() {
            question.push_str(&format!("  {} {}\n", paint(NAME, format_args!("{}.", at + 1)), plain(option)));
        }
        question.push_str("Number or name (empty for none):");
        loop {
            let answer = self.ask(&question, &dialog.cancel).await?;
            let answer = answer.trim();
            if answer.is_empty() {
                return None;
            }
            let by_number =
                answer.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
            if let Some(chosen) = options.iter().find(|option| *option == answer).or(by_number) {
                return Some(chosen.clone());
            }
            question = format!("\"{answer}\" is not an option. Number or name (empty for none):");
        }
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let question =
            format!("{}\n{} {}", paint(HEADING, plain(title)), plain(message), paint(NAME, "[y/N]"));
        let answer = self.ask(&question, &dialog.cancel).await.unwrap_or_default();
        matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let placeholder = placeholder.map(|text| paint(DIM, format_args!(" ({text})"))).unwrap_or_default();
        self.ask(&format!("{}{placeholder}:", paint(HEADING, plain(title))), &dialog.cancel).await
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let mut reading = self.reading.lock().await;
        say(&paint(HEADING, plain(title)), true);
        if let Some(prefill) = prefill.filter(|text| !text.is_empty()) {
            say(&paint(DIM, plain(prefill)), true);
            say("Enter a single dot to keep this text; anything else replaces it.", true);
        }
        say("Finish with a line that contains a single dot.", true);
        let mut lines = Vec::new();
        loop {
            let line = self.next_line(&mut reading, &dialog.cancel).await?;
            if line == "." {
                break;
            }
            lines.push(line);
        }
        match (lines.as_slice(), prefill) {
            ([], Some(prefill)) => Some(prefill.to_owned()),
            (lines, _) => Some(lines.join("\n")),
        }
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let word = match level {
            NoticeLevel::Warning => paint(WARNING, "warning: "),
            NoticeLevel::Error => paint(ERROR, "error: "),
            _ => String::new(),
        };
        say(&format!("{word}{}", plain(message)), true);
    }

    fn set_status(&self, _key: &str, text: Option<&str>) {
        if let Some(text) = text {
            say(&paint(DIM, plain(text).replace(['\n', '\t'], " ")), true);
        }
    }

    fn set_widget(&self, _key: &str, lines: Option<&[String]>) {
        // Widgets are drawn by the tool.
        let mut out = streams::stderr();
        for line in lines.unwrap_or_default() {
            let _ = out.rendered(line);
        }
    }
}
