//! What people get wrong, and what they are told.

use toolsmith_host::exec::Request;

use crate::{
    place::{BROKEN, HELLO, Place},
    workshop::Workshop,
};

#[tokio::test]
async fn an_unknown_tool_comes_with_the_closest_names() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let said = place.run(&["call", "helo"]).await;
    assert_eq!(said.code, 2);
    assert_eq!(said.stderr, "error: unknown tool \"helo\"\n  → Did you mean hello?\n");
    let said = place.run(&["call", "zzzzzz"]).await;
    assert!(said.stderr.contains("There are: hello"), "{}", said.stderr);
    let said = Place::new(&[]).run(&["call", "zzzzzz"]).await;
    assert!(said.stderr.contains("There are no tools"), "{}", said.stderr);
}

#[tokio::test]
async fn what_a_user_got_wrong_has_no_backtrace_also_when_one_is_asked_for() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let said = place.run_request(&place.request(&["call", "helo"]).env("RUST_BACKTRACE", "1")).await;
    assert_eq!(said.stderr, "error: unknown tool \"helo\"\n  → Did you mean hello?\n");
}

#[tokio::test]
async fn a_cause_is_told_once() {
    let said = Place::new(&[]).run(&["-p", "--model", "script:missing.json", "hi"]).await;
    assert_eq!(said.stderr.matches("No such file").count(), 1, "{}", said.stderr);
}

#[tokio::test]
async fn a_missing_argument_comes_with_the_usage() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let said = place.run(&["call", "hello"]).await;
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("\"hello\" needs name"), "{}", said.stderr);
    assert!(
        said.stderr.contains("Usage: toolsmith call hello name=TEXT [times=INTEGER] [tags=TEXT…]"),
        "{}",
        said.stderr
    );
}

#[tokio::test]
async fn broken_json_is_shown_where_it_breaks() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let said = place.run(&["call", "hello", "--args", "{\"name\": World}"]).await;
    assert_eq!(said.code, 2);
    assert!(
        said.stderr.contains("--args is not JSON: expected value at line 1 column 10"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("> 1 | {\"name\": World}"), "{}", said.stderr);
    let said = place.run(&["call", "hello", "--args", "{", "--json"]).await;
    assert_eq!(said.json()["error"]["exitCode"], 2);
}

#[tokio::test]
async fn a_tool_that_could_not_be_loaded_says_why() {
    let place = Place::trusted(&[("project/.toolsmith/tools/broken.ts", BROKEN)]);
    let said = place.run(&["call", "broken"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("\"broken\" could not be loaded"), "{}", said.stderr);
    assert!(said.stderr.contains("> 3 | throw new RangeError"), "{}", said.stderr);
    assert!(!said.stderr.contains("backtrace"), "{}", said.stderr);
}

#[tokio::test]
async fn a_tool_named_like_a_built_in_is_refused() {
    let place =
        Place::trusted(&[("project/.toolsmith/tools/bash.ts", &HELLO.replace("\"hello\"", "\"bash\""))]);
    let listed = place.run(&["list", "--json"]).await.json();
    assert_eq!(listed["refused"][0]["message"], "Tool name \"bash\" conflicts with existing tool (built-in)");
    assert_eq!(listed["tools"], serde_json::json!([]));
}

#[tokio::test]
async fn c5_4_a_config_file_that_is_not_toml_stops_calls_and_is_located() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("home/.toolsmith/config.toml", "this is = = not toml\n"),
    ]);
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("cannot be used"), "{}", said.stderr);
    assert!(said.stderr.contains("config.toml:1:"), "{}", said.stderr);
    assert!(said.stderr.contains("is not TOML"), "{}", said.stderr);
}

#[tokio::test]
async fn wrong_flags_are_wrong_use() {
    let place = Place::new(&[]);
    for args in [
        &["list", "--set", "modle=x"][..],
        &["list", "--set", "model"],
        &["list", "--cwd", "nowhere"],
        &["config", "nonsense"],
        &["nonsense"],
        &["list", "--nonsense"],
        &["trust", "--list", "--remove"],
    ] {
        let said = place.run(args).await;
        assert_eq!(said.code, 2, "{args:?} {said:#?}");
        assert!(!said.stderr.is_empty());
    }
}

#[tokio::test]
async fn a_reader_that_has_enough_is_no_error() {
    let place = Place::new(&[]);
    let program = env!("CARGO_BIN_EXE_toolsmith");
    let mut request = place.request(&[]);
    request.program = "/bin/sh".to_owned();
    request.args = vec!["-c".to_owned(), format!("'{program}' config --keys | (exec 0<&-; true)")];
    let said = place.run_request(&request).await;
    assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    assert!(!said.stderr.contains("Broken pipe"), "{}", said.stderr);
}

