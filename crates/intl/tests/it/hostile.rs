//! Input that no program would give on purpose: every call has a result or an error, and none panics.

use serde_json::{Value, json};
use toolsmith_intl::{Defaults, Formatter, canonical_locales, locale_parts, supported_locales};

const CONSTRUCTORS: [&str; 9] = [
    "Collator",
    "DateTimeFormat",
    "DisplayNames",
    "ListFormat",
    "NumberFormat",
    "PluralRules",
    "RelativeTimeFormat",
    "Segmenter",
    "Missing",
];
const TAGS: [&str; 14] = [
    "",
    "-",
    "e",
    "en-",
    "en--US",
    "en-u",
    "en-u-nu",
    "x-private",
    "en-US-x-",
    "ä",
    "en\u{0}",
    "en-a-b-c",
    "und",
    "en-u-nu-zzzz-hc-h99-ca-mars",
];
const NUMBERS: [&str; 14] = [
    "",
    "-",
    ".",
    "e5",
    "1e",
    "1e999999999",
    "-1e-999999999",
    "1e99999",
    "99999999999999999999999999999999999999999",
    "0x10",
    "NaN",
    "-Infinity",
    "0.000000000000000000000000000000000000001",
    "١٢٣",
];

fn defaults() -> Defaults {
    Defaults { locale: "zz-ZZ".to_owned(), time_zone: "UTC".to_owned() }
}

fn use_all(formatter: &Formatter) {
    let _ = formatter.resolved();
    for number in NUMBERS {
        match formatter {
            Formatter::Number(format) => {
                let _ = format.format(number);
                let _ = format.format_range(number, "5");
            }
            Formatter::DateTime(format) => {
                let time = number.parse().unwrap_or(f64::NAN);
                for time in [time, f64::INFINITY, -8.64e15, 8.64e15, 8.65e15, -62_198_755_200_000.0] {
                    let _ = format.text(time);
                    let _ = format.format_range(time, 0.0);
                }
            }
            Formatter::RelativeTime(format) => {
                let _ = format.format(number, "day");
                let _ = format.format("1", number);
            }
            Formatter::PluralRules(rules) => {
                let _ = rules.select(number);
                let _ = rules.select_range(number, number);
            }
            Formatter::List(format) => {
                drop(format.format(&[number.to_owned(), String::new(), "{0}{1}".to_owned()]))
            }
            Formatter::Collator(collator) => {
                let _ = collator.compare(number, "\u{0}\u{10ffff}");
            }
            Formatter::Segmenter(segmenter) => {
                let _ = segmenter.segment(number);
                let _ = segmenter.segment("\u{0}\u{301}\u{200d}\u{1f1e9}");
            }
            Formatter::DisplayNames(names) => {
                let _ = names.of(number);
                let _ = names.of("äöüß");
            }
        }
    }
}

#[test]
fn broken_tags_are_refused_or_fall_back() {
    for tag in TAGS {
        let list = [tag.to_owned()];
        let (canonical, supported, parts) =
            (canonical_locales(&list), supported_locales(&list), locale_parts(tag));
        assert_eq!(canonical.is_ok(), supported.is_ok(), "{tag:?}");
        assert_eq!(canonical.is_ok(), parts.is_ok(), "{tag:?}");
        for constructor in CONSTRUCTORS {
            let options = json!({ "type": "language" });
            match Formatter::new(constructor, &list, &options, &defaults()) {
                Ok(formatter) => use_all(&formatter),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

#[test]
fn every_value_of_every_option_is_taken_or_refused() {
    let names = [
        "style",
        "currency",
        "unit",
        "notation",
        "compactDisplay",
        "minimumIntegerDigits",
        "minimumFractionDigits",
        "maximumFractionDigits",
        "minimumSignificantDigits",
        "maximumSignificantDigits",
        "roundingIncrement",
        "roundingPriority",
        "numberingSystem",
        "dateStyle",
        "timeStyle",
        "month",
        "hour",
        "fractionalSecondDigits",
        "dayPeriod",
        "timeZone",
        "timeZoneName",
        "hourCycle",
        "calendar",
        "type",
        "granularity",
        "sensitivity",
        "collation",
        "useGrouping",
        "signDisplay",
        "required",
        "defaults",
    ];
    let values: Vec<Value> = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(21),
        json!(100),
        json!(1e300),
        json!(""),
        json!("NaN"),
        json!("long"),
        json!("short"),
        json!("full"),
        json!("numeric"),
        json!("2-digit"),
        json!("compact"),
        json!("scientific"),
        json!("currency"),
        json!("USD"),
        json!("percent"),
        json!("unit"),
        json!("day"),
        json!("kilogram-per-second"),
        json!("narrow"),
        json!("always"),
        json!("morePrecision"),
        json!("../../etc/passwd"),
        json!("Europe/Berlin"),
        json!("h11"),
        json!("thai"),
        json!("language"),
        json!("word"),
        json!([]),
        json!({}),
    ]
    .to_vec();
    let mut created = 0;
    for constructor in CONSTRUCTORS {
        for name in names {
            for value in &values {
                let mut options = json!({ "currency": "EUR", "unit": "liter", "type": "region" });
                options[name] = value.clone();
                for locale in ["en", "ar-EG"] {
                    if let Ok(formatter) =
                        Formatter::new(constructor, &[locale.to_owned()], &options, &defaults())
                    {
                        created += 1;
                        if created % 60 == 0 {
                            use_all(&formatter);
                        }
                    }
                }
            }
        }
    }
    assert!(created > 1000, "{created}");
}

#[test]
fn what_is_not_embedded_names_another_engine() {
    for (constructor, locale, options) in [
        ("NumberFormat", "sa", json!({})),
        ("DateTimeFormat", "th-TH", json!({})),
        ("DateTimeFormat", "en", json!({ "calendar": "hebrew" })),
        ("DisplayNames", "en", json!({ "type": "calendar" })),
        ("DurationFormat", "en", json!({})),
    ] {
        let error = Formatter::new(constructor, &[locale.to_owned()], &options, &defaults()).unwrap_err();
        assert!(error.to_string().ends_with("set engine = \"bun\" for this tool"), "{error}");
    }
    let Ok(Formatter::Segmenter(words)) =
        Formatter::new("Segmenter", &["ja".to_owned()], &json!({ "granularity": "word" }), &defaults())
    else {
        panic!("no segmenter")
    };
    assert!(words.segment("日本語").is_err());
}
