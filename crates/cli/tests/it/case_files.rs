//! `toolsmith test`.

use insta::assert_snapshot;
use serde_json::json;

use crate::workshop::Workshop;

/// A tool that does what its arguments say.
const TOOL: &str = r#"export default (pi) => ({
  name: "doer", description: "Does what it is told, for tests", parameters: { type: "object" },
  async execute(_id, { run, write, say, fail, update, stage }, onUpdate) {
    if (update) onUpdate({ content: [{ type: "text", text: update }] });
    if (fail) throw new Error(fail);
    if (stage) pi.pushPendingAction({ label: stage, apply: async () => ({ content: [] }) });
    const lines = [];
    for (const command of run ?? []) {
      try {
        const [program, ...args] = command;
        const { stdout, stderr, code } = await pi.exec(program, args);
        lines.push(`${code} ${stdout}${stderr}`.trim());
      } catch (error) {
        lines.push(`rejected: ${error.message}`);
      }
    }
    for (const [name, text] of Object.entries(write ?? {})) await pi.exec("tee", [name], { stdin: text });
    if (say) lines.push(say.replace("CWD", pi.cwd));
    return { content: [{ type: "text", text: lines.join("\n") }] };
  },
});
"#;

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("doer.js", TOOL);
    shop
}

#[tokio::test]
async fn cases_that_hold_and_cases_that_do_not_are_told_apart() {
    let shop = shop();
    shop.write(
        "doer.case.json",
        json!({ "about": "It speaks", "args": { "say": "yes" }, "expect": { "text": "yes" } }).to_string(),
    );
    let more = json!([
        { "about": "Lines differ", "args": { "say": "a\nb\nc" }, "expect": { "text": "a\nB\nc" } },
        { "about": "It fails as it should", "args": { "fail": "no" }, "expect": { "error": "no" } },
        { "about": "It fails and should not", "args": { "fail": "no" }, "expect": {} },
        { "about": "Nothing is expected", "args": { "say": "yes" } },
    ]);
    shop.write("doer.more.case.json", more.to_string());
    assert_snapshot!("test", shop.run(&["test", "doer.js"]).await.expect(1).stdout);
    assert_snapshot!(
        "test-colour",
        shop.run(&["test", "--color", "always", "doer.js"]).await.expect(1).stdout
    );
    assert_snapshot!("test.json", shop.run(&["test", "--json", "doer.js"]).await.expect(1).stdout);
}

#[tokio::test]
async fn update_writes_what_came_and_the_case_holds_then() {
    let shop = shop();
    let case = json!({ "about": "kept", "args": { "say": "in CWD/x", "update": "soon", "stage": "Later" }, "files": { "a": "1" } });
    shop.write("doer.case.json", case.to_string());
    shop.run(&["test", "doer.case.json"]).await.expect(1);
    shop.run(&["test", "--update", "doer.case.json"]).await.expect(0);
    assert_snapshot!("test-updated", shop.read("doer.case.json"));
    let before = shop.read("doer.case.json");
    shop.run(&["test", "--update", "doer.case.json"]).await.expect(0);
    assert_eq!(shop.read("doer.case.json"), before, "nothing to update, nothing written");
    shop.run(&["test", "doer.case.json"]).await.expect(0);
}

#[tokio::test]
async fn commands_are_answered_from_the_recording_and_not_run() {
    let shop = shop();
    let case = |exec: serde_json::Value| {
        json!({
            "args": { "run": [["no-such-program", "<cwd>"], ["touch", "ran"]] }, "exec": exec,
            "expect": { "text": "3 out <cwd>err\nrejected: not today", "files": {} },
        })
        .to_string()
    };
    let first = json!({ "command": "no-such-program", "args": ["<cwd>"], "stdout": "out <cwd>", "stderr": "err", "code": 3 });
    let second = json!({ "command": "touch", "args": ["ran"], "error": "not today" });
    shop.write("doer.case.json", case(json!([second, first])));
    shop.run(&["test", "doer.case.json"]).await.expect(0);
    shop.write("doer.case.json", case(json!([first])));
    let missing = shop.run(&["test", "doer.case.json"]).await.expect(1).stdout;
    assert!(missing.contains("no recording for: touch ran"), "{missing}");
    shop.write("doer.case.json", case(json!([first, second, { "command": "never" }])));
    let unused = shop.run(&["test", "doer.case.json"]).await.expect(1).stdout;
    assert!(unused.contains("- never"), "{unused}");
    shop.run(&["test", "--update", "doer.case.json"]).await.expect(0);
    assert!(!shop.read("doer.case.json").contains("never"));
}

