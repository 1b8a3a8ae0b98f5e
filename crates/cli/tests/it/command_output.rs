//! What each command prints: plain, in colour, and for machines.

use crate::place::{BROKEN, HELLO, Place, STAGE, Said};

/// Compares what a command printed with the snapshot of this name.
fn check(place: &Place, name: &str, said: &Said) {
    let (stdout, stderr) = (clean(place, &said.stdout), clean(place, &said.stderr));
    let text = format!("exit {}\n--- standard output\n{stdout}--- standard error\n{stderr}", said.code);
    insta::assert_snapshot!(name, text);
}

/// Takes out what differs from run to run: the folder, times, and the widths that follow from both.
fn clean(place: &Place, text: &str) -> String {
    let text = text.replace(&place.root.display().to_string(), "ROOT");
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        if let Some(at) = line.find(" ms") {
            let start = line[..at].rfind(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(0, |at| at + 1);
            line.replace_range(start..at, "#");
        }
        for varying in ["loadMs", "wallUs", "cpuUs", "peakMemoryBytes"] {
            let field = format!("\"{varying}\": ");
            if let Some((name, _)) = line.split_once(&field) {
                line = format!("{name}{field}0,");
            }
        }
        // How wide the column of times is depends on them.
        let is_timed = line.contains("# ms") || line.contains("LOAD");
        lines.push(if is_timed { collapse(&line) } else { line });
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Makes two spaces of more than two, behind the beginning of a line.
fn collapse(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let (indent, mut rest) = (line[..indent].to_owned(), line[indent..].to_owned());
    while rest.contains("   ") {
        rest = rest.replace("   ", "  ");
    }
    indent + &rest
}

/// Runs a command three times: piped, with colours, and as JSON.
async fn three_ways(place: &Place, name: &str, args: &[&str]) {
    let with = |flags: &[&'static str]| [args, flags].concat();
    check(place, &format!("{name}.plain"), &place.run(args).await);
    check(place, &format!("{name}.color"), &place.run(&with(&["--color", "always"])).await);
    check(place, &format!("{name}.json"), &place.run(&with(&["--json"])).await);
}

const CLASH: &str = "export default () => ({ name: 'hello', description: '', parameters: { type: 'object', properties: {} }, execute() {} });\n";

#[tokio::test]
async fn list() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/stage/index.ts", STAGE),
        ("project/.toolsmith/tools/broken.ts", BROKEN),
        ("project/.toolsmith/tools/about.md", "# About\n"),
        ("project/.toolsmith/rules/kind.md", "Be kind.\n"),
        ("project/.toolsmith/rules/bad.md", "---\ncondition: '('\n---\nx\n"),
        ("home/.omp/agent/rules/no-foo.md", "---\ncondition: foo\n---\nNo foo.\n"),
        ("home/.claude/tools/clash.ts", CLASH),
        ("home/.codex/tools/off.ts", &CLASH.replace("hello", "off")),
        ("home/.toolsmith/config.toml", "tools.disabled = [\"off\"]\nmodle = \"x\"\n"),
    ]);
    three_ways(&place, "list", &["list"]).await;
}

#[tokio::test]
async fn list_of_an_untrusted_project() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/config.toml", "approval.mode = \"yolo\"\n"),
    ]);
    three_ways(&place, "list-waiting", &["list"]).await;
}

#[tokio::test]
async fn list_of_nothing() {
    three_ways(&Place::new(&[]), "list-empty", &["list"]).await;
}

#[tokio::test]
async fn config() {
    let place = Place::new(&[
        (
            "home/.toolsmith/config.toml",
            "model = \"some/model\"\n[tools.hello]\ntimeout = \"3s\"\n[limits]\nmemroy = 3\n\
             [providers.ollama.models.\"qwen3:4b\"]\ncontext_window = 32768\nprice.input = 0.5\nimges = true\n",
        ),
        ("project/.toolsmith/config.toml", "approval.mode = \"yolo\"\noutput.max_lines = 100\n"),
    ]);
    three_ways(&place, "config", &["config", "--set", "limits.load=3s"]).await;
    check(&place, "config-one", &place.run(&["config", "limits"]).await);
    check(&place, "config-keys", &place.run(&["config", "--keys"]).await);
    check(&place, "config-unknown", &place.run(&["config", "modle"]).await);
}

