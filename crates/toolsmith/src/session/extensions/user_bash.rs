//! Shell commands that the user types (`!command`). An extension may run them elsewhere (`user_bash`).

use serde_json::{Value, json};
use toolsmith_host::exec::{PathRule, run, shell};
use toolsmith_middleware::custom_message;
use toolsmith_tool::{CancelToken, ContentBlock, CustomMessageDraft, ToolError};

use super::super::session::Session;

/// Type of the message that tells the model of a command.
pub const USER_BASH: &str = "bash";
/// Maximum characters of output that the model receives.
const MAX_TOLD: usize = 30_000;

/// Result of a shell command of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserBashResult {
    /// Standard output and standard error.
    pub output: String,
    /// Exit code, if the command ended by itself.
    pub exit_code: Option<i32>,
    /// It was stopped.
    pub cancelled: bool,
    /// An extension ran it.
    pub from_extension: bool,
}

impl Session {
    /// Runs a shell command of the user and passes its output on as it arrives. Unless `exclude_from_context`, the model
    /// receives the output with its next request.
    ///
    /// # Errors
    /// Fails if the shell cannot be started.
    pub async fn user_bash(
        &self,
        command: &str,
        exclude_from_context: bool,
        cancel: CancelToken,
        mut on_output: impl FnMut(&str) + Send,
    ) -> Result<UserBashResult, ToolError> {
        let result = match self.extension_bash(command, exclude_from_context, &cancel).await {
            Some(result) => result,
            None => {
                let request = shell().request(command).cwd(&self.cwd).path_rule(PathRule::PassedOn);
                let outcome = run(&request, &cancel, |chunk| on_output(&chunk.text)).await;
                let outcome = outcome.map_err(|error| ToolError::reply(error.to_string()))?;
                let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
                let separator =
                    if stdout.is_empty() || stdout.ends_with('\n') || stderr.is_empty() { "" } else { "\n" };
                UserBashResult {
                    output: format!("{stdout}{separator}{stderr}"),
                    exit_code: (!outcome.killed).then_some(outcome.code),
                    cancelled: outcome.killed,
                    from_extension: false,
                }
            }
        };
        if !exclude_from_context {
            self.tell_of_bash(command, &result);
        }
        Ok(result)
    }

    async fn extension_bash(
        &self,
        command: &str,
        exclude: bool,
        cancel: &CancelToken,
    ) -> Option<UserBashResult> {
        let payload = json!({ "type": "user_bash", "command": command, "excludeFromContext": exclude, "cwd": self.cwd });
        let context = self.agent().tool_context().with_cancel(cancel.clone());
        let answer = self.extensions.modules.ask("user_bash", payload, &context).await.into_iter().next()?;
        Some(UserBashResult {
            output: answer["output"].as_str().unwrap_or_default().to_owned(),
            exit_code: answer["exitCode"].as_i64().and_then(|code| i32::try_from(code).ok()),
            cancelled: answer["cancelled"] == true,
            from_extension: true,
        })
    }

    fn tell_of_bash(&self, command: &str, result: &UserBashResult) {
        let output = &result.output;
        let start = output.char_indices().rev().nth(MAX_TOLD).map_or(0, |(at, _)| at);
        let status = match result.exit_code {
            Some(0) => String::new(),
            Some(code) => format!("\nExit code: {code}"),
            None => "\nThe command was stopped.".to_owned(),
        };
        let text = format!("The user ran `{command}`:\n```\n{}\n```{status}", output[start..].trim_end());
        let details: Value = json!({ "command": command, "output": output, "exitCode": result.exit_code, "cancelled": result.cancelled });
        let mut draft = CustomMessageDraft::default();
        draft.custom_type = USER_BASH.to_owned();
        draft.content = vec![ContentBlock::text(text)];
        draft.display = true;
        draft.details = Some(details);
        let message = custom_message(draft, self.agent().now());
        if self.agent().is_idle() {
            self.append_message(message);
        } else {
            self.agent().steer_message(message);
        }
    }
}
