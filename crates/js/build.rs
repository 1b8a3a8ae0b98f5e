//! Compiles the JavaScript that is built into the crate to bytecode: our own modules, and the libraries that `generated`
//! holds. Without that folder, or if it is out of date, it is prepared in the build directory, which needs npm.
#![allow(
    clippy::exit,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a build script starts programs and fails by panicking"
)]

#[cfg(feature = "engine")]
#[path = "build/bytecode.rs"]
mod bytecode;
#[cfg(feature = "engine")]
#[path = "build/prepare.rs"]
mod prepare;
#[cfg(feature = "engine")]
#[path = "build/versions.rs"]
mod versions;

/// Without the engine there is nothing to compile.
#[cfg(not(feature = "engine"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

#[cfg(feature = "engine")]
fn main() {
    use std::{
        env, fs,
        path::{Path, PathBuf},
    };

    for input in ["build.rs", "build", "js", "npm"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_else(|| panic!("cargo sets OUT_DIR")));
    let (root, generated) = (Path::new("."), Path::new(prepare::GENERATED));
    // A path that does not exist would make cargo run this again each time.
    if generated.exists() {
        println!("cargo::rerun-if-changed={}", prepare::GENERATED);
    }
    let own = out.join("prepared");
    let folder = if prepare::is_current(root, generated) { generated } else { own.as_path() };
    if folder == own && !prepare::is_current(root, &own) {
        if !prepare::has_npm() {
            println!(
                "cargo::error={} is missing or out of date, and npm is not on the PATH: install Node.js with npm, or copy \
                 the folder that `cargo xtask js` writes where they are installed",
                env::current_dir().unwrap_or_default().join(generated).display()
            );
            std::process::exit(1);
        }
        prepare::prepare(root, &out.join("npm"), &own);
    }
    let mut modules = bytecode::prepared_modules(folder);
    modules.extend(bytecode::own_modules());
    bytecode::compile(modules, &out);
    let (from, to) = (folder.join("sidecar.cjs"), out.join("sidecar.cjs"));
    fs::copy(&from, &to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    versions::write(&out);
}
