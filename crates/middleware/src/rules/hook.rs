//! The stream-rule hook: a response that breaks a rule is dropped, the rule is sent to the model, and the request is
//! repeated.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use toolsmith_agent::{Interrupt, Interruption, RunEnd, TurnContext, TurnHook};
use toolsmith_llm::{AssistantMessage, InputMessage, Message, StopReason, StreamEvent};
use toolsmith_session::{CurrentSession, EntryKind};
use toolsmith_tool::SessionEvent;

use super::{
    rule::{InterruptMode, Rule},
    watch::{Hit, Watch},
};

/// Maximum number of times a rule is sent between two prompts. Otherwise a rule that the next response breaks again
/// would loop forever.
const MAX_SHOWN: u32 = 3;

/// When a rule that was sent is active again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repeat {
    /// Never in this session.
    #[default]
    Once,
    /// After this many turns, at least one.
    AfterGap(u64),
}

/// Handling of broken rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RuleSettings {
    /// Which responses are interrupted, unless a rule overrides it.
    pub interrupt: InterruptMode,
    /// When a rule is sent again.
    pub repeat: Repeat,
    /// Keeps an interrupted response in the conversation.
    pub keep_partial: bool,
}

impl RuleSettings {
    /// Sets which responses are interrupted.
    #[must_use]
    pub fn interrupt(mut self, mode: InterruptMode) -> Self {
        self.interrupt = mode;
        self
    }

    /// Sets when rules are sent again.
    #[must_use]
    pub fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// Keeps interrupted responses.
    #[must_use]
    pub fn keep_partial(mut self, keep: bool) -> Self {
        self.keep_partial = keep;
        self
    }
}

/// The turn hook for stream rules.
#[derive(Debug)]
pub struct StreamRules {
    rules: Vec<Rule>,
    settings: RuleSettings,
    session: CurrentSession,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answer: Watch,
    /// Rules that interrupt the current response.
    broken: Vec<usize>,
    /// Rules sent after the turn.
    later: Vec<usize>,
    /// The turn after which each rule was last sent on this branch, by name.
    shown: HashMap<String, u64>,
    /// Number of times each rule was sent since the last prompt.
    shown_in_run: HashMap<usize, u32>,
    /// Names of rules that were sent but not recorded yet.
    unrecorded: Vec<String>,
    /// Complete turns so far.
    turns: u64,
}

