//! The `toolsmith` command.

mod approver;
mod arguments;
mod calling;
mod choice;
mod commands;
mod editor_types;
mod failure;
mod interface;
mod interrupts;
mod lint;
mod logging;
mod output;
mod progress;
mod project;
mod project_files;
mod project_views;
mod recorded_calls;
mod review;
mod runtime;
mod streams;
mod terminal;
mod thrown;
mod tool_view;
mod versions;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: toolsmith_host::memory::EndingAllocator = toolsmith_host::memory::EndingAllocator;

fn main() -> ExitCode {
    runtime::grow_in_large_steps();
    if let Err(error) = toolsmith_host::limits::check() {
        return failure::failed(&error.into(), false);
    }
    commands::completions::answer_shell();
    let arguments = match arguments::parse(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::wrong_use(&error),
    };
    terminal::choose_colours(arguments.shared.color);
    logging::start();
    project::guard_programs(&arguments.shared);
    let (as_json, has_verdict) = (arguments.shared.json, arguments.has_verdict());
    match commands::run(arguments) {
        Ok(code) => code,
        Err(error) => failure::failed_in(&error, as_json, has_verdict),
    }
}
