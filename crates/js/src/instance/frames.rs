//! The call that running JavaScript belongs to (CONTRACT 4.10).
//!
//! Code always runs in a *frame*: an object that names a call and, for `AsyncLocalStorage`, the stores that are set. Entering
//! the engine sets the frame; timers, listeners and queued callbacks remember theirs in JavaScript (`js/kernel/frames.js`).
//! Promises are followed here. The engine reports when a promise is made and when it is fulfilled, but not when an `await` or
//! a `then` handler runs. What runs is one of the promise's reactions, and those run in the order they were added. So just
//! before a reaction is added, another one is added that restores the frame: the engine reads the promise's `constructor` at
//! that moment, and `constructor` is a getter of ours. A job that nothing was restored for runs in the module's own frame,
//! never in the frame of the job before it.
//!
//! A module that is imported by `import()` is evaluated in a job of its own. It runs in the frame of the call in progress,
//! if there is only one, and otherwise in the module's own frame.
//!
//! Known limit: after `await` on an object that is no promise but has a `then`, and that rejects by other means than a
//! promise, the code runs in the module's own frame.

#![expect(
    unsafe_code,
    reason = "promise hooks and functions without a wrapper are beyond the engine's safe interface"
)]

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ffi::{c_int, c_void},
    rc::{Rc, Weak},
    sync::{Arc, atomic::Ordering},
};

use rquickjs::{
    Class, Ctx, Function, JsLifetime, Object, Result, Value,
    class::{JsClass, Readable, Trace, Tracer},
    function::Constructor,
    qjs,
};
use toolsmith_tool::ToolContext;

use super::{cpu_shares::CpuShares, state::SharedState};

/// The contexts of calls whose frames are still held by something, by number.
pub(crate) type HeldContexts = Rc<RefCell<HashMap<u32, Rc<ToolContext>>>>;

/// Removes a call's context when the last frame of the call is collected.
pub(crate) struct Held {
    call: u32,
    contexts: HeldContexts,
}

impl Drop for Held {
    fn drop(&mut self) {
        let gone = self.contexts.try_borrow_mut().ok().and_then(|mut contexts| contexts.remove(&self.call));
        // Outside the borrow: a context may hold anything.
        drop(gone);
    }
}

/// The frame as JavaScript holds it.
pub(crate) struct Frame {
    call: u32,
    held: Option<Rc<Held>>,
}

impl<'js> Trace<'js> for Frame {
    fn trace<'a>(&self, _tracer: Tracer<'a, 'js>) {}
}

// SAFETY: a frame refers to no value of the engine.
unsafe impl JsLifetime<'_> for Frame {
    type Changed<'to> = Self;
}

impl<'js> JsClass<'js> for Frame {
    const NAME: &'static str = "Frame";
    type Mutable = Readable;

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// The name of the property that holds the stores of `AsyncLocalStorage`.
const STORES: &str = "stores";

/// The frames of one runtime. Its values are freed by [`Frames::clear`], before the runtime ends.
pub(crate) struct Frames {
    shared: Arc<SharedState>,
    shares: Rc<CpuShares>,
    contexts: HeldContexts,
    /// Holder of the contexts of calls, by number.
    held: RefCell<HashMap<u32, Weak<Held>>>,
    values: RefCell<Option<Values>>,
    /// A reaction is being added by us: what the engine reports meanwhile is our own doing.
    adding: Cell<bool>,
    /// The job that just ran restored a frame for the next one.
    restored: Cell<bool>,
    /// A `then` of something that is no promise of the engine runs, on behalf of a promise made in the current frame.
    adopting: Cell<bool>,
    /// Promises that were resolved with something that has a `then` and have not been fulfilled since.
    adopted: Cell<usize>,
    /// The promise that was made last, if the frame has not changed since.
    last_made: Cell<*mut c_void>,
}

/// Values of the engine, owned.
struct Values {
    current: qjs::JSValue,
    module: qjs::JSValue,
    /// A function that restores a frame, and that frame, so that one `await` after the other shares it.
    restore: Option<(*mut c_void, qjs::JSValue)>,
    /// A WeakMap from promises to the frames they were made in.
    made: qjs::JSValue,
    /// Another from those that were resolved with something that has a `then`.
    adopted: qjs::JSValue,
    /// The functions of both.
    get: qjs::JSValue,
    set: qjs::JSValue,
}

/// The same, not owned.
struct Borrowed {
    current: qjs::JSValue,
    module: qjs::JSValue,
    made: qjs::JSValue,
    adopted: qjs::JSValue,
    get: qjs::JSValue,
    set: qjs::JSValue,
}

thread_local! {
    /// A thread has one runtime; functions called by the engine find its frames here.
    static FRAMES: RefCell<Option<Rc<Frames>>> = const { RefCell::new(None) };
}

fn here() -> Option<Rc<Frames>> {
    FRAMES.with(|frames| frames.borrow().clone())
}

/// # Safety
/// `value` is of the runtime that `raw` belongs to.
unsafe fn owned<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Value<'js> {
    // SAFETY: the count is raised for the value that is made.
    unsafe { Value::from_raw(ctx.clone(), qjs::JS_DupValue(ctx.as_raw().as_ptr(), value)) }
}

