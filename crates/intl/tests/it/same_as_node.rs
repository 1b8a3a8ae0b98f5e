//! Every call in `tests/node.jsonl.br` has the result it has in Node, except for the differences listed in `tests/accepted.jsonl`.

use std::{cmp::Ordering, collections::BTreeMap, io::Read as _};

use serde_json::{Value, json};
use toolsmith_intl::{Defaults, Formatter, joined, parts_json};

const RECORDED: &[u8] = include_bytes!("../node.jsonl.br");
/// Lines of `[call, locale, ours, reason]`.
const ACCEPTED: &str = include_str!("../accepted.jsonl");

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn call(case: &Value, locale: &str) -> Value {
    let defaults = Defaults { locale: "en-US".to_owned(), time_zone: "UTC".to_owned() };
    let constructor = case["constructor"].as_str().unwrap();
    let formatter = match Formatter::new(constructor, &[locale.to_owned()], &case["options"], &defaults) {
        Ok(formatter) => formatter,
        Err(error) => return json!(format!("error: {error}")),
    };
    let given = &case["arguments"];
    let method = case["method"].as_str().unwrap();
    let shown = |parts: Vec<toolsmith_intl::Part>| {
        if method.ends_with("Parts") { parts_json(&parts) } else { json!(joined(&parts)) }
    };
    let time = |value: &Value| value.as_f64().unwrap();
    match (&formatter, method) {
        (_, "resolvedOptions") => formatter.resolved(),
        (Formatter::Number(format), "formatRange") => {
            shown(format.format_range(&text(&given[0]), &text(&given[1])).unwrap())
        }
        (Formatter::Number(format), _) => shown(format.format(&text(&given[0]))),
        (Formatter::DateTime(format), "formatRange") => {
            shown(format.format_range(time(&given[0]), time(&given[1])).unwrap())
        }
        (Formatter::DateTime(format), "format") => json!(format.text(time(&given[0])).unwrap()),
        (Formatter::DateTime(format), _) => shown(format.format(time(&given[0])).unwrap()),
        (Formatter::RelativeTime(format), _) => {
            shown(format.format(&text(&given[0]), &text(&given[1])).unwrap())
        }
        (Formatter::PluralRules(rules), _) => json!(rules.select(&text(&given[0]))),
        (Formatter::List(format), _) => {
            let items: Vec<String> = given[0].as_array().unwrap().iter().map(text).collect();
            shown(format.format(&items))
        }
        (Formatter::Collator(collator), _) => match collator.compare(&text(&given[0]), &text(&given[1])) {
            Ordering::Less => json!(-1),
            Ordering::Equal => json!(0),
            Ordering::Greater => json!(1),
        },
        (Formatter::Segmenter(segmenter), _) => {
            let units: Vec<u16> = text(&given[0]).encode_utf16().collect();
            let mut start = 0;
            let segments = segmenter.segment(&text(&given[0])).unwrap();
            let is_word = case["options"]["granularity"] == "word";
            let segments = segments.into_iter().map(|(end, word)| {
                let segment = String::from_utf16(&units[start..end]).unwrap();
                start = end;
                if is_word { json!([segment, word]) } else { json!(segment) }
            });
            segments.collect()
        }
        (Formatter::DisplayNames(names), _) => json!(names.of(&text(&given[0])).unwrap()),
    }
}

#[test]
fn results_are_those_of_node_except_for_accepted_differences() {
    let mut accepted: BTreeMap<(String, String), (Value, bool)> = BTreeMap::new();
    for line in ACCEPTED.lines() {
        let [kind, locale, ours, _reason]: [Value; 4] = serde_json::from_str(line).unwrap();
        accepted.insert((text(&kind), text(&locale)), (ours, false));
    }
    let (mut count, mut wrong) = (0, Vec::new());
    let mut recorded = String::new();
    brotli::Decompressor::new(RECORDED, 1 << 16).read_to_string(&mut recorded).unwrap();
    for line in recorded.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let kind = format!(
            "{}.{} {} {}",
            text(&case["constructor"]),
            text(&case["method"]),
            case["options"],
            case["arguments"]
        );
        for (locale, expected) in case["results"].as_object().unwrap() {
            count += 1;
            let ours = call(&case, locale);
            match accepted.get_mut(&(kind.clone(), locale.clone())) {
                Some((known, used)) if *known == ours && ours != *expected => *used = true,
                _ if ours == *expected => {}
                _ => wrong.push(format!("{}", json!([kind, locale, ours, expected]))),
            }
        }
    }
    let unused = accepted.iter().filter(|(_, (_, used))| !used);
    wrong.extend(unused.map(|((kind, locale), _)| format!("no longer different: {kind} in {locale}")));
    assert!(count > 10_000, "only {count} calls were compared");
    assert!(wrong.is_empty(), "{} of {count} calls differ:\n{}", wrong.len(), wrong.join("\n"));
}
