//! Calls of built-in tools by the code of extensions. What the user denied and what hooks refuse holds for them as for every
//! call (CONTRACT 5.4, 11.1). A tool that wraps a built-in one and keeps its approval runs the call that was approved; every
//! other call it makes needs an approval of its own (CONTRACT 5.7, 5.8).

use std::sync::Arc;

use serde_json::Value;
use toolsmith_agent::{Gate as _, GateApproval, GateVerdict, GatedCall, Verdict, judge};
use toolsmith_middleware::hooks::HookGate;
use toolsmith_tool::{
    ActionError, Approval, Place, Places, Tool, ToolCall, ToolContext, ToolError, ToolResult, ToolSpec,
    WrappedCall, async_trait,
};

use super::{super::session::Session, built_ins::BuiltInCall};

/// Answer of the hooks about a call they let through.
#[derive(Default)]
struct HookAnswer {
    /// Arguments in place of the call's own.
    arguments: Option<Value>,
    approval: Option<GateApproval>,
}

impl Session {
    /// Runs a built-in tool for the call of an extension that `context` belongs to.
    pub(super) async fn call_built_in(
        &self,
        call: BuiltInCall,
        call_id: &str,
        context: ToolContext,
    ) -> Result<ToolResult, ActionError> {
        let (call, context) = self.approve_built_in(call, call_id, context).await?;
        Ok(call.run(call_id, context).await)
    }

    /// Decides about the call of a built-in tool by an extension that `context` belongs to. Returns the call, which a hook may
    /// have changed, and the context to run it in.
    pub(super) async fn approve_built_in(
        &self,
        mut call: BuiltInCall,
        call_id: &str,
        mut context: ToolContext,
    ) -> Result<(BuiltInCall, ToolContext), ActionError> {
        let wrapped = context.wrapped.take();
        let checked = wrapped.as_ref().filter(|wrapped| wrapped.arguments().is_some());
        let is_here = checked.is_some_and(|wrapped| {
            let directory = wrapped.tool().cwd.as_deref();
            self.extensions.inner.built_ins.directory(directory) == call.directory
        });
        // A path that the wrapper's own call has leads where its gates saw it. Others are fixed now.
        context.places = if is_here { context.places.fork() } else { Places::default() };
        call.pin(&context.places).await;
        let mut is_same = is_here && wrapped.as_ref().is_some_and(|wrapped| call.is_call_of(wrapped));
        let is_unused = is_same && wrapped.as_ref().is_some_and(WrappedCall::take);
        let name = call.tool.spec().name.clone();
        let mut wish = None;
        // Hooks have seen the call of a wrapper that has the name of the built-in tool.
        if !(is_unused && wrapped.as_ref().is_some_and(|wrapped| wrapped.wrapper() == name)) {
            let answer = self.pass_hooks(&call, call_id, &context).await?;
            wish = answer.approval.filter(|wish| *wish == GateApproval::Ask);
            if let Some(arguments) = answer.arguments {
                let before = call.arguments.clone();
                call = call.with_arguments(arguments)?;
                call.pin(&context.places).await;
                is_same &= call.arguments == before;
            }
        }
        let approval = call.tool.approval(&call.arguments).await;
        let settings = self.agent().dispatcher().approval_settings();
        if judge(&name, &approval, &settings) == Verdict::DeniedByUser {
            return Err(ActionError::failed(format!("Tool \"{name}\" is blocked by user policy.")));
        }
        let keeper = wrapped.as_ref().filter(|wrapped| wrapped.tool().keeps_approval);
        let unapproved = match (is_same, is_unused) {
            (true, true) => None,
            (true, false) => Some("makes this call again, or after its own call ended"),
            (false, _) => Some("makes this call; its own call has other arguments"),
        };
        let reason = keeper.zip(unapproved);
        let reason = reason.map(|(keeper, what)| format!("the tool \"{}\" {what}", keeper.wrapper()));
        context.approved = match keeper {
            _ if wish.is_some() || reason.is_some() => {
                Some(self.decide(&call, call_id, &context, wish, reason).await?)
            }
            Some(_) => context.approved,
            // A tool with an approval of its own was approved for what its author declared.
            None => None,
        };
        Ok((call, context))
    }

    /// Shows a call to the hooks.
    async fn pass_hooks(
        &self,
        call: &BuiltInCall,
        call_id: &str,
        context: &ToolContext,
    ) -> Result<HookAnswer, ActionError> {
        let gate = HookGate::new(self.hooks.hooks.clone());
        let gated = GatedCall::of_tool(call_id, call.tool.spec(), &call.arguments, context);
        match gate.before(gated).await {
            GateVerdict::Refuse(reason) => Err(ActionError::failed(reason)),
            GateVerdict::Rewrite(arguments) => {
                Ok(HookAnswer { arguments: Some(arguments), ..HookAnswer::default() })
            }
            GateVerdict::PassWith(passage) => {
                Ok(HookAnswer { arguments: passage.arguments, approval: passage.approval })
            }
            _ => Ok(HookAnswer::default()),
        }
    }

    /// Has a call approved as if the model had made it.
    async fn decide(
        &self,
        call: &BuiltInCall,
        call_id: &str,
        context: &ToolContext,
        wish: Option<GateApproval>,
        reason: Option<String>,
    ) -> Result<Approval, ActionError> {
        let tool = Arc::new(NestedTool { tool: Arc::clone(&call.tool), reason });
        let call = ToolCall::new(call_id, call.arguments.clone());
        let decided = self.agent().dispatcher().approve_nested(tool, &call, context, wish).await;
        decided.map_err(ActionError::Failed)
    }
}

/// A built-in tool whose question says who calls it.
struct NestedTool {
    tool: Arc<dyn Tool>,
    reason: Option<String>,
}

#[async_trait]
impl Tool for NestedTool {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn execute(&self, call: ToolCall, context: ToolContext) -> Result<ToolResult, ToolError> {
        self.tool.execute(call, context).await
    }

    async fn approval(&self, arguments: &Value) -> Approval {
        let mut approval = self.tool.approval(arguments).await;
        let reasons: Vec<String> = self.reason.iter().cloned().chain(approval.reason).collect();
        approval.reason = (!reasons.is_empty()).then(|| reasons.join("; "));
        approval
    }

    async fn places(&self, arguments: &Value) -> Vec<Place> {
        self.tool.places(arguments).await
    }

    async fn approval_details(&self, arguments: &Value) -> Option<Vec<String>> {
        self.tool.approval_details(arguments).await
    }

    async fn details_are_complete(&self, arguments: &Value) -> bool {
        self.tool.details_are_complete(arguments).await
    }
}
