//! Bundling with esbuild: libraries into a few files with shared parts, the kernel into one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::unbundled;

/// Entry points of the libraries, each as (name of the built-in module, package). Those of zod are bundled only for Bun
/// and Node; the embedded engine uses `unbundled`.
pub(crate) const ENTRIES: &[(&str, &str)] = &[
    ("zod/index", "zod"),
    ("zod/v4/index", "zod/v4"),
    ("zod/v4/core/index", "zod/v4/core"),
    ("zod/mini/index", "zod/mini"),
    ("zod/v3/index", "zod/v3"),
    ("zod/v4/locales/index.whole", "zod/locales"),
    ("typebox", "@sinclair/typebox"),
    ("typebox-type", "@sinclair/typebox/type"),
    ("typebox-value", "@sinclair/typebox/value"),
    ("typebox-compiler", "@sinclair/typebox/compiler"),
    ("typebox-errors", "@sinclair/typebox/errors"),
    ("typebox-system", "@sinclair/typebox/system"),
    ("typebox1", "typebox"),
    ("typebox1-type", "typebox/type"),
    ("typebox1-value", "typebox/value"),
    ("typebox1-compile", "typebox/compile"),
    ("typebox1-schema", "typebox/schema"),
    ("typebox1-error", "typebox/error"),
    ("typebox1-format", "typebox/format"),
    ("typebox1-guard", "typebox/guard"),
    ("typebox1-system", "typebox/system"),
    ("arktype", "arktype"),
    ("web-streams", "web-streams-polyfill"),
    ("readable-stream", "readable-stream/lib/stream.js"),
];

/// The keywords of arktype, which `npm/lazy` loads on first use in the embedded engine.
const KEYWORDS: &[(&str, &str)] = &[
    ("arktype-builtins", "arktype/internal/keywords/builtins.js"),
    ("arktype-constructors", "arktype/internal/keywords/constructors.js"),
    ("arktype-number", "arktype/internal/keywords/number.js"),
    ("arktype-string", "arktype/internal/keywords/string.js"),
    ("arktype-ts", "arktype/internal/keywords/ts.js"),
];

/// Packages that `readable-stream` imports, mapped to our own modules so that no second copy is included. They are
/// placed in a directory that is searched first.
const STAND_INS: &[(&str, &str)] = &[
    ("events", "export * from \"toolsmith:node/events\";"),
    ("buffer", "export * from \"toolsmith:node/buffer\";"),
    ("string_decoder", "export * from \"toolsmith:node/string_decoder\";"),
    (
        "process",
        "export * from \"toolsmith:node/process\"; export { default } from \"toolsmith:node/process\";",
    ),
    ("abort-controller", "export const { AbortController, AbortSignal } = globalThis;"),
];

/// Packages with a default export.
const DEFAULTS: &[&str] = &[
    "zod",
    "zod/v4",
    "zod/v3",
    "typebox",
    "typebox/value",
    "typebox/compile",
    "typebox/schema",
    "typebox/format",
    "typebox/guard",
    "typebox/system",
];

fn esbuild(cwd: &Path, libraries: &Path, arguments: &[String]) {
    run_esbuild(cwd, libraries, &["--format=esm", "--external:toolsmith:*"], arguments);
}

/// Bundles a program for Bun and Node into one file.
pub(crate) fn esbuild_program(libraries: &Path, entry: &Path, out: &Path) {
    let arguments = [entry.display().to_string(), format!("--outfile={}", out.display())];
    let fixed = ["--format=cjs", "--platform=node", "--minify", "--legal-comments=none"];
    run_esbuild(libraries, libraries, &fixed, &arguments);
}

/// Runs the bundler in `cwd`, which its comments name files relative to.
fn run_esbuild(cwd: &Path, libraries: &Path, fixed: &[&str], arguments: &[String]) {
    let program = libraries.join("node_modules/.bin/esbuild");
    let output = Command::new(&program)
        .args(["--bundle", "--target=es2023", "--log-level=warning"])
        .args(fixed)
        .args(arguments)
        .current_dir(cwd)
        .env("NODE_PATH", libraries.join("node_modules"))
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    if !output.status.success() {
        panic!("esbuild failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Writes the file through which a library is bundled; its directory determines where packages are resolved from.
pub(crate) fn write_entry(folder: &Path, name: &str, package: &str) -> PathBuf {
    let entry = folder.join(format!("entry-{}.js", name.replace('/', "-")));
    let code = match package {
        "readable-stream/lib/stream.js" => format!("export {{ default }} from {package:?};"),
        // Its configuration has to be there before anything else of it runs.
        package if package.starts_with("arktype") => {
            format!("import \"arktype/config\";\nexport * from {package:?};")
        }
        package if DEFAULTS.contains(&package) => {
            format!("export * from {package:?};\nexport {{ default }} from {package:?};")
        }
        package => format!("export * from {package:?};"),
    };
    fs::write(&entry, code).unwrap_or_else(|error| panic!("{}: {error}", entry.display()));
    entry
}

/// Bundles the libraries, those with lazy parts from `lazy`. Shared code becomes a part of its own, so that it exists
/// once.
pub(crate) fn libraries(libraries: &Path, lazy: &Path, out: &Path) {
    for (package, code) in STAND_INS {
        let folder = libraries.join("node_modules/readable-stream/node_modules").join(package);
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let file = folder.join("index.js");
        fs::write(&file, code).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let mut arguments =
        vec!["--splitting".to_owned(), "--minify-syntax".to_owned(), format!("--outdir={}", out.display())];
    for (name, package) in ENTRIES.iter().filter(|(name, _)| !unbundled::serves(name)).chain(KEYWORDS) {
        let folder = if package.starts_with("arktype") { lazy } else { libraries };
        let entry = write_entry(folder, name, package);
        arguments.push(format!("{name}={}", entry.display()));
    }
    esbuild(libraries, libraries, &arguments);
}

/// Bundles the kernel into one module, which loads faster than a dozen.
pub(crate) fn kernel(root: &Path, libraries: &Path, out: &Path) {
    esbuild(root, libraries, &["js/kernel/boot.js".to_owned(), format!("--outfile={}", out.display())]);
}
