//! Handlers for prompts and messages.

use std::sync::Arc;

use serde_json::json;
use toolsmith_agent::{Prompt, PromptError};
use toolsmith_llm::Message;
use toolsmith_tool::Ui as _;

use super::{
    super::{
        driver::Driver,
        frame::PROTOCOL_VERSION,
        reply::{
            CompactedTo, Initialized, LastText, Messages, ModelInfo, Prompted, RetryAborted, SessionInfo,
            State, Stats,
        },
        request::{StreamingBehavior, UiMethod},
    },
    Outcome, data,
};

pub(super) fn initialize(
    driver: &Arc<Driver>,
    version: Option<u32>,
    client: Option<String>,
    ui: Vec<UiMethod>,
    approval: bool,
) -> Outcome {
    if let Some(version) = version.filter(|version| *version != PROTOCOL_VERSION) {
        return Err(format!(
            "protocol version {version} is not supported; this program uses version {PROTOCOL_VERSION}"
        ));
    }
    tracing::info!(client, ?ui, approval, "A client declared its capabilities");
    driver.ui.set_methods(ui);
    driver.approver.set_can_ask(approval);
    data(Initialized { protocol_version: PROTOCOL_VERSION, has_ui: driver.ui.has_ui() })
}

pub(super) fn prompt(driver: &Arc<Driver>, prompt: Prompt, busy: Option<StreamingBehavior>) -> Outcome {
    let session = &driver.session;
    let outcome = match (session.prompt(prompt.clone()), busy) {
        (Err(PromptError::Busy), Some(StreamingBehavior::Steer)) => session.steer(prompt).map(|()| false),
        (Err(PromptError::Busy), Some(StreamingBehavior::FollowUp)) => {
            session.follow_up(prompt).map(|()| false)
        }
        (Err(PromptError::Busy), None) => {
            return Err("A run is in progress. Send steer or follow_up, set streamingBehavior, or wait for \
                        agent_end."
                .to_owned());
        }
        (outcome, _) => outcome.map(|()| true),
    };
    data(Prompted { started: outcome.map_err(|error| error.to_string())? })
}

pub(super) async fn abort_and_prompt(driver: &Arc<Driver>, prompt: Prompt) -> Outcome {
    driver.session.abort("the client sent another prompt");
    driver.session.wait_for_idle().await;
    self::prompt(driver, prompt, None)
}

pub(super) async fn compact(driver: &Arc<Driver>, instructions: Option<&str>) -> Outcome {
    let compacted = driver.session.compact(instructions).await.map_err(|error| error.to_string())?;
    data(CompactedTo {
        summary: compacted.summary,
        first_kept_entry_id: compacted.first_kept_entry_id,
        tokens_before: compacted.tokens_before,
        tokens_after: compacted.tokens_after,
    })
}

pub(in super::super) fn abort_retry(driver: &Driver) -> Outcome {
    let aborted = driver.session.is_retrying();
    if aborted {
        driver.session.abort("requested by the client");
    }
    data(RetryAborted { aborted })
}

pub(super) fn state(driver: &Arc<Driver>) -> Outcome {
    let agent = driver.session.agent();
    let queued = agent.queued();
    let modes = agent.queue_modes();
    data(State {
        session: SessionInfo::of(&driver.session),
        model: ModelInfo::from(&agent.model()),
        thinking_level: agent.thinking().as_str().to_owned(),
        is_idle: agent.is_idle(),
        message_count: driver.session.log().context().len(),
        queued_steering: queued.steering,
        queued_follow_ups: queued.follow_up,
        steering_mode: json!(modes.steering),
        follow_up_mode: json!(modes.follow_up),
        pending_actions: driver.session.pending().list().len(),
        is_retrying: driver.session.is_retrying(),
        auto_compaction: driver.session.auto_compaction(),
        auto_retry: driver.session.auto_retry(),
        approval_mode: agent.dispatcher().approval_settings().mode.as_str().to_owned(),
        has_ui: driver.ui.has_ui(),
    })
}

pub(super) fn messages(driver: &Arc<Driver>) -> Outcome {
    let context = driver.session.log().context();
    let messages = context.iter().map(|message| json!(message.as_ref())).collect();
    data(Messages { messages })
}

pub(super) fn last_text(driver: &Arc<Driver>) -> Outcome {
    let context = driver.session.log().context();
    let text = context.iter().rev().find_map(|message| match message.as_ref() {
        Message::Assistant(said) => Some(said.text()).filter(|text| !text.is_empty()),
        _ => None,
    });
    data(LastText { text })
}

pub(super) fn stats(driver: &Arc<Driver>) -> Outcome {
    let kept = driver.session.log();
    let mut stats = Stats {
        session: SessionInfo::of(&driver.session),
        user_messages: 0,
        assistant_messages: 0,
        tool_calls: 0,
        tool_results: 0,
        total_messages: 0,
        entries: kept.len(),
        usage: json!(kept.usage()),
    };
    for message in kept.context() {
        stats.total_messages += 1;
        match message.as_ref() {
            Message::User(_) => stats.user_messages += 1,
            Message::Assistant(said) => {
                stats.assistant_messages += 1;
                stats.tool_calls += said.tool_calls().count();
            }
            Message::ToolResult(_) => stats.tool_results += 1,
            _ => {}
        }
    }
    data(stats)
}
