//! Trust on the command line (CONTRACT 2.8).

use std::{fs, os::unix::fs::symlink};

use crate::place::{HELLO, Place};

fn telling(place: &Place) -> String {
    let evidence = place.path("evidence").display().to_string();
    format!(
        "export default async (pi) => {{ await pi.exec('/bin/sh', ['-c', 'echo > {evidence}']); return []; }};\n"
    )
}

#[tokio::test]
async fn c2_8_no_command_runs_code_of_an_untrusted_folder() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    place.write("project/.toolsmith/tools/telling.ts", &telling(&place));
    for args in [
        &["list"][..],
        &["config"],
        &["doctor"],
        &["call", "hello", "name=x"],
        &["call", "telling"],
        &["trust", "--list"],
    ] {
        place.run(args).await;
        assert!(!place.path("evidence").exists(), "{args:?}");
    }
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("\"hello\" is waiting for trust"), "{}", said.stderr);
    assert!(said.stderr.contains("`toolsmith trust`"), "{}", said.stderr);
    assert!(!place.path("home/.toolsmith").exists(), "nothing was written");
}

#[tokio::test]
async fn c2_8_trust_is_given_by_the_command_the_flag_or_the_variable() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let call = &["call", "hello", "name=x"];
    assert_eq!(place.run(&["--trust", "call", "hello", "name=x"]).await.code, 0);
    let said = place.run_request(&place.request(call).env("TOOLSMITH_TRUST", "1")).await;
    assert_eq!(said.code, 0);
    let said = place.run_request(&place.request(call).env("TOOLSMITH_TRUST", "0")).await;
    assert_eq!(said.code, 1);
    assert_eq!(place.run(call).await.code, 1, "for one run is for one run");
    assert_eq!(place.run(&["trust"]).await.code, 0);
    assert_eq!(place.run(call).await.code, 0);
    assert_eq!(place.run(&["trust", "--remove"]).await.code, 0);
    assert_eq!(place.run(call).await.code, 1);
    assert_eq!(place.run(&["trust", ".toolsmith/tools/hello.ts"]).await.code, 0);
    assert_eq!(place.run(call).await.code, 0, "a single file");
}

#[tokio::test]
async fn c2_8_trust_by_a_symbolic_link_and_a_folder_that_moves() {
    let place = Place::new(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    symlink(place.path("project"), place.path("link")).unwrap();
    place.run(&["trust", "../link"]).await;
    assert_eq!(place.run(&["call", "hello", "name=x"]).await.code, 0);
    fs::rename(place.path("project"), place.path("moved")).unwrap();
    fs::create_dir(place.path("project")).unwrap();
    let said = place.run(&["--cwd", "../moved", "call", "hello", "name=x"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
}

#[tokio::test]
async fn many_at_once_are_all_remembered() {
    let place = Place::new(&[]);
    let names: Vec<String> = (0..8).map(|number| format!("f{number}")).collect();
    for name in &names {
        fs::create_dir(place.path("project").join(name)).unwrap();
    }
    let mut running = tokio::task::JoinSet::new();
    for name in &names {
        let request = place.request(&["trust", name]);
        running.spawn(async move {
            toolsmith_host::exec::run(&request, &toolsmith_tool::CancelToken::new(), |_| {})
                .await
                .unwrap()
                .code
        });
    }
    while let Some(code) = running.join_next().await {
        assert_eq!(code.unwrap(), 0);
    }
    let listed = place.run(&["trust", "--list", "--json"]).await.json();
    assert_eq!(listed["trusted"].as_array().unwrap().len(), names.len());
}

#[tokio::test]
async fn a_damaged_list_trusts_nothing_and_says_so() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("home/.toolsmith/trust.json", "{ damaged"),
    ]);
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("no directory is trusted"), "{}", said.stderr);
    let said = place.run(&["trust"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("is damaged"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(place.path("home/.toolsmith/trust.json")).unwrap(), "{ damaged");
}

#[tokio::test]
async fn c2_8_what_was_requested_and_waits_for_trust_is_an_error_that_says_so() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("project/.toolsmith/tools/hello.case.json", r#"{ "args": { "name": "x" }, "expect": {} }"#),
        ("project/script.json", r#"["Hello."]"#),
    ]);
    for declined in [false, true] {
        if declined {
            let project = place.path("project").display().to_string();
            let list =
                format!("{{\"version\":1,\"entries\":[{{\"path\":{project:?},\"kind\":\"declined\"}}]}}");
            place.write("home/.toolsmith/trust.json", &list);
        }
        for args in [
            &["check"][..],
            &["check", "--strict"],
            &["check", "--json"],
            &["test"],
            &["test", "--update"],
            &["call", "hello", "name=x"],
            &["call", "unknown"],
            &["dev", "hello"],
            &["dev", "unknown"],
            &["-p", "hi", "--model", "script:script.json", "--tools", "hello"],
            &["-p", "hi", "--model", "script:script.json", "--tools", "read,unknown"],
        ] {
            let said = place.run(args).await;
            let all = format!("{}{}", said.stdout, said.stderr);
            assert_eq!(said.code, 1, "{args:?} {said:#?}");
            assert!(!all.contains("There is no tool"), "{args:?} {all}");
            if !args.contains(&"--json") {
                assert!(all.contains("waiting for trust"), "{args:?} {all}");
                assert!(all.contains("`toolsmith trust`"), "{args:?} {all}");
            }
        }
    }
}

