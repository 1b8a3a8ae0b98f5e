//! `toolsmith dev`: a real process, real files, real signals.

use std::{fs, time::Duration};

use insta::assert_snapshot;
use serde_json::Value;
use tokio::time::timeout;
use toolsmith_host::exec::{OutputPipe, Process, spawn};

use crate::{place::Place, pty::Terminal, workshop::Workshop};

/// Nothing here takes a fraction of it; a test that would hang fails instead.
const TOO_LONG: Duration = Duration::from_secs(120);

/// A `dev` that runs.
struct Dev {
    process: Process,
    stdout: OutputPipe,
    seen: String,
}

impl Dev {
    fn start(shop: &Workshop, arguments: &[&str]) -> Self {
        let mut all = vec!["dev"];
        all.extend(arguments);
        let mut process = spawn(&shop.toolsmith(&all)).unwrap();
        let stdout = process.stdout.take().unwrap();
        Self { process, stdout, seen: String::new() }
    }

    /// Reads on until this was printed; gives what was printed up to there.
    async fn until(&mut self, part: &str) -> String {
        let reading = async {
            loop {
                if let Some(at) = self.seen.find(part) {
                    let rest = self.seen.split_off(at + part.len());
                    return std::mem::replace(&mut self.seen, rest);
                }
                let mut buffer = [0; 4096];
                let count = self.stdout.read(&mut buffer).await.unwrap();
                assert!(count > 0, "it ended without {part:?}: {}", self.seen);
                self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        };
        timeout(TOO_LONG, reading).await.unwrap_or_else(|_| panic!("{part:?} does not come"))
    }

    /// A whole round.
    async fn round(&mut self) -> String {
        self.until("Ctrl-C ends.\n").await
    }

    /// Presses Ctrl-C and waits for the end.
    async fn interrupt(mut self) -> i32 {
        self.process.signal(libc::SIGINT);
        timeout(TOO_LONG, self.process.wait()).await.unwrap().code
    }
}

fn tool(greeting: &str) -> String {
    format!(
        "import {{ mark }} from \"./mark.ts\";\nexport default () => ({{ name: \"greet\",\n\
         description: \"Greets somebody, for tests of dev\",\n\
         parameters: {{ type: \"object\", required: [\"name\"], properties: {{ name: {{ type: \"string\", description: \"Who\" }} }} }},\n\
         async execute(_id: string, params: {{ name: string }}) {{\n\
         return {{ content: [{{ type: \"text\", text: `{greeting}, ${{params.name}}${{mark}}` }}] }}; }} }});\n"
    )
}

/// A tool whose result is another one each time.
const DICE: &str = r#"export default () => ({ name: "dice", description: "Throws dice, for tests of dev",
  parameters: { type: "object", properties: {} },
  async execute() { return { content: [{ type: "text", text: `${Math.random()} at ${Date.now()}` }] }; } });
"#;

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("greet.ts", tool("Hello"));
    shop.write("mark.ts", "export const mark = \"!\";\n");
    shop
}

