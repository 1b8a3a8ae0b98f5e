//! Functions of the runtime itself: call outcomes, timers, logging, compiling, built-in modules.

#![expect(unsafe_code, reason = "compiling without running is beyond the engine's safe interface")]

use std::{
    rc::Rc,
    sync::OnceLock,
    time::{Duration, Instant},
};

use rquickjs::{
    Array, Ctx, Error, Exception, Object, Promise, Result, Value, function::Func, promise::PromiseState, qjs,
};
use toolsmith_tool::{ContentBlock, ToolResult};

use super::failure;
use crate::{
    errors::Thrown,
    instance::{Answer, FromEngine, HostError, ThreadState, from_engine, text_from_engine},
};

/// Maximum length of a compiled text; see `modules::transform`.
const MAX_SCRIPT_BYTES: usize = 16 << 20;

pub(super) fn install<'js>(_ctx: &Ctx<'js>, host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    host.set("hasIntl", cfg!(feature = "intl"))?;
    let own = Rc::clone(state);
    host.set(
        "finishCall",
        Func::from(move |ctx: Ctx<'js>, call: u32, kind: String, payload: String| {
            finish_call(&own, &ctx, call, &kind, payload)
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "finishPlain",
        Func::from(move |ctx: Ctx<'js>, call: u32, json: String, texts: Array<'js>, details: Value<'js>| {
            finish_plain(&own, &ctx, call, &json, &texts, &details)
        }),
    )?;
    let own = Rc::clone(state);
    host.set("sendUpdate", Func::from(move |call: u32, json: String| send_update(&own, call, &json)))?;
    let own = Rc::clone(state);
    host.set("updatesHaveRoom", Func::from(move |call: u32| own.context(call).updates.has_room()))?;
    let own = Rc::clone(state);
    host.set(
        "startTimer",
        Func::from(move |number: u32, delay: f64| {
            own.timers
                .borrow_mut()
                .start(number, Duration::try_from_secs_f64(delay / 1000.0).unwrap_or_default());
        }),
    )?;
    let own = Rc::clone(state);
    host.set("stopTimer", Func::from(move |number: u32| own.timers.borrow_mut().stop(number)))?;
    let own = Rc::clone(state);
    host.set("cancelOperation", Func::from(move |number: f64| own.shared.operations.cancel(whole(number))))?;
    host.set("now", Func::from(milliseconds_since_start))?;
    let own = Rc::clone(state);
    host.set(
        "unhandled",
        Func::from(move |what: String, thrown: String| {
            own.report_unhandled(own.current_call(), &what, &Thrown::from_json(&thrown))
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "log",
        Func::from(move |level: String, message: String, context: String| {
            log(&own, &level, &message, &context)
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "loadBuiltin",
        Func::from(move |ctx: Ctx<'js>, name: String| own.modules.builtin_exports(&ctx, &name)),
    )?;
    let own = Rc::clone(state);
    host.set(
        "liftLimit",
        Func::from(move |lifted: bool| {
            own.shared.stop.set_compiling(lifted);
        }),
    )?;
    let own = Rc::clone(state);
    host.set("evalScript", Func::from(move |ctx: Ctx<'js>, code: String| eval_script(&own, &ctx, code)))?;
    let own = Rc::clone(state);
    host.set(
        "emitEvent",
        Func::from(move |channel: String, json: String| own.shared.engine.emit(&channel, &json)),
    )?;
    let own = Rc::clone(state);
    host.set("ticksWait", Func::from(move || own.ticks_wait.set(true)))?;
    host.set("isPromise", Func::from(|value: Value<'js>| value.is_promise()))?;
    host.set("kindOf", Func::from(kind_of))?;
    let state_of = |ctx: Ctx<'js>, promise: Promise<'js>| -> Result<Array<'js>> {
        let answer = Array::new(ctx.clone())?;
        answer.set(
            0,
            match promise.state() {
                PromiseState::Pending => "pending",
                PromiseState::Resolved => "fulfilled",
                PromiseState::Rejected => "rejected",
            },
        )?;
        match promise.result::<Value<'js>>() {
            Some(Ok(value)) => answer.set(1, value)?,
            Some(Err(_)) => answer.set(1, ctx.catch())?,
            None => {}
        }
        Ok(answer)
    };
    host.set("promiseState", Func::from(state_of))?;
    let own = Rc::clone(state);
    host.set("hearEvents", Func::from(move || own.hears.set(true)))
}

/// Engine-internal information about an object.
fn kind_of(value: Value<'_>) -> &'static str {
    if value.is_proxy() {
        return "proxy";
    }
    if value.is_error() {
        return "error";
    }
    let raw = value.as_raw();
    // SAFETY: the value lives for the call.
    if unsafe { qjs::JS_IsRegExp(raw) } { "regexp" } else { "" }
}

/// Takes the outcome of a call. A result counts as memory of the tool until it is taken.
fn finish_call(state: &ThreadState, ctx: &Ctx<'_>, call: u32, kind: &str, payload: String) -> Result<()> {
    let held = match kind {
        "result" => Some(state.shared.charge(payload.len()).map_err(|error| failure::throw(ctx, &error))?),
        _ => None,
    };
    state.finish_with(call, kind, Answer::json(payload, state.data_limit(), held));
    Ok(())
}

/// The answer to a result that has to be converted to text by the engine.
const AS_TEXT: &str = "text";

/// Takes a result: JSON without details and long texts, these texts each after the place of its block, and the details as
/// they are. The same text may be in many blocks, so each is counted before it is copied. Returns why the result was not
/// taken: [`AS_TEXT`], or a problem.
fn finish_plain<'js>(
    state: &ThreadState,
    ctx: &Ctx<'js>,
    call: u32,
    json: &str,
    texts: &Array<'js>,
    details: &Value<'js>,
) -> Result<Option<String>> {
    let limit = state.data_limit();
    let mut result: ToolResult = match limit.read(json) {
        Ok(result) => result,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let mut bytes = match from_engine(ctx, details, limit.kept(), &state.shared.stop)? {
        FromEngine::Value(details, bytes) => {
            // Null means that there are none, as in JSON.
            result.details = details.filter(|details| !details.is_null());
            bytes
        }
        FromEngine::Text => return Ok(Some(AS_TEXT.to_owned())),
        FromEngine::TooLarge => return Ok(Some(limit.exceeded().to_string())),
    };
    bytes = bytes.saturating_add(json.len());
    let refused = |error: HostError| failure::throw(ctx, &error);
    let mut held = state.shared.charge(bytes).map_err(refused)?;
    for at in (0..texts.len()).step_by(2) {
        let index: usize = texts.get(at)?;
        let text = text_from_engine(ctx, &texts.get(at + 1)?, |length| {
            bytes = bytes.saturating_add(length);
            held.resize(bytes).map_err(refused)
        })?;
        if let Some(block) = result.content.get_mut(index) {
            *block = ContentBlock::text(text);
        }
        if state.shared.stop.is_over() {
            return Ok(Some(AS_TEXT.to_owned()));
        }
    }
    state.finish_with(call, "result", Answer::result(result, held));
    Ok(None)
}

pub(super) fn send_update(state: &ThreadState, call: u32, json: &str) {
    let limit = state.data_limit();
    let partial = limit.read::<ToolResult>(json);
    match partial.and_then(|partial| limit.check(partial.details.as_ref()).map(|()| partial)) {
        Ok(partial) => state.context(call).updates.send(partial),
        Err(error) => {
            tracing::warn!(target: "tool", tool = %state.shared.label, %error, "An update was dropped")
        }
    }
}

/// Converts a JavaScript number to an integer.
pub(super) fn whole(number: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float saturates"
    )]
    let whole = number as u64;
    whole
}

fn milliseconds_since_start() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}

/// Context of what a tool printed, in contrast to what it gave its logger.
const CONSOLE: &str = "console";

/// Writes to the log under the tool's name (CONTRACT 3.4).
pub(super) fn log(state: &ThreadState, level: &str, message: &str, context: &str) {
    let tool = &state.shared.label;
    if context == CONSOLE {
        return match level {
            "error" => tracing::error!(target: "console", %tool, "{message}"),
            "warn" => tracing::warn!(target: "console", %tool, "{message}"),
            "debug" => tracing::debug!(target: "console", %tool, "{message}"),
            _ => tracing::info!(target: "console", %tool, "{message}"),
        };
    }
    match level {
        "error" => tracing::error!(target: "tool", %tool, %context, "{message}"),
        "warn" => tracing::warn!(target: "tool", %tool, %context, "{message}"),
        "debug" => tracing::debug!(target: "tool", %tool, %context, "{message}"),
        _ => tracing::info!(target: "tool", %tool, %context, "{message}"),
    }
}

/// Compiles a text without limits and runs it with them, as a global `eval` would.
fn eval_script<'js>(state: &ThreadState, ctx: &Ctx<'js>, code: String) -> Result<Value<'js>> {
    if code.len() > MAX_SCRIPT_BYTES {
        return Err(Exception::throw_range(ctx, "the text given to eval is too long"));
    }
    let length = code.len();
    // The engine reads up to a NUL byte after the text.
    let mut bytes = code.into_bytes();
    bytes.push(0);
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the text ends with NUL and outlives the call; the context is the current one. What comes back is owned
    // by us and given up to `JS_EvalFunction`, whose result is owned by the value made of it.
    unsafe {
        let function = state.shared.stop.while_compiling(|| {
            qjs::JS_Eval(raw, bytes.as_ptr().cast(), length as _, c"eval".as_ptr(), flags.cast_signed())
        });
        if qjs::JS_VALUE_GET_TAG(function) == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        let result = qjs::JS_EvalFunction(raw, function);
        if qjs::JS_VALUE_GET_TAG(result) == qjs::JS_TAG_EXCEPTION {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), result))
    }
}
