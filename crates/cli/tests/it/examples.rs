//! The tools in `examples/`: checked, tested by their case files, and called where a case cannot say it.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

use crate::{compiler, workshop::Workshop};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

fn module(name: &str) -> String {
    examples().join("tools").join(name).display().to_string()
}

/// A repository with these files tracked.
async fn repository(files: &[(&str, &[u8])]) -> Workshop {
    let shop = Workshop::new();
    for (name, bytes) in files {
        shop.write(name, bytes);
    }
    for args in [&["init", "-q"][..], &["add", "-A"]] {
        shop.finish(&shop.request("git").args(args.iter().copied())).await.expect(0);
    }
    shop
}

#[tokio::test]
async fn nothing_is_found_in_the_examples_also_by_the_compiler() {
    let Some(programs) = compiler::programs().await else { return };
    let shop = Workshop::new().with_programs(programs);
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    for folder in [examples().join("tools"), demo] {
        let folder = folder.display().to_string();
        let said = shop.run(&["check", "--strict", "--json", &folder]).await.expect(0);
        assert_eq!(said.json()["findings"], serde_json::json!([]), "{said:#?}");
    }
}

#[tokio::test]
async fn the_cases_of_the_examples_hold_and_every_tool_has_some() {
    let shop = Workshop::new();
    let folder = examples().join("tools");
    let said = shop.run(&["test", &folder.display().to_string()]).await.expect(0);
    assert!(said.stdout.contains(" passed, 0 failed"), "{said:#?}");
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for module in names.filter(|path| path.extension().is_some_and(|extension| extension == "ts")) {
        let has_case = module.with_extension("case.json").exists();
        // A case does not answer what is asked of the network; see below.
        assert!(has_case || module.ends_with("http_probe.ts"), "{} has no case", module.display());
    }
}

#[tokio::test]
async fn c8_3_batch_rename_renames_when_applied_and_not_when_discarded() {
    let shop = Workshop::new();
    shop.write("n/a", "from a");
    shop.write("n/aa", "from aa");
    let tool = module("batch_rename.ts");
    // The first gets the name the second has.
    let call = ["call", "--tool", &tool, "batch_rename", "folder=n", "pattern=^a", "replacement=aa"];
    let open = shop.run(&call).await.expect(3);
    assert!(open.stdout.contains("a → aa\naa → aaa"), "{open:#?}");
    let discarded = shop.run(&[&call[..], &["--discard"]].concat()).await.expect(0);
    assert!(discarded.stdout.contains("Discarded: Rename 2 files in n"), "{discarded:#?}");
    assert_eq!(shop.read("n/a"), "from a");
    let applied = shop.run(&[&call[..], &["--apply"]].concat()).await.expect(0);
    assert!(applied.stdout.ends_with("Renamed 2 files.\n"), "{applied:#?}");
    assert_eq!((shop.read("n/aa"), shop.read("n/aaa")), ("from a".to_owned(), "from aa".to_owned()));
    assert_eq!(fs::read_dir(shop.work.join("n")).unwrap().count(), 2);
}

