//! `test --from`, `replay`, and recording in `dev`: calls of a session as cases, without model, network or programs.

use std::fs;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

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
    files_below(&place.root.join("home/.toolsmith/sessions"), &mut files);
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
async fn c2_8_a_replay_of_calls_whose_module_waits_for_trust_fails() {
    let place = recorded().await;
    let id = session_id(&place).await;
    for more in [&[][..], &["--call", "1"]] {
        let said = run(&place, &[&["replay", &id], more].concat()).await;
        assert!(said.code == 1 && said.stdout.contains("waiting for trust"), "{said:#?}");
    }
    let said = run(&place, &["replay", "--json", &id]).await;
    assert_eq!((said.code, said.json()["calls"][0]["status"].as_str()), (1, Some("waiting")));
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

/// Each result is compared as JSON: content, details and the error flag.
#[tokio::test(flavor = "multi_thread")]
async fn the_session_of_the_demo_is_replayed_bit_for_bit() {
    let place = Place::new(&[("project/unrelated.txt", "")]);
    let report = run(&place, &["demo", "--keep", "tour", "--json"]).await.json();
    let session = report["session"].as_str().unwrap().to_owned();
    let has_git = report["calls"][0]["tool"] == "repo_stats";
    // Neither the model nor programs nor the files of the project are needed.
    let tour = place.root.join("project/tour");
    fs::remove_dir_all(tour.join("acorn")).unwrap();
    fs::create_dir(tour.join("acorn")).unwrap();
    let args = ["replay", "--json", "--cwd", "tour/acorn", "--tool", "../tools", session.as_str()];
    let replayed = |said: &Said| {
        let json = said.json();
        let calls = json["calls"].as_array().unwrap().iter();
        let all = calls
            .map(|call| format!("{} {}", call["tool"].as_str().unwrap(), call["status"].as_str().unwrap()));
        (all.collect::<Vec<_>>(), json)
    };
    let first = run_with(&place, &args, &[("PATH", "/nowhere")]).await;
    let second = run_with(&place, &args, &[("PATH", "/nowhere")]).await;
    assert_eq!((first.code, &first.stdout), (second.code, &second.stdout), "{first:#?}");
    let mut expected =
        vec!["slow_count same", "endless same", "endless same", "batch_rename same", "resolve skipped"];
    if has_git {
        expected.splice(0..0, ["repo_stats same", "repo_stats same"]);
    }
    let (statuses, json) = replayed(&first);
    assert_eq!(statuses, expected, "{json:#}");
    assert_eq!(first.code, 0);
    assert_eq!(fs::read_dir(tour.join("acorn")).unwrap().count(), 0, "a replay writes nothing");
}

/// Asks while it is loaded, counts its calls, and touches itself if told to, which reloads it.
const LOADED: &str = r#"import { appendFileSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
const seen = [Date.now(), Math.random(), process.env.MY_API_TOKEN, execFileSync("sh", ["-c", "echo $$; touch ran"]).toString().trim()];
const config = fetch("URL/config", { headers: { authorization: "Bearer s3cr3theader" } }).then((answer) => answer.text());
let calls = 0;
export default async (pi) => {
  const file = readFileSync(`${pi.cwd}/in.txt`, "utf8");
  const { stdout } = await pi.exec("sh", ["-c", "echo $$"]);
  return { name: "loaded", description: "Tells what it read", approval: () => (process.env.MY_API_TOKEN ? "read" : "exec"),
    parameters: { type: "object", properties: { touch: { type: "boolean" } } }, timeout: 1000,
    async execute(id, params) {
      calls += 1;
      if (params.touch) appendFileSync(`${pi.cwd}/.toolsmith/tools/loaded.ts`, "//\n");
      const text = [...seen, file, stdout.trim(), await config, calls].join(" ");
      return { content: [{ type: "text", text }], details: { seen, calls } };
    } };
};
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_module_reads_while_it_loads_is_replayed_also_after_a_reload() {
    let (url, serving) = counting_server();
    let turns = r#"[{"reply":[{"call":"loaded"}]},{"reply":[{"call":"loaded","arguments":{"touch":true}}]},
      {"reply":[{"call":"loaded"}]},"Done."]"#;
    let place = Place::new(&[
        ("project/.toolsmith/tools/loaded.ts", &LOADED.replace("URL", &url)),
        ("project/in.txt", "first"),
        ("project/turns.json", turns),
    ]);
    let args = ["-p", "--trust", "--model", "script:turns.json", "--set", "tools.record=true", "go"];
    // Shells set `PWD`, which is not a password.
    let cwd = place.root.join("project").to_string_lossy().into_owned();
    let said = run_with(&place, &args, &[("MY_API_TOKEN", "t0ps3cret"), ("PWD", &cwd)]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    serving.abort();
    assert!(serving.await.is_err_and(|error| error.is_cancelled()));
    for name in ["in.txt", "ran"] {
        fs::remove_file(place.root.join("project").join(name)).unwrap();
    }
    let mut files = Vec::new();
    files_below(&place.root.join("home"), &mut files);
    let loads: Vec<_> =
        files.iter().filter(|path| path.to_string_lossy().ends_with(".load-recording.log")).collect();
    assert_eq!(loads.len(), 2, "one for each instance: {files:?}");
    for path in files.iter().filter(|path| path.to_string_lossy().ends_with("recording.log")) {
        let text = fs::read_to_string(path).unwrap();
        for secret in ["t0ps3cret", "s3cr3theader", "s3cr3tcookie"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    let id = session_id(&place).await;
    for _ in 0..2 {
        let said = run(&place, &["replay", "--trust", &id]).await;
        assert_eq!((said.code, said.stdout.contains("3 same, 0 differing")), (0, true), "{said:#?}");
    }
    // As a case, each call is the first of its instance.
    let said = run(&place, &["test", "--trust", "--from", &format!("{id}:1")]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = run(&place, &["test", "--trust"]).await;
    assert!(said.code == 0 && said.stdout.contains("1 passed"), "{said:#?}");
    assert!(!place.root.join("project/ran").exists());
    // A load that asks for something else says what.
    let path = place.root.join("project/.toolsmith/tools/loaded.ts");
    fs::write(&path, LOADED.replace("URL", &url).replace("in.txt", "other.txt")).unwrap();
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.stdout.contains("not in the recording") && said.stdout.contains("other.txt"), "{said:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_by_the_first_call_is_replayed_although_the_definition_was_cached() {
    let tool = "const id = Math.random();\nlet calls = 0;\n\
        export default () => ({ name: 'dice', description: 'Rolls', approval: 'read', parameters: { type: 'object', properties: {} },\n\
        execute: async () => ({ content: [{ type: 'text', text: `${id} ${++calls}` }] }) });";
    let place = Place::new(&[
        ("project/.toolsmith/tools/dice.ts", tool),
        ("project/turns.json", r#"[{"reply":[{"call":"dice"}]},{"reply":[{"call":"dice"}]},"Done."]"#),
    ]);
    // The first session caches the definition.
    for record in ["false", "true"] {
        let set = format!("tools.record={record}");
        let args = ["-p", "--trust", "--model", "script:turns.json", "--set", &set, "go"];
        let said = run(&place, &args).await;
        assert_eq!(said.code, 0, "{said:#?}");
    }
    let list = run(&place, &["sessions", "--json"]).await.json();
    let list = list.as_array().or(list["sessions"].as_array()).unwrap().clone();
    let mut same = 0;
    for session in &list {
        let said = run(&place, &["replay", "--trust", session["id"].as_str().unwrap()]).await;
        assert_eq!(said.code, 0, "{said:#?}");
        same += usize::from(said.stdout.contains("2 same"));
    }
    assert_eq!(same, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_denied_is_not_run_by_a_replay() {
    let tool = CLOCK.replace("approval: \"read\"", "approval: \"exec\"");
    let place = Place::new(&[
        ("project/.toolsmith/tools/clock.ts", &tool),
        ("project/in.txt", "first"),
        ("project/turns.json", TURNS),
    ]);
    let args = ["-p", "--trust", "--model", "script:turns.json", "--set", "tools.record=true", "go"];
    run(&place, &args).await;
    let id = session_id(&place).await;
    let said = run(&place, &["replay", "--trust", &id]).await;
    assert!(said.code == 0 && said.stdout.contains("not allowed to run"), "{said:#?}");
    assert!(!place.root.join("project/ran").exists());
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