fn pointer(value: qjs::JSValue) -> *mut c_void {
    // SAFETY: only compared, and only for values that are objects.
    unsafe { qjs::JS_VALUE_GET_PTR(value) }
}

impl Frames {
    /// Starts to follow the promises of a runtime, before any code of a tool runs.
    pub(crate) fn install<'js>(
        ctx: &Ctx<'js>,
        shared: Arc<SharedState>,
        shares: Rc<CpuShares>,
        contexts: HeldContexts,
    ) -> Result<Rc<Self>> {
        let raw = ctx.as_raw().as_ptr();
        let module = Class::instance(ctx.clone(), Frame { call: 0, held: None })?.into_value();
        let map: Constructor<'js> = ctx.globals().get("WeakMap")?;
        let (made, adopted): (Object<'js>, Object<'js>) = (map.construct(())?, map.construct(())?);
        let (get, set): (Value<'js>, Value<'js>) = (made.get("get")?, made.get("set")?);
        // SAFETY: the values live; each count is raised for what is kept.
        let keep = |value: &Value<'js>| unsafe { qjs::JS_DupValue(raw, value.as_raw()) };
        let values = Values {
            current: keep(&module),
            module: keep(&module),
            restore: None,
            made: keep(made.as_value()),
            adopted: keep(adopted.as_value()),
            get: keep(&get),
            set: keep(&set),
        };
        let frames = Rc::new(Self {
            shared,
            shares,
            contexts,
            held: RefCell::default(),
            values: RefCell::new(Some(values)),
            adding: Cell::new(false),
            restored: Cell::new(false),
            adopting: Cell::new(false),
            adopted: Cell::new(0),
            last_made: Cell::new(std::ptr::null_mut()),
        });
        FRAMES.with(|slot| slot.replace(Some(Rc::clone(&frames))));
        replace_members(ctx)?;
        // SAFETY: the context is the current one, and so is its runtime. The hook gets nothing of ours.
        unsafe { qjs::JS_SetPromiseHook(qjs::JS_GetRuntime(raw), Some(hook), std::ptr::null_mut()) };
        Ok(frames)
    }

    /// Lets go of every value; nothing is followed any more.
    pub(crate) fn clear(&self, ctx: &Ctx<'_>) {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: as in `install`; the values are ours and given up once.
        unsafe {
            qjs::JS_SetPromiseHook(qjs::JS_GetRuntime(raw), None, std::ptr::null_mut());
            if let Some(values) = self.values.take() {
                for value in
                    [values.current, values.module, values.made, values.adopted, values.get, values.set]
                {
                    qjs::JS_FreeValue(raw, value);
                }
                if let Some((_, restore)) = values.restore {
                    qjs::JS_FreeValue(raw, restore);
                }
            }
        }
        FRAMES.with(|slot| slot.replace(None));
    }

    /// Makes the frame of a call that begins. Its context is kept until nothing holds a frame of the call any more.
    pub(crate) fn begin<'js>(
        &self,
        ctx: &Ctx<'js>,
        call: u32,
        context: Option<Rc<ToolContext>>,
    ) -> Result<Value<'js>> {
        let held = context.map(|context| {
            self.contexts.borrow_mut().insert(call, context);
            let new = Rc::new(Held { call, contexts: Rc::clone(&self.contexts) });
            let mut held = self.held.borrow_mut();
            held.retain(|_, held| held.strong_count() > 0);
            held.insert(call, Rc::downgrade(&new));
            new
        });
        Ok(Class::instance(ctx.clone(), Frame { call, held })?.into_value())
    }

    /// The frame of code that belongs to no call.
    pub(crate) fn module<'js>(&self, ctx: &Ctx<'js>) -> Value<'js> {
        match self.values.borrow().as_ref() {
            // SAFETY: the value is ours and of this runtime.
            Some(values) => unsafe { owned(ctx, values.module) },
            None => Value::new_undefined(ctx.clone()),
        }
    }

    /// The frame of the code that runs now.
    pub(crate) fn current<'js>(&self, ctx: &Ctx<'js>) -> Value<'js> {
        match self.values.borrow().as_ref() {
            // SAFETY: the value is ours and of this runtime.
            Some(values) => unsafe { owned(ctx, values.current) },
            None => Value::new_undefined(ctx.clone()),
        }
    }

    /// Sets the frame of the code that runs next; gives the one before.
    pub(crate) fn enter<'js>(&self, ctx: &Ctx<'js>, frame: &Value<'js>) -> Value<'js> {
        let before = self.current(ctx);
        if Class::<Frame>::from_value(frame).is_ok() {
            // SAFETY: the frame is a live value of this runtime.
            unsafe { self.set(ctx.as_raw().as_ptr(), frame.as_raw()) };
        }
        before
    }

    /// Runs code in a frame; whatever ran before goes on in its own.
    pub(crate) fn within<'js, R>(&self, ctx: &Ctx<'js>, frame: &Value<'js>, run: impl FnOnce() -> R) -> R {
        let (before, restored) = (self.enter(ctx, frame), self.restored.get());
        let outcome = run();
        self.enter(ctx, &before);
        self.restored.set(restored);
        outcome
    }

    /// Called after each job: the next one runs in its own frame or in the module's.
    pub(crate) fn after_job(&self, ctx: &Ctx<'_>) {
        if !self.restored.replace(false) {
            let module = self.values.borrow().as_ref().map(|values| values.module);
            if let Some(module) = module {
                // SAFETY: the value is ours and of this runtime.
                unsafe { self.set(ctx.as_raw().as_ptr(), module) };
            }
        }
    }

    /// Enters the frame of the only call in progress, before a module is evaluated that was imported. The engine imports
    /// in jobs of their own, which nothing restores a frame for. With several calls, whose import it is is not known.
    pub(crate) fn enter_import(ctx: &Ctx<'_>) {
        let Some(frames) = here() else { return };
        if frames.shared.current_call.load(Ordering::Relaxed) != 0 {
            return;
        }
        let Some(call) = frames.shared.operations.only_call() else { return };
        let held = frames.held.borrow().get(&call).and_then(Weak::upgrade);
        // A load has no context: its module runs in its own frame.
        if let Some(held) = held
            && let Ok(frame) = Class::instance(ctx.clone(), Frame { call, held: Some(held) })
        {
            frames.enter(ctx, &frame.into_value());
        }
    }

    /// A frame of the same call with other stores.
    pub(crate) fn with_stores<'js>(&self, ctx: &Ctx<'js>, stores: Value<'js>) -> Result<Value<'js>> {
        let current = Class::<Frame>::from_value(&self.current(ctx))?;
        self.derive(ctx, &current, stores)
    }

    fn derive<'js>(
        &self,
        ctx: &Ctx<'js>,
        from: &Class<'js, Frame>,
        stores: Value<'js>,
    ) -> Result<Value<'js>> {
        let (call, held) = {
            let from = from.borrow();
            (from.call, from.held.clone())
        };
        let frame = Class::instance(ctx.clone(), Frame { call, held })?;
        frame.set(STORES, stores)?;
        Ok(frame.into_value())
    }

    /// Enters the frame a listener runs in that was registered in `registered`, and gives the frame before. While its call
    /// runs, a listener belongs to that call; after it, to whoever emits, if that is a call. Stores are the emitter's.
    pub(crate) fn enter_listener<'js>(&self, ctx: &Ctx<'js>, registered: &Value<'js>) -> Result<Value<'js>> {
        let before = self.current(ctx);
        let (Ok(own), Ok(emitter)) =
            (Class::<Frame>::from_value(registered), Class::<Frame>::from_value(&before))
        else {
            return Ok(before);
        };
        let (call, emitting) = (own.borrow().call, emitter.borrow().call);
        let belongs =
            call != 0 && call != emitting && (emitting == 0 || self.shared.operations.is_running(call));
        if belongs {
            let (stores, theirs): (Value<'js>, Value<'js>) = (emitter.get(STORES)?, own.get(STORES)?);
            let frame = if stores == theirs { registered.clone() } else { self.derive(ctx, &own, stores)? };
            self.enter(ctx, &frame);
        }
        Ok(before)
    }

    /// # Safety
    /// `frame` is a live [`Frame`] of the runtime that `raw` belongs to.
    unsafe fn set(&self, raw: *mut qjs::JSContext, frame: qjs::JSValue) {
        let before = {
            let mut values = self.values.borrow_mut();
            let Some(values) = values.as_mut() else { return };
            if pointer(values.current) == pointer(frame) {
                return;
            }
            // SAFETY: the caller's promise.
            std::mem::replace(&mut values.current, unsafe { qjs::JS_DupValue(raw, frame) })
        };
        self.last_made.set(std::ptr::null_mut());
        // SAFETY: the context is the current one; the value is a live frame.
        let call = unsafe {
            let ctx = Ctx::from_raw(std::ptr::NonNull::new_unchecked(raw));
            let call = Class::<Frame>::from_value(&owned(&ctx, frame)).map_or(0, |frame| frame.borrow().call);
            // Last, because it may be the end of a call's context.
            qjs::JS_FreeValue(raw, before);
            call
        };
        let before = self.shared.current_call.swap(call, Ordering::Relaxed);
        if before != call {
            self.shares.switch(before);
        }
    }

    /// Adds a reaction to a promise that restores `frame` for the reaction that is added next.
    ///
    /// # Safety
    /// Both are live values of the runtime that `raw` belongs to.
    unsafe fn restore_before(&self, raw: *mut qjs::JSContext, promise: qjs::JSValue, frame: qjs::JSValue) {
        if self.adding.replace(true) {
            return;
        }
        // SAFETY: the caller's promise; what is made is freed or kept once.
        unsafe {
            if let Some(restore) = self.restoring(raw, frame) {
                let derived = qjs::JS_PromiseThen(raw, promise, restore, restore);
                forgive(raw, derived);
            }
        }
        self.adding.set(false);
    }

    /// The function that restores a frame, borrowed.
    ///
    /// # Safety
    /// As for [`Frames::restore_before`].
    unsafe fn restoring(&self, raw: *mut qjs::JSContext, frame: qjs::JSValue) -> Option<qjs::JSValue> {
        if let Some((of, function)) = self.values.borrow().as_ref()?.restore
            && of == pointer(frame)
        {
            return Some(function);
        }
        let mut data = [frame];
        // SAFETY: the engine copies the data; the function is ours until it is replaced.
        let function = unsafe { qjs::JS_NewCFunctionData(raw, Some(restore), 0, 0, 1, data.as_mut_ptr()) };
        if is_exception(function) {
            // SAFETY: takes the exception that is pending.
            unsafe { forgive(raw, function) };
            return None;
        }
        let old = self.values.borrow_mut().as_mut()?.restore.replace((pointer(frame), function));
        if let Some((_, old)) = old {
            // SAFETY: it was ours.
            unsafe { qjs::JS_FreeValue(raw, old) };
        }
        Some(function)
    }

    /// Remembers the frame a promise is made in.
    ///
    /// # Safety
    /// As for [`Frames::restore_before`].
    unsafe fn made(&self, raw: *mut qjs::JSContext, promise: qjs::JSValue) {
        self.last_made.set(pointer(promise));
        let values = self.borrowed();
        let Some(Borrowed { made, set, current, module, .. }) = values else { return };
        // What is not remembered was made in the module's own frame.
        if pointer(current) != pointer(module) {
            let mut arguments = [promise, current];
            // SAFETY: all are live; what comes back is ours.
            unsafe { forgive(raw, qjs::JS_Call(raw, set, made, 2, arguments.as_mut_ptr())) };
        }
    }

    /// Enters the frame a promise was made in, because code runs for it that settles it.
    ///
    /// # Safety
    /// As for [`Frames::restore_before`].
    unsafe fn adopt(&self, raw: *mut qjs::JSContext, promise: qjs::JSValue) {
        let Some(Borrowed { made, adopted, get, set, module, .. }) = self.borrowed() else { return };
        // SAFETY: all are live; what comes back is ours.
        unsafe {
            let frame = lookup(raw, made, get, promise).unwrap_or_else(|| qjs::JS_DupValue(raw, module));
            self.set(raw, frame);
            let mut arguments = [promise, frame];
            forgive(raw, qjs::JS_Call(raw, set, adopted, 2, arguments.as_mut_ptr()));
            qjs::JS_FreeValue(raw, frame);
        }
        self.adopting.set(true);
        self.adopted.set(self.adopted.get().saturating_add(1));
    }

    /// A promise is fulfilled: what an `await` added to it may have no frame of its own.
    ///
    /// # Safety
    /// As for [`Frames::restore_before`].
    unsafe fn fulfilled(&self, raw: *mut qjs::JSContext, promise: qjs::JSValue) {
        let Some(Borrowed { adopted, get, current, .. }) = self.borrowed() else { return };
        // SAFETY: all are live; what comes back is ours.
        unsafe {
            if self.last_made.get() == pointer(promise) {
                // An `await` on what is no promise makes one, and nothing reads the constructor of that.
                self.restore_before(raw, promise, current);
            } else if self.adopted.get() > 0
                && let Some(frame) = lookup(raw, adopted, get, promise)
            {
                self.adopted.set(self.adopted.get() - 1);
                self.restore_before(raw, promise, frame);
                qjs::JS_FreeValue(raw, frame);
            }
        }
    }

    /// The values, without a borrow that would be in the way of what is called with them.
    fn borrowed(&self) -> Option<Borrowed> {
        let values = self.values.borrow();
        let Values { current, module, made, adopted, get, set, .. } = *values.as_ref()?;
        Some(Borrowed { current, module, made, adopted, get, set })
    }
}

