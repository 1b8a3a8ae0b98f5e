//! One cached module: its definitions, or why it has none, with the inputs they depend on.

use std::{collections::HashSet, time::SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inputs::{Checked, Inputs, Observed, milliseconds};
use crate::{module_request::ImportGate, options::EngineKind};

/// Average length of a year.
const SECONDS_PER_YEAR: u64 = 31_556_952;

/// A module in the cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CachedModule {
    pub(crate) remembered: Remembered,
    /// Only some files of its project were trusted.
    pub(crate) is_gated: bool,
    pub(crate) inputs: Inputs,
}

/// Knowledge about a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Remembered {
    /// The kernel's description of it, as JSON.
    Definitions(String),
    /// It has to be loaded, in this engine, for the reason given.
    Engine(EngineName, String),
    /// It has to be loaded, for the reason given.
    Uncached(String),
}

/// A sidecar engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EngineName {
    Bun,
    Node,
}

impl EngineName {
    pub(crate) fn kind(self) -> EngineKind {
        match self {
            Self::Bun => EngineKind::Bun,
            Self::Node => EngineKind::Node,
        }
    }
}

/// The outcome of a load, as far as the cache is concerned.
pub(crate) struct Outcome<'a> {
    /// The kernel's description.
    pub(crate) said: &'a str,
    /// It declares `cache: false`.
    pub(crate) refuses: bool,
    /// Some tools are not usable.
    pub(crate) has_problems: bool,
    /// It ran in this engine, for the reason given.
    pub(crate) moved: Option<(EngineKind, &'a str)>,
    /// It needs a feature that no engine has.
    pub(crate) lacks: bool,
}

impl CachedModule {
    /// Returns the entry of a load that began at `begun`; `None` if its inputs are not known.
    pub(crate) fn new(
        observed: &Observed,
        outcome: &Outcome<'_>,
        is_gated: bool,
        begun: SystemTime,
    ) -> Option<Self> {
        let remembered = match outcome.moved {
            Some((EngineKind::Bun, why)) => Remembered::Engine(EngineName::Bun, why.to_owned()),
            Some((EngineKind::Node, why)) => Remembered::Engine(EngineName::Node, why.to_owned()),
            _ => match reason_to_load(observed, outcome) {
                Some(reason) => Remembered::Uncached(reason.to_owned()),
                None => Remembered::Definitions(outcome.said.to_owned()),
            },
        };
        Some(Self { remembered, is_gated, inputs: Inputs::record(observed, begun)? })
    }

    /// Returns whether the entry is still true for a module with this gate.
    pub(crate) fn is_valid(&mut self, gate: Option<&ImportGate>, checked: &mut Checked) -> bool {
        self.is_gated == gate.is_some() && self.inputs.are_unchanged(gate, checked)
    }
}

fn reason_to_load(observed: &Observed, outcome: &Outcome<'_>) -> Option<&'static str> {
    if outcome.refuses {
        Some("it declares cache: false")
    } else if observed.read_surroundings {
        Some("it reads its surroundings while loading")
    } else if outcome.has_problems || outcome.lacks {
        Some("parts of it do not work")
    } else if contains_date(observed, outcome.said) {
        Some("its definitions seem to contain a date")
    } else {
        None
    }
}

/// Returns whether definitions mention the current year and the code a clock: they may contain today's date.
fn contains_date(observed: &Observed, said: &str) -> bool {
    let seconds = milliseconds(SystemTime::now()) / 1000;
    let year = |seconds: u64| (1970 + seconds / SECONDS_PER_YEAR).to_string();
    // The average year is not exact at its ends.
    let years = [year(seconds.saturating_sub(2 * 86_400)), year(seconds + 2 * 86_400)];
    years.iter().any(|year| said.contains(year.as_str()))
        && observed.sources.iter().any(|(_, text)| text.contains("Date"))
}

/// Returns whether a description has a tool of this name.
pub(crate) fn has_tool(said: &str, name: &str) -> bool {
    #[derive(Deserialize)]
    struct Tools {
        tools: Vec<Tool>,
    }
    #[derive(Deserialize)]
    struct Tool {
        name: String,
    }
    serde_json::from_str::<Tools>(said).is_ok_and(|said| said.tools.iter().any(|tool| tool.name == name))
}

/// Returns the names of tools that two descriptions of a module define differently.
pub(crate) fn changed_tools(before: &str, after: &str) -> HashSet<String> {
    if before == after {
        return HashSet::new();
    }
    let tools = |text: &str| -> Vec<(String, Value)> {
        let described: Value = serde_json::from_str(text).unwrap_or_default();
        let tools = described["tools"].as_array().cloned().unwrap_or_default();
        let named = tools.into_iter().map(|mut tool| {
            let name = tool["name"].as_str().unwrap_or_default().to_owned();
            // Its position among the others is not part of the definition.
            tool["number"] = Value::Null;
            (name, tool)
        });
        named.collect()
    };
    let after = tools(after);
    let is_same = |tool: &(String, Value)| after.contains(tool);
    tools(before).into_iter().filter(|tool| !is_same(tool)).map(|(name, _)| name).collect()
}
