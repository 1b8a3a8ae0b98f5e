//! Language tags: parsing, canonical form, and the locale whose data is used.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    data,
    error::{IntlError, Result},
};

/// A parsed language tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) language: String,
    pub(crate) script: String,
    pub(crate) region: String,
    variants: Vec<String>,
    /// Keywords of the `u` extension.
    pub(crate) keywords: BTreeMap<String, String>,
    /// Other extensions and private use, each with its letter.
    others: Vec<String>,
}

impl Tag {
    /// Parses a tag and brings it into canonical form.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong = || IntlError::Range(format!("Incorrect locale information provided: {text}"));
        let mut tag = Self::default();
        let mut parts = text.split('-').peekable();
        let alphabetic = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let language = parts.next().unwrap_or_default();
        if !alphabetic(language) || !matches!(language.len(), 2..=3 | 5..=8) {
            return Err(wrong());
        }
        tag.language = language.to_ascii_lowercase();
        if let Some(script) = parts.next_if(|part| part.len() == 4 && alphabetic(part)) {
            tag.script = script[..1].to_ascii_uppercase() + &script[1..].to_ascii_lowercase();
        }
        let is_region = |part: &str| {
            (part.len() == 2 && alphabetic(part))
                || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        if let Some(region) = parts.next_if(|part| is_region(part)) {
            tag.region = region.to_ascii_uppercase();
        }
        let alphanumeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        while let Some(variant) = parts.next_if(|part| {
            alphanumeric(part)
                && (matches!(part.len(), 5..=8) || (part.len() == 4 && part.as_bytes()[0].is_ascii_digit()))
        }) {
            let variant = variant.to_ascii_lowercase();
            if tag.variants.contains(&variant) {
                return Err(wrong());
            }
            tag.variants.push(variant);
        }
        tag.variants.sort();
        let mut seen = Vec::new();
        while let Some(singleton) = parts.next() {
            let singleton = singleton.to_ascii_lowercase();
            let mut subtags = Vec::new();
            let least = if singleton == "x" { 1 } else { 2 };
            while let Some(part) =
                parts.next_if(|part| matches!(part.len(), 1..=8) && part.len() >= least && alphanumeric(part))
            {
                subtags.push(part.to_ascii_lowercase());
            }
            if singleton.len() != 1
                || !alphanumeric(&singleton)
                || subtags.is_empty()
                || seen.contains(&singleton)
            {
                return Err(wrong());
            }
            if singleton == "u" {
                tag.read_keywords(&subtags);
            } else {
                tag.others.push(format!("{singleton}-{}", subtags.join("-")));
            }
            seen.push(singleton);
        }
        tag.others.sort_by_key(|other| (other.starts_with("x-"), other.clone()));
        tag.replace_aliases();
        Ok(tag)
    }

    fn read_keywords(&mut self, subtags: &[String]) {
        let mut current: Option<(String, Vec<&str>)> = None;
        let mut keep = |entry: Option<(String, Vec<&str>)>| {
            if let Some((key, values)) = entry {
                let value = values.join("-");
                let value = if value == "true" || value == "yes" { String::new() } else { value };
                self.keywords.entry(key).or_insert(value);
            }
        };
        for subtag in subtags {
            if subtag.len() == 2 {
                keep(current.replace((subtag.clone(), Vec::new())));
            } else if let Some((_, values)) = &mut current {
                values.push(subtag);
            }
        }
        keep(current);
    }

    fn replace_aliases(&mut self) {
        if let Some(new) = data::supplemental_text("language_aliases", &self.language)
            && self.language != "no"
        {
            let mut parts = new.split('-');
            self.language = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                if part.len() == 4 && self.script.is_empty() {
                    part.clone_into(&mut self.script);
                } else if part.len() != 4 && self.region.is_empty() {
                    part.clone_into(&mut self.region);
                }
            }
        }
        if let Some(new) = data::supplemental_text("region_aliases", &self.region) {
            new.split(' ').next().unwrap_or_default().clone_into(&mut self.region);
        }
        if let Some(new) = data::supplemental_text("script_aliases", &self.script) {
            self.script = new;
        }
    }

    /// Language, script, region and variants.
    pub(crate) fn base(&self) -> String {
        let parts = [&self.language, &self.script, &self.region].into_iter().chain(&self.variants);
        parts.filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("-")
    }

    /// The whole tag.
    pub(crate) fn canonical(&self) -> String {
        let mut extensions = self.others.clone();
        if !self.keywords.is_empty() {
            extensions.push(format!("u{}", keyword_text(&self.keywords)));
            extensions.sort_by_key(|other| (other.starts_with("x-"), other.clone()));
        }
        [vec![self.base()], extensions].concat().join("-")
    }

    /// The likely script and region where the tag has none.
    pub(crate) fn maximized(&self) -> (String, String) {
        let part = |text: &str| if text.is_empty() { String::new() } else { format!("-{text}") };
        let (language, script, region) = (&self.language, part(&self.script), part(&self.region));
        let keys = [
            format!("{language}{script}{region}"),
            format!("{language}{region}"),
            format!("{language}{script}"),
            language.clone(),
        ];
        let likely = keys.iter().find_map(|key| data::supplemental_text("likely", key)).unwrap_or_default();
        let mut likely = likely.split('-').skip(1);
        let or = |own: &str, likely: Option<&str>| {
            if own.is_empty() { likely.unwrap_or_default().to_owned() } else { own.to_owned() }
        };
        (or(&self.script, likely.next()), or(&self.region, likely.next()))
    }
}

