//! Matchers and the rules of `if`.

use serde_json::json;

use super::*;

fn matches(matcher: &str, name: &str) -> bool {
    Matcher::parse(matcher).unwrap().matches(&[name])
}

#[test]
fn c11_2_matchers_are_read_as_claude_code_reads_them() {
    for all in ["", "*", "  "] {
        assert!(matches(all, "Bash"), "{all:?}");
    }
    assert!(matches("Write|Edit", "Edit") && !matches("Write|Edit", "MultiEdit") && !matches("Edit", "edit"));
    assert!(matches("Notebook.*", "NotebookEdit") && matches("mcp__memory__.*", "mcp__memory__create"));
    // Without `.*` a name has to be equal.
    assert!(!matches("mcp__memory", "mcp__memory__create"));
    assert!(matches("^(Edit|Write)$", "Write") && matches("Edit:.*|Write", "Write"));
    assert!(Matcher::parse("Edit(").unwrap_err().to_string().contains("Edit("));
    assert_eq!(Matcher::parse("Notebook.*").unwrap().as_text(), "Notebook.*");
}

#[test]
fn c11_2_the_rule_of_if_looks_at_the_main_argument() {
    let covers =
        |rule: &str, tool: &str, input: &Value| CallRule::parse(rule).unwrap().covers(&[tool], input);
    let command = |text: &str| json!({ "command": text });
    assert!(covers("Bash(git *)", "Bash", &command("git status")));
    assert!(
        covers("Bash(git:*)", "Bash", &command("git")) && !covers("Bash(git *)", "Bash", &command("gitk"))
    );
    assert!(!covers("Bash(git *)", "Read", &command("git status")));
    // A guard is not avoided by putting the command behind another one.
    for hidden in
        ["cd /tmp && git push", "true; git push", "echo $(git push)", "echo `git push`", "a\ngit push"]
    {
        assert!(covers("Bash(git push*)", "Bash", &command(hidden)), "{hidden}");
    }
    assert!(!covers("Bash(git push*)", "Bash", &command("ls")));
    let file = |path: &str| json!({ "file_path": path });
    assert!(
        covers("Edit(*.ts)", "Edit", &file("/work/src/a.ts"))
            && !covers("Edit(*.ts)", "Edit", &file("/a.rs"))
    );
    assert!(covers("Edit(src/**)", "Edit", &file("/work/src/deep/a.ts")));
    assert!(covers("Write", "Write", &json!({})) && covers("Write(*)", "Write", &json!({})));
    // A call whose argument is missing is not let past.
    assert!(covers("Edit(*.ts)", "Edit", &json!({})));
    assert!(CallRule::parse("").is_none() && CallRule::parse("Bash(git").is_none());
}