impl StreamRules {
    /// Creates a hook for those of `rules` that have a condition. Returns `None` if none has.
    pub fn new(rules: &[Rule], settings: RuleSettings, session: CurrentSession) -> Option<Self> {
        let rules: Vec<Rule> = rules.iter().filter(|rule| rule.is_stream_rule()).cloned().collect();
        (!rules.is_empty()).then(|| Self { rules, settings, session, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_looked_for(&self, state: &State, index: usize, rule: &Rule) -> bool {
        if state.shown_in_run.get(&index).is_some_and(|times| *times >= MAX_SHOWN) {
            return false;
        }
        match (state.shown.get(&rule.name), self.settings.repeat) {
            (None, _) => true,
            (Some(_), Repeat::Once) => false,
            // A complete response comes in between, so that the model can answer at all.
            (Some(turn), Repeat::AfterGap(gap)) => state.turns.saturating_sub(*turn) >= gap.max(1),
        }
    }

    fn sort(&self, state: &mut State, hits: Vec<Hit>) {
        for hit in hits {
            let mode = self.rules[hit.rule].interrupt.unwrap_or(self.settings.interrupt);
            let interrupts = mode.interrupts(hit.in_tool);
            if interrupts { &mut state.broken } else { &mut state.later }.push(hit.rule);
        }
    }

    /// Marks rules as sent, and returns them.
    fn show(&self, state: &mut State, indices: &[usize]) -> Vec<&Rule> {
        let turns = state.turns;
        let mut shown = Vec::new();
        for index in indices {
            let rule = &self.rules[*index];
            state.shown.insert(rule.name.clone(), turns);
            *state.shown_in_run.entry(*index).or_default() += 1;
            state.unrecorded.push(rule.name.clone());
            shown.push(rule);
        }
        shown
    }

    /// Records which rules were sent, after the message with them.
    fn record(&self) {
        let rules = mem::take(&mut self.state().unrecorded);
        if rules.is_empty() {
            return;
        }
        // The next run on this branch sends them once more, which is harmless.
        if let Err(error) = self.session.get().append(EntryKind::StreamRules { rules }) {
            tracing::warn!(%error, "Could not record which stream rules were sent");
        }
    }
}

#[async_trait]
impl TurnHook for StreamRules {
    /// The branch determines what was sent: the session or the position may have changed.
    async fn run_started(&self, _context: &TurnContext) {
        self.record();
        let on_branch: HashSet<String> = self.session.get().state().stream_rules.into_iter().collect();
        let mut state = self.state();
        let turns = state.turns;
        state.shown.retain(|name, _| on_branch.contains(name));
        for name in on_branch {
            state.shown.entry(name).or_insert(turns);
        }
        state.shown_in_run.clear();
        state.later.clear();
    }

    async fn before_request(&self, _context: &TurnContext) {
        self.record();
    }

    fn on_stream(&self, event: &StreamEvent, _partial: &AssistantMessage) -> Option<Interrupt> {
        let mut state = self.state();
        if matches!(event, StreamEvent::Start) {
            let rules = self.rules.iter().enumerate();
            let looked_for = rules.map(|(index, rule)| self.is_looked_for(&state, index, rule)).collect();
            state.answer = Watch::begin(looked_for);
            state.broken.clear();
            state.later.clear();
            return None;
        }
        let hits = state.answer.step(&self.rules, event);
        self.sort(&mut state, hits);
        (!state.broken.is_empty()).then_some(Interrupt)
    }

    async fn interrupted(&self, _partial: &AssistantMessage, context: &TurnContext) -> Interruption {
        let rules = {
            let mut state = self.state();
            let mut broken = mem::take(&mut state.broken);
            let later = mem::take(&mut state.later);
            // A dropped response needs no reminder.
            if self.settings.keep_partial {
                broken.extend(later);
            }
            self.show(&mut state, &broken)
        };
        let told = rules.iter().map(|rule| rule.to_json()).collect();
        context.announce(SessionEvent::TtsrTriggered { rules: told }).await;
        let text = blocks(&rules, "system-interrupt", INTERRUPTED);
        Interruption { keep_partial: self.settings.keep_partial, messages: vec![message(text, context)] }
    }

    async fn after_turn(&self, said: &AssistantMessage, _results: &[Message], context: &TurnContext) {
        if matches!(said.stop_reason, StopReason::Error | StopReason::Aborted) {
            return;
        }
        let rules = {
            let mut state = self.state();
            state.turns += 1;
            let later = mem::take(&mut state.later);
            self.show(&mut state, &later)
        };
        if !rules.is_empty() {
            context.steer(message(blocks(&rules, "system-reminder", REMINDED), context));
        }
    }

    async fn run_ended(&self, _end: &RunEnd, _messages: &[Message], _context: &TurnContext) {
        self.record();
    }
}

const INTERRUPTED: &str = "Your response was interrupted because it breaks a rule of the user or the project. \
    This message comes from the agent program. Answer again and follow this rule:";
const REMINDED: &str = "Your last response breaks a rule of the user or the project. Fix what is necessary and \
    follow this rule from now on:";

fn message(text: String, context: &TurnContext) -> Message {
    let mut message = InputMessage::text(text);
    message.timestamp = context.now();
    Message::Developer(message)
}

/// Formats one block per rule.
fn blocks(rules: &[&Rule], tag: &str, words: &str) -> String {
    let mut text = String::new();
    for rule in rules {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        let (name, path) = (attribute(&rule.name), attribute(&rule.path.to_string_lossy()));
        let _ = write!(
            text,
            "{gap}<{tag} reason=\"rule_violation\" rule=\"{name}\" path=\"{path}\">\n{words}\n\n{}\n</{tag}>",
            rule.text
        );
    }
    text
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('\n', " ")
}
