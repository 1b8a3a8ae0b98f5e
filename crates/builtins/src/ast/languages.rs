//! The built-in languages, by name and by file.

use std::path::Path;

use ast_grep_language::{Language, SupportLang};

/// A language. Requesting the grammar of one that is not built in panics, so only [`is_built`] ones are used.
pub(super) type Lang = SupportLang;

fn is_built(lang: Lang) -> bool {
    use SupportLang as L;
    let is_common = matches!(
        lang,
        L::Bash
            | L::C
            | L::Cpp
            | L::Css
            | L::Go
            | L::Html
            | L::Java
            | L::JavaScript
            | L::Json
            | L::Python
            | L::Ruby
            | L::Rust
            | L::Tsx
            | L::TypeScript
            | L::Yaml
    );
    cfg!(feature = "langs-all") || (is_common && cfg!(feature = "langs-common"))
}

/// Returns the language of a file, by its name.
pub(super) fn of_path(path: &Path) -> Option<Lang> {
    Lang::from_path(path).filter(|lang| is_built(*lang))
}

/// Returns the language of this name, or the error for the model.
pub(super) fn by_name(name: &str) -> Result<Lang, String> {
    name.trim().parse::<Lang>().ok().filter(|lang| is_built(*lang)).ok_or_else(|| {
        let known: Vec<String> = Lang::all_langs()
            .iter()
            .filter(|lang| is_built(**lang))
            .map(|lang| lang.to_string().to_lowercase())
            .collect();
        format!("Unsupported language '{name}'. Supported: {}", known.join(", "))
    })
}
