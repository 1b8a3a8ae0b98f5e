//! Leaning the model to `resolve` while something is staged (CONTRACT 8.4): demanded by name where the provider can, offered
//! alone and demanded where it can only do that, and said in words everywhere.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use toolsmith_llm::{AssistantMessage, ForcedTool, Message, ThinkingLevel, ToolChoice};
use toolsmith_tool::{PendingAction, PendingId};

use super::resolver::Resolver;
use crate::{
    tools::RESOLVE,
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
    /// Leans while something is staged, and tells what people decided.
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

#[async_trait]
impl TurnHook for ResolveToolChoice {
    async fn news(&self) -> Vec<Message> {
        self.resolver.take_notes().into_iter().map(Message::developer).collect()
    }

    async fn next_request(&self, plan: &mut RequestPlan) {
        let Some(action) = self.resolver.show_top() else {
            return;
        };
        if !plan.tools.iter().any(|name| name == RESOLVE) {
            plan.tools.push(RESOLVE.to_owned());
        }
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
        plan.messages.push(Arc::new(reminder(&action)));
    }

    async fn after_answer(&self, message: &AssistantMessage, _context: &TurnContext) {
        self.resolver.note_answer(message.tool_calls().map(|call| call.id.clone()));
    }

    /// A model that cannot be made to call may stop without deciding.
    async fn before_stop(&self, _context: &TurnContext) -> Option<Message> {
        let action = self.resolver.stack().peek()?;
        let mut reminded = self.reminded.lock().unwrap_or_else(PoisonError::into_inner);
        if reminded.0 != Some(action.id) {
            *reminded = (Some(action.id), 0);
        }
        reminded.1 += 1;
        (reminded.1 <= MAX_REMINDERS).then(|| reminder(&action))
    }
}
