//! The way through the gates. Every gate has seen the arguments that reach the tool: where a later gate replaces them, the
//! earlier ones look again, so that nothing a gate would refuse gets in behind it.
//!
//! Where the paths of a call lead is fixed before the first gate looks at the call, and compared before the tool runs. A gate, a
//! person and the tool see the same file, whatever happens to links while a hook runs or a question is open.

use serde_json::Value;
use toolsmith_tool::{RegisteredTool, panics::catching};

use super::{
    call::{CallEnd, CallRequest},
    dispatcher::{Dispatcher, Refusal, Trail, prepare},
    gate::{Gate, GateApproval, GateVerdict, GatedCall, Passage},
};

/// Rounds after which gates that keep replacing each other's arguments refuse the call.
const MAX_ROUNDS: usize = 4;

/// A call that all gates let through.
pub(super) struct Gated {
    pub(super) arguments: Value,
    pub(super) approval: Option<GateApproval>,
    pub(super) notes: Vec<String>,
}

pub(super) fn gated<'a>(
    found: &'a RegisteredTool,
    request: &'a CallRequest,
    arguments: &'a Value,
) -> GatedCall<'a> {
    GatedCall::of_tool(&request.id, found.tool.spec(), arguments, &request.context)
}

impl Dispatcher {
    /// Takes a call through all gates.
    pub(super) async fn pass_gates(
        &self,
        found: &RegisteredTool,
        request: &CallRequest,
        mut arguments: Value,
        trail: &mut Trail,
    ) -> Result<Gated, Refusal> {
        let gates: Vec<&dyn Gate> =
            self.parts.gates.iter().map(AsRef::as_ref).filter(|gate| gate.watches_calls()).collect();
        let mut passages: Vec<Passage> = gates.iter().map(|_| Passage::default()).collect();
        // The arguments that each gate let through last.
        let mut passed: Vec<Option<Value>> = gates.iter().map(|_| None).collect();
        let mut is_settled = gates.is_empty();
        for _ in 0..MAX_ROUNDS {
            for (at, gate) in gates.iter().enumerate() {
                if passed[at].as_ref() == Some(&arguments) {
                    continue;
                }
                let mut passage = pass(*gate, found, request, &arguments).await?;
                if let Some(replaced) = passage.arguments.take() {
                    arguments = prepare(found, replaced.into(), trail).await?;
                    pin_places(found, request, &arguments).await;
                }
                passages[at] = passage;
                // With one gate there is nobody to look again.
                passed[at] = (gates.len() > 1).then(|| arguments.clone());
            }
            is_settled = gates.len() <= 1 || passed.iter().all(|seen| seen.as_ref() == Some(&arguments));
            if is_settled {
                break;
            }
        }
        if !is_settled {
            let names: Vec<&str> = gates.iter().map(|gate| gate.name()).collect();
            let text = format!(
                "Tool execution was blocked: {} keep replacing each other's arguments",
                names.join(" and ")
            );
            return Err(Refusal::new(CallEnd::Blocked, text));
        }
        let asks = passages.iter().any(|passage| passage.approval == Some(GateApproval::Ask));
        let allows = passages.iter().any(|passage| passage.approval == Some(GateApproval::Allow));
        let approval = match (asks, allows && self.parts.gates_approve) {
            (true, _) => Some(GateApproval::Ask),
            (false, true) => Some(GateApproval::Allow),
            (false, false) => None,
        };
        let notes = passages.into_iter().flat_map(|passage| passage.notes).collect();
        Ok(Gated { arguments, approval, notes })
    }
}

async fn pass(
    gate: &dyn Gate,
    found: &RegisteredTool,
    request: &CallRequest,
    arguments: &Value,
) -> Result<Passage, Refusal> {
    let cancel = &request.context.cancel;
    let verdict = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Refusal::not_started(request)),
        verdict = catching(gate.before(gated(found, request, arguments))) => verdict,
    };
    let blocked = |text: String| Err(Refusal::new(CallEnd::Blocked, text));
    match verdict {
        Ok(GateVerdict::Pass) => Ok(Passage::default()),
        Ok(GateVerdict::PassWith(passage)) => Ok(passage),
        Ok(GateVerdict::Rewrite(arguments)) => {
            Ok(Passage { arguments: Some(arguments), ..Passage::default() })
        }
        Ok(GateVerdict::Refuse(reason)) if reason.trim().is_empty() => {
            blocked(format!("Tool execution was blocked by {}", gate.name()))
        }
        Ok(GateVerdict::Refuse(reason)) => blocked(reason),
        Err(panic) => blocked(format!("Tool execution was blocked: {} failed: {panic}", gate.name())),
    }
}

/// Fixes the paths of these arguments to where they lead now. Paths that are fixed already stay as they are.
pub(super) async fn pin_places(found: &RegisteredTool, request: &CallRequest, arguments: &Value) {
    for place in catching(found.tool.places(arguments)).await.unwrap_or_default() {
        request.context.places.pin(place);
    }
}

/// Refuses a call of which a path leads elsewhere than the gates saw.
pub(super) async fn check_places(
    found: &RegisteredTool,
    request: &CallRequest,
    arguments: &Value,
) -> Result<(), Refusal> {
    let now = catching(found.tool.places(arguments)).await.unwrap_or_default();
    match now.iter().find(|place| !request.context.places.agree_with(place)) {
        Some(moved) => {
            let text = format!(
                "Not run: {:?} leads elsewhere than when the call was checked. Something changed a link or a directory on \
                 the way meanwhile. Try again.",
                moved.written
            );
            Err(Refusal::new(CallEnd::Blocked, text))
        }
        None => Ok(()),
    }
}
