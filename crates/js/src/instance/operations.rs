//! Work outside the engine that a tool waits for: processes, requests, dialogs. It runs on the program's own async
//! runtime, not on the tool's thread, so that it can be ended when that thread cannot.

use std::{
    collections::HashMap,
    future::Future,
    sync::{Mutex, PoisonError},
};

use rquickjs::{Ctx, Object, function::Constructor};
use serde_json::{Map, Value};
use toolsmith_tool::CancelToken;

/// What an operation ended with.
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

    /// Throws it at once.
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

    /// What the kernel makes an error of.
    pub(crate) fn to_json(&self) -> String {
        let mut object = self.properties.clone();
        object.insert("class".to_owned(), self.class.into());
        object.insert("message".to_owned(), self.message.as_str().into());
        Value::Object(object).to_string()
    }
}

/// The operations of one instance that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    running: Mutex<HashMap<u64, CancelToken>>,
}

impl Operations {
    /// Takes note of a new operation.
    pub(crate) fn begin(&self, number: u64) -> CancelToken {
        let token = CancelToken::new();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(number, token.clone());
        token
    }

    pub(crate) fn end(&self, number: u64) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    /// Asks one to end.
    pub(crate) fn cancel(&self, number: u64) {
        if let Some(token) = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(&number) {
            token.cancel("aborted by the tool");
        }
    }

    /// Ends all of them, without grace.
    pub(crate) fn force_all(&self) {
        for token in self.running.lock().unwrap_or_else(PoisonError::into_inner).values() {
            token.force("the tool was stopped");
        }
    }
}

/// Gives up on `work` when the operation is cancelled; for work that has no end of its own to be asked for.
pub(crate) async fn unless_cancelled<T>(token: &CancelToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        outcome = work => Some(outcome),
        () = token.cancelled() => None,
    }
}
