//! The effective key bindings: defaults, replaced action by action by the user's file.

use std::{collections::HashMap, path::Path};

use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    action::Action,
    notation::{name_of, normalised, parse_key},
};
use crate::input::{Key, KeyKind};

/// Files larger than this are not key bindings.
const MAX_BYTES: u64 = 1 << 20;

/// A part of `keybindings.json` that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyBindingsWarning {
    /// The file cannot be read.
    #[error("keybindings.json cannot be read: {0}")]
    Unreadable(String),
    /// The file is not a JSON object.
    #[error("keybindings.json must be a JSON object of action ids and keys: {0}")]
    Invalid(String),
    /// The id is unknown.
    #[error("keybindings.json: unknown action \"{id}\"{}", suggestion(.closest.as_deref()))]
    UnknownAction {
        /// The id.
        id: String,
        /// A similar one.
        closest: Option<String>,
    },
    /// The key is not one.
    #[error("keybindings.json: \"{key}\" for {id} is not a key (expected, for example, ctrl+shift+p)")]
    UnknownKey {
        /// The id.
        id: String,
        /// The text.
        key: String,
    },
}

fn suggestion(closest: Option<&str>) -> String {
    closest.map(|id| format!("; did you mean \"{id}\"?")).unwrap_or_default()
}

/// Key bindings.
#[derive(Clone, Debug)]
pub struct KeyBindings {
    keys: HashMap<Action, Vec<Key>>,
}

impl Default for KeyBindings {
    fn default() -> Self {
        let keys = Action::ALL
            .iter()
            .map(|info| (info.action, info.keys.iter().filter_map(|key| parse_key(key)).collect()));
        Self { keys: keys.collect() }
    }
}

impl KeyBindings {
    /// Reads a file; one that does not exist means the defaults.
    pub fn load(path: &Path) -> (Self, Vec<KeyBindingsWarning>) {
        let unreadable = |error: String| (Self::default(), vec![KeyBindingsWarning::Unreadable(error)]);
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return (Self::default(), Vec::new());
            }
            Err(error) => return unreadable(error.to_string()),
            Ok(metadata) if !metadata.is_file() => return unreadable("it is not a file".to_owned()),
            Ok(metadata) if metadata.len() > MAX_BYTES => return unreadable("it is too large".to_owned()),
            Ok(_) => {}
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) => unreadable(error.to_string()),
        }
    }

    /// Parses the content of a file.
    pub fn parse(text: &str) -> (Self, Vec<KeyBindingsWarning>) {
        let mut bindings = Self::default();
        let mut warnings = Vec::new();
        let entries = match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(entries) => entries,
            Err(error) => return (bindings, vec![KeyBindingsWarning::Invalid(error.to_string())]),
        };
        for (id, value) in entries {
            let Some(action) = Action::from_id(&id) else {
                let known = Action::ALL.iter().map(|info| info.id);
                let closest = toolsmith_tool::closest_names(&id, known).into_iter().next();
                warnings.push(KeyBindingsWarning::UnknownAction {
                    id,
                    closest: closest.map(|id| id.to_string()),
                });
                continue;
            };
            let names = match value {
                Value::String(name) => vec![Value::String(name)],
                Value::Array(names) => names,
                other => vec![other],
            };
            let mut keys = Vec::new();
            for name in names {
                match name.as_str().and_then(parse_key) {
                    Some(key) => keys.push(key),
                    None => {
                        let key = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
                        warnings.push(KeyBindingsWarning::UnknownKey { id: id.clone(), key });
                    }
                }
            }
            bindings.keys.insert(action, keys);
        }
        (bindings, warnings)
    }

    /// Returns whether a key press or repeat triggers an action.
    pub fn is(&self, key: &Key, action: Action) -> bool {
        key.kind != KeyKind::Release
            && self.keys.get(&action).is_some_and(|keys| keys.contains(&normalised(key)))
    }

    /// Returns the first of these actions that the key triggers.
    pub fn first(&self, key: &Key, actions: &[Action]) -> Option<Action> {
        actions.iter().copied().find(|action| self.is(key, *action))
    }

    /// Returns the names of the keys of an action.
    pub fn names(&self, action: Action) -> Vec<String> {
        self.keys.get(&action).map(|keys| keys.iter().map(name_of).collect()).unwrap_or_default()
    }

    /// Returns the first key of an action for hints; empty if it has none.
    pub fn hint(&self, action: Action) -> String {
        self.names(action).into_iter().next().unwrap_or_default()
    }
}
