//! Settings: defaults, the user's file, the project's file, the environment and flags. Later ones take precedence, and
//! each value has an origin.

mod budget_keys;
mod budgets;
mod file;
mod keys;
mod layers;
mod origin;
mod recovery;
mod secrets;
mod units;
mod values;
mod write;

pub use budgets::{BudgetLimits, BudgetScopes, BudgetSettings, budget_guard, monitors, usage_folder};
pub(crate) use file::commands_in;
pub use keys::{Key, KeyKind, keys};
pub use layers::{
    FileState, LoadedSettings, SettingEntry, SettingsError, SettingsFile, SettingsSources, WaitingSetting,
    load_settings,
};
pub use origin::SettingOrigin;
pub use recovery::{CompactionSettings, RetrySettings};
pub use secrets::{secret_values, without_credentials};
pub use units::parse_duration;
pub use values::{
    DiscoverySettings, EngineChoice, HookSettings, LimitSettings, ModelSettings, OutputSettings,
    PreviewDecision, PriceSettings, ProviderError, ProviderSettings, RulesSettings, Settings, TodoSettings,
    ToolSettings, ToolsSettings, UiSettings,
};
pub use write::{SettingsWriteError, set_setting, set_user_setting, unset_setting};
