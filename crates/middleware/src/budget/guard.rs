//! Enforces budgets: limits calls, counts what they and model requests use, and ends runs.

use std::{
    collections::HashSet,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use toolsmith_agent::{
    AgentEvent, CallEnd, CallLimit, CallLimits, CallMonitor, CallOutcome, TurnContext, TurnHook,
};
use toolsmith_llm::{Message, message_tokens};
use toolsmith_session::{RecordedUse, UseReader};
use toolsmith_tool::{CallMetrics, ToolResult};

use super::{
    ledger::DayLedger,
    limits::{Allowance, Amount, Budgets, Limited},
    text,
    used::Used,
};

/// Maximum number of names that a message lists.
const MAX_NAMES: usize = 10;

type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// Enforces the budgets of one session. Clones are the same guard.
#[derive(Clone)]
pub struct BudgetGuard {
    shared: Arc<Shared>,
}

struct Shared {
    budgets: Budgets,
    ledger: DayLedger,
    state: Mutex<State>,
    notify: Mutex<Option<Notify>>,
}

#[derive(Default)]
struct State {
    /// Id of the session that `session` is about.
    id: Option<String>,
    session: Used,
    /// Estimated tokens of the model request in progress, if tokens are limited.
    request_tokens: u64,
    /// Names of calls of this run that were not run.
    not_run: Vec<String>,
    /// Warnings that were given already.
    warned: HashSet<String>,
}

impl BudgetGuard {
    /// Creates a guard; `None` if nothing is limited.
    pub fn new(budgets: Budgets, ledger: DayLedger) -> Option<Self> {
        if budgets.is_empty() {
            return None;
        }
        let (state, notify) = (Mutex::default(), Mutex::default());
        Some(Self { shared: Arc::new(Shared { budgets, ledger, state, notify }) })
    }

    /// Sets who receives warnings.
    pub fn set_notify(&self, notify: impl Fn(&str) + Send + Sync + 'static) {
        *self.shared.notify.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(notify));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Warns once about what `key` names.
    fn warn(&self, key: String, message: String) {
        if !self.state().warned.insert(key) {
            return;
        }
        if let Some(notify) = &*self.shared.notify.lock().unwrap_or_else(PoisonError::into_inner) {
            notify(&message);
        }
    }

    /// Counts what was used, and warns about soft limits.
    fn count(&self, used: &Used) {
        let session = {
            let mut state = self.state();
            state.session.add(used);
            state.session
        };
        for limited in self.shared.budgets.session.soft.used_up(&session) {
            self.warn(format!("session.{}", limited.what), text::soft("session", &limited));
        }
        if self.shared.budgets.day.is_empty() {
            return;
        }
        if let Err(error) = self.shared.ledger.add(used) {
            self.warn(error.to_string(), error.to_string());
        }
        if let Ok((day, unreadable)) = self.shared.ledger.today() {
            for limited in self.shared.budgets.day.soft.used_up(&day) {
                self.warn(format!("day.{}", limited.what), text::soft("day", &limited));
            }
            if unreadable > 0 {
                let message = "The record of the day has lines that cannot be read; they are not counted.";
                self.warn(message.to_owned(), message.to_owned());
            }
        }
    }

    /// Returns the message about the first hard limit of the session or the day that is used up.
    fn used_up(&self) -> Option<String> {
        let budgets = &self.shared.budgets;
        let session = self.state().session;
        if let Some(limited) = budgets.session.hard.used_up(&session).first() {
            return Some(text::used_up("session", limited));
        }
        if budgets.day.hard.is_empty() {
            return None;
        }
        match self.shared.ledger.today() {
            Ok((day, _)) => {
                budgets.day.hard.used_up(&day).first().map(|limited| text::used_up("day", limited))
            }
            // A limit that cannot be checked is kept, not forgotten.
            Err(error) => {
                Some(format!("The budget of the day cannot be checked: {error}. Remove the file to go on."))
            }
        }
    }

    /// Returns the limits of a call: its own, and what is left of the session and the day.
    fn limits(&self, tool: &str) -> CallLimits {
        let budgets = &self.shared.budgets;
        let own = budgets.of_call(tool).hard;
        let key = |what: &str, is_own: bool| match is_own {
            true => format!("budget.tools.{tool}.{what}"),
            false => format!("budget.call.{what}"),
        };
        let of_tool = budgets.tools.get(tool).map(|budget| budget.hard).unwrap_or_default();
        let limit = |what: &str, most: Option<u64>, is_own: bool| {
            most.map(|most| {
                CallLimit::new(most, text::exceeded(what, Amount::Whole(most), &key(what, is_own)))
            })
        };
        let time = own.time.map(|most| {
            let amount = Amount::Whole(microseconds(most));
            CallLimit::new(most, text::exceeded("time", amount, &key("time", of_tool.time.is_some())))
        });
        let mut limits = CallLimits::default();
        limits.time = time;
        limits.memory = limit("memory", own.memory, of_tool.memory.is_some());
        limits.processes = limit("processes", own.processes, of_tool.processes.is_some());
        let session = self.state().session;
        add_rest(&mut limits, "session", &budgets.session.hard, &session);
        if !budgets.day.hard.is_empty()
            && let Ok((day, _)) = self.shared.ledger.today()
        {
            add_rest(&mut limits, "day", &budgets.day.hard, &day);
        }
        limits
    }

    /// Withholds a result that is larger than the budget of its call, and warns about soft limits.
    fn check_result(&self, outcome: &mut CallOutcome, metrics: &CallMetrics) {
        let tool = outcome.name.clone();
        let budget = self.shared.budgets.of_call(&tool);
        let of_tool = self.shared.budgets.tools.get(&tool).copied().unwrap_or_default();
        for (what, used, hard, is_own) in [
            ("output", metrics.output_bytes, budget.hard.output, of_tool.hard.output.is_some()),
            ("tokens", metrics.result_tokens, budget.hard.tokens, of_tool.hard.tokens.is_some()),
        ] {
            // The text about a call that was stopped is not the tool's.
            let limit = hard.filter(|limit| used > *limit && outcome.end == CallEnd::Answered);
            let Some(limit) = limit else { continue };
            let key =
                if is_own { format!("budget.tools.{tool}.{what}") } else { format!("budget.call.{what}") };
            let text = format!(
                "The result was withheld: {}, more than the budget of {} ({key}). The call itself was completed. {}",
                text::amount_text(what, Amount::Whole(used)),
                text::amount_text(what, Amount::Whole(limit)),
                text::how_to_raise(&key),
            );
            let details = outcome.result.details.take();
            outcome.result = ToolResult { details, ..ToolResult::error(text) };
            outcome.end = CallEnd::OverBudget;
            break;
        }
        let soft = budget.soft;
        let used = [
            ("time", soft.time.map(microseconds), Some(metrics.wall_us), of_tool.soft.time.is_some()),
            ("memory", soft.memory, metrics.peak_memory_bytes, of_tool.soft.memory.is_some()),
            ("processes", soft.processes, metrics.processes, of_tool.soft.processes.is_some()),
            ("output", soft.output, Some(metrics.output_bytes), of_tool.soft.output.is_some()),
            ("tokens", soft.tokens, Some(metrics.result_tokens), of_tool.soft.tokens.is_some()),
        ];
        for (what, limit, used, is_own) in used {
            if let (Some(limit), Some(used)) = (limit, used)
                && used > limit
            {
                let key = if is_own { format!("tools.{tool}.{what}") } else { format!("call.{what}") };
                let message = format!(
                    "A call of {tool} used {}, more than the soft limit of {} (budget.warn.{key}).",
                    text::amount_text(what, Amount::Whole(used)),
                    text::amount_text(what, Amount::Whole(limit)),
                );
                self.warn(format!("{tool} {key}"), message);
            }
        }
    }
}

/// Tightens the limits of a call to what is left of a budget.
fn add_rest(limits: &mut CallLimits, scope: &str, budget: &Allowance, used: &Used) {
    let message = |what: &'static str, limit: Amount, used: Amount| {
        let limited = Limited { what, limit, used };
        text::used_up(scope, &limited)
    };
    if let Some(limit) = budget.time {
        let rest = limit.saturating_sub(Duration::from_micros(used.time_us));
        if limits.time.as_ref().is_none_or(|own| rest < own.most) {
            let amount = Amount::Whole(microseconds(limit));
            limits.time = Some(CallLimit::new(rest, message("time", amount, amount)));
        }
    }
    if let Some(limit) = budget.processes {
        let rest = limit.saturating_sub(used.processes);
        if limits.processes.as_ref().is_none_or(|own| rest < own.most) {
            let amount = Amount::Whole(limit);
            limits.processes = Some(CallLimit::new(rest, message("processes", amount, amount)));
        }
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl CallMonitor for BudgetGuard {
    fn starting(&self, tool: &str) -> Result<CallLimits, String> {
        if let Some(message) = self.used_up() {
            self.state().not_run.push(tool.to_owned());
            return Err(format!("Not run. {message}"));
        }
        Ok(self.limits(tool))
    }

    fn ended(&self, outcome: &mut CallOutcome, _started: SystemTime) {
        let Some(metrics) = outcome.metrics else { return };
        self.check_result(outcome, &metrics);
        self.count(&Used::of_call(&metrics));
    }
}

#[async_trait]
impl TurnHook for BudgetGuard {
    async fn run_started(&self, context: &TurnContext) {
        self.state().not_run.clear();
        let session = context.tool_context().session;
        let (id, file) = (session.session_id(), session.session_file());
        if self.state().id.as_ref() == Some(&id) {
            return;
        }
        // Another session, or one that is continued: it has used what its file says.
        let used = if self.shared.budgets.session.is_empty() { Used::default() } else { used_by(file).await };
        let mut state = self.state();
        (state.id, state.session) = (Some(id), used);
    }

    async fn before_request(&self, context: &TurnContext) {
        if self.shared.budgets.limit_tokens() {
            let messages: u64 = context.messages().iter().map(|message| message_tokens(message)).sum();
            self.state().request_tokens = messages.saturating_add(context.fixed_tokens());
        }
    }

    fn on_event(&self, event: &AgentEvent) {
        if let AgentEvent::MessageEnd { message: message @ Message::Assistant(answer) } = event {
            let mut used = Used::of_response(&answer.usage);
            // Some servers report no usage. A limit that such a server could ignore would be none.
            if used.tokens == 0 {
                used.tokens = self.state().request_tokens.saturating_add(message_tokens(message));
            }
            self.count(&used);
        }
    }

    fn limit_reached(&self) -> Option<String> {
        let message = self.used_up()?;
        let not_run = std::mem::take(&mut self.state().not_run);
        let calls = match not_run.len() {
            0 => String::new(),
            1 => format!(" and 1 tool call ({})", names(&not_run)),
            count => format!(" and {count} tool calls ({})", names(&not_run)),
        };
        Some(format!("{message} Left undone: the next model request{calls}."))
    }
}

fn names(names: &[String]) -> String {
    let mut shown: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    if names.len() > MAX_NAMES {
        shown.push("…");
    }
    shown.join(", ")
}

/// Returns what the session in a file has used.
async fn used_by(file: Option<PathBuf>) -> Used {
    let Some(file) = file else { return Used::default() };
    let read = tokio::task::spawn_blocking(move || {
        let mut used = Used::default();
        let outcome = UseReader::default().read(&file, |record| match record {
            RecordedUse::Call(call) => {
                if let Some(metrics) = &call.metrics {
                    used.add(&Used::of_call(metrics));
                }
            }
            RecordedUse::Response(response) => used.add(&Used::of_response(&response.usage)),
            _ => {}
        });
        // A session that was never written has no file yet.
        if let Err(error) = outcome
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "The use of the session could not be read");
        }
        used
    });
    read.await.unwrap_or_default()
}

impl fmt::Debug for BudgetGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetGuard").field("budgets", &self.shared.budgets).finish_non_exhaustive()
    }
}
