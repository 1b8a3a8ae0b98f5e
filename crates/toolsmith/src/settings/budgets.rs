//! Budgets in the settings: `budget.SCOPE.LIMIT` stops, `budget.warn.SCOPE.LIMIT` warns. The monitors that enforce them, and where the
//! use of a day is recorded.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use serde::Deserialize;
use toolsmith_agent::CallMonitor;
use toolsmith_middleware::{
    Telemetry,
    budget::{Allowance, Budget, BudgetGuard, Budgets, DayLedger},
};

use super::{
    units::{read_duration_option, read_size_option},
    values::Settings,
};
use crate::home::Home;

/// Budgets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BudgetSettings {
    /// Limits that stop.
    #[serde(flatten)]
    pub stop: BudgetScopes,
    /// Limits that warn.
    pub warn: BudgetScopes,
}

/// Limits by scope.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BudgetScopes {
    /// Each call of every tool.
    pub call: BudgetLimits,
    /// Each call of one tool.
    pub tools: BTreeMap<String, BudgetLimits>,
    /// A session.
    pub session: BudgetLimits,
    /// A day.
    pub day: BudgetLimits,
}

/// The limits of one scope.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BudgetLimits {
    /// Wall time of calls.
    #[serde(deserialize_with = "read_duration_option")]
    pub time: Option<Duration>,
    /// Peak memory of a call in bytes.
    #[serde(deserialize_with = "read_size_option")]
    pub memory: Option<usize>,
    /// Number of processes.
    pub processes: Option<u64>,
    /// Bytes of output.
    #[serde(deserialize_with = "read_size_option")]
    pub output: Option<usize>,
    /// Tokens.
    pub tokens: Option<u64>,
    /// US dollars.
    pub money: Option<f64>,
}

impl BudgetLimits {
    fn allowance(&self) -> Allowance {
        let bytes = |size: usize| u64::try_from(size).unwrap_or(u64::MAX);
        let mut allowance = Allowance::default();
        allowance.time = self.time;
        allowance.memory = self.memory.map(bytes);
        allowance.processes = self.processes;
        allowance.output = self.output.map(bytes);
        allowance.tokens = self.tokens;
        allowance.money = self.money;
        allowance
    }
}

impl BudgetSettings {
    /// Converts to the agent's type.
    pub fn budgets(&self) -> Budgets {
        let budget =
            |hard: &BudgetLimits, soft: &BudgetLimits| Budget::new(hard.allowance(), soft.allowance());
        let (stop, warn) = (&self.stop, &self.warn);
        let none = BudgetLimits::default();
        let mut budgets = Budgets::default();
        budgets.call = budget(&stop.call, &warn.call);
        budgets.session = budget(&stop.session, &warn.session);
        budgets.day = budget(&stop.day, &warn.day);
        let names = stop.tools.keys().chain(warn.tools.keys());
        budgets.tools = names
            .map(|name| {
                let of =
                    |scopes: &BudgetScopes| scopes.tools.get(name).cloned().unwrap_or_else(|| none.clone());
                (name.clone(), budget(&of(stop), &of(warn)))
            })
            .collect();
        budgets
    }
}

/// Returns the folder with the records of days.
pub fn usage_folder(home: &Home) -> PathBuf {
    home.toolsmith().join("agent/usage")
}

/// Returns the guard of the budgets in the settings; `None` if they limit nothing.
pub fn budget_guard(settings: &Settings, home: &Home) -> Option<BudgetGuard> {
    BudgetGuard::new(settings.budget.budgets(), DayLedger::at(usage_folder(home)))
}

/// Returns the monitors of calls that belong to no session: budgets first, because telemetry reports what they made of a call.
pub fn monitors(
    settings: &Settings,
    home: &Home,
    telemetry: Option<&Telemetry>,
) -> Vec<Arc<dyn CallMonitor>> {
    let guard = budget_guard(settings, home).map(|guard| Arc::new(guard) as Arc<dyn CallMonitor>);
    let telemetry = telemetry.map(|telemetry| Arc::new(telemetry.clone()) as Arc<dyn CallMonitor>);
    guard.into_iter().chain(telemetry).collect()
}
