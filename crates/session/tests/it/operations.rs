//! What can be done with sessions: continue, resume, fork, branch, move in the tree, name, label, compact, remove.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::TempDir;
use toolsmith_llm::{ContentBlock, Message};
use toolsmith_session::{
    BranchSummary, Compaction, CustomMessage, EntryKind, SessionError, SessionLog, Sessions, StoreError,
};
use toolsmith_tool::SessionView as _;

use crate::store::{assistant, texts};

fn home() -> (TempDir, Sessions) {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    (home, sessions)
}

/// Says something and gets the answer "re: …"; gives both ids.
fn exchange(session: &SessionLog, text: &str) -> (String, String) {
    let asked = session.append_message(Message::user(text)).unwrap();
    (asked, session.append_message(assistant(&format!("re: {text}"))).unwrap())
}

fn age(path: &Path, seconds: u64) {
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn continuing_takes_the_session_written_last_in_this_folder() {
    let (home, sessions) = home();
    let (here, there) = (home.path().join("here"), home.path().join("there"));
    fs::create_dir_all(&here).unwrap();
    fs::create_dir_all(&there).unwrap();
    assert!(sessions.open_latest(&here).unwrap().is_none());
    let mut paths = Vec::new();
    for (folder, text, old) in [(&here, "old", 20), (&here, "new", 10), (&there, "elsewhere", 0)] {
        let session = sessions.create(folder);
        exchange(&session, text);
        let path = session.file().unwrap().to_path_buf();
        drop(session);
        age(&path, old);
        paths.push(path);
    }
    let latest = sessions.open_latest(&here).unwrap().unwrap();
    assert_eq!(texts(&latest), ["new", "re: new"]);
    // The same folder by another name.
    std::os::unix::fs::symlink(&here, home.path().join("link")).unwrap();
    assert_eq!(sessions.folder(&home.path().join("link")), sessions.folder(&here));
    // Names that only look alike.
    assert_ne!(sessions.folder(Path::new("/a/b-c")), sessions.folder(Path::new("/a-b/c")));
    let long = "x/".repeat(2000);
    assert!(sessions.folder(Path::new(&long)).file_name().unwrap().len() < 100);

    let list = sessions.list(&here).unwrap();
    assert_eq!(
        list.iter().map(|one| one.first_message.as_deref().unwrap()).collect::<Vec<_>>(),
        ["new", "old"]
    );
    assert_eq!(sessions.list_all().unwrap().len(), 3);
}

#[test]
fn resuming_takes_a_path_or_the_beginning_of_an_id() {
    let (home, sessions) = home();
    let ids: Vec<String> = (0..40)
        .map(|number| {
            let session = sessions.create(home.path());
            exchange(&session, &number.to_string());
            session.id()
        })
        .collect();
    let elsewhere = TempDir::new().unwrap();
    for cwd in [home.path(), elsewhere.path()] {
        assert_eq!(sessions.resume(&ids[7], cwd).unwrap().id(), ids[7]);
        assert_eq!(sessions.resume(&ids[7][..18].to_uppercase(), cwd).unwrap().id(), ids[7]);
    }
    let path = sessions.find(&ids[3], home.path()).unwrap();
    assert_eq!(sessions.resume(path.to_str().unwrap(), elsewhere.path()).unwrap().id(), ids[3]);

    // Forty ids begin with sixteen digits, so one digit begins several.
    let digit =
        "0123456789abcdef".chars().find(|digit| ids.iter().filter(|id| id.starts_with(*digit)).count() > 1);
    let digit = digit.unwrap().to_string();
    let error = sessions.resume(&digit, home.path()).unwrap_err();
    let fitting: Vec<_> = ids.iter().filter(|id| id.starts_with(&digit)).collect();
    assert!(fitting.iter().all(|id| error.to_string().contains(id.as_str())), "{error}");
    assert!(matches!(error, SessionError::Ambiguous { candidates, .. } if candidates.len() == fitting.len()));

    for missing in ["zzz", "", "  ", "./none.jsonl", "../"] {
        let error = sessions.resume(missing, home.path()).unwrap_err();
        assert_eq!(error.to_string(), format!("Session \"{missing}\" not found."));
    }
}

#[test]
fn a_fork_is_a_copy_that_goes_its_own_way() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    let (_, answer) = exchange(&session, "one");
    exchange(&session, "two");
    session.set_name("the original").unwrap();
    session.save_artifact("long text", "bash").unwrap();
    session.go_to(Some(&answer), None).unwrap();

    let fork = sessions.fork(&session).unwrap();
    assert_ne!(fork.id(), session.id());
    assert_eq!(fork.header().parent_session.as_deref(), session.file().unwrap().to_str());
    assert_eq!(fork.name().as_deref(), Some("the original"));
    assert_eq!(texts(&fork), ["one", "re: one"], "it goes on where the original was");
    exchange(&fork, "three");
    assert_eq!((session.len(), fork.len()), (5, 7));
    assert_eq!(fs::read_to_string(fork.artifact_path("0").unwrap()).unwrap(), "long text");
    drop(fork);

    let memory = SessionLog::in_memory(home.path());
    exchange(&memory, "nowhere");
    let fork = sessions.fork(&memory).unwrap();
    assert_eq!((fork.file(), texts(&fork).len()), (None, 2));
}

