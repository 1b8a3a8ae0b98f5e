//! Messages read directly are the messages read over JSON values.

use super::*;

#[test]
fn a_message_is_read_the_same_in_both_ways_or_only_by_the_lenient_one() {
    let answer = r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"toolCall","id":"1","name":"n","arguments":{"b":1.0,"a":[null]}}],"provider":"p","usage":{"input":3}}"#;
    let result = r#"{"role":"toolResult","toolCallId":"1","toolName":"n","content":"text","details":{"deep":{"x":18446744073709551615,"y":1e300}},"isError":true}"#;
    let lines = [
        (
            true,
            format!(r#"{{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{answer}}}"#),
        ),
        (true, format!(r#"{{"message":{result},"unknown":[1],"type":"message","id":"2","parentId":"1"}}"#)),
        (true, r#"{"type":"message","message":{"role":"user","content":"\ud83d\ude00","odd":1}}"#.to_owned()),
        (false, r#"{"type":"message","id":7,"message":{"role":"user","content":[]}}"#.to_owned()),
        (
            false,
            r#"{"type":"message","id":"1","message":{"role":"user","content":[],"timestamp":1.5}}"#
                .to_owned(),
        ),
        (
            false,
            r#"{"type":"message","id":"1","message":{"role":"user","content":[{"type":"new"}]}}"#.to_owned(),
        ),
        (false, r#"{"type":"message","id":"1","message":{"role":"nobody","content":[]}}"#.to_owned()),
        (false, r#"{"type":"message","id":"1","id":"2","message":{"role":"user","content":[]}}"#.to_owned()),
        (false, r#"{"type":"custom","customType":"x","message":{"role":"user","content":[]}}"#.to_owned()),
        (false, r#"{"type":"message"}"#.to_owned()),
        (false, "torn".to_owned()),
    ];
    for (is_direct, line) in lines {
        let direct = read_message_line(&line);
        assert_eq!(direct.is_some(), is_direct, "{line}");
        if let Some(direct) = direct {
            assert_eq!(direct, read_entry(serde_json::from_str(&line).unwrap()), "{line}");
        }
    }
}
