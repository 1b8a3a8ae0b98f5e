//! Compiles the supervisor (`supervisor/main.rs`) for the target, to be carried inside this crate. A library has no second
//! binary to rely on at run time, and a stable cargo cannot depend on one, so the compiler is called directly.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a build script starts the compiler and fails by panicking"
)]

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn main() {
    println!("cargo::rerun-if-changed=supervisor/main.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR")).join("toolsmith-supervisor");
    // Linked statically it starts in two thirds of the time. Where the static C library is not installed, the
    // ordinary one does.
    let quick = compile(&out, &["-Ctarget-feature=+crt-static", "-Crelocation-model=static"]);
    if !quick.status.success() {
        let plain = compile(&out, &[]);
        if !plain.status.success() {
            panic!("the supervisor could not be compiled:\n{}", String::from_utf8_lossy(&plain.stderr));
        }
    }
}

fn variable(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"))
}

fn compile(out: &Path, linking: &[&str]) -> Output {
    let mut compiler = Command::new(variable("RUSTC"));
    compiler
        .args([
            "--edition=2024",
            "--crate-name=toolsmith_supervisor",
            "-Copt-level=s",
            "-Cpanic=abort",
            "-Clto=fat",
        ])
        .args(["-Cstrip=symbols", "--target"])
        .arg(variable("TARGET"))
        .args(linking)
        .arg("-o")
        .arg(out)
        .arg("supervisor/main.rs");
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("-Clinker=");
        option.push(linker);
        compiler.arg(option);
    }
    match compiler.output() {
        Ok(output) => output,
        Err(error) => panic!("the compiler could not be started: {error}"),
    }
}
