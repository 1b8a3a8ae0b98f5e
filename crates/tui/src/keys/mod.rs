//! Key bindings: the ids, defaults and notation of pi, and the user's `keybindings.json`.

mod action;
mod bindings;
mod notation;

pub use action::{Action, ActionInfo};
pub use bindings::{KeyBindings, KeyBindingsWarning};
pub(crate) use notation::normalised;
pub use notation::{name_of, parse_key};

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
