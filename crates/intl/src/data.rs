//! The embedded part of the Unicode CLDR: archives by language, unpacked at first use; and `Intl.supportedValuesOf`.

use std::{
    collections::HashMap,
    io::Read as _,
    ops::Range,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    date::canonical_time_zone,
    error::{IntlError, Result},
    number::UNITS,
};

const LANGUAGES: &[(&str, &[u8])] = &include!("../data/languages.in");
const SUPPLEMENTAL: &[u8] = include_bytes!("../data/supplemental.br");

/// Unpacked archives by language; the key of the supplemental one is `und`.
static UNPACKED: LazyLock<Mutex<HashMap<&'static str, Arc<Archive>>>> = LazyLock::new(Mutex::default);
static SECTIONS: LazyLock<Mutex<Sections>> = LazyLock::new(Mutex::default);

/// Parsed sections by locale and name.
type Sections = HashMap<(String, &'static str), Arc<Value>>;

/// An unpacked archive, and where each section of each locale is.
struct Archive {
    text: String,
    places: HashMap<(String, String), Range<usize>>,
}

impl Archive {
    fn new(text: String) -> Self {
        let mut places = HashMap::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let mut fields = line.splitn(3, '\t');
            if let (Some(locale), Some(section), Some(json)) = (fields.next(), fields.next(), fields.next()) {
                let end = start + line.len();
                places.insert((locale.to_owned(), section.to_owned()), end - json.len()..end);
            }
            start += line.len();
        }
        Self { text, places }
    }

    /// The JSON text of a section of exactly this locale.
    fn section(&self, locale: &str, name: &str) -> Option<&str> {
        let place = self.places.get(&(locale.to_owned(), name.to_owned()))?;
        self.text.get(place.clone())
    }
}

fn unpacked(language: &str) -> Option<Arc<Archive>> {
    let (name, packed) = match language {
        "und" => ("und", SUPPLEMENTAL),
        _ => *LANGUAGES.iter().find(|(name, _)| *name == language)?,
    };
    let mut known = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(archive) = known.get(name) {
        return Some(Arc::clone(archive));
    }
    let mut text = String::new();
    brotli::Decompressor::new(packed, 1 << 16).read_to_string(&mut text).ok()?;
    let archive = Arc::new(Archive::new(text));
    known.insert(name, Arc::clone(&archive));
    Some(archive)
}

/// Returns whether a locale has data of its own.
pub(crate) fn has(locale: &str) -> bool {
    let language = locale.split('-').next().unwrap_or_default();
    language != "und"
        && unpacked(language).is_some_and(|archive| archive.section(locale, "numbers").is_some())
}

/// Returns whether a language is embedded.
pub(crate) fn has_language(language: &str) -> bool {
    LANGUAGES.iter().any(|(name, _)| *name == language)
}

/// Returns a section of a locale, which [`has`] data.
pub(crate) fn section(locale: &str, name: &'static str) -> Result<Arc<Value>> {
    let key = (locale.to_owned(), name);
    if let Some(value) = SECTIONS.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Ok(Arc::clone(value));
    }
    let language = locale.split('-').next().unwrap_or_default();
    let missing = || IntlError::Unsupported(format!("the locale \"{locale}\""));
    let archive = unpacked(language).ok_or_else(missing)?;
    let parse = |text: &str| serde_json::from_str::<Value>(text).map_err(|_| missing());
    let mut value = parse(archive.section(language, name).ok_or_else(missing)?)?;
    if locale != language
        && let Some(patch) = archive.section(locale, name)
    {
        merge(&mut value, parse(patch)?);
    }
    let value = Arc::new(value);
    SECTIONS.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&value));
    Ok(value)
}

/// Returns a section of a locale as a type.
pub(crate) fn typed<T: DeserializeOwned>(locale: &str, name: &'static str) -> Result<T> {
    let value = section(locale, name)?;
    T::deserialize(&*value)
        .map_err(|error| IntlError::Unsupported(format!("the locale \"{locale}\" ({error})")))
}

/// Returns an entry of a section that is the same for all locales. Its text is searched: parsing a whole section takes longer than
/// most formatting does.
pub(crate) fn supplemental(name: &'static str, key: &str) -> Option<Value> {
    let archive = unpacked("und")?;
    let section = archive.section("und", name)?;
    let quoted = format!("\"{key}\":");
    let found = section.match_indices(&quoted).map(|(index, _)| index);
    let start = found.into_iter().find(|index| {
        index.checked_sub(1).is_some_and(|before| matches!(section.as_bytes()[before], b'{' | b','))
    })?;
    let mut values =
        serde_json::Deserializer::from_str(&section[start + quoted.len()..]).into_iter::<Value>();
    values.next()?.ok()
}

/// The same as text.
pub(crate) fn supplemental_text(name: &'static str, key: &str) -> Option<String> {
    supplemental(name, key)?.as_str().map(str::to_owned)
}

fn merge(value: &mut Value, patch: Value) {
    match (value, patch) {
        (Value::Object(object), Value::Object(patch)) => {
            for (key, change) in patch {
                if change.is_null() {
                    object.remove(&key);
                } else {
                    merge(object.entry(key).or_insert(Value::Null), change);
                }
            }
        }
        (value, patch) => *value = patch,
    }
}

/// Returns the supported values of a key, sorted.
pub fn supported_values(key: &str) -> Result<Vec<String>> {
    let keys =
        |value: &Value| value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let mut values: Vec<String> = match key {
        "calendar" => vec!["gregory".to_owned()],
        "collation" => {
            ["compat", "emoji", "eor", "phonebk", "pinyin", "searchjl", "stroke", "trad", "zhuyin"]
                .map(str::to_owned)
                .to_vec()
        }
        "currency" => keys(&*section("en", "currencies")?),
        "numberingSystem" => keys(&*section("und", "digits")?),
        "timeZone" => {
            let all = jiff::tz::db().available().filter_map(|name| canonical_time_zone(name.as_str()));
            all.filter(|name| name == "UTC" || name.contains('/')).collect()
        }
        "unit" => UNITS.iter().map(|unit| (*unit).to_owned()).collect(),
        _ => return Err(IntlError::Range(format!("Invalid key : {key}"))),
    };
    values.sort();
    values.dedup();
    Ok(values)
}
