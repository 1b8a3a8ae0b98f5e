//! Hooks in the path of a call: `PreToolUse` before it is approved, `PermissionRequest` before the person is asked, and
//! `PostToolUse` after it ran.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use toolsmith_agent::{Decision, Gate, GateApproval, GateVerdict, GatedCall, Passage};
use toolsmith_tool::ToolResult;

use super::{
    answer::{Answer, Permission},
    definition::{Dialect, Hook, HookEvent},
    names, payload, response,
    runner::{Hooks, distinct},
};

/// Rounds after which hooks that keep replacing each other's input refuse the call.
const MAX_ROUNDS: usize = 4;

/// Lets hooks look at every call and result.
#[derive(Clone, Debug)]
pub struct HookGate {
    hooks: Hooks,
}

/// Hooks that answered, and the arguments each let through.
#[derive(Default)]
struct Answers(Vec<(Arc<Hook>, Value, Answer)>);

impl Answers {
    /// Returns whether a hook has not let these arguments through yet.
    fn is_open(&self, hook: &Arc<Hook>, arguments: &Value) -> bool {
        !self.0.iter().any(|(other, passed, _)| Arc::ptr_eq(other, hook) && passed == arguments)
    }

    fn set(&mut self, hook: &Arc<Hook>, passed: Value, answer: Answer) {
        self.0.retain(|(other, ..)| !Arc::ptr_eq(other, hook));
        self.0.push((Arc::clone(hook), passed, answer));
    }

    /// Returns the answers of hooks that let these arguments through as one, in the order they were given.
    fn merged(self, arguments: &Value) -> Answer {
        let mut merged = Answer::default();
        for (_, passed, answer) in self.0 {
            if passed == *arguments {
                merged.merge(answer);
            }
        }
        merged
    }
}

impl HookGate {
    /// Creates the gate.
    pub fn new(hooks: Hooks) -> Self {
        Self { hooks }
    }

    /// Returns the hooks that a call with these arguments concerns.
    fn concerned(&self, event: HookEvent, call: &GatedCall<'_>, arguments: &Value) -> Vec<Arc<Hook>> {
        let all = self.hooks.of(event);
        if all.is_empty() {
            return all;
        }
        let names = names::names(call.tool_name, call.spec, arguments);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut claude = None;
        let found = all.into_iter().filter(|hook| {
            hook.matcher.matches(&names)
                && hook.rule.as_ref().is_none_or(|rule| {
                    let input = claude.get_or_insert_with(|| {
                        let (paths, places) = (self.hooks.paths(), &call.context.places);
                        let (tool, spec) = (call.tool_name, call.spec);
                        names::outward(Dialect::Claude, tool, spec, arguments, paths, places).input
                    });
                    rule.covers(&names, input)
                })
        });
        distinct(found.collect())
    }

    /// Runs the hooks before a call until each of them has let the final arguments through.
    async fn settle(&self, call: &GatedCall<'_>) -> Result<(Value, Answer), String> {
        let event = HookEvent::PreToolUse;
        let mut arguments = call.arguments.clone();
        let mut answered = Answers::default();
        for _ in 0..MAX_ROUNDS {
            let hooks = self.concerned(event, call, &arguments);
            if !hooks.iter().any(|hook| answered.is_open(hook, &arguments)) {
                let merged = answered.merged(&arguments);
                return Ok((arguments, merged));
            }
            for hook in hooks.iter().filter(|hook| hook.is_file()) {
                if !answered.is_open(hook, &arguments) {
                    continue;
                }
                let text =
                    payload::before(hook, event, call, &arguments, self.hooks.cwd(), self.hooks.paths()).text;
                let env = payload::call_environment(hook, event, call);
                let mut answer = self.hooks.answer(hook, event, &text, env, call.cancel).await;
                self.refusal(call, &answer).map_or(Ok(()), Err)?;
                if let Some(input) = answer.input.take() {
                    arguments = input;
                }
                answered.set(hook, arguments.clone(), answer);
            }
            let open: Vec<Arc<Hook>> = hooks
                .iter()
                .filter(|hook| !hook.is_file() && answered.is_open(hook, &arguments))
                .cloned()
                .collect();
            let mut sent = Vec::with_capacity(open.len());
            let jobs = open.iter().enumerate().map(|(at, hook)| {
                let made =
                    payload::before(hook, event, call, &arguments, self.hooks.cwd(), self.hooks.paths());
                sent.push(made.sent);
                (at, Arc::clone(hook), made.text)
            });
            let jobs = jobs.collect();
            let env = |hook: &Hook| payload::call_environment(hook, event, call);
            let answers = self.hooks.answers(event, jobs, env, call.cancel).await;
            // Hooks in the background, and those that ran before, agree with whatever comes.
            for hook in &open {
                answered.set(hook, arguments.clone(), Answer::default());
            }
            let mut merged = Answer::default();
            let mut replaced = None;
            for (at, mut answer) in answers {
                let input = answer.input.take();
                merged.merge(answer.clone());
                let Some(hook) = open.get(at) else { continue };
                let mut passed = arguments.clone();
                if let Some(input) = input {
                    passed = names::inward(hook.dialect, call.tool_name, &input, &arguments, &sent[at]);
                    replaced = Some(passed.clone());
                }
                answered.set(hook, passed, answer);
            }
            self.refusal(call, &merged).map_or(Ok(()), Err)?;
            if let Some(replaced) = replaced {
                arguments = replaced;
            }
        }
        Err("Tool execution was blocked: hooks keep replacing each other's input".to_owned())
    }

