//! Whether a call may run: the settings first, and where they leave it open, the person (CONTRACT 5.4).

use std::sync::Arc;

use serde_json::{Value, json};
use toolsmith_tool::{
    Approval, ApprovalPolicy, ArgumentSchema, Origin, OriginKind, RegisteredTool, Tool, ToolCall,
    ToolContext, ToolResult, ToolSpec, panics::catching,
};

use super::{
    call::{CallEnd, CallEvent, CallRequest},
    dispatcher::{Dispatcher, Refusal},
    gate::GateApproval,
    gating::gated,
};
use crate::approval::{ApprovalRequest, Decision, Verdict, judge};

/// The field of a refusal's details that says why, for front ends.
const DENIED: &str = "denied";
/// Nobody could be asked.
const NOBODY_TO_ASK: &str = "nobody_to_ask";

/// Returns whether a call was refused because nobody could be asked, which the client reports to the user.
pub fn is_refused_unasked(result: &ToolResult) -> bool {
    let why = result.details.as_ref().and_then(|details| details.get(DENIED));
    result.is_error && why.is_some_and(|why| why == NOBODY_TO_ASK)
}

impl Dispatcher {
    /// Lets the call through and returns what it was approved for, or says why not.
    pub(super) async fn approve(
        &self,
        found: &RegisteredTool,
        request: &CallRequest,
        arguments: &Value,
        wish: Option<GateApproval>,
    ) -> Result<Approval, Refusal> {
        let name = &found.tool.spec().name;
        let cancel = &request.context.cancel;
        let approval = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Refusal::not_started(request)),
            // A tool that cannot say what it wants gets the most careful answer.
            approval = catching(found.tool.approval(arguments)) => approval.unwrap_or_default(),
        };
        let denied = |text: String| Err(Refusal::new(CallEnd::Denied, text));
        let settings = self.approval_settings().of_tool(found.tool.spec());
        // A gate may stand in for the person only where nothing but the tier calls for a question.
        let answerable = self.parts.gates_approve
            && wish != Some(GateApproval::Ask)
            && !approval.override_mode
            && approval.policy.is_none()
            && !settings.wants_question(name, &approval);
        match judge(name, &approval, &settings) {
            Verdict::Allow if wish != Some(GateApproval::Ask) => return Ok(approval),
            Verdict::Allow => {}
            Verdict::DeniedByTool => return denied(format!("Tool \"{name}\" is blocked by tool policy.")),
            Verdict::DeniedByUser => {
                let key = self.denying_key(found.tool.spec(), &approval);
                let is_bare = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                let key = if is_bare { key } else { format!("{key:?}") };
                return denied(format!(
                    "Tool \"{name}\" is blocked by user policy.\nTo allow: remove \"tools.approval.{key}: deny\" from the settings."
                ));
            }
            Verdict::Ask if answerable && wish == Some(GateApproval::Allow) => return Ok(approval),
            Verdict::Ask => {}
        }
        let policy = settings.policy(name, &approval);
        let declared = found.tool.spec().approval.tier;
        if wish != Some(GateApproval::Ask)
            && self.parts.grants.cover(name, arguments, &approval, declared, policy)
        {
            return Ok(approval);
        }
        for gate in &self.parts.gates {
            let answer = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(Refusal::not_started(request)),
                answer = catching(gate.answer(gated(found, request, arguments))) => answer,
            };
            match answer {
                Ok(Some(Decision::Deny { note })) => {
                    let note = note.unwrap_or_else(|| format!("Tool call denied by {}: {name}", gate.name()));
                    return denied(note);
                }
                Ok(Some(_)) if answerable => return Ok(approval),
                // The person is asked.
                Ok(_) | Err(_) => {}
            }
        }
        let Some(approver) = self.parts.approver.as_ref().filter(|approver| approver.can_ask()) else {
            let text = format!(
                "Tool \"{name}\" requires approval but no interactive UI available.\n\
                 To allow it: set tools.approval.{name} to \"allow\" in the settings, or run with --approval-mode yolo \
                 (or --auto-approve), or run interactively and approve it there."
            );
            return Err(Refusal::new(CallEnd::Denied, text).details(json!({ DENIED: NOBODY_TO_ASK })));
        };
        let version = self.version(name).await;
        let asked = async {
            let _turn = match approver.asks_one_at_a_time() {
                true => Some(self.parts.asking.lock().await),
                false => None,
            };
            // The answer to an earlier question may have settled this one.
            if wish != Some(GateApproval::Ask) && self.parts.remembered.has(name, &found.origin, &approval) {
                return (Decision::Allow, self.version(name).await == version);
            }
            let question = question(found, request, arguments, &approval).await;
            request.tell(CallEvent::ApprovalRequested { request: &question });
            let decision = catching(approver.ask(&question, cancel)).await.unwrap_or_else(|panic| {
                Decision::Deny { note: Some(format!("the question could not be asked: {panic}")) }
            });
            request.tell(CallEvent::ApprovalDecided { request: &question, decision: &decision });
            let is_unchanged = self.version(name).await == version;
            if decision == Decision::AllowForSession && wish != Some(GateApproval::Ask) && is_unchanged {
                self.parts.remembered.add(name, &found.origin, &approval);
            }
            (decision, is_unchanged)
        };
        let (decision, is_unchanged) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Refusal::not_started(request)),
            asked = asked => asked,
        };
        match decision {
            Decision::Allow | Decision::AllowForSession if !is_unchanged => {
                let text = format!(
                    "The tool \"{name}\" was not called: its code was changed while the call waited. Call it again."
                );
                Err(Refusal::new(CallEnd::Blocked, text))
            }
            Decision::Allow | Decision::AllowForSession => Ok(approval),
            Decision::Deny { note } => {
                let note = note.filter(|note| !note.trim().is_empty());
                denied(match note {
                    Some(note) => format!("Tool call denied by user: {name}\n{note}"),
                    None => format!("Tool call denied by user: {name}"),
                })
            }
        }
    }

    /// Decides about a call that a tool makes by itself, as about a call of the model. `wish` is what the gates want that saw
    /// it.
    ///
    /// # Errors
    /// Returns the reason if the call may not run.
    pub async fn approve_nested(
        &self,
        tool: Arc<dyn Tool>,
        call: &ToolCall,
        context: &ToolContext,
        wish: Option<GateApproval>,
    ) -> Result<Approval, String> {
        let spec = tool.spec();
        let schema = ArgumentSchema::compile(&spec.parameters).map_err(|error| error.to_string())?;
        let request = CallRequest::new(&call.id, &spec.name, call.arguments.clone()).context(context.clone());
        let found = RegisteredTool { tool, origin: Origin::built_in(), arguments: Arc::new(schema) };
        let approved = self.approve(&found, &request, &call.arguments, wish).await;
        approved.map_err(|refusal| refusal.text())
    }

    async fn version(&self, tool: &str) -> Option<String> {
        let refresh = self.parts.refresh.as_ref()?;
        catching(refresh.version(tool)).await.ok().flatten()
    }

    /// Which entry of the settings says no.
    fn denying_key(&self, spec: &ToolSpec, approval: &Approval) -> String {
        let others = [approval.policy_key.as_ref(), approval.wraps.as_ref()];
        let is_meant = |name: &String| spec.is_named(name) || others.contains(&Some(name));
        let settings = self.approval_settings();
        let mut denied = settings.tools.iter().filter(|(_, policy)| **policy == ApprovalPolicy::Deny);
        denied.find(|(name, _)| is_meant(name)).map_or_else(|| spec.name.clone(), |(name, _)| name.clone())
    }
}

async fn question(
    found: &RegisteredTool,
    request: &CallRequest,
    arguments: &Value,
    approval: &Approval,
) -> ApprovalRequest {
    let details = catching(found.tool.approval_details(arguments)).await.ok().flatten().unwrap_or_default();
    let details_are_complete = catching(found.tool.details_are_complete(arguments)).await.unwrap_or_default();
    let spec = found.tool.spec();
    ApprovalRequest {
        tool_call_id: request.id.clone(),
        tool_name: spec.name.clone(),
        label: spec.label.clone(),
        arguments: arguments.clone(),
        tier: approval.tier,
        origin: (found.origin.kind != OriginKind::BuiltIn).then(|| found.origin.to_string()),
        reason: approval.reason.clone(),
        details,
        details_are_complete,
    }
}