/// Returns the value of a promise in a WeakMap, owned by the caller.
///
/// # Safety
/// All are live values of the runtime that `raw` belongs to.
unsafe fn lookup(
    raw: *mut qjs::JSContext,
    map: qjs::JSValue,
    get: qjs::JSValue,
    promise: qjs::JSValue,
) -> Option<qjs::JSValue> {
    let mut arguments = [promise];
    // SAFETY: the caller's promise; what comes back is ours.
    unsafe {
        let found = qjs::JS_Call(raw, get, map, 1, arguments.as_mut_ptr());
        if qjs::JS_VALUE_GET_TAG(found) == qjs::JS_TAG_OBJECT {
            return Some(found);
        }
        forgive(raw, found);
        None
    }
}

fn is_exception(value: qjs::JSValue) -> bool {
    // SAFETY: only looks at the tag.
    unsafe { qjs::JS_VALUE_GET_TAG(value) == qjs::JS_TAG_EXCEPTION }
}

/// Frees a value. A failure of ours must not surface in the midst of what the tool does.
///
/// # Safety
/// `value` is owned by the caller and of the runtime that `raw` belongs to.
unsafe fn forgive(raw: *mut qjs::JSContext, value: qjs::JSValue) {
    // SAFETY: the caller's promise.
    unsafe {
        if is_exception(value) {
            qjs::JS_FreeValue(raw, qjs::JS_GetException(raw));
        } else {
            qjs::JS_FreeValue(raw, value);
        }
    }
}

