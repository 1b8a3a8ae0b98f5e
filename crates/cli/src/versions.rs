//! Versions of bundled components: the engine, the TypeScript compiler, the schema libraries.

use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// Returns the output of `--version` after the name; `-V` prints its first line.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let list = |all: &[(&str, &str)]| {
            all.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ")
        };
        format!(
            "{}\nengine:    QuickJS-NG {}\nlibraries: {}\ncrates:    {}",
            env!("CARGO_PKG_VERSION"),
            toolsmith_js::engine_version(),
            list(LIBRARIES),
            list(CRATES)
        )
    });
    &TEXT
}
