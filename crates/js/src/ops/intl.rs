//! `Intl`: formatters by the text of their arguments.

use std::{cell::RefCell, cmp::Ordering, collections::HashMap, fmt::Write as _, rc::Rc, sync::Arc};

use rquickjs::{Ctx, Object, Result, function::Func};
use serde_json::{Value, json};
use toolsmith_intl::{Defaults, Formatter, IntlError, Part, Segmenter, joined, parts_json};

use super::failure;
use crate::instance::{HostError, SharedState, ThreadState};

/// Formatters kept for the next call; more are created again.
const MAX_FORMATTERS: usize = 256;

/// Segments between two looks at the memory and the deadline.
const SEGMENTS_BETWEEN_LOOKS: usize = 1024;

/// Formatters of one runtime.
struct Formatters {
    defaults: Defaults,
    shared: Arc<SharedState>,
    known: RefCell<HashMap<String, Rc<Formatter>>>,
}

/// Reason why a function throws.
enum Failure {
    Intl(IntlError),
    Host(HostError),
}

impl From<IntlError> for Failure {
    fn from(error: IntlError) -> Self {
        Self::Intl(error)
    }
}

type Answer<T> = std::result::Result<T, Failure>;

impl Formatters {
    /// Returns the formatter of a key: constructor, locales and options, one per line.
    fn get(&self, key: &str) -> Answer<Rc<Formatter>> {
        if let Some(formatter) = self.known.borrow().get(key) {
            return Ok(Rc::clone(formatter));
        }
        let mut lines = key.splitn(3, '\n');
        let constructor = lines.next().unwrap_or_default();
        let locales = list(lines.next().unwrap_or_default());
        let options: Value = serde_json::from_str(lines.next().unwrap_or_default()).unwrap_or(Value::Null);
        let formatter = Rc::new(Formatter::new(constructor, &locales, &options, &self.defaults)?);
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_FORMATTERS {
            known.clear();
        }
        known.insert(key.to_owned(), Rc::clone(&formatter));
        Ok(formatter)
    }

    fn call(&self, key: &str, method: &str, one: &str, other: &str) -> Answer<String> {
        let formatter = self.get(key)?;
        let shown = |parts: Vec<Part>| {
            if method.ends_with("arts") { parts_json(&parts).to_string() } else { joined(&parts) }
        };
        let time = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
        let is_range = method.starts_with("range");
        Ok(match &*formatter {
            Formatter::Number(format) if is_range => shown(format.format_range(one, other)?),
            Formatter::Number(format) => shown(format.format(one)),
            Formatter::DateTime(format) if is_range => shown(format.format_range(time(one), time(other))?),
            Formatter::DateTime(format) if method == "format" => format.text(time(one))?,
            Formatter::DateTime(format) => shown(format.format(time(one))?),
            Formatter::RelativeTime(format) => shown(format.format(one, other)?),
            Formatter::PluralRules(rules) if is_range => rules.select_range(one, other),
            Formatter::PluralRules(rules) => rules.select(one).to_owned(),
            Formatter::List(format) => shown(format.format(&list(one))),
            Formatter::DisplayNames(names) => json!(names.of(one)?).to_string(),
            Formatter::Segmenter(segmenter) => self.segments(segmenter, one)?,
            Formatter::Collator(_) => String::new(),
        })
    }

    /// Returns the ends of segments and whether they are words, as a JSON array. A text may have gigabytes of them.
    fn segments(&self, segmenter: &Segmenter, text: &str) -> Answer<String> {
        let mut held = self.shared.charge(0).map_err(Failure::Host)?;
        let mut array = String::from("[");
        for (number, (end, word)) in segmenter.segments(text)?.enumerate() {
            if number.is_multiple_of(SEGMENTS_BETWEEN_LOOKS) {
                if self.shared.stop.is_over() {
                    return Err(Failure::Host(HostError::new("The tool was stopped")));
                }
                // It doubles when it is full.
                held.resize(array.len().saturating_mul(2)).map_err(Failure::Host)?;
            }
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(array, "{comma}{end},{}", u8::from(word));
        }
        array.push(']');
        Ok(array)
    }