#[tokio::test]
async fn c2_8_an_untrusted_project_cannot_choose_trusted_code_elsewhere() {
    let place = Place::new(&[("project/readme.md", "")]);
    place.write("trusted/telling.ts", &telling(&place));
    place.run(&["trust", place.path("trusted").to_str().unwrap()]).await;
    place.write("project/.toolsmith/config.toml", "[tools]\npaths = [\"../trusted/telling.ts\"]\n");
    fs::create_dir_all(place.path("project/.toolsmith/tools")).unwrap();
    symlink(place.path("trusted/telling.ts"), place.path("project/.toolsmith/tools/linked.ts")).unwrap();
    for args in [&["list"][..], &["call", "telling"], &["check"]] {
        let said = place.run(args).await;
        assert!(!place.path("evidence").exists(), "{args:?}: {said:#?}");
    }
    assert!(place.run(&["list"]).await.stdout.contains("aiting for trust"));
    place.run(&["trust"]).await;
    place.run(&["list"]).await;
    assert!(place.path("evidence").exists(), "with trust it runs");
}

#[tokio::test]
async fn c5_4_nothing_runs_while_restrictions_cannot_be_read() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let config = place.path("home/.toolsmith/config.toml");
    for broken in [
        &b"[tools.approval]\nhello=deny\n"[..],
        b"[tools.approval]\nhello=\"allow\"\n[tools.approval]\nhello=\"deny\"\n",
        b"tools.approval=\"deny\"\n",
        b"\xff\xfe\n",
    ] {
        fs::write(&config, broken).unwrap();
        let said = place.run(&["call", "hello", "name=x"]).await;
        assert_eq!(said.code, 1, "{said:#?}");
        assert!(said.stderr.contains("cannot be used"), "{said:#?}");
        assert_eq!(place.run(&["config"]).await.code, 0, "the settings can still be looked at");
    }
    fs::remove_file(&config).unwrap();
    symlink("/nowhere/config.toml", &config).unwrap();
    assert_eq!(place.run(&["call", "hello", "name=x"]).await.code, 1, "a dangling link");
    fs::remove_file(&config).unwrap();
    assert_eq!(place.run(&["call", "hello", "name=x"]).await.code, 0);
    // A project that is not trusted cannot stop the program by a broken file.
    let other = Place::new(&[("project/.toolsmith/config.toml", "broken = ")]);
    let said = other.run(&["call", "ls"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
}

#[tokio::test]
async fn c2_8_modules_that_a_variable_names_in_an_untrusted_project_wait() {
    let place = Place::new(&[("project/.git/HEAD", "")]);
    place.write("project/telling.ts", &telling(&place));
    for name in ["TOOLSMITH_TOOLS_PATHS", "TOOLSMITH_EXTENSIONS_PATHS"] {
        for path in ["./telling.ts".to_owned(), place.path("project/telling.ts").display().to_string()] {
            let said = place.run_request(&place.request(&["list"]).env(name, path)).await;
            assert!(said.stdout.contains("Waiting for trust"), "{name}: {said:#?}");
            assert!(!place.path("evidence").exists(), "{name}");
        }
    }
    place
        .run_request(&place.request(&["list", "--trust"]).env("TOOLSMITH_TOOLS_PATHS", "./telling.ts"))
        .await;
    assert!(place.path("evidence").exists(), "a trusted one is loaded");
}
