//! The client's user as tools see them: dialogs are elicitations, notices are progress. Only `accept` is an answer; a
//! refusal, a cancel, a timeout and silence are all "no answer", because clients give them without asking anybody.

use std::time::Duration;

use rmcp::{
    Peer, RoleServer,
    model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema},
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use toolsmith_tool::{DialogOptions, NoticeLevel, Ui, async_trait};

use super::progress::ProgressSender;

/// Time for a client of the older lifecycle to answer.
const ASK_TIME: Duration = Duration::from_secs(120);
const FIELD: &str = "answer";

/// A question that is waiting for the client to repeat its request.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) params: ElicitRequestParams,
    pub(super) answer: oneshot::Sender<Option<ElicitResult>>,
}

/// Delivers questions to the client.
pub(super) enum Channel {
    /// The client did not say that it can ask.
    None,
    /// By a request to the client, in revisions that allow them.
    Request(Peer<RoleServer>),
    /// By asking the client to repeat its request with the answer.
    Repeat(mpsc::Sender<Question>),
}

/// The user interface of one call.
pub(super) struct ClientUi {
    pub(super) channel: Channel,
    pub(super) progress: ProgressSender,
}

impl ClientUi {
    async fn ask(&self, message: &str, property: Value, dialog: &DialogOptions) -> Option<Value> {
        let schema = json!({ "type": "object", "properties": { FIELD: property }, "required": [FIELD] });
        let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: message.to_owned(),
            requested_schema,
        };
        let asked = async {
            match &self.channel {
                Channel::None => None,
                Channel::Request(peer) => {
                    peer.create_elicitation_with_timeout(params, Some(ASK_TIME)).await.ok()
                }
                Channel::Repeat(questions) => {
                    let (answer, answered) = oneshot::channel();
                    questions.send(Question { params, answer }).await.ok()?;
                    answered.await.ok().flatten()
                }
            }
        };
        let answer = tokio::select! {
            () = dialog.cancel.cancelled() => None,
            answer = asked => answer,
        }?;
        match answer.action {
            ElicitationAction::Accept => answer.content?.get(FIELD).cloned(),
            _ => None,
        }
    }
}

#[async_trait]
impl Ui for ClientUi {
    fn has_ui(&self) -> bool {
        !matches!(self.channel, Channel::None)
    }

    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        let property = json!({ "type": "string", "title": "Choice", "enum": options });
        let chosen = self.ask(title, property, &dialog).await?;
        options.iter().find(|option| chosen == **option).cloned()
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let text = if message.trim().is_empty() { title.to_owned() } else { format!("{title}\n{message}") };
        self.ask(&text, json!({ "type": "boolean", "title": "Yes" }), &dialog).await == Some(json!(true))
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let mut property = json!({ "type": "string", "title": "Answer" });
        if let Some(placeholder) = placeholder {
            property["description"] = json!(placeholder);
        }
        self.ask(title, property, &dialog).await?.as_str().map(str::to_owned)
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let mut property = json!({ "type": "string", "title": "Text" });
        if let Some(prefill) = prefill {
            property["default"] = json!(prefill);
        }
        self.ask(title, property, &dialog).await?.as_str().map(str::to_owned)
    }

    fn notify(&self, message: &str, _level: NoticeLevel) {
        self.progress.message(message);
    }

    fn set_status(&self, _key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.progress.message(text);
        }
    }
}