    fn compare(&self, key: &str, one: &str, other: &str) -> Answer<i32> {
        Ok(match &*self.get(key)? {
            Formatter::Collator(collator) => match collator.compare(one, other) {
                Ordering::Less => -1,
                Ordering::Equal => 0,
                Ordering::Greater => 1,
            },
            _ => 0,
        })
    }
}

fn list(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The locale of the environment, as C programs read it.
fn default_locale() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let value = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG")).unwrap_or_default();
    let tag = value.split(['.', '@']).next().unwrap_or_default().replace('_', "-");
    if matches!(tag.as_str(), "" | "C" | "POSIX") { "en-US".to_owned() } else { tag }
}

fn thrown<'js, T>(ctx: &Ctx<'js>, answer: Answer<T>) -> Result<T> {
    answer.map_err(|error| {
        let error = match error {
            Failure::Intl(error) => error,
            Failure::Host(error) => return failure::throw(ctx, &error),
        };
        let class = match error {
            IntlError::Range(_) => "RangeError",
            IntlError::Type(_) => "TypeError",
            IntlError::Unsupported(_) => "Error",
        };
        failure::throw(
            ctx,
            &HostError { class, message: error.to_string(), properties: serde_json::Map::new() },
        )
    })
}

/// Returns the canonical name of the user's time zone.
fn time_zone() -> String {
    let zone = toolsmith_host::local_time_zone();
    zone.iana_name().and_then(toolsmith_intl::canonical_time_zone).unwrap_or_else(|| "UTC".to_owned())
}

pub(super) fn install(group: &Object<'_>, state: &ThreadState) -> Result<()> {
    let defaults = Defaults { locale: default_locale(), time_zone: time_zone() };
    let formatters =
        Rc::new(Formatters { defaults, shared: Arc::clone(&state.shared), known: RefCell::default() });
    let known = Rc::clone(&formatters);
    group.set(
        "open",
        Func::from(move |ctx: Ctx<'_>, key: String| {
            thrown(&ctx, known.get(&key).map(|formatter| formatter.resolved().to_string()))
        }),
    )?;
    let known = Rc::clone(&formatters);
    group.set(
        "call",
        Func::from(move |ctx: Ctx<'_>, key: String, method: String, one: String, other: String| {
            thrown(&ctx, known.call(&key, &method, &one, &other))
        }),
    )?;
    group.set(
        "compare",
        Func::from(move |ctx: Ctx<'_>, key: String, one: String, other: String| {
            thrown(&ctx, formatters.compare(&key, &one, &other))
        }),
    )?;
    let canonical = |list: Vec<String>| json!(list).to_string();
    group.set(
        "canonical",
        Func::from(move |ctx: Ctx<'_>, locales: String| {
            thrown(
                &ctx,
                toolsmith_intl::canonical_locales(&list(&locales)).map(canonical).map_err(Failure::Intl),
            )
        }),
    )?;
    group.set(
        "supported",
        Func::from(move |ctx: Ctx<'_>, locales: String| {
            thrown(
                &ctx,
                toolsmith_intl::supported_locales(&list(&locales)).map(canonical).map_err(Failure::Intl),
            )
        }),
    )?;
    group.set(
        "values",
        Func::from(move |ctx: Ctx<'_>, key: String| {
            thrown(&ctx, toolsmith_intl::supported_values(&key).map(canonical).map_err(Failure::Intl))
        }),
    )?;
    group.set(
        "locale",
        Func::from(|ctx: Ctx<'_>, tag: String| {
            thrown(
                &ctx,
                toolsmith_intl::locale_parts(&tag).map(|parts| parts.to_string()).map_err(Failure::Intl),
            )
        }),
    )
}
