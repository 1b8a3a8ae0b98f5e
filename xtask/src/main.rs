//! Repository tasks, run as `cargo xtask <task>`: `tidy` checks the rules of the repository, `compat` writes the
//! table of what modules can use, `conformance` runs the MCP test suites, `docs` writes the pages that are made from the
//! code, `notices` the licences of what is built in, `js` the JavaScript that packages hold, `package` builds packages, `dist` what people install, `smoke` tries a built
//! program, `targets` builds and tries it for other systems, `extensions` loads public extensions, `picture` the images in the README, `bench` measures.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the person who started it")]

mod bench;
mod cargo;
mod cast;
mod compat;
mod conformance;
mod dist;
mod docs;
mod extensions;
mod javascript;
mod notices;
mod packaging;
mod smoke;
mod targets;
mod tidy;
mod wine;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask tidy | compat | conformance [--small] | docs [--check] | js | package [--clean] | dist [--check] [--profile PROFILE] [TARGET=PROGRAM…] | smoke PROGRAM [--runner RUNNER] | targets [--clean] [TARGET…] | notices | extensions [PATH…] | picture [--release] | bench [all] [exec] [list] [cost] [agent] [turns] [ast] [sessions] [terminal] [extensions] [hooks] [mcp] [engine] [reloads] | bench static GLIBC STATIC";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["tidy"] => tidy::run(),
        ["compat"] => compat::run(),
        ["conformance"] => conformance::run(false),
        ["conformance", "--small"] => conformance::run(true),
        [conformance::CLIENT, url] => conformance::run_client(url),
        ["docs"] => docs::run(false),
        ["docs", "--check"] => docs::run(true),
        ["picture"] => cast::run(false),
        ["picture", "--release"] => cast::run(true),
        ["js"] => javascript::run(),
        ["dist", more @ ..] => dist::run(more),
        ["smoke", program] => smoke::run(program, None),
        ["smoke", program, "--runner", runner] => smoke::run(program, Some(runner)),
        ["targets", named @ ..] => targets::run(named),
        ["package"] => packaging::run(false),
        ["package", "--clean"] => packaging::run(true),
        ["notices"] => notices::run(),
        ["extensions", more @ ..] => extensions::run(more),
        ["bench", "static", glibc, musl] => bench::static_program::run(glibc, musl),
        ["bench", subjects @ ..] => bench::run(subjects),
        // The program a benchmark starts to measure a whole process.
        [bench::engine::CHILD, arguments @ ..] => bench::engine::child(arguments),
        _ => bail!(USAGE),
    }
}
