//! A program outside the repository, taken from `docs/sdk.md`, built with nothing but a path to this crate, and run.

use std::{fs, path::Path, time::Duration};

use toolsmith_host::exec::{Outcome, Request, run};
use toolsmith_testkit::Project;
use toolsmith_tool::CancelToken;

/// The path in the guide that stands for where the repository was cloned.
const CLONE: &str = "../toolsmith/crates/toolsmith";

/// The files of the guide: fenced blocks whose first line names a file after the language.
fn files() -> Vec<(String, String)> {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sdk.md")).unwrap();
    let mut lines = guide.lines();
    let mut files = Vec::new();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.strip_prefix("```").and_then(|info| info.split_once(' ')) else {
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        files.push((name.to_owned(), text.join("\n") + "\n"));
    }
    files
}

/// The profiles of the workspace: with the same ones, packages that were built with the tests are used again.
fn profiles() -> String {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml")).unwrap();
    manifest.find("[profile.").map(|at| manifest[at..].to_owned()).unwrap_or_default()
}

async fn finish(mut request: Request) -> Outcome {
    // What cargo says about the package of this test is not about the program's.
    for (name, _) in std::env::vars() {
        let foreign = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
        if foreign.iter().any(|prefix| name.starts_with(prefix)) {
            request.env.insert(name, None);
        }
    }
    let request = request.timeout(Duration::from_secs(1800));
    run(&request, &CancelToken::new(), |_| {}).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_outside_the_repository_embeds_a_session_in_under_forty_lines() {
    let project = Project::new(&[]);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    for (name, text) in files() {
        let text = match name.as_str() {
            "Cargo.toml" => {
                assert!(text.contains(CLONE));
                text.replace(CLONE, here.to_str().unwrap()) + "\n" + &profiles()
            }
            "src/main.rs" => {
                assert!(text.lines().count() < 40, "{} lines", text.lines().count());
                text
            }
            _ => text,
        };
        project.write(&name, &text);
        names.push(name);
    }
    assert_eq!(names, ["Cargo.toml", "shout.ts", "src/main.rs"]);
    // The versions of the repository, which are downloaded already.
    fs::copy(here.join("../../Cargo.lock"), project.path("Cargo.lock")).unwrap();

    // This test is `TARGET/PROFILE/deps/it-HASH`.
    let program = std::env::current_exe().unwrap();
    let built = program.parent().unwrap().parent().unwrap();
    let mut build = Request::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        .args(["build", "--offline", "--quiet"])
        .cwd(&project.root)
        .env("CARGO_TARGET_DIR", built.parent().unwrap().to_str().unwrap());
    if built.ends_with("release") {
        build.args.push("--release".to_owned());
    }
    let outcome = finish(build).await;
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());

    let oak = Request::new(built.join("oak").to_str().unwrap()).cwd(&project.root);
    let outcome = finish(oak.env("HOME", project.root.to_str().unwrap())).await;
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    assert_eq!(outcome.stdout.text().trim_end(), "Both tools answered: THE ANSWER!");
}
