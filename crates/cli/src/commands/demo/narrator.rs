//! Output of the tour: responses, calls, results and explanations.

use std::{collections::HashMap, io::Write as _, path::Path, time::Duration};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::Session;
use toolsmith_agent::AgentEvent;
use toolsmith_llm::StreamEvent;
use toolsmith_tool::{RenderOptions, ToolResult};

use super::stage::Stage;
use crate::{
    output::{cut, print_json},
    streams::{self, Control},
    terminal::{self, DIM, ERROR, GOOD, HEADING, HINT, NAME, paint},
};

const BOX_WIDTH: usize = 64;

/// Explanation of a finished call, by tool and number of the call.
const MEANINGS: &[(&str, usize, &str)] = &[
    (
        "repo_stats",
        1,
        "Arguments are validated before a tool runs. The model receives the error and can correct the call.",
    ),
    ("repo_stats", 2, "The tool draws this box itself, in renderResult."),
    (
        "slow_count",
        1,
        "Its updates arrived while another tool was looping: each tool has its own thread and engine.",
    ),
    (
        "endless",
        1,
        "`while (true) {}` ignores signals. Its deadline passed and its engine was stopped; nothing else was affected.",
    ),
    ("endless", 2, "The next call got a new engine. The new engine starts with empty state."),
    (
        "batch_rename",
        1,
        "Nothing was renamed: the tool staged an action. The model must now apply or discard it.",
    ),
    ("resolve", 1, "The files were renamed only now. `discard` would have dropped the change."),
];

struct Started {
    name: String,
    arguments: Value,
}

/// Narrates one run.
pub(super) struct Narrator<'a> {
    session: &'a Session,
    as_json: bool,
    /// Set if lines can be redrawn.
    redraws: bool,
    calls: HashMap<String, Started>,
    counts: HashMap<String, usize>,
    drawn_over: bool,
    report: Vec<Value>,
}

impl<'a> Narrator<'a> {
    pub(super) fn new(session: &'a Session, as_json: bool) -> Self {
        Self {
            session,
            as_json,
            redraws: terminal::is_output_terminal(),
            calls: HashMap::new(),
            counts: HashMap::new(),
            drawn_over: false,
            report: Vec::new(),
        }
    }

    fn line(&mut self, text: &str) -> Result<()> {
        if self.as_json {
            return Ok(());
        }
        let mut out = streams::stdout();
        if std::mem::take(&mut self.drawn_over) {
            out.control(Control::LineStart)?;
            out.control(Control::ClearLine)?;
        }
        // The lines of renderers are among them.
        out.rendered(text)?;
        Ok(())
    }

    pub(super) fn begin(&mut self, prompt: &str, loading: Duration, has_git: bool) -> Result<()> {
        self.line(&paint(HEADING, "Toolsmith tour: a scripted model, real tools, no network"))?;
        let loaded = self.session.loaded();
        let tools: Vec<&str> = loaded.tools.iter().map(toolsmith::CustomTool::name).collect();
        let milliseconds = loading.as_millis();
        self.line(&paint(
            DIM,
            format_args!(
                "{} TypeScript modules loaded in {milliseconds} ms: {}",
                tools.len(),
                tools.join(", ")
            ),
        ))?;
        if !has_git {
            self.line(&paint(
                DIM,
                "git is not installed; the tool that counts the files of a repository is left out",
            ))?;
        }
        self.line("")?;
        self.line(&format!("{} {prompt}", paint(HEADING, "you  ")))
    }

