//! Formatting an instant.

use serde_json::{Value, json};

use super::{
    names::Dates,
    pattern::{self, Item},
    settings::{Settings, component},
    skeleton::{Generator, glue},
    zone::{Civil, Zone, ZoneNames},
};
use crate::{
    data,
    error::{IntlError, Result},
    locale::Locale,
    number::digit_characters,
    options::Options,
    parts::{Part, joined, tidy},
};

/// `Intl.DateTimeFormat`.
#[derive(Debug)]
pub struct DateTimeFormat {
    locale: Locale,
    pub(super) settings: Settings,
    pub(super) dates: Dates,
    system: String,
    digits: Vec<char>,
    zone: Zone,
    zone_names: ZoneNames,
    hour_cycle: Option<&'static str>,
    pub(super) pattern: String,
}

const STYLES: [&str; 4] = ["full", "long", "medium", "short"];
/// The latest instant of a `Date`, in milliseconds.
const LIMIT: f64 = 8.64e15;

fn hour_character(cycle: &str) -> char {
    match cycle {
        "h11" => 'K',
        "h12" => 'h',
        "h24" => 'k',
        _ => 'H',
    }
}

fn cycle_of(character: char) -> &'static str {
    match character {
        'K' => "h11",
        'h' => "h12",
        'k' => "h24",
        _ => "h23",
    }
}

impl DateTimeFormat {
    pub(crate) fn new(locale: Locale, options: Options<'_>, default_zone: &str) -> Result<Self> {
        let calendar = options.name("calendar")?.or_else(|| locale.keywords.get("ca").cloned());
        let by_region = || data::supplemental_text("calendars", &locale.region);
        let calendar = calendar.or_else(by_region).unwrap_or_else(|| "gregory".to_owned());
        if !matches!(calendar.as_str(), "gregory" | "gregorian") {
            return Err(IntlError::Unsupported(format!(
                "the calendar \"{calendar}\" of the locale \"{}\"",
                locale.name
            )));
        }
        let system = options.name("numberingSystem")?;
        let numbers = data::section(&locale.data, "numbers")?;
        let requested = system
            .or_else(|| locale.keywords.get("nu").cloned())
            .filter(|name| digit_characters(name).is_some());
        let default_system = numbers["system"].as_str().unwrap_or("latn").to_owned();
        let system = requested.unwrap_or_else(|| default_system.clone());
        let digits = digit_characters(&system).unwrap_or_else(|| ('0'..='9').collect());
        let decimal = numbers["systems"][&system]["symbols"]["decimal"].as_str().unwrap_or(".").to_owned();
        let zone = Zone::find(options.text("timeZone").unwrap_or(default_zone))?;
        let settings = Settings::read(options)?;
        let dates: Dates = data::typed(&locale.data, "dates")?;
        let zone_names = ZoneNames::new(&locale, &default_system)?;
        let preferred = preferred_hour(&locale);
        let cycle = match (settings.hour12, settings.hour_cycle) {
            (Some(true), _) => Some(match cycle_of(preferred) {
                "h12" => "h12",
                _ => "h11",
            }),
            (Some(false), _) => Some(match cycle_of(preferred) {
                cycle @ ("h23" | "h24") => cycle,
                _ if locale.region == "JP" => "h23",
                _ => "h24",
            }),
            (None, Some(cycle)) => Some(cycle),
            (None, None) => match locale.keywords.get("hc").map(String::as_str) {
                Some("h11") => Some("h11"),
                Some("h12") => Some("h12"),
                Some("h23") => Some("h23"),
                Some("h24") => Some("h24"),
                _ => None,
            },
        };
        let has_hour = settings.get("hour").is_some() || settings.time_style.is_some();
        let hour_cycle = has_hour.then(|| cycle.unwrap_or(cycle_of(preferred)));
        let generator = Generator::new(&dates, &decimal);
        let hour = hour_character(hour_cycle.unwrap_or("h23"));
        let pattern = match Self::styled(&settings, &dates) {
            Some(pattern) => match pattern::hour_character(&pattern) {
                Some(own) if own != hour => {
                    let skeleton: String = pattern::skeleton(&pattern)
                        .chars()
                        .filter(|character| !matches!(character, 'a' | 'b' | 'B'))
                        .map(
                            |character| {
                                if matches!(character, 'h' | 'H' | 'k' | 'K') { hour } else { character }
                            },
                        )
                        .collect();
                    pattern::with_hour(&generator.best(&skeleton), hour)
                }
                _ => pattern,
            },
            None => pattern::with_hour(&generator.best(&settings.skeleton(hour)), hour),
        };
        Ok(Self { locale, settings, dates, system, digits, zone, zone_names, hour_cycle, pattern })
    }

