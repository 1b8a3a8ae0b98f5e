//! Blocking file work, away from the async threads.

use toolsmith_tool::{CancelToken, Stop, ToolError};

/// Runs `work` on a blocking thread. It must check the token regularly; dropping the future triggers it.
///
/// # Errors
/// Returns the error of `work`, or a forced stop if the runtime shuts down.
pub async fn blocking<T: Send + 'static>(
    cancel: &CancelToken,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    struct Leave(CancelToken);
    impl Drop for Leave {
        fn drop(&mut self) {
            self.0.cancel("the caller is gone");
        }
    }
    let own = cancel.child();
    let _leave = Leave(own.clone());
    let ended = tokio::task::spawn_blocking(move || work(&own)).await;
    match ended {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(ToolError::stopped(Stop::Forced)),
        },
    }
}

/// Checks that the call was not cancelled.
///
/// # Errors
/// Returns the reason if it was cancelled.
pub fn check(cancel: &CancelToken) -> Result<(), ToolError> {
    if cancel.is_cancelled() {
        return Err(ToolError::Stopped { stop: Stop::Stopped, note: cancel.reason() });
    }
    Ok(())
}
