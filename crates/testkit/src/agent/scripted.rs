//! Agents that talk to a script, and what is checked of every conversation.

use std::sync::Arc;

use toolsmith_agent::{Agent, AgentBuilder, AgentEvent, Subscription};
use toolsmith_llm::{Message, Script, ScriptedProvider, Turn};

use super::probe::{Probe, dispatching, yolo};

/// Starts an agent that plays these turns with these tools. The provider keeps the requests it received.
pub fn playing(
    turns: impl IntoIterator<Item = Turn>,
    tools: impl IntoIterator<Item = Probe>,
) -> (AgentBuilder, ScriptedProvider) {
    let provider = ScriptedProvider::new(Script::new(turns));
    let builder = Agent::builder()
        .model(Arc::new(provider.clone()), provider.model().clone())
        .dispatcher(dispatching(tools).approval(yolo()).build())
        .clock(|| 0);
    (builder, provider)
}

/// Creates an agent that plays these turns with these tools.
pub fn agent(turns: impl IntoIterator<Item = Turn>, tools: impl IntoIterator<Item = Probe>) -> Agent {
    playing(turns, tools).0.build().unwrap()
}

/// Returns the events received so far.
pub fn heard(subscription: &mut Subscription) -> Vec<Arc<AgentEvent>> {
    std::iter::from_fn(|| subscription.try_next()).collect()
}

/// Returns the texts of all results, in order.
pub fn results(agent: &Agent) -> Vec<String> {
    agent
        .conversation()
        .context()
        .iter()
        .filter_map(|message| match message.as_ref() {
            Message::ToolResult(result) => Some(result.joined_text()),
            _ => None,
        })
        .collect()
}

/// Asserts that each call has one result, right after the message with the call, in the order of the calls.
pub fn assert_paired(agent: &Agent) {
    let messages = agent.conversation().context();
    let mut wanted: Vec<String> = Vec::new();
    for message in &messages {
        match message.as_ref() {
            Message::ToolResult(result) => {
                assert_eq!(wanted.first(), Some(&result.tool_call_id), "{messages:#?}");
                wanted.remove(0);
            }
            other => {
                assert!(wanted.is_empty(), "no result for {wanted:?}: {messages:#?}");
                if let Message::Assistant(said) = other {
                    wanted = said.tool_calls().map(|call| call.id.clone()).collect();
                }
            }
        }
    }
    assert!(wanted.is_empty(), "no result for {wanted:?}: {messages:#?}");
}
