//! Bundling with esbuild: libraries into few files with shared parts, the kernel into one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::bytecode::Source;

/// The libraries' entry points, each as (name of the built-in module, package to take it from).
const ENTRIES: &[(&str, &str)] = &[
    ("zod", "zod"),
    ("zod-v4", "zod/v4"),
    ("zod-v4-core", "zod/v4/core"),
    ("zod-mini", "zod/mini"),
    ("zod-v3", "zod/v3"),
    ("zod-locales", "zod/locales"),
    ("typebox", "@sinclair/typebox"),
    ("typebox-type", "@sinclair/typebox/type"),
    ("typebox-value", "@sinclair/typebox/value"),
    ("typebox-compiler", "@sinclair/typebox/compiler"),
    ("typebox-errors", "@sinclair/typebox/errors"),
    ("typebox-system", "@sinclair/typebox/system"),
    ("arktype", "arktype"),
    ("web-streams", "web-streams-polyfill"),
    ("readable-stream", "readable-stream/lib/stream.js"),
];

/// What `readable-stream` asks of npm and finds here: our own modules, so that no second copy of them comes in. Where it
/// looks first is a folder of its own.
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

fn esbuild(libraries: &Path, arguments: &[String]) {
    let program = libraries.join("node_modules/.bin/esbuild");
    let output = Command::new(&program)
        .args([
            "--bundle",
            "--format=esm",
            "--target=es2023",
            "--log-level=warning",
            "--external:toolsmith:*",
        ])
        .args(arguments)
        .env("NODE_PATH", libraries.join("node_modules"))
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    if !output.status.success() {
        panic!("esbuild failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Bundles the libraries. What several of them share becomes a part of its own, so that it exists once.
pub(crate) fn libraries(libraries: &Path, out: &Path) -> Vec<Source> {
    let _ = fs::remove_dir_all(out);
    for (package, code) in STAND_INS {
        let folder = libraries.join("node_modules/readable-stream/node_modules").join(package);
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let file = folder.join("index.js");
        fs::write(&file, code).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
    let mut arguments =
        vec!["--splitting".to_owned(), "--minify-syntax".to_owned(), format!("--outdir={}", out.display())];
    for (name, package) in ENTRIES {
        // A file in the installation's folder makes the package resolve from there.
        let entry = libraries.join(format!("entry-{name}.js"));
        let code = match *package {
            "zod" | "zod/v4" | "zod/v3" => {
                format!("export * from {package:?};\nexport {{ default }} from {package:?};")
            }
            "readable-stream/lib/stream.js" => format!("export {{ default }} from {package:?};"),
            _ => format!("export * from {package:?};"),
        };
        fs::write(&entry, code).unwrap_or_else(|error| panic!("{}: {error}", entry.display()));
        arguments.push(format!("{name}={}", entry.display()));
    }
    esbuild(libraries, &arguments);
    let mut files: Vec<PathBuf> = fs::read_dir(out)
        .unwrap_or_else(|error| panic!("{}: {error}", out.display()))
        .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")).path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            // Parts refer to each other as `./chunk-X.js`; built-in modules have names without an extension.
            let code = Source::read(&path).replace("\"./", "\"toolsmith:npm/").replace(".js\"", "\"");
            Source { name: format!("toolsmith:npm/{name}"), code }
        })
        .collect()
}

/// Bundles the kernel: it is loaded for every tool, and one module loads faster than a dozen.
pub(crate) fn kernel(libraries: &Path, out: &Path) -> Source {
    esbuild(libraries, &["js/kernel/boot.js".to_owned(), format!("--outfile={}", out.display())]);
    Source { name: "toolsmith:kernel".to_owned(), code: Source::read(out) }
}
