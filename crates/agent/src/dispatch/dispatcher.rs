//! The path itself, from a name and arguments to an outcome.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use serde_json::Value;
use toolsmith_llm::content_tokens;
use toolsmith_tool::{
    CallTape, Concurrency, ContentBlock, Keep, Meter, OriginKind, Places, RegisteredTool, Registry, Repair,
    Stop, ToolCall, ToolContext, ToolError, ToolResult, panics::catching,
};

use super::{
    call::{Arguments, CallEnd, CallEvent, CallOutcome, CallRequest},
    check::check,
    cut::OutputCut,
    execute::{Deadlines, Ending, Site, execute},
    gate::{Gate, GatedCall},
    gating::{Gated, check_places, gated, pin_places},
    monitor::{CallLimits, CallMonitor, LimitWatch},
    recording::{RecordCalls, RecordedEnd},
    registry::{RegistryRefresh, SharedRegistry},
};
use crate::{
    RESOLVE,
    approval::{ApprovalMode, ApprovalSettings, Approver, Remembered},
    grants::{Grant, Grants},
};

/// Maximum number of names an error lists.
const MAX_NAMES: usize = 30;
/// Maximum characters of an unknown name that an error repeats.
const MAX_NAME_CHARS: usize = 100;

/// Makes every call. Clones are the same dispatcher.
#[derive(Clone)]
pub struct Dispatcher {
    pub(super) parts: Arc<Parts>,
}

pub(super) struct Parts {
    registry: SharedRegistry,
    pub(super) refresh: Option<Arc<dyn RegistryRefresh>>,
    record: Option<RecordCalls>,
    monitors: Vec<Arc<dyn CallMonitor>>,
    pub(super) gates: Vec<Arc<dyn Gate>>,
    settings: std::sync::RwLock<ApprovalSettings>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// One question at a time: a person answers one, and the answer may settle the next.
    pub(super) asking: tokio::sync::Mutex<()>,
    pub(super) remembered: Remembered,
    pub(super) grants: Grants,
    deadlines: Deadlines,
    cut: OutputCut,
    max_parallel: usize,
    /// Gates may answer questions that only the tier calls for.
    pub(super) gates_approve: bool,
}

/// Sets up a [`Dispatcher`].
#[derive(Clone)]
#[must_use]
pub struct DispatcherBuilder {
    registry: SharedRegistry,
    refresh: Option<Arc<dyn RegistryRefresh>>,
    record: Option<RecordCalls>,
    monitors: Vec<Arc<dyn CallMonitor>>,
    gates: Vec<Arc<dyn Gate>>,
    settings: ApprovalSettings,
    approver: Option<Arc<dyn Approver>>,
    deadlines: Deadlines,
    cut: OutputCut,
    max_parallel: usize,
    gates_approve: bool,
}

impl DispatcherBuilder {
    /// Sets what brings the registry up to date before each call.
    pub fn refresh(mut self, refresh: Arc<dyn RegistryRefresh>) -> Self {
        self.refresh = Some(refresh);
        self
    }

    /// Records what custom tools ask of their surroundings, in the artifacts of the session.
    pub fn record(mut self, record: RecordCalls) -> Self {
        self.record = Some(record);
        self
    }

    /// Adds a gate; gates are passed in the order they were added.
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gates.push(gate);
        self
    }

    /// Adds a monitor; monitors see a call in the order they were added.
    pub fn monitor(mut self, monitor: Arc<dyn CallMonitor>) -> Self {
        self.monitors.push(monitor);
        self
    }

    /// Sets whether gates may allow calls in place of the approver (default: yes). They can always refuse.
    pub fn gates_approve(mut self, on: bool) -> Self {
        self.gates_approve = on;
        self
    }

    /// Sets what the settings say about approval.
    pub fn approval(mut self, settings: ApprovalSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets who is asked. Without one, what has to be asked is refused.
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Sets how long calls may take.
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// Sets how long an output may be.
    pub fn output(mut self, cut: OutputCut) -> Self {
        self.cut = cut;
        self
    }

    /// Sets how many calls of a batch run at once; at least one.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = calls.max(1);
        self
    }

    /// The dispatcher.
    pub fn build(self) -> Dispatcher {
        Dispatcher {
            parts: Arc::new(Parts {
                registry: self.registry,
                refresh: self.refresh,
                record: self.record,
                monitors: self.monitors,
                gates: self.gates,
                settings: std::sync::RwLock::new(self.settings),
                approver: self.approver,
                asking: tokio::sync::Mutex::new(()),
                remembered: Remembered::default(),
                grants: Grants::default(),
                deadlines: self.deadlines,
                cut: self.cut,
                max_parallel: self.max_parallel,
                gates_approve: self.gates_approve,
            }),
        }
    }
}

