//! Credentials in every place of a recording, and what a replay says about questions it does not know.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::json;

use super::*;

const SECRET: &str = "s3cr3t-v4lue";

fn exchange(ask: &str, args: Vec<Value>, answer: Answer) -> Exchange {
    Exchange { ask: ask.to_owned(), args, answer }
}

#[test]
fn no_credential_stays_in_a_recording() {
    let request = json!({
        "method": "GET",
        "url": format!("https://me:{SECRET}@example.com/a?b=c&access_token={SECRET}"),
        "headers": [["Authorization", format!("Bearer {SECRET}")], ["cookie", SECRET], ["X-Api-Key", SECRET], ["accept", "x"]],
    });
    let head = json!({ "status": 200, "headers": [["set-cookie", SECRET]], "url": format!("https://e/?key={SECRET}") });
    let hex: String =
        format!("\u{1}{SECRET}").bytes().chain([0xff]).map(|byte| format!("{byte:02x}")).collect();
    let recording = Recording {
        exchanges: vec![
            exchange("variable", vec![json!("GITHUB_TOKEN")], Answer::Returns(json!(SECRET))),
            exchange("variable", vec![json!("HOME")], Answer::Returns(json!("/users/me"))),
            exchange(
                "fetchStart",
                vec![json!(request.to_string())],
                Answer::Resolves(json!(head.to_string())),
            ),
            exchange(
                "fetchRead",
                vec![json!(1)],
                Answer::Resolves(json!({ "$text": format!("you sent {SECRET}") })),
            ),
            exchange(
                "exec",
                vec![json!(format!("{{\"args\":[\"{SECRET}\"]}}"))],
                Answer::Rejects(json!({ "message": SECRET })),
            ),
            exchange("fsNow", vec![json!("readFile")], Answer::Returns(json!({ "$hex": hex }))),
            exchange(
                "processRun",
                vec![json!(json!({ "file": "a", "env": { "X": "not searched for" } }).to_string())],
                Answer::Throws(json!(SECRET)),
            ),
            exchange(
                "streamWrite",
                vec![json!("GET / HTTP/1.1\r\nAuthorization: Basic abc\r\n\r\n")],
                Answer::Pending(true),
            ),
        ],
        ..Recording::default()
    };
    let text = serde_json::to_string(&recording.redacted(&[])).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    let hidden: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!text.contains(&hidden), "{text}");
    assert!(!text.contains("Basic abc") && !text.contains("not searched for"), "{text}");
    assert!(text.contains("/users/me") && text.contains("accept"), "{text}");
}

#[test]
fn no_form_of_a_credential_stays_in_a_recording() {
    let key = "-----BEGIN KEY-----\nAAAA\"B\\C D%E/f+g\n-----END KEY-----\n";
    let in_json = json!({ "key": key }).to_string();
    let program = json!({
        "command": "curl",
        "args": [
            "-H", "Authorization: Bearer given-1", "https://u:given-2@h/a?b=c&token=given-3",
            "--password=given-4", "--api-key", "given-5", "--passphrase", "given-a", "-ume:given-b",
            "http.extraHeader=Authorization: Basic given-c",
            "curl -H 'X-Api-Key: given-6' \"http://h/?access_token=given-7&x=kept\"",
        ],
        "env": { "OTHER_TOKEN": "given-8", "A_BEARER": "given-d", "SESSION_COOKIE": "given-e", "PLAIN": "kept-too" },
        "stdin": key,
    });
    let url = format!("https://h/{}?q={}", percent(key, "%20"), percent(key, "+"));
    let base64 = "LS0tLS1CRUdJTiBLRVktLS0tLQpBQUFBIkJcQyBEJUUvZitnCi0tLS0tRU5EIEtFWS0tLS0tCg==";
    let recording = Recording {
        exchanges: vec![
            exchange("variable", vec![json!("DEPLOY_PRIVATE_KEY")], Answer::Returns(json!(key))),
            exchange(
                "exec",
                vec![json!(program.to_string())],
                Answer::Resolves(json!(
                    json!({ "stdout": in_json, "stderr": "given-1 given-5 given-8" }).to_string()
                )),
            ),
            exchange(
                "fetchStart",
                vec![json!(json!({ "url": url, "headers": [] }).to_string())],
                Answer::Pending(true),
            ),
            exchange("fsNow", vec![json!("writeFile"), json!(base64)], Answer::Returns(Value::Null)),
            exchange(
                "streamWrite",
                vec![json!(
                    "GET /h?token=given-9 HTTP/1.1\r\nHost: h\r\nCookie: a=\"given-0\"; b=given-0\r\n\r\n"
                )],
                Answer::Pending(true),
            ),
        ],
        ..Recording::default()
    };
    let redacted = recording.redacted(&[]);
    let text = serde_json::to_string(&redacted).unwrap();
    for part in ["AAAA", "given-", "QUFBQS", "BEGIN"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("kept") && text.contains("kept-too") && text.contains("Host: h"), "{text}");
    assert_eq!(redacted.clone().redacted(&[]), redacted, "a redacted recording changes no more");
}

