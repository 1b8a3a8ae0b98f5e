//! Questions of tools and approvals in the plain interface: printed text and numbered choices.

use std::{
    collections::VecDeque,
    fmt::Display,
    io::{BufRead as _, IsTerminal as _, Write as _},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use async_trait::async_trait;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, mpsc, oneshot};
use toolsmith::agent::{ApprovalRequest, Approver, Decision};
use toolsmith_tool::{BlockLimits, CancelToken, DialogOptions, NoticeLevel, Ui, visible, visible_line};

use crate::{
    app::Host,
    dialog::READING_TIME,
    tool_text::{self, Notice, NoticeLimit},
    tty::discard_typed,
};

/// Columns of a value in a question.
pub(super) const WIDTH: usize = 100;
/// Options that are printed; the others can be chosen by their number or text.
const MAX_OPTIONS: usize = 200;

/// Prints a text of any origin: nothing in it can move the cursor.
pub(super) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    for line in text.split('\n') {
        let line = crate::text::plain(line);
        // The terminal may be gone; the reader of input notices that.
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
}

/// Prints a message of unknown origin.
pub(super) fn say_message(kind: &str, text: &dyn Display) {
    say(&format!("{kind}: {}", indented(&text.to_string())));
}

/// Returns a text of unknown origin with hidden characters escaped. Its further lines are indented, so that none of them passes
/// for a line of ours.
pub(super) fn indented(text: &str) -> String {
    visible(text).replace('\n', "\n    ")
}

/// Prints a part of the model's answer, whose lines are indented.
pub(super) fn say_part(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "{}", crate::text::plain(text).replace('\n', "\n  "));
    let _ = out.flush();
}

/// Lines typed by the person. A question takes the next line; otherwise it is a prompt.
pub(super) struct Lines {
    prompts: AsyncMutex<mpsc::UnboundedReceiver<Option<String>>>,
    questions: Arc<Mutex<VecDeque<oneshot::Sender<String>>>>,
    /// Held by the question on the screen. Another one is printed when it was answered or taken back, so that a line is never an
    /// answer to a question that is not the last one on the screen.
    asking: AsyncMutex<()>,
}

impl Lines {
    /// Starts to read standard input.
    pub(super) fn start() -> std::io::Result<Arc<Self>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let questions: Arc<Mutex<VecDeque<oneshot::Sender<String>>>> = Arc::default();
        let open = Arc::clone(&questions);
        let reading = move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(mut line) = line else { break };
                // A question that was taken back leaves the line to the next.
                let mut is_answer = false;
                while let Some(question) = open.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                    match question.send(line) {
                        Ok(()) => {
                            is_answer = true;
                            line = String::new();
                            break;
                        }
                        Err(back) => line = back,
                    }
                }
                if !is_answer && sender.send(Some(line)).is_err() {
                    return;
                }
            }
            let _ = sender.send(None);
        };
        std::thread::Builder::new().name("terminal input".to_owned()).spawn(reading)?;
        Ok(Arc::new(Self { prompts: AsyncMutex::new(receiver), questions, asking: AsyncMutex::default() }))
    }

    /// Waits for the next prompt; `None` at the end of input.
    pub(super) async fn next(&self) -> Option<String> {
        self.prompts.lock().await.recv().await.flatten()
    }

    /// Takes the next line as an answer.
    fn answer(&self) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).push_back(sender);
        receiver
    }

    /// Asks for a decision. What was typed before the question was on the screen is not an answer to it, and an answer that
    /// allows something must not come sooner than anybody can read.
    async fn ask_decision(
        &self,
        question: &str,
        allows: impl Fn(&str) -> bool,
        cancel: &CancelToken,
    ) -> Option<String> {
        let mut question = question;
        let _turn = self.turn(cancel).await?;
        loop {
            // The line that is being typed is lost too: its end would be an answer.
            discard_typed();
            let shown = Instant::now();
            let answer = self.ask_now(question, cancel).await?;
            if !is_early(shown) || !allows(answer.trim()) {
                return Some(answer);
            }
            question = TOO_EARLY;
        }
    }

    /// Waits until no other question is open; `None` if the question was taken back meanwhile.
    async fn turn(&self, cancel: &CancelToken) -> Option<MutexGuard<'_, ()>> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            turn = self.asking.lock() => Some(turn),
        }
    }

    async fn ask(&self, question: &str, cancel: &CancelToken) -> Option<String> {
        let _turn = self.turn(cancel).await?;
        self.ask_now(question, cancel).await
    }

    /// Asks while this question has its turn.
    async fn ask_now(&self, question: &str, cancel: &CancelToken) -> Option<String> {
        if cancel.is_cancelled() {
            return None;
        }
        // Lines that were typed before belong to the prompt; those after the question are answers.
        let answer = self.answer();
        say(question);
        tokio::select! {
            line = answer => line.ok(),
            () = cancel.cancelled() => None,
        }
    }
}

/// Said after an answer that came sooner than anybody can read.
pub(super) const TOO_EARLY: &str = "That was typed before the question could be read. Answer again.";

/// Returns whether lines are typed by a person.
pub(super) fn is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Returns whether a person cannot have read yet what was asked at that time.
pub(super) fn is_early(asked: Instant) -> bool {
    is_terminal() && asked.elapsed() < READING_TIME
}

