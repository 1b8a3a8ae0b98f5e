//! The messages about limits.

use std::time::Duration;

use super::limits::{Amount, Limited};

/// Formats an amount with its unit.
pub(super) fn amount_text(what: &str, amount: Amount) -> String {
    let counted = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match (what, amount) {
        (_, Amount::Dollars(dollars)) => format!("${dollars:.4}"),
        ("time", Amount::Whole(microseconds)) => format!("{:?}", Duration::from_micros(microseconds)),
        ("memory", Amount::Whole(bytes)) => format!("{bytes} bytes of memory"),
        ("output", Amount::Whole(bytes)) => format!("{bytes} bytes of output"),
        ("processes", Amount::Whole(1)) => "1 process".to_owned(),
        ("processes", Amount::Whole(count)) => format!("{count} processes"),
        (_, Amount::Whole(count)) => counted(count, "token"),
    }
}

/// The message for a budget that is used up. `scope` is `session` or `day`.
pub(super) fn used_up(scope: &str, limited: &Limited) -> String {
    let Limited { what, limit, used } = limited;
    let key = format!("budget.{scope}.{what}");
    format!(
        "The budget of the {scope} is used up: {} of {} ({key}). {}",
        amount_text(what, *used),
        amount_text(what, *limit),
        how_to_raise(&key),
    )
}

/// The warning about a soft limit.
pub(super) fn soft(scope: &str, limited: &Limited) -> String {
    let Limited { what, limit, used } = limited;
    format!(
        "The {scope} used {} and reached the soft limit of {} (budget.warn.{scope}.{what}).",
        amount_text(what, *used),
        amount_text(what, *limit),
    )
}

/// The message for a call that exceeded a limit. `key` is the setting's name.
pub(super) fn exceeded(what: &str, limit: Amount, key: &str) -> String {
    let limit = amount_text(what, limit);
    format!("it exceeded its budget of {limit} ({key}); raise it in the settings or with `--set {key}=VALUE`")
}

/// The next step.
pub(super) fn how_to_raise(key: &str) -> String {
    format!("Raise it in the settings or with `--set {key}=VALUE`.")
}
