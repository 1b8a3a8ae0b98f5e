//! Prepares the JavaScript that is built into the crate: installs the schema libraries from npm by their lock file,
//! bundles them, and compiles them and our own modules to bytecode.
#![allow(
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a build script starts programs and fails by panicking"
)]

#[path = "build/bundle.rs"]
mod bundle;
#[path = "build/bytecode.rs"]
mod bytecode;
#[path = "build/lazy.rs"]
mod lazy;
#[path = "build/npm.rs"]
mod npm;
#[path = "build/sidecar.rs"]
mod sidecar;
#[path = "build/unbundled.rs"]
mod unbundled;

use std::{env, path::PathBuf};

fn main() {
    for input in ["build.rs", "build", "js", "npm"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_else(|| panic!("cargo sets OUT_DIR")));
    let libraries = out.join("npm");
    npm::install(&libraries);
    let mut modules = bundle::libraries(&libraries, &out.join("bundles"));
    modules.extend(unbundled::zod(&libraries));
    modules.push(bundle::kernel(&libraries, &out.join("kernel.js")));
    modules.extend(bytecode::own_modules());
    bytecode::compile(modules, &out);
    sidecar::program(&libraries, &out);
}
