//! What is built in: what `--version` names, compared with the lock files, and the licences.

use std::{fs, path::Path};

use serde_json::Value;

use crate::workshop::Workshop;

fn repository(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

#[tokio::test]
async fn a_short_version_is_one_line_and_a_long_one_names_what_is_built_in() {
    let shop = Workshop::new();
    let short = shop.run(&["-V"]).await.expect(0).stdout;
    assert_eq!(short, concat!("toolsmith ", env!("CARGO_PKG_VERSION"), "\n"));

    let long = shop.run(&["--version"]).await.expect(0).stdout;
    assert!(long.starts_with(&short), "{long}");
    assert!(long.contains("\nengine:    QuickJS-NG 0."), "{long}");
    let lock: Value = serde_json::from_str(&repository("crates/js/npm/package-lock.json")).unwrap();
    for name in ["zod", "@sinclair/typebox", "typebox", "arktype"] {
        let version = lock["packages"][format!("node_modules/{name}")]["version"].as_str().unwrap();
        assert!(long.contains(&format!("{name} {version}")), "{name} {version} in {long}");
    }
    assert!(!long.contains("esbuild"), "it is not built in");
    let lock = repository("Cargo.lock");
    for name in ["rquickjs", "oxc"] {
        let at = lock.find(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        let version = lock[at..].split('"').nth(3).unwrap();
        assert!(long.contains(&format!("{name} {version}")), "{name} {version} in {long}");
    }
}

#[tokio::test]
async fn the_licences_of_what_is_built_in_are_printed() {
    let printed = Workshop::new().run(&["licenses"]).await.expect(0).stdout;
    for part in ["* crate rquickjs ", "* npm zod ", "Permission is hereby granted", "Fabrice Bellard"] {
        assert!(printed.contains(part), "{part}");
    }
}

#[tokio::test]
async fn update_names_the_installation_and_the_command_to_run() {
    let shop = Workshop::new();
    let said = shop.run(&["update"]).await.expect(0).stdout;
    assert!(said.starts_with(concat!("toolsmith ", env!("CARGO_PKG_VERSION"), ", installed by ")), "{said}");
    assert!(said.contains("\nTo update, run:\n  git pull && cargo build --release"), "{said}");
    let json = shop.run(&["update", "--json"]).await.expect(0).json();
    assert_eq!(json["installedBy"], "building a checkout");
}
