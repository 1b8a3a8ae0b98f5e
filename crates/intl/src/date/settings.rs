//! Options of `Intl.DateTimeFormat`, read and checked.

use serde_json::Value;

use crate::{
    error::{IntlError, Result},
    options::Options,
};

const TEXT: &[&str] = &["narrow", "short", "long"];
const DIGITS: &[&str] = &["2-digit", "numeric"];
const STYLES: [&str; 4] = ["full", "long", "medium", "short"];

/// Names of component options, with the values each allows.
const COMPONENTS: [(&str, &[&str]); 10] = [
    ("weekday", TEXT),
    ("era", TEXT),
    ("year", DIGITS),
    ("month", &["2-digit", "numeric", "narrow", "short", "long"]),
    ("day", DIGITS),
    ("dayPeriod", TEXT),
    ("hour", DIGITS),
    ("minute", DIGITS),
    ("second", DIGITS),
    ("timeZoneName", &["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"]),
];

#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// Requested components by name.
    pub(crate) components: Vec<(&'static str, &'static str)>,
    pub(crate) fraction: usize,
    pub(crate) hour12: Option<bool>,
    pub(crate) hour_cycle: Option<&'static str>,
    pub(crate) date_style: Option<&'static str>,
    pub(crate) time_style: Option<&'static str>,
}

impl Settings {
    pub(crate) fn read(options: Options<'_>) -> Result<Self> {
        options.one_of("localeMatcher", &["lookup", "best fit"])?;
        let mut settings = Self {
            hour12: options.flag("hour12"),
            hour_cycle: options.one_of("hourCycle", &["h11", "h12", "h23", "h24"])?,
            ..Self::default()
        };
        for (name, allowed) in COMPONENTS {
            if let Some(value) = options.one_of(name, allowed)? {
                settings.components.push((name, value));
            }
        }
        let fraction = options.number("fractionalSecondDigits", 1, 3)?;
        settings.fraction = usize::try_from(fraction.unwrap_or(0)).unwrap_or(0);
        options.one_of("formatMatcher", &["basic", "best fit"])?;
        settings.date_style = options.one_of("dateStyle", &STYLES)?;
        settings.time_style = options.one_of("timeStyle", &STYLES)?;
        settings.check(options)?;
        Ok(settings)
    }

    /// Refuses contradictions, and adds the components that are shown by default.
    fn check(&mut self, options: Options<'_>) -> Result<()> {
        let style = [("dateStyle", self.date_style), ("timeStyle", self.time_style)]
            .into_iter()
            .find(|(_, style)| style.is_some());
        // `toLocaleDateString` requires a date and shows one by default; the constructor requires anything.
        let required = options.text("required").unwrap_or("any");
        let defaults = options.text("defaults").unwrap_or("date");
        if let Some((style, _)) = style {
            let explicit = self.components.first().map(|(name, _)| *name);
            if let Some(name) = explicit.or((self.fraction > 0).then_some("fractionalSecondDigits")) {
                return Err(IntlError::Type(format!("Can't set option {name} when {style} is used")));
            }
            if (required == "date" && self.time_style.is_some())
                || (required == "time" && self.date_style.is_some())
            {
                return Err(IntlError::Type(format!(
                    "Invalid option : {}",
                    if required == "date" { "timeStyle" } else { "dateStyle" }
                )));
            }
            return Ok(());
        }
        let has = |names: &[&str]| self.components.iter().any(|(name, _)| names.contains(name));
        let dates = has(&["weekday", "year", "month", "day"]);
        let times = has(&["dayPeriod", "hour", "minute", "second"]) || self.fraction > 0;
        let satisfied = match required {
            "date" => dates,
            "time" => times,
            _ => dates || times,
        };
        if !satisfied {
            let mut add =
                |names: &[&'static str]| self.components.extend(names.iter().map(|name| (*name, "numeric")));
            if defaults != "time" {
                add(&["year", "month", "day"]);
            }
            if defaults != "date" {
                add(&["hour", "minute", "second"]);
            }
        }
        Ok(())
    }

    pub(crate) fn get(&self, component: &str) -> Option<&'static str> {
        self.components.iter().find(|(name, _)| *name == component).map(|(_, value)| *value)
    }

    /// The requested fields as a skeleton, with this character for the hour.
    pub(crate) fn skeleton(&self, hour: char) -> String {
        let mut skeleton = String::new();
        let text = |value: &str, character: char| match value {
            "narrow" => character.to_string().repeat(5),
            "long" => character.to_string().repeat(4),
            "short" => character.to_string().repeat(3),
            "2-digit" => character.to_string().repeat(2),
            _ => character.to_string(),
        };
        for (name, character) in [
            ("weekday", 'E'),
            ("era", 'G'),
            ("year", 'y'),
            ("month", 'M'),
            ("day", 'd'),
            ("dayPeriod", 'B'),
            ("hour", hour),
            ("minute", 'm'),
            ("second", 's'),
        ] {
            match self.get(name) {
                Some("short") if name == "dayPeriod" => skeleton.push('B'),
                Some(value) => skeleton.push_str(&text(value, character)),
                None => {}
            }
        }
        skeleton.push_str(&"S".repeat(self.fraction));
        skeleton.push_str(match self.get("timeZoneName") {
            Some("short") => "z",
            Some("long") => "zzzz",
            Some("shortOffset") => "O",
            Some("longOffset") => "OOOO",
            Some("shortGeneric") => "v",
            Some("longGeneric") => "vvvv",
            _ => "",
        });
        skeleton
    }
}

/// The value of a component option that a pattern field stands for.
pub(crate) fn component(character: char, length: usize) -> Option<(&'static str, Value)> {
    let text = || match length {
        4 => "long",
        5 => "narrow",
        _ => "short",
    };
    let digits = || if length == 2 { "2-digit" } else { "numeric" };
    Some(match character {
        'E' | 'c' | 'e' => ("weekday", text().into()),
        'G' => ("era", text().into()),
        'y' => ("year", digits().into()),
        'M' | 'L' if length <= 2 => ("month", digits().into()),
        'M' | 'L' => ("month", text().into()),
        'd' => ("day", digits().into()),
        'B' => ("dayPeriod", text().into()),
        'h' | 'H' | 'k' | 'K' => ("hour", digits().into()),
        'm' => ("minute", digits().into()),
        's' => ("second", digits().into()),
        'S' => ("fractionalSecondDigits", length.into()),
        'z' => ("timeZoneName", if length == 4 { "long" } else { "short" }.into()),
        'O' => ("timeZoneName", if length == 4 { "longOffset" } else { "shortOffset" }.into()),
        'v' => ("timeZoneName", if length == 4 { "longGeneric" } else { "shortGeneric" }.into()),
        _ => return None,
    })
}
