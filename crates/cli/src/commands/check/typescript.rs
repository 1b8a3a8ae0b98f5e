//! The author's TypeScript compiler, run over their modules with our types, if installed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value, json};
use toolsmith::TrustedFiles;
use toolsmith_host::exec::{Request, run};
use toolsmith_js::code_frame;
use toolsmith_tool::CancelToken;

use crate::{
    editor_types::{self, SETTINGS_FILE, TYPES_FILE},
    lint::{Finding, Severity},
    project::Project,
};

const TIMEOUT: Duration = Duration::from_secs(120);

/// Errors about unknown types only: names of Node's modules used as types, and callbacks passed to them.
const UNKNOWN_TYPES: &[&str] = &["(TS2709)", "(TS7006)", "(TS7019)", "(TS7031)"];

/// Result of compiling.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) findings: Vec<Finding>,
    /// Installed compilers that were not used because they are not trusted.
    pub(super) untrusted: BTreeSet<PathBuf>,
    /// TypeScript modules for which no compiler was found.
    pub(super) without_compiler: usize,
}

/// Checks the modules that are TypeScript. Where there is no compiler that is only noted. An installed
/// compiler is code of the project, so it runs only where it is trusted (CONTRACT 2.8); otherwise the one in `PATH` does.
pub(super) async fn check(project: &Project, paths: &[PathBuf]) -> Checked {
    let folder = &project.cwd;
    let trusted = project.trusted_files();
    let mut checked = Checked::default();
    let mut programs: BTreeMap<Surroundings, Vec<PathBuf>> = BTreeMap::new();
    for path in paths.iter().filter(|path| is_typescript(path) && path.is_file()) {
        let refused = checked.untrusted.len();
        match Surroundings::of(path, project, &trusted, &mut checked.untrusted) {
            Some(around) => programs.entry(around).or_default().push(path.clone()),
            // A refused compiler is reported by itself.
            None => checked.without_compiler += usize::from(checked.untrusted.len() == refused),
        }
    }
    for (around, modules) in &programs {
        match compile(folder, around, modules).await {
            Ok(output) => {
                let found = read_output(&output, folder).into_iter();
                checked.findings.extend(found.filter(|finding| !is_for_want_of_types(finding, around)));
            }
            // The compiler is optional, so its failure is not an error.
            Err(error) => {
                tracing::warn!(compiler = %around.compiler, %error, "The TypeScript compiler failed to run")
            }
        }
    }
    checked
}

fn is_typescript(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["ts", "mts", "cts"].iter().any(|known| extension == *known))
}

/// Compiler configuration of a module. Modules with the same one are compiled together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Surroundings {
    compiler: String,
    /// The author's tsconfig.json.
    settings: Option<PathBuf>,
    /// The directory with `node` or `bun` types.
    type_roots: Option<PathBuf>,
}

impl Surroundings {
    fn of(
        module: &Path,
        project: &Project,
        trusted: &TrustedFiles,
        untrusted: &mut BTreeSet<PathBuf>,
    ) -> Option<Self> {
        let above = |name: &str| {
            module.ancestors().skip(1).map(|folder| folder.join(name)).find(|path| path.exists())
        };
        let mut installed = above("node_modules/.bin/tsc");
        if let Some(refused) = installed.take_if(|compiler| !trusted.allows(compiler)) {
            untrusted.insert(refused);
        }
        let compiler = installed.or_else(|| project.program("tsc"))?.to_string_lossy().into_owned();
        // What the compiler reads for the project is data. A link out of the project is not followed.
        let readable = |path: &PathBuf| {
            let real = toolsmith_host::real_path(path).unwrap_or_default();
            trusted.allows(&real)
                || real.starts_with(toolsmith_host::real_path(&project.root).unwrap_or_default())
        };
        let node = above("node_modules/@types/node").or_else(|| above("node_modules/@types/bun"));
        let node = node.filter(readable);
        Some(Self {
            compiler,
            settings: above(SETTINGS_FILE).filter(readable),
            type_roots: node.and_then(|path| path.parent().map(Path::to_path_buf)),
        })
    }
}

