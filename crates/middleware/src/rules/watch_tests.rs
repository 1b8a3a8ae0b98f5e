//! What is found in an answer, however its pieces are cut.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use toolsmith_llm::{StreamEvent, ToolCall};

use super::{
    rule::Rule,
    watch::{ArgumentReader, Hit, WINDOW, Watch},
};

fn rule(fields: &str) -> Rule {
    Rule::parse(Path::new("r.md"), &format!("---\n{fields}\n---\ntext")).unwrap().unwrap()
}

/// What is found in pieces of `size` bytes, with how many bytes had come.
fn found(rule: &Rule, kind: &str, text: &str, size: usize) -> Option<(Hit, usize)> {
    let rules = std::slice::from_ref(rule);
    let mut watch = Watch::begin(vec![true]);
    let content_index = 0;
    let tool = kind.strip_prefix("tool:");
    if let Some(name) = tool {
        let start = StreamEvent::ToolCallStart { content_index, id: "1".to_owned(), name: name.to_owned() };
        if let Some(hit) = watch.step(rules, &start).pop() {
            return Some((hit, 0));
        }
    }
    let mut came = 0;
    for part in text.as_bytes().chunks(size) {
        let delta = String::from_utf8_lossy(part).into_owned();
        came += part.len();
        let event = match kind {
            "text" => StreamEvent::TextDelta { content_index, delta },
            "thinking" => StreamEvent::ThinkingDelta { content_index, delta },
            _ => StreamEvent::ToolCallDelta { content_index, delta },
        };
        if let Some(hit) = watch.step(rules, &event).pop() {
            return Some((hit, came));
        }
    }
    let end = match tool {
        Some(name) => {
            let arguments = serde_json::from_str(text).unwrap_or(json!({}));
            StreamEvent::ToolCallEnd { content_index, tool_call: ToolCall::new("1", name, arguments) }
        }
        None => StreamEvent::TextEnd { content_index, content: text.to_owned() },
    };
    watch.step(rules, &end).pop().map(|hit| (hit, came))
}

fn finds(fields: &str, kind: &str, text: &str) -> bool {
    let rule = rule(fields);
    let each: Vec<bool> = [1, 3, 7, 100_000].map(|size| found(&rule, kind, text, size).is_some()).to_vec();
    assert!(each.iter().all(|one| *one == each[0]), "{fields} in {text}: {each:?}");
    each[0]
}

