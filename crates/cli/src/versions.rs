//! What is built in, by version: the engine, the compiler of TypeScript, the schema libraries.

use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/versions.rs"));

/// What `--version` prints after the name; `-V` prints the first line of it.
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