/// Promise events reported by the engine.
unsafe extern "C" fn hook(
    raw: *mut qjs::JSContext,
    kind: qjs::JSPromiseHookType,
    promise: qjs::JSValue,
    _parent: qjs::JSValue,
    _opaque: *mut c_void,
) {
    let Some(frames) = here() else { return };
    if frames.adding.get() {
        return;
    }
    // SAFETY: the engine calls this with its own context and a promise that lives for the call.
    unsafe {
        match kind {
            qjs::JSPromiseHookType_JS_PROMISE_HOOK_INIT => frames.made(raw, promise),
            qjs::JSPromiseHookType_JS_PROMISE_HOOK_BEFORE => frames.adopt(raw, promise),
            qjs::JSPromiseHookType_JS_PROMISE_HOOK_AFTER => frames.adopting.set(false),
            qjs::JSPromiseHookType_JS_PROMISE_HOOK_RESOLVE => frames.fulfilled(raw, promise),
            _ => {}
        }
    }
}

/// Restores the frame that is its data.
unsafe extern "C" fn restore(
    raw: *mut qjs::JSContext,
    _this: qjs::JSValue,
    _argc: c_int,
    _argv: *mut qjs::JSValue,
    _magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    if let Some(frames) = here() {
        // SAFETY: the data is the frame the function was made with.
        unsafe { frames.set(raw, *data) };
        frames.restored.set(true);
    }
    qjs::JS_UNDEFINED
}

