//! The plain interface: append-only output without cursor movement, numbered choices, and a line when a run is done. For
//! screen readers, logs and terminals that cannot move the cursor.

mod review;
mod run;
mod ui;

pub use run::run;