/// Keywords as they follow `-u`.
pub(crate) fn keyword_text(keywords: &BTreeMap<String, String>) -> String {
    keywords
        .iter()
        .map(|(key, value)| if value.is_empty() { format!("-{key}") } else { format!("-{key}-{value}") })
        .collect()
}

/// A locale that was chosen for a formatter.
#[derive(Debug, Clone)]
pub(crate) struct Locale {
    /// As `resolvedOptions` reports it, without keywords.
    pub(crate) name: String,
    /// The locale whose data is used.
    pub(crate) data: String,
    pub(crate) language: String,
    pub(crate) region: String,
    /// Keywords of the request.
    pub(crate) keywords: BTreeMap<String, String>,
}

/// Finds the best available locale by removing subtags from the end.
fn best_available(tag: &Tag) -> Option<String> {
    let mut candidate = tag.base();
    loop {
        if data::supplemental("locales", &candidate).is_some() {
            return Some(candidate);
        }
        candidate.truncate(candidate.rfind('-')?);
    }
}

impl Locale {
    /// Chooses the first requested locale that is available, else the default one.
    pub(crate) fn resolve(requested: &[String], default: &str) -> Result<Self> {
        for tag in requested.iter().map(|tag| Tag::parse(tag)).collect::<Result<Vec<_>>>()? {
            if let Some(name) = best_available(&tag) {
                return Self::of(&name, tag.keywords.clone())?
                    .ok_or_else(|| IntlError::Unsupported(format!("the locale \"{}\"", tag.base())));
            }
        }
        let default = Tag::parse(default).ok().and_then(|tag| best_available(&tag)).unwrap_or_default();
        let chosen = match Self::of(&default, BTreeMap::new())? {
            Some(locale) => Some(locale),
            None => Self::of("en-US", BTreeMap::new())?,
        };
        chosen.ok_or_else(|| IntlError::Unsupported("the default locale".to_owned()))
    }

    fn of(name: &str, keywords: BTreeMap<String, String>) -> Result<Option<Self>> {
        let Ok(tag) = Tag::parse(name) else { return Ok(None) };
        let (script, region) = tag.maximized();
        let stored = if tag.language == "nb" { "no" } else { &tag.language };
        if !data::has_language(stored) {
            return Ok(None);
        }
        let candidates = [
            format!("{stored}-{script}-{region}"),
            format!("{stored}-{region}"),
            format!("{stored}-{script}"),
            stored.to_owned(),
        ];
        let own_script = Tag { language: tag.language.clone(), ..Tag::default() }.maximized().0;
        // A region without its script is for the language's own script.
        let fits = |candidate: &String| {
            !(candidate.ends_with(&format!("{stored}-{region}")) && script != own_script)
        };
        let found = candidates.iter().find(|candidate| fits(candidate) && data::has(candidate));
        Ok(found.map(|data| Self {
            name: name.to_owned(),
            data: data.clone(),
            language: tag.language,
            region,
            keywords,
        }))
    }

    /// The locale's name with the keywords that took effect.
    pub(crate) fn name_with(&self, used: &[(&str, &str)]) -> String {
        let kept: BTreeMap<String, String> = used
            .iter()
            .filter(|(key, value)| {
                let own = self.keywords.get(*key).map(|own| if own.is_empty() { "true" } else { own });
                own == Some(*value)
            })
            .map(|(key, value)| {
                ((*key).to_owned(), if *value == "true" { String::new() } else { (*value).to_owned() })
            })
            .collect();
        if kept.is_empty() { self.name.clone() } else { format!("{}-u{}", self.name, keyword_text(&kept)) }
    }
}

/// Returns the canonical forms of language tags, each once.
pub fn canonical_locales(requested: &[String]) -> Result<Vec<String>> {
    let mut list: Vec<String> = Vec::new();
    for tag in requested {
        let tag = Tag::parse(tag)?.canonical();
        if !list.contains(&tag) {
            list.push(tag);
        }
    }
    Ok(list)
}

/// Returns those of the requested locales that have data here.
pub fn supported_locales(requested: &[String]) -> Result<Vec<String>> {
    let mut list = Vec::new();
    for canonical in canonical_locales(requested)? {
        let tag = Tag::parse(&canonical)?;
        let known =
            best_available(&tag).map(|name| Locale::of(&name, BTreeMap::new())).transpose()?.flatten();
        if known.is_some() {
            list.push(canonical);
        }
    }
    Ok(list)
}

/// Returns whether a formatter for a tag can be created: it has data here, or none exists anywhere and another locale is used.
pub fn is_supported(tag: &str) -> bool {
    !matches!(Locale::resolve(&[tag.to_owned()], "en-US"), Err(IntlError::Unsupported(_)))
}

/// Returns the parts of a tag as `Intl.Locale` exposes them.
pub fn locale_parts(tag: &str) -> Result<Value> {
    let tag = Tag::parse(tag)?;
    let (script, region) = tag.maximized();
    Ok(serde_json::json!({
        "canonical": tag.canonical(), "base": tag.base(), "language": tag.language, "script": tag.script, "region": tag.region,
        "keywords": tag.keywords, "maximized": [script, region],
    }))
}
