//! The complete tool at the beginning of `docs/api.md`: written down from the page alone, it is checked, called, drawn,
//! previewed, and its state comes back from the session.

use std::{fs, path::Path};

use crate::{compiler, place::Place, pty::Terminal, workshop::Workshop};

/// The code of the page, as a reader would copy it.
fn worked_example() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let page = fs::read_to_string(page).unwrap();
    let section = page.split("## A complete tool").nth(1).unwrap();
    section.split("```ts\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

const MODULE: &str = "project/.toolsmith/tools/expenses.ts";

fn place() -> Place {
    let place = Place::trusted(&[(MODULE, &worked_example())]);
    place.write(
        "first.json",
        r#"[
            { "reply": [{ "call": "expenses", "arguments": { "action": "add", "text": "Train", "amount": 1234.5, "date": "2026-11-17", "locale": "de-DE" } }] },
            { "expect": { "lastToolResultContains": "17.11.2026  Train  1.234,50" }, "reply": "Recorded." }
        ]"#,
    );
    place.write(
        "second.json",
        r#"[
            { "reply": [{ "call": "expenses", "arguments": { "action": "add", "text": "Hotel", "amount": 80, "date": "2026-11-16", "locale": "de-DE" } }] },
            { "expect": { "lastToolResultContains": "1.314,50" }, "reply": [{ "call": "expenses", "arguments": { "action": "export", "locale": "de-DE" } }] },
            { "reply": [{ "call": "resolve", "arguments": { "action": "apply", "reason": "asked for" } }] },
            "Exported."
        ]"#,
    );
    place
}

fn script(place: &Place, name: &str) -> String {
    format!("script:{}", place.path(name).display())
}

#[tokio::test]
async fn the_tool_of_the_reference_keeps_its_state_in_the_session_and_writes_after_a_preview() {
    let place = place();
    let first = place.run(&["--model", &script(&place, "first.json"), "-p", "record it"]).await;
    assert_eq!((first.code, first.stdout.as_str()), (0, "Recorded.\n"), "{first:#?}");
    // Another process: what the first one recorded comes from the session.
    let second =
        place.run(&["--model", &script(&place, "second.json"), "-p", "and export", "--continue"]).await;
    assert_eq!((second.code, second.stdout.as_str()), (0, "Exported.\n"), "{second:#?}");
    let written = fs::read_to_string(place.path("project/expenses.md")).unwrap();
    assert!(written.contains("| 16.11.2026 | Hotel | 80,00\u{a0}€ |\n| 17.11.2026 | Train |"), "{written}");
    let undone = place.run(&["undo"]).await;
    assert!(undone.code == 0 && !place.path("project/expenses.md").exists(), "{undone:#?}");
}

#[test]
fn the_tool_of_the_reference_draws_its_call_and_its_table() {
    let place = place();
    let arguments = ["action=add", "text=Zug", "amount=1234.5", "date=2026-11-17", "locale=de-DE"];
    let terminal = Terminal::start(&place, &[&["call", "expenses"], &arguments[..]].concat());
    let (seen, code) = terminal.finish();
    assert_eq!(code, 0, "{seen}");
    for part in ["Expenses add", "Zug 1.234,5", "17.11.2026  Zug  1.234,50\u{a0}€", "Σ 1"] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    let mut terminal = Terminal::start(&place, &["call", "expenses", "action=export"]);
    terminal.wait_for("Write 0 expenses to expenses.md");
    terminal.wait_for("Apply it?");
    terminal.answer("y");
    assert_eq!(terminal.finish().1, 0);
    assert!(place.path("project/expenses.md").exists());
}

#[tokio::test]
async fn the_tool_of_the_reference_and_new_tools_pass_every_check() {
    let Some(programs) = compiler::programs().await else { return };
    let shop = Workshop::new().with_programs(programs);
    shop.run(&["new", "hello"]).await.expect(0);
    shop.run(&["new", "hello_typebox", "--typebox"]).await.expect(0);
    shop.write("expenses.ts", worked_example());
    for module in
        ["expenses.ts", ".toolsmith/tools/hello/index.ts", ".toolsmith/tools/hello_typebox/index.ts"]
    {
        assert!(shop.read(module).contains("from \"toolsmith\"") && !shop.read(module).contains("oh-my-pi"));
        let said = shop.run(&["check", "--strict", module]).await.expect(0);
        assert!(said.stdout.contains("0 errors, 0 warnings, 0 hints"), "{said:#?}");
    }
}