    pub(super) async fn hear(&mut self, event: &AgentEvent) -> Result<()> {
        match event {
            AgentEvent::MessageUpdate { assistant_message_event } => match assistant_message_event {
                StreamEvent::ThinkingEnd { content, .. } => {
                    self.line(&format!("{} {}", paint(HEADING, "model"), paint(DIM, content)))
                }
                StreamEvent::TextEnd { content, .. } => {
                    self.line(&format!("{} {content}", paint(HEADING, "model")))
                }
                _ => Ok(()),
            },
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                *self.counts.entry(tool_name.clone()).or_default() += 1;
                let started = Started { name: tool_name.clone(), arguments: args.clone() };
                self.calls.insert(tool_call_id.clone(), started);
                let arguments = cut(&args.to_string(), 90);
                self.line(&format!(
                    "  {} {}",
                    paint(NAME, format_args!("→ {tool_name}")),
                    paint(DIM, arguments)
                ))
            }
            AgentEvent::ToolExecutionUpdate { tool_name, partial_result, .. } => {
                self.update(tool_name, partial_result)
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, result, is_error, duration_ms, .. } => {
                self.finished(tool_call_id, result, *is_error, *duration_ms).await
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, name: &str, partial: &ToolResult) -> Result<()> {
        let text = partial.joined_text();
        let shown = format!("    {}", paint(DIM, format_args!("{name}: {}", cut(text.trim(), 80))));
        if !self.redraws || self.as_json {
            return self.line(&shown);
        }
        let mut out = streams::stdout();
        out.control(Control::LineStart)?;
        out.control(Control::ClearLine)?;
        write!(out, "{shown}")?;
        out.flush()?;
        self.drawn_over = true;
        Ok(())
    }

    async fn finished(
        &mut self,
        id: &str,
        result: &ToolResult,
        is_error: bool,
        duration_ms: u64,
    ) -> Result<()> {
        let Some(Started { name, arguments }) = self.calls.remove(id) else { return Ok(()) };
        let mark = if is_error { paint(ERROR, "✗") } else { paint(GOOD, "✓") };
        self.line(&format!("  {mark} {name} {}", paint(DIM, format_args!("after {duration_ms} ms"))))?;
        let lines = self.drawn(&name, result, &arguments).await;
        for line in lines {
            self.line(&line)?;
        }
        let count = self.counts.get(&name).copied().unwrap_or_default();
        let meaning =
            MEANINGS.iter().find(|(tool, nth, _)| *tool == name && *nth == count).map(|(.., text)| *text);
        if let Some(meaning) = meaning {
            self.line(&format!("  {} {}", paint(HINT, "i"), paint(HINT, meaning)))?;
        }
        self.report.push(json!({
            "tool": name, "arguments": arguments, "isError": is_error, "durationMs": duration_ms,
            "text": result.joined_text(), "meaning": meaning,
        }));
        self.line("")
    }

    /// Returns the tool's rendering in a box, or its text.
    async fn drawn(&self, name: &str, result: &ToolResult, arguments: &Value) -> Vec<String> {
        let tool = self
            .session
            .agent()
            .dispatcher()
            .registry()
            .read(|registry| registry.get(name).map(|found| found.tool.clone()));
        let width = terminal::output_width().unwrap_or(BOX_WIDTH + 6).saturating_sub(6).min(BOX_WIDTH);
        let rendered = match tool {
            Some(tool) if !result.is_error => {
                tool.render_result(result, &RenderOptions::new(width), arguments).await
            }
            _ => None,
        };
        match rendered {
            Some(rendered) => {
                let rows = rendered.lines.iter().map(|line| {
                    let blank = " ".repeat(width.saturating_sub(visible_width(line)));
                    format!("    {} {line}{blank} {}", paint(DIM, "│"), paint(DIM, "│"))
                });
                let edge = "─".repeat(width + 2);
                let mut lines = vec![format!("    {}", paint(DIM, format_args!("╭{edge}╮")))];
                lines.extend(rows);
                lines.push(format!("    {}", paint(DIM, format_args!("╰{edge}╯"))));
                lines
            }
            None => {
                result.joined_text().lines().take(8).map(|line| format!("    {}", cut(line, 100))).collect()
            }
        }
    }

    /// Ends the tour. `kept` is the file of the session, if it stays.
    pub(super) fn end(&mut self, stage: &Stage, elapsed: Duration, kept: Option<&Path>) -> Result<()> {
        let notes = stage.notes();
        if self.as_json {
            let seconds = elapsed.as_secs_f64();
            let mut report = json!({ "calls": self.report, "notes": notes, "seconds": seconds });
            if let Some(session) = kept {
                report["session"] = session.to_string_lossy().into();
            }
            print_json(&report)?;
            return Ok(());
        }
        self.line("")?;
        self.line(&format!(
            "{} in {:.1} s. The notes are now: {}",
            paint(GOOD, "Done"),
            elapsed.as_secs_f64(),
            notes.join(", ")
        ))?;
        if let Some(session) = kept {
            self.line(&format!("The session is {}. To replay it:", session.display()))?;
            let command = format!(
                "toolsmith replay --cwd {} --tool {} {}",
                stage.project().display(),
                stage.tools_folder().display(),
                session.display()
            );
            self.line(&format!("  {}", paint(NAME, command)))?;
        }
        self.line("")?;
        self.line(&paint(HEADING, "Next"))?;
        for (command, what) in [
            ("toolsmith new hello", "create a tool"),
            ("toolsmith call hello name=World", "call it without a model"),
            ("toolsmith -p \"greet Ada\"", "let a model call it"),
        ] {
            self.line(&format!("  {} {}", paint(NAME, format_args!("{command:<34}")), paint(DIM, what)))?;
        }
        Ok(())
    }
}

/// Returns the width of a line without its colours.
fn visible_width(line: &str) -> usize {
    use unicode_width::UnicodeWidthStr as _;
    toolsmith_text::plain(line).width()
}
