//! The files that Node and Python load for a module or a directory that a command names. A file that they would prefer to
//! the present one counts although it does not exist: whoever creates it decides what runs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::git::small_text;

/// Programs that run JavaScript.
const NODE: [&str; 10] =
    ["node", "nodejs", "bun", "bunx", "deno", "npx", "pnpx", "tsx", "ts-node", "electron"];
/// Beginnings of the names of programs that run Python.
const PYTHON: [&str; 15] = [
    "python",
    "pypy",
    "ipython",
    "uv",
    "pipx",
    "poetry",
    "pytest",
    "gunicorn",
    "hypercorn",
    "granian",
    "daphne",
    "celery",
    "flask",
    "fastapi",
    "waitress",
];
/// Extensions of modules, in no order.
const EXTENSIONS: [&str; 12] =
    ["js", "mjs", "cjs", "ts", "mts", "cts", "json", "node", "rb", "pl", "pm", "lua"];
/// Extensions that runtimes of JavaScript add to a name without one.
const NODE_EXTENSIONS: [&str; 8] = ["js", "mjs", "cjs", "ts", "mts", "cts", "json", "node"];
/// Fields of `package.json` that name files which an import or a start of the package loads, and whether a name in the field
/// may lack its extension or be that of a directory.
const ENTRIES: [(&str, bool); 6] = [
    ("main", true),
    ("module", true),
    ("exports", false),
    ("imports", false),
    ("bin", false),
    ("browser", false),
];
/// Words of Python code, and options, before the name of a module.
const BEFORE_MODULE: [&str; 3] = ["-m", "import", "from"];
/// Other programs that load modules by their names.
const SCRIPT_RUNTIMES: [&str; 8] = ["ruby", "irb", "rake", "lua", "luajit", "perl", "php", "tclsh"];
/// Words of a shell before the name of a program.
const BEFORE_PROGRAM: [&str; 8] = ["exec", "do", "then", "else", "env", "nohup", "time", "command"];
/// Variables with directories in which runtimes look for modules, besides those whose names end with `PATH`.
const SEARCH_PATHS: [&str; 4] = ["RUBYLIB", "PERL5LIB", "PERLLIB", "PYTHONHOME"];
/// Maximum depth of a module's name that is followed.
const MAX_PARTS: usize = 8;

/// Runtimes that a command may start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runtimes {
    node: bool,
    python: bool,
    /// The command sets where Python looks for modules.
    python_path: bool,
    /// One of the others.
    scripts: bool,
}

impl Runtimes {
    /// Finds the runtimes that a command names. A program that only a variable names may be any of them.
    pub(super) fn of(words: &[String]) -> Self {
        let mut found = Self::default();
        for (at, word) in words.iter().enumerate() {
            let name = word.rsplit('/').next().unwrap_or(word);
            let is_program = at == 0 || BEFORE_PROGRAM.contains(&words[at - 1].as_str());
            let is_unknown = is_program && word.starts_with('$') && !word.contains('/');
            found.node |= is_unknown || NODE.contains(&name);
            found.python |= is_unknown || PYTHON.iter().any(|start| name.starts_with(start));
            found.python_path |= name == "PYTHONPATH";
            found.scripts |= is_unknown || SCRIPT_RUNTIMES.iter().any(|start| name.starts_with(start));
        }
        found
    }

    /// Returns whether one of them runs Python.
    pub(super) fn runs_python(self) -> bool {
        self.python
    }

    /// Returns whether one of them runs JavaScript.
    pub(super) fn runs_node(self) -> bool {
        self.node
    }
}

/// Returns whether a word is the name of a variable with directories of modules or programs.
pub(super) fn is_search_path(word: &str) -> bool {
    word.ends_with("PATH") || word == "-I" || SEARCH_PATHS.contains(&word)
}

/// Returns the files that a runtime starts if it is given a directory.
pub(super) fn started_in(folder: &Path, runtimes: Runtimes) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if runtimes.node {
        found.extend(package(folder));
        // Loaded if there is no `main`.
        found.push(folder.join("index.js"));
    }
    if runtimes.python {
        found.push(folder.join("__main__.py"));
    }
    if runtimes.python && runtimes.python_path {
        found.extend(["sitecustomize.py", "usercustomize.py"].map(|name| folder.join(name)));
    }
    found
}

