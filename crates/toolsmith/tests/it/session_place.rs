//! Sessions with real modules that ask a model server.

use std::{fs, sync::Arc};

use serde_json::Value;
use toolsmith::{Session, SessionBuilder};
use toolsmith_llm::{ApiKind, Environment, HttpProvider, KeySource, Message, Model, ProviderConfig, Secret};
use toolsmith_testkit::{ModelServer, Recorded};

use crate::place::Place;

impl Place {
    /// A session in this place that asks `server`.
    pub(crate) fn session(&self, server: &ModelServer) -> SessionBuilder {
        let config = ProviderConfig::new("here", ApiKind::OpenAiChat, server.url())
            .key(KeySource::Literal(Secret::new("sk-test-0123456789")));
        let provider = HttpProvider::new(config, Environment::new(|_| None));
        Session::builder(self.cwd())
            .home(self.home())
            .settings(self.settings().settings)
            .trust(self.trust.clone())
            .discovery(true)
            .provider(Arc::new(provider), Model::unknown("here", "test-model"))
    }

    /// The lines of JSON a module wrote.
    pub(crate) fn lines(&self, path: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(path)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The results in the conversation: whether each failed, and what it says.
pub(crate) fn results(session: &Session) -> Vec<(bool, String)> {
    let messages = session.log().messages().into_iter();
    let results = messages.filter_map(|message| match message {
        Message::ToolResult(result) => Some((result.is_error, result.joined_text())),
        _ => None,
    });
    results.collect()
}

/// What a request says, all of it.
pub(crate) fn body(request: &Recorded) -> String {
    request.body["messages"].to_string()
}
