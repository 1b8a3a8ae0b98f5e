//! Operations outside the engine that a tool waits for: processes, requests, dialogs. They run on the program's async
//! runtime, not on the tool's thread, so that they can be stopped even if that thread hangs.

use std::{
    collections::HashMap,
    future::Future,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rquickjs::{Ctx, Object, function::Constructor};
use serde_json::{Map, Value};
use toolsmith_tool::CancelToken;

/// Outcome of an operation.
#[derive(Debug)]
pub(crate) enum Settled {
    Nothing,
    Text(String),
    Bytes(Vec<u8>),
    Failed(HostError),
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

/// The operations in progress of one instance.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    running: Mutex<HashMap<u64, CancelToken>>,
}

impl Operations {
    /// Registers an operation.
    pub(crate) fn begin(&self, number: u64) -> CancelToken {
        let token = CancelToken::new();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(number, token.clone());
        token
    }

    /// Registers an operation without a JavaScript number, because the engine waits for it.
    pub(crate) fn begin_unnumbered(&self) -> (u64, CancelToken) {
        // JavaScript counts from 1, and its integers end at 2^53.
        static LAST: AtomicU64 = AtomicU64::new(1 << 60);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        (number, self.begin(number))
    }

    pub(crate) fn end(&self, number: u64) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    /// Cancels one operation.
    pub(crate) fn cancel(&self, number: u64) {
        if let Some(token) = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(&number) {
            token.cancel("aborted by the tool");
        }
    }

    /// Force-stops all of them.
    pub(crate) fn force_all(&self) {
        for token in self.running.lock().unwrap_or_else(PoisonError::into_inner).values() {
            token.force("the tool was stopped");
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
