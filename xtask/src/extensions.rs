//! `cargo xtask extensions`: fetches the example extensions of pi and oh-my-pi, which the tests of official extensions run,
//! and measures how many of them load and how many have nothing that is ignored.

#![allow(clippy::disallowed_methods, reason = "a task starts programs")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::{cargo, root};

/// Packages with examples, and where their extensions are.
const PACKAGES: &[(&str, &str, &[&str])] = &[
    ("pi", "@earendil-works/pi-coding-agent@1.5.0", &["examples/extensions"]),
    ("omp", "@oh-my-pi/pi-coding-agent@18.3.4", &["examples/extensions", "examples/hooks"]),
];
/// Packages that the examples import.
const IMPORTED: &[&str] = &["ms@2.1.3", "chalk@5.4.1", "@anthropic-ai/sdk@0.61.0"];

/// Fetches the examples if needed, and measures them; `more` names further extensions or directories of them.
pub(crate) fn run(more: &[&str]) -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let folder = target.join("extension-packages");
    if !folder.join("node_modules").is_dir() {
        fetch(&folder)?;
    }
    cargo(&["build", "--quiet", "--package", "toolsmith-cli"])?;
    let program = target.join("debug/toolsmith");
    let mut files = Vec::new();
    for (name, ..) in PACKAGES {
        files.extend(modules(&folder.join(name))?);
    }
    for path in more {
        let path = Path::new(path);
        files.extend(if path.is_dir() { modules(path)? } else { vec![path.to_path_buf()] });
    }
    measure(&program, &files)
}

fn fetch(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    run_in(folder, "npm", &[&["install", "--ignore-scripts", "--no-audit", "--no-fund"], IMPORTED].concat())?;
    for (name, package, sources) in PACKAGES {
        let unpacked = folder.join(format!(".{name}"));
        fs::create_dir_all(&unpacked)?;
        run_in(&unpacked, "npm", &["pack", package])?;
        let archive = fs::read_dir(&unpacked)?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
            .with_context(|| format!("npm gave no archive of {package}"))?;
        run_in(&unpacked, "tar", &["xzf", &archive.to_string_lossy()])?;
        fs::create_dir_all(folder.join(name))?;
        for source in *sources {
            let from = unpacked.join("package").join(source).join(".");
            run_in(folder, "cp", &["-r", &from.to_string_lossy(), name])?;
        }
        fs::remove_dir_all(&unpacked)?;
    }
    Ok(())
}

fn run_in(folder: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let status = Command::new(program).args(arguments).current_dir(folder).status();
    let status = status.with_context(|| format!("{program} could not be started"))?;
    ensure!(status.success(), "{program} {} failed", arguments.join(" "));
    Ok(())
}

/// The extensions in a directory: its modules, and its directories with an index or a manifest.
fn modules(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} is not there", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_module = path.extension().is_some_and(|extension| extension == "ts" || extension == "js");
        let is_package = path.join("index.ts").is_file() || path.join("package.json").is_file();
        if (is_module && !name.ends_with(".d.ts") && !name.contains(".test."))
            || (is_package && name != "node_modules")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Loads each by itself, so that none is in another's way.
fn measure(program: &Path, files: &[PathBuf]) -> Result<()> {
    let home = tempfile::tempdir()?;
    let (mut loaded, mut whole) = (0, 0);
    for file in files {
        let output = Command::new(program)
            .args(["list", "--json", "--no-extensions", "-e"])
            .arg(file)
            .current_dir(home.path())
            .env("HOME", home.path())
            .output()?;
        let listed: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{}: {}", file.display(), String::from_utf8_lossy(&output.stderr)))?;
        let refused = listed["refused"].as_array().into_iter().flatten().next();
        if let Some(refused) = refused {
            println!("not loaded: {}: {}", file.display(), refused["message"].as_str().unwrap_or_default());
            continue;
        }
        loaded += 1;
        let extensions = listed["extensions"].as_array().into_iter().flatten();
        let ignored: Vec<&str> = extensions
            .flat_map(|extension| extension["unsupported"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        match ignored.as_slice() {
            [] => whole += 1,
            ignored => println!("ignored: {}: {}", file.display(), ignored.join("; ")),
        }
    }
    let percent = |count: usize| count * 100 / files.len().max(1);
    println!(
        "{} extensions: {loaded} load ({} %), {whole} with nothing ignored ({} %)",
        files.len(),
        percent(loaded),
        percent(whole)
    );
    Ok(())
}
