//! What a machine may lack: short paths, a home to write to, locks, a temporary folder to execute from, a new kernel.

use std::ffi::c_long;

use toolsmith_host::exec::Request;
use toolsmith_testkit::{LOCKS, NEWER_CALLS, refuse_calls};

use crate::place::{HELLO, Place, Said};

const REWRITE: &str = r#"{"ops":[{"pat":"f($A)","out":"h($A)"}],"path":"a.ts"}"#;

/// Creates a tool, calls it, runs a process, changes a file and restores it.
async fn use_everything(place: &Place, run: impl AsyncFn(&[&str]) -> Said) {
    let said = run(&["call", "hello", "name=World"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Hello, World!\n"), "{said:#?}");
    let said = run(&["call", "bash", "command=echo process"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "process\n"), "{said:#?}");
    let file = place.path("project/a.ts");
    std::fs::write(&file, "f(1);\n").unwrap();
    let said = run(&["call", "ast_edit", "--args", REWRITE, "--apply"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "h(1);\n");
    let said = run(&["undo"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "f(1);\n");
}

fn trusted() -> Place {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    place.program("bash", "#!/bin/sh\nexec /bin/bash \"$@\"\n");
    place
}

/// Set for the runs of this test binary in which calls are refused: processes of other tests must not be.
const FILTERED: &str = "TOOLSMITH_TEST_FILTERED";

/// Runs everything where the kernel answers some calls with an error, in a process that runs only the named test.
fn use_everything_without(calls: &[c_long], error: i32, test: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if std::env::var_os(FILTERED).is_some() {
        refuse_calls(calls, error).unwrap();
        let place = trusted();
        runtime.block_on(use_everything(&place, async |args: &[&str]| place.run(args).await));
        return;
    }
    let program = std::env::current_exe().unwrap().display().to_string();
    let name = format!("surroundings::{test}");
    let request = Request::new(program).args(["--exact", &name, "--nocapture"]).env(FILTERED, "1");
    let said = runtime.block_on(Place::new(&[]).run_request(&request));
    assert!(said.code == 0 && said.stdout.contains("1 passed"), "{said:#?}");
}

#[test]
fn everything_works_on_a_kernel_without_openat2_pidfd_and_statx() {
    let test = "everything_works_on_a_kernel_without_openat2_pidfd_and_statx";
    use_everything_without(NEWER_CALLS, libc::ENOSYS, test);
}

#[test]
fn everything_works_in_a_home_without_locks() {
    use_everything_without(LOCKS, libc::ENOLCK, "everything_works_in_a_home_without_locks");
}

#[tokio::test]
async fn everything_works_in_a_project_with_a_long_name_of_spaces_and_other_letters() {
    let place = trusted();
    let part = "ein Ordner für Übungen 漢字 'a' \"b\" $c %d";
    let long: Vec<&str> = std::iter::repeat_n(part, 8).collect();
    let long = place.path("home").join(long.join("/"));
    assert!(long.display().to_string().chars().count() > 300);
    std::fs::create_dir_all(long.parent().unwrap()).unwrap();
    std::fs::rename(place.path("project"), &long).unwrap();
    std::os::unix::fs::symlink(&long, place.path("project")).unwrap();
    use_everything(&place, async |args: &[&str]| {
        let request = place.request(&[args, &["--trust"]].concat()).cwd(&long);
        place.run_request(&request).await
    })
    .await;
}

/// Runs the program where this script has changed the mounts; `None` where that is not allowed.
#[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
async fn run_mounted(place: &Place, script: &str, args: &[&str]) -> Option<Said> {
    let call = place.request(args);
    let script = format!("{script} || exit 99; exec \"$0\" \"$@\"");
    let mut request = Request::new("/usr/bin/unshare")
        .args(["--mount", "/bin/sh", "-c", &script, &call.program])
        .args(call.args.clone());
    (request.cwd, request.env, request.clear_env) = (call.cwd.clone(), call.env.clone(), call.clear_env);
    request = request.env("MOUNT_PATH", place.path("").display().to_string());
    let said = place.run_request(&request).await;
    let is_refused = said.code == 99 || said.stderr.contains("unshare failed");
    if is_refused {
        eprintln!("skipped: needs permission to mount ({})", said.stderr.trim());
    }
    (!is_refused).then_some(said)
}

const READ_ONLY: &str = "/bin/mount --bind \"$HOME\" \"$HOME\" && /bin/mount -o remount,bind,ro \"$HOME\"";
const NOEXEC: &str =
    "/bin/mount -t tmpfs -o noexec none \"$MOUNT_PATH/tmp\" && export TMPDIR=\"$MOUNT_PATH/tmp\"";

#[tokio::test]
async fn a_read_only_home_is_read_and_tools_are_called() {
    let place = trusted();
    place.write("project/script.json", r#"{"turns":["answer"]}"#);
    let Some(said) = run_mounted(&place, READ_ONLY, &["call", "hello", "name=World"]).await else { return };
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (0, "Hello, World!\n"),
        "the trust list is read: {said:#?}"
    );
    let asked = ["-p", "--model", "script:script.json", "hi"];
    let said = run_mounted(&place, READ_ONLY, &asked).await.unwrap();
    assert_eq!((said.code, said.stdout.as_str()), (0, "answer\n"), "{said:#?}");
    assert_eq!(said.stderr.matches("the session is not stored").count(), 1, "{said:#?}");
    let said = run_mounted(&place, READ_ONLY, &["trust"]).await.unwrap();
    assert!(said.code == 1 && said.stderr.contains("Read-only file system"), "{said:#?}");
    assert!(!said.stderr.contains("panicked"), "{said:#?}");
}

#[tokio::test]
async fn nothing_is_executed_from_the_temporary_folder() {
    let place = trusted();
    place.create_folder("tmp");
    for (args, expected) in [
        (&["call", "hello", "name=World"][..], "Hello, World!\n"),
        (&["call", "bash", "command=echo process"], "process\n"),
    ] {
        let Some(said) = run_mounted(&place, NOEXEC, args).await else { return };
        assert_eq!((said.code, said.stdout.as_str()), (0, expected), "{said:#?}");
    }
}

#[tokio::test]
async fn output_is_utf_8_whatever_the_locale_says() {
    let place = trusted();
    for locale in ["C", "POSIX", "de_DE.ISO-8859-1", "nonsense"] {
        let request = place.request(&["call", "hello", "name=Übung 漢字"]);
        let said = place.run_request(&request.env("LC_ALL", locale).env("LANG", locale)).await;
        assert_eq!((said.code, said.stdout.as_str()), (0, "Hello, Übung 漢字!\n"), "{locale}: {said:#?}");
    }
}
