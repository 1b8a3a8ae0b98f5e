//! Prefers `resolve` in the model's tool choice while something is staged (CONTRACT 8.4): forced by name where the provider
//! can, offered alone with a required call where it can only do that, and a reminder everywhere. Where the user decides
//! (CONTRACT 8.6), the user is asked before the next request instead.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use toolsmith_llm::{AssistantMessage, ForcedTool, Message, ThinkingLevel, ToolChoice};
use toolsmith_tool::{PendingAction, PendingId};

use super::resolver::Resolver;
use crate::{
    RESOLVE,
    turn::{RequestPlan, TurnContext, TurnHook},
};

/// How often a model that cannot be made to decide is reminded of one action before it may stop.
const MAX_REMINDERS: usize = 3;

/// Takes part in the loop while actions are staged.
#[derive(Debug)]
pub struct ResolveToolChoice {
    resolver: Resolver,
    /// Which action was reminded of last, and how often.
    reminded: Mutex<(Option<PendingId>, usize)>,
}

impl ResolveToolChoice {
    /// Creates the hook for the actions of `resolver`. It also informs the model of the user's decisions.
    pub fn new(resolver: Resolver) -> Self {
        Self { resolver, reminded: Mutex::default() }
    }
}

fn reminder(action: &PendingAction) -> Message {
    Message::developer(format!(
        "This is a preview: {} (staged by {}). Call the `{RESOLVE}` tool to apply or discard these changes.",
        action.label, action.source_tool_name
    ))
}

fn says_the_same(one: &Message, other: &Message) -> bool {
    matches!((one, other), (Message::Developer(one), Message::Developer(other)) if one.content == other.content)
}

#[async_trait]
impl TurnHook for ResolveToolChoice {
    async fn notes(&self, context: &TurnContext) -> Vec<Message> {
        self.resolver.ask_user(context).await;
        self.resolver.take_notes().into_iter().map(Message::developer).collect()
    }

    async fn next_request(&self, plan: &mut RequestPlan) {
        let top = self.resolver.show_top().filter(|_| !self.resolver.user_decides());
        let is_offered = self.resolver.offers_resolve(top.is_some());
        if is_offered && !plan.tools.iter().any(|name| name == RESOLVE) {
            plan.tools.push(RESOLVE.to_owned());
        }
        let Some(action) = top else { return };
        match plan.capabilities.forced_tool {
            ForcedTool::Named => plan.tool_choice = ToolChoice::Tool(RESOLVE.to_owned()),
            ForcedTool::Required => {
                plan.tools = vec![RESOLVE.to_owned()];
                plan.tool_choice = ToolChoice::Required;
            }
            _ => {}
        }
        if plan.tool_choice.is_forced() && !plan.capabilities.thinking_with_forced_tool {
            plan.thinking = ThinkingLevel::Off;
        }
        // One that was sent to continue the run is part of the conversation already.
        let reminder = reminder(&action);
        let is_last = plan.messages.last().is_some_and(|last| says_the_same(last, &reminder));
        if !is_last {
            plan.messages.push(Arc::new(reminder));
        }
    }

    async fn after_answer(&self, message: &AssistantMessage, _context: &TurnContext) {
        self.resolver.note_answer(message.tool_calls().map(|call| call.id.clone()));
    }

    /// A model that cannot be made to call may stop without deciding.
    async fn before_stop(&self, _context: &TurnContext) -> Option<Message> {
        let action = self.resolver.stack().peek().filter(|_| !self.resolver.user_decides())?;
        let mut reminded = self.reminded.lock().unwrap_or_else(PoisonError::into_inner);
        if reminded.0 != Some(action.id) {
            *reminded = (Some(action.id), 0);
        }
        reminded.1 += 1;
        (reminded.1 <= MAX_REMINDERS).then(|| reminder(&action))
    }
}