/// The same as a job of its own.
unsafe extern "C" fn restore_job(
    raw: *mut qjs::JSContext,
    _argc: c_int,
    argv: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: the one argument is the frame the job was made with.
    unsafe { restore(raw, qjs::JS_UNDEFINED, 0, std::ptr::null_mut(), 0, argv) }
}

/// The getter of `Promise.prototype.constructor`; its data is `Promise`.
unsafe extern "C" fn constructor(
    raw: *mut qjs::JSContext,
    this: qjs::JSValue,
    _argc: c_int,
    _argv: *mut qjs::JSValue,
    _magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: the engine calls this with its own context and live values.
    unsafe {
        if qjs::JS_IsPromise(this)
            && let Some(frames) = here()
            && let Some(Borrowed { current, .. }) = frames.borrowed()
        {
            frames.restore_before(raw, this, current);
        }
        qjs::JS_DupValue(raw, *data)
    }
}

/// `Promise.prototype.then`; its data is the engine's own. While a promise adopts a
/// thenable, the reject function it passes restores the frame first, because the engine has no hook for rejections.
unsafe extern "C" fn then(
    raw: *mut qjs::JSContext,
    this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    _magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: the engine calls this with its own context and as many live values as it says.
    unsafe {
        let frames = here().filter(|frames| argc >= 2 && frames.adopting.get() && !frames.adding.get());
        let current = frames.and_then(|frames| frames.borrowed()).map(|values| values.current);
        let (Some(current), true) = (current, argc >= 2 && qjs::JS_IsFunction(raw, *argv.add(1))) else {
            return qjs::JS_Call(raw, *data, this, argc, argv);
        };
        let mut parts = [*argv.add(1), current];
        let rejecting = qjs::JS_NewCFunctionData(raw, Some(reject), 1, 0, 2, parts.as_mut_ptr());
        if is_exception(rejecting) {
            return rejecting;
        }
        let mut arguments = [*argv, rejecting];
        let outcome = qjs::JS_Call(raw, *data, this, 2, arguments.as_mut_ptr());
        qjs::JS_FreeValue(raw, rejecting);
        outcome
    }
}

