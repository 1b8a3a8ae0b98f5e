//! The terminal user as tools see them (CONTRACT 3.3): questions on standard error, answers from standard input.

use std::{
    io::{self, BufRead as _, Write as _},
    sync::{Mutex as StdMutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::Value;
use tokio::{sync::Mutex, task::JoinHandle};
use toolsmith_tool::{
    CancelToken, DialogOptions, NoticeLevel, ScreenInfo, Ui, WidgetContent, WidgetPlacement, async_trait,
    visible, visible_line,
};

use toolsmith_text::{Row, Theme, plain};
use toolsmith_tui::dialog::READING_TIME;

use crate::{
    choice,
    streams::{self, Control},
    terminal::{self, DIM, ERROR, HEADING, NAME, TOO_EARLY, WARNING, paint},
    tool_view,
};

/// Maximum bytes of lines kept while a question is open.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Asks on the terminal, one question at a time. While a question is open, other lines are kept back: they could push it
/// off the screen or pass for a part of it (CONTRACT 5.8).
#[derive(Default)]
pub(crate) struct TerminalUi {
    screen: StdMutex<Screen>,
    /// Options are chosen by number, not with the arrow keys.
    is_plain: bool,
    /// A line being read. It outlives a cancelled question, so that the next question gets the next line.
    reading: Mutex<Option<JoinHandle<Option<String>>>>,
}

#[derive(Default)]
struct Screen {
    is_asking: bool,
    kept: Vec<Line>,
    kept_bytes: usize,
    dropped: usize,
    /// Rows at the end that are drawn over: calls that are still running.
    live: Vec<Row>,
    /// How many of them are on the screen.
    live_rows: usize,
    /// The answer stopped in the middle of a line.
    is_mid_line: bool,
}

impl Screen {
    /// Removes the live rows from the screen.
    fn erase_live(&mut self) {
        let mut out = streams::stderr();
        if std::mem::take(&mut self.is_mid_line) {
            let _ = writeln!(out);
        }
        for _ in 0..std::mem::take(&mut self.live_rows) {
            let _ = out.control(Control::ClearLineAbove);
        }
    }

    /// Draws as many live rows as fit the screen, the last ones.
    fn draw_live(&mut self) {
        let room = terminal::error_rows().unwrap_or(24).saturating_sub(1);
        let mut out = streams::stderr();
        let hidden = self.live.len().saturating_sub(room);
        for row in self.live.iter().skip(hidden) {
            let _ = out.row(row);
        }
        self.live_rows = self.live.len() - hidden;
        let _ = out.flush();
    }
}

enum Line {
    /// Written by the program.
    Own(String),
    /// Drawn by a tool.
    Drawn(String),
}

impl Line {
    fn print(&self) {
        let mut out = streams::stderr();
        let _ = match self {
            Self::Own(text) => writeln!(out, "{text}"),
            Self::Drawn(text) => out.rendered(text),
        };
        let _ = out.flush();
    }
}

/// An open question. Prints what was kept back when it ends, also if the future that asks is dropped.
struct Question<'a>(&'a TerminalUi);

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut screen = self.0.lock();
        let Screen { kept, dropped, live, .. } = std::mem::take(&mut *screen);
        kept.iter().for_each(Line::print);
        if dropped > 0 {
            Line::Own(paint(DIM, format_args!("({dropped} more lines during the question)"))).print();
        }
        screen.live = live;
        screen.draw_live();
    }
}

impl TerminalUi {
    /// Creates the terminal of a person; `is_accessible` is their setting.
    pub(crate) fn new(is_accessible: bool) -> Self {
        Self { is_plain: terminal::is_plain(is_accessible), ..Self::default() }
    }

    /// Lets the person choose with the arrow keys; `None` where only lines can be read.
    async fn choose(
        &self,
        title: &str,
        options: &[String],
        dialog: &DialogOptions,
    ) -> Option<Option<String>> {
        let reading = self.reading.lock().await;
        // A line that is still being read would take the keys.
        if self.is_plain || options.is_empty() || reading.is_some() {
            return None;
        }
        let _open = self.open_question();
        say(&paint(HEADING, plain(title)), true);
        let chosen = choice::choose(options, &dialog.descriptions, &dialog.cancel).await.ok()?;
        let chosen = chosen.and_then(|at| options.get(at));
        let shown =
            chosen.map_or_else(|| paint(DIM, "(none)"), |option| paint(NAME, visible_line(&plain(option))));
        say(&shown, true);
        Some(chosen.cloned())
    }

