//! The programs in `examples/sdk`: each is run, and what it prints is compared.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

/// Each program, and lines it prints, in this order.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("01-minimal", &["You said: Good morning", "completed: true, turns: 1"]),
    ("02-rust-tool", &["schema: {\"type\":\"object\",\"properties\":{\"celsius\":", "It is 70.7 °F."]),
    ("03-js-tool", &["tool: csv_summary (Read): ", "In the file:", "3 rows, 2 columns"]),
    (
        "04-events",
        &[
            "text    \"Going \"",
            "start   climb {\"steps\":2}",
            "update  on step 2",
            "end     at the top",
            "done    Completed",
        ],
    ),
    (
        "05-approval",
        &[
            "asked: deploy {\"to\":\"production\"} (tier Exec)",
            "asked: deploy {\"to\":\"staging\"}",
            "model was told: Tool call denied by user: deploy",
            "only staging before noon",
            "model was told: deployed to staging",
        ],
    ),
    (
        "06-preview-apply",
        &[
            "staged by ast_edit: ",
            "-console.log(\"hello\");",
            "+logger.info(\"hello\");",
            "on disk: Some(\"console.log(\\\"hello\\\");\")",
            "Applied 2 replacements in 1 file.",
            "on disk: Some(\"logger.info(\\\"hello\\\");\")",
            "undone:  Some(\"console.log(\\\"hello\\\");\")",
        ],
    ),
    (
        "07-resume",
        &[
            "the same conversation: true",
            "you   My favourite tree is the oak.",
            "model Noted.",
            "model The oak, you said.",
        ],
    ),
    ("08-own-provider", &["1 messages, ", "3 messages, "]),
    (
        "09-answers",
        &[
            "headless: undefined: false",
            "select  Which part? [\"major\", \"minor\", \"patch\"]",
            "notify  releasing",
            "answered: patch: true",
        ],
    ),
    (
        "10-parallel",
        &[
            "start count {}",
            "told  Ada met the others",
            "told  Alan met the others",
            "told  Grace met the others",
            "told  counted when all had met",
        ],
    ),
    (
        "11-limits",
        &[
            "endless: Timed out: ",
            "greedy: The tool exceeded its memory limit of 32 MB",
            "fine: still here",
            "the run: Stopped after 3 turns",
        ],
    ),
    (
        "12-without-a-model",
        &[
            "json_query: Answered, repaired: false",
            "add: Answered, repaired: true",
            "  42",
            "add: InvalidArguments, repaired: false",
            "ad: UnknownTool, repaired: false",
            "  Tool ad not found. Did you mean add?",
        ],
    ),
];

#[test]
fn every_program_is_declared_and_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sdk");
    let there: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let run: BTreeSet<String> = PROGRAMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(there, run);
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    for name in run {
        assert!(
            manifest.contains(&format!("name = \"{name}\"\npath = \"../../examples/sdk/{name}.rs\"")),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_program_prints_what_it_should() {
    // Cargo builds examples with the tests, beside the folder of the test programs; with `--test it` alone it does not.
    let here = std::env::current_exe().unwrap();
    let programs = here.parent().unwrap().parent().unwrap().join("examples");
    let home = tempfile::tempdir().unwrap();
    for (name, lines) in PROGRAMS {
        let mut request = Request::new(programs.join(name).to_str().unwrap())
            .env("HOME", home.path().to_str().unwrap())
            .timeout(Duration::from_secs(120));
        request.cwd = Some(home.path().to_path_buf());
        let outcome = run(&request, &CancelToken::new(), |_| {}).await;
        let outcome =
            outcome.unwrap_or_else(|error| panic!("{error}; `cargo test -p toolsmith` builds the examples"));
        let printed = outcome.stdout.text();
        assert_eq!(outcome.code, 0, "{name}: {printed}\n{}", outcome.stderr.text());
        let mut rest = printed.lines();
        for line in *lines {
            assert!(
                rest.any(|printed| printed.starts_with(line)),
                "{name} prints {line:?} there:\n{printed}"
            );
        }
    }
}