/// Returns whether an answer agrees.
pub(super) fn is_yes(answer: &str) -> bool {
    matches!(answer.to_ascii_lowercase().as_str(), "1" | "y" | "yes")
}

/// The UI of tools.
pub(super) struct PlainUi {
    lines: Arc<Lines>,
    host: Arc<dyn Host>,
    notices: Mutex<NoticeLimit>,
}

impl PlainUi {
    pub(super) fn new(lines: Arc<Lines>, host: Arc<dyn Host>) -> Self {
        Self { lines, host, notices: Mutex::default() }
    }

    /// Asks for a decision that a yes or the first choice allows.
    pub(super) async fn ask_decision(&self, question: &str, cancel: &CancelToken) -> Option<String> {
        self.lines.ask_decision(question, is_yes, cancel).await
    }
}

/// Returns the question for a list.
fn list_question(title: &str, options: &[String]) -> String {
    let mut question = format!("Question: {}\n", indented(&tool_text::shown(title)));
    for (at, option) in options.iter().take(MAX_OPTIONS).enumerate() {
        question.push_str(&format!("  {}. {}\n", at + 1, visible_line(tool_text::line(option))));
    }
    if let more @ 1.. = options.len().saturating_sub(MAX_OPTIONS) {
        question.push_str(&format!("  ({more} more options, up to number {})\n", options.len()));
    }
    question.push_str("Type a number, or nothing for none.");
    question
}

/// Returns the chosen entry of a numbered list.
fn chosen<'a>(answer: &str, options: &'a [String]) -> Option<&'a String> {
    let answer = answer.trim();
    let by_number = answer.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    by_number.or_else(|| options.iter().find(|option| *option == answer))
}

#[async_trait]
impl Ui for PlainUi {
    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        let answer = self.lines.ask(&list_question(title, options), &dialog.cancel).await?;
        chosen(&answer, options).cloned()
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let (title, message) = (indented(&tool_text::shown(title)), indented(&tool_text::shown(message)));
        let question = format!("Question: {title}\n    {message}\n  1. Yes\n  2. No\nType a number.");
        let answer = self.lines.ask_decision(&question, is_yes, &dialog.cancel).await.unwrap_or_default();
        is_yes(answer.trim())
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let title = indented(&tool_text::shown(title));
        let hint =
            placeholder.map(|text| format!(" ({})", visible_line(tool_text::line(text)))).unwrap_or_default();
        self.lines
            .ask(&format!("Question: {title}{hint}\nType the answer in one line."), &dialog.cancel)
            .await
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let title = indented(&tool_text::shown(title));
        let text =
            prefill.map(|text| format!("\n    {}", indented(&tool_text::shown(text)))).unwrap_or_default();
        let question = format!("Question: {title}{text}\nType the answer. A line with a single dot ends it.");
        let _turn = self.lines.turn(&dialog.cancel).await?;
        let mut lines = vec![self.lines.ask_now(&question, &dialog.cancel).await?];
        while lines.last().is_some_and(|line| line != ".") {
            let next = self.lines.answer();
            lines.push(tokio::select! {
                line = next => line.ok()?,
                () = dialog.cancel.cancelled() => return None,
            });
        }
        lines.pop();
        Some(if lines.is_empty() { prefill.unwrap_or_default().to_owned() } else { lines.join("\n") })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let word = match level {
            NoticeLevel::Warning => "Warning",
            NoticeLevel::Error => "Error",
            _ => "Notice",
        };
        let passed =
            self.notices.lock().unwrap_or_else(PoisonError::into_inner).pass(message, Instant::now());
        match passed {
            Notice::Text(text) => say_message(word, &text),
            Notice::Last(text) => say_message("Warning", &text),
            Notice::None => {}
        }
    }
}

#[async_trait]
impl Approver for PlainUi {
    async fn ask(&self, request: &ApprovalRequest, cancel: &CancelToken) -> Decision {
        let text = request.text(BlockLimits::whole(WIDTH));
        let mut question = format!("Approval needed: {}\n", text.heading);
        for line in &text.lines {
            question.push_str(&format!("  {line}\n"));
        }
        question
            .push_str("  1. Allow once\n  2. Allow in this session\n  3. Always allow this tool\n  4. No\n");
        question.push_str("Type a number, or a reason to refuse.");
        let allows = |answer: &str| matches!(answer, "1" | "2" | "3" | "y" | "yes");
        let answer = self.lines.ask_decision(&question, allows, cancel).await.unwrap_or_default();
        match answer.trim() {
            "1" | "y" | "yes" => Decision::Allow,
            "2" => Decision::AllowForSession,
            "3" => {
                if let Err(error) =
                    self.host.set_setting(&format!("tools.approval.{}", request.tool_name), "allow")
                {
                    say_message("Error", &error);
                }
                Decision::AllowForSession
            }
            "" | "4" | "n" | "no" => Decision::Deny { note: None },
            note => Decision::Deny { note: Some(note.to_owned()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c9_2_a_question_prints_a_bounded_number_of_options() {
        let options: Vec<String> = (0..50_000).map(|number| format!("option {number}")).collect();
        let question = list_question("Which?", &options);
        assert!(question.contains("200. option 199\n  (49800 more options, up to number 50000)"));
        assert!(!question.contains("option 200"));
        assert_eq!(chosen("50000", &options), options.last());
    }
}
