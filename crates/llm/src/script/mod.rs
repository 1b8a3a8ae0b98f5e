//! The scripted provider: plays a script in place of a model, for tests, demos and bug reports.
//!
//! A script is JSON: an object with `turns`, a list of turns, or one turn on each line. A turn is one response of the model:
//!
//! | field | meaning |
//! |---|---|
//! | `reply` | a text, or a list of steps |
//! | `stop` | `stop`, `length` or `toolUse`; by default what the steps imply |
//! | `usage` | `{"input": …, "output": …, "cacheRead": …, "cacheWrite": …}` |
//! | `expect` | conditions checked before the turn is played; see below |
//! | `chunk` | characters in each delta; by default a step is one delta |
//! | `paceMs` | the pause between two deltas |
//!
//! A turn that is only a text can be that text. A step is a text or one of:
//!
//! | step | meaning |
//! |---|---|
//! | `{"text": …}` | text; `{{lastUser}}` and `{{lastToolResult}}` are replaced by those texts |
//! | `{"thinking": …, "signature"?: …}` | thinking |
//! | `{"call": NAME, "arguments"?: {…}, "rawArguments"?: TEXT, "id"?: …}` | a tool call |
//! | `{"delayMs": …}` | a pause |
//! | `{"error": TEXT, "class"?: CLASS, "retryAfterMs"?: …}` | the response fails here; `class` as in [`crate::ErrorClass::as_str`] |
//! | `{"waitForAbort": true}` | hangs until the request is cancelled |
//!
//! `expect` has any of `lastUserContains`, `lastToolResultContains`, `toolOffered` and `toolChoice` (`auto`, `none`,
//! `required` or a tool's name). If a condition fails, the response is an error with the actual value.
//!
//! Beside `turns`, `chunk` and `paceMs` set the defaults for turns, and `model` overrides model metadata
//! (`{"contextWindow": …, "images": …, "forcedTool": …}`, see [`crate::ModelOverride`]).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use toolsmith_llm::{CancelToken, Message, Provider, Request, Script, ScriptedProvider, StopReason};
//!
//! let script = Script::parse(r#"{
//!     "chunk": 8,
//!     "turns": [
//!         { "reply": [ { "thinking": "A file? Look." },
//!                      "Let me look.",
//!                      { "call": "read", "arguments": { "path": "a.txt" } } ] },
//!         { "expect": { "lastToolResultContains": "hello" }, "reply": "It says: {{lastToolResult}}" }
//!     ]
//! }"#)?;
//! let provider = ScriptedProvider::new(script);
//!
//! let asked = [Message::user("What is in a.txt?")];
//! let request = Request::new(provider.model()).messages(&asked);
//! let answer = provider.stream(&request, CancelToken::new()).finish().await?;
//! assert_eq!(answer.stop_reason, StopReason::ToolUse);
//! assert_eq!(answer.tool_calls().next().unwrap().arguments["path"], "a.txt");
//!
//! // The next turn expects the result of that call; the conversation went elsewhere.
//! let wrong = provider.stream(&request, CancelToken::new()).finish().await.unwrap_err();
//! assert!(wrong.to_string().contains("turn 2 expects the last tool result to contain \"hello\""));
//! # Ok(())
//! # }
//! ```

mod format;
mod play;
mod turn;

pub use format::ScriptError;
pub use play::{RecordedRequest, ScriptedProvider};
pub use turn::{Expectation, Script, Turn};