    fn styled(settings: &Settings, dates: &Dates) -> Option<String> {
        let index = |style: Option<&str>| STYLES.iter().position(|known| Some(*known) == style);
        match (index(settings.date_style), index(settings.time_style)) {
            (Some(date), Some(time)) => {
                Some(glue(&dates.join_at[date], &dates.date[date], &dates.time[time]))
            }
            (Some(date), None) => Some(dates.date[date].clone()),
            (None, Some(time)) => Some(dates.time[time].clone()),
            (None, None) => None,
        }
    }

    /// Formats an instant in milliseconds since 1970.
    pub fn format(&self, milliseconds: f64) -> Result<Vec<Part>> {
        let instant = instant(milliseconds)?;
        Ok(tidy(self.filled(&self.pattern, instant)))
    }

    /// The same as text. V8 prints an ordinary space where the CLDR has a narrow one, but not in parts and ranges.
    pub fn text(&self, milliseconds: f64) -> Result<String> {
        Ok(joined(&self.format(milliseconds)?).replace('\u{202f}', " "))
    }

    pub(super) fn civil(&self, instant: i64) -> Civil {
        Civil::from_milliseconds(instant + self.zone.offset(instant).0)
    }

    pub(super) fn filled(&self, pattern: &str, instant: i64) -> Vec<Part> {
        let civil = self.civil(instant);
        let items = pattern::parse(pattern);
        let parts = items.iter().map(|item| match item {
            Item::Literal(text) => Part::literal(text),
            Item::Field(character, length) => {
                let (kind, text) = self.field(*character, *length, &civil, instant);
                Part::new(kind, text)
            }
        });
        parts.collect()
    }

    fn number(&self, value: i64, length: usize) -> String {
        let plain = format!("{value:0length$}");
        plain
            .chars()
            .map(|character| {
                character
                    .to_digit(10)
                    .map_or(character, |digit| self.digits[usize::try_from(digit).unwrap_or(0)])
            })
            .collect()
    }

    fn field(&self, character: char, length: usize, civil: &Civil, instant: i64) -> (&'static str, String) {
        let month = civil.month - 1;
        let year = if civil.year <= 0 { 1 - civil.year } else { civil.year };
        let hour = i64::from(civil.hour);
        match character {
            'G' => ("era", self.dates.eras.name(length, usize::from(civil.year > 0))),
            'y' if length == 2 => ("year", self.number(year % 100, 2)),
            'y' => ("year", self.number(year, length)),
            'M' | 'L' if length <= 2 => {
                ("month", self.number(i64::from(u32::try_from(civil.month).unwrap_or(1)), length))
            }
            'M' => ("month", self.dates.months.format.name(length, month)),
            'L' => ("month", self.dates.months.standalone.name(length, month)),
            'E' => ("weekday", self.dates.days.format.name(length, civil.weekday)),
            'c' | 'e' => ("weekday", self.dates.days.standalone.name(length.max(3), civil.weekday)),
            'd' => ("day", self.number(i64::from(civil.day), length)),
            'a' | 'b' => {
                let key = if civil.hour < 12 { "am" } else { "pm" };
                ("dayPeriod", self.dates.periods.name(length, key).unwrap_or_default())
            }
            'B' => ("dayPeriod", self.flexible_period(length, civil)),
            'h' => ("hour", self.number((hour + 11) % 12 + 1, length)),
            'K' => ("hour", self.number(hour % 12, length)),
            'H' => ("hour", self.number(hour, length)),
            'k' => ("hour", self.number(if hour == 0 { 24 } else { hour }, length)),
            'm' => ("minute", self.number(i64::from(civil.minute), length)),
            's' => ("second", self.number(i64::from(civil.second), length)),
            'S' => {
                let shown = u32::try_from(length.min(3)).unwrap_or(3);
                (
                    "fractionalSecond",
                    self.number(i64::from(civil.millisecond) / 10_i64.pow(3 - shown), length),
                )
            }
            'z' | 'v' | 'O' => ("timeZoneName", self.zone_names.name(&self.zone, instant, character, length)),
            _ => ("literal", String::new()),
        }
    }

