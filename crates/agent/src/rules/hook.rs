//! Stream rules in the loop: an answer that breaks one is dropped, the model is told the rule, and asked again.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_llm::{AssistantMessage, InputMessage, Message, StopReason, StreamEvent};
use toolsmith_tool::SessionEvent;

use super::{
    rule::{InterruptMode, Rule},
    watch::{Hit, Watch},
};
use crate::{
    events::RunEnd,
    session::{CurrentSession, EntryKind},
    turn::{Interrupt, Interruption, TurnContext, TurnHook},
};

/// How often one rule is shown between two prompts. A rule that is met by the answer to itself would be shown for ever.
const MAX_SHOWN: u32 = 3;

/// When a rule that was shown is looked for again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Repeat {
    /// Never in this session.
    #[default]
    Once,
    /// After so many turns; at least after one.
    AfterGap(u64),
}

/// What is done about broken rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RuleSettings {
    /// Which answers are interrupted, where a rule does not say.
    pub interrupt: InterruptMode,
    /// When a rule is shown again.
    pub repeat: Repeat,
    /// Whether an interrupted answer stays in the conversation.
    pub keep_partial: bool,
}

impl RuleSettings {
    /// Interrupts these.
    #[must_use]
    pub fn interrupt(mut self, mode: InterruptMode) -> Self {
        self.interrupt = mode;
        self
    }

    /// Shows rules again.
    #[must_use]
    pub fn repeat(mut self, repeat: Repeat) -> Self {
        self.repeat = repeat;
        self
    }

    /// Keeps interrupted answers.
    #[must_use]
    pub fn keep_partial(mut self, keep: bool) -> Self {
        self.keep_partial = keep;
        self
    }
}

/// Takes part in the loop where there are stream rules.
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
    /// Rules that interrupt the answer at hand.
    broken: Vec<usize>,
    /// Rules the model is told of when the turn is over.
    later: Vec<usize>,
    /// By name, the turn after which a rule was shown last, on this branch.
    shown: HashMap<String, u64>,
    /// By rule, how often it was shown since somebody prompted.
    shown_in_run: HashMap<usize, u32>,
    /// Names that were shown and are not written down yet.
    unrecorded: Vec<String>,
    /// Whole turns so far.
    turns: u64,
}

impl StreamRules {
    /// Watches for those of `rules` that have a condition. `None` when none has.
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
            // An answer comes between, so that a model can answer at all.
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

    /// Notes that rules are shown now, and gives them.
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

    /// Writes down which rules were shown, after the message that shows them.
    fn record(&self) {
        let rules = mem::take(&mut self.state().unrecorded);
        if rules.is_empty() {
            return;
        }
        // The next run that reads the branch shows them once more; nothing worse comes of it.
        if let Err(error) = self.session.get().append(EntryKind::StreamRules { rules }) {
            tracing::warn!(%error, "It was not written down which stream rules were shown");
        }
    }
}

#[async_trait]
impl TurnHook for StreamRules {
    /// What was shown is what the branch says: the session may be another one, or at another place.
    async fn run_started(&self, _context: &TurnContext) {
        self.record();
        let mut on_branch = HashSet::new();
        let _: Option<()> = self.session.get().newest_naming("ttsr_injection", |entry| {
            let names = entry.get("injectedRules").and_then(Value::as_array);
            on_branch.extend(names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            None
        });
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
            // What is dropped needs no reminder.
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

    async fn run_ended(&self, _end: &RunEnd, _context: &TurnContext) {
        self.record();
    }
}

const INTERRUPTED: &str = "Your answer was interrupted because it breaks a rule of the user or the project. \
    This comes from the program you work in. Answer again, and follow this rule:";
const REMINDED: &str = "Your last answer breaks a rule of the user or the project. Put right what has to be, and \
    follow this rule from here on:";

fn message(text: String, context: &TurnContext) -> Message {
    let mut message = InputMessage::text(text);
    message.timestamp = context.now();
    Message::Developer(message)
}

/// A block for each rule.
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
