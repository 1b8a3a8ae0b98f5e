//! Places that links, settings of git, options of commands and the system itself decide about (CONTRACT 5.7).

use std::{fs, os::unix::fs::symlink, path::Path};

use toolsmith_host::location::named_files;

use super::rules::{Home, all};

#[test]
fn c5_7_links_in_subdirectories_do_not_hide_what_their_targets_are_for() {
    let home = Home::new();
    home.put("project/shared/envrc", "");
    home.put("project/shared/zed/x", "");
    for (link, target) in [
        ("packages/app/.envrc", "../../shared/envrc"),
        ("packages/app/.zed", "../../shared/zed"),
        // These lead to what does not exist yet.
        ("packages/app/.npmrc", "../../shared/npmrc"),
        ("packages/app/.vscode", "../../shared/vscode"),
        ("packages/lib/.toolsmith", "../../shared/tools"),
        (".toolsmith", "conf/x/../tools"),
    ] {
        let path = home.project.join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }
    let rules = home.rules(&home.project);
    let names = [
        "shared/envrc",
        "shared/zed/tasks.json",
        "shared/npmrc",
        "shared/vscode/tasks.json",
        "shared/tools/tools/t.ts",
        "conf/tools/config.toml",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project, &["shared/other", "conf/y"], "write");
}

#[test]
fn c5_7_files_that_links_with_a_dot_in_the_home_lead_to_are_exec() {
    let home = Home::new();
    let dotfiles = home.home.join("dotfiles");
    fs::create_dir_all(dotfiles.join("zsh")).unwrap();
    fs::create_dir_all(home.home.join(".program")).unwrap();
    for (link, target) in [
        (".tmux.conf", "dotfiles/tmux.conf"),
        (".aliases", "dotfiles/aliases"),
        (".zsh", "dotfiles/zsh"),
        (".program/start", "../dotfiles/start"),
    ] {
        symlink(target, home.home.join(link)).unwrap();
    }
    for root in [&home.home, &dotfiles] {
        let names = ["tmux.conf", "aliases", "zsh/x.zsh", "start"];
        all(&home.rules(root), &dotfiles, &names, "exec");
        all(&home.rules(root), &dotfiles, &["README.md", "other/x"], "write");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn c5_7_files_of_the_system_are_exec_if_it_is_worked_in() {
    let home = Home::new();
    for root in ["/", "/etc", "/usr/local"] {
        let rules = home.rules(Path::new(root));
        let names = [
            "/etc/profile",
            "/etc/profile.d/x.sh",
            "/etc/ld.so.preload",
            "/var/spool/cron/crontabs/root",
            "/usr/bin/git",
            "/usr/local/bin/git",
            "/lib/x.so",
            "/run/systemd/system/x.service",
            "/proc/sys/kernel/core_pattern",
            "/usr/share/bash-completion/completions/x",
            "/opt/other/bin/x",
        ];
        all(&rules, Path::new("/"), &names, "exec");
    }
    let rules = home.rules(Path::new("/opt/app"));
    all(
        &rules,
        Path::new("/"),
        &["/opt/app/src/x.js"],
        if Path::new("/opt/app").is_dir() { "write" } else { "exec" },
    );
    let rules = home.rules(Path::new("/"));
    all(&rules, Path::new("/"), &["/srv/app/main.py", "/library/x", "/usr/src/app/x.js"], "write");
}

#[test]
fn c5_7_bare_repositories_and_places_of_several_names_in_subdirectories_count_with_their_links() {
    let home = Home::new();
    for name in [
        "mirror.git/HEAD",
        "mirror.git/objects/x",
        "mirror.git/refs/x",
        "pp/pager.sh",
        "pp/ssh.sh",
        "one/a.yml",
    ] {
        home.put(&format!("project/{name}"), "");
    }
    let config =
        "[core]\n\tpager = ../pp/pager.sh\n\tsshCommand = sh ../pp/ssh.sh\n\thooksPath = ../own-hooks\n";
    home.put("project/mirror.git/config", config);
    for (link, target) in [
        ("mirror.git/hooks/pre-receive", "../../behind"),
        ("n1/.github/workflows/a.yml", "../../../one/a.yml"),
        ("n2/.github/workflows", "../../two"),
        ("n3/.github", "../three"),
        ("n4/.github", "../four"),
    ] {
        let path = home.project.join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }
    fs::create_dir_all(home.project.join("three")).unwrap();
    let rules = home.rules(&home.project);
    let names = [
        "pp/pager.sh",
        "pp/ssh.sh",
        "own-hooks/pre-receive",
        "behind",
        "one/a.yml",
        "two/x.yml",
        "three/workflows/x.yml",
        "four/workflows/x.yml",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project, &["pp/other.sh", "one/b.yml", "three/README"], "write");
}

#[test]
fn c5_7_directories_and_modules_that_options_name_are_found() {
    let home = Home::new();
    let base = home.project.as_path();
    for (command, file) in [
        ("bun --cwd d1 x.ts", "d1/x.ts"),
        ("bun run --cwd=d2 x.ts", "d2/x.ts"),
        ("uvicorn --port 80 d5.srv:app", "d5/srv.py"),
        ("gunicorn 'd6.srv:make()'", "d6/srv.py"),
    ] {
        assert!(named_files(command, &[base], None).contains(&base.join(file)), "{command}");
    }
}