#[test]
fn a_branch_begins_before_a_message_of_the_user() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    let (first, answer) = exchange(&session, "one");
    let (second, _) = exchange(&session, "two");
    session.set_label(&answer, Some("good")).unwrap();

    let branched = sessions.branch(&session, &second).unwrap();
    assert_eq!(branched.text, "two");
    assert_eq!(texts(&branched.session), ["one", "re: one"]);
    assert_eq!(branched.session.label(&answer).as_deref(), Some("good"), "also labels given later");
    assert_eq!(branched.session.header().parent_session.as_deref(), session.file().unwrap().to_str());
    exchange(&branched.session, "two, differently");
    assert_eq!(texts(&session), ["one", "re: one", "two", "re: two"], "the original stays");

    let from_the_beginning = sessions.branch(&session, &first).unwrap();
    assert!(from_the_beginning.session.is_empty());
    assert!(!from_the_beginning.session.file().unwrap().exists());
    assert!(matches!(sessions.branch(&session, &answer), Err(SessionError::NotAUserMessage { .. })));
    assert!(matches!(sessions.branch(&session, "nothing"), Err(SessionError::NoEntry { .. })));
}

#[test]
fn moving_in_the_tree_changes_what_the_model_is_told() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    let (first, answer) = exchange(&session, "one");
    let (second, last) = exchange(&session, "two");

    let moved = session.go_to(Some(&second), None).unwrap();
    assert_eq!((moved.text.as_deref(), moved.leaf.as_deref()), (Some("two"), Some(answer.as_str())));
    assert_eq!(texts(&session), ["one", "re: one"]);
    exchange(&session, "other");
    assert_eq!(texts(&session), ["one", "re: one", "other", "re: other"]);

    let behind = session.left_behind(Some(&last)).unwrap();
    assert_eq!(behind.len(), 2);
    let summary = BranchSummary { summary: "tried other".to_owned(), ..BranchSummary::default() };
    let leaf = session.leaf_id().unwrap();
    session.go_to(Some(&last), Some(summary)).unwrap();
    let told = texts(&session);
    assert_eq!(told[..4], ["one", "re: one", "two", "re: two"]);
    assert!(told[4].contains("tried other"), "{told:?}");
    match &session.entries().last().unwrap().kind {
        EntryKind::BranchSummary(summary) => assert_eq!(summary.from_id, leaf),
        other => panic!("{other:?}"),
    }

    let moved = session.go_to(Some(&first), None).unwrap();
    assert_eq!((moved.text.as_deref(), moved.leaf), (Some("one"), None));
    assert!(session.messages().is_empty());
    session.append_message(Message::user("a second beginning")).unwrap();
    assert_eq!(texts(&session), ["a second beginning"]);
    assert!(matches!(session.go_to(Some("nothing"), None), Err(SessionError::NoEntry { .. })));
    // All of it is in the file.
    let again = sessions.read(session.file().unwrap()).unwrap();
    assert_eq!((again.len(), texts(&again)), (8, vec!["a second beginning".to_owned()]));
}

#[test]
fn a_compaction_gives_its_summary_then_what_it_kept_then_the_rest() {
    let session = SessionLog::in_memory("/somewhere");
    exchange(&session, "one");
    let (kept, _) = exchange(&session, "two");
    let compact = |summary: &str, kept: &str| {
        session
            .append(EntryKind::Compaction(Compaction {
                summary: summary.to_owned(),
                first_kept_entry_id: kept.to_owned(),
                tokens_before: 1000,
                ..Compaction::default()
            }))
            .unwrap()
    };
    let first = compact("of one", &kept);
    exchange(&session, "three \"compaction\"");
    let told = texts(&session);
    assert!(told[0].contains("<summary>\nof one\n</summary>"), "{told:?}");
    assert_eq!(told[1..], ["two", "re: two", "three \"compaction\"", "re: three \"compaction\""]);
    assert_eq!(session.path(None).unwrap().len(), 7, "nothing is gone from the session itself");

    // The newest counts; what it kept may be gone, then it kept nothing.
    compact("of everything", "gone");
    exchange(&session, "four");
    let told = texts(&session);
    assert!(told[0].contains("of everything"));
    assert_eq!(told[1..], ["four", "re: four"]);
    // Before it, the older one counts again.
    session.go_to(Some(&first), None).unwrap();
    assert!(texts(&session)[0].contains("of one"));
}

