//! The same promises in a real terminal multiplexer, which wraps rows again when it becomes narrower.

use std::time::{Duration, Instant};

use serde_json::json;
use toolsmith_host::exec::{self, Request};
use toolsmith_tool::CancelToken;

use super::{model, place};
use crate::place::Place;

/// A tmux server of its own; ends with the test.
struct Tmux {
    socket: String,
}

impl Tmux {
    async fn start(place: &Place, columns: u16) -> Option<Self> {
        Self::start_with(place, columns, "").await
    }

    /// Starts the program with more arguments, as a shell reads them.
    async fn start_with(place: &Place, columns: u16, more: &str) -> Option<Self> {
        let tmux = Self { socket: place.path("tmux.sock").display().to_string() };
        let program = env!("CARGO_BIN_EXE_toolsmith");
        let mut variables: Vec<String> =
            place.variables().into_iter().map(|(name, value)| format!("{name}='{value}'")).collect();
        variables.extend(["TERM=tmux-256color", "PATH=/usr/local/bin:/usr/bin:/bin"].map(str::to_owned));
        let command = format!(
            "cd '{}' && env -i {} '{program}' --model '{}' {more}; sleep 60",
            place.path("project").display(),
            variables.join(" "),
            model(place)
        );
        let columns = columns.to_string();
        let args = ["-f", "/dev/null", "start-server", ";", "set", "-g", "history-limit", "20000", ";"];
        let window = ["new-session", "-d", "-x", &columns, "-y", "24", &command];
        let started = tmux.run(&[&args[..], &window].concat()).await;
        // Without tmux there is nothing to test here.
        started.map(|_| tmux)
    }

    async fn run(&self, args: &[&str]) -> Option<String> {
        let args = ["-S", &self.socket].into_iter().chain(args.iter().copied());
        let outcome = exec::run(&Request::new("tmux").args(args), &CancelToken::new(), |_| {}).await.ok()?;
        (outcome.code == 0).then(|| outcome.stdout.text())
    }

