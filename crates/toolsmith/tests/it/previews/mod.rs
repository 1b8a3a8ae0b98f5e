//! CONTRACT §8 in whole sessions: a model on a scripted server, tools in JavaScript and the built-in ones, real files.

mod deciding;
mod ending;
mod hostile;
mod leaning;
mod names;
mod places;
mod reviewing;
mod saving;
mod seed;
mod undoing;

use std::{fs, path::PathBuf, sync::Arc};

use serde_json::{Value, json};
use toolsmith::{Session, SessionBuilder};
use toolsmith_agent::ApprovalMode;
use toolsmith_llm::{
    ApiKind, Environment, ForcedTool, HttpProvider, KeySource, Model, ProviderConfig, Quirks, Secret,
    Thinking, ThinkingLevel,
};
use toolsmith_testkit::{ModelServer, Recorded, Reply, Wire};

use crate::place::Place;

/// Stages an action that writes `out.txt` when it is applied, and `rejected.txt` when it is not.
const STAGE: &str = r#"
import * as fs from "node:fs/promises";
export default (pi) => ({
  name: "stage",
  description: "Stages something",
  approval: "read",
  parameters: { type: "object", properties: {} },
  async execute() {
    pi.pushPendingAction({
      label: "Write: out.txt",
      sourceToolName: "stage",
      async apply(reason) {
        await fs.writeFile(pi.cwd + "/out.txt", reason);
        return { content: [{ type: "text", text: "Written." }] };
      },
      async reject(reason) {
        await fs.appendFile(pi.cwd + "/rejected.txt", reason + "\n");
      },
    });
    return { content: [{ type: "text", text: "Staged." }] };
  },
});
"#;

/// What is to be called.
#[derive(Debug, PartialEq)]
enum Choice {
    Free,
    Any,
    Named(String),
}

/// A project, a server, and a model on it that speaks one of the wires.
struct Bench {
    place: Place,
    server: ModelServer,
    provider: Arc<HttpProvider>,
    model: Model,
    wire: Wire,
}

impl Bench {
    async fn new(wire: Wire, forced: ForcedTool) -> Self {
        let place = Place::new(&[("project/a.ts", "f(1);\n"), ("stage.ts", STAGE)]);
        let server = ModelServer::start().await.unwrap();
        let api = match wire {
            Wire::Anthropic => ApiKind::AnthropicMessages,
            Wire::Responses => ApiKind::OpenAiResponses,
            Wire::Chat => ApiKind::OpenAiChat,
            _ => ApiKind::GoogleGemini,
        };
        let mut quirks = Quirks::default();
        quirks.forced_tool = Some(forced);
        let config = ProviderConfig::new("bench", api, server.url())
            .key(KeySource::Literal(Secret::new("sk-test")))
            .quirks(quirks);
        let mut model = Model::unknown("bench", "test-model");
        let mut thinking = Thinking::default();
        match wire {
            Wire::Anthropic => thinking.budget = Some((1024, 32_000)),
            _ => thinking.efforts = ["low", "medium", "high"].map(str::to_owned).to_vec(),
        }
        (model.max_output, model.thinking) = (64_000, thinking);
        let provider = Arc::new(HttpProvider::new(config, Environment::new(|_| None)));
        Self { place, server, provider, model, wire }
    }

    /// Where the wire does not matter.
    async fn plain() -> Self {
        Self::new(Wire::Chat, ForcedTool::Named).await
    }

    fn builder(&self) -> SessionBuilder {
        Session::builder(self.place.cwd())
            .home(self.place.home())
            .environment(Environment::new(|_| None))
            .provider(self.provider.clone(), self.model.clone())
            .thinking(ThinkingLevel::High)
            .approval_mode(ApprovalMode::Write)
            .tool_path(self.place.path("stage.ts"))
    }

    async fn session(&self) -> Session {
        let session = self.builder().build().await.unwrap();
        assert!(session.loaded().errors.is_empty(), "{:?}", session.loaded().errors);
        session
    }

    fn answer(&self, reply: Reply) {
        self.server.push(reply);
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.cwd().join(name)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok()
    }

    fn requests(&self) -> Vec<Asked> {
        let asked = self.server.requests().into_iter();
        asked.map(|request| Asked { wire: self.wire, request }).collect()
    }
}

/// A request, in no wire's own words.
struct Asked {
    wire: Wire,
    request: Recorded,
}

impl Asked {
    fn body(&self) -> &Value {
        &self.request.body
    }

    fn tools(&self) -> Vec<&str> {
        let body = self.body();
        let (list, path) = match self.wire {
            Wire::Anthropic | Wire::Responses => (&body["tools"], "/name"),
            Wire::Chat => (&body["tools"], "/function/name"),
            _ => (&body["tools"][0]["functionDeclarations"], "/name"),
        };
        list.as_array().into_iter().flatten().filter_map(|tool| tool.pointer(path)?.as_str()).collect()
    }

    fn choice(&self) -> Choice {
        let body = self.body();
        let named = |name: &Value| Choice::Named(name.as_str().unwrap().to_owned());
        match self.wire {
            Wire::Anthropic => match body["tool_choice"]["type"].as_str() {
                Some("tool") => named(&body["tool_choice"]["name"]),
                Some("any") => Choice::Any,
                _ => Choice::Free,
            },
            Wire::Responses | Wire::Chat => match &body["tool_choice"] {
                Value::String(word) if word == "required" => Choice::Any,
                Value::Object(choice) if self.wire == Wire::Chat => named(&choice["function"]["name"]),
                Value::Object(choice) => named(&choice["name"]),
                _ => Choice::Free,
            },
            _ => {
                let config = &body["toolConfig"]["functionCallingConfig"];
                match (config["mode"].as_str(), config["allowedFunctionNames"].as_array()) {
                    (Some("ANY"), Some(names)) => {
                        assert_eq!(names.len(), 1);
                        named(&names[0])
                    }
                    (Some("ANY"), None) => Choice::Any,
                    _ => Choice::Free,
                }
            }
        }
    }

    fn thinks(&self) -> bool {
        let body = self.body();
        match self.wire {
            Wire::Anthropic => body["thinking"]["type"] == "enabled",
            Wire::Responses => !body["reasoning"]["effort"].is_null(),
            Wire::Chat => !body["reasoning_effort"].is_null(),
            _ => !body["generationConfig"]["thinkingConfig"].is_null(),
        }
    }

    fn says(&self, text: &str) -> bool {
        self.body().to_string().contains(text)
    }

    fn count(&self, text: &str) -> usize {
        self.body().to_string().matches(text).count()
    }
}

fn resolve(action: &str, reason: &str) -> Value {
    json!({ "action": action, "reason": reason })
}

fn rewrite() -> Value {
    json!({ "ops": [{ "pat": "f($A)", "out": "g($A)" }], "path": "a.ts" })
}
