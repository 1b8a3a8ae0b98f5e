//! Staged changes at the gate: nothing that a gate would refuse is written because it was staged first. Every file that is
//! applied is shown to the gate as a call of `write`, with the content it gets.

use serde_json::{Value, json};
use toolsmith_host::changes::UndoPlan;
use toolsmith_tool::{
    ContentBlock, FileChange, PendingAction, Place, Places, ToolContext, ToolError, ToolResult,
    panics::catching,
};

use super::{
    resolve_tool::RESOLVE,
    resolver::{By, Resolver},
};
use crate::dispatch::{Gate, GateApproval, GateVerdict, GatedCall, Passage};

const WRITE: &str = "write";

async fn pass(gate: &dyn Gate, call: GatedCall<'_>) -> Result<Passage, String> {
    match catching(gate.before(call)).await {
        Ok(GateVerdict::Pass) => Ok(Passage::default()),
        Ok(GateVerdict::PassWith(passage)) => Ok(passage),
        Ok(GateVerdict::Rewrite(arguments)) => {
            Ok(Passage { arguments: Some(arguments), ..Passage::default() })
        }
        Ok(GateVerdict::Refuse(reason)) => Err(reason),
        Err(panic) => Err(format!("{} failed: {panic}", gate.name())),
    }
}

/// The arguments of the call of `write` that a change stands for. A deleted file gets no content.
fn arguments(file: &FileChange) -> Value {
    let content = file.content.as_deref().map(|content| String::from_utf8_lossy(content).into_owned());
    json!({ "path": file.path.to_string_lossy(), "content": content.unwrap_or_default() })
}

/// The context in which the gate looks at files: each leads where it was bound to when it was staged, which is where it is
/// written, and not where a link leads at this moment.
fn at_targets(files: &[FileChange], written: &[Value], context: &ToolContext) -> ToolContext {
    let places = Places::default();
    for (file, arguments) in files.iter().zip(written) {
        let path = arguments["path"].as_str().unwrap_or_default();
        places.pin(Place::new(path, Some(file.target.clone())));
    }
    context.clone().with_places(places)
}

impl Resolver {
    /// Lets the gate look at a person's decision to apply. The action stays pending if it is refused.
    pub(super) async fn allow_decision(
        &self,
        action: &PendingAction,
        reason: &str,
        context: &ToolContext,
    ) -> Result<(), ToolError> {
        let Some(gate) = self.applying() else { return Ok(()) };
        let arguments = json!({ "action": "apply", "reason": reason });
        let id = format!("apply-{}", action.id.number());
        let passed = pass(gate, GatedCall::without_spec(&id, RESOLVE, &arguments, context)).await;
        passed
            .map(drop)
            .map_err(|reason| ToolError::reply(format!("Not applied; the action is still pending: {reason}")))
    }

    /// Lets the gate look at every file that will be written; returns the calls they stand for.
    pub(super) async fn allow_files(
        &self,
        action: &PendingAction,
        files: &[FileChange],
        context: &ToolContext,
        by: By,
    ) -> Result<Vec<Value>, ToolError> {
        let id = format!("apply-{}", action.id.number());
        self.allow_writes(&id, &format!("Nothing was applied: {}", action.label), files, context, by).await
    }

    /// Lets the gate look at every file that undoing a change writes; returns the calls they stand for.
    pub(super) async fn allow_undo(
        &self,
        plan: &UndoPlan,
        id: &str,
        context: &ToolContext,
    ) -> Result<Vec<Value>, ToolError> {
        let refusal = format!("Nothing was undone: {}", plan.past.entry.label);
        self.allow_writes(id, &refusal, &plan.files, context, By::Model).await
    }

    async fn allow_writes(
        &self,
        id: &str,
        refusal: &str,
        files: &[FileChange],
        context: &ToolContext,
        by: By,
    ) -> Result<Vec<Value>, ToolError> {
        let refuse = |file: &FileChange, reason: &str| {
            ToolError::reply(format!("{refusal} ({}): {reason}", file.path.display()))
        };
        let is_watched = self.applying().is_some() || self.applied().is_some();
        let written: Vec<Value> = if is_watched { files.iter().map(arguments).collect() } else { Vec::new() };
        let Some(gate) = self.applying() else { return Ok(written) };
        let context = &at_targets(files, &written, context);
        for (file, arguments) in files.iter().zip(&written) {
            let passage = pass(gate, GatedCall::without_spec(id, WRITE, arguments, context)).await;
            let passage = passage.map_err(|reason| refuse(file, &reason))?;
            if passage.arguments.is_some_and(|changed| changed != *arguments) {
                return Err(refuse(
                    file,
                    "a hook wants to change it, but it is applied as shown or not at all",
                ));
            }
            if passage.approval == Some(GateApproval::Ask) && by == By::Model {
                return Err(refuse(file, "a hook wants the user to decide about it"));
            }
        }
        Ok(written)
    }

    /// Shows the written files to the gate, which may add to the result.
    pub(super) async fn report_files(
        &self,
        action: &PendingAction,
        written: Vec<Value>,
        outcome: ToolResult,
        context: &ToolContext,
    ) -> ToolResult {
        self.report_writes(&format!("apply-{}", action.id.number()), written, outcome, context).await
    }

    /// The same for the files of a call with this id.
    pub(super) async fn report_writes(
        &self,
        id: &str,
        written: Vec<Value>,
        mut outcome: ToolResult,
        context: &ToolContext,
    ) -> ToolResult {
        let Some(gate) = self.applied() else { return outcome };
        for arguments in &written {
            let path = arguments["path"].as_str().unwrap_or_default();
            let own = ToolResult::text(format!("Wrote {path}"));
            let Ok(seen) =
                catching(gate.after(GatedCall::without_spec(id, WRITE, arguments, context), own.clone()))
                    .await
            else {
                continue;
            };
            // What the gate added for the model; the rest of the result is about the action.
            let added: Vec<ContentBlock> =
                seen.content.into_iter().filter(|block| !own.content.contains(block)).collect();
            outcome.content.extend(added);
            outcome.is_error |= seen.is_error;
        }
        outcome
    }
}
