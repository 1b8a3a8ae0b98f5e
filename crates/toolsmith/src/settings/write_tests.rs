//! Changing settings in the user's file.

use super::*;

fn home(text: Option<&str>) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    std::fs::create_dir_all(home.toolsmith()).unwrap();
    if let Some(text) = text {
        std::fs::write(home.toolsmith().join("config.toml"), text).unwrap();
    }
    (folder, home)
}

#[test]
fn a_setting_is_changed_and_the_rest_of_the_file_stays() {
    let (_folder, home) = home(Some("# mine\nmodel = \"a/b\" # why\n\n[ui]\nmotion = false\n"));
    set_user_setting(&home, &["ui", "theme"], "light").unwrap();
    let file = set_user_setting(&home, &["tools", "approval", "my.tool"], "allow").unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(
        text,
        "# mine\nmodel = \"a/b\" # why\n\n[ui]\nmotion = false\ntheme = \"light\"\n\n[tools.approval]\n\"my.tool\" = \"allow\"\n"
    );
}

#[test]
fn nothing_is_written_for_an_unknown_setting_a_wrong_value_or_a_broken_file() {
    let (_folder, home) = home(Some("broken = [\n"));
    for (path, value) in
        [(&["ui", "nope"][..], "x"), (&["ui", "motion"], "perhaps"), (&["ui", "theme"], "dark")]
    {
        assert!(set_user_setting(&home, path, value).is_err(), "{path:?}");
    }
    assert_eq!(std::fs::read_to_string(home.toolsmith().join("config.toml")).unwrap(), "broken = [\n");
}

#[test]
fn a_setting_is_removed_and_the_rest_of_the_file_stays() {
    let (_folder, home) =
        home(Some("# mine\nmodel = \"a/b\"\n\n[ui]\nmotion = false # calm\n\n[tools]\npreview = true\n"));
    let file = home.toolsmith().join("config.toml");
    assert!(unset_setting(&file, &["ui", "motion"]).unwrap());
    assert!(!unset_setting(&file, &["ui", "motion"]).unwrap());
    assert!(unset_setting(&file, &["ui", "nope"]).is_err());
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "# mine\nmodel = \"a/b\"\n\n[tools]\npreview = true\n"
    );
    assert!(!unset_setting(&home.toolsmith().join("missing.toml"), &["model"]).unwrap());
}
