//! From an event to a line: time, level, where it comes from, what was said, and the fields beside it.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::RotatingFile;

/// Longer texts are cut: a log line is for reading.
const MAX_TEXT: usize = 32 << 10;

/// Writes events as lines of JSON. A layer for `tracing_subscriber`.
///
/// A field named `context` whose text is JSON is written as JSON: it is what a tool gave its logger.
pub struct LogLines {
    file: RotatingFile,
    level: Level,
    printed: Option<Printed>,
}

/// Receives what a tool printed: the tool and the text.
type Printed = Box<dyn Fn(&str, &str) + Send + Sync>;

impl fmt::Debug for LogLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogLines")
            .field("file", &self.file)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl LogLines {
    /// Lines of this level and graver ones.
    pub fn new(file: RotatingFile, level: Level) -> Self {
        Self { file, level, printed: None }
    }

    /// Passes on what tools print with `console` and `process.stdout`.
    #[must_use]
    pub fn on_printed(mut self, printed: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.printed = Some(Box::new(printed));
        self
    }

    /// Makes this the log of the whole process. Later ones are ignored, and so is this when there is one already.
    pub fn install(self) {
        use tracing_subscriber::layer::SubscriberExt as _;
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(self));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for LogLines {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        // Libraries below have their own ideas of what is worth a line; only errors and warnings are written.
        let own =
            matches!(metadata.target(), "tool" | "console") || metadata.target().starts_with("toolsmith");
        *metadata.level() <= if own { self.level } else { Level::WARN.min(self.level) }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        if let Some(printed) = self.printed.as_ref().filter(|_| event.metadata().target() == "console") {
            printed(fields.rest.get("tool").and_then(Value::as_str).unwrap_or_default(), &fields.message);
        }
        let mut line = Map::new();
        line.insert("time".to_owned(), Timestamp::now().to_string().into());
        line.insert("level".to_owned(), event.metadata().level().as_str().to_lowercase().into());
        line.insert("target".to_owned(), event.metadata().target().into());
        line.insert("message".to_owned(), cut(fields.message).into());
        line.extend(fields.rest);
        // A log that cannot be written has nowhere to say so.
        let _ = self.file.append(&Value::Object(line).to_string());
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    rest: Map<String, Value>,
}

impl Fields {
    fn put(&mut self, field: &Field, text: String) {
        if field.name() == "message" {
            self.message = text;
            return;
        }
        if text.is_empty() {
            return;
        }
        let json = (field.name() == "context" && text.len() <= MAX_TEXT)
            .then(|| serde_json::from_str(&text).ok())
            .flatten();
        let value = json.unwrap_or_else(|| cut(text).into());
        self.rest.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.rest.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.rest.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.rest.insert(field.name().to_owned(), value.into());
    }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push('…');
    }
    text
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
