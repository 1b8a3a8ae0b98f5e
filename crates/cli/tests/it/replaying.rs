//! `test --from`, `replay`, and recording in `dev`: calls of a session as cases, without model, network or programs.

use std::fs;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use toolsmith_host::exec::{self, Request};
use toolsmith_tool::CancelToken;

use crate::place::{Place, Said};

const CLOCK: &str = r#"import { readFileSync } from "node:fs";
export default (pi) => ({ name: "clock", description: "Reads everything", approval: "read",
  parameters: { type: "object", properties: {} },
  async execute() {
    const { stdout } = await pi.exec("sh", ["-c", "echo $$; touch ran"]);
    const text = [Date.now(), Math.random(), stdout.trim(), readFileSync(`${pi.cwd}/in.txt`, "utf8"), process.env.MY_API_TOKEN].join(" ");
    return { content: [{ type: "text", text }] };
  } });
"#;

const TURNS: &str = r#"[{"reply":[{"call":"clock"}]},{"reply":[{"call":"clock"}]},"Done."]"#;

async fn run(place: &Place, args: &[&str]) -> Said {
    run_with(place, args, &[]).await
}

/// Runs the program with the programs of the system, and more variables.
async fn run_with(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut request = place.request(args).env("PATH", std::env::var("PATH").unwrap());
    for (name, value) in variables {
        request = request.env(*name, *value);
    }
    place.run_request(&request).await
}

/// A project with a recorded session of two calls.
async fn recorded() -> Place {
    let place = Place::new(&[
        ("project/.toolsmith/tools/clock.ts", CLOCK),
        ("project/in.txt", "first"),
        ("project/turns.json", TURNS),
    ]);
    let said = run_with(
        &place,
        &["-p", "--trust", "--model", "script:turns.json", "--set", "tools.record=true", "go"],
        &[("MY_API_TOKEN", "t0ps3cret")],
    )
    .await;
    assert_eq!(said.code, 0, "{said:#?}");
    place
}

async fn session_id(place: &Place) -> String {
    let list = run(place, &["sessions", "--json"]).await.json();
    let list = list.as_array().or(list["sessions"].as_array()).unwrap().clone();
    list[0]["id"].as_str().unwrap().to_owned()
}

