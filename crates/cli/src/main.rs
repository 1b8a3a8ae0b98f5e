//! The `toolsmith` command: arguments in, exit code out.

mod arguments;
mod commands;
mod failure;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let arguments = match arguments::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::wrong_use(&error),
    };
    match commands::run(arguments) {
        Ok(code) => code,
        Err(error) => failure::failed(&error),
    }
}
