//! What reaches outside the screen: the window title, notifications, the clipboard, and the external editor.

use std::time::Duration;

use base64::Engine as _;
use toolsmith::tool::{CancelToken, NoticeLevel};
use toolsmith_host::exec;

use super::{effect::Effect, interface::App};

/// Runs that took longer are announced when they end.
const LONG_RUN: Duration = Duration::from_secs(5);
/// Terminals ignore larger clipboard contents.
const MAX_CLIPBOARD: usize = 100 << 10;

impl App {
    /// Adds the title to what is written next, if it changed.
    pub(super) fn write_title(&mut self) {
        if !std::mem::take(&mut self.title_dirty) {
            return;
        }
        let folder =
            self.options.cwd.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = self.title.clone().or_else(|| self.status.session_name.clone()).unwrap_or(folder);
        let sign = if self.running.is_some() { "● " } else { "" };
        let title: String = format!("{sign}{name} – toolsmith")
            .chars()
            .filter(|c| !toolsmith_tool::is_hidden(*c))
            .take(100)
            .collect();
        self.controls.push_str(&format!("\x1b]2;{title}\x1b\\"));
    }

    /// Announces the end of a long run to somebody who looks elsewhere.
    pub(super) fn notify_end(&mut self, duration: Option<Duration>) {
        let is_long = duration.is_some_and(|duration| duration >= LONG_RUN);
        if self.options.notifies && is_long && !self.is_focused {
            self.controls.push_str("\x07\x1b]9;Toolsmith has finished\x1b\\");
        }
    }

    /// Copies text: by the terminal, which works over SSH, and by a program of the system.
    pub(super) fn copy(&mut self, text: &str) {
        if text.len() <= MAX_CLIPBOARD {
            let encoded = base64::engine::general_purpose::STANDARD.encode(text);
            self.controls.push_str(&format!("\x1b]52;c;{encoded}\x1b\\"));
        }
        let text = text.to_owned();
        tokio::spawn(async move {
            const PROGRAMS: [(&str, &[&str]); 3] =
                [("wl-copy", &[]), ("xclip", &["-selection", "clipboard"]), ("pbcopy", &[])];
            for (program, arguments) in PROGRAMS {
                let request = exec::Request::new(program)
                    .args(arguments.iter().copied())
                    .stdin(exec::Stdin::Bytes(text.clone().into_bytes()))
                    .timeout(Duration::from_secs(5));
                if exec::run(&request, &CancelToken::new(), |_| {})
                    .await
                    .is_ok_and(|outcome| outcome.code == 0)
                {
                    break;
                }
            }
        });
    }

    /// Edits the prompt in the user's editor.
    pub(super) fn external_editor(&mut self) {
        let editor = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
        let Some(editor) = editor else {
            return self.notice(NoticeLevel::Warning, "Set VISUAL or EDITOR to the editor to use.");
        };
        self.erase();
        self.tty.release();
        let edited = edit(&editor, &self.composer.text());
        self.resume();
        match edited {
            Ok(text) => self.perform(Effect::SetText(text.trim_end_matches('\n').to_owned())),
            Err(error) => self.notice(NoticeLevel::Error, &format!("The editor failed: {error}")),
        }
    }
}

/// Runs the editor on a temporary file, on the terminal itself.
fn edit(editor: &str, text: &str) -> Result<String, String> {
    let file = tempfile::Builder::new()
        .prefix("prompt-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| error.to_string())?;
    std::fs::write(file.path(), text).map_err(|error| error.to_string())?;
    let path = file.path().to_string_lossy().into_owned();
    let status = toolsmith_host::exec::edit_on_terminal(editor, &path).map_err(|error| error.to_string())?;
    if status != 0 {
        return Err(format!("exit code {status}"));
    }
    std::fs::read_to_string(file.path()).map_err(|error| error.to_string())
}