#[tokio::test]
async fn five_hundred_tools_are_listed() {
    let place = Place::trusted(&[]);
    for number in 0..500 {
        let text = format!(
            "export default () => ({{ name: 't{number:03}', description: '', parameters: {{ type: 'object', properties: {{}} }}, execute() {{}} }});\n"
        );
        place.write(&format!("project/.toolsmith/tools/t{number:03}.js"), &text);
    }
    let said = place.run(&["list"]).await;
    assert_eq!(said.stdout.lines().count(), 501, "{}", said.stdout);
    assert!(said.stdout.lines().last().unwrap().starts_with("t499 "));
}

#[tokio::test]
async fn an_unknown_tool_may_be_one_that_waits() {
    let place = Place::new(&[("project/.toolsmith/tools/other-name.ts", HELLO)]);
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("1 of this folder's modules are waiting for trust"), "{}", said.stderr);
}

#[tokio::test]
async fn an_engine_that_is_not_installed_is_named() {
    let place = Place::trusted(&[
        ("project/.toolsmith/tools/hello.ts", HELLO),
        ("home/.toolsmith/config.toml", "tools.hello.engine = \"bun\"\n"),
    ]);
    let said = place.run(&["call", "hello", "name=x"]).await;
    assert_eq!(said.code, 1);
    assert!(
        said.stderr.contains("it is configured to run in bun, which is not installed"),
        "{}",
        said.stderr
    );
    let listed = place.run(&["list", "--json"]).await.json();
    assert!(listed["refused"][0]["message"].as_str().unwrap().contains("bun"), "{listed:#}");
}