#[test]
fn text_and_calls_are_watched_and_thinking_where_a_rule_says_so() {
    assert!(finds("condition: fo+", "text", "a fooo"));
    assert!(!finds("condition: fo+", "thinking", "a fooo"));
    assert!(finds("condition: fo+", "tool:bash", r#"{"command":"fooo"}"#));
    assert!(!finds("condition: fo+\nscope: tool", "text", "a fooo"));
    assert!(finds("condition: fo+\nscope: thinking", "thinking", "a fooo"));
    assert!(!finds("condition: fo+\nscope: [thinking, text]", "tool:bash", r#"{"command":"fooo"}"#));
    assert!(finds("condition: fo+\nscope: bash", "tool:bash", r#"{"command":"fooo"}"#));
    assert!(!finds("condition: fo+\nscope: tool:bash", "tool:read", r#"{"path":"fooo"}"#));
    assert!(finds("condition: [nothing, fo+]", "text", "a fooo"));
    assert!(finds("condition: (?i)FOO", "text", "a foo"));
}

#[test]
fn arguments_are_seen_as_they_will_be_in_the_file_and_as_they_came() {
    let call = r#"{"path":"a.ts","content":"x;\nconsole.log(\"h\u00e9 \ud83d\ude00\")\\"}"#;
    assert!(finds(r#"condition: 'console\.log\("hé 😀"\)'"#, "tool:write", call));
    assert!(finds(r"condition: '(?m)^console'", "tool:write", call));
    assert!(finds(r"condition: 'x;\\n'", "tool:write", call));
}

#[test]
fn files_are_known_by_arguments_that_name_a_path() {
    let edit = |path: &str| format!(r#"{{"content":"foo","file_path":{}}}"#, json!(path));
    let rs = "condition: foo\nscope: 'tool:edit(*.rs)'";
    assert!(finds(rs, "tool:edit", &edit("src/a.rs")));
    assert!(finds(rs, "tool:edit", &edit("a.rs")));
    assert!(!finds(rs, "tool:edit", &edit("src/a.ts")));
    assert!(!finds(rs, "tool:write", &edit("src/a.rs")));
    let below = "condition: foo\nglobs: src/**/*.rs";
    assert!(finds(below, "tool:any", &edit("/srv/p/src/x/a.rs")));
    assert!(finds(below, "tool:any", &edit("./src/a.rs")));
    assert!(!finds(below, "tool:any", &edit("lib/a.rs")));
    assert!(!finds(below, "text", "foo in src/a.rs"));
    assert!(finds("condition: foo\nglobs: '*.rs'", "tool:x", r#"{"paths":["a.ts","b.rs"],"text":"foo"}"#));
    assert!(!finds("condition: foo\nglobs: '*.rs'", "tool:x", r#"{"name":"b.rs","text":"foo"}"#));
    assert!(finds("condition: foo\nglobs: '*.rs'", "tool:x", r#"{"edits":[{"path":"b.rs","text":"foo"}]}"#));
}

#[test]
fn a_condition_that_is_a_file_pattern_means_changes_of_such_files() {
    for pattern in ["'*.rs'", "'**/*.rs'", "src/**/*.rs", "'*.{rs,toml}'"] {
        let fields = format!("condition: {pattern}");
        assert!(finds(&fields, "tool:write", r#"{"path":"src/a.rs","content":""}"#), "{pattern}");
        assert!(finds(&fields, "tool:edit", r#"{"path":"src/a.rs"}"#), "{pattern}");
        assert!(!finds(&fields, "tool:read", r#"{"path":"src/a.rs"}"#), "{pattern}");
        assert!(!finds(&fields, "tool:write", r#"{"path":"src/a.md"}"#), "{pattern}");
        assert!(!finds(&fields, "text", "src/a.rs"), "{pattern}");
    }
    // And found before the content has come.
    let long = format!(r#"{{"path":"a.rs","content":"{}"}}"#, "x".repeat(1000));
    assert!(found(&rule("condition: '*.rs'"), "tool:write", &long, 1).unwrap().1 < 20);
}

#[test]
fn a_match_is_found_soon_and_wherever_pieces_are_cut() {
    let text = format!("{}\nforbidden{}", "ä word ".repeat(5000), " more".repeat(1000));
    for size in [1, 5, 64] {
        let (_, came) = found(&rule("condition: forbidden"), "text", &text.replace('ä', "a"), size).unwrap();
        let at = text.replace('ä', "a").find("forbidden").unwrap();
        assert!(came < at + 200, "found after {came} bytes, it is at {at}");
    }
    let half = WINDOW / 2;
    let wide = format!("{}begin{}end{}", "x".repeat(3 * WINDOW), "y".repeat(half), "z".repeat(WINDOW));
    assert!(finds("condition: beginy*end", "text", &wide));
}

#[test]
fn the_beginning_is_that_of_the_text_and_not_of_the_window() {
    let long = format!("{}\n{}", "a".repeat(10 * WINDOW), "b".repeat(10 * WINDOW));
    assert!(!finds("condition: '^b'", "text", &long));
    assert!(finds("condition: '(?m)^b'", "text", &long));
    assert!(finds("condition: '^a'", "text", &long));
}

#[test]
fn much_text_takes_time_in_proportion() {
    // 100 KB in tokens, then 2 MB at once: with a search of everything each time this would take minutes.
    let rules: Vec<Rule> = (0..5).map(|n| rule(&format!("condition: 'never{n} .*x'"))).collect();
    let mut watch = Watch::begin(vec![true; 5]);
    for _ in 0..5_000 {
        let event = StreamEvent::TextDelta { content_index: 0, delta: "some more words here".to_owned() };
        assert_eq!(watch.step(&rules, &event), []);
    }
    let delta = "x".repeat(2 << 20);
    assert_eq!(watch.step(&rules, &StreamEvent::TextDelta { content_index: 1, delta }), []);
}

proptest! {
    #[test]
    fn any_path_is_read_however_the_arguments_are_cut(text in ".{1,40}", ascii in any::<bool>(), size in 1_usize..9) {
        let mut json = json!({ "note": &text, "file_path": &text, "many": { "paths": [&text, "b"] } }).to_string();
        if ascii {
            // Everything as escapes, in pairs where a character needs two.
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            json = format!(r#"{{"file_path": "{units}" , "paths":["{units}","b"]}}"#);
        }
        let (mut reader, mut plain) = (ArgumentReader::default(), String::new());
        let letters: Vec<char> = json.chars().collect();
        for part in letters.chunks(size) {
            reader.read(&part.iter().collect::<String>(), &mut plain);
        }
        reader.settle();
        prop_assert_eq!(reader.paths, [text.as_str(), text.as_str(), "b"]);
        prop_assert!(plain.contains(&text));
    }

    #[test]
    fn nothing_a_model_writes_as_arguments_is_a_problem(parts in prop::collection::vec(r#"[\\"u0-9d-f:,\[\]{} path]{0,12}"#, 0..20)) {
        let (mut reader, mut plain) = (ArgumentReader::default(), String::new());
        for part in &parts {
            reader.read(part, &mut plain);
        }
        reader.settle();
    }
}