#[tokio::test]
async fn record_runs_commands_and_keeps_what_they_say() {
    let shop = shop();
    let case = json!({ "args": { "run": [["sh", "-c", "pwd; echo e >&2; exit 4"], ["no-such-program-here"]], "write": { "new.txt": "text" } } });
    shop.write("doer.case.json", case.to_string());
    shop.run(&["test", "--record", "doer.case.json"]).await.expect(0);
    let kept: serde_json::Value = serde_json::from_str(&shop.read("doer.case.json")).unwrap();
    assert_eq!(kept["exec"][0]["stdout"], "<cwd>\n");
    assert_eq!(kept["exec"][0]["code"], 4);
    assert!(kept["exec"][1]["error"].as_str().unwrap().contains("no-such-program-here"));
    assert_eq!(kept["expect"]["files"], json!({ "new.txt": "text" }));
    // Played back, nothing writes the file.
    let played = shop.run(&["test", "doer.case.json"]).await.expect(1).stdout;
    assert!(played.contains("file new.txt"), "{played}");
}

#[tokio::test]
async fn files_are_there_before_and_compared_after() {
    let shop = Workshop::new();
    shop.write(
        "index.js",
        "export default (pi) => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" },\n\
         async execute() { const { stdout } = await pi.exec(\"sh\", [\"-c\", \"cat deep/in; echo more >> deep/in; rm gone; echo x > made\"]);\n\
         return { content: [{ type: \"text\", text: stdout }] }; } });",
    );
    shop.write(
        "cases/one.json",
        json!({ "files": { "deep/in": "given\n", "gone": "", "same": "s" } }).to_string(),
    );
    shop.run(&["test", "--record", "."]).await.expect(0);
    let kept: serde_json::Value = serde_json::from_str(&shop.read("cases/one.json")).unwrap();
    assert_eq!(kept["expect"]["text"], "given\n");
    assert_eq!(kept["expect"]["files"], json!({ "deep/in": "given\nmore\n", "gone": null, "made": "x\n" }));
    for name in ["../out", "/out", ""] {
        shop.write("cases/one.json", json!({ "files": { name: "" }, "expect": {} }).to_string());
        let refused = shop.run(&["test", "."]).await.expect(1).stdout;
        assert!(refused.contains("must be a path below the case's directory"), "{refused}");
    }
}

#[tokio::test]
async fn files_that_are_no_cases_are_told_and_the_rest_runs() {
    let shop = shop();
    shop.write("doer.case.json", json!({ "args": { "say": "x" }, "expect": { "text": "x" } }).to_string());
    shop.write("doer.broken.case.json", "{ \"args\": ");
    shop.write("doer.binary.case.json", b"\xff\xfe");
    shop.write("doer.odd.case.json", json!({ "arguments": {} }).to_string());
    shop.write("doer.list.case.json", "[1]");
    shop.write("lost/none.case.json", json!({ "expect": {} }).to_string());
    shop.write(
        "lost/tool.case.json",
        json!({ "module": "../doer.js", "tool": "dooer", "expect": {} }).to_string(),
    );
    let told = shop.run(&["test", "."]).await.expect(1).stdout;
    assert_snapshot!("test-no-cases", told);
    assert!(told.ends_with("1 passed, 6 failed\n"), "{told}");
}

#[tokio::test]
async fn paths_that_lead_nowhere_are_errors() {
    let shop = shop();
    let missing = shop.run(&["test", "nowhere"]).await.expect(1).stderr;
    assert!(missing.contains("[WORK]/nowhere cannot be read"), "{missing}");
    shop.write("text.txt", "");
    let odd = shop.run(&["test", "text.txt"]).await.expect(1).stderr;
    assert!(odd.contains("neither a case file nor a module"), "{odd}");
    let none = shop.run(&["test"]).await.expect(1).stderr;
    assert!(none.contains("no cases found"), "{none}");
}

#[tokio::test]
async fn c2_8_cases_of_what_waits_for_trust_do_not_run() {
    let shop = Workshop::new();
    shop.run(&["new", "mine"]).await.expect(0);
    shop.write(".toolsmith/tools/theirs/index.js", "throw new Error('it ran')");
    shop.write(".toolsmith/tools/theirs/theirs.case.json", json!({ "expect": {} }).to_string());
    let told = shop.run(&["test"]).await.expect(1);
    assert!(told.stdout.ends_with("1 passed, 0 failed, 1 waiting for trust\n"), "{}", told.stdout);
    assert!(told.stdout.contains("`toolsmith trust`"), "{}", told.stdout);
}

#[tokio::test]
async fn update_does_not_write_through_a_link() {
    let shop = shop();
    let case = json!({ "args": { "say": "x" } }).to_string();
    let target = shop.write("precious.json", &case);
    let link = shop.write("doer.case.json", "");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let said = shop.run(&["test", "--update", "doer.case.json"]).await.expect(1);
    assert!(said.stdout.contains("symbolic link"), "{}", said.stdout);
    assert_eq!(shop.read("precious.json"), case);
}
