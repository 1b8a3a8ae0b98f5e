//! Rules: instructions of the user and the project. A rule with a condition (a stream rule) is sent when the model's
//! output matches; the others are part of the system prompt.

mod condition;
mod file;
mod hook;
mod prompt;
mod rule;
mod scope;
mod watch;

pub use file::RuleError;
pub use hook::{Repeat, RuleSettings, StreamRules};
pub use prompt::rules_prompt;
pub use rule::{InterruptMode, Rule, UnknownInterruptMode};

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod watch_tests;
