//! Models behind one trait. A [`Request`] goes into a [`Provider`], events come out of an [`EventStream`], and what they
//! add up to is a [`Message`] like those that went in.
//!
//! Four wires are spoken, over HTTP, to any endpoint that speaks one of them; [`ScriptedProvider`] plays a file
//! instead. This crate retries nothing and runs no tools.

mod classify;
mod config;
mod error;
mod http;
mod http_provider;
mod key;
mod message;
mod model;
mod provider;
mod reply;
mod request;
pub mod script;
mod secret;
mod sse;
mod stream;
mod wire;

pub use async_trait::async_trait;
pub use config::{ApiKind, KeySource, ProviderConfig, Quirks, ReasoningParameter, UnknownApi};
pub use error::{ErrorClass, LlmError};
pub use http_provider::HttpProvider;
pub use key::Environment;
pub use message::{
    AssistantBlock, AssistantMessage, ContentBlock, Cost, InputMessage, Message, StopReason, TextBlock,
    ThinkingBlock, ToolCall, ToolResultMessage, Usage,
};
pub use model::{ForcedTool, Model, ModelOverride, Price, Thinking};
pub use provider::{Capabilities, Provider};
pub use reply::{Reply, Slot};
pub use request::{Request, ThinkingLevel, ToolChoice, ToolDefinition, UnknownLevel};
pub use script::{Expectation, RecordedRequest, Script, ScriptError, ScriptedProvider, Turn};
pub use secret::Secret;
pub use stream::{EventStream, ReplySource, StreamEvent};
pub use toolsmith_tool::CancelToken;
