//! The sidecar program for Bun or Node: kernel, virtual modules and libraries in one file.

use std::{fs, path::Path};

use super::{bundle, read, write};

/// Directories whose modules are included; a real runtime provides the others.
const SERVED: &[&str] = &["compat", "adapters"];

/// Libraries that replace what a real runtime has.
const STAND_INS: &[&str] = &["readable-stream", "web-streams"];

/// Writes `sidecar.cjs`.
pub(crate) fn program(root: &Path, libraries: &Path, out: &Path) {
    let js = root.join("js");
    let sources = libraries.join("sidecar");
    let _ = fs::remove_dir_all(&sources);
    let mut served = Vec::new();
    for folder in ["kernel", "compat", "adapters", "sidecar"] {
        copy(&js.join(folder), &sources.join(folder), &sources);
        if SERVED.contains(&folder) {
            served.extend(names(&js.join(folder)).into_iter().map(|name| format!("{folder}/{name}")));
        }
    }
    // Some kernel files have a different version here.
    copy(&js.join("sidecar/kernel"), &sources.join("kernel"), &sources);
    let mut table = String::from(
        "// What can be loaded by name. Nothing of it runs before it is asked for.\n\nconst modules = {\n",
    );
    for name in served {
        table.push_str(&format!("  \"toolsmith:{name}\": () => require(\"../{name}.js\"),\n"));
    }
    for (name, package) in bundle::ENTRIES.iter().filter(|(name, _)| !STAND_INS.contains(name)) {
        let entry = bundle::write_entry(libraries, name, package);
        table.push_str(&format!("  \"toolsmith:npm/{name}\": () => require({entry:?}),\n"));
    }
    table.push_str("};\n\nexport const load = (name) => modules[name]();\n");
    write(&sources.join("sidecar/builtins.js"), &table);
    bundle::esbuild_program(libraries, &sources.join("sidecar/main.js"), &out.join("sidecar.cjs"));
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".js").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Copies modules and rewrites their imports of built-in modules to files.
fn copy(from: &Path, to: &Path, root: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    for name in names(from) {
        let code = read(&from.join(format!("{name}.js")));
        let code =
            code.replace("from \"toolsmith:kernel\"", &format!("from \"{}/kernel/boot.js\"", root.display()));
        let mut text = String::new();
        for (index, part) in code.split("from \"toolsmith:").enumerate() {
            if index == 0 {
                text.push_str(part);
                continue;
            }
            let (module, rest) = part.split_once('"').unwrap_or((part, ""));
            text.push_str(&format!("from \"{}/{module}.js\"{rest}", root.display()));
        }
        write(&to.join(format!("{name}.js")), &text);
    }
}