    /// A part of the day, such as "in the morning".
    fn flexible_period(&self, length: usize, civil: &Civil) -> String {
        let rules = data::supplemental("periods", &self.locale.language).unwrap_or(Value::Null);
        let now = format!("{:02}:{:02}", civil.hour, civil.minute);
        let mut found = None;
        for (name, rule) in rules.as_object().into_iter().flatten() {
            let text = |key: &str| rule[key].as_str();
            if text("_at") == Some(now.as_str()) && civil.second == 0 {
                found = Some(name.clone());
                break;
            }
            if let (Some(from), Some(before)) = (text("_from"), text("_before")) {
                let now = now.as_str();
                if if from <= before { from <= now && now < before } else { now >= from || now < before } {
                    found.get_or_insert_with(|| name.clone());
                }
            }
        }
        let key = if civil.hour < 12 { "am" } else { "pm" };
        let name = found.and_then(|name| self.dates.periods.name(length, &name));
        name.or_else(|| self.dates.periods.name(length, key)).unwrap_or_default()
    }

    pub(crate) fn resolved(&self) -> Value {
        let cycle = self.hour_cycle.unwrap_or_default();
        let mut value = json!({
            "locale": self.locale.name_with(&[("nu", &self.system), ("hc", cycle), ("ca", "gregory")]),
            "calendar": "gregory", "numberingSystem": self.system, "timeZone": self.zone.name,
        });
        if let Some(cycle) = self.hour_cycle {
            value["hourCycle"] = cycle.into();
            value["hour12"] = matches!(cycle, "h11" | "h12").into();
        }
        if self.settings.date_style.is_none() && self.settings.time_style.is_none() {
            let fields: Vec<(&str, Value)> = pattern::parse(&self.pattern)
                .into_iter()
                .filter_map(|item| match item {
                    Item::Field(character, length) => component(character, length),
                    Item::Literal(_) => None,
                })
                .collect();
            let order = [
                "weekday",
                "era",
                "year",
                "month",
                "day",
                "dayPeriod",
                "hour",
                "minute",
                "second",
                "fractionalSecondDigits",
                "timeZoneName",
            ];
            for name in order {
                if let Some((_, field)) = fields.iter().find(|(known, _)| *known == name) {
                    value[name] = field.clone();
                }
            }
        }
        for (name, style) in
            [("dateStyle", self.settings.date_style), ("timeStyle", self.settings.time_style)]
        {
            if let Some(style) = style {
                value[name] = style.into();
            }
        }
        value
    }
}

/// The hour character a region prefers.
fn preferred_hour(locale: &Locale) -> char {
    let keys = [
        format!("{}-{}", locale.language, locale.region),
        format!("{}_{}", locale.language, locale.region),
        locale.region.clone(),
        "001".to_owned(),
    ];
    let preferred = keys.iter().find_map(|key| data::supplemental_text("hours", key));
    preferred.and_then(|text| text.chars().next()).unwrap_or('H')
}

/// Checks that an instant is one a `Date` can have.
pub(super) fn instant(milliseconds: f64) -> Result<i64> {
    if milliseconds.is_nan() || milliseconds.abs() > LIMIT {
        return Err(IntlError::Range("Invalid time value".to_owned()));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the value is below 2^53")]
    Ok(milliseconds.trunc() as i64)
}