/// Returns the files that a runtime loads for a word as the name of a module, seen from `base`. `before` is the word before it.
pub(super) fn loaded_as(word: &str, before: &str, base: &Path, runtimes: Runtimes) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for extension in EXTENSIONS {
        found.push(base.join(format!("{word}.{extension}")));
        found.push(base.join(word).join(format!("index.{extension}")));
    }
    found.push(base.join(word).join("__main__.py"));
    // Node prefers `x.js` to `x/index.js`, whichever was there first.
    if !runtimes.node && !runtimes.python && !runtimes.scripts {
        found.retain(|path| path.is_file());
    }
    if runtimes.node {
        // It may name another file than `index.js`.
        found.push(base.join(word).join("package.json"));
        let package_folder = base.join("node_modules").join(word);
        if package_folder.is_dir() {
            found.extend(package(&package_folder));
        }
        let program = base.join("node_modules/.bin").join(word);
        found.extend(Some(program).filter(|program| program.is_file()));
    }
    // `-MFoo::Bar` of Perl.
    if matches!(before, "-M" | "-m") && !word.contains(['.', '/']) {
        found.push(
            base.join(format!("{}.pm", word.replace("::", "/").split([':', '=']).next().unwrap_or(word))),
        );
    }
    if runtimes.python || before == "-m" {
        found.extend(python_module(word, before, base));
    }
    found
}

/// Returns the files of a package of Node: `package.json`, and the files that it names, which need not be built yet.
fn package(folder: &Path) -> Vec<PathBuf> {
    let manifest = folder.join("package.json");
    let value: Value =
        small_text(&manifest).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let mut found = vec![manifest];
    for (field, is_resolved) in ENTRIES {
        let mut names = Vec::new();
        value.get(field).into_iter().for_each(|value| texts(value, &mut names));
        for name in names {
            // Others are names of packages, or patterns.
            let is_file = matches!(field, "main" | "module" | "bin") || name.starts_with("./");
            let path = folder.join(name.trim_start_matches('/'));
            if is_file && !name.contains('*') {
                found.push(path.clone());
                let missing = NODE_EXTENSIONS.iter().filter(|_| is_resolved);
                found.extend(missing.flat_map(|extension| resolved(&path, extension)));
            }
            found.extend(present(&path));
        }
    }
    found.extend(present(&folder.join("index")));
    found
}

/// Returns the existing files that a name without its extension may stand for.
fn present(path: &Path) -> impl Iterator<Item = PathBuf> {
    let candidates = EXTENSIONS.iter().flat_map(|extension| resolved(path, extension));
    std::iter::once(path.to_path_buf()).chain(candidates).filter(|path| path.is_file())
}

/// Returns a name with an extension, and the file that is loaded if the name is that of a directory.
fn resolved(path: &Path, extension: &str) -> [PathBuf; 2] {
    [PathBuf::from(format!("{}.{extension}", path.display())), path.join(format!("index.{extension}"))]
}

/// Collects all texts in a value.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

/// Returns the files that Python loads for `a.b`: the packages on the way, and the module in every form it may have. If the
/// word is a module by its position, a file that does not exist counts too: it comes before modules of the same name elsewhere.
fn python_module(word: &str, before: &str, base: &Path) -> Vec<PathBuf> {
    let names: Vec<&str> = word.split('.').take(MAX_PARTS).collect();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !names.iter().all(is_name) {
        return Vec::new();
    }
    let is_module = BEFORE_MODULE.contains(&before) || before.ends_with(',');
    let mut found = Vec::new();
    let mut folder = base.to_path_buf();
    for name in names {
        let package = folder.join(name);
        // `x.so` and `x.pyc` are modules too.
        found.extend(of_stem(&folder, name));
        if package.is_dir() {
            found.extend(of_stem(&package, "__init__"));
            found.extend(of_stem(&package, "__main__"));
            found.push(package.join("__init__.py"));
        }
        if is_module {
            found.push(folder.join(format!("{name}.py")));
            found.push(package.join("__init__.py"));
            found.push(package.join("__main__.py"));
        }
        if !package.is_dir() && !is_module {
            break;
        }
        folder = package;
    }
    found
}

/// Returns the files of a directory that are Python modules of this name.
fn of_stem(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let is_module = |name: &str| {
        let extension = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'))?;
        let last = extension.rsplit('.').next()?;
        ["py", "pyc", "pyo", "so", "pyd"].contains(&last).then_some(())
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().and_then(is_module).is_some())
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect()
}
