//! `Intl.DisplayNames`.

use serde_json::{Value, json};

use crate::{
    data,
    error::{IntlError, Result},
    locale::{Locale, Tag},
    options::Options,
};

/// `Intl.DisplayNames`.
#[derive(Debug)]
pub struct DisplayNames {
    locale: Locale,
    style: &'static str,
    kind: &'static str,
    code_if_missing: bool,
    dialect: bool,
}

impl DisplayNames {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let style = options.one_of("style", &["narrow", "short", "long"])?.unwrap_or("long");
        let kinds = ["language", "region", "script", "currency", "calendar", "dateTimeField"];
        let kind = options.one_of("type", &kinds)?;
        let kind =
            kind.ok_or_else(|| IntlError::Type("Required option \"type\" must not be undefined".to_owned()))?;
        if kind == "calendar" || kind == "dateTimeField" {
            return Err(IntlError::Unsupported(format!("Intl.DisplayNames of type \"{kind}\"")));
        }
        let code_if_missing = options.one_of("fallback", &["code", "none"])? != Some("none");
        let dialect = options.one_of("languageDisplay", &["dialect", "standard"])? != Some("standard");
        Ok(Self { locale, style, kind, code_if_missing, dialect })
    }

    /// Returns the name of a code.
    pub fn of(&self, code: &str) -> Result<Option<String>> {
        let wrong =
            || IntlError::Range(format!("Invalid argument to Intl.DisplayNames.prototype.of: {code}"));
        let alphabetic = |code: &str| code.bytes().all(|byte| byte.is_ascii_alphabetic());
        let (canonical, name) = match self.kind {
            "region" => {
                let tag = Tag::parse(&format!("und-{code}")).map_err(|_| wrong())?;
                if tag.region.is_empty() || tag.base().split('-').count() != 2 {
                    return Err(wrong());
                }
                (tag.region.clone(), self.name("regions", &tag.region)?)
            }
            "script" if code.len() == 4 && alphabetic(code) => {
                let code = code[..1].to_ascii_uppercase() + &code[1..].to_ascii_lowercase();
                (code.clone(), self.name("scripts", &code)?)
            }
            "currency" if code.len() == 3 && alphabetic(code) => {
                let code = code.to_ascii_uppercase();
                let all = data::section(&self.locale.data, "currencies")?;
                let name = all.get(&code).and_then(|entry| entry.get("d")?.as_str().map(str::to_owned));
                (code, name)
            }
            "language" => {
                let tag = Tag::parse(code).map_err(|_| wrong())?;
                if !tag.keywords.is_empty() {
                    return Err(wrong());
                }
                (tag.canonical(), self.language(&tag)?)
            }
            _ => return Err(wrong()),
        };
        Ok(name.or_else(|| self.code_if_missing.then_some(canonical)))
    }

    fn name(&self, group: &str, code: &str) -> Result<Option<String>> {
        let all = data::section(&self.locale.data, "names")?;
        let group = &all[group];
        let short = if self.style == "long" { None } else { group.get(format!("{code}-alt-short")) };
        Ok(short.or_else(|| group.get(code)).and_then(Value::as_str).map(str::to_owned))
    }

    fn language(&self, tag: &Tag) -> Result<Option<String>> {
        let part = |text: &str| if text.is_empty() { String::new() } else { format!("-{text}") };
        let (language, script, region) = (&tag.language, part(&tag.script), part(&tag.region));
        // The longest part of the tag that has a name of its own, and what is left of it.
        let candidates: &[(String, &str, &str)] = &[
            (format!("{language}{script}{region}"), "", ""),
            (format!("{language}{script}"), "", &tag.region),
            (format!("{language}{region}"), &tag.script, ""),
            (language.clone(), &tag.script, &tag.region),
        ];
        let candidates = if self.dialect { candidates } else { &candidates[3..] };
        for (code, script, region) in candidates {
            let Some(name) = self.name("languages", code)? else { continue };
            let mut more = Vec::new();
            if !script.is_empty() {
                more.push(self.name("scripts", script)?.unwrap_or_else(|| (*script).to_owned()));
            }
            if !region.is_empty() {
                more.push(self.name("regions", region)?.unwrap_or_else(|| (*region).to_owned()));
            }
            let all = data::section(&self.locale.data, "names")?;
            let text = |key: &str, or: &str| all[key].as_str().unwrap_or(or).to_owned();
            let Some(more) = more.into_iter().reduce(|one, other| {
                text("separator", "{0}, {1}").replace("{0}", &one).replace("{1}", &other)
            }) else {
                return Ok(Some(name));
            };
            let (open, close) = if name.contains('(') { ('[', ']') } else { ('(', ')') };
            let pattern =
                text("pattern", "{0} ({1})").replace('(', &open.to_string()).replace(')', &close.to_string());
            return Ok(Some(pattern.replace("{0}", &name).replace("{1}", &more)));
        }
        Ok(None)
    }

    pub(crate) fn resolved(&self) -> Value {
        let mut value = json!({
            "locale": self.locale.name, "style": self.style, "type": self.kind,
            "fallback": if self.code_if_missing { "code" } else { "none" },
        });
        if self.kind == "language" {
            value["languageDisplay"] = if self.dialect { "dialect" } else { "standard" }.into();
        }
        value
    }
}
