//! Retries after transient errors (CONTRACT 7.1: `auto_retry_start`, `auto_retry_end`).

mod hook;
mod policy;

pub use hook::Retry;
pub use policy::RetryPolicy;
