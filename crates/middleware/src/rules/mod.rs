//! Rules: instructions of the user and the project. A rule with a condition (a stream rule) is sent when the model's
//! output matches; the others are part of the system prompt.

mod file;
mod hook;
mod rule;
mod scope;
mod watch;

pub use file::RuleError;
pub use hook::{Repeat, RuleSettings, StreamRules};
pub use rule::{InterruptMode, Rule, UnknownInterruptMode, rules_prompt};

#[cfg(test)]
mod file_tests;
#[cfg(test)]
mod watch_tests;
