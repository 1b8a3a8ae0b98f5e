//! Killed halfway, out of space halfway, two at once: all old or all new, never some of each.

use std::{fs, path::Path};

use toolsmith_host::{
    changes::{ChangeNote, ChangeSet, ChangeStore, Wanted},
    exec::{Exit, Process, Request, run, spawn},
};
use toolsmith_tool::CancelToken;

use super::{Place, tree};
use crate::process_ids::kill;

const FILES: usize = 200;
const CHILD: &str = "TOOLSMITH_TEST_CHANGE_ROOT";

/// Makes one of the new contents larger than the test lets files be.
const LARGE: &str = "TOOLSMITH_TEST_CHANGE_LARGE";

fn name(at: usize) -> String {
    format!("sub{}/file{at}.txt", at % 7)
}

fn content(round: &str, at: usize) -> String {
    format!("{round} {at}\n").repeat(50)
}

/// Not a test of its own: what the other process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child() {
    let Ok(root) = std::env::var(CHILD) else { return };
    let root = Path::new(&root);
    let wanted = (0..FILES).map(|at| match at {
        150 if std::env::var_os(LARGE).is_some() => Wanted::write(name(at), vec![b'x'; 1 << 20]),
        _ => Wanted::write(name(at), content("new", at)),
    });
    let wanted = wanted.collect();
    let set = ChangeSet::bind(root, wanted).unwrap();
    let store = ChangeStore::open(root.parent().unwrap().join("state")).unwrap();
    let applied = store.apply(&set, &ChangeNote::new("test", "Many", root), &CancelToken::new());
    if let Err(error) = applied {
        println!("refused: {error}");
    }
}

fn project() -> Place {
    let place = Place::new(&[]);
    for at in 0..FILES {
        let path = place.path(&name(at));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content("old", at)).unwrap();
    }
    place
}

fn request(place: &Place, before: &str) -> Request {
    let this = std::env::current_exe().unwrap().display().to_string();
    let script = format!("{before} exec {this} --exact changes::crashing::child --ignored --nocapture");
    Request::new("bash").args(["-c", &script]).env(CHILD, place.root.display().to_string())
}

/// Which of the two it is; panics when it is neither.
fn state(place: &Place) -> &'static str {
    let tree = tree(&place.root);
    let files: Vec<_> = tree.iter().filter(|(name, _)| !name.ends_with('/')).collect();
    assert_eq!(files.len(), FILES, "something was left behind or lost");
    let all = |round: &str| (0..FILES).all(|at| tree[&name(at)] == content(round, at));
    match (all("old"), all("new")) {
        (true, false) => "old",
        (false, true) => "new",
        _ => panic!("neither old nor new"),
    }
}

/// When the other process is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// As soon as the new content of this file lies beside it.
    Staged(usize),
    /// As soon as this file is replaced.
    Replaced(usize),
    /// As soon as the change is written down as made.
    Committed,
}

impl Moment {
    fn has_come(self, place: &Place) -> bool {
        match self {
            Self::Staged(at) => {
                let folder = place.path(&name(at)).parent().unwrap().to_path_buf();
                let end = format!("-{at}.new");
                fs::read_dir(folder)
                    .unwrap()
                    .flatten()
                    .any(|entry| entry.file_name().to_string_lossy().ends_with(&end))
            }
            Self::Replaced(at) => fs::read(place.path(&name(at))).is_ok_and(|text| text.starts_with(b"new")),
            Self::Committed => fs::read_dir(place.state.join("entries"))
                .into_iter()
                .flatten()
                .flatten()
                .any(|entry| entry.path().extension().is_some_and(|extension| extension == "json")),
        }
    }
}

/// Looks again and again, as there is nothing to wait on; ends when the process has ended too.
async fn wait_for(moment: Moment, place: &Place, process: &mut Process) -> Option<Exit> {
    let pid = process.id();
    while !moment.has_come(place) {
        if !Path::new(&format!("/proc/{pid}")).exists() {
            return Some(process.wait().await);
        }
        tokio::task::yield_now().await;
    }
    kill(pid);
    Some(process.wait().await)
}

#[tokio::test]
async fn c8_7_kill_9_at_any_point_leaves_all_old_or_all_new_after_the_next_start() {
    let mut moments: Vec<Moment> = [0, 140].map(Moment::Staged).to_vec();
    moments.extend([0, 3, 100, 199].map(Moment::Replaced));
    moments.push(Moment::Committed);
    let mut seen = Vec::new();
    for moment in moments {
        let place = project();
        let mut process = spawn(&request(&place, "")).unwrap();
        wait_for(moment, &place, &mut process).await;
        let store = ChangeStore::open(&place.state).unwrap();
        let now = state(&place);
        let entries = store.list(None).unwrap();
        assert_eq!(
            entries.len(),
            usize::from(now == "new"),
            "{moment:?}: what is written down is what is true"
        );
        if now == "new" {
            store.undo_last(&place.root, &CancelToken::new()).unwrap();
            assert_eq!(state(&place), "old");
        }
        seen.push(now);
    }
    assert!(seen.contains(&"old"), "no kill came in time: {seen:?}");
}

#[tokio::test]
async fn a_disk_that_is_full_halfway_changes_nothing() {
    let place = project();
    // In blocks of 1,024 bytes: the plan fits, and most contents do.
    let request = request(&place, "trap '' XFSZ; ulimit -f 256;").env(LARGE, "1");
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    let text = outcome.stdout.text();
    let expected =
        format!("refused: {}: cannot write the new content beside it", place.path(&name(150)).display());
    assert!(text.contains(&expected), "{text}{}", outcome.stderr.text());
    assert_eq!(state(&place), "old");
    assert_eq!(fs::read_dir(place.state.join("unfinished")).unwrap().count(), 0);
}

#[tokio::test]
async fn of_two_processes_that_want_the_same_files_one_is_refused() {
    let place = project();
    let request = request(&place, "");
    let (cancel_a, cancel_b) = (CancelToken::new(), CancelToken::new());
    let (a, b) = tokio::join!(run(&request, &cancel_a, |_| {}), run(&request, &cancel_b, |_| {}));
    let refused =
        [a.unwrap(), b.unwrap()].iter().filter(|end| end.stdout.text().contains("refused: ")).count();
    // The second may also have bound its changes after the first had made them: then there was nothing to change.
    assert!(refused <= 1);
    assert_eq!(state(&place), "new");
}
