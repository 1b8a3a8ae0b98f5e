//! Takes the versions of what is built in from the lock files, so that `--version` cannot name wrong ones.
#![allow(clippy::panic, reason = "a build script fails by panicking")]

use std::{env, fs, path::PathBuf};

/// Packages of the lock file that decide how tools behave.
const CRATES: &[&str] =
    &["rquickjs", "oxc", "oxc_resolver", "ast-grep-core", "jsonschema", "reqwest", "rustls"];
const CARGO_LOCK: &str = "../../Cargo.lock";
const NPM_MANIFEST: &str = "../js/npm/package.json";
const NPM_LOCK: &str = "../js/npm/package-lock.json";

fn main() {
    for input in ["build.rs", CARGO_LOCK, NPM_MANIFEST, NPM_LOCK] {
        println!("cargo::rerun-if-changed={input}");
    }
    // A program that may be loaded anywhere has its addresses written into it anew at each start: a tenth of what `call`
    // takes. Bun and Node are linked for one place as well; libraries, heaps and stacks still lie anywhere.
    if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    let lock = read(CARGO_LOCK);
    let crates = CRATES.iter().map(|name| (*name, crate_version(&lock, name))).collect::<Vec<_>>();

    let manifest: serde_json::Value = parse(NPM_MANIFEST);
    let lock: serde_json::Value = parse(NPM_LOCK);
    let names = manifest["dependencies"].as_object().map(|names| names.keys().map(String::as_str));
    let libraries = names.into_iter().flatten().map(|name| {
        let version = lock["packages"][format!("node_modules/{name}")]["version"].as_str();
        (name, version.unwrap_or_else(|| panic!("{NPM_LOCK} does not name {name}")).to_owned())
    });
    let text = format!(
        "/// Packages by the lock file, with their versions.\n\
         const CRATES: &[(&str, &str)] = &{crates:?};\n\
         /// JavaScript libraries by their lock file, with their versions.\n\
         const LIBRARIES: &[(&str, &str)] = &{:?};\n",
        libraries.collect::<Vec<_>>()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_else(|| panic!("cargo sets OUT_DIR")));
    fs::write(out.join("versions.rs"), text).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn parse(path: &str) -> serde_json::Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The version in Cargo.lock, which has the name and the version of a package on two lines.
fn crate_version(lock: &str, name: &str) -> String {
    let mut lines = lock.lines();
    let line = format!("name = \"{name}\"");
    lines.find(|found| *found == line).unwrap_or_else(|| panic!("{CARGO_LOCK} does not name {name}"));
    let version = lines.next().and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.unwrap_or_else(|| panic!("{CARGO_LOCK} has no version of {name}")).to_owned()
}
