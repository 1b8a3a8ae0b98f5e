//! TypeScript and JavaScript modules as tools: the only crate that knows the engine.
//!
//! [`Engine::load`] takes module files and gives `dyn Tool`s. Each module runs in a runtime of its own, on a thread of its
//! own, with a memory cap and deadlines; a tool that loops, leaks or crashes costs its own call.
#![warn(missing_docs)]

mod allocator;
mod ansi;
mod builtins;
mod engine;
mod engine_kind;
mod engine_version;
mod errors;
mod instance;
mod limits;
mod load;
mod markdown;
mod module;
mod module_request;
mod modules;
mod ops;
mod sidecar;
mod stop;
mod tool;

pub use engine::{Engine, EngineOptions, EngineStats};
pub use engine_kind::EngineKind;
pub use engine_version::engine_version;
pub use errors::{LoadError, Location, code_frame};
pub use limits::Limits;
pub use load::{HookArity, LoadedModule, LoadedTool, SchemaKind};
pub use module_request::{ImportGate, ModuleRequest};
pub use ops::{ExecAnswer, ExecHandler};