impl fmt::Debug for DispatcherBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatcherBuilder").field("approval", &self.settings).finish_non_exhaustive()
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").field("registry", &self.parts.registry).finish_non_exhaustive()
    }
}

/// Record of a call in progress.
#[derive(Default)]
pub(super) struct Trail {
    arguments: Option<Value>,
    repairs: Vec<Repair>,
    keep: Keep,
    /// Time until the approval was decided.
    asked: Duration,
    /// Counts what the tool uses, once it is called.
    meter: Option<Meter>,
    /// Records what the tool and its hooks ask, with the name of the tool. `None` once it is kept.
    recorded: Option<(CallTape, String)>,
}

/// Where a call turned back, and what it is told.
pub(super) struct Refusal {
    end: CallEnd,
    result: ToolResult,
}

impl Refusal {
    pub(super) fn new(end: CallEnd, text: impl Into<String>) -> Self {
        Self { end, result: ToolResult::error(text) }
    }

    /// Adds what programs read, beside the words for the model.
    pub(super) fn details(mut self, details: Value) -> Self {
        self.result.details = Some(details);
        self
    }

    /// Returns the words for the model.
    pub(super) fn text(&self) -> String {
        self.result.joined_text()
    }

    pub(super) fn not_started(request: &CallRequest) -> Self {
        let error = ToolError::Stopped { stop: Stop::NotStarted, note: request.context.cancel.reason() };
        Self { end: CallEnd::Stopped(Stop::NotStarted), result: error.into_result() }
    }
}

impl Dispatcher {
    /// Starts to set up a dispatcher over these tools: no gates, nobody to ask, the default limits.
    pub fn builder(registry: impl Into<SharedRegistry>) -> DispatcherBuilder {
        DispatcherBuilder {
            registry: registry.into(),
            refresh: None,
            record: None,
            monitors: Vec::new(),
            gates: Vec::new(),
            settings: ApprovalSettings::default(),
            approver: None,
            deadlines: Deadlines::default(),
            cut: OutputCut::default(),
            max_parallel: 32,
            gates_approve: true,
        }
    }

    /// The tools.
    pub fn registry(&self) -> &SharedRegistry {
        &self.parts.registry
    }

