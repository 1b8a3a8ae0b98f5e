//! Tests of the limits for data.

use serde_json::json;

use super::*;

/// Returns what a parsed value has allocated, with the capacity of its lists.
fn allocated(value: &Value) -> usize {
    match value {
        Value::String(text) => text.capacity(),
        Value::Array(list) => list.capacity() * VALUE + list.iter().map(allocated).sum::<usize>(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| VALUE + MEMBER + name.capacity() + allocated(value)).sum()
        }
        _ => 0,
    }
}

#[test]
fn c4_7_the_size_of_a_text_is_at_least_that_of_its_values() {
    let nested = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let lists = [0, 1, 2, 3, 4, 5, 9, 1025].map(|count| vec!["[0]"; count].join(","));
    let texts = [
        "0",
        "\"a\\\"b,[{\\\\\"",
        "[]",
        "[ ]",
        "{}",
        "[[],[],{}]",
        "{\"a\":{\"b\":[1,2,3]},\"c\":\"d:e,f\"}",
        nested.as_str(),
    ];
    let texts = texts.map(str::to_owned).into_iter().chain(lists.map(|list| format!("[{list}]")));
    for text in texts {
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(structure_of(&text) + text.len() >= allocated(&value), "{text}");
    }
}

#[test]
fn c4_7_the_size_of_a_text_is_not_much_more_than_that_of_its_values() {
    let numbers = format!("[{}]", vec!["0"; 1000].join(","));
    assert!(structure_of(&numbers) < 1100 * 2 * VALUE);
    // Long texts count as what they are: texts.
    let long = json!({ "content": [{ "type": "text", "text": "[,{:".repeat(1000) }] }).to_string();
    assert!(structure_of(&long) < 4096);
    // Empty lists have no memory of their own.
    let empty = format!("[{}]", vec!["[]"; 1000].join(","));
    assert!(structure_of(&empty) < 1100 * 2 * VALUE);
}

#[test]
fn c4_7_too_many_values_and_too_large_details_are_refused_and_named() {
    let limit = DataLimit::new(16 << 20);
    let text = format!("[{}]", vec!["[]"; 100_000].join(","));
    let error = limit.read::<Value>(&text).unwrap_err().to_string();
    assert_eq!(
        error,
        "its values take more than 8 MB of memory, which is the most for a tool with a memory limit of 16 MB"
    );
    let details = json!(vec!["x".repeat(1 << 20); 3]);
    let error = limit.check(Some(&details)).unwrap_err().to_string();
    assert_eq!(
        error,
        "details take more than 2 MB of memory, which is the most for a tool with a memory limit of 16 MB"
    );
    let error = limit.read_kept::<Value>(&details.to_string()).unwrap_err().to_string();
    assert!(error.starts_with("it takes more than 2 MB of memory"), "{error}");
    assert_eq!(limit.read_kept::<Value>("[1]").unwrap(), json!([1]));
    assert!(limit.check(Some(&json!(["x"]))).is_ok() && limit.check(None).is_ok());
    assert_eq!(limit.read::<Value>("[1]").unwrap(), json!([1]));
    assert!(matches!(limit.read::<Value>("[1"), Err(DataError::Invalid(_))));
}