#[tokio::test]
async fn trust() {
    let place = Place::new(&[("project/tool.ts", ""), ("project/gone/x", "")]);
    three_ways(&place, "trust-none", &["trust", "--list"]).await;
    three_ways(&place, "trust", &["trust"]).await;
    place.run(&["trust", "tool.ts"]).await;
    place.run(&["trust", "gone"]).await;
    std::fs::remove_dir_all(place.path("project/gone")).unwrap();
    three_ways(&place, "trust-list", &["trust", "--list"]).await;
    check(&place, "trust-remove", &place.run(&["trust", "--remove", "gone"]).await);
    check(&place, "trust-remove-inner", &place.run(&["trust", "--remove", "tool.ts"]).await);
    check(&place, "trust-remove-again", &place.run(&["trust", "--remove", "tool.ts", "--json"]).await);
}

/// Settings under which no server of this machine is found: nothing listens on the first port.
fn nobody_near() -> String {
    ["ollama", "lmstudio", "\"llama.cpp\"", "vllm"]
        .map(|name| format!("[providers.{name}]\nbase_url = \"http://127.0.0.1:1\"\n"))
        .concat()
}

#[tokio::test]
async fn doctor() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/config.toml", "not toml\n"),
        ("home/.toolsmith/agent/tools/x.ts", ""),
        ("home/.toolsmith/config.toml", &nobody_near()),
    ]);
    place.program("bun", "#!/bin/sh\necho 9.9.9\n");
    three_ways(&place, "doctor", &["doctor"]).await;
}

#[tokio::test]
async fn call() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/stage.ts", STAGE),
    ]);
    three_ways(&place, "call", &["call", "hello", "name=World", "times=2", "tags=a", "tags=b"]).await;
    three_ways(&place, "call-missing", &["call", "hello", "times=2"]).await;
    three_ways(&place, "call-invalid", &["call", "hello", "name=x", "times=often"]).await;
    three_ways(&place, "call-undecided", &["call", "stage"]).await;
    three_ways(&place, "call-apply", &["call", "stage", "--apply"]).await;
    three_ways(&place, "call-discard", &["call", "stage", "--discard"]).await;
}

#[tokio::test]
async fn help() {
    let place = Place::new(&[]);
    check(&place, "call-help", &place.run(&["call", "--help"]).await);
}

#[tokio::test]
async fn completions_and_manual_pages_are_printed() {
    let place = Place::new(&[]);
    for (shell, part) in
        [("bash", "complete "), ("zsh", "#compdef toolsmith"), ("fish", "TOOLSMITH_COMPLETE=fish")]
    {
        let said = place.run(&["completions", shell]).await;
        assert_eq!(said.code, 0);
        assert!(said.stdout.contains(part), "{shell}");
    }
    let said = place.run(&["completions", "basic"]).await;
    assert_eq!(said.code, 2);
    let page = place.run(&["man"]).await;
    assert!(page.stdout.contains(".TH toolsmith 1"), "{}", page.stdout);
    let page = place.run(&["man", "call"]).await;
    assert!(page.stdout.contains(".TH toolsmith-call 1"), "{}", page.stdout);
    let said = place.run(&["man", "cal"]).await;
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("There are: call"), "{}", said.stderr);
}

#[tokio::test]
async fn colours_follow_the_environment() {
    let place = Place::new(&[]);
    let coloured = |said: &str| said.contains('\u{1b}');
    for (variable, flag, expected) in [
        (None, None, false),
        (Some(("CLICOLOR_FORCE", "1")), None, true),
        (Some(("NO_COLOR", "1")), Some("always"), true),
        (Some(("CLICOLOR_FORCE", "1")), Some("never"), false),
    ] {
        let mut args = vec!["config"];
        args.extend(flag.map(|_| "--color"));
        args.extend(flag);
        let mut request = place.request(&args);
        if let Some((name, value)) = variable {
            request = request.env(name, value);
        }
        let said = place.run_request(&request).await;
        assert_eq!(coloured(&said.stdout), expected, "{variable:?} {flag:?}");
    }
}
