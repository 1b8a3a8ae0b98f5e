//! Sessions and other processes: two at once, killed halfway, without room, without permission.

use std::{fs, path::Path};

use tempfile::TempDir;
use toolsmith_llm::Message;
use toolsmith_session::{SessionError, Sessions, StoreError};

use crate::children::{Child, child};

#[tokio::test]
async fn c7_3_two_processes_cannot_write_one_session() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let session = sessions.create(home.path());
    session.append_message(Message::user("mine")).unwrap();
    let path = session.file().unwrap().to_path_buf();

    // Not even twice in one process.
    let error = sessions.open(&path).unwrap_err();
    assert!(error.to_string().contains("this process"), "{error}");
    drop(session);

    let mut other = Child::start(&child(&[], "hold", &path));
    assert_eq!(other.next().await.as_deref(), Some("open"));
    let error = sessions.open(&path).unwrap_err();
    assert!(
        matches!(&error, SessionError::Store(StoreError::Locked { pid: Some(pid), .. }) if *pid == other.process.id())
    );
    assert!(error.to_string().contains(&format!("process {}", other.process.id())), "{error}");
    assert!(matches!(sessions.remove(&path), Err(SessionError::Store(StoreError::Locked { .. }))));
    // Reading and forking work beside it.
    assert_eq!(sessions.read(&path).unwrap().len(), 1);
    assert_eq!(sessions.fork(&sessions.read(&path).unwrap()).unwrap().len(), 1);

    // A process that is killed does not keep the lock.
    other.process.signal(libc::SIGKILL);
    other.process.wait().await;
    let session = sessions.open(&path).unwrap();
    session.append_message(Message::user("again")).unwrap();
    drop(session);
    let left: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().ends_with(".lock")), "{left:?}");
}

#[tokio::test]
async fn c7_3_nothing_acknowledged_is_lost_by_kill_9_at_any_point() {
    let home = TempDir::new().unwrap();
    let sessions = Sessions::at(home.path());
    let mut acknowledged: Vec<String> = Vec::new();
    let mut total = 0;
    for round in 0..60_u64 {
        let mut writer = Child::start(&child(&[], "append", home.path()));
        let path = std::path::PathBuf::from(writer.next().await.unwrap());
        // Somewhere else each time, and never just after an acknowledgement: the writer does not wait for us.
        for _ in 0..(round * 7919 % 23) {
            acknowledged.push(writer.next().await.unwrap());
        }
        writer.process.signal(libc::SIGKILL);
        while let Some(id) = writer.next().await {
            acknowledged.push(id);
        }
        writer.process.wait().await;
        if acknowledged.is_empty() && !path.exists() {
            continue;
        }
        let session = match sessions.open(&path) {
            Ok(session) => session,
            Err(SessionError::NotASession { .. }) if acknowledged.is_empty() => continue,
            Err(error) => panic!("round {round}: {error}"),
        };
        assert_eq!(session.problems(), Vec::<String>::new(), "round {round}");
        let there: std::collections::HashSet<String> =
            session.entries().into_iter().map(|entry| entry.id).collect();
        assert!(
            acknowledged.iter().all(|id| there.contains(id)),
            "round {round}: an acknowledged entry is missing"
        );
        // Every entry follows the one before, over all the kills.
        assert_eq!(session.path(None).unwrap().len(), session.len());
        total += acknowledged.len();
        if session.len() > 2000 {
            drop(session);
            sessions.remove(&path).unwrap();
            acknowledged.clear();
        }
    }
    assert!(total > 300, "{total}");
}

/// Runs the child that fills its disk; gives what it told.
async fn fill(wrapper: &[&str], home: &Path) -> (Option<String>, Option<String>) {
    let mut filler = Child::start(&child(wrapper, "fill", home));
    let told = (filler.next().await, filler.next().await);
    filler.process.wait().await;
    told
}

#[tokio::test]
async fn a_full_disk_is_said_and_the_session_goes_on() {
    let home = TempDir::new().unwrap();
    // A file system of its own, where that is permitted.
    let mount = "mount -t tmpfs -o size=128k none \"$TOOLSMITH_TEST_SESSION_ARGUMENT\" && exec \"$@\"";
    let (error, end) = fill(&["unshare", "--mount", "sh", "-c", mount, "sh"], home.path()).await;
    if let Some(error) = error {
        assert!(
            error.contains("No space left on device") && error.contains("free some disk space"),
            "{error}"
        );
        assert!(error.contains("it is in memory only (unsaved entries: 1)"), "{error}");
        assert_eq!(end.as_deref(), Some("saved after all"));
    }
    // A limit on the size of files tears a line in its middle, like a disk that fills up just then.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let (error, end) = fill(&["sh", "-c", limited, "sh"], home.path()).await;
    assert!(error.as_deref().is_some_and(|error| error.contains("File too large")), "{error:?}");
    assert_eq!(end.as_deref(), Some("still full"));
}

#[tokio::test]
async fn a_read_only_folder_is_said_and_the_session_goes_on() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = TempDir::new().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write anywhere, so it becomes somebody else first.
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let wrapper: &[&str] = if fs::write(home.path().join("probe"), "").is_ok() { &nobody } else { &[] };
    let mut writer = Child::start(&child(wrapper, "try", home.path()));
    let (error, state) = (writer.next().await, writer.next().await);
    writer.process.wait().await;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let error = error.unwrap();
    assert!(error.contains("Permission denied") && error.contains("make it writable"), "{error}");
    assert!(error.contains("sessions"), "{error}");
    assert_eq!(state.as_deref(), Some("1 in memory, 1 unsaved"));
}