#[tokio::test]
async fn names_cannot_command_the_terminal() {
    let place = Place::new(&[
        ("project/.toolsmith/tools/a\u{1b}]0;owned\u{7}.ts", HELLO),
        ("project/.toolsmith/tools/b\u{1b}[2J.ts/x", ""),
        ("project/.toolsmith/config.toml", "\"\\u001b[2J\" = 1\n"),
    ]);
    for args in [&["list"][..], &["config"], &["call", "x"], &["trust", "--list"]] {
        let said = place.run(args).await;
        assert!(!said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'), "{args:?} {said:#?}");
    }
    let said = place.run(&["list", "--color", "always"]).await;
    assert!(!said.stdout.contains("\u{1b}]0;") && !said.stdout.contains("\u{1b}[2J"), "{}", said.stdout);
}

#[tokio::test]
async fn a_pipe_where_a_file_should_be_is_not_waited_for() {
    let place =
        Place::new(&[("project/.toolsmith/x", ""), ("home/.omp/plugins/node_modules/p/package.json", "{}")]);
    for name in [
        "project/.toolsmith/config.toml",
        "project/.toolsmith/plugin-overrides.json",
        "project/.toolsmith/tools/a.ts",
        "home/.claude/plugins/installed_plugins.json",
        "home/.omp/plugins/omp-plugins.lock.json",
    ] {
        std::fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        let made = Request::new("/usr/bin/mkfifo").args([place.path(name).display().to_string()]);
        assert_eq!(place.run_request(&made).await.code, 0);
    }
    let said = place.run(&["list"]).await;
    assert_eq!(said.code, 0);
    assert!(said.stdout.matches("it is not a regular file").count() >= 4, "{}", said.stdout);
    assert!(said.stdout.contains("a.ts is skipped because it is not a regular file"), "{}", said.stdout);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn names_that_are_not_utf_8_are_listed_as_json() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let place = Place::new(&[
        ("project/.omp/tools/x", ""),
        ("project/.toolsmith/rules/x", ""),
        ("project/script.json", r#"{"turns":["answer"]}"#),
    ]);
    let odd = |folder: &str, name: &[u8]| place.path(folder).join(OsStr::from_bytes(name));
    std::fs::write(odd("project/.omp/tools", b"inv\xff.ts"), "export default () => null;").unwrap();
    std::fs::write(odd("project/.toolsmith/rules", b"inv\xff.md"), "text").unwrap();
    let said = place.run(&["list", "--json"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.stdout.contains("inv\u{fffd}.ts"), "{}", said.stdout);

    place.run(&["-p", "--model", "script:script.json", "hi"]).await.expect(0);
    let folders = std::fs::read_dir(place.path("home/.toolsmith/sessions")).unwrap();
    let folder = folders.map(|folder| folder.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let session = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let session = session.into_iter().find(|path| path.extension() == Some(OsStr::new("jsonl"))).unwrap();
    std::fs::copy(session, folder.join(OsStr::from_bytes(b"n\xff.jsonl"))).unwrap();
    // A pipe among the sessions delays nothing.
    let made = Request::new("/usr/bin/mkfifo").args([folder.join("pipe.jsonl").display().to_string()]);
    assert_eq!(place.run_request(&made).await.code, 0);
    let said = place.run(&["sessions", "--json"]).await.expect(0);
    assert!(said.stdout.contains("n\u{fffd}.jsonl"), "{}", said.stdout);
    assert!(!said.stdout.contains("pipe.jsonl"), "{}", said.stdout);
}

/// A home that cannot be made, whoever runs the test.
const NO_HOME: &str = "/dev/null/home";

#[tokio::test]
async fn without_a_home_to_write_to_tools_are_made_and_prompts_answered() {
    let place = Place::new(&[("project/script.json", r#"{"turns":["answer"]}"#)]);
    let request = |args: &[&str]| place.request(args).env("HOME", NO_HOME);
    let made = place.run_request(&request(&["new", "hello"])).await;
    assert_eq!(made.code, 0, "{made:#?}");
    assert!(made.stderr.contains("the tool was created, but could not be trusted"), "{}", made.stderr);
    let called = place.run_request(&request(&["call", "hello", "name=World", "--trust"])).await;
    assert_eq!((called.code, called.stdout.as_str()), (0, "Hello, World!\n"));
    let asked = place.run_request(&request(&["-p", "--model", "script:script.json", "hi"])).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "answer\n"), "{asked:#?}");
    assert_eq!(asked.stderr.matches("the session is not stored").count(), 1, "{asked:#?}");
    let args = ["-p", "--no-session", "--model", "script:script.json", "hi"];
    let asked = place.run_request(&request(&args)).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "answer\n"));
}

#[tokio::test]
async fn a_limit_of_turns_is_one_or_more_and_says_how_to_go_on() {
    let script = r#"{"turns":[{"reply":[{"call":"ls","arguments":{}}]},"done"]}"#;
    let place = Place::new(&[("project/script.json", script)]);
    let run = ["-p", "--model", "script:script.json", "hi", "--max-turns"];
    let said = place.run(&[&run[..], &["0"]].concat()).await;
    assert!(said.code == 2 && said.stderr.contains("expected a number, 1 or more"), "{said:#?}");
    let said = place.run(&[&run[..], &["1"]].concat()).await;
    assert!(said.code == 1 && said.stderr.contains("--max-turns raises the limit"), "{said:#?}");
}

#[tokio::test]
async fn c2_8_a_tool_that_resembles_others_may_be_one_that_waits() {
    let place = Place::new(&[("project/.toolsmith/tools/several.ts", "export default () => null;")]);
    let said = place.run(&["call", "reed"]).await;
    assert!(
        said.stderr.contains("did you mean read") && said.stderr.contains("waiting for trust"),
        "{said:#?}"
    );
}

#[tokio::test]
async fn a_result_that_ends_its_last_line_gets_no_other_end() {
    let said = Workshop::new().run(&["call", "bash", "command=echo hi"]).await;
    assert_eq!(said.stdout, "hi\n", "{said:#?}");
}

#[tokio::test]
async fn a_pattern_that_is_none_fails_where_nothing_could_be_searched() {
    let place = Place::new(&[("project/a.rs", "fn main() {}\n")]);
    for args in [
        &["call", "ast_grep", "pat=fn ((("][..],
        &["call", "ast_edit", "--args", r#"{"ops":[{"pat":"fn (((","out":"x"}]}"#],
    ] {
        let said = place.run(args).await;
        assert_eq!(said.code, 1, "{said:#?}");
        assert!(format!("{said:?}").contains("Invalid pattern"), "{said:#?}");
    }
    for args in [
        &["call", "ast_grep", "pat=fn nowhere() {}"][..],
        &["call", "ast_grep", "pat=fn (((", "pat=fn main() {}"],
    ] {
        let said = place.run(args).await;
        assert_eq!(said.code, 0, "{said:#?}");
    }
}

#[tokio::test]
async fn a_reader_that_has_enough_is_no_failure() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    // The other end of the pipe is closed before the program begins.
    let script = "exec 3> >(exit); wait $!; \"$0\" \"$@\" >&3";
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["config"],
        &["config", "--keys"],
        &["doctor", "--set", "discovery.local_models=no"],
        &["sessions", "list"],
        &["undo", "--list"],
        &["trust", "--list"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut request = Request::new("/bin/bash")
            .args(["-c", script, env!("CARGO_BIN_EXE_toolsmith")])
            .args(args.iter().copied())
            .cwd(place.path("project"));
        request.clear_env = true;
        for (name, value) in place.variables() {
            request = request.env(name, value);
        }
        let said = place.run_request(&request).await;
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{args:?}");
    }
}

#[tokio::test]
async fn work_ends_when_nobody_reads_its_output_any_more() {
    let place = Place::trusted(&[(
        "project/.toolsmith/tools/slow.ts",
        r#"export default (pi) => ({ name: "slow", description: "d", parameters: { type: "object", properties: {} },
          approval: "read", async execute() { await new Promise((done) => setTimeout(done, 600_000)); } });"#,
    )]);
    place.write("project/.toolsmith/tools/slow.case.json", r#"{ "args": {}, "expect": {} }"#);
    place.write("project/script.json", r#"{"turns":[{"reply":[{"call":"slow","arguments":{}}]},"done"]}"#);
    // The reader goes away while the program works.
    let script = "exec 3> >(read -t 2; exit); \"$0\" \"$@\" >&3";
    for args in [
        &["call", "slow"][..],
        &["test"],
        &["dev", "slow"],
        &["-p", "hi", "--model", "script:script.json"],
        &["-p", "hi", "--model", "script:script.json", "--mode", "json"],
    ] {
        let mut request = Request::new("/bin/bash")
            .args(["-c", script, env!("CARGO_BIN_EXE_toolsmith")])
            .args(args.iter().copied())
            .timeout(std::time::Duration::from_secs(60))
            .cwd(place.path("project"));
        request.clear_env = true;
        for (name, value) in place.variables() {
            request = request.env(name, value);
        }
        let said = place.run_request(&request).await;
        assert_eq!(said.code, 141, "{args:?} {said:#?}");
        assert!(!said.stderr.contains("error"), "{args:?} {said:#?}");
    }
}

#[tokio::test]
async fn too_few_open_files_are_an_error_and_no_panic() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    for limit in 4..14 {
        for args in ["call hello name=x", "list", "doctor", "config", "check"] {
            let script = format!("ulimit -n {limit}; exec \"$0\" {args}");
            let mut request = Request::new("/bin/bash")
                .args(["-c", &script, env!("CARGO_BIN_EXE_toolsmith")])
                .cwd(place.path("project"));
            request.clear_env = true;
            for (name, value) in place.variables() {
                request = request.env(name, value);
            }
            let said = place.run_request(&request).await;
            assert!(matches!(said.code, 0 | 1), "{limit} {args} {said:#?}");
            assert!(!said.stderr.contains("panicked"), "{limit} {args} {said:#?}");
        }
    }
}

#[tokio::test]
async fn a_file_that_is_no_module_is_refused_with_what_modules_are_called() {
    let place = Place::new(&[("project/f.txt", HELLO), ("project/bare", HELLO), ("project/UP.TS", HELLO)]);
    for file in ["f.txt", "bare"] {
        let said = place.run(&["call", "hello", "name=x", "--tool", file]).await;
        assert_ne!(said.code, 0, "{said:#?}");
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(all.contains(&format!("{file} has the unsupported file extension")), "{said:#?}");
        assert!(all.contains(".ts, .mts, .cts, .js, .mjs or .cjs"), "{said:#?}");
    }
    let said = place.run(&["call", "hello", "name=x", "--tool", "UP.TS"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
}

#[tokio::test]
async fn c9_1_wrong_usage_repeats_arguments_on_one_line_without_hidden_characters() {
    let place = Place::new(&[]);
    let said = place.run(&["cache", "clear", "a\u{202e}b\u{200b}\nwarning: forged"]).await;
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains(r"a\u{202e}b\u{200b}\nwarning: forged"), "{}", said.stderr);
    assert!(!said.stderr.lines().any(|line| line.starts_with("warning: forged")), "{}", said.stderr);
}

#[tokio::test]
async fn changing_a_broken_settings_file_shows_no_key() {
    for line in [
        "api_key = \"sk-SECRET\\q\"",
        "api_key = sk-SECRET",
        "headers.Authorization = Bearer SECRET",
        "base_url = \"http://u:SECRET@h/",
    ] {
        let place = Place::new(&[]);
        place.write("home/.toolsmith/config.toml", &format!("[providers.z]\n{line}\n"));
        for args in [&["config", "set", "limits.call", "5s"][..], &["config", "unset", "limits.call"]] {
            let said = place.run(args).await;
            assert!(said.code != 0 && said.stderr.contains("config.toml:2:"), "{said:#?}");
            assert!(!format!("{said:?}").contains("SECRET"), "{said:#?}");
        }
    }
}