    fn lock(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_question(&self) -> Question<'_> {
        let mut screen = self.lock();
        screen.erase_live();
        screen.is_asking = true;
        Question(self)
    }

    /// Replaces the rows at the end that are drawn over. They come back after an open question.
    pub(crate) fn show_live(&self, rows: Vec<Row>) {
        let mut screen = self.lock();
        if screen.is_asking {
            screen.live = rows;
            return;
        }
        screen.erase_live();
        screen.live = rows;
        screen.draw_live();
    }

    /// Prints rows for good, above those that are drawn over.
    pub(crate) fn print_rows(&self, rows: &[Row]) {
        for row in rows {
            self.print_line(Line::Drawn(row.to_ansi(tool_view::depth())));
        }
    }

    /// Prints a piece of the answer on standard output, above the rows that are drawn over.
    pub(crate) fn stream(&self, text: &str) {
        let mut screen = self.lock();
        if screen.is_asking {
            screen.kept.push(Line::Own(text.to_owned()));
            return;
        }
        if screen.live_rows > 0 {
            screen.erase_live();
        }
        let mut out = streams::stdout();
        let _ = write!(out, "{}", plain(text)).and_then(|()| out.flush());
        screen.is_mid_line = !text.ends_with('\n');
        if !screen.is_mid_line && !screen.live.is_empty() {
            screen.draw_live();
        }
    }

    /// Prints a line, after the open question if there is one.
    pub(crate) fn print(&self, line: String) {
        self.print_line(Line::Own(line));
    }

    fn print_line(&self, line: Line) {
        let mut screen = self.lock();
        if !screen.is_asking {
            screen.erase_live();
            line.print();
            return screen.draw_live();
        }
        let (Line::Own(text) | Line::Drawn(text)) = &line;
        let bytes = screen.kept_bytes.saturating_add(text.len());
        if bytes > MAX_KEPT_BYTES {
            screen.dropped += 1;
            return;
        }
        screen.kept_bytes = bytes;
        screen.kept.push(line);
    }

    /// Asks for a line; `None` at the end of input or when cancelled.
    pub(crate) async fn ask(&self, question: &str, cancel: &CancelToken) -> Option<String> {
        let mut reading = self.reading.lock().await;
        let _open = self.open_question();
        say(&format!("{question} "), false);
        self.next_line(&mut reading, cancel).await
    }

    /// Asks for a decision. What was typed before the question was on the screen is not an answer to it, and an answer that
    /// allows something must not come sooner than anybody can read.
    pub(crate) async fn ask_decision(
        &self,
        question: &str,
        allows: impl Fn(&str) -> bool + Send,
        cancel: &CancelToken,
    ) -> Option<String> {
        let mut reading = self.reading.lock().await;
        let _open = self.open_question();
        let mut question = question;
        loop {
            terminal::discard_typed();
            say(&format!("{question} "), false);
            let shown = Instant::now();
            let answer = self.next_line(&mut reading, cancel).await?;
            let is_early = terminal::is_input_terminal() && shown.elapsed() < READING_TIME;
            if !is_early || !allows(answer.trim()) {
                return Some(answer);
            }
            question = TOO_EARLY;
        }
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
        if let Some(chosen) = self.choose(title, options, &dialog).await {
            return chosen;
        }
        let mut question = format!("{}\n", paint(HEADING, plain(title)));
        for (at, option) in options.iter().enumerate() {
            question.push_str(&format!(
                "  {} {}\n",
                paint(NAME, format_args!("{}.", at + 1)),
                visible_line(&plain(option))
            ));
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
        let _open = self.open_question();
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
        self.print(format!("{word}{}", visible(&plain(message))));
    }

    fn theme(&self, name: Option<&str>) -> Option<Value> {
        let named = name.map(Theme::built_in);
        let theme = named.as_ref().map_or(Some(tool_view::theme()), Option::as_ref)?;
        Some(theme.palette(tool_view::depth()))
    }

    fn screen(&self) -> ScreenInfo {
        let columns = terminal::error_width().unwrap_or(80);
        ScreenInfo::new(columns, terminal::error_rows().unwrap_or(24))
    }

    fn set_status(&self, _key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.print(paint(DIM, plain(text).replace(['\n', '\t'], " ")));
        }
    }

    fn set_widget(&self, _key: &str, content: Option<WidgetContent>, _placement: WidgetPlacement) {
        // Widgets are drawn by the tool. A live component needs a screen, which lines do not have.
        if let Some(WidgetContent::Lines(lines)) = content {
            lines.into_iter().for_each(|line| self.print_line(Line::Drawn(line)));
        }
    }
}
