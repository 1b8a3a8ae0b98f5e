//! `toolsmith check`: loads tools and reports mistakes.

mod report;
mod typescript;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use toolsmith::{Discovered, FoundModule};
use toolsmith_js::ModuleRequest;

use crate::{
    arguments::Shared,
    lint::{Examiner, Severity},
    progress::Progress,
    project::Project,
    runtime,
};
pub(crate) use report::print_finding;
use report::{CheckedTool, Report};

/// Maximum number of modules held at once, because each has a thread and memory.
const AT_ONCE: usize = 32;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArguments {
    /// Modules or directories to check (default: all discovered modules).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fail on warnings too.
    #[arg(long)]
    strict: bool,
    /// Skip the TypeScript compiler.
    #[arg(long)]
    no_types: bool,
    /// List the rules and exit.
    #[arg(long)]
    rules: bool,
}

pub(crate) fn run(shared: &Shared, own: &CheckArguments) -> Result<ExitCode> {
    if own.rules {
        report::print_rules(shared)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut project = Project::open(shared)?;
    project.warn();
    let mut report = Report::default();
    let discovered =
        if own.paths.is_empty() { project.discover_asking()? } else { project.discover_given(&own.paths) };
    report.waiting = discovered.waiting().map(|module| module.path.clone()).collect();
    report.refused = discovered.errors.clone();
    let modules: Vec<ModuleRequest> = discovered.ready().map(FoundModule::request).collect();
    let paths: Vec<PathBuf> = modules.iter().map(|module| module.path.clone()).collect();
    runtime::block_on_while_read(async {
        let progress = Progress::start("Checking tools");
        examine(&project, &discovered, &modules, &mut report).await;
        if !own.no_types {
            let checked = typescript::check(&project, &paths).await;
            report.findings.extend(checked.findings);
            report.untrusted_compilers.extend(checked.untrusted);
            report.without_compiler = checked.without_compiler;
        }
        progress.end();
        Ok(())
    })?;
    report.sort();
    report.print(shared, &project)?;
    let failed = report.count(Severity::Error) > 0
        || own.strict && report.count(Severity::Warning) > 0
        // What was asked for and not checked must not look like success.
        || !report.waiting.is_empty();
    Ok(ExitCode::from(u8::from(failed)))
}

/// Loads and examines modules.
async fn examine(project: &Project, found: &Discovered, modules: &[ModuleRequest], report: &mut Report) {
    let engine = project.engine(found);
    let mut examiner = Examiner::new(&toolsmith::BUILT_IN_NAMES);
    for some in modules.chunks(AT_ONCE) {
        for module in engine.load_modules(some.to_vec()).await {
            report.findings.extend(examiner.examine(&module));
            report.tools.extend(module.tools.iter().map(|tool| CheckedTool::new(&module, tool)));
            report.modules += 1;
        }
    }
}
