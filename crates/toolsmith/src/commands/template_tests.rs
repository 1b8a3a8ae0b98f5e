//! Parts of templates.

use super::{
    Part::{File, Shell, Text},
    parts,
};

#[test]
fn files_and_shell_commands_are_parts() {
    assert_eq!(
        parts("Read @src/main.rs, then !`git status` (@\"a b.md\")."),
        [
            Text("Read "),
            File("src/main.rs"),
            Text(", then "),
            Shell("git status"),
            Text(" ("),
            File("a b.md"),
            Text(").")
        ]
    );
    assert_eq!(parts("@$1"), [File("$1")]);
}

#[test]
fn code_and_addresses_are_text() {
    for text in [
        "mail me@example.com",
        "use `@decorator` here",
        "```\n@a !`b`\n```\n",
        "wow! `code`",
        "@ alone",
        "!``",
        "",
    ] {
        let found = parts(text);
        assert!(found.iter().all(|part| matches!(part, Text(_))), "{text}: {found:?}");
        let joined: String =
            found.iter().map(|part| if let Text(text) = part { *text } else { "" }).collect();
        assert_eq!(joined, text);
    }
}

#[test]
fn unclosed_marks_are_text_and_end() {
    for text in ["!`never closed", "@\"never closed", "`", "```", "é@é", "!`a\nb`"] {
        assert!(!parts(text).iter().any(|part| matches!(part, Shell(_))), "{text}");
    }
}
