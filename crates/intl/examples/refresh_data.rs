//! Writes `crates/intl/data` from the npm packages of the Unicode CLDR:
//! `npm install cldr-bcp47@48.2.0 cldr-core@48.0.0 cldr-dates-full@48.0.0 cldr-localenames-full@48.0.0 cldr-misc-full@48.0.0
//! cldr-numbers-full@48.0.0 cldr-units-full@48.0.0`, then `cargo run -p toolsmith-intl --example refresh_data -- NODE_MODULES`.
//!
//! The version is the one of the Node release that outputs are compared with, so that differences are ours and not the data's.
//! One archive per language: lines of `locale TAB section TAB JSON`. Regional variants contain only what differs from their language.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a task for developers")]

use std::{collections::BTreeMap, fs, io::Write as _, path::Path};

use serde_json::{Map, Value, json};

const LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fil", "fr", "gl",
    "he", "hi", "hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh",
];

/// The units that ECMA-402 sanctions, and compounds that have patterns of their own.
const UNITS: &[&str] = &[
    "acre",
    "bit",
    "byte",
    "celsius",
    "centimeter",
    "day",
    "degree",
    "fahrenheit",
    "fluid-ounce",
    "foot",
    "gallon",
    "gigabit",
    "gigabyte",
    "gram",
    "hectare",
    "hour",
    "inch",
    "kilobit",
    "kilobyte",
    "kilogram",
    "kilometer",
    "liter",
    "megabit",
    "megabyte",
    "meter",
    "microsecond",
    "mile",
    "mile-scandinavian",
    "milliliter",
    "millimeter",
    "millisecond",
    "minute",
    "month",
    "nanosecond",
    "ounce",
    "percent",
    "petabyte",
    "pound",
    "second",
    "stone",
    "terabit",
    "terabyte",
    "week",
    "yard",
    "year",
    "kilometer-per-hour",
    "mile-per-hour",
    "mile-per-gallon",
    "meter-per-second",
    "liter-per-kilometer",
];

