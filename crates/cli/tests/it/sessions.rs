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
    assert_eq!((code, out.starts_with("No sessions in this folder")), (0, true), "{out}");
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
