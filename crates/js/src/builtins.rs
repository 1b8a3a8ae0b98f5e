//! The built-in modules as bytecode: ours and the schema libraries. See `build.rs`.

/// Name and bytecode, sorted by name.
static MODULES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/builtin_modules.rs"));

/// Name of the kernel.
pub(crate) const KERNEL: &str = "toolsmith:kernel";

/// Returns the bytecode of a module.
pub(crate) fn bytecode(name: &str) -> Option<&'static [u8]> {
    let index = MODULES.binary_search_by(|(known, _)| known.cmp(&name)).ok()?;
    Some(MODULES[index].1)
}

/// Prefix of the libraries, whose files import each other by relative paths with an extension.
const LIBRARY: &str = "toolsmith:npm/";

/// Names and versions of the JavaScript libraries that are built in.
pub static LIBRARIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/libraries.rs"));

/// Resolves a relative import of a library file.
pub(crate) fn beside(base: &str, import: &str) -> Option<String> {
    let file = base.strip_prefix(LIBRARY)?;
    let path = import.strip_suffix(".js").filter(|path| path.starts_with('.'))?;
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(format!("{LIBRARY}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn library_files_import_each_other_by_relative_paths() {
        let found = |base, import| beside(base, import).unwrap_or_default();
        assert_eq!(found("toolsmith:npm/typebox", "./chunk-X.js"), "toolsmith:npm/chunk-X");
        assert_eq!(
            found("toolsmith:npm/zod/v4/mini/a", "../core/index.js"),
            "toolsmith:npm/zod/v4/core/index"
        );
        assert_eq!(found("toolsmith:npm/zod/index", "./v4/a.whole.js"), "toolsmith:npm/zod/v4/a.whole");
        assert_eq!(beside("toolsmith:npm/zod/index", "toolsmith:module/lazy"), None);
        assert_eq!(beside("toolsmith:node/fs", "./a.js"), None);
    }
}