/// Returns whether a finding exists only because Node's types are missing, which is not the author's mistake.
fn is_for_want_of_types(finding: &Finding, around: &Surroundings) -> bool {
    around.type_roots.is_none()
        && UNKNOWN_TYPES.iter().any(|code| finding.message.ends_with(code))
        && fs::read_to_string(&finding.path)
            .is_ok_and(|source| source.contains("\"node:") || source.contains("'node:"))
}

async fn compile(folder: &Path, around: &Surroundings, modules: &[PathBuf]) -> io::Result<String> {
    let place = toolsmith_host::private_temporary_folder("toolsmith-check-")?;
    let types = place.path().join(TYPES_FILE);
    fs::write(&types, editor_types::types())?;
    let mut files: Vec<Value> = modules.iter().map(|path| json!(path)).collect();
    files.push(json!(types));
    let mut options = Map::new();
    match &around.type_roots {
        Some(roots) => {
            let known: Vec<&str> =
                ["node", "bun"].into_iter().filter(|name| roots.join(name).is_dir()).collect();
            options.insert("typeRoots".to_owned(), json!([roots]));
            options.insert("types".to_owned(), json!(known));
        }
        None => {
            let globals = place.path().join("node_globals.d.ts");
            fs::write(&globals, editor_types::NODE_GLOBALS)?;
            files.push(json!(globals));
            options.insert("types".to_owned(), json!([]));
        }
    }
    let mut settings: Value = serde_json::from_str(editor_types::SETTINGS)?;
    if let Some(own) = &around.settings {
        // The author's rules, with the options needed to check without output.
        settings["extends"] = json!(own);
        settings["compilerOptions"] = json!({
            "noEmit": true, "composite": false, "incremental": false, "declaration": false, "skipLibCheck": true,
            "allowImportingTsExtensions": true,
        });
    }
    if let Some(all) = settings["compilerOptions"].as_object_mut() {
        all.extend(options);
    }
    settings["include"] = json!([]);
    settings["files"] = json!(files);
    fs::write(place.path().join(SETTINGS_FILE), settings.to_string())?;
    let request = Request::new(&around.compiler)
        .args(["--pretty", "false", "-p", &place.path().to_string_lossy()])
        .cwd(folder)
        .timeout(TIMEOUT);
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.map_err(io::Error::other)?;
    let output = outcome.stdout.text();
    if outcome.killed {
        return Err(io::Error::other(format!("it took longer than {TIMEOUT:?}")));
    }
    Ok(output)
}

/// Parses `path(line,column): error TS1: message`, with further lines of the message indented.
fn read_output(output: &str, folder: &Path) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for line in output.lines() {
        match read_line(line, folder) {
            Some(finding) => findings.push(finding),
            None if line.starts_with(' ') => {
                if let Some(last) = findings.last_mut() {
                    last.message.push('\n');
                    last.message.push_str(line);
                }
            }
            None => {}
        }
    }
    // Errors in packages are not the author's to fix.
    findings.retain(|finding| !finding.path.components().any(|part| part.as_os_str() == "node_modules"));
    findings
}

fn read_line(line: &str, folder: &Path) -> Option<Finding> {
    let (place, rest) = line.split_once("): error TS")?;
    let (path, at) = place.rsplit_once('(')?;
    let (line, column) = at.split_once(',')?;
    let (number, message) = rest.split_once(": ")?;
    let path = folder.join(path);
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    let source = fs::read_to_string(&path).ok();
    Some(Finding {
        severity: Severity::Warning,
        code: "typescript",
        tool: None,
        path: toolsmith_host::real_path(&path).unwrap_or(path),
        line: Some(line),
        column: Some(column),
        message: format!("{message} (TS{number})"),
        help: None,
        frame: source.and_then(|source| code_frame(&source, line, column)),
    })
}

#[cfg(test)]
#[path = "typescript_tests.rs"]
mod tests;
