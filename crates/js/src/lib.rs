//! TypeScript and JavaScript modules as tools. This is the only crate that knows the engine.
//!
//! [`Engine::load`] takes module files and returns `dyn Tool`s. Each module has its own runtime on its own thread, with
//! a memory cap and deadlines; a tool that loops, leaks or crashes fails only its own call.
#![warn(missing_docs)]

mod allocator;
mod builtins;
mod engine;
mod engine_kind;
mod engine_version;
mod errors;
mod extension;
mod instance;
mod limits;
mod load;
mod module;
mod module_request;
mod modules;
mod ops;
mod sidecar;
mod stop;
mod tool;

pub use builtins::LIBRARIES;
pub use engine::{Engine, EngineOptions, EngineStats, WeakEngine};
pub use engine_kind::EngineKind;
pub use engine_version::engine_version;
pub use errors::{LoadError, Location, code_frame};
pub use limits::Limits;
pub use load::{HookArity, LoadedModule, LoadedTool, SchemaKind};
pub use module_request::{ImportGate, ModuleRequest};
pub use ops::{ExecAnswer, ExecHandler};
