//! Previews and undo on the command line (CONTRACT 8.6): staged by built-in tools, decided by flags, taken back by `undo`.

use crate::workshop::Workshop;

const EDIT: [&str; 4] =
    ["call", "edit", "--args", r#"{"path":"a.ts","edits":[{"oldText":"f","newText":"g"}]}"#];
const REWRITE: [&str; 4] =
    ["call", "ast_edit", "--args", r#"{"ops":[{"pat":"f($A)","out":"h($A)"}],"path":"a.ts"}"#];

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("a.ts", "f(1);\n");
    shop
}

#[tokio::test]
async fn edit_in_preview_mode_shows_the_difference_and_waits_for_a_decision() {
    let shop = shop();
    let preview = [&EDIT[..], &["--set", "tools.preview=true"]].concat();
    let open = shop.run(&preview).await.expect(3);
    assert!(open.stdout.contains("Preview, nothing is written yet: Edited a.ts"), "{open:#?}");
    shop.run(&[&preview[..], &["--discard"]].concat()).await.expect(0);
    assert_eq!(shop.read("a.ts"), "f(1);\n");
    shop.run(&[&preview[..], &["--apply"]].concat()).await.expect(0);
    assert_eq!(shop.read("a.ts"), "g(1);\n");
    shop.run(&["undo"]).await.expect(0);
    assert_eq!(shop.read("a.ts"), "f(1);\n");
}

#[tokio::test]
async fn what_was_applied_is_listed_undone_by_number_and_refused_where_somebody_went_on() {
    let shop = shop();
    let none = shop.run(&["undo"]).await.expect(1);
    assert!(none.stderr.contains("There is nothing to undo."), "{none:#?}");
    shop.run(&[&REWRITE[..], &["--apply"]].concat()).await.expect(0);
    assert_eq!(shop.read("a.ts"), "h(1);\n");
    let listed = shop.run(&["undo", "--list", "--json"]).await.expect(0).json();
    assert_eq!(
        (&listed[0]["label"], &listed[0]["undone"]),
        (&"AST Edit: 1 replacement in 1 file".into(), &false.into())
    );
    let id = listed[0]["id"].as_str().unwrap();
    shop.write("a.ts", "mine\n");
    let refused = shop.run(&["undo", id]).await.expect(1);
    assert!(refused.stderr.contains("a.ts changed"), "{refused:#?}");
    assert_eq!(shop.read("a.ts"), "mine\n");
    shop.write("a.ts", "h(1);\n");
    let undone = shop.run(&["undo", id, "--json"]).await.expect(0).json();
    assert_eq!(undone["undone"], true);
    assert_eq!(shop.read("a.ts"), "f(1);\n");
    let again = shop.run(&["undo", id]).await.expect(1);
    assert!(again.stderr.contains("is undone already"), "{again:#?}");
    shop.run(&["undo", "no-such-change"]).await.expect(1);
}

#[tokio::test]
async fn c8_6_parts_of_a_preview_are_applied_by_number() {
    let gap = "x();\n".repeat(20);
    let rewrite = ["call", "ast_edit", "--args", r#"{"ops":[{"pat":"f($A)","out":"h($A)"}]}"#];
    let shop = Workshop::new();
    let restore = || {
        shop.write("a.ts", format!("f(1);\n{gap}f(2);\n"));
        shop.write("b.ts", "f(3);\n");
    };
    restore();
    shop.run(&[&rewrite[..], &["--apply", "2"]].concat()).await.expect(0);
    assert_eq!(
        (shop.read("a.ts"), shop.read("b.ts")),
        (format!("f(1);\n{gap}f(2);\n"), "h(3);\n".to_owned())
    );
    restore();
    shop.run(&[&rewrite[..], &["--apply", "1.2,2"]].concat()).await.expect(0);
    assert_eq!(
        (shop.read("a.ts"), shop.read("b.ts")),
        (format!("f(1);\n{gap}h(2);\n"), "h(3);\n".to_owned())
    );
    restore();
    for (parts, message) in
        [("3", "there is no file 3"), ("1.9", "file 1 has no part 9"), ("some", "expected numbers such as")]
    {
        let refused = shop.run(&[&rewrite[..], &["--apply", parts]].concat()).await.expect(1);
        assert!(refused.stderr.contains(message), "{refused:#?}");
        assert_eq!(shop.read("b.ts"), "f(3);\n");
    }
    shop.run(&["call", "ast_edit", "--apply", r#"ops=[{"pat":"f($A)","out":"h($A)"}]"#, "path=b.ts"])
        .await
        .expect(0);
    assert_eq!(shop.read("b.ts"), "h(3);\n", "a pair after --apply is a pair");
}
