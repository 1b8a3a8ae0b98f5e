//! The kernel's functions, as called by the thread.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Persistent, Result, Value, function::IntoArgs};
use serde_json::Value as Json;

use super::{operations::Settled, plain_data::to_engine, state::ThreadState};
use crate::{builtins::KERNEL, charge::out_of_memory, ops};

/// Handles to the functions of `js/kernel/boot.js`. Dropped before the runtime is.
pub(crate) struct Kernel {
    exports: Persistent<Object<'static>>,
}

impl Kernel {
    /// Installs the host functions and starts the kernel.
    pub(crate) fn boot(ctx: &Ctx<'_>, state: &Rc<ThreadState>) -> Result<Self> {
        let host = Object::new(ctx.clone())?;
        ops::install(ctx, &host, state)?;
        ctx.globals().set("__toolsmith", host)?;
        let exports = state.modules.builtin_exports(ctx, KERNEL)?;
        Ok(Self { exports: Persistent::save(ctx, exports) })
    }

    fn call<'js, R: rquickjs::FromJs<'js>>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
        args: impl IntoArgs<'js>,
    ) -> Result<R> {
        let exports = self.exports.clone().restore(ctx)?;
        exports.get::<_, Function<'js>>(name)?.call(args)
    }

    pub(crate) fn start_load(&self, ctx: &Ctx<'_>, call: u32, path: &str) -> Result<()> {
        self.call(ctx, "startLoad", (call, path))
    }

    pub(crate) fn start_call(
        &self,
        ctx: &Ctx<'_>,
        call: u32,
        number: u32,
        id: &str,
        arguments: &Json,
    ) -> Result<()> {
        // The kernel parses arguments that it receives as text.
        match arguments.is_object().then(|| to_engine(ctx, arguments)).transpose()?.flatten() {
            Some(arguments) => self.call(ctx, "startCall", (call, number, id, arguments)),
            None => self.call(ctx, "startCall", (call, number, id, arguments.to_string())),
        }
    }

    pub(crate) fn resolve_pending(
        &self,
        ctx: &Ctx<'_>,
        call: u32,
        number: u32,
        what: &str,
        reason: &str,
    ) -> Result<()> {
        self.call(ctx, "resolvePending", (call, number, what, reason))
    }

    pub(crate) fn tell_session(&self, ctx: &Ctx<'_>, call: u32, number: u32, event: &str) -> Result<()> {
        self.call(ctx, "tellSession", (call, number, event))
    }

    pub(crate) fn start_extension(
        &self,
        ctx: &Ctx<'_>,
        call: u32,
        number: u32,
        what: &str,
        name: &str,
        payload: String,
    ) -> Result<()> {
        self.call(ctx, "startExtension", (call, number, what, name, payload))
    }

    pub(crate) fn task_update(&self, ctx: &Ctx<'_>, number: u64, json: &str) -> Result<()> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "operations are counted from one and stay far below 2^53"
        )]
        let number = number as f64;
        self.call(ctx, "taskUpdate", (number, json))
    }

    pub(crate) fn ask_approval(
        &self,
        ctx: &Ctx<'_>,
        call: u32,
        number: u32,
        what: &str,
        arguments: &str,
    ) -> Result<()> {
        self.call(ctx, "askApproval", (call, number, what, arguments))
    }

    pub(crate) fn read_state(&self, ctx: &Ctx<'_>, call: u32, number: u32) -> Result<()> {
        self.call(ctx, "readState", (call, number))
    }

    pub(crate) fn abort_call(&self, ctx: &Ctx<'_>, call: u32, reason: &str) -> Result<()> {
        self.call(ctx, "abortCall", (call, reason))
    }

    pub(crate) fn forget_pending(&self, ctx: &Ctx<'_>, number: u32) -> Result<()> {
        self.call(ctx, "forgetPending", (number,))
    }

    pub(crate) fn fire_timer(&self, ctx: &Ctx<'_>, number: u32) -> Result<()> {
        self.call(ctx, "fireTimer", (number,))
    }

    pub(crate) fn hear(&self, ctx: &Ctx<'_>, channel: &str, json: &str) -> Result<()> {
        self.call(ctx, "hear", (channel, json))
    }

    /// Returns `(kind, payload)`: `lines` with JSON lines, `json`, or `thrown`.
    pub(crate) fn render_extension(
        &self,
        ctx: &Ctx<'_>,
        number: u32,
        kind: &str,
        width: usize,
        payload: &str,
    ) -> Result<(String, String)> {
        let outcome: Vec<String> = self.call(ctx, "renderExtension", (number, kind, width, payload))?;
        let mut parts = outcome.into_iter();
        Ok((parts.next().unwrap_or_default(), parts.next().unwrap_or_default()))
    }

    /// Returns `(kind, payload)`: `lines` with JSON lines, or `thrown`.
    pub(crate) fn render(
        &self,
        ctx: &Ctx<'_>,
        number: u32,
        what: &str,
        width: usize,
        payload: &str,
    ) -> Result<(String, String)> {
        let outcome: Vec<String> = self.call(ctx, "render", (number, what, width, payload))?;
        let mut parts = outcome.into_iter();
        Ok((parts.next().unwrap_or_default(), parts.next().unwrap_or_default()))
    }

    /// Renders a shown component, or passes input to it.
    pub(crate) fn view(
        &self,
        ctx: &Ctx<'_>,
        number: u32,
        what: &str,
        payload: &str,
    ) -> Result<(String, String)> {
        let outcome: Vec<String> = self.call(ctx, "view", (number, what, payload))?;
        let mut parts = outcome.into_iter();
        Ok((parts.next().unwrap_or_default(), parts.next().unwrap_or_default()))
    }

    pub(crate) fn settle(&self, ctx: &Ctx<'_>, number: u64, outcome: Settled) -> Result<()> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "operations are counted from one and stay far below 2^53"
        )]
        let number = number as f64;
        match outcome {
            Settled::Nothing => self.call(ctx, "settle", (number, true, Value::new_undefined(ctx.clone()))),
            Settled::Text(text) => self.call(ctx, "settle", (number, true, text)),
            Settled::Bytes(bytes) => match ops::bytes::array(ctx, &bytes) {
                Ok(array) => self.call(ctx, "settle", (number, true, array)),
                Err(_) => {
                    // It did not fit into memory; the waiting code receives an error.
                    ctx.catch();
                    self.call(ctx, "settle", (number, false, out_of_memory().to_json()))
                }
            },
            Settled::Failed(error) => self.call(ctx, "settle", (number, false, error.to_json())),
        }
    }

    /// Describes a thrown value.
    pub(crate) fn describe<'js>(&self, ctx: &Ctx<'js>, thrown: Value<'js>) -> Result<String> {
        self.call(ctx, "describeJson", (thrown,))
    }
}
