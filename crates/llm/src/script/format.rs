//! Parsing of scripts. Everything is validated on reading, so that an error can name the line and column.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;
use thiserror::Error;

use super::turn::{Expectation, Script, Step, Turn};
use crate::{
    error::{ErrorClass, LlmError},
    message::{StopReason, Usage},
    model::ModelOverride,
};

/// Script errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("could not read script {}: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The text is not a valid script.
    #[error("{origin}:{line}:{column}: {message}")]
    Format {
        /// Path of the file, or a name for the text.
        origin: String,
        /// Line, starting at one.
        line: usize,
        /// Column, starting at one.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// The script has no turns.
    #[error("{origin} has no turns")]
    Empty {
        /// Path of the file, or a name for the text.
        origin: String,
    },
}

impl Script {
    /// Reads a script file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a valid script; the error names line and column.
    pub fn open(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.to_path_buf(), source })?;
        Self::read(&text, &path.display().to_string())
    }

    /// Parses a script.
    ///
    /// # Errors
    /// Fails if the text is not a valid script; the error names line and column.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        Self::read(text, "the script")
    }

    fn read(text: &str, origin: &str) -> Result<Self, ScriptError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = if text.trim_start().starts_with('[') {
            let turns: Vec<Turn> = whole(text, origin)?;
            ScriptFile { turns, ..ScriptFile::default() }
        } else if is_by_lines(text) {
            ScriptFile { turns: by_lines(text, origin)?, ..ScriptFile::default() }
        } else {
            whole(text, origin)?
        };
        file.into_script(origin)
    }
}

/// Returns whether each line is a turn: the first line is valid JSON, but not a script by itself.
fn is_by_lines(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    serde_json::from_str::<Value>(first).is_ok_and(|value| value.get("turns").is_none())
}

fn by_lines(text: &str, origin: &str) -> Result<Vec<Turn>, ScriptError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| serde_json::from_str(line).map_err(|error| located(&error, origin, at))).collect()
}

fn whole<'a, T: Deserialize<'a>>(text: &'a str, origin: &str) -> Result<T, ScriptError> {
    serde_json::from_str(text).map_err(|error| located(&error, origin, 0))
}