#[tokio::test]
async fn c8_3_license_header_writes_when_applied_and_can_be_undone() {
    let latin = b"// caf\xe9\n";
    let before: &[(&str, &[u8])] = &[
        ("a.ts", b"let a;\r\nlet b;\r\n"),
        ("b.py", b"#!/usr/bin/env python3\nb = 1\n"),
        ("empty.rs", b""),
        ("latin.c", latin),
        ("has.c", b"/* SPDX-License-Identifier: MIT */\n"),
        ("notes.md", b"# Notes\n"),
    ];
    let shop = repository(before).await;
    let tool = module("license_header.ts");
    let call = ["call", "--tool", &tool, "license_header"];
    let discarded = shop.run(&[&call[..], &["--discard"]].concat()).await.expect(0);
    assert!(discarded.stdout.contains("+ a.ts\n+ b.py\n+ empty.rs\n"), "{discarded:#?}");
    for (name, bytes) in before {
        assert_eq!(fs::read(shop.work.join(name)).unwrap(), *bytes, "{name}");
    }
    shop.run(&[&call[..], &["--apply"]].concat()).await.expect(0);
    let header = "SPDX-License-Identifier: MIT";
    assert_eq!(shop.read("a.ts"), format!("// {header}\r\nlet a;\r\nlet b;\r\n"));
    assert_eq!(shop.read("b.py"), format!("#!/usr/bin/env python3\n# {header}\nb = 1\n"));
    assert_eq!(shop.read("empty.rs"), format!("// {header}\n"));
    assert_eq!(fs::read(shop.work.join("latin.c")).unwrap(), latin, "what is not UTF-8 stays");
    let again = shop.run(&call).await.expect(0);
    assert!(again.stdout.contains("none lacks it"), "{again:#?}");
    shop.run(&["undo"]).await.expect(0);
    for (name, bytes) in before {
        assert_eq!(fs::read(shop.work.join(name)).unwrap(), *bytes, "{name}");
    }
}

/// Answers every request by its path, until the test ends.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => request.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let head = |line: &str, more: &str| format!("HTTP/1.1 {line}\r\nconnection: close\r\n{more}\r\n");
    let plain = "content-type: text/plain\r\ncontent-length: 5\r\n";
    let said = match path {
        "/moved" => head("302 Found", "location: /there\r\ncontent-length: 0\r\n"),
        "/round" => head("302 Found", "location: /round\r\ncontent-length: 0\r\n"),
        "/missing" => head("404 Not Found", "content-length: 4\r\n") + "gone",
        "/endless" => head("200 OK", ""),
        // Never more than its head.
        "/silent" => head("200 OK", plain),
        _ if request.starts_with("HEAD") => head("200 OK", plain),
        _ => head("200 OK", plain) + "there",
    };
    let _ = stream.write_all(said.as_bytes());
    if path == "/silent" {
        // Until the other side has had enough.
        while matches!(stream.read(&mut buffer), Ok(1..)) {}
    } else if path == "/endless" {
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    }
}

#[tokio::test]
async fn http_probe_says_how_an_address_answers() {
    let shop = Workshop::new();
    let (tool, server) = (module("http_probe.ts"), server());
    let probe = async |path: &str, more: &[&str]| {
        let url = format!("url={server}{path}");
        let said = shop.run(&[&["call", "--tool", &tool, "http_probe", &url], more].concat()).await;
        (said.code, said.stdout.replace(&server, "[SERVER]"), said.stderr.replace(&server, "[SERVER]"))
    };
    let (code, out, err) = probe("/moved", &[]).await;
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("200 OK\nredirect: 302 → [SERVER]/there\ntime: "), "{out}");
    assert!(out.ends_with("type: text/plain\nsize: 5 bytes\n\nthere\n"), "{out}");
    assert!(err.contains("GET [SERVER]/moved\nGET [SERVER]/there"), "{err}");
    let (code, out, err) = probe("/there", &["method=HEAD"]).await;
    assert!(code == 0 && out.ends_with("type: text/plain\nsize: 5 bytes\n"), "{out}{err}");
    let (code, out, err) = probe("/missing", &["preview=2"]).await;
    assert!(code == 1 && err.contains("404 Not Found") && err.ends_with("\n\n    go\n"), "{out}{err}");
    let (code, out, err) = probe("/round", &[]).await;
    assert!(code == 1 && err.contains("More than 10 redirects"), "{out}{err}");
    let (code, out, err) = probe("/silent", &["timeout=0.3"]).await;
    assert!(code == 1 && err.contains("No whole answer within 0.3 s from [SERVER]/silent"), "{out}{err}");
    let (code, out, err) = probe("/endless", &["preview=3"]).await;
    assert!(code == 0 && out.ends_with(" bytes and more\n\nxxx\n"), "{out}{err}");
    let (code, out, err) = probe("", &["url=file:///etc/passwd"]).await;
    assert!(code != 0 && !out.contains("root"), "{out}{err}");
}