    async fn all(&self) -> Vec<String> {
        let text = self.run(&["capture-pane", "-p", "-J", "-S", "-"]).await.unwrap_or_default();
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    async fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let all = self.all().await;
            if all.iter().any(|row| row.contains(text)) {
                return;
            }
            assert!(Instant::now() < end, "{text:?} never came:\n{}", all.join("\n"));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until the composer has this width.
    async fn wait_for_width(&self, columns: usize) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let text = self.run(&["capture-pane", "-p"]).await.unwrap_or_default();
            if text.lines().any(|line| line.trim_end() == "─".repeat(columns - 1)) {
                return;
            }
            assert!(Instant::now() < end, "{columns} columns never came:\n{text}");
        }
    }

    async fn wait_gone(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while self.all().await.iter().any(|row| row.contains(text)) {
            assert!(Instant::now() < end, "{text:?} stayed");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn end(&self) {
        self.run(&["kill-server"]).await;
    }
}

fn numbers(all: &[String]) -> Vec<usize> {
    all.iter().filter_map(|row| row.split("row ").nth(1)?.split(' ').next()?.trim().parse().ok()).collect()
}

#[tokio::test]
async fn c9_1_tmux_shows_every_row_once_also_when_it_is_resized() {
    let rows: String = (1..=1500).map(|number| format!("- row {number}\n")).collect();
    let place = place(&json!({ "chunk": 100, "paceMs": 1, "turns": [format!("{rows}\nThe end."), "Bye."] }));
    let Some(tmux) = Tmux::start(&place, 80).await else { return };
    tmux.wait_for("script/script").await;
    tmux.run(&["send-keys", "go", "Enter"]).await;
    tmux.wait_for("The end.").await;
    assert_eq!(numbers(&tmux.all().await), (1..=1500).collect::<Vec<_>>());
    // Resizing at rest leaves no copies: the wrapped rows of the live region are found again.
    tokio::time::sleep(Duration::from_millis(600)).await;
    for columns in ["50", "120", "40", "80"] {
        tmux.run(&["resize-window", "-x", columns, "-y", "24"]).await;
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    tmux.run(&["send-keys", "more", "Enter"]).await;
    tmux.wait_for("Bye.").await;
    let all = tmux.all().await;
    tmux.end().await;
    assert_eq!(numbers(&all), (1..=1500).collect::<Vec<_>>());
    let prompts = all.iter().filter(|row| row.starts_with('›')).count();
    assert_eq!(
        prompts,
        1,
        "the live region is there once:\n{}",
        all[all.len().saturating_sub(60)..].join("\n")
    );
}

/// Streams 600 rows and resizes the window meanwhile. Returns everything that the terminal has at the end.
async fn resized_while_streaming() -> Option<Vec<String>> {
    let long = "with so many words that it does not fit into forty columns";
    let rows: String = (1..=600).map(|number| format!("- row {number} {long}\n")).collect();
    let place = place(&json!({ "chunk": 60, "paceMs": 3, "turns": [format!("{rows}\nThe end."), "Bye."] }));
    let tmux = Tmux::start(&place, 120).await?;
    tmux.wait_for("script/script").await;
    tmux.run(&["send-keys", "go", "Enter"]).await;
    tmux.wait_for("row 20 ").await;
    let mut resized = 0;
    for columns in [40, 200, 41, 120, 80, 60, 100, 50, 42, 39, 38, 200].into_iter().cycle() {
        tmux.run(&["resize-window", "-x", &columns.to_string(), "-y", "24"]).await;
        resized += 1;
        tmux.wait_for_width(columns).await;
        // The speed of the person who resizes, not a time to wait for something.
        tokio::time::sleep(Duration::from_millis(200)).await;
        if tmux.all().await.iter().any(|row| row.contains("The end.")) {
            break;
        }
    }
    tmux.run(&["resize-window", "-x", "120", "-y", "24"]).await;
    tmux.wait_for_width(120).await;
    tmux.run(&["send-keys", "more", "Enter"]).await;
    tmux.wait_for("Bye.").await;
    let all = tmux.all().await;
    tmux.end().await;
    assert!(resized > 3, "{resized}");
    Some(all)
}

#[tokio::test]
async fn c9_1_tmux_shows_every_row_once_when_it_is_resized_while_an_answer_streams() {
    // A machine so busy that tmux is resized again before it has drawn the last frame can show rows twice (docs/terminal.md);
    // three times in a row it does not happen by chance.
    let mut all = Vec::new();
    for _ in 0..3 {
        let Some(shown) = resized_while_streaming().await else { return };
        all = shown;
        if numbers(&all).len() == 600 {
            break;
        }
    }
    assert_eq!(numbers(&all), (1..=600).collect::<Vec<_>>(), "{}", all.join("\n"));
    let prompts = all.iter().filter(|row| row.starts_with('›')).count();
    assert_eq!(prompts, 1, "the live region is there once:\n{}", all.join("\n"));
}

/// Draws without end, and its result tries to leave its place.
const HOSTILE: &str = r#"export default () => ({
  name: "hostile", label: "Hostile", description: "Draws without end", approval: "read",
  parameters: { type: "object", properties: {} },
  renderResult() { for (;;); },
  execute: async () => ({ content: [{ type: "text", text: "\x1b[2J\x1b[1;1Hmoved \x1b]0;title\x07\x1b[?1049h 漢字 👨‍👩‍👧 \t tab \r cr\nlast line of the tool" }] }),
});"#;

#[tokio::test]
async fn c9_2_in_tmux_keys_are_echoed_beside_an_endless_renderer_and_the_modes_are_restored() {
    let call = json!({ "reply": [{ "call": "hostile", "arguments": {} }] });
    let place = place(&json!([call, "Still here."]));
    place.write("project/.toolsmith/tools/hostile.ts", HOSTILE);
    let Some(tmux) = Tmux::start(&place, 80).await else { return };
    tmux.wait_for("script/script").await;
    tmux.run(&["send-keys", "go", "Enter"]).await;
    tmux.wait_for("Hostile").await;
    tmux.run(&["send-keys", "typed meanwhile"]).await;
    tmux.wait_for("› typed meanwhile").await;
    // The caret is behind what was typed, where input methods open.
    let cursor = tmux.run(&["display-message", "-p", "#{cursor_x}"]).await.unwrap_or_default();
    assert_eq!(cursor.trim(), "17");
    tmux.wait_for("last line of the tool").await;
    tmux.wait_for("Still here.").await;
    let all = tmux.all().await;
    assert!(all[0].contains("Toolsmith"), "nothing was drawn over:\n{}", all.join("\n"));
    let title = tmux.run(&["display-message", "-p", "#{pane_title}"]).await.unwrap_or_default();
    assert_ne!(title.trim(), "title");
    tmux.run(&["send-keys", "C-c"]).await;
    tmux.wait_gone("typed meanwhile").await;
    tmux.run(&["send-keys", "C-d"]).await;
    tmux.wait_for("--resume").await;
    let modes = "#{alternate_on} #{cursor_flag} #{wrap_flag} #{mouse_any_flag}";
    let state = tmux.run(&["display-message", "-p", modes]).await.unwrap_or_default();
    tmux.end().await;
    assert_eq!(state.trim(), "0 1 1 0");
}

