//! Key notation and key binding files.

use super::*;
use crate::input::{Key, KeyCode};

#[test]
fn every_default_key_is_valid_and_every_id_is_unique() {
    let mut ids: Vec<_> = Action::ALL.iter().map(|info| info.id).collect();
    for info in Action::ALL {
        for key in info.keys {
            assert!(parse_key(key).is_some(), "{key}");
        }
        assert_eq!(Action::from_id(info.id), Some(info.action));
    }
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn names_and_keys_convert_both_ways() {
    for name in
        ["ctrl+c", "alt+enter", "pageUp", "ctrl+shift+p", "f12", "ctrl+]", "+", "ctrl++", "space", "super+k"]
    {
        let key = parse_key(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(name_of(&key), name);
    }
    assert_eq!(parse_key("esc"), Some(Key::plain(KeyCode::Escape)));
    for wrong in ["", "ctrl+", "hyper+x", "ctrl+foo", "f99"] {
        assert_eq!(parse_key(wrong), None, "{wrong}");
    }
}

#[test]
fn a_file_replaces_single_actions_and_reports_mistakes() {
    let (keys, warnings) = KeyBindings::parse(
        r#"{"app.clear": "ctrl+x", "app.exit": [], "app.clera": "x", "app.suspend": ["ctrl+zz", "alt+z"]}"#,
    );
    assert!(keys.is(&Key::ctrl('x'), Action::Clear) && !keys.is(&Key::ctrl('c'), Action::Clear));
    assert!(!keys.is(&Key::ctrl('d'), Action::Exit));
    assert!(keys.is(&Key::char('z').with_alt(), Action::Suspend));
    assert!(keys.is(&Key::plain(KeyCode::Enter), Action::Submit));
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].to_string().contains("did you mean \"app.clear\"?"));
    let (_, warnings) = KeyBindings::parse("[]");
    assert_eq!(warnings.len(), 1);
}
