//! Skills that were used stay in the conversation when it is compacted: their instructions are added again after the summary.

use serde_json::json;
use toolsmith_agent::{
    CompactionReport, TurnContext, TurnHook,
    session::{CurrentSession, CustomMessage, EntryKind},
};
use toolsmith_llm::{ContentBlock, Message};
use toolsmith_tool::async_trait;

/// Type of the message that has the instructions again.
const KEPT: &str = "toolsmith.skill";
/// Skills and bytes that are kept, the newest first; more would fill what compaction freed.
const MAX_SKILLS: usize = 8;
const MAX_BYTES: usize = 60_000;

/// The turn hook.
pub(crate) struct KeepSkills {
    session: CurrentSession,
}

impl KeepSkills {
    pub(crate) fn new(session: CurrentSession) -> Self {
        Self { session }
    }
}

#[async_trait]
impl TurnHook for KeepSkills {
    async fn after_compaction(&self, report: &CompactionReport, _context: &TurnContext) {
        if !matches!(report, CompactionReport::Done { .. }) {
            return;
        }
        let log = self.session.get();
        let Ok(path) = log.path(None) else { return };
        let live: Vec<String> = log.messages().iter().map(Message::joined_text).collect();
        let mut kept: Vec<(String, String)> = Vec::new();
        let mut bytes = 0;
        for entry in path.into_iter().rev() {
            let Some((name, text)) = used_skill(&entry.kind) else { continue };
            let is_known = kept.iter().any(|(known, _)| *known == name);
            let is_live = || live.iter().any(|live| live.contains(text.as_str()));
            if is_known || is_live() || bytes + text.len() > MAX_BYTES || kept.len() >= MAX_SKILLS {
                continue;
            }
            bytes += text.len();
            kept.push((name, text));
        }
        for (name, text) in kept.into_iter().rev() {
            let message = CustomMessage {
                custom_type: KEPT.to_owned(),
                content: vec![ContentBlock::text(text)],
                details: Some(json!({ "skill": name })),
                ..CustomMessage::default()
            };
            if let Err(error) = log.append(EntryKind::CustomMessage(message)) {
                tracing::warn!(%error, "The instructions of a skill could not be kept");
            }
        }
    }
}

/// Returns the skill that an entry brought into the conversation, and its text.
fn used_skill(kind: &EntryKind) -> Option<(String, String)> {
    let (text, is_marked) = match kind {
        EntryKind::Message(Message::ToolResult(result)) => {
            let is_skill = result.details.as_ref().is_some_and(|details| details["skill"].is_string());
            (result.joined_text(), is_skill && !result.is_error)
        }
        EntryKind::Message(message @ (Message::User(_) | Message::Developer(_))) => {
            (message.joined_text(), true)
        }
        EntryKind::CustomMessage(message) => {
            let text =
                message.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n");
            (text, message.custom_type == KEPT)
        }
        _ => return None,
    };
    if !is_marked || !text.starts_with("<skill name=\"") {
        return None;
    }
    let name = text.strip_prefix("<skill name=\"")?.split('"').next()?.to_owned();
    let end = text.find("\n</skill>")? + "\n</skill>".len();
    Some((name, text[..end].to_owned()))
}