#[test]
fn names_are_found_by_lists_also_in_long_sessions() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    exchange(&session, "first");
    session.set_name("  a name with \"quotes\" ✨ ").unwrap();
    for _ in 0..60 {
        exchange(&session, &"long ".repeat(1000));
    }
    let path = session.file().unwrap().to_path_buf();
    let listed = |sessions: &Sessions| sessions.list(home.path()).unwrap().remove(0);
    assert_eq!(listed(&sessions).name.as_deref(), Some("a name with \"quotes\" ✨"));
    assert_eq!(listed(&sessions).first_message.as_deref(), Some("first"));
    drop(session);
    let session = sessions.open(&path).unwrap();
    assert_eq!(session.name().as_deref(), Some("a name with \"quotes\" ✨"));
    let long = "ä\u{1}\n".repeat(300);
    session.set_name(&long).unwrap();
    assert_eq!(session.name().as_deref(), Some(long.trim()));
    exchange(&session, &"long ".repeat(10_000));
    assert!(listed(&sessions).name.unwrap().starts_with("ä ä ä"), "the beginning, on one line");
    session.set_name("").unwrap();
    exchange(&session, &"long ".repeat(10_000));
    assert_eq!(listed(&sessions).name, None);
    drop(session);
    assert_eq!(sessions.open(&path).unwrap().problems(), Vec::<String>::new());
}

#[test]
fn labels_come_and_go() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    let (asked, answer) = exchange(&session, "one");
    session.set_label(&asked, Some("start")).unwrap();
    session.set_label(&answer, Some("good")).unwrap();
    session.set_label(&answer, None).unwrap();
    let again = sessions.read(session.file().unwrap()).unwrap();
    for session in [&session, &again] {
        assert_eq!(session.label(&asked).as_deref(), Some("start"));
        assert_eq!(session.label(&answer), None);
    }
    assert!(matches!(session.set_label("nothing", Some("x")), Err(SessionError::NoEntry { .. })));
    let error = again.set_label(&asked, None).unwrap_err();
    assert!(matches!(error, SessionError::NotSaved { source: StoreError::ReadOnly { .. }, .. }), "{error}");
}

#[test]
fn removing_takes_everything_beside_along_and_nothing_else() {
    let (home, sessions) = home();
    let session = sessions.create(home.path());
    exchange(&session, "one");
    session.save_artifact("text", "bash").unwrap();
    let path = session.file().unwrap().to_path_buf();
    fs::write(format!("{}.torn", path.display()), "x").unwrap();
    drop(session);
    let other = sessions.create(home.path());
    exchange(&other, "two");
    sessions.remove(&path).unwrap();
    let mut left: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|file| file.unwrap().path()).collect();
    left.sort();
    let kept = other.file().unwrap().to_path_buf();
    assert_eq!(left, [kept.clone(), format!("{}.lock", kept.display()).into()]);
    assert!(sessions.remove(&path).is_err());
    // Somebody's own file is not a session.
    let own = home.path().join("notes.jsonl");
    fs::write(&own, "{\"type\":\"session\",\"version\":3,\"id\":\"x\"}\n").unwrap();
    assert!(sessions.remove(&own).is_err());
    fs::write(&own, "shopping list\n").unwrap();
    assert!(sessions.remove(&own).is_err());
    assert!(own.exists());
}

#[test]
fn custom_messages_are_told_and_custom_entries_are_not() {
    let session = SessionLog::in_memory("/somewhere");
    for attribution in [None, Some("user".to_owned())] {
        session
            .append(EntryKind::CustomMessage(CustomMessage {
                custom_type: "note".to_owned(),
                content: vec![ContentBlock::text("told")],
                display: true,
                details: Some(json!({ "secret": 1 })),
                attribution,
            }))
            .unwrap();
    }
    session.append(EntryKind::Custom { custom_type: "state".to_owned(), data: Some(json!([1])) }).unwrap();
    session.append(EntryKind::StreamRules { rules: vec!["no-any".to_owned()] }).unwrap();
    session.append(EntryKind::ModeChange { mode: "plan".to_owned(), data: None }).unwrap();
    let messages = session.messages();
    assert!(matches!(messages.as_slice(), [Message::Developer(_), Message::User(_)]), "{messages:?}");
    let state = session.state();
    assert_eq!(
        (state.stream_rules, state.mode),
        (vec!["no-any".to_owned()], Some(("plan".to_owned(), None)))
    );
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let (home, sessions) = home();
    let path = home.path().join("newer.jsonl");
    let text = "{\"type\":\"session\",\"format\":\"toolsmith\",\"version\":2,\"id\":\"x\",\"timestamp\":\"\",\"cwd\":\"/\"}\n{\"torn";
    fs::write(&path, text).unwrap();
    let error = sessions.read(&path).unwrap_err();
    assert!(error.to_string().contains("update Toolsmith"), "{error}");
    assert!(matches!(sessions.open(&path), Err(SessionError::TooNew { version: 2, .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}
