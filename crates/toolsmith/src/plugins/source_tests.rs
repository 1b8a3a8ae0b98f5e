//! Sources of plugins.

use std::path::{Path, PathBuf};

use super::PluginSource;

fn parse(text: &str) -> Option<PluginSource> {
    PluginSource::parse(text, |path| Path::new("/here").join(path)).ok()
}

fn git(url: &str, reference: Option<&str>) -> Option<PluginSource> {
    Some(PluginSource::Git { url: url.to_owned(), reference: reference.map(str::to_owned), folder: None })
}

#[test]
fn sources_are_told_apart() {
    assert_eq!(parse("npm:@scope/name@1.2.3"), Some(PluginSource::Npm("@scope/name@1.2.3".to_owned())));
    assert_eq!(parse("git:github.com/o/r#v1"), git("https://github.com/o/r", Some("v1")));
    assert_eq!(parse("github:o/r"), git("https://github.com/o/r", None));
    assert_eq!(parse("https://example.com/r.git"), git("https://example.com/r.git", None));
    assert_eq!(parse("git:git@example.com:o/r.git"), git("git@example.com:o/r.git", None));
    assert_eq!(parse("./x"), Some(PluginSource::Path(PathBuf::from("/here/./x"))));
    assert!(matches!(parse("tool@market"), Some(PluginSource::Marketplace { .. })));
}

#[test]
fn options_and_other_transports_are_refused() {
    for text in [
        "npm:--x",
        "npm:",
        "git:--upload-pack=x",
        "git:ext::sh -c x",
        "git:https://a#--x",
        "name",
        "",
        "npm:a b",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}
