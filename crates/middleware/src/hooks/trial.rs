//! Running one hook on its own, for the person who writes it.

use serde_json::Value;
use toolsmith_agent::GatedCall;
use toolsmith_tool::{CancelToken, ToolContext, ToolResult};

use super::{
    definition::{Hook, HookEvent},
    payload,
    runner::{HookRun, Hooks},
};

/// A hook that was tried.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trial {
    /// Standard input of the hook.
    pub payload: Value,
    /// The run.
    pub run: HookRun,
}

impl Hooks {
    /// Runs a hook as if its event occurred: for a call of `tool` with `input` and, after it, `result`. For other events `input` has
    /// the fields of the event.
    pub async fn try_hook(
        &self,
        hook: &Hook,
        tool: &str,
        input: &Value,
        result: &ToolResult,
        cancel: &CancelToken,
    ) -> Trial {
        let context = ToolContext::detached().with_cancel(cancel.clone());
        let call = GatedCall::without_spec("test", tool, input, &context);
        let event = match (hook.event, result.is_error) {
            (HookEvent::PostToolUse, true) if hook.is_file() => HookEvent::PostToolUseFailure,
            (event, _) => event,
        };
        let payload = match event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest => {
                payload::before(hook, event, &call, input, self.cwd(), self.paths()).text
            }
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
                payload::after(hook, event, &call, result, self.cwd(), self.paths())
            }
            event => {
                let mut fields = payload::common(event, self.cwd(), &context);
                if let Value::Object(input) = input {
                    fields.extend(input.iter().map(|(name, value)| (name.clone(), value.clone())));
                }
                Value::Object(fields)
            }
        };
        let env = payload::call_environment(hook, event, &call);
        let run = self.run(hook, event, &payload, env, cancel).await;
        Trial { payload, run }
    }
}