/// Rejects by the function that is its data, after what restores the frame beside it.
unsafe extern "C" fn reject(
    raw: *mut qjs::JSContext,
    _this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    _magic: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: the data is what the function was made with; the arguments are the engine's.
    unsafe {
        if qjs::JS_EnqueueJob(raw, Some(restore_job), 1, data.add(1)) < 0 {
            qjs::JS_FreeValue(raw, qjs::JS_GetException(raw));
        }
        qjs::JS_Call(raw, *data, qjs::JS_UNDEFINED, argc, argv)
    }
}

/// Puts `constructor` and `then` in the place of the engine's.
fn replace_members(ctx: &Ctx<'_>) -> Result<()> {
    let raw = ctx.as_raw().as_ptr();
    let promise: Object<'_> = ctx.globals().get("Promise")?;
    let prototype: Object<'_> = promise.get("prototype")?;
    let make = |function: qjs::JSCFunctionData, name: &'static std::ffi::CStr, length, data: &Value<'_>| {
        let mut data = [data.as_raw()];
        // SAFETY: the engine copies the data; what comes back is owned by the value made of it.
        unsafe {
            let made =
                qjs::JS_NewCFunctionData2(raw, function, name.as_ptr(), length, 0, 1, data.as_mut_ptr());
            if is_exception(made) {
                Err(rquickjs::Error::Exception)
            } else {
                Ok(Value::from_raw(ctx.clone(), made))
            }
        }
    };
    let own_then: Value<'_> = prototype.get("then")?;
    let getter = make(Some(constructor), c"get constructor", 0, promise.as_value())?;
    let followed = make(Some(then), c"then", 2, &own_then)?;
    let define: Function<'_> = ctx.eval(
        "((define, prototype, get, then) => {\n\
           const set = function (value) {\n\
             define(this, 'constructor', { value, writable: true, enumerable: true, configurable: true });\n\
           };\n\
           define(prototype, 'constructor', { get, set, enumerable: false, configurable: true });\n\
           define(prototype, 'then', { value: then, writable: true, enumerable: false, configurable: true });\n\
         })",
    )?;
    let object: Object<'_> = ctx.globals().get("Object")?;
    let define_property: Function<'_> = object.get("defineProperty")?;
    define.call((define_property, prototype, getter, followed))
}
