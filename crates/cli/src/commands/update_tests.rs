//! Recognising how a program was installed, in folders as installers leave them.

use toolsmith_testkit::Project;

use super::*;

/// Makes files below a temporary folder and says how the first of them was installed.
fn installation(files: &[&str]) -> Installation {
    let place = Project::new(&[]);
    for file in files {
        place.write(file, "");
    }
    Installation::of(&place.path(files[0]), Path::new("/no/such/list"))
}

#[test]
fn installers_are_recognised_by_what_they_leave() {
    let info = |place: &str| format!("{place}/lib/python3.11/site-packages/toolsmith-0.1.0.dist-info/RECORD");
    assert_eq!(installation(&["x/node_modules/@toolsmith/cli-linux-x64/bin/toolsmith"]), Installation::Npm);
    assert_eq!(installation(&["venv/bin/toolsmith", &info("venv")]), Installation::Pip);
    let on_windows =
        ["venv/Scripts/toolsmith.exe", "venv/Lib/site-packages/toolsmith-0.1.0.dist-info/RECORD"];
    assert_eq!(installation(&on_windows), Installation::Pip);
    let by_target = ["here/bin/toolsmith", "here/toolsmith-0.1.0.dist-info/RECORD"];
    assert_eq!(installation(&by_target), Installation::Pip);
    assert_eq!(installation(&["pipx/venvs/t/bin/toolsmith", &info("pipx/venvs/t")]), Installation::Pipx);
    assert_eq!(installation(&["uv/tools/t/bin/toolsmith", &info("uv/tools/t")]), Installation::Uv);
    assert_eq!(installation(&["cargo/bin/toolsmith", "cargo/.crates.toml"]), Installation::Cargo);
    let built = ["target/release/toolsmith", "target/release/.cargo-lock"];
    assert_eq!(installation(&built), Installation::Checkout);
    assert_eq!(installation(&["home/.local/bin/toolsmith"]), Installation::Archive);
}

#[test]
fn a_debian_package_is_recognised_only_for_its_own_files() {
    let place = Project::new(&[]);
    let list = place.path("toolsmith.list");
    place.write(&list, "/.\n/usr/bin\n/usr/bin/toolsmith\n");
    assert_eq!(Installation::of(Path::new("/usr/bin/toolsmith"), &list), Installation::Debian);
    assert_eq!(Installation::of(Path::new("/opt/toolsmith"), &list), Installation::Archive);
}

#[test]
fn the_command_for_an_archive_names_the_folder_as_a_shell_takes_it() {
    let command = Installation::Archive.command(Path::new("/opt/ä it's/bin/toolsmith"));
    assert!(command.starts_with(r"sh install.sh '/opt/ä it'\''s/bin' "), "{command}");
}

#[test]
fn the_command_for_npm_says_where_it_was_installed() {
    let command = |path: &str| Installation::Npm.command(Path::new(path));
    let package = "node_modules/@toolsmith/cli/node_modules/@toolsmith/cli-linux-x64/bin/toolsmith";
    for prefix in ["/usr/lib", "/opt/me/.nvm/versions/node/v22/lib", "/c/me/AppData/Roaming/npm"] {
        let command = command(&format!("{prefix}/{package}"));
        assert_eq!(command, "npm install --global @toolsmith/cli@latest", "{prefix}");
    }
    let local = command(&format!("/opt/me/my project/{package}"));
    assert_eq!(local, "npm install --prefix '/opt/me/my project' @toolsmith/cli@latest");
}
