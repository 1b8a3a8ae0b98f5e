//! Work with files, away from the threads that must not wait.

use toolsmith_tool::{CancelToken, Stop, ToolError};

/// Runs `work` on a thread that may wait. It has to look at the token now and then; giving up the wait trips it.
pub(super) async fn blocking<T: Send + 'static>(
    cancel: &CancelToken,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    struct Leave(CancelToken);
    impl Drop for Leave {
        fn drop(&mut self) {
            self.0.cancel("nobody waits for it");
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

/// Turns back when somebody asked to.
pub(super) fn check(cancel: &CancelToken) -> Result<(), ToolError> {
    if cancel.is_cancelled() {
        return Err(ToolError::Stopped { stop: Stop::Stopped, note: cancel.reason() });
    }
    Ok(())
}
