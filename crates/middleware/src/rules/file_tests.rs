//! What is a rule and what is none, and what the system prompt says of them.

use std::path::Path;

use super::{InterruptMode, Rule, rules_prompt};

fn read(text: &str) -> Rule {
    Rule::parse(Path::new("/p/.toolsmith/rules/no-foo.md"), text).unwrap().unwrap()
}

fn refused(text: &str) -> String {
    Rule::parse(Path::new("/p/x.md"), text).unwrap_err().to_string()
}

#[test]
fn a_rule_has_fields_and_a_text() {
    let rule = read(
        "---\ndescription: About\n  foo\ncondition:\n  - 'foo\\('\n  - \"bar\"\nscope: text, tool:edit(*.{ts,tsx})\nglobs: [a.rs, b.rs]\ninterruptMode: tool-only\n---\n\nNo foo.\n",
    );
    assert_eq!(rule.name, "no-foo");
    assert_eq!(rule.text, "No foo.");
    assert_eq!(rule.description.as_deref(), Some("About foo"));
    assert_eq!(rule.condition, ["foo\\(", "bar"]);
    assert_eq!(rule.scope, ["text", "tool:edit(*.{ts,tsx})"]);
    assert_eq!(rule.globs, ["a.rs", "b.rs"]);
    assert_eq!(rule.interrupt, Some(InterruptMode::ToolOnly));
    assert!(rule.is_stream_rule() && !rule.always_apply);
    let legacy = read("\u{feff}---\r\nttsr_trigger: foo\r\n---\r\nNo foo.\r\n");
    assert!(legacy.is_stream_rule());
    assert!(read("---\nttsrTrigger: foo\n---\nNo foo.").is_stream_rule());
}

#[test]
fn a_plain_text_always_applies() {
    let rule = read("Be kind.\n---\nAlways.");
    assert!(rule.always_apply && !rule.is_stream_rule());
    assert_eq!(rule.text, "Be kind.\n---\nAlways.");
    assert!(!read("---\n---\nx").always_apply);
}

#[test]
fn fields_that_editors_write_but_yaml_forbids_are_read() {
    let rule = read("---\nglobs: *.ts,*.tsx\nalwaysApply: false\ndescription: It's so\n---\nx");
    assert_eq!(rule.globs, ["*.ts", "*.tsx"]);
    assert_eq!(read("---\nglobs:\n  - **/*.rs\n---\nx").globs, ["**/*.rs"]);
}

#[test]
fn a_rule_that_is_switched_off_is_none() {
    let off = Rule::parse(Path::new("x.md"), "---\nenabled: false\ncondition: '('\n---\nx").unwrap();
    assert!(off.is_none());
}

#[test]
fn what_cannot_be_understood_is_refused_and_says_why() {
    for (text, says) in [
        (
            "---\ncondition: '('\n---\nx",
            "the condition \"(\" is not a valid regular expression: unclosed group",
        ),
        ("---\ncondition: '(?!a)b'\n---\nx", "look-around"),
        ("---\ncondition: '((a{1000}){1000}){1000}'\n---\nx", "size limit"),
        ("---\ncondition: 3\n---\nx", "`condition` must be a text or a list of texts"),
        ("---\ncondition: [[a]]\n---\nx", "`condition` must be a text"),
        ("---\ncondition: a\nscope: 'tool:edit(*.ts'\n---\nx", "invalid `scope` \"tool:edit(*.ts\""),
        ("---\ncondition: a\nscope: 'tool:'\n---\nx", "invalid `scope`"),
        ("---\ncondition: a\nscope: 'tool:web_*'\n---\nx", "invalid `scope` \"tool:web_*\""),
        ("---\nglobs: 'a{'\n---\nx", "is not a file pattern"),
        (
            "---\ncondition: a\ninterruptMode: often\n---\nx",
            "expected always, never, prose-only or tool-only",
        ),
        ("---\nalwaysApply: maybe\n---\nx", "`alwaysApply` must be true or false"),
        ("---\ncondition: \"\\d\"\n---\nx", "single quotes"),
        ("---\n- a\n---\nx", "`name: value`"),
        ("---\ncondition: a\nx", "no closing ---"),
        ("---\ncondition: a\n---\n  \n", "no text"),
        (&"x".repeat(70_000), "larger than 64 KB"),
    ] {
        let problem = refused(text);
        assert!(problem.contains(says) && !problem.contains('\n'), "{text:.60}: {problem}");
    }
}

#[test]
fn hostile_fields_end() {
    let deep = format!("---\na: {}\n---\nx", "[".repeat(100_000 / 2));
    let _ = Rule::parse(Path::new("x.md"), &deep);
    let mut bomb = String::from("---\na0: &a0 [x, x]\n");
    for level in 1..40 {
        let before = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}, *a{before}]\n"));
    }
    let _ = Rule::parse(Path::new("x.md"), &format!("{bomb}---\nx"));
}

#[test]
fn the_system_prompt_has_rules_that_always_apply_and_names_the_others() {
    let always = read("---\nalwaysApply: true\n---\nBe kind.");
    let named = read("---\ndescription: How to test\nglobs: '*.rs'\n---\nlong text");
    let bare = read("---\nfoo: 1\n---\nlong text");
    let stream = read("---\ncondition: x\nalwaysApply: true\n---\nsecret");
    let text = rules_prompt(&[always, named, bare, stream]).unwrap();
    assert_eq!(
        text,
        "Rules of the user and the project; follow them:\n\
         <rule name=\"no-foo\" path=\"/p/.toolsmith/rules/no-foo.md\">\nBe kind.\n</rule>\n\n\
         Rules to read before related work:\n\
         - no-foo [*.rs]: How to test (/p/.toolsmith/rules/no-foo.md)\n\
         - no-foo: (/p/.toolsmith/rules/no-foo.md)"
    );
    assert_eq!(rules_prompt(&[]), None);
}
