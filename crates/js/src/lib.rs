//! TypeScript and JavaScript modules as tools. This is the only crate that knows the engine.
//!
//! [`Engine::load`] takes module files and returns `dyn Tool`s. Each module has its own runtime on its own thread, with
//! a memory cap and deadlines; a tool that loops, leaks or crashes fails only its own call.
#![warn(missing_docs)]
#![cfg_attr(
    not(feature = "engine"),
    allow(dead_code, reason = "only the engine applies rules, gates and options")
)]

#[cfg(feature = "engine")]
mod allocator;
#[cfg(feature = "engine")]
mod builtins;
#[cfg(feature = "engine")]
mod charge;
#[cfg(feature = "engine")]
mod compiled;
#[cfg(feature = "engine")]
mod data_limit;
#[cfg(feature = "engine")]
mod definitions;
#[cfg(feature = "engine")]
mod described;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
mod engine_version;
mod errors;
#[cfg(feature = "engine")]
mod extension;
#[cfg(feature = "engine")]
mod hand_over;
#[cfg(feature = "engine")]
mod instance;
mod limits;
mod load;
#[cfg(feature = "engine")]
mod load_modules;
#[cfg(feature = "engine")]
mod module;
#[cfg(feature = "engine")]
mod module_inputs;
mod module_request;
#[cfg(feature = "engine")]
mod modules;
#[cfg(feature = "engine")]
mod ops;
mod options;
#[cfg(feature = "engine")]
mod scan;
#[cfg(feature = "engine")]
mod sidecar;
#[cfg(feature = "engine")]
mod stop;
#[cfg(feature = "engine")]
mod tool;
#[cfg(feature = "engine")]
mod uses;
#[cfg(not(feature = "engine"))]
mod without_engine;
#[cfg(feature = "engine")]
mod wrapped_tool;

#[cfg(feature = "engine")]
pub use builtins::LIBRARIES;
#[cfg(feature = "engine")]
pub use definitions::{
    CacheSummary, CachedProject, PreparedDefinitions, clear_definitions, list_definitions,
};
#[cfg(feature = "engine")]
pub use engine::{Engine, WeakEngine};
#[cfg(feature = "engine")]
pub use engine_version::{engine_version, supports_locale};
pub use errors::{LoadError, Location, code_frame};
#[cfg(feature = "engine")]
pub use hand_over::ModuleHandle;
pub use limits::Limits;
pub use load::{HookArity, LoadedModule, LoadedTool, SchemaKind};
#[cfg(feature = "engine")]
pub use module_inputs::ModuleInputs;
pub use module_request::{ImportGate, ModuleRequest};
pub use options::{EngineKind, EngineOptions, EngineStats, ExecAnswer, ExecHandler};
#[cfg(not(feature = "engine"))]
pub use without_engine::{
    Engine, LIBRARIES, ModuleHandle, ModuleInputs, PreparedDefinitions, WeakEngine, engine_version,
    supports_locale,
};