    /// Returns the current approval settings.
    pub fn approval_settings(&self) -> ApprovalSettings {
        self.parts.settings.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Changes what the settings say about approval, for calls from now on.
    pub fn set_approval_settings(&self, settings: ApprovalSettings) {
        *self.parts.settings.write().unwrap_or_else(std::sync::PoisonError::into_inner) = settings;
    }

    /// Lets calls run without a question until the session ends, as far as the user's settings allow it.
    pub fn grant(&self, grants: impl IntoIterator<Item = Grant>) {
        self.parts.grants.add(grants);
    }

    /// Forgets what was allowed until the end of the session.
    pub(crate) fn forget_permissions(&self) {
        self.parts.remembered.clear();
        self.parts.grants.clear();
    }

    /// Returns whether calls run without asking (`ctx.autoApprove`).
    pub fn is_auto_approving(&self) -> bool {
        self.approval_settings().mode == ApprovalMode::Yolo
    }

    pub(super) fn max_parallel(&self) -> usize {
        self.parts.max_parallel
    }

    /// How a tool's calls may overlap. One that does not exist overlaps with anything.
    pub(super) fn concurrency(&self, name: &str) -> Concurrency {
        self.parts
            .registry
            .read(|registry| {
                let name = registry.resolve_name(name)?;
                registry.get(name).map(|found| found.tool.spec().concurrency)
            })
            .unwrap_or_default()
    }

    /// Makes one call. Every failure is in the outcome. Dropping the future abandons the call.
    pub async fn call(&self, mut request: CallRequest) -> CallOutcome {
        // The context may be that of a call that makes this one.
        request.context.places = Places::default();
        request.context.wrapped = None;
        let (started, started_at) = (Instant::now(), SystemTime::now());
        request.tell(CallEvent::Started);
        let mut trail = Trail::default();
        let (result, end) = match self.walk(&request, &mut trail).await {
            Ok(arrived) => arrived,
            Err(refusal) => {
                // Its hooks may have asked for something before the call was refused.
                if let (Some(record), Some((tape, tool))) = (&self.parts.record, trail.recorded.take())
                    && !tape.is_empty()
                {
                    let end = RecordedEnd::Refused;
                    record.keep(&tape, &request.id, &tool, &request.context, &refusal.result, end);
                }
                (refusal.result, refusal.end)
            }
        };
        let place = request.context.session.artifacts_dir();
        let result = check(result);
        let output_bytes = result.content.iter().map(ContentBlock::size).sum::<usize>() as u64;
        let (result, full_output) = self.parts.cut.apply(result, trail.keep, place.as_deref());
        let duration = started.elapsed().saturating_sub(trail.asked);
        let metrics = trail.meter.map(|meter| {
            let mut metrics = meter.read();
            metrics.wall_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
            metrics.output_bytes = output_bytes;
            metrics.result_tokens = content_tokens(&result.content);
            metrics
        });
        let mut outcome = CallOutcome {
            arguments: trail.arguments,
            result,
            end,
            repairs: trail.repairs,
            duration,
            metrics,
            full_output,
            id: request.id.clone(),
            name: request.name.clone(),
        };
        for monitor in &self.parts.monitors {
            monitor.ended(&mut outcome, started_at);
        }
        request.tell(CallEvent::Finished { outcome: &outcome });
        outcome
    }

    async fn walk(&self, request: &CallRequest, trail: &mut Trail) -> Result<(ToolResult, CallEnd), Refusal> {
        let cancel = &request.context.cancel;
        if cancel.is_cancelled() {
            return Err(Refusal::not_started(request));
        }
        let stale = match &self.parts.refresh {
            Some(refresh) => catching(refresh.before_call(&request.name)).await.ok().flatten(),
            None => None,
        };
        let mut found = self.find(request)?;
        // The context may be that of a replay, or of a recorded call that makes this one.
        let record = self.parts.record.as_ref().filter(|_| request.context.tape.is_none());
        let mut context = request.context.clone();
        if let Some(tape) = record.and_then(|record| record.tape(found.origin.kind)) {
            trail.recorded = Some((tape.clone(), found.tool.spec().name.clone()));
            context = context.with_tape(tape);
        }
        // Bound before anything is asked: approval, its details and the execution are about the same thing.
        if let Some(bound) = found.tool.bind(&context) {
            found.tool = bound;
        }
        trail.keep = found.tool.spec().keep;
        let given = translate(&found, &request.arguments).await;
        let arguments = prepare(&found, given.unwrap_or_else(|| request.arguments.clone()), trail).await?;
        pin_places(&found, request, &arguments).await;
        let gated_call = self.pass_gates(&found, request, arguments, trail).await?;
        let Gated { arguments, approval, notes } = gated_call;
        request.tell(CallEvent::Prepared { arguments: &arguments });
        // Kept for the outcome; the tool gets its own.
        trail.arguments = Some(arguments.clone());
        let asking = Instant::now();
        let approved = self.approve(&found, request, &arguments, approval).await;
        trail.asked = asking.elapsed();
        let approved = approved?;
        check_places(&found, request, trail.arguments.as_ref().unwrap_or(&Value::Null)).await?;
        if cancel.is_cancelled() {
            return Err(Refusal::not_started(request));
        }
        let mut limits = CallLimits::default();
        for monitor in &self.parts.monitors {
            let more = monitor.starting(&found.tool.spec().name);
            limits = limits.and(more.map_err(|text| Refusal::new(CallEnd::OverBudget, text))?);
        }
        let started = Instant::now();
        // A limit stops this call alone.
        let own = if limits == CallLimits::default() { cancel.clone() } else { cancel.child() };
        let (watch, meter) = LimitWatch::start(limits, &own);
        trail.meter = Some(meter.clone());
        let context = context.with_cancel(own).with_approved(approved).with_meter(meter);
        let (mut result, mut end) = self.run(&found, request, arguments, context).await;
        if let (Some(record), Some((tape, tool))) = (record, trail.recorded.take()) {
            record.keep(&tape, &request.id, &tool, &request.context, &result, (&end).into());
        }
        if let Some(message) = watch.exceeded() {
            (result, end) = over_budget(result, end, message);
        }
        let duration = started.elapsed();
        let arguments = trail.arguments.as_ref().unwrap_or(&Value::Null);
        for gate in self.parts.gates.iter().filter(|gate| gate.watches_results()) {
            let call = GatedCall { duration, ..gated(&found, request, arguments) };
            result = match catching(gate.after(call, result.clone())).await {
                Ok(changed) => changed,
                Err(panic) => {
                    tracing::warn!(gate = gate.name(), panic, "The gate failed on a result");
                    result
                }
            };
        }
        result.content.extend(notes.into_iter().chain(stale).map(ContentBlock::text));
        Ok((result, end))
    }

    fn find(&self, request: &CallRequest) -> Result<RegisteredTool, Refusal> {
        self.parts.registry.read(|registry| {
            match registry.resolve_name(&request.name).and_then(|name| registry.get(name)) {
                // `resolve` can always be called (CONTRACT 8.3). It decides only about actions that the model was shown or
                // that the same response staged.
                Some(found) if request.may_call(&found.tool.spec().name) || request.name == RESOLVE => {
                    Ok(found.clone())
                }
                _ => Err(Refusal::new(CallEnd::UnknownTool, not_found(registry, request))),
            }
        })
    }

    async fn run(
        &self,
        found: &RegisteredTool,
        request: &CallRequest,
        arguments: Value,
        mut context: ToolContext,
    ) -> (ToolResult, CallEnd) {
        let deadlines = &self.parts.deadlines;
        let spec = found.tool.spec();
        let deadline = request
            .deadline
            .or_else(|| deadlines.tools.get(&spec.name).copied())
            .or(spec.deadline)
            .unwrap_or(deadlines.call);
        let observer = request.observer.clone();
        let on_update = move |partial: &ToolResult| {
            if let Some(observer) = &observer {
                observer(CallEvent::Update { partial });
            }
        };
        // What it stages is applied later, by the rules for what it may change itself.
        context.pending = context.pending.with_tier(spec.approval.tier).with_call(&spec.name, &request.id);
        // Built-in tools and adapters wait for files, engines and servers. A tool of the embedding program is any code.
        let cancel = context.cancel.clone();
        let site = if found.origin.kind == OriginKind::Sdk { Site::OwnThread } else { Site::Here };
        let execution = execute(
            site,
            Arc::clone(&found.tool),
            ToolCall::new(&request.id, arguments),
            context,
            deadline,
            &self.parts.deadlines,
            on_update,
        )
        .await;
        let (mut result, mut end) = match execution.ending {
            Ending::Answered(Ok(result)) => (result, CallEnd::Answered),
            Ending::Answered(Err(error)) => {
                let end = match &error {
                    ToolError::Stopped { stop, .. } => CallEnd::Stopped(*stop),
                    ToolError::Fatal(_) => CallEnd::Fatal,
                    _ => CallEnd::Answered,
                };
                (error.into_result(), end)
            }
            Ending::Panicked(text) => {
                let name = &found.tool.spec().name;
                tracing::error!(tool = name, text, "The tool panicked");
                let text =
                    format!("Tool \"{name}\" crashed (panic): {text}\nIts side effects may be incomplete.");
                (ToolResult::error(text), CallEnd::Panicked)
            }
            Ending::Abandoned => {
                let error = ToolError::Stopped { stop: Stop::Forced, note: cancel.reason() };
                (error.into_result(), CallEnd::Stopped(Stop::Forced))
            }
        };
        // A call that answered after all is only late, and the end of the run is more than a late answer.
        let late = end == CallEnd::Answered && !result.is_error;
        if execution.timed_out && !late && end != CallEnd::Fatal {
            let text =
                format!("Timed out: no result and no progress for {deadline:?}; {}", result.joined_text());
            end = match end {
                CallEnd::Stopped(stop) => CallEnd::TimedOut(stop),
                _ => CallEnd::TimedOut(Stop::Stopped),
            };
            result = ToolResult { details: result.details, ..ToolResult::error(text) };
        }
        (result, end)
    }
}

/// Reports which limit stopped a call. A call that answered all the same keeps its answer.
fn over_budget(result: ToolResult, end: CallEnd, message: &str) -> (ToolResult, CallEnd) {
    if end == CallEnd::Answered && !result.is_error {
        let mut result = result;
        result.content.push(ContentBlock::text(format!("[{message}]")));
        return (result, end);
    }
    let said = result.joined_text();
    // Tools repeat the reason that they were stopped for.
    let text = match said.contains(message) {
        true => said,
        false => format!("Stopped: {message}\n{said}"),
    };
    (ToolResult { details: result.details, ..ToolResult::error(text) }, CallEnd::OverBudget)
}

fn not_found(registry: &Registry, request: &CallRequest) -> String {
    let name: String = request.name.chars().take(MAX_NAME_CHARS).collect();
    let usable = |known: &&str| request.may_call(known);
    let closest: Vec<&str> = toolsmith_tool::closest_names(&request.name, registry.names().filter(usable));
    match closest.as_slice() {
        [] => {
            let known: Vec<&str> = registry.names().filter(usable).take(MAX_NAMES).collect();
            match known.as_slice() {
                [] => format!("Tool {name} not found. There are no tools."),
                known => format!("Tool {name} not found. Available: {}", known.join(", ")),
            }
        }
        [one] => format!("Tool {name} not found. Did you mean {one}?"),
        several => format!("Tool {name} not found. Closest available: {}", several.join(", ")),
    }
}

/// Lets a tool that accepts an older form convert the arguments. Text that is not JSON is left to the repair pass.
async fn translate(found: &RegisteredTool, arguments: &Arguments) -> Option<Arguments> {
    if !found.tool.translates_arguments() {
        return None;
    }
    let value = match arguments {
        Arguments::Value(value) => value.clone(),
        Arguments::Text(text) => serde_json::from_str(text).ok()?,
    };
    catching(found.tool.prepare_arguments(&value)).await.ok().flatten().map(Arguments::Value)
}

/// Prepares arguments. What the JSON Schema rejects is shown to the tool's own schema library before it is repaired.
pub(super) async fn prepare(
    found: &RegisteredTool,
    arguments: Arguments,
    trail: &mut Trail,
) -> Result<Value, Refusal> {
    let name = &found.tool.spec().name;
    let sent = match &arguments {
        Arguments::Value(value) => Some(value.clone()),
        Arguments::Text(text) => serde_json::from_str(text).ok(),
    };
    if let Some(sent) = sent.filter(|sent| sent.is_object() && !found.arguments.accepts(sent))
        && catching(found.tool.accepts_arguments(&sent)).await.is_ok_and(|accepted| accepted)
    {
        return Ok(sent);
    }
    let prepared = match arguments {
        Arguments::Text(text) => found.arguments.prepare_text(name, &text),
        Arguments::Value(value) => found.arguments.prepare(name, value),
    };
    match prepared {
        Ok(prepared) => {
            trail.repairs.extend(prepared.repairs);
            Ok(prepared.arguments)
        }
        Err(error) => Err(Refusal::new(CallEnd::InvalidArguments, error.to_string())),
    }
}
