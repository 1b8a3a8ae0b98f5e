//! `edit`.

use serde_json::{Value, json};

use crate::place::Place;

fn edits(path: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect();
    json!({ "path": path, "edits": edits })
}

#[tokio::test]
async fn several_edits_are_made_at_once() {
    let place = Place::new();
    place.write("a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    let outcome = place.call("edit", edits("a.rs", &[("fn c()", "fn z()"), ("fn a()", "fn x()")])).await;
    assert_eq!(outcome.result.joined_text(), "Edited a.rs: 2 replacements (line 1, 3)");
    assert_eq!(place.read("a.rs"), "fn x() {}\nfn b() {}\nfn z() {}\n");
    let details = outcome.result.details.unwrap();
    assert_eq!((details["firstChangedLine"].clone(), details["added"].clone()), (json!(1), json!(2)));
    assert!(details["diff"].as_str().unwrap().contains("-fn c() {}\n+fn z() {}\n"));
}

#[tokio::test]
async fn c5_8_the_question_shows_line_ends_and_how_many_places_change() {
    let place = Place::new();
    let tools = toolsmith_builtins::built_in_tools(&place.root, None);
    let edit = tools.iter().find(|tool| tool.spec().name == "edit").unwrap();
    let question = async |old: &str, new: &str, all: bool| {
        let edits = json!([{ "oldText": old, "newText": new, "all": all }]);
        let lines = edit.approval_details(&json!({ "path": "a", "edits": edits })).await.unwrap();
        lines[1..].to_vec()
    };
    assert_eq!(question("off", "on", false).await, ["Replace one occurrence:", "- off", "+ on"]);
    assert_eq!(question("off", "on", true).await, ["Replace every occurrence:", "- off", "+ on"]);
    let removed = "The line end after the old text is removed.";
    assert_eq!(question("# a \n", "# a ", false).await[1..], ["- # a ", "+ # a ", removed]);
    assert_eq!(
        question("# a ", "# a\n", false).await[1..],
        ["- # a ", "+ # a", "A line end is added after the new text."]
    );
    assert_eq!(question("a\r\n", "a\n\n", false).await[1..], ["- a\r", "+ a", "+ "]);
}

#[tokio::test]
async fn one_edit_that_does_not_apply_leaves_the_file_as_it_was() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\n");
    let text = place.fails("edit", edits("a.txt", &[("one", "1"), ("three is more", "3")])).await;
    assert!(text.starts_with("edits[1]: oldText was not found"), "{text}");
    assert!(text.ends_with("Nothing was changed in a.txt."), "{text}");
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn what_is_there_several_times_needs_more_words_or_all() {
    let place = Place::new();
    place.write("a.txt", "x = 1\ny = 1\nx = 1\n");
    let text = place.fails("edit", edits("a.txt", &[("= 1", "= 2")])).await;
    assert!(text.starts_with("oldText is there 3 times (lines 1, 2, 3)."), "{text}");
    let all = json!({ "path": "a.txt", "edits": [{ "oldText": "= 1", "newText": "= 2", "all": true }] });
    assert_eq!(place.works("edit", all).await, "Edited a.txt: 3 replacements (line 1, 2, 3)");
    assert_eq!(place.read("a.txt"), "x = 2\ny = 2\nx = 2\n");
}

#[tokio::test]
async fn edits_that_overlap_or_change_nothing_are_refused() {
    let place = Place::new();
    place.write("a.txt", "one two three\n");
    let text = place.fails("edit", edits("a.txt", &[("one two", "1"), ("two three", "2")])).await;
    assert!(text.starts_with("Two edits overlap at line 1"), "{text}");
    let text = place.fails("edit", edits("a.txt", &[("one", "one")])).await;
    assert!(text.contains("change nothing"), "{text}");
    assert_eq!(place.read("a.txt"), "one two three\n");
}

#[tokio::test]
async fn a_match_up_to_whitespace_says_so() {
    let place = Place::new();
    place.write("a.py", "def f():\n    if x:\n        return 1\n");
    let text = place.works("edit", edits("a.py", &[("if x:\n    return 1", "if y:\n    return 2")])).await;
    assert_eq!(text, "Edited a.py: 1 replacement (line 2; matched up to whitespace, look at the result)");
    assert_eq!(place.read("a.py"), "def f():\n    if y:\n        return 2\n");
}

#[tokio::test]
async fn line_ends_mode_and_a_missing_last_newline_stay() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("crlf.sh", "one\r\ntwo\r\nthree");
    std::fs::set_permissions(place.path("crlf.sh"), std::fs::Permissions::from_mode(0o700)).unwrap();
    place.works("edit", edits("crlf.sh", &[("two\nthree", "2\n3")])).await;
    assert_eq!(place.read("crlf.sh"), "one\r\n2\r\n3");
    assert_eq!(std::fs::metadata(place.path("crlf.sh")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn hostile_files_are_refused() {
    let place = Place::new();
    place.write("folder/x", "");
    place.write("latin1", b"caf\xe9");
    place.make_pipe("pipe").await;
    let edit = |path: &str| edits(path, &[("a", "b")]);
    assert_eq!(place.fails("edit", edit("folder")).await, "folder is a folder");
    assert!(place.fails("edit", edit("latin1")).await.contains("not UTF-8 text (at byte 3)"));
    assert!(place.fails("edit", edit("pipe")).await.contains("not a regular file"));
    assert!(place.fails("edit", edit("gone")).await.contains("No such file"));
    let file = std::fs::File::create(place.path("huge")).unwrap();
    file.set_len(1 << 30).unwrap();
    assert!(place.fails("edit", edit("huge")).await.contains("can be edited"));
}

#[tokio::test]
async fn a_large_file_is_edited_and_searched_for_what_is_closest() {
    let place = Place::new();
    let text: String = (0..20_000).map(|n| format!("let value_{n} = compute({n});\n")).collect();
    place.write("large.rs", &text);
    place.works("edit", edits("large.rs", &[("compute(17777)", "calculate(17777)")])).await;
    assert!(place.read("large.rs").contains("calculate(17777)"));
    let text = place.fails("edit", edits("large.rs", &[("let value_555 = compile(555);", "")])).await;
    assert!(text.contains("closest text is at line 556:\n556\tlet value_555 = compute(555);"), "{text}");
}
