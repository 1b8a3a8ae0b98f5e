//! Limits for JavaScript values that become data of the host. Text of JSON grows when it is parsed: `[],` is three bytes and
//! a value of 72. A list that contains another one twice is small in the engine and has all its elements twice here.
//! Values are therefore counted before they are made.

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

/// Part of a module's memory limit for details. The conversation, the events and their receivers have about as many copies of
/// them, so that all copies together take about as much as the module itself may.
const KEPT_PART: usize = 8;
/// Part of it for values that are read from text, used and dropped.
const READ_PART: usize = 2;
/// Values of this size are accepted whatever the limit of the module is.
const LEAST: usize = 1 << 20;

/// Bytes of one value.
pub(crate) const VALUE: usize = size_of::<Value>();
/// Bytes of a member of an object beside its value: the name, its hash and its place in the table.
pub(crate) const MEMBER: usize = size_of::<String>() + 3 * size_of::<usize>();
/// Bytes that the allocator adds to each block, about.
pub(crate) const BLOCK: usize = 16;

/// The reason data was refused.
#[derive(Debug, Error)]
pub(crate) enum DataError {
    /// A value would take too much memory.
    #[error(
        "{what} more than {} MB of memory, which is the most for a tool with a memory limit of {} MB",
        .limit >> 20, .memory >> 20
    )]
    TooLarge {
        /// The subject and its verb, such as `details take`.
        what: &'static str,
        limit: usize,
        memory: usize,
    },
    /// The text has another form.
    #[error("{0}")]
    Invalid(#[from] serde_json::Error),
}

/// The limits for data of one module.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DataLimit {
    /// The memory limit of the module or of the call, in bytes.
    memory: usize,
}

impl DataLimit {
    /// Creates the limits of a module that may use this much memory.
    pub(crate) fn new(memory: usize) -> Self {
        Self { memory }
    }

    /// Returns the maximum size of details in bytes.
    pub(crate) fn kept(self) -> usize {
        (self.memory / KEPT_PART).max(LEAST)
    }

    /// Returns the error for details that are larger.
    pub(crate) fn exceeded(self) -> DataError {
        self.refuse("details take", self.kept())
    }

    /// Parses JSON text. Texts in it are not counted: together they are not longer than the text itself, which counted as
    /// memory of the tool.
    ///
    /// # Errors
    /// Fails if there are too many values, and for text of another form.
    pub(crate) fn read<T: DeserializeOwned>(self, text: &str) -> Result<T, DataError> {
        let limit = (self.memory / READ_PART).max(LEAST);
        if structure_of(text) > limit {
            return Err(self.refuse("its values take", limit));
        }
        Ok(serde_json::from_str(text)?)
    }

    /// Parses JSON text that the session keeps, with the texts in it.
    ///
    /// # Errors
    /// Fails if it takes too much memory, and for text of another form.
    pub(crate) fn read_kept<T: DeserializeOwned>(self, text: &str) -> Result<T, DataError> {
        if text.len().saturating_add(structure_of(text)) > self.kept() {
            return Err(self.refuse("it takes", self.kept()));
        }
        Ok(serde_json::from_str(text)?)
    }

    /// Checks the size of details that were read.
    ///
    /// # Errors
    /// Fails if they are too large.
    pub(crate) fn check(self, details: Option<&Value>) -> Result<(), DataError> {
        match details.map(size_of_value) {
            Some(size) if size > self.kept() => Err(self.exceeded()),
            _ => Ok(()),
        }
    }

    fn refuse(self, what: &'static str, limit: usize) -> DataError {
        DataError::TooLarge { what, limit, memory: self.memory }
    }
}

/// Returns the memory in bytes that a value takes, beside the value itself.
pub(crate) fn size_of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + BLOCK,
        Value::Array(list) => BLOCK + list.iter().map(|value| VALUE + size_of_value(value)).sum::<usize>(),
        Value::Object(map) => {
            let member =
                |(name, value): (&String, &Value)| VALUE + MEMBER + BLOCK + name.len() + size_of_value(value);
            BLOCK + map.iter().map(member).sum::<usize>()
        }
        _ => 0,
    }
}

/// Returns the memory in bytes that the values of a JSON text take when they are parsed, without the bytes of their texts.
/// Lists grow by doubling and begin with four elements.
pub(crate) fn structure_of(text: &str) -> usize {
    let (mut values, mut lists, mut members, mut texts) = (1_usize, 0_usize, 0_usize, 0_usize);
    let mut bytes = text.bytes();
    let mut is_empty_so_far = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                texts += 1;
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b',' => values += 1,
            b':' => members += 1,
            b'[' | b'{' => {
                (values, lists) = (values + 1, lists + 1);
                is_empty_so_far = true;
                continue;
            }
            b']' | b'}' if is_empty_so_far => (values, lists) = (values - 1, lists - 1),
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            _ => {}
        }
        is_empty_so_far = false;
    }
    let lists = lists.saturating_mul(2 * VALUE + BLOCK);
    let values = values.saturating_mul(2 * VALUE).saturating_add(members.saturating_mul(2 * MEMBER));
    lists.saturating_add(values).saturating_add(texts.saturating_mul(BLOCK))
}

#[cfg(test)]
#[path = "data_limit_tests.rs"]
mod tests;