fn located(error: &serde_json::Error, origin: &str, lines_before: usize) -> ScriptError {
    let text = error.to_string();
    // The position is reported once, in the format editors recognise.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    ScriptError::Format {
        origin: origin.to_owned(),
        line: error.line() + lines_before,
        column: error.column(),
        message: message.to_owned(),
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScriptFile {
    turns: Vec<Turn>,
    #[serde(default)]
    chunk: Option<usize>,
    #[serde(default)]
    pace_ms: u64,
    #[serde(default)]
    model: ModelOverride,
}

impl ScriptFile {
    fn into_script(self, origin: &str) -> Result<Script, ScriptError> {
        if self.turns.is_empty() {
            return Err(ScriptError::Empty { origin: origin.to_owned() });
        }
        let pace = Duration::from_millis(self.pace_ms);
        let turns = self.turns.into_iter().map(|turn| Turn {
            chunk: turn.chunk.or(self.chunk),
            pace: if turn.pace.is_zero() { pace } else { turn.pace },
            ..turn
        });
        Ok(Script { turns: turns.collect(), model: self.model, origin: origin.to_owned() })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TurnFields {
    #[serde(default)]
    reply: Steps,
    #[serde(default)]
    stop: Option<StopReason>,
    #[serde(default)]
    usage: Option<UsageFields>,
    #[serde(default)]
    expect: Expectation,
    #[serde(default)]
    chunk: Option<usize>,
    #[serde(default)]
    pace_ms: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[derive(Default)]
struct UsageFields {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrFields;
        impl<'de> Visitor<'de> for TextOrFields {
            type Value = Turn;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a turn: a text, or an object with \"reply\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Turn, E> {
                Ok(Turn::new().text(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Turn, A::Error> {
                let fields = TurnFields::deserialize(MapAccessDeserializer::new(map))?;
                if fields.chunk == Some(0) {
                    return Err(de::Error::custom("\"chunk\" must be at least 1"));
                }
                Ok(Turn {
                    expect: fields.expect,
                    steps: fields.reply.0,
                    stop: fields.stop,
                    usage: fields.usage.map(|usage| {
                        Usage::new(usage.input, usage.output, usage.cache_read, usage.cache_write)
                    }),
                    chunk: fields.chunk,
                    pace: Duration::from_millis(fields.pace_ms),
                })
            }
        }
        deserializer.deserialize_any(TextOrFields)
    }
}

#[derive(Default)]
struct Steps(Vec<Step>);

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrList;
        impl<'de> Visitor<'de> for TextOrList {
            type Value = Steps;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a list of steps")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Steps, E> {
                Ok(Steps(vec![Step::Text(text.to_owned())]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Steps, A::Error> {
                let mut steps = Vec::new();
                while let Some(step) = seq.next_element()? {
                    steps.push(step);
                }
                Ok(Steps(steps))
            }
        }
        deserializer.deserialize_any(TextOrList)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepFields {
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    call: Option<String>,
    arguments: Option<Value>,
    raw_arguments: Option<String>,
    id: Option<String>,
    delay_ms: Option<u64>,
    error: Option<String>,
    class: Option<String>,
    retry_after_ms: Option<u64>,
    wait_for_abort: Option<bool>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrFields;
        impl<'de> Visitor<'de> for TextOrFields {
            type Value = Step;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a step: a text, or an object")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Step, E> {
                Ok(Step::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Step, A::Error> {
                let fields = StepFields::deserialize(MapAccessDeserializer::new(map))?;
                fields.into_step().map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(TextOrFields)
    }
}

impl StepFields {
    fn into_step(self) -> Result<Step, String> {
        let kinds = [
            self.text.is_some(),
            self.thinking.is_some(),
            self.call.is_some(),
            self.delay_ms.is_some(),
            self.error.is_some(),
            self.wait_for_abort.is_some(),
        ];
        if kinds.into_iter().filter(|kind| *kind).count() != 1 {
            return Err(
                "a step must have exactly one of \"text\", \"thinking\", \"call\", \"delayMs\", \"error\", \"waitForAbort\""
                    .to_owned(),
            );
        }
        let stray = |allowed: bool, present: bool, name: &str, of: &str| {
            if present && !allowed {
                Err(format!("\"{name}\" belongs to a step with \"{of}\""))
            } else {
                Ok(())
            }
        };
        let is_call = self.call.is_some();
        stray(self.thinking.is_some(), self.signature.is_some(), "signature", "thinking")?;
        stray(is_call, self.arguments.is_some(), "arguments", "call")?;
        stray(is_call, self.raw_arguments.is_some(), "rawArguments", "call")?;
        stray(is_call, self.id.is_some(), "id", "call")?;
        stray(self.error.is_some(), self.class.is_some(), "class", "error")?;
        stray(self.error.is_some(), self.retry_after_ms.is_some(), "retryAfterMs", "error")?;
        if let Some(text) = self.text {
            return Ok(Step::Text(text));
        }
        if let Some(text) = self.thinking {
            return Ok(Step::Thinking { text, signature: self.signature });
        }
        if let Some(name) = self.call {
            let arguments = match (self.arguments, self.raw_arguments) {
                (Some(_), Some(_)) => {
                    return Err("a call takes \"arguments\" or \"rawArguments\", not both".to_owned());
                }
                (Some(value), None) => value.to_string(),
                (None, raw) => raw.unwrap_or_else(|| "{}".to_owned()),
            };
            return Ok(Step::Call { id: self.id.unwrap_or_default(), name, arguments });
        }
        if let Some(pause) = self.delay_ms {
            return Ok(Step::Delay(Duration::from_millis(pause)));
        }
        if let Some(text) = self.error {
            let class = class_named(self.class.as_deref().unwrap_or("server"))?;
            let mut error = LlmError::new(class, text);
            error.retry_after = self.retry_after_ms.map(Duration::from_millis);
            return Ok(Step::Error(error));
        }
        match self.wait_for_abort {
            Some(true) => Ok(Step::WaitForAbort),
            _ => Err("\"waitForAbort\" must be true".to_owned()),
        }
    }
}

fn class_named(name: &str) -> Result<ErrorClass, String> {
    let classes = [
        ErrorClass::RateLimited,
        ErrorClass::Overloaded,
        ErrorClass::Overflow,
        ErrorClass::Auth,
        ErrorClass::Quota,
        ErrorClass::Network,
        ErrorClass::BadRequest,
        ErrorClass::Server,
        ErrorClass::Refused,
        ErrorClass::InvalidResponse,
        ErrorClass::TooLong,
    ];
    let names: Vec<&str> = classes.iter().map(|class| class.as_str()).collect();
    let names = names.join(", ");
    classes
        .into_iter()
        .find(|class| class.as_str() == name)
        .ok_or_else(|| format!("\"{name}\" is not an error class; expected one of {names}"))
}
