//! Versions of bundled components: the engine, the TypeScript compiler, the schema libraries.

use std::sync::LazyLock;

/// Packages that decide how tools behave, with their versions in `Cargo.lock`; `cargo xtask tidy` compares them.
const CRATES: &[(&str, &str)] = &[
    ("rquickjs", "0.14.0"),
    ("oxc", "0.146.0"),
    ("oxc_resolver", "11.24.3"),
    ("ast-grep-core", "0.51.1"),
    ("jsonschema", "0.60.2"),
    ("reqwest", "0.13.5"),
    ("rustls", "0.23.46"),
];

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
            list(toolsmith_js::LIBRARIES),
            list(CRATES)
        )
    });
    &TEXT
}
