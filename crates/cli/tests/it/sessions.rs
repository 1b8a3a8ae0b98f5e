//! `toolsmith sessions`, over sessions that a library wrote.

use std::{fs, path::Path};

use tempfile::TempDir;
use toolsmith_agent::session::Sessions;
use toolsmith_host::exec::{Request, run};
use toolsmith_llm::Message;
use toolsmith_tool::CancelToken;

/// Runs `toolsmith sessions …`; gives the exit code, what it printed and what it complained.
async fn sessions(home: &Path, args: &[&str]) -> (i32, String, String) {
    let request = Request::new(env!("CARGO_BIN_EXE_toolsmith"))
        .args(["sessions"])
        .args(args.iter().copied())
        .cwd(home)
        .env("TOOLSMITH_HOME", home.to_str().unwrap());
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    (outcome.code, outcome.stdout.text(), outcome.stderr.text())
}

fn written(home: &Path, cwd: &Path, text: &str) -> String {
    let session = Sessions::at(home).create(cwd);
    session.append_message(Message::user(text)).unwrap();
    session.id()
}

#[tokio::test]
async fn sessions_are_listed_shown_exported_and_removed() {
    let home = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    let (code, out, _) = sessions(home.path(), &[]).await;
    assert_eq!((code, out.starts_with("No sessions in this directory")), (0, true), "{out}");
    let id = written(home.path(), home.path(), "Why is the \u{1b}[31msky blue?");
    let other = written(home.path(), elsewhere.path(), "elsewhere");

    let (_, out, _) = sessions(home.path(), &["list"]).await;
    assert!(out.starts_with(&id[..8]) && out.contains("Why is the sky blue?"), "{out}");
    assert!(!out.contains('\u{1b}') && !out.contains("elsewhere"), "{out}");
    let (_, out, _) = sessions(home.path(), &["list", "--all", "--json"]).await;
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
    assert!(list["sessions"].as_array().unwrap().iter().any(|one| one["id"] == other.as_str()));

    let (code, out, _) = sessions(home.path(), &["show", &id[..13]]).await;
    assert_eq!((code, out.contains("Why is the sky blue?")), (0, true), "{out}");
    let (_, out, _) = sessions(home.path(), &["show", &id, "--json"]).await;
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&shown["header"]["id"], &shown["entries"][0]["type"]),
        (&id.clone().into(), &"message".into())
    );

    let (code, out, _) = sessions(home.path(), &["export", &id]).await;
    assert_eq!(code, 0);
    let page = fs::read_to_string(out.trim()).unwrap();
    assert!(page.starts_with("<!doctype html>") && out.trim().ends_with(".html"));
    let (code, _, error) = sessions(home.path(), &["export", &id]).await;
    assert_eq!((code, error.contains("--force")), (1, true), "{error}");
    assert_eq!(sessions(home.path(), &["export", &id, "--force"]).await.0, 0);
    // Not through a link, which may be part of a repository.
    fs::write(home.path().join("precious"), "mine").unwrap();
    std::os::unix::fs::symlink("precious", home.path().join("page.html")).unwrap();
    let (code, _, error) = sessions(home.path(), &["export", &id, "-o", "page.html", "--force"]).await;
    assert_eq!((code, error.contains("symbolic link")), (1, true), "{error}");
    assert_eq!(fs::read_to_string(home.path().join("precious")).unwrap(), "mine");
    let (_, out, _) = sessions(home.path(), &["export", &id, "-o", "-", "--format", "markdown"]).await;
    assert!(out.starts_with("# Why is the sky blue?"), "{out}");
    sessions(home.path(), &["export", &id, "-o", "notes.md"]).await;
    assert!(fs::read_to_string(home.path().join("notes.md")).unwrap().starts_with("# Why"));

    let (code, _, error) = sessions(home.path(), &["rm", &id, "nothing"]).await;
    assert_eq!((code, error.lines().next()), (1, Some("error: Session \"nothing\" not found.")));
    assert_eq!(sessions(home.path(), &["rm", &id, &other]).await.0, 0);
    let (_, out, _) = sessions(home.path(), &["list", "--all"]).await;
    assert_eq!(out, "No sessions.\n");
    assert_eq!(sessions(home.path(), &["rm"]).await.0, 2);
}

#[tokio::test]
async fn the_tree_of_a_session_is_shown_with_all_its_paths() {
    let home = TempDir::new().unwrap();
    let session = Sessions::at(home.path()).create(home.path());
    let said = |text: &str| session.append_message(Message::user(text)).unwrap();
    let first = said("first");
    let left = said("left\u{1b}[31m behind");
    session.go_to(Some(&left), None).unwrap();
    let other = said("another way");
    session.set_label(&first, Some("here")).unwrap();
    let id = session.id();
    drop(session);
    let (code, out, _) = sessions(home.path(), &["show", &id, "--tree"]).await;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(code, 0);
    assert_eq!(lines[0], format!("* {first} user [here] first"));
    assert_eq!(lines[1], format!("    {left} user left behind"));
    assert_eq!(lines[2], format!("*   {other} user another way"));
    assert!(lines[3].starts_with("*   ") && lines[3].ends_with(" label here"), "{out}");
    assert_eq!(lines.len(), 4);
    let (_, out, _) = sessions(home.path(), &["show", &id, "--tree", "--json"]).await;
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&shown["entries"][2]["parent"], &shown["entries"][1]["onPath"]), (&0.into(), &false.into()));
}

#[tokio::test]
async fn removing_a_session_removes_only_what_belongs_to_it() {
    let home = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    let id = written(home.path(), home.path(), "hello");
    let file = Sessions::at(home.path()).find(&id, home.path()).unwrap();
    // A copy elsewhere, beside a folder of the same name that is somebody's own.
    let copy = elsewhere.path().join("x.jsonl");
    fs::copy(&file, &copy).unwrap();
    fs::create_dir(elsewhere.path().join("x")).unwrap();
    fs::write(elsewhere.path().join("x/precious"), "1").unwrap();
    // A link is not a session.
    let link = elsewhere.path().join("link.jsonl");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    fs::create_dir(elsewhere.path().join("link")).unwrap();
    let (code, _, error) = sessions(home.path(), &["rm", link.to_str().unwrap()]).await;
    assert_eq!((code, error.contains("it is a link")), (1, true), "{error}");
    assert!(file.exists() && elsewhere.path().join("link").exists());
    assert_eq!(sessions(home.path(), &["rm", copy.to_str().unwrap()]).await.0, 0);
    assert!(!copy.exists() && elsewhere.path().join("x/precious").exists());
    // Its own artifacts go with it.
    let artifacts = file.with_extension("");
    fs::create_dir(&artifacts).unwrap();
    fs::write(artifacts.join("output.txt"), "1").unwrap();
    assert_eq!(sessions(home.path(), &["rm", &id]).await.0, 0);
    assert!(!file.exists() && !artifacts.exists());
}