    /// Returns why a call does not run, and stops the run if a hook wants that.
    fn refusal(&self, call: &GatedCall<'_>, answer: &Answer) -> Option<String> {
        if let Some(reason) = self.stop(call, answer) {
            return Some(reason);
        }
        match answer.permission {
            Some(Permission::Deny) => {
                let reason = answer.reason.clone().filter(|reason| !reason.trim().is_empty());
                Some(reason.unwrap_or_else(|| "Tool execution was blocked by a hook".to_owned()))
            }
            Some(Permission::Defer) => {
                Some("Not run: a hook deferred this call, which is not possible here".to_owned())
            }
            _ => None,
        }
    }

    fn stop(&self, call: &GatedCall<'_>, answer: &Answer) -> Option<String> {
        let reason = answer.stop.as_ref()?;
        self.hooks.notice(format!("Stopped by a hook: {reason}"));
        call.context.agent.abort();
        Some(format!("Stopped by a hook: {reason}"))
    }
}

#[async_trait]
impl Gate for HookGate {
    fn name(&self) -> &str {
        "a hook"
    }

    fn watches_calls(&self) -> bool {
        self.hooks.has(HookEvent::PreToolUse)
    }

    fn watches_results(&self) -> bool {
        self.hooks.has(HookEvent::PostToolUse) || self.hooks.has(HookEvent::PostToolUseFailure)
    }

    async fn before(&self, call: GatedCall<'_>) -> GateVerdict {
        let (arguments, answer) = match self.settle(&call).await {
            Ok(settled) => settled,
            Err(reason) => return GateVerdict::Refuse(reason),
        };
        let approval = match answer.permission {
            Some(Permission::Allow) => Some(GateApproval::Allow),
            Some(Permission::Ask) => Some(GateApproval::Ask),
            _ => None,
        };
        let arguments = (arguments != *call.arguments).then_some(arguments);
        let mut passage = Passage::default();
        (passage.arguments, passage.approval, passage.notes) = (arguments, approval, answer.context);
        GateVerdict::PassWith(passage)
    }

    async fn answer(&self, call: GatedCall<'_>) -> Option<Decision> {
        let event = HookEvent::PermissionRequest;
        let hooks = self.concerned(event, &call, call.arguments);
        let jobs = hooks.into_iter().enumerate().map(|(at, hook)| {
            let text =
                payload::before(&hook, event, &call, call.arguments, self.hooks.cwd(), self.hooks.paths())
                    .text;
            (at, hook, text)
        });
        let jobs: Vec<_> = jobs.collect();
        if jobs.is_empty() {
            return None;
        }
        let env = |hook: &Hook| payload::call_environment(hook, event, &call);
        let mut merged = Answer::default();
        for (_, answer) in self.hooks.answers(event, jobs, env, call.cancel).await {
            merged.merge(answer);
        }
        match (self.refusal(&call, &merged), merged.permission) {
            (Some(reason), _) => Some(Decision::Deny { note: Some(reason) }),
            (None, Some(Permission::Allow)) => Some(Decision::Allow),
            _ => None,
        }
    }

    async fn after(&self, call: GatedCall<'_>, mut result: ToolResult) -> ToolResult {
        // Hooks end with the call.
        if call.cancel.is_cancelled() {
            return result;
        }
        let event = if result.is_error { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
        let files = self.concerned(HookEvent::PostToolUse, &call, call.arguments);
        for hook in files.iter().filter(|hook| hook.is_file()) {
            let text = payload::after(hook, event, &call, &result, self.hooks.cwd(), self.hooks.paths());
            let env = payload::call_environment(hook, event, &call);
            let answer = self.hooks.answer(hook, event, &text, env, call.cancel).await;
            self.stop(&call, &answer);
            result = response::change(result, event, answer);
        }
        let hooks = self.concerned(event, &call, call.arguments);
        let jobs = hooks.into_iter().filter(|hook| !hook.is_file()).enumerate().map(|(at, hook)| {
            let text = payload::after(&hook, event, &call, &result, self.hooks.cwd(), self.hooks.paths());
            (at, hook, text)
        });
        let jobs: Vec<_> = jobs.collect();
        if jobs.is_empty() {
            return result;
        }
        let env = |hook: &Hook| payload::call_environment(hook, event, &call);
        let mut merged = Answer::default();
        for (_, answer) in self.hooks.answers(event, jobs, env, call.cancel).await {
            merged.merge(answer);
        }
        self.stop(&call, &merged);
        response::change(result, event, merged)
    }
}
