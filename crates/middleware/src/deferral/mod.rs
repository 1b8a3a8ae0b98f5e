//! Tools that the model does not see until it searches for them: many tools cost the first request no more than a few
//! (CONTRACT 13.1), and the offered list changes as rarely as possible (CONTRACT 5.6).

mod exposure;
mod hook;
mod search;
mod tool;

pub use hook::DeferredTools;
pub use tool::TOOL_SEARCH;
