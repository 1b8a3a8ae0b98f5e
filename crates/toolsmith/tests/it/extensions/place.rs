//! A session with extensions and a scripted model.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith::{Session, SessionBuilder};
use toolsmith_agent::{AgentEvent, ApprovalMode, Subscription};
use toolsmith_llm::{Message, Script, ScriptedProvider};

use crate::place::Place;

/// A session, its model, and what it lives in.
pub(super) struct Extended {
    pub(super) place: Place,
    pub(super) session: Session,
    pub(super) model: ScriptedProvider,
    pub(super) events: Subscription,
}

/// Starts a session with these extensions, in this order, and a model that gives these answers.
pub(super) async fn extended(modules: &[&str], answers: Value) -> Extended {
    extended_with(modules, answers, |builder| builder).await
}

pub(super) async fn extended_with(
    modules: &[&str],
    answers: Value,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Extended {
    let place = Place::new(&[]);
    for (index, text) in modules.iter().enumerate() {
        place.write(&format!("project/.toolsmith/extensions/m{index}.ts"), text);
    }
    started(place, answers, change).await
}

/// Starts a session in a place that has extensions already.
pub(super) async fn started(
    place: Place,
    answers: Value,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Extended {
    let model = ScriptedProvider::new(Script::parse(&answers.to_string()).unwrap());
    let builder = Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .trust(place.trust.clone())
        .discovery(true)
        .approval_mode(ApprovalMode::Yolo)
        .provider(Arc::new(model.clone()), model.model().clone());
    let session = change(builder).build().await.unwrap();
    let events = session.subscribe();
    Extended { place, session, model, events }
}

impl Extended {
    /// Sends a prompt and waits until extensions have handled its end.
    pub(super) async fn ask(&self, prompt: &str) -> String {
        self.session.prompt(prompt).unwrap();
        self.session.wait_until_settled().await.unwrap().text.clone()
    }

    /// The results of all calls: whether each failed, and its text.
    pub(super) fn results(&self) -> Vec<(bool, String)> {
        crate::session_place::results(&self.session)
    }

    /// Notices since the last time.
    pub(super) fn notices(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        while let Some(event) = self.events.try_next() {
            if let AgentEvent::Notice { message } = event.as_ref() {
                notices.push(message.clone());
            }
        }
        notices
    }

    /// What a module appended to the session under this type.
    pub(super) fn entries(&self, custom_type: &str) -> Vec<Value> {
        let entries = toolsmith_tool::SessionView::entries(&self.session.log());
        let own = entries.iter().filter(|entry| entry["customType"] == custom_type);
        own.map(|entry| entry["data"].clone()).collect()
    }

    /// The conversation of the last request, as one text for each message.
    pub(super) fn last_request(&self) -> Vec<String> {
        let requests = self.model.requests();
        requests.last().unwrap().messages.iter().map(Message::joined_text).collect()
    }
}

/// A turn of the model that calls a tool.
pub(super) fn call(name: &str, arguments: Value) -> Value {
    json!({ "reply": [{ "call": name, "arguments": arguments }] })
}