fn main() {
    let packages = std::env::args().nth(1).unwrap_or_else(|| panic!("usage: refresh_data NODE_MODULES"));
    let packages = Path::new(&packages);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let all = read(packages, "cldr-core/availableLocales.json");
    let all: Vec<&str> =
        all["availableLocales"]["full"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let shared: String = supplemental(packages)
        .into_iter()
        .map(|(name, section)| format!("und\t{name}\t{section}\n"))
        .collect();
    let packed = pack(shared.as_bytes());
    println!("supplemental: {} -> {}", shared.len(), packed.len());
    let mut total = packed.len();
    fs::write(data.join("supplemental.br"), packed).unwrap();
    let mut table = String::from("// Written by `examples/refresh_data.rs`.\n[\n");
    for language in LANGUAGES {
        let mut lines = String::new();
        let base = sections(packages, language);
        for (name, section) in &base {
            lines.push_str(&format!("{language}\t{name}\t{section}\n"));
        }
        let prefix = format!("{language}-");
        for locale in all.iter().filter(|locale| locale.starts_with(&prefix) && is_complete(packages, locale))
        {
            for (name, section) in sections(packages, locale) {
                let patch = difference(&base[&name], &section).unwrap_or_else(|| json!({}));
                if name == "numbers" || patch != json!({}) {
                    lines.push_str(&format!("{locale}\t{name}\t{patch}\n"));
                }
            }
        }
        let packed = pack(lines.as_bytes());
        println!("{language}: {} -> {}", lines.len(), packed.len());
        total += packed.len();
        fs::write(data.join(format!("{language}.br")), packed).unwrap();
        table.push_str(&format!("    (\"{language}\", include_bytes!(\"{language}.br\") as &[u8]),\n"));
    }
    table.push_str("]\n");
    fs::write(data.join("languages.in"), table).unwrap();
    println!("all: {total}");
    fs::copy(packages.join("cldr-core/LICENSE"), data.join("LICENSE")).unwrap();
}

fn read(packages: &Path, path: &str) -> Value {
    let text = fs::read_to_string(packages.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// Some scripts of a language have numbers and dates, but no names.
fn is_complete(packages: &Path, locale: &str) -> bool {
    !locale.ends_with("POSIX")
        && packages.join(format!("cldr-localenames-full/main/{locale}/languages.json")).exists()
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut writer = brotli::CompressorWriter::new(&mut packed, 1 << 16, 11, 22);
    writer.write_all(bytes).unwrap();
    drop(writer);
    packed
}

/// Returns the members of `changed` that differ from `base`; those it lacks are `null`.
fn difference(base: &Value, changed: &Value) -> Option<Value> {
    if base == changed {
        return None;
    }
    let (Some(old), Some(new)) = (base.as_object(), changed.as_object()) else {
        return Some(changed.clone());
    };
    let mut patch = Map::new();
    for (key, value) in new {
        match old.get(key) {
            Some(before) => {
                if let Some(inner) = difference(before, value) {
                    patch.insert(key.clone(), inner);
                }
            }
            None => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    Some(patch.into())
}

fn sections(packages: &Path, locale: &str) -> BTreeMap<String, Value> {
    let part = |package: &str, file: &str, pointer: &str| -> Value {
        let value = read(packages, &format!("cldr-{package}-full/main/{locale}/{file}.json"));
        value
            .pointer(&format!("/main/{locale}/{pointer}"))
            .unwrap_or_else(|| panic!("{locale} {file} {pointer}"))
            .clone()
    };
    let currencies = part("numbers", "currencies", "numbers/currencies");
    BTreeMap::from([
        ("numbers".to_owned(), numbers(&part("numbers", "numbers", "numbers"))),
        ("currencies".to_owned(), currency_names(&currencies)),
        ("units".to_owned(), units(&part("units", "units", "units"))),
        (
            "dates".to_owned(),
            with_spaces(locale, dates(&part("dates", "ca-gregorian", "dates/calendars/gregorian"))),
        ),
        ("zones".to_owned(), zones(&part("dates", "timeZoneNames", "dates/timeZoneNames"))),
        ("relative".to_owned(), relative(&part("dates", "dateFields", "dates/fields"))),
        ("lists".to_owned(), lists(&part("misc", "listPatterns", "listPatterns"))),
        (
            "names".to_owned(),
            json!({
                "languages": part("localenames", "languages", "localeDisplayNames/languages"),
                "regions": part("localenames", "territories", "localeDisplayNames/territories"),
                "scripts": part("localenames", "scripts", "localeDisplayNames/scripts"),
                "pattern": part("localenames", "localeDisplayNames", "localeDisplayNames/localeDisplayPattern/localePattern"),
                "separator": part("localenames", "localeDisplayNames", "localeDisplayNames/localeDisplayPattern/localeSeparator"),
            }),
        ),
    ])
}

/// ICU joins dates and times in traditional Chinese with a space, which the JSON of the CLDR lacks.
fn with_spaces(locale: &str, mut dates: Value) -> Value {
    if locale.starts_with("zh-Hant") {
        dates["join_at"] = json!(["{1} {0}", "{1} {0}", "{1} {0}", "{1}\u{2009}{0}"]);
    }
    dates
}

fn list(value: &Value, keys: &[&str]) -> Value {
    keys.iter().map(|key| value[key].clone()).collect()
}

fn dates(calendar: &Value) -> Value {
    let months = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let styles = ["full", "long", "medium", "short"];
    let widths = |value: &Value, keys: &[&str]| json!({ "wide": list(&value["wide"], keys), "abbreviated": list(&value["abbreviated"], keys), "narrow": list(&value["narrow"], keys) });
    let both = |name: &str, keys: &[&str]| json!({ "format": widths(&calendar[name]["format"], keys), "standalone": widths(&calendar[name]["stand-alone"], keys) });
    let combined = &calendar["dateTimeFormats"];
    let available: Map<String, Value> = combined["availableFormats"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(skeleton, _)| !skeleton.contains('-') && !skeleton.contains(['Q', 'W', 'w', 'U', 'r']))
        .map(|(skeleton, pattern)| (skeleton.clone(), pattern.clone()))
        .collect();
    let mut intervals = combined["intervalFormats"].clone();
    let fallback = intervals.as_object_mut().and_then(|map| map.remove("intervalFormatFallback"));
    if let Some(map) = intervals.as_object_mut() {
        map.retain(|key, _| !key.contains('-'));
        for (_, forms) in map.iter_mut() {
            if let Some(forms) = forms.as_object_mut() {
                forms.retain(|key, _| !key.contains('-'));
            }
        }
    }
    let eras = &calendar["eras"];
    let period = |width: &str| -> Value {
        let names = calendar["dayPeriods"]["format"][width].as_object().into_iter().flatten();
        names
            .filter(|(key, _)| !key.contains("-alt-"))
            .map(|(key, name)| (key.clone(), name.clone()))
            .collect::<Map<_, _>>()
            .into()
    };
    json!({
        "months": both("months", &months),
        "days": both("days", &days),
        "periods": { "wide": period("wide"), "abbreviated": period("abbreviated"), "narrow": period("narrow") },
        "eras": {
            "wide": list(&eras["eraNames"], &["0", "1"]),
            "abbreviated": list(&eras["eraAbbr"], &["0", "1"]),
            "narrow": list(&eras["eraNarrow"], &["0", "1"]),
        },
        "date": list(&calendar["dateFormats"], &styles),
        "time": list(&calendar["timeFormats"], &styles),
        "join_at": list(&calendar["dateTimeFormats-atTime"]["standard"], &styles),
        "available": available,
        "append": list(&combined["appendItems"], &["Era", "Timezone", "Day-Of-Week"]),
        "intervals": intervals,
        "interval": fallback,
    })
}

fn zones(names: &Value) -> Value {
    let mut zones = Map::new();
    flatten(String::new(), &names["zone"], &mut zones);
    json!({
        "gmt": names["gmtFormat"], "zero": names["gmtZeroFormat"], "hours": names["hourFormat"], "region": names["regionFormat"],
        "metazones": names["metazone"], "zones": zones,
    })
}

/// Zones as `Area/City` with the names they have besides their city.
fn flatten(prefix: String, value: &Value, zones: &mut Map<String, Value>) {
    for (name, entry) in value.as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.get("long").is_some() || entry.get("short").is_some() {
            zones.insert(path, json!({ "long": entry["long"], "short": entry["short"] }));
        } else if entry.get("exemplarCity").is_none() && entry.is_object() {
            flatten(path, entry, zones);
        }
    }
}

fn forms(value: &Value, prefix: &str) -> Map<String, Value> {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(key, text)| Some((key.strip_prefix(prefix)?.to_owned(), text.clone()))).collect()
}

fn relative(fields: &Value) -> Value {
    let mut units = Map::new();
    for unit in ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] {
        let style = |suffix: &str| {
            let field = &fields[format!("{unit}{suffix}")];
            json!({
                "names": forms(field, "relative-type-"),
                "future": forms(&field["relativeTime-type-future"], "relativeTimePattern-count-"),
                "past": forms(&field["relativeTime-type-past"], "relativeTimePattern-count-"),
            })
        };
        let names = json!({ "long": fields[unit]["displayName"], "short": fields[format!("{unit}-short")]["displayName"], "narrow": fields[format!("{unit}-narrow")]["displayName"] });
        units.insert(
            unit.to_owned(),
            json!({ "long": style(""), "short": style("-short"), "narrow": style("-narrow"), "display": names }),
        );
    }
    units.into()
}

fn lists(patterns: &Value) -> Value {
    let entries = patterns.as_object().into_iter().flatten();
    let kept = entries.map(|(key, value)| {
        (key.replace("listPattern-type-", ""), list(value, &["2", "start", "middle", "end"]))
    });
    kept.collect::<Map<_, _>>().into()
}

/// Patterns by power of ten and plural form.
fn compact(value: &Value, alphabetic: bool) -> Value {
    let mut powers: Map<String, Value> = Map::new();
    for (key, pattern) in value.as_object().into_iter().flatten() {
        let Some((power, form)) = key.split_once("-count-") else { continue };
        let form = match form.split_once("-alt-") {
            Some((form, "alphaNextToNumber")) if alphabetic => form,
            None if !alphabetic => form,
            _ => continue,
        };
        let entry = powers.entry((power.len() - 1).to_string()).or_insert_with(|| json!({}));
        entry[form] = pattern.clone();
    }
    powers.into()
}

fn numbers(numbers: &Value) -> Value {
    let default = numbers["defaultNumberingSystem"].as_str().unwrap();
    let native = numbers["otherNumberingSystems"]["native"].as_str().unwrap_or(default);
    let mut systems = Map::new();
    for system in [default, "latn", native] {
        let part = |name: &str| &numbers[format!("{name}-numberSystem-{system}")];
        let symbols = part("symbols");
        if !symbols.is_object() || systems.contains_key(system) {
            continue;
        }
        let currency = part("currencyFormats");
        systems.insert(
            system.to_owned(),
            json!({
                "symbols": {
                    "decimal": symbols["decimal"], "group": symbols["group"], "minus": symbols["minusSign"], "plus": symbols["plusSign"],
                    "percent": symbols["percentSign"], "nan": symbols["nan"], "infinity": symbols["infinity"],
                    "exponential": symbols["exponential"], "currency_decimal": symbols["currencyDecimal"],
                    "currency_group": symbols["currencyGroup"], "approximately": symbols["approximatelySign"],
                },
                "decimal": part("decimalFormats")["standard"],
                "percent": part("percentFormats")["standard"],
                "scientific": part("scientificFormats")["standard"],
                "currency": currency["standard"],
                "currency_alpha": currency["standard-alphaNextToNumber"],
                "accounting": currency["accounting"],
                "accounting_alpha": currency["accounting-alphaNextToNumber"],
                "currency_units": forms(currency, "unitPattern-count-"),
                "short": compact(&part("decimalFormats")["short"]["decimalFormat"], false),
                "long": compact(&part("decimalFormats")["long"]["decimalFormat"], false),
                "currency_short": compact(&currency["short"]["standard"], false),
                "currency_short_alpha": compact(&currency["short"]["standard"], true),
                "range": part("miscPatterns")["range"],
            }),
        );
    }
    let minimum =
        numbers["minimumGroupingDigits"].as_str().and_then(|text| text.parse::<u8>().ok()).unwrap_or(1);
    json!({ "system": default, "native": native, "minimum_grouping": minimum, "systems": systems })
}

/// Symbol, narrow symbol, name, and the name by plural form.
fn currency_names(currencies: &Value) -> Value {
    let entries = currencies.as_object().into_iter().flatten();
    let kept = entries.map(|(code, entry)| {
        let mut kept = forms(entry, "displayName-count-");
        for (key, name) in [("s", "symbol"), ("n", "symbol-alt-narrow"), ("d", "displayName")] {
            if let Some(text) = entry.get(name).filter(|text| text.as_str() != Some(code)) {
                kept.insert(key.to_owned(), text.clone());
            }
        }
        (code.clone(), Value::from(kept))
    });
    kept.collect::<Map<_, _>>().into()
}

fn units(units: &Value) -> Value {
    let mut widths = Map::new();
    for width in ["long", "short", "narrow"] {
        let all = &units[width];
        let mut kept = Map::new();
        for (key, entry) in all.as_object().into_iter().flatten() {
            let Some((_, name)) = key.split_once('-') else { continue };
            if !UNITS.contains(&name) {
                continue;
            }
            let entries = forms(entry, "unitPattern-count-").into_iter();
            let mut unit: Map<String, Value> = entries.filter(|(form, _)| !form.contains("-case-")).collect();
            if let Some(per) = entry.get("perUnitPattern") {
                unit.insert("per".to_owned(), per.clone());
            }
            kept.entry(name.to_owned()).or_insert(unit.into());
        }
        kept.insert("per".to_owned(), json!({ "other": all["per"]["compoundUnitPattern"] }));
        widths.insert(width.to_owned(), kept.into());
    }
    widths.into()
}

fn plural_rules(packages: &Path, file: &str, kind: &str) -> Value {
    let value = read(packages, &format!("cldr-core/supplemental/{file}.json"));
    let languages = value["supplemental"][kind].as_object().cloned().unwrap_or_default();
    let kept = languages.into_iter().map(|(language, rules)| {
        let rules = forms(&rules, "pluralRule-count-").into_iter().map(|(form, rule)| {
            let text =
                rule.as_str().unwrap_or_default().split('@').next().unwrap_or_default().trim().to_owned();
            (form, Value::from(text))
        });
        (language, rules.collect::<Map<_, _>>().into())
    });
    kept.collect::<Map<String, Value>>().into()
}

fn supplemental(packages: &Path) -> BTreeMap<&'static str, Value> {
    let of = |file: &str| read(packages, &format!("cldr-core/supplemental/{file}.json"));
    let entries = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let digits: Map<String, Value> = entries(&of("numberingSystems")["supplemental"]["numberingSystems"])
        .into_iter()
        .filter(|(_, entry)| entry["_type"] == "numeric")
        .map(|(name, entry)| (name, entry["_digits"].clone()))
        .collect();
    let fractions: Map<String, Value> =
        entries(&of("currencyData")["supplemental"]["currencyData"]["fractions"])
            .into_iter()
            .filter_map(|(code, entry)| Some((code, entry["_digits"].as_str()?.parse::<u8>().ok()?.into())))
            .collect();
    let hours: Map<String, Value> = entries(&of("timeData")["supplemental"]["timeData"])
        .into_iter()
        .map(|(region, entry)| (region, entry["_preferred"].clone()))
        .collect();
    let zones = of("metaZones");
    let mut metazones = Map::new();
    collect_zones(
        String::new(),
        &zones["supplemental"]["metaZones"]["metazoneInfo"]["timezone"],
        &mut metazones,
    );
    let mut calendars = Map::new();
    for (region, list) in entries(&of("calendarPreferenceData")["supplemental"]["calendarPreferenceData"]) {
        if list[0] != "gregorian" {
            calendars.insert(region, list[0].clone());
        }
    }
    let alias = of("aliases");
    let replaced = |kind: &str| -> Value {
        let all = entries(&alias["supplemental"]["metadata"]["alias"][kind]);
        all.into_iter().map(|(old, entry)| (old, entry["_replacement"].clone())).collect::<Map<_, _>>().into()
    };
    let mut zone_aliases = Map::new();
    for (_, zone) in entries(&read(packages, "cldr-bcp47/bcp47/timezone.json")["keyword"]["u"]["tz"]) {
        let mut names = zone["_alias"].as_str().unwrap_or_default().split(' ');
        let canonical = names.next().unwrap_or_default();
        zone_aliases.extend(names.map(|alias| (alias.to_owned(), canonical.into())));
    }
    BTreeMap::from([
        ("digits", digits.into()),
        ("fractions", fractions.into()),
        ("hours", hours.into()),
        ("metazones", metazones.into()),
        ("zone_aliases", zone_aliases.into()),
        ("calendars", calendars.into()),
        ("parents", of("parentLocales")["supplemental"]["parentLocales"]["parentLocale"].clone()),
        ("likely", of("likelySubtags")["supplemental"]["likelySubtags"].clone()),
        ("language_aliases", replaced("languageAlias")),
        ("region_aliases", replaced("territoryAlias")),
        ("script_aliases", replaced("scriptAlias")),
        ("periods", of("dayPeriods")["supplemental"]["dayPeriodRuleSet"].clone()),
        ("locales", locales(packages)),
        ("cardinal", plural_rules(packages, "plurals", "plurals-type-cardinal")),
        ("ordinal", plural_rules(packages, "ordinals", "plurals-type-ordinal")),
        ("plural_ranges", of("pluralRanges")["supplemental"]["plurals"].clone()),
        ("week", of("weekData")["supplemental"]["weekData"]["firstDay"].clone()),
    ])
}

/// Every locale that has data anywhere, also without its script, as `{locale: 1}`.
fn locales(packages: &Path) -> Value {
    let mut all = Map::new();
    let full = read(packages, "cldr-core/availableLocales.json")["availableLocales"]["full"].clone();
    let content = read(packages, "cldr-core/defaultContent.json")["defaultContent"].clone();
    for locale in full.as_array().into_iter().chain(content.as_array()).flatten().filter_map(Value::as_str) {
        all.insert(locale.to_owned(), 1.into());
        if let [language, script, region] = locale.split('-').collect::<Vec<_>>()[..]
            && script.len() == 4
        {
            all.insert(format!("{language}-{region}"), 1.into());
        }
    }
    // V8 knows Norwegian without its region only.
    all.remove("nb-NO");
    all.into()
}

/// The periods of each zone: when its metazone begins, and its name.
fn collect_zones(prefix: String, value: &Value, metazones: &mut Map<String, Value>) {
    for (name, entry) in value.as_object().into_iter().flatten() {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        match entry.as_array() {
            Some(uses) => {
                let periods = uses.iter().map(|entry| {
                    let entry = &entry["usesMetazone"];
                    json!([entry.get("_from").and_then(Value::as_str).unwrap_or_default(), entry["_mzone"]])
                });
                metazones.insert(path, periods.collect());
            }
            None => collect_zones(path, entry, metazones),
        }
    }
}
