//! Where the user's home is decides whose code runs without trust (CONTRACT 2.8).

use crate::place::{HELLO, Place};

#[tokio::test]
async fn c2_8_a_home_that_is_not_an_absolute_path_is_refused() {
    let place = Place::new(&[
        ("project/agent/tools/hello.ts", HELLO),
        ("project/.toolsmith/agent/tools/hello.ts", HELLO),
        ("project/sub/agent/tools/hello.ts", HELLO),
    ]);
    for (name, value) in [
        ("TOOLSMITH_HOME", "."),
        ("TOOLSMITH_HOME", "sub"),
        ("TOOLSMITH_HOME", "./"),
        ("TOOLSMITH_HOME", "~/.toolsmith"),
        ("HOME", "."),
        ("HOME", ""),
        ("HOME", "sub/.."),
    ] {
        for args in [
            &["list"][..],
            &["call", "hello", "name=x"],
            &["trust", "--list"],
            &["sessions"],
            &["config"],
            &["doctor"],
            &["check"],
            &["undo"],
            &["-p", "hello", "--model", "script:none.json"],
            &["--mode", "rpc"],
        ] {
            let said = place.run_request(&place.request(args).env(name, value)).await;
            let all = format!("{}{}", said.stdout, said.stderr);
            assert_eq!(said.code, 1, "{name}={value:?} {args:?} {said:#?}");
            assert!(
                all.contains(&format!("{name} must be an absolute path")),
                "{name}={value:?} {args:?} {all}"
            );
            assert!(!all.contains("Hello, x"), "{name}={value:?} {args:?}");
        }
    }
    assert!(!place.path("project/logs").exists() && !place.path("project/.toolsmith/logs").exists());
}

#[tokio::test]
async fn c2_8_without_home_the_folder_on_record_is_used_and_never_the_root() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let mut request = place.request(&["doctor", "--json"]);
    request.env.remove("HOME");
    let said = place.run_request(&request).await;
    let home = said.json()["home"].as_str().map(str::to_owned);
    assert!(home.is_some_and(|home| home != "/.toolsmith" && home.starts_with('/')), "{said:#?}");
    let request = request.env("TOOLSMITH_HOME", place.path("mine").display().to_string());
    let said = place.run_request(&request).await;
    assert_eq!(said.json()["home"], place.path("mine").display().to_string());
}
