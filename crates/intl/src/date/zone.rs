//! Time zones: offsets from the zone database, names from the CLDR. An instant as fields of the Gregorian calendar, also
//! outside the years that time libraries support.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;

use crate::{
    data,
    error::{IntlError, Result},
    locale::Locale,
    number::digit_characters,
};

/// A time zone with its canonical name.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    pub(crate) name: String,
    zone: TimeZone,
}

/// Returns the canonical name of a time zone, or nothing if there is none of that name.
pub fn canonical_time_zone(name: &str) -> Option<String> {
    Zone::find(name).ok().map(|zone| zone.name)
}

impl Zone {
    pub(crate) fn find(name: &str) -> Result<Self> {
        let wrong = || IntlError::Range(format!("Invalid time zone specified: {name}"));
        let upper = name.to_ascii_uppercase();
        if matches!(
            upper.as_str(),
            "UTC"
                | "GMT"
                | "ETC/UTC"
                | "ETC/GMT"
                | "ETC/UCT"
                | "UCT"
                | "ZULU"
                | "ETC/ZULU"
                | "GMT0"
                | "ETC/GREENWICH"
                | "ETC/UNIVERSAL"
                | "UNIVERSAL"
                | "GREENWICH"
                | "ETC/GMT0"
                | "ETC/GMT+0"
                | "ETC/GMT-0"
                | "GMT+0"
                | "GMT-0"
        ) {
            return Ok(Self { name: "UTC".to_owned(), zone: TimeZone::UTC });
        }
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+'))
        {
            return Err(wrong());
        }
        let zone = jiff::tz::db().get(name).map_err(|_| wrong())?;
        let proper = zone.iana_name().unwrap_or(name).to_owned();
        let name = data::supplemental_text("zone_aliases", &proper).unwrap_or(proper);
        Ok(Self { name, zone })
    }

    /// The offset in milliseconds, and whether daylight saving time is in force.
    pub(crate) fn offset(&self, milliseconds: i64) -> (i64, bool) {
        let limits =
            (Timestamp::MIN.as_millisecond() + 200_000_000, Timestamp::MAX.as_millisecond() - 200_000_000);
        let Ok(instant) = Timestamp::from_millisecond(milliseconds.clamp(limits.0, limits.1)) else {
            return (0, false);
        };
        let info = self.zone.to_offset_info(instant);
        (i64::from(info.offset().seconds()) * 1000, info.dst().is_dst())
    }

    fn has_daylight_saving(&self, milliseconds: i64) -> bool {
        (0..4).any(|quarter| self.offset(milliseconds + quarter * 91 * 86_400_000).1)
    }

    /// The metazone at an instant.
    fn metazone(&self, milliseconds: i64) -> Option<String> {
        let periods = data::supplemental("metazones", &self.name)?;
        let Civil { year, month, day, hour, minute, .. } = Civil::from_milliseconds(milliseconds);
        let now = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}");
        let uses = periods.as_array()?.iter().rev();
        let current =
            uses.into_iter().find(|entry| entry[0].as_str().is_some_and(|from| from <= now.as_str()))?;
        current[1].as_str().map(str::to_owned)
    }
}

/// Names of zones in a locale.
#[derive(Debug)]
pub(crate) struct ZoneNames {
    data: std::sync::Arc<Value>,
    digits: Vec<char>,
}

impl ZoneNames {
    pub(crate) fn new(locale: &Locale, system: &str) -> Result<Self> {
        let digits = digit_characters(system).unwrap_or_else(|| ('0'..='9').collect());
        Ok(Self { data: data::section(&locale.data, "zones")?, digits })
    }

    /// The name for a pattern field: `z`, `v` or `O`, short or long.
    pub(crate) fn name(&self, zone: &Zone, milliseconds: i64, field: char, length: usize) -> String {
        let (offset, daylight) = zone.offset(milliseconds);
        let width = if length >= 4 { "long" } else { "short" };
        let key = if zone.name == "UTC" { "Etc/UTC" } else { &zone.name };
        let metazone = zone.metazone(milliseconds);
        let find = |kind: &str| -> Option<String> {
            let own = self.data["zones"].get(key).and_then(|names| names[width].get(kind));
            let shared =
                || self.data["metazones"].get(metazone.as_ref()?).and_then(|names| names[width].get(kind));
            own.or_else(shared).and_then(Value::as_str).map(str::to_owned)
        };
        let name = match field {
            'z' => find(if daylight { "daylight" } else { "standard" }),
            'v' => find("generic")
                .or_else(|| if zone.has_daylight_saving(milliseconds) { None } else { find("standard") }),
            _ => None,
        };
        name.filter(|name| name != "∅∅∅").unwrap_or_else(|| self.offset_name(offset, length >= 4))
    }

    fn offset_name(&self, offset: i64, long: bool) -> String {
        let text = |key: &str, or: &'static str| self.data[key].as_str().unwrap_or(or).to_owned();
        let hours = text("hours", "+HH:mm;-HH:mm");
        let (plus, minus) = hours.split_once(';').unwrap_or(("+HH:mm", "-HH:mm"));
        let pattern = if offset < 0 { minus } else { plus };
        let total = offset.abs() / 1000;
        let (hour, minute, second) = (total / 3600, total / 60 % 60, total % 60);
        let localized = |text: String| -> String {
            text.chars()
                .map(|character| {
                    character
                        .to_digit(10)
                        .map_or(character, |digit| self.digits[usize::try_from(digit).unwrap_or(0)])
                })
                .collect()
        };
        let hour_text = localized(if long { format!("{hour:02}") } else { hour.to_string() });
        let formatted = if !long && minute == 0 && second == 0 {
            let end = pattern.find('H').unwrap_or(0);
            format!("{}{hour_text}", &pattern[..end])
        } else {
            let minute = localized(format!("{minute:02}"));
            let mut formatted =
                pattern.replace("HH", &hour_text).replace('H', &hour_text).replace("mm", &minute);
            if second > 0 {
                formatted.push_str(&format!(":{}", localized(format!("{second:02}"))));
            }
            formatted
        };
        text("gmt", "GMT{0}").replace("{0}", &formatted)
    }
}

/// The fields of a local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: usize,
    pub(crate) day: u32,
    /// 0 is Sunday.
    pub(crate) weekday: usize,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    pub(crate) millisecond: u32,
}

impl Civil {
    /// Milliseconds since 1970, already shifted by the offset of the zone.
    pub(crate) fn from_milliseconds(local: i64) -> Self {
        let days = local.div_euclid(86_400_000);
        let rest = local.rem_euclid(86_400_000);
        // Days since the first of March of the year 0, in eras of 400 years.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u32::try_from(value).unwrap_or(0);
        Self {
            year,
            month: usize::try_from(month).unwrap_or(1),
            day: small(day),
            weekday: usize::try_from((days + 4).rem_euclid(7)).unwrap_or(0),
            hour: small(rest / 3_600_000),
            minute: small(rest / 60_000 % 60),
            second: small(rest / 1000 % 60),
            millisecond: small(rest % 1000),
        }
    }
}