/// Percent-encodes everything but letters and digits.
fn percent(text: &str, space: &str) -> String {
    let encode = |byte: u8| match byte {
        b' ' => space.to_owned(),
        byte if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[test]
fn a_redacted_question_is_found_again() {
    let request = |token: &str| {
        json!(
            json!({ "url": format!("https://e/?token={token}"), "headers": [["authorization", token]] })
                .to_string()
        )
    };
    let tape = CallTape::record(10_000);
    let slot = tape.keep(exchange("fetchStart", vec![request(SECRET)], Answer::Pending(true)));
    tape.settle(slot, Answer::Resolves(json!("ok")));
    let tape = CallTape::play_back(tape.take().redacted(&[]));
    assert_eq!(tape.answer("fetchStart", vec![request(REDACTED)]).unwrap(), Answer::Resolves(json!("ok")));
    let error = tape.answer("fetchStart", vec![request(REDACTED)]).unwrap_err();
    assert!(error.starts_with("not in the recording: fetchStart"), "{error}");
    assert_eq!(tape.end().missing.len(), 1);
}

#[test]
fn a_recording_is_bounded() {
    let tape = CallTape::record(1000);
    for _ in 0..100 {
        tape.keep(exchange("fsNow", vec![json!("x".repeat(100))], Answer::Returns(Value::Null)));
        tape.clock(1.0);
    }
    let recording = tape.take();
    assert!(recording.incomplete.is_some() && recording.exchanges.is_empty() && recording.clock.is_empty());
}

#[test]
fn a_credential_that_only_the_load_read_is_removed_from_the_call_and_the_other_way_round() {
    let variable = |name: &str, value: &str| Exchange {
        ask: "variable".to_owned(),
        args: vec![json!(name)],
        answer: Answer::Returns(json!(value)),
    };
    let file = |text: &str| Exchange {
        ask: "fsNow".to_owned(),
        args: vec![json!("/work/file")],
        answer: Answer::Returns(json!(text)),
    };
    let load = LoadRecording {
        module: "/work/tool.ts".to_owned(),
        asked: Recording {
            exchanges: vec![variable("LOAD_TOKEN", "of-the-load"), file("has of-the-call")],
            ..Recording::default()
        },
        ..LoadRecording::default()
    };
    let recording = Recording {
        exchanges: vec![variable("CALL_TOKEN", "of-the-call"), file("has of-the-load")],
        load: Some(Box::new(load)),
        ..Recording::default()
    };
    let secrets = recording.secrets(&[]);
    let text = serde_json::to_string(&recording.redacted(&secrets).replacing("/work", CWD_MARK)).unwrap();
    assert!(!text.contains("of-the-"), "{text}");
    assert!(!text.contains("/work") && text.contains("<cwd>/tool.ts"), "{text}");
}

#[test]
fn a_load_is_sealed_by_the_end_of_the_first_call() {
    let asked = |name: &str| Exchange { ask: name.to_owned(), args: vec![], answer: Answer::Pending(true) };
    let load = LoadTape { instance: "1".into(), module: "m".into(), tape: CallTape::record(1_000) };
    let slot = load.tape.keep(asked("first"));
    load.tape.set_complete();
    load.tape.settle(slot, Answer::Resolves(json!(1)));
    let (one, two) = (CallTape::record(1_000), CallTape::record(1_000));
    one.set_load(&load);
    two.set_load(&load);
    let first = one.take().load.unwrap();
    load.tape.keep(asked("second"));
    load.tape.settle(slot, Answer::Resolves(json!(2)));
    assert_eq!(two.take().load.unwrap(), first);
    assert_eq!(first.asked.exchanges[0].answer, Answer::Resolves(json!(1)));
    assert_eq!(first.asked.exchanges.len(), 1);
}

#[test]
fn the_working_directory_of_a_shell_is_no_credential() {
    assert!(!is_secret_variable_name("PWD") && is_secret_variable_name("DB_PWD"));
    assert!(is_secret_name("pwd"), "as a key of a query it is");
}

#[test]
fn credentials_inside_of_base64_and_scripts_do_not_stay_in_a_recording() {
    use base64::{Engine as _, engine::general_purpose::*};
    let program = json!({
        "command": "sh",
        "args": [
            "-c", "curl --password given-1 --token=given-2 -u me:given-3; DB_PASSWORD='given-4' PWD=/kept run", "-u", "me:given-5",
            "--header=Authorization: Bearer given-6", "API_TOKEN=given-7",
            STANDARD.encode(format!("user:{SECRET}")), URL_SAFE_NO_PAD.encode(format!("{{\"a\":\"??>>{SECRET}\"}}")),
        ],
    });
    let recording = Recording {
        exchanges: vec![
            exchange("variable", vec![json!("GITHUB_TOKEN")], Answer::Returns(json!(SECRET))),
            exchange(
                "variable",
                vec![json!("DATABASE_URL")],
                Answer::Returns(json!("postgres://app:given-8@db/kept-db")),
            ),
            exchange(
                "exec",
                vec![json!(program.to_string())],
                Answer::Resolves(json!("said given-3 and given-8")),
            ),
        ],
        ..Recording::default()
    };
    let redacted = recording.redacted(&[]);
    let text = serde_json::to_string(&redacted).unwrap();
    assert!(!text.contains("given-") && text.contains("/kept") && text.contains("kept-db"), "{text}");
    for encoded in [
        STANDARD.encode(format!("user:{SECRET}")),
        URL_SAFE_NO_PAD.encode(format!("{{\"a\":\"??>>{SECRET}\"}}")),
    ] {
        assert!(!text.contains(&encoded), "{encoded}: {text}");
    }
    assert!(text.contains(&STANDARD.encode("user:<redacted>")), "{text}");
    assert_eq!(redacted.clone().redacted(&[]), redacted, "a redacted recording changes no more");
}

#[test]
fn a_quoted_value_in_a_script_is_a_credential_to_its_end() {
    let script = |text: &str| {
        let run = json!({ "command": "sh", "args": ["-c", text] }).to_string();
        let recording = Recording {
            exchanges: vec![exchange("exec", vec![json!(run)], Answer::Pending(true))],
            ..Recording::default()
        };
        let hidden = recording.redacted(&[]);
        let run: Value = serde_json::from_str(hidden.exchanges[0].args[0].as_str().unwrap()).unwrap();
        // What is hidden once is hidden in the same way: a replayed call is found.
        let again = hidden.clone().redacted(&[]);
        assert_eq!(again, hidden);
        run["args"][1].as_str().unwrap().to_owned()
    };
    for (text, hidden) in [
        ("export A_TOKEN=\"two words\"; ls", "export A_TOKEN=\"<redacted>\"; ls"),
        ("x --token=\"two words\" kept", "x --token=\"<redacted>\" kept"),
        ("x --password 'two words' kept", "x --password \"<redacted>\" kept"),
        ("x; A_TOKEN=$'two \\' words' kept", "x; A_TOKEN=\"<redacted>\" kept"),
        ("sh -c \"A_TOKEN=\\\"two words\\\" kept\" too", "sh -c \"A_TOKEN=\"<redacted>\" kept\" too"),
        ("x; A_TOKEN=one\"and two\"three kept", "x; A_TOKEN=<redacted> kept"),
        ("curl -u \"me:two words\" kept", "curl -u \"me:<redacted>\" kept"),
        ("sh -c \"A_TOKEN=word\" kept \"more kept\"", "sh -c \"A_TOKEN=<redacted>\" kept \"more kept\""),
        ("x; A_TOKEN=\"no end", "x; A_TOKEN=\"<redacted>\""),
    ] {
        assert_eq!(script(text), hidden, "{text}");
    }
}

#[test]
fn credentials_in_pieces_lines_digits_and_variables_are_removed() {
    let encoded = "eHh4eHh4eHh4eHh4eHh4eHh4eHh4IHMzY3IzdC12\nNGx1ZSB5eXl5eXl5eXl5eXk=\n";
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02X}")).collect();
    let run =
        json!({ "command": "psql", "args": [], "env": { "DATABASE_URL": "postgres://u:in-a-url@h/db" } });
    let read =
        |text: &str| exchange("processRead", vec![json!(3)], Answer::Resolves(json!({ "$text": text })));
    let recording = Recording {
        exchanges: vec![
            read("before s3cr"),
            exchange("processRead", vec![json!(4)], Answer::Resolves(json!({ "$text": "another stream" }))),
            read("3t-v4"),
            read("lue after"),
            exchange("fsNow", vec![json!("readFile")], Answer::Returns(json!({ "$text": encoded }))),
            exchange("fsNow", vec![json!("readFile")], Answer::Returns(json!({ "$text": hex }))),
            exchange("exec", vec![json!(run.to_string())], Answer::Pending(true)),
        ],
        ..Recording::default()
    };
    let hidden = recording.redacted(&[SECRET.to_owned()]);
    let text = serde_json::to_string(&hidden).unwrap();
    assert!(!text.contains("s3cr") && !text.contains("3t-v4") && !text.contains("lue after"), "{text}");
    assert!(text.contains("before <redacted>") && text.contains("another stream"), "{text}");
    assert!(!text.contains(&hex) && !text.contains("in-a-url") && text.contains("@h/db"), "{text}");
    let Answer::Returns(answer) = &hidden.exchanges[4].answer else { panic!("{text}") };
    let lines: Vec<&str> = answer["$text"].as_str().unwrap().lines().collect();
    assert!(lines.len() > 1 && !text.contains("NGx1ZSB5"), "{text}");
}
