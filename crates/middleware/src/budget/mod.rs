//! Budgets: how much one call, one session and one day may use. A soft limit warns; a hard limit stops the call or the run and
//! says which limit it was, how to raise it and what was not done.

mod guard;
mod ledger;
mod limits;
mod text;
mod used;

pub use guard::BudgetGuard;
pub use ledger::{DayLedger, LedgerError};
pub use limits::{Allowance, Budget, Budgets};
pub use used::Used;
