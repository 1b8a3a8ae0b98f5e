//! The answer on standard output; progress on standard error, if it is a terminal.

use std::{collections::BTreeSet, io::Write as _, pin::pin, time::Duration};

use anyhow::Result;
use serde_json::Value;
use toolsmith::Session;
use toolsmith_agent::{AgentEvent, RunEnd, Subscription, is_refused_unasked};
use toolsmith_tool::{CompactionTrigger, SessionEvent};

use crate::{
    escapes::plain,
    interface::TerminalUi,
    output::harmless,
    streams,
    terminal::{self, DIM, ERROR, GOOD, NAME, WARNING, paint},
};

/// Maximum characters of arguments shown beside a call.
const SHOWN_CHARS: usize = 100;

/// Shows runs until `work` is done, then the model's final text.
pub(super) async fn follow(
    mut events: Subscription,
    session: &Session,
    terminal: Option<&TerminalUi>,
    work: impl Future<Output = Result<()>>,
) -> Result<RunEnd> {
    let watched = terminal::is_error_terminal();
    let mut refused = BTreeSet::new();
    let mut last = None;
    let mut take = |event: &AgentEvent| {
        if watched {
            show(event, terminal);
        }
        // The model is informed each time; the user once per tool.
        if let AgentEvent::ToolExecutionEnd { tool_name, result, .. } = event
            && is_refused_unasked(result)
            && refused.insert(tool_name.clone())
        {
            tell_refused(tool_name);
        }
        if let AgentEvent::Notice { message } = event
            && !watched
            && message.starts_with("Extension ")
        {
            let _ = writeln!(streams::stderr(), "{} {}", paint(WARNING, "warning:"), harmless(message));
        }
        if let AgentEvent::AgentEnd { end, .. } = event {
            last = Some(end.clone());
        }
    };
    let mut work = pin!(work);
    let outcome = loop {
        tokio::select! {
            biased;
            event = events.next() => match event {
                Some(event) => take(&event),
                None => break Ok(()),
            },
            outcome = &mut work => break outcome,
        }
    };
    while let Some(event) = events.try_next() {
        take(&event);
    }
    outcome?;
    let Some(end) = last else { return Ok(RunEnd::Completed) };
    let summary = session.wait_for_idle().await;
    let text = summary.as_ref().map_or("", |summary| summary.text.trim_end());
    if !text.is_empty() {
        writeln!(streams::stdout(), "{}", plain(text))?;
    }
    Ok(end)
}

/// Reports that a call was refused because nobody could be asked, and how to allow it (CONTRACT 5.4).
fn tell_refused(tool: &str) {
    let tool = harmless(tool);
    let _ = writeln!(
        streams::stderr(),
        "{} {tool} needs approval and nobody can be asked here; --set tools.approval.{tool}=allow allows it, \
         --auto-approve allows everything",
        paint(WARNING, "refused:")
    );
}

fn show(event: &AgentEvent, terminal: Option<&TerminalUi>) {
    let line = match event {
        AgentEvent::ToolExecutionStart { tool_name, args, .. } => {
            format!("{} {}", paint(NAME, format_args!("→ {tool_name}")), paint(DIM, arguments(args)))
        }
        AgentEvent::ToolExecutionUpdate { tool_name, partial_result, .. } => {
            let text = partial_result.joined_text();
            let Some(last) = text.trim_end().lines().next_back() else { return };
            paint(DIM, format_args!("  {tool_name}: {}", cut(last)))
        }
        AgentEvent::ToolExecutionEnd { tool_name, result, is_error, duration_ms, .. } => {
            let text = result.joined_text();
            let first = cut(text.lines().next().unwrap_or_default());
            let mark = if *is_error { paint(ERROR, "✗") } else { paint(GOOD, "✓") };
            format!("{mark} {} {} {first}", harmless(tool_name), paint(DIM, format_args!("{duration_ms} ms")))
        }
        // An error that ends the run is reported at the end.
        AgentEvent::Session(event) => match session_line(event) {
            Some(line) => paint(DIM, line),
            None => return,
        },
        AgentEvent::Notice { message } => paint(DIM, harmless(message)),
        _ => return,
    };
    match terminal {
        Some(terminal) => terminal.print(line),
        None => {
            let _ = writeln!(streams::stderr(), "{line}");
        }
    }
}

/// Shows session events that are relevant to a waiting user.
fn session_line(event: &SessionEvent) -> Option<String> {
    Some(match event {
        SessionEvent::AutoRetryStart(start) => {
            let wait = Duration::from_millis(start.delay_ms);
            let of = format_args!("{} of {}", start.attempt, start.max_attempts);
            format!("retrying in {:.1} s ({of}): {}", wait.as_secs_f64(), harmless(&start.error_message))
        }
        SessionEvent::AutoCompactionStart { trigger: CompactionTrigger::Overflow, .. } => {
            "compacting the session: it is too long for the model".to_owned()
        }
        SessionEvent::AutoCompactionStart { .. } => {
            "compacting the session: it exceeds the threshold".to_owned()
        }
        SessionEvent::AutoCompactionEnd(end) => {
            let result = end.result.as_ref()?;
            format!("compacted from about {} to {} tokens", result["tokensBefore"], result["tokensAfter"])
        }
        SessionEvent::TtsrTriggered { rules } => {
            let names: Vec<&str> = rules.iter().filter_map(|rule| rule["name"].as_str()).collect();
            format!("response interrupted by a rule: {}", harmless(&names.join(", ")))
        }
        SessionEvent::TodoReminder(reminder) => {
            let (open, attempt, most) = (reminder.todos.len(), reminder.attempt, reminder.max_attempts);
            format!("reminded of {open} open tasks ({attempt}/{most})")
        }
        _ => return None,
    })
}

fn arguments(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    crate::output::cut(text, SHOWN_CHARS)
}
