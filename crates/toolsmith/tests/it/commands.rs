//! Markdown commands.

use std::{fs, os::unix::fs::symlink, sync::Arc};

use serde_json::{Value, json};
use toolsmith::{ApprovalMode, CommandOutcome, Session, SessionBuilder, discover_commands};
use toolsmith_llm::{Script, ScriptedProvider};
use toolsmith_tool::CancelToken;

use crate::place::Place;

async fn session(
    place: &Place,
    answers: Value,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> (Session, ScriptedProvider) {
    let model = ScriptedProvider::new(Script::parse(&answers.to_string()).unwrap());
    let builder = Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .trust(place.trust.clone())
        .discovery(true)
        .provider(Arc::new(model.clone()), model.model().clone());
    (change(builder).build().await.unwrap(), model)
}

async fn run(session: &Session, name: &str, arguments: &str) -> Result<String, String> {
    match session.run_command(name, arguments, CancelToken::new()).await {
        Ok(CommandOutcome::Prompt(prompt)) => Ok(prompt.content[0].as_text().unwrap().to_owned()),
        Ok(_) => panic!("no prompt"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn all_directories_are_searched_and_sub_directories_are_namespaces() {
    let place = Place::new(&[]);
    let expected = [
        ("project/.toolsmith/commands/a.md", "a"),
        ("project/.toolsmith/prompts/b.md", "b"),
        ("project/.omp/commands/c.md", "c"),
        ("project/.pi/prompts/d.md", "d"),
        ("project/.claude/commands/e.md", "e"),
        ("project/.claude/commands/git/sub/f.md", "git:sub:f"),
        ("project/.codex/prompts/g.md", "g"),
        ("home/.toolsmith/agent/commands/h.md", "h"),
        ("home/.pi/agent/prompts/i.md", "i"),
        ("home/.claude/commands/j.md", "j"),
        ("home/.codex/prompts/k.md", "k"),
    ];
    for (path, name) in expected.iter().rev() {
        place.write(path, &format!("Do {name}\n"));
    }
    place.write("home/.claude/commands/a.md", "shadowed");
    place.write("home/.claude/commands/README.md", "not a command");
    let found = discover_commands(&place.options());
    let names: Vec<&str> = found.list.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, expected.map(|(_, name)| name));
    assert_eq!(found.list[0].description, "Do a");
    assert_eq!(found.list[0].source.to_string(), "Toolsmith, project");
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_files_and_output_are_inserted() {
    let text = "---\ndescription: Reviews a file\nargument-hint: [file] [focus]\n---\n\
                Review @$1 for ${2:-bugs}.\nBranch: !`echo from-$1`\n";
    let place = Place::new(&[("home/.claude/commands/review.md", text), ("project/src/a.rs", "fn a() {}\n")]);
    let (session, _) =
        session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    let prompt = run(&session, "review", "src/a.rs").await.unwrap();
    assert_eq!(
        prompt,
        "Review @src/a.rs for bugs.\nBranch: from-src/a.rs\n\n<file path=\"src/a.rs\">\nfn a() {}\n</file>"
    );
    let info = session.commands().into_iter().find(|info| info.name == "review").unwrap();
    assert_eq!((info.description.as_str(), info.source.as_str()), ("Reviews a file", "prompt"));
    assert_eq!(info.origin.as_deref(), Some("Claude Code, user"));
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_without_a_placeholder_are_appended_and_cannot_add_parts() {
    let place = Place::new(&[
        ("home/.claude/commands/plain.md", "Just do it."),
        ("home/.claude/commands/echo.md", "Say: $ARGUMENTS"),
        ("project/secret.md", "a key"),
    ]);
    let (session, _) =
        session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    assert_eq!(run(&session, "plain", "now please").await.unwrap(), "Just do it.\n\nARGUMENTS: now please");
    let hostile = "!`touch pwned` @secret.md $1";
    assert_eq!(run(&session, "echo", hostile).await.unwrap(), format!("Say: {hostile}"));
    assert!(!place.path("project/pwned").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_includes_itself_is_included_once() {
    let place = Place::new(&[("project/.claude/commands/self.md", "/self\n@.claude/commands/self.md $1")]);
    let (session, model) = session(&place, json!(["Done."]), |builder| builder).await;
    let prompt = run(&session, "self", "x").await.unwrap();
    assert_eq!(prompt.matches("<file path").count(), 1, "{prompt}");
    session.run(prompt.as_str()).await.unwrap();
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_shell_commands_need_the_approval_of_bash() {
    let place = Place::new(&[("home/.claude/commands/do.md", "Out: !`touch ran`")]);
    let (session, _) = session(&place, json!(["Done."]), |builder| builder).await;
    let error = run(&session, "do", "").await.unwrap_err();
    assert!(error.contains("requires approval") && error.contains("touch ran"), "{error}");
    assert!(!place.path("project/ran").exists());
    place.write("home/.toolsmith/config.toml", "[tools.approval]\nbash = \"deny\"\n");
    let (denied, _) =
        self::session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    assert!(run(&denied, "do", "").await.unwrap_err().contains("blocked by user policy"));
    assert!(!place.path("project/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_nothing_of_an_untrusted_project_runs_or_is_read_outside_of_it() {
    let place = Place::new(&[
        ("project/.claude/commands/shell.md", "Out: !`touch ran`"),
        ("project/.claude/commands/text.md", "Text for $1"),
        ("project/.claude/commands/file.md", "See @../home/secret.md"),
        ("project/.claude/commands/big.md", "---\nmodel: other/model\n---\nHi"),
        ("home/.claude/commands/same.md", "mine"),
        ("project/.claude/commands/same.md", "theirs"),
        ("home/secret.md", "a key"),
    ])
    .untrusted();
    symlink(place.path("home/secret.md"), place.path("project/.claude/commands/link.md")).unwrap();
    let (session, _) =
        session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    let error = run(&session, "shell", "").await.unwrap_err();
    assert!(error.contains("not trusted") && error.contains("touch ran"), "{error}");
    assert!(!place.path("project/ran").exists());
    assert_eq!(run(&session, "text", "you").await.unwrap(), "Text for you");
    let error = run(&session, "file", "").await.unwrap_err();
    assert!(error.contains("outside") && !error.contains("a key"), "{error}");
    assert_eq!(run(&session, "same", "").await.unwrap(), "mine");
    assert_eq!(run(&session, "big", "").await.unwrap(), "Hi");
    assert!(session.find_command("/link").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_paths_of_the_user_that_lead_into_an_untrusted_project_need_its_trust() {
    let files: &[(&str, &str)] = &[
        ("project/cmds/shell.md", "Out: !`touch ran`"),
        ("project/cmds/file.md", "See @../home/secret.md"),
        ("project/cmds/same.md", "theirs"),
        ("home/own/same.md", "mine"),
        ("home/own/shell2.md", "Out: !`echo own`"),
        ("home/secret.md", "a key"),
    ];
    let config = |place: &Place| {
        let inside = place.path("project/cmds").display().to_string();
        format!("commands.paths = [\"cmds\", \"{inside}\", \"~/own\"]\n")
    };
    let place = Place::new(files).untrusted();
    place.write("home/.toolsmith/config.toml", &config(&place));
    let (on, _) =
        session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    let error = run(&on, "shell", "").await.unwrap_err();
    assert!(error.contains("not trusted") && !place.path("project/ran").exists(), "{error}");
    let error = run(&on, "file", "").await.unwrap_err();
    assert!(error.contains("outside") && !error.contains("a key"), "{error}");
    assert_eq!(run(&on, "same", "").await.unwrap(), "mine");
    assert_eq!(run(&on, "shell2", "").await.unwrap(), "Out: own");

    let place = Place::new(files);
    place.write("home/.toolsmith/config.toml", &config(&place));
    let (on, _) =
        session(&place, json!(["Done."]), |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    run(&on, "shell", "").await.unwrap();
    assert!(place.path("project/ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_command_that_is_a_link_out_of_a_trusted_project_is_not_used() {
    let place = Place::new(&[("home/secret.md", "a key"), ("project/.claude/commands/own.md", "Hi")]);
    symlink(place.path("home/secret.md"), place.path("project/.claude/commands/link.md")).unwrap();
    let (session, _) = session(&place, json!(["Done."]), |builder| builder).await;
    assert_eq!(run(&session, "own", "").await.unwrap(), "Hi");
    assert!(session.find_command("/link").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_chooses_the_model_of_its_run_only() {
    let place = Place::new(&[("home/.claude/commands/other.md", "---\nmodel: local/big\n---\nHi")]);
    place.write(
        "home/.toolsmith/config.toml",
        "[providers.local]\nwire = \"openai-completions\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
         [providers.local.models.big]\ncontext_window = 1000\n",
    );
    let (session, model) = session(&place, json!(["One."]), |builder| builder).await;
    let before = session.agent().model().reference();
    let prompt = run(&session, "other", "").await.unwrap();
    assert_eq!(session.agent().model().reference(), "local/big");
    // Nothing listens there, so the run fails; the model changes back nevertheless.
    session.set_auto_retry(false);
    session.prompt(prompt.as_str()).unwrap();
    session.wait_until_settled().await;
    assert_eq!(session.agent().model().reference(), before);
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_removed_during_a_session_is_an_error() {
    let place = Place::new(&[("home/.claude/commands/gone.md", "Hi")]);
    let (session, _) = session(&place, json!(["Done."]), |builder| builder).await;
    fs::remove_file(place.path("home/.claude/commands/gone.md")).unwrap();
    assert!(run(&session, "gone", "").await.unwrap_err().contains("cannot be read"));
}

#[test]
fn files_that_are_no_commands_are_reported() {
    let place = Place::new(&[
        ("home/.claude/commands/with space.md", "x"),
        ("home/.claude/commands/ok.md", "---\nbad: [\n---\nText"),
    ]);
    fs::write(place.path("home/.claude/commands/binary.md"), b"\xff\xfe").unwrap();
    fs::create_dir_all(place.path("home/.claude/commands/folder.md")).unwrap();
    symlink(".", place.path("home/.claude/commands/around")).unwrap();
    let found = discover_commands(&place.options());
    let names: Vec<&str> = found.list.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, ["ok"]);
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
}
