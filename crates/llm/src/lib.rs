//! Model providers behind one trait. A [`Provider`] takes a [`Request`] and returns an [`EventStream`]; the events form a
//! [`Message`].
//!
//! Eight wire formats are supported over HTTP, for any endpoint that speaks one of them; [`ScriptedProvider`] plays a script
//! instead. [`Providers`] holds names, URLs and capabilities. This crate does not retry and does not run tools.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use toolsmith_llm::{CancelToken, Environment, Message, Providers, Request, StreamEvent};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("hello.json");
//! # std::fs::write(&path, r#"["Hello."]"#)?;
//! # let name = format!("script:{}", path.display());
//! let providers = Providers::builtin(Environment::process());
//! // `name` is what a user types: "anthropic/claude-sonnet-4-5", "gpt-5.2:high", "script:FILE".
//! let selected = providers.select(&name)?;
//! let said = [Message::user("Hi")];
//! let request = Request::new(&selected.model).system("Be brief.").messages(&said);
//!
//! let mut stream = selected.provider.stream(&request, CancelToken::new());
//! let mut text = String::new();
//! while let Some(event) = stream.next().await {
//!     if let StreamEvent::TextDelta { delta, .. } = event {
//!         text.push_str(&delta);
//!     }
//! }
//! assert_eq!(text, "Hello.");
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]

mod builtin;
mod catalog;
mod classify;
mod cloud;
mod config;
mod discovery;
mod endpoint;
mod error;
mod event_stream;
mod http;
mod http_provider;
mod key;
mod message;
mod model;
mod provider;
mod providers;
mod reply;
mod request;
pub mod script;
mod secret;
mod sse;
mod stream;
mod tokens;
mod tool_names;
mod wire;

pub use async_trait::async_trait;
pub use catalog::Catalog;
pub use config::{ApiKind, KeySource, ProviderConfig, Quirks, ReasoningParameter, UnknownApi};
pub use discovery::{LocalServer, discover_at, discover_local};
pub use endpoint::Endpoint;
pub use error::{ErrorClass, LlmError};
pub use http::JsonPost;
pub use http_provider::HttpProvider;
pub use key::Environment;
pub use message::{
    AssistantBlock, AssistantMessage, ContentBlock, Cost, InputMessage, Message, StopReason, TextBlock,
    ThinkingBlock, ToolCall, ToolResultMessage, Usage,
};
pub use model::{ForcedTool, Model, ModelOverride, Price, PriceOverride, Thinking};
pub use provider::{Capabilities, Exchange, Provider};
pub use providers::{Providers, SelectError, Selection};
pub use reply::{Reply, Slot};
pub use request::{Request, ThinkingLevel, ToolChoice, ToolDefinition, UnknownLevel};
pub use script::{Expectation, RecordedRequest, Script, ScriptError, ScriptedProvider, Turn};
pub use secret::Secret;
pub use stream::{EventStream, ReplySource, StreamEvent};
pub use tokens::{content_tokens, message_tokens, text_tokens};
pub use toolsmith_tool::CancelToken;
pub use wire::EncodedHistory;