/// Writes a session file with a conversation of this length, and returns its path.
fn long_session(place: &Place, messages: usize) -> String {
    let id = "00000000-0000-4000-8000-000000000000";
    let time = "2026-01-02T03:04:05.678Z";
    let header = json!({
        "type": "session", "format": "toolsmith", "version": 1, "id": id, "timestamp": time,
        "cwd": place.path("project"),
    });
    let mut lines =
        format!("{header}\n{}\n", json!({ "type": "title", "title": "", "pad": " ".repeat(200) }));
    for number in 0..messages {
        let content = json!([{ "type": "text", "text": format!("message {number} of a long session") }]);
        let message = if number % 2 == 0 {
            json!({ "role": "user", "content": content, "timestamp": 1_767_323_045_678_u64 })
        } else {
            json!({
                "role": "assistant", "content": content, "provider": "script", "model": "script",
                "stopReason": "stop", "timestamp": 1_767_323_045_678_u64,
                "usage": { "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2 },
            })
        };
        let parent = number.checked_sub(1).map(|before| format!("{before:08x}"));
        let entry = json!({
            "type": "message", "id": format!("{number:08x}"), "parentId": parent, "timestamp": time,
            "message": message,
        });
        lines.push_str(&format!("{entry}\n"));
    }
    let file = format!("2026-01-02T03-04-05-678Z_{id}.jsonl");
    place.write(&file, &lines);
    place.path(&file).display().to_string()
}

#[tokio::test]
async fn c9_2_in_tmux_a_session_of_ten_thousand_messages_shows_its_end_and_takes_keys() {
    let place = place(&json!({ "model": { "contextWindow": 1_000_000_000 }, "turns": ["One more answer."] }));
    let file = long_session(&place, 10_000);
    let Some(tmux) = Tmux::start_with(&place, 80, &format!("--resume '{file}'")).await else { return };
    tmux.wait_for("message 9999 of a long session").await;
    tmux.wait_for("earlier items").await;
    tmux.run(&["send-keys", "typed"]).await;
    tmux.wait_for("› typed").await;
    tmux.run(&["send-keys", "Enter"]).await;
    tmux.wait_for("One more answer.").await;
    let all = tmux.all().await;
    tmux.end().await;
    let ends = all.iter().filter(|row| row.contains("message 9999 ")).count();
    assert_eq!(ends, 1, "{}", all.join("\n"));
}

#[tokio::test]
async fn c9_2_in_tmux_an_idle_screen_writes_nothing_and_a_spinner_little() {
    let call = json!({ "reply": [{ "call": "bash", "arguments": { "command": "sleep 60" } }] });
    let place = place(&json!(["Hello.", call]));
    let Some(tmux) = Tmux::start_with(&place, 80, "--approval-mode yolo").await else { return };
    tmux.wait_for("script/script").await;
    tmux.run(&["send-keys", "hi", "Enter"]).await;
    tmux.wait_for("Hello.").await;
    tmux.wait_gone("Working").await;
    let output = place.path("output");
    tmux.run(&["pipe-pane", &format!("cat > '{}'", output.display())]).await;
    // The lengths of time are what is tested: nothing is written in the first, one frame for each tick in the second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let idle = std::fs::read(&output).unwrap_or_default();
    assert!(idle.is_empty(), "{}", String::from_utf8_lossy(&idle));
    tmux.run(&["send-keys", "go", "Enter"]).await;
    tmux.wait_for("sleep 60").await;
    // A tenth frame of the spinner comes after everything that the start of the call draws.
    tmux.wait_for("⠏").await;
    let before = std::fs::read(&output).unwrap().len();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let drawn = std::fs::read(&output).unwrap().split_off(before);
    tmux.end().await;
    let text = String::from_utf8_lossy(&drawn).into_owned();
    let mut ticks: Vec<usize> =
        text.split(|sign| "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".contains(sign)).map(|tick| tick.len() + 3).collect();
    assert!(ticks.len() > 5, "{text:?}");
    // Once a second the time changes too.
    ticks.sort_unstable();
    assert!(ticks[ticks.len() / 2] <= 40, "{ticks:?} bytes: {text:?}");
}
