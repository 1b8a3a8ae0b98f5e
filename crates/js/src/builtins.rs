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
