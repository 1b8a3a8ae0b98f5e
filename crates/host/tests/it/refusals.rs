//! CONTRACT 3.2: what cannot be started is refused with a message that names it.

use std::{fs, os::unix::fs::PermissionsExt};

use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

async fn refusal(request: Request) -> String {
    run(&request, &CancelToken::new(), |_| {}).await.unwrap_err().to_string()
}

#[tokio::test]
async fn c3_2_a_missing_program_is_named() {
    assert_eq!(
        refusal(Request::new("no-such-prog")).await,
        "Executable not found in $PATH: \"no-such-prog\""
    );
    assert_eq!(
        refusal(Request::new("./no such/prog")).await,
        "ENOENT: no such file or directory, posix_spawn './no such/prog'"
    );
    assert_eq!(refusal(Request::new("")).await, "No program was named");
}

#[tokio::test]
async fn c3_2_a_missing_folder_is_named() {
    let error = refusal(Request::new("true").cwd("/no/such/folder")).await;
    assert!(error.starts_with("Working folder \"/no/such/folder\" cannot be used: No such file"), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = refusal(Request::new("true").cwd(file.path())).await;
    assert!(
        error.ends_with("is not a folder") && error.contains(&file.path().display().to_string()),
        "{error}"
    );
}

#[tokio::test]
async fn a_folder_a_plain_file_and_a_script_without_interpreter_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("plain"), "echo hi").unwrap();
    fs::write(path("script"), "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(path("script"), fs::Permissions::from_mode(0o755)).unwrap();
    let folder = path("");
    assert_eq!(refusal(Request::new(&folder)).await, format!("\"{folder}\" is a folder, not a program"));
    let error = refusal(Request::new(path("plain"))).await;
    assert!(error.contains("may not be run: permission denied"), "{error}");
    let error = refusal(Request::new("./script").cwd(dir.path())).await;
    assert_eq!(error, "\"./script\" cannot be run: the interpreter its first line names was not found");
}

#[tokio::test]
async fn text_the_system_cannot_take_is_refused_before_anything_starts() {
    assert_eq!(refusal(Request::new("a\0b")).await, "the program's name contains a NUL byte");
    assert_eq!(refusal(Request::new("echo").args(["ok", "a\0b"])).await, "argument 2 contains a NUL byte");
    assert_eq!(refusal(Request::new("echo").cwd("a\0b")).await, "the working folder contains a NUL byte");
    let error = refusal(Request::new("echo").env("KEY", "a\0b")).await;
    assert_eq!(error, "the environment variable \"KEY\" contains a NUL byte");
    for name in ["", "A=B"] {
        let error = refusal(Request::new("echo").env(name, "x")).await;
        assert!(error.ends_with("cannot be the name of an environment variable"), "{error}");
    }
    let error = refusal(Request::new("echo").args(["x".repeat(4 << 20)])).await;
    assert!(error.starts_with("\"echo\" could not be started: Argument list too long"), "{error}");
}
