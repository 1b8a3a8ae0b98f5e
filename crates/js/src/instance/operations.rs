//! Operations outside the engine that a tool waits for: processes, requests, dialogs. They run on the program's async
//! runtime, not on the tool's thread, so that they can be stopped even if that thread hangs.

use std::{
    collections::{HashMap, HashSet},
    future::Future,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rquickjs::{Ctx, Object, function::Constructor};
use serde_json::{Map, Value};
use toolsmith_host::exec::Detacher;
use toolsmith_tool::CancelToken;

/// Outcome of an operation.
#[derive(Debug)]
pub(crate) enum Settled {
    Nothing,
    Text(String),
    Bytes(Vec<u8>),
    Failed(HostError),
}

impl Settled {
    /// Size of its content.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.capacity(),
            Self::Bytes(bytes) => bytes.capacity(),
            Self::Nothing | Self::Failed(_) => 0,
        }
    }
}

/// An error for JavaScript: its class, its message, and properties such as `code`.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostError {
    pub(crate) class: &'static str,
    pub(crate) message: String,
    pub(crate) properties: Map<String, Value>,
}

impl HostError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { class: "Error", message: message.into(), properties: Map::new() }
    }

    pub(crate) fn of_class(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, ..Self::new(message) }
    }

    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.properties.insert(key.to_owned(), value.into());
        self
    }

    /// Throws it immediately.
    pub(crate) fn throw(&self, ctx: &Ctx<'_>) -> rquickjs::Error {
        let make = || -> rquickjs::Result<Object<'_>> {
            let class = if matches!(self.class, "TypeError" | "RangeError") { self.class } else { "Error" };
            let constructor: Constructor<'_> = ctx.globals().get(class)?;
            let error: Object<'_> = constructor.construct((self.message.as_str(),))?;
            if class != self.class {
                error.set("name", self.class)?;
            }
            for (key, value) in &self.properties {
                match value {
                    Value::Number(number) => error.set(key, number.as_f64())?,
                    Value::String(text) => error.set(key, text)?,
                    _ => {}
                }
            }
            Ok(error)
        };
        match make() {
            Ok(error) => ctx.throw(error.into_value()),
            Err(error) => error,
        }
    }

    /// Returns the JSON from which the kernel creates an error.
    pub(crate) fn to_json(&self) -> String {
        let mut object = self.properties.clone();
        object.insert("class".to_owned(), self.class.into());
        object.insert("message".to_owned(), self.message.as_str().into());
        Value::Object(object).to_string()
    }
}

/// Kind of an operation, which decides when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Ends with the instance.
    Task,
    /// A process: it also ends when the call that started it is stopped.
    Process,
    /// A process that goes on when the instance ends, unless the call that started it is stopped.
    Detached,
}

#[derive(Debug)]
struct Operation {
    token: CancelToken,
    /// The call that started it.
    call: u32,
    work: Work,
}

/// The operations of one instance that have not ended, and the calls that have not.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    running: Mutex<HashMap<u64, Operation>>,
    calls: Mutex<HashSet<u32>>,
    /// Processes that go on once their call has ended, with that call.
    leaving: Mutex<HashMap<u64, (u32, Detacher)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Operations {
    /// Registers a new operation of a call.
    pub(crate) fn begin(&self, number: u64, call: u32, work: Work) -> CancelToken {
        let token = CancelToken::new();
        lock(&self.running).insert(number, Operation { token: token.clone(), call, work });
        token
    }

    /// Registers an operation that JavaScript has no number for, because it waits for it.
    pub(crate) fn begin_unnumbered(&self, call: u32) -> (u64, CancelToken) {
        // JavaScript counts from 1 and its whole numbers end at 2^53.
        static LAST: AtomicU64 = AtomicU64::new(1 << 60);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        (number, self.begin(number, call, Work::Task))
    }

    pub(crate) fn end(&self, number: u64) {
        lock(&self.running).remove(&number);
        lock(&self.leaving).remove(&number);
    }

    /// Detaches a process when the call that started it ends. Until then it is one like others: it ends with this program.
    pub(crate) fn detach_after(&self, call: u32, number: u64, process: Detacher) {
        let calls = lock(&self.calls);
        if calls.contains(&call) {
            lock(&self.leaving).insert(number, (call, process));
        } else {
            process.detach();
        }
    }

    /// Cancels one operation.
    pub(crate) fn cancel(&self, number: u64) {
        if let Some(operation) = lock(&self.running).get(&number) {
            operation.token.cancel("aborted by the tool");
        }
    }

    pub(crate) fn begin_call(&self, call: u32) {
        lock(&self.calls).insert(call);
    }

    pub(crate) fn end_call(&self, call: u32) {
        lock(&self.calls).remove(&call);
        for (_, (_, process)) in lock(&self.leaving).extract_if(|_, (of, _)| *of == call) {
            process.detach();
        }
    }

    /// Returns the call in progress, if there is only one.
    pub(crate) fn only_call(&self) -> Option<u32> {
        let calls = lock(&self.calls);
        let mut calls = calls.iter();
        calls.next().copied().filter(|_| calls.next().is_none())
    }

    /// Returns whether a call is in progress.
    pub(crate) fn is_running(&self, call: u32) -> bool {
        lock(&self.calls).contains(&call)
    }

    /// Ends the processes of a call that was stopped and gave way.
    pub(crate) fn force_processes(&self, call: u32) {
        for operation in lock(&self.running).values() {
            if operation.call == call && operation.work != Work::Task {
                operation.token.force("the call was stopped");
            }
        }
    }

    /// Ends all of them, without grace. A detached process goes on if the call that started it had ended before.
    pub(crate) fn force_all(&self) {
        let calls = lock(&self.calls);
        for operation in lock(&self.running).values() {
            if operation.work != Work::Detached || calls.contains(&operation.call) {
                operation.token.force("the tool was stopped");
            }
        }
    }
}

/// Abandons `work` when the operation is cancelled; for work that cannot be cancelled itself.
pub(crate) async fn unless_cancelled<T>(token: &CancelToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        outcome = work => Some(outcome),
        () = token.cancelled() => None,
    }
}