fn files_below(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => files_below(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_replayed_with_the_same_results_and_without_its_surroundings() {
    let place = recorded().await;
    let id = session_id(&place).await;
    fs::remove_file(place.root.join("project/ran")).unwrap();
    fs::write(place.root.join("project/in.txt"), "second").unwrap();
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert_eq!((said.code, said.stdout.contains("2 same, 0 differing")), (0, true), "{said:#?}");
    assert!(!place.root.join("project/ran").exists());
    let json = run(&place, &["replay", "--trust", "--json", &id, "--call", "2"]).await.json();
    assert_eq!(json["calls"][0]["status"], "same", "{json}");
    assert_eq!(json["calls"].as_array().unwrap().len(), 1);

    // A changed tool differs; one that asks for something else says what.
    fs::write(
        place.root.join("project/.toolsmith/tools/clock.ts"),
        CLOCK.replace("join(\" \")", "join(\"-\")"),
    )
    .unwrap();
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert_eq!((said.code, said.stdout.contains("2 differing")), (1, true), "{said:#?}");
    fs::write(place.root.join("project/.toolsmith/tools/clock.ts"), CLOCK.replace("in.txt", "other.txt"))
        .unwrap();
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("not in the recording") && said.stdout.contains("other.txt"), "{said:#?}");
}

/// Answers every request with the number of requests so far, until it is dropped.
fn counting_server() -> (String, tokio::task::JoinHandle<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    let serving = tokio::spawn(async move {
        let mut count = 0;
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read(&mut byte).await.unwrap_or(0) == 0 {
                    break;
                }
                request.push(byte[0]);
            }
            count += 1;
            let body = format!("answer {count}");
            let head = format!(
                "content-length: {}\r\nset-cookie: session=s3cr3tcookie\r\nconnection: close",
                body.len()
            );
            let answer = format!("HTTP/1.1 200 OK\r\nx-count: {count}\r\n{head}\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (url, serving)
}

#[tokio::test(flavor = "multi_thread")]
async fn http_exchanges_are_replayed_while_the_server_is_down() {
    let (url, serving) = counting_server();
    let tool = format!(
        r#"export default () => ({{ name: "ask", description: "Asks a server", approval: "read",
  parameters: {{ type: "object", properties: {{}} }},
  async execute() {{
    const one = await fetch("{url}/one?token=s3cr3tquery", {{ headers: {{ authorization: "Bearer s3cr3theader" }} }});
    const two = await fetch("{url}/two", {{ method: "POST", body: "question" }});
    const text = [one.status, one.headers.get("x-count"), await one.text(), two.ok, await two.text()].join(" ");
    return {{ content: [{{ type: "text", text }}] }};
  }} }});
"#
    );
    let place = Place::new(&[
        ("project/.toolsmith/tools/ask.ts", &tool),
        ("project/turns.json", r#"[{"reply":[{"call":"ask"}]},{"reply":[{"call":"ask"}]},"Done."]"#),
    ]);
    let said =
        run(&place, &["-p", "--trust", "--model", "script:turns.json", "--set", "tools.record=true", "go"])
            .await;
    assert_eq!(said.code, 0, "{said:#?}");
    serving.abort();
    assert!(serving.await.is_err_and(|error| error.is_cancelled()));
    let id = session_id(&place).await;
    let mut files = Vec::new();
    files_below(&place.root.join("home"), &mut files);
    let session = files.iter().find(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let session = fs::read_to_string(session.unwrap()).unwrap();
    assert!(
        session.contains("200 1 answer 1 true answer 2") && session.contains("200 3 answer 3 true answer 4")
    );
    for path in files.iter().filter(|path| path.to_string_lossy().ends_with(".recording.log")) {
        let text = fs::read_to_string(path).unwrap();
        for secret in ["s3cr3theader", "s3cr3tquery", "s3cr3tcookie"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert_eq!((said.code, said.stdout.contains("2 same, 0 differing")), (0, true), "{said:#?}");
    let said = run(&place, &["test", "--trust", "--from", &id]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = run(&place, &["test", "--trust"]).await;
    assert_eq!(said.code, 0, "the cases need no server: {said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_recording_contains_a_secret_of_the_environment() {
    let place = recorded().await;
    let mut files = Vec::new();
    files_below(&place.root.join("home"), &mut files);
    let recordings: Vec<_> =
        files.iter().filter(|path| path.to_string_lossy().ends_with(".recording.log")).collect();
    assert_eq!(recordings.len(), 2);
    for path in recordings {
        let text = fs::read_to_string(path).unwrap();
        assert!(!text.contains("t0ps3cret") && text.contains("<redacted>"), "{text}");
        assert!(!text.contains(place.root.to_str().unwrap()), "paths of the project are relative: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_become_cases_that_pass_anywhere() {
    let place = recorded().await;
    let id = session_id(&place).await;
    let said = run(&place, &["test", "--trust", "--from", &id]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let case = place.root.join(format!("project/.toolsmith/tools/clock.{}-2.case.json", &id[..8]));
    let text = fs::read_to_string(&case).unwrap();
    assert!(!text.contains("t0ps3cret"), "{text}");
    fs::remove_file(place.root.join("project/in.txt")).unwrap();
    let said = run(&place, &["test", "--trust"]).await;
    assert!(said.code == 0 && said.stdout.contains("2 passed, 0 failed"), "{said:#?}");
    // One call by its number; the file exists already.
    let said = run(&place, &["test", "--trust", "--from", &format!("{id}:1")]).await;
    assert!(said.code == 1 && said.stdout.contains("could not be created"), "{said:#?}");
    let said = run(&place, &["test", "--trust", "--from", &format!("{id}:9")]).await;
    assert_eq!(said.code, 2, "{said:#?}");

    // Edited, truncated, not UTF-8, and a link out of the project.
    let mut edited: Value = serde_json::from_str(&text).unwrap();
    edited["recording"]["exchanges"] = json!([]);
    for (bytes, problem) in [
        (edited.to_string().into_bytes(), "not in its recording"),
        (text.as_bytes()[..text.len() / 2].to_vec(), "not JSON"),
        (b"{\"args\": \"\xff\"}".to_vec(), "not UTF-8"),
        (b"{\"args\": {}, \"recording\": {\"exchanges\": 5}}".to_vec(), "not a case file"),
    ] {
        fs::write(&case, bytes).unwrap();
        let said = run(&place, &["test", "--trust"]).await;
        assert!(said.code == 1 && said.stdout.contains(problem), "{problem}: {said:#?}");
    }
    fs::remove_file(&case).unwrap();
    fs::write(place.root.join("outside.json"), &text).unwrap();
    std::os::unix::fs::symlink(place.root.join("outside.json"), &case).unwrap();
    let said = run(&place, &["test"]).await;
    assert!(said.stdout.contains("waiting for trust"), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_recordings_gives_plain_cases_and_is_not_run_again() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/clock.ts", CLOCK),
        ("project/in.txt", "first"),
        ("project/turns.json", TURNS),
    ]);
    run(&place, &["-p", "--trust", "--model", "script:turns.json", "go"]).await;
    fs::remove_file(place.root.join("project/ran")).unwrap();
    let id = session_id(&place).await;
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert!(said.code == 0 && said.stdout.contains("2 skipped"), "{said:#?}");
    let said = run(&place, &["test", "--trust", "--from", &id]).await;
    assert!(said.code == 0 && said.stdout.contains("without a recording"), "{said:#?}");
    assert!(!place.root.join("project/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_session_of_the_demo_is_replayed_bit_for_bit() {
    let demo =
        |name: &str| fs::read_to_string(format!("{}/demo/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let place = Place::new(&[
        ("project/notes/note 1.txt", "a"),
        ("project/notes/note 2.txt", "b"),
        ("project/notes/note 3.txt", "c"),
    ]);
    for name in ["batch_rename.ts", "endless.ts", "repo_stats.ts", "slow_count.ts"] {
        place.write(&format!("project/.toolsmith/tools/{name}"), &demo(name));
    }
    place.write("project/script.json", &demo("script.json"));
    for args in [&["init", "-q"][..], &["add", "notes"][..]] {
        let request = Request::new("git").args(args.iter().copied()).cwd(place.path("project"));
        let outcome = exec::run(&request, &CancelToken::new(), |_| {}).await.unwrap();
        assert_eq!(outcome.code, 0);
    }
    let said = run(
        &place,
        &[
            "-p",
            "--trust",
            "--no-tools",
            "--auto-approve",
            "--model",
            "script:script.json",
            "--set",
            "tools.record=true",
            "go",
        ],
    )
    .await;
    assert_eq!(said.code, 0, "{said:#?}");
    let id = session_id(&place).await;
    let json = run(&place, &["replay", "--trust", "--json", &id]).await.json();
    let statuses: Vec<(String, String)> = json["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (call["tool"].as_str().unwrap().to_owned(), call["status"].as_str().unwrap().to_owned()))
        .collect();
    let same =
        |tool: &str| statuses.iter().filter(|(name, _)| name == tool).all(|(_, status)| status == "same");
    assert!(["repo_stats", "slow_count", "endless", "batch_rename"].into_iter().all(same), "{json:#}");
    assert_eq!(statuses.iter().filter(|(_, status)| status == "same").count(), 6, "{json:#}");
}

/// A session file may come from elsewhere: its id must not become part of a path, and its names must not start new lines.
#[tokio::test(flavor = "multi_thread")]
async fn names_of_a_foreign_session_stay_names() {
    let place = recorded().await;
    let mut files = Vec::new();
    files_below(&place.root.join("home/.toolsmith/sessions"), &mut files);
    let own = files.iter().find(|file| file.extension().is_some_and(|end| end == "jsonl")).unwrap();
    let id = session_id(&place).await;
    fs::create_dir_all(place.root.join("project/.toolsmith/tools/clock.")).unwrap();
    let text = fs::read_to_string(own).unwrap();
    fs::write(place.root.join("project/a.jsonl"), text.replace(&id, "/../../x")).unwrap();
    let said = run(&place, &["test", "--trust", "--from", "./a.jsonl:1"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let folder = place.root.join("project/.toolsmith");
    assert!(folder.join("tools/clock.x-1.case.json").exists(), "{said:#?}");
    assert!(!folder.join("x-1.case.json").exists() && !place.root.join("project/x-1.case.json").exists());

    let forged = text.replace("\"name\":\"clock\"", r#""name":"no\nsame     9 de\u202eploy""#);
    assert_ne!(forged, text);
    fs::write(place.root.join("project/b.jsonl"), forged).unwrap();
    let said = run(&place, &["replay", "--trust", "./b.jsonl"]).await;
    assert!(!said.stdout.contains("\nsame"), "{said:#?}");
    assert!(said.stdout.contains(r"\u{202e}") && said.stdout.contains("2 skipped"), "{said:#?}");
}