#[tokio::test]
async fn each_change_of_the_module_or_what_it_imports_is_a_round() {
    let shop = shop();
    let mut dev = Dev::start(&shop, &["greet.ts", "name=Ann"]);
    let mut all = dev.round().await;
    shop.write("greet.ts", tool("Good day"));
    all += &dev.round().await;
    shop.write("mark.ts", "export const mark = \"?\";\n");
    all += &dev.round().await;
    assert_snapshot!("dev", shop.neutral(&all));
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn a_round_has_colours_when_they_are_asked_for() {
    let shop = shop();
    let mut dev = Dev::start(&shop, &["--color", "always", "greet.ts", "name=Ann"]);
    assert_snapshot!("dev-colour", shop.neutral(&dev.until("Ctrl-C ends.").await));
    assert_eq!(dev.interrupt().await, 0);
}

#[test]
fn on_a_terminal_each_round_has_a_clean_screen() {
    let shop = shop();
    let mut terminal = Terminal::start(shop.place(), &["dev", "greet.ts", "name=Ann"]);
    terminal.wait_for("\x1b[2J");
    terminal.wait_for("Hello, Ann!");
    terminal.wait_for("Ctrl-C ends.");
    shop.write("greet.ts", tool("Good day"));
    terminal.wait_for("\x1b[2J");
    terminal.wait_for("Good day, Ann!");
    terminal.wait_for("Ctrl-C ends.");
    terminal.type_line("\x03");
    let (_, code) = terminal.finish();
    assert_eq!(code, 0);
}

#[test]
fn r_and_enter_save_the_call_as_a_case_that_passes() {
    let shop = Workshop::new();
    shop.write("dice.ts", DICE);
    let mut terminal = Terminal::start(shop.place(), &["dev", "dice.ts"]);
    terminal.wait_for("Ctrl-C ends.");
    terminal.type_line("r");
    terminal.wait_for("dice.recorded-1.case.json");
    terminal.type_line("r");
    terminal.wait_for("dice.recorded-2.case.json");
    terminal.type_line("\x03");
    let (said, code) = terminal.finish();
    assert_eq!(code, 0, "{said}");
    let case = fs::read_to_string(shop.work.join("dice.recorded-1.case.json")).unwrap();
    let case: Value = serde_json::from_str(&case).unwrap();
    assert!(case["recording"].is_object(), "{case:#}");
    // The dice fall differently each time, but not in a case with a recording.
    let mut terminal = Terminal::start(shop.place(), &["test", "dice.ts"]);
    terminal.wait_for("passed");
    let (said, code) = terminal.finish();
    assert_eq!(code, 0, "{said}");
}

#[tokio::test]
async fn an_editor_that_renames_is_seen() {
    let shop = shop();
    let mut dev = Dev::start(&shop, &["greet.ts", "name=Ann"]);
    dev.round().await;
    for greeting in ["Once", "Twice"] {
        let beside = shop.write(".greet.ts.swp", tool(greeting));
        fs::rename(beside, shop.work.join("greet.ts")).unwrap();
        assert!(dev.round().await.contains(&format!("{greeting}, Ann!")));
    }
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn mistakes_are_shown_and_the_watch_goes_on() {
    let shop = shop();
    shop.write("greet.ts", "export default (");
    let mut dev = Dev::start(&shop, &["greet.ts", "name=Ann"]);
    assert!(dev.round().await.contains("error[load-error]:"), "it begins with a mistake");
    shop.write("greet.ts", tool("Hello"));
    assert!(dev.round().await.contains("Hello, Ann!"));
    shop.write("mark.ts", "export const mark = ;\n");
    let broken = dev.round().await;
    assert!(broken.contains("mark.ts:1:") && !broken.contains("answered"), "{broken}");
    shop.write("mark.ts", "throw new Error(\"at import\"); export const mark = 1;\n");
    assert!(dev.round().await.contains("at import"));
    shop.write("mark.ts", "export const mark = \".\";\n");
    assert!(dev.round().await.contains("Hello, Ann."));
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn a_file_that_goes_and_comes_again_is_loaded_again() {
    let shop = shop();
    let mut dev = Dev::start(&shop, &["greet.ts", "name=Ann"]);
    dev.round().await;
    fs::remove_file(shop.work.join("greet.ts")).unwrap();
    assert!(dev.round().await.contains("error[load-error]:"));
    shop.write("greet.ts", tool("Back"));
    assert!(dev.round().await.contains("Back, Ann!"));
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn a_change_stops_the_call_that_runs() {
    let shop = Workshop::new();
    let with = |body: &str| {
        format!(
            "export default () => ({{ name: \"slow\", description: \"Takes its time, for tests of dev\",\n\
             parameters: {{ type: \"object\", properties: {{}} }}, async execute() {{ {body} }} }});\n"
        )
    };
    shop.write("slow.js", with("for (;;) {}"));
    let mut dev = Dev::start(&shop, &["slow.js"]);
    dev.until("slow.js\n").await;
    shop.write("slow.js", with("return { content: [{ type: \"text\", text: \"quick now\" }] };"));
    assert!(dev.until("quick now").await.contains("stopped: its files changed"));
    shop.write("slow.js", with("await new Promise(() => {});"));
    dev.until("changed: slow.js\n").await;
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn a_tool_is_found_by_its_name_and_shown_as_json() {
    let shop = Workshop::new();
    shop.run(&["new", "hello"]).await.expect(0);
    let mut dev = Dev::start(&shop, &["hello", "--json", "--args", "{\"name\": \"World\"}"]);
    let line: Value = serde_json::from_str(&dev.until("\n").await).unwrap();
    assert_eq!(line["round"], 1);
    assert_eq!(line["findings"], serde_json::json!([]));
    assert_eq!(line["call"]["result"]["content"][0]["text"], "Hello, World!");
    assert_eq!(dev.interrupt().await, 0);
}

#[tokio::test]
async fn what_is_not_there_or_not_trusted_is_an_error() {
    let shop = Workshop::new();
    shop.run(&["new", "hello"]).await.expect(0);
    let unknown = shop.run(&["dev", "helo"]).await.expect(2).stderr;
    assert!(unknown.contains("Did you mean \"hello\"?"), "{unknown}");
    shop.write(".toolsmith/tools/theirs.js", "throw new Error('it ran')");
    let waiting = shop.run(&["dev", "theirs"]).await.expect(1).stderr;
    assert!(waiting.contains("is waiting for trust"), "{waiting}");
}

#[tokio::test]
async fn c2_8_a_module_that_lost_its_trust_is_not_loaded_again() {
    let shop = Workshop::new();
    let module = |name: &str| {
        format!(
            "import {{ writeFileSync }} from \"node:fs\";\nwriteFileSync(\"{name}\", \"\");\n\
             export default () => ({{ name: \"theirs\", description: \"Leaves a file when it is loaded\",\n\
             parameters: {{ type: \"object\", properties: {{}} }},\n\
             execute: async () => ({{ content: [{{ type: \"text\", text: \"{name} ran\" }}] }}) }});\n"
        )
    };
    shop.write(".toolsmith/tools/theirs.ts", module("first"));
    shop.run(&["trust"]).await.expect(0);
    let mut dev = Dev::start(&shop, &["theirs"]);
    assert!(dev.round().await.contains("first ran"));
    // The change of the list is a round too, in which nothing runs.
    shop.run(&["trust", "--remove"]).await.expect(0);
    let round = dev.round().await;
    assert!(!round.contains("ran"), "{round}");
    shop.write(".toolsmith/tools/theirs.ts", module("second"));
    let round = dev.round().await;
    assert!(!round.contains("ran") && !shop.work.join("second").exists(), "{round}");
    shop.run(&["trust"]).await.expect(0);
    assert!(dev.round().await.contains("second ran"));
    assert_eq!(dev.interrupt().await, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn c2_8_a_module_that_became_a_link_out_of_the_project_is_not_loaded() {
    let shop = Workshop::new();
    let outside = shop.home.join("outside.ts");
    fs::create_dir_all(&shop.home).unwrap();
    fs::write(&outside, "throw new Error('it ran')").unwrap();
    shop.write(".toolsmith/tools/theirs.ts", DICE);
    shop.run(&["trust"]).await.expect(0);
    let mut dev = Dev::start(&shop, &["theirs"]);
    dev.round().await;
    let module = shop.work.join(".toolsmith/tools/theirs.ts");
    fs::remove_file(&module).unwrap();
    dev.round().await;
    std::os::unix::fs::symlink(&outside, &module).unwrap();
    let round = dev.round().await;
    assert!(!round.contains("it ran"), "{round}");
    assert_eq!(dev.interrupt().await, 0);
}

#[test]
fn c4_5_an_error_of_a_call_has_its_place_and_a_code_frame() {
    let place = Place::new(&[]);
    place.write(
        "project/t.ts",
        "export default () => ({ name: \"t\", description: \"d\", parameters: { type: \"object\", properties: {} },\n  async execute() {\n    throw new TypeError(\"it broke\");\n  } });",
    );
    let mut terminal = Terminal::start(&place, &["dev", "./t.ts", "--color", "never"]);
    terminal.wait_for("it broke");
    terminal.wait_for("at t.ts:3:15");
    terminal.wait_for("> 3 |     throw new TypeError");
    terminal.wait_for("Ctrl-C ends.");
    terminal.type_keys("\x03");
    assert_eq!(terminal.finish().1, 0);
}
