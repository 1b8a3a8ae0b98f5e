//! The budgets of the settings, and where the use of a day is recorded.

use std::{path::PathBuf, sync::Arc};

use toolsmith_agent::CallMonitor;
use toolsmith_middleware::{
    Telemetry,
    budget::{BudgetGuard, DayLedger},
};

use crate::{home::Home, settings::Settings};

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
