//! The tiers of places (CONTRACT 5.7).

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};

use toolsmith_host::location::{Location, Protected, Verdict, WriteRules, named_files};
use toolsmith_testkit::Project;
use toolsmith_tool::{FileChange, FileTiers as _, Tier};

/// A home with a project in it and another folder beside it.
pub(super) struct Home {
    files: Project,
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
}

impl Home {
    pub(super) fn new() -> Self {
        let files = Project::with_home(&[]);
        let project = files.create_folder("home/project");
        Self { home: files.path("home"), files, project }
    }

    pub(super) fn rules(&self, root: &Path) -> WriteRules {
        WriteRules::new(root).user_home(&self.home).own_home(self.home.join(".toolsmith"))
    }

    pub(super) fn put(&self, name: &str, text: &str) {
        self.files.write(&self.home.join(name), text);
    }
}

/// What is said of a path: `write`, `exec` or `refused`.
fn judged(rules: &WriteRules, path: &Path) -> &'static str {
    match rules.judge(path, Location::resolve(path).unwrap().real_path()) {
        Verdict::Write => "write",
        Verdict::Exec { .. } => "exec",
        Verdict::Refused { .. } => "refused",
        _ => "unknown",
    }
}

#[track_caller]
pub(super) fn all(rules: &WriteRules, base: &Path, names: &[&str], expected: &str) {
    for name in names {
        assert_eq!(judged(rules, &base.join(name)), expected, "{name}");
    }
}

#[test]
fn c5_7_data_in_the_project_is_write_and_everything_elsewhere_is_exec() {
    let home = Home::new();
    let rules = home.rules(&home.project);
    let data = [
        "a.txt",
        "src/main.rs",
        "new/deep/a.txt",
        "package.json",
        "Makefile",
        "build.rs",
        "AGENTS.md",
        ".env",
    ];
    all(&rules, &home.project, &data, "write");
    all(&rules, &home.home, &["notes.txt", "other/project/x", ".bashrc", ".config/x"], "exec");
    all(&rules, Path::new("/"), &["etc/passwd", "usr/local/bin/x"], "exec");
    let temporary = tempfile::tempdir().unwrap();
    assert_eq!(judged(&rules, &temporary.path().join("x")), "write");
    assert_eq!(judged(&rules, &temporary.path().join(".git/hooks/x")), "exec");
}

#[test]
fn c5_7_what_decides_what_runs_is_exec_at_any_depth_and_in_any_case() {
    let home = Home::new();
    let rules = home.rules(&home.project);
    let names = [
        ".git",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".g\u{200c}it/config",
        ".git./config",
        "sub/.git/config",
        ".githooks/x",
        ".husky/pre-commit",
        ".overcommit/x",
        ".git-hooks/pre_commit/x.rb",
        ".pnp.js",
        ".pixi/envs/default/bin/python",
        ".tox/py/bin/python",
        ".nox/t/bin/python",
        "mise/tasks/x",
        ".zuul.yaml",
        "zuul.d/jobs.yaml",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "lefthook.toml",
        ".lefthook-local.yml",
        ".lefthook/pre-commit/x",
        ".toolsmith/tools/x.ts",
        ".omp/x",
        ".pi/x",
        ".xcsh/x",
        ".claude/settings.json",
        ".claude/hooks/x",
        ".codex/config.toml",
        ".opencode/x",
        "opencode.json",
        ".cursor/mcp.json",
        ".mcp.json",
        ".Mcp.json",
        ".vscode/tasks.json",
        ".idea/x",
        ".zed/tasks.json",
        ".devcontainer/devcontainer.json",
        ".devcontainer.json",
        "x.code-workspace",
        ".exrc",
        ".nvim.lua",
        ".envrc",
        ".direnv/x",
        ".mise.toml",
        "mise.toml",
        "mise.local.toml",
        ".tool-versions",
        ".config/mise/config.toml",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".kshrc",
        ".inputrc",
        ".config/fish/config.fish",
        "Microsoft.PowerShell_profile.ps1",
        ".config/autostart/x.desktop",
        ".config/systemd/user/x.service",
        "Library/LaunchAgents/x.plist",
        "crontab",
        ".gitconfig",
        ".config/git/config",
        ".ssh/config",
        ".npmrc",
        ".yarnrc.yml",
        ".yarn/releases/yarn.cjs",
        ".pnp.cjs",
        "bunfig.toml",
        "node_modules/zod/index.js",
        "node_modules/.bin/tsc",
        ".cargo/config.toml",
        ".venv/bin/python",
        ".github/workflows/ci.yml",
        ".gitattributes",
        ".envrc.local",
        ".commitlintrc.cjs",
        "commitlint.config.js",
        ".yorkie/pre-commit",
        "Debug.run.xml",
        ".externalToolBuilders/x.launch",
        "sitecustomize.py",
        "rust-toolchain",
        "rust-toolchain.toml",
        ".bazelrc",
        "ci.bazelrc",
        ".bazelversion",
        "tools/bazel",
        ".buckconfig",
        "gradle/wrapper/gradle-wrapper.properties",
        "gradle/wrapper/gradle-wrapper.jar",
        "gradlew",
        "gradlew.bat",
        ".gradle/init.gradle",
        "init.gradle.kts",
        "mvnw",
        ".mvn/wrapper/maven-wrapper.properties",
        ".jvmopts",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project.join("a/b"), &names, "exec");
    // Only the names themselves, and worktrees that agents keep are projects.
    all(&rules, &home.project, &["git/x", "x.git.txt", "my.bashrc", ".github/ISSUE_TEMPLATE.md"], "write");
    // Build files run when somebody builds.
    let build = [
        "build.gradle",
        "gradle.properties",
        "settings.gradle.kts",
        "pom.xml",
        "BUILD.bazel",
        "toolchain.toml",
    ];
    all(&rules, &home.project, &build, "write");
    let worktree = home.project.join(".claude/worktrees/one");
    fs::create_dir_all(&worktree).unwrap();
    let in_worktree = home.rules(&worktree);
    all(&in_worktree, &worktree, &["src/a.rs"], "write");
    all(&in_worktree, &worktree, &[".claude/settings.json", ".git"], "exec");
}

#[test]
fn c5_7_our_own_data_is_never_written_by_tools() {
    let home = Home::new();
    home.put(".toolsmith/config.toml", "");
    let state = [
        "config.toml",
        "trust.json",
        "trust.json.tmp",
        "keys.json",
        "mcp-auth.json",
        "cache/mcp/x.json",
        "sessions/x/y.jsonl",
        "changes/unfinished/1.json",
        "changes/key",
        "logs/toolsmith.log",
        "agent/usage/2026-11-17.jsonl",
        "Config.toml",
    ];
    let authored = ["agent/tools/x.ts", "agent/rules/x.md", "plugins/node_modules/x/index.js", "else"];
    for root in [&home.project, &home.home, &home.home.join(".toolsmith"), &PathBuf::from("/")] {
        let rules = home.rules(root);
        all(&rules, &home.home.join(".toolsmith"), &state, "refused");
        all(&rules, &home.home.join(".toolsmith"), &authored, "exec");
    }
    // Also where it lies in the project, or is the project.
    for own in ["project/state", "project"] {
        let own = home.home.join(own);
        let rules = WriteRules::new(&home.project).user_home(&home.home).own_home(&own);
        all(&rules, &own, &state, "refused");
        all(&rules, &own, &authored, "exec");
    }
    // And where a link leads to it, or it is a link itself.
    symlink(home.home.join(".toolsmith/config.toml"), home.project.join("notes.md")).unwrap();
    symlink(home.home.join(".toolsmith/trust.json"), home.project.join("dangling")).unwrap();
    let rules = home.rules(&home.project);
    all(&rules, &home.project, &["notes.md", "dangling"], "refused");
    fs::write(home.project.join("trusted.json"), "").unwrap();
    symlink(home.project.join("trusted.json"), home.home.join(".toolsmith/trust.json")).unwrap();
    all(&rules, &home.project, &["trusted.json"], "refused");
    let elsewhere = home.project.join("undo");
    let rules = rules.state(&elsewhere);
    all(&rules, &elsewhere, &["x"], "refused");
}

#[test]
fn c5_7_in_the_home_itself_everything_with_a_dot_is_exec() {
    let home = Home::new();
    for root in [home.home.clone(), home.home.parent().unwrap().to_path_buf(), PathBuf::from("/")] {
        let rules = home.rules(&root);
        let own = [
            ".anything",
            ".local/bin/x",
            ".local/share/applications/x",
            "bin/x",
            ".config/new/x",
            "Library/x",
        ];
        all(&rules, &home.home, &own, "exec");
        all(&rules, &home.home, &["notes.txt", "project/src/x.rs", "project/.eslintrc"], "write");
    }
    // A working folder below one of those is all of that kind.
    for folder in ["bin", ".local/bin", ".config/nvim", ".config"] {
        let root = home.home.join(folder);
        fs::create_dir_all(&root).unwrap();
        all(&home.rules(&root), &root, &["x", "sub/x"], "exec");
    }
    let dotfiles = home.home.join(".dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    all(&home.rules(&dotfiles), &dotfiles, &["README.md"], "write");
}

#[test]
fn c5_7_a_link_does_not_hide_what_a_file_is_for() {
    let home = Home::new();
    home.put("project/dotfiles/bashrc", "");
    home.put("project/scripts/pre-commit", "");
    symlink(home.project.join("dotfiles/bashrc"), home.home.join(".bashrc")).unwrap();
    symlink("scripts", home.project.join(".husky")).unwrap();
    symlink(".git/hooks", home.project.join("innocent")).unwrap();
    let rules = home.rules(&home.project);
    let names = [
        "dotfiles/bashrc",
        "scripts/pre-commit",
        ".husky/pre-commit",
        "innocent/pre-commit",
        "innocent/new/x",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project, &["dotfiles/README", "script"], "write");
}

#[test]
fn c5_7_what_links_in_folders_of_agents_lead_to_is_exec() {
    let home = Home::new();
    for folder in [
        "project/.toolsmith/tools",
        "project/.claude",
        "project/.git/hooks",
        "project/x/tools",
        "project/x/agent",
        "project/loop",
    ] {
        home.files.create_folder(&format!("home/{folder}"));
    }
    home.files.create_folder("home/.toolsmith");
    home.files.create_folder("home/.omp/agent");
    let link = |from: &str, to: &str| symlink(to, home.home.join(from)).unwrap();
    link("project/.toolsmith/extensions", "../x/absent");
    link("project/.toolsmith/tools/late.ts", "../../x/late.ts");
    link("project/.claude/tools", "../x/tools");
    link("project/.git/hooks/pre-commit", "../../scripts/check.sh");
    link("project/.claude/again", "../loop");
    link("project/loop/round", "../loop");
    link(".omp/agent/tools", "../../project/x/omp");
    for (from, to) in [
        (".git/config", "gcfg"),
        (".vscode", "vs"),
        (".venv/bin/python", "s/python"),
        (".github/workflows/a.yml", "s/a.yml"),
    ] {
        let path = home.project.join(from);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(home.project.join(to), path).unwrap();
    }
    for (from, to) in [
        (".config/git/config", "gc"),
        (".ssh/config", "sshc"),
        (".local/bin/mytool", "s/tool.sh"),
        ("bin/other", "s/other.sh"),
        (".toolsmith/config.toml", "ts.toml"),
    ] {
        let path = home.home.join(from);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(home.project.join(to), path).unwrap();
    }
    let agent = home.project.join("x/agent");
    symlink(&agent, home.home.join(".toolsmith/agent")).unwrap();
    // A link in a folder that a link leads to.
    link("project/x/agent/tools", "../own-tools");
    let rules = home.rules(&home.project);
    let names = [
        "x/tools/n.ts",
        "x/absent/n.ts",
        "x/late.ts",
        "x/omp/n.ts",
        "x/agent/tools/n.ts",
        "x/agent/hooks.json",
        "x/own-tools/n.ts",
        "scripts/check.sh",
        "loop/n.ts",
        "gcfg",
        "vs/tasks.json",
        "s/python",
        "s/a.yml",
        "gc",
        "sshc",
        "s/tool.sh",
        "s/other.sh",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project, &["ts.toml"], "refused");
    all(&rules, &home.project, &["x/other.ts", "x/tool", "scripts/other.sh"], "write");
    // The same from a subdirectory, whose project is above it.
    all(&home.rules(&home.project.join("x")), &home.project.join("x"), &["tools/n.ts", "late.ts"], "exec");
    all(&home.rules(&home.project.join("x")), &home.project.join("x"), &["other.ts"], "write");
    let protected = Arc::new(Protected::default());
    home.files.create_folder("home/project/configured");
    link("project/configured/d.ts", "../y/d.ts");
    protected.add(&home.project.join("configured"));
    all(&rules.protected(protected), &home.project, &["y/d.ts", "configured/new.ts"], "exec");
}

#[test]
fn c5_7_what_links_in_folders_of_git_and_of_packages_lead_to_is_exec() {
    let home = Home::new();
    let put_link = |from: &str, to: &str| {
        let path = home.home.join(from);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(home.home.join(to), path).unwrap();
    };
    // The repository is above the working folder, which has a repository with its data elsewhere in it, and a package.
    home.put("project/.git/config", "[core]\n\thooksPath = hk\n");
    put_link("project/hk/pre-commit", "project/pkg/by-setting");
    put_link("project/.git/hooks/pre-push", "project/pkg/from-above");
    put_link("project/.git/modules/sub/hooks/pre-commit", "project/pkg/of-submodule");
    home.put("project/pkg/sub/.git", "gitdir: ../../.git/modules/sub\n");
    put_link("project/pkg/own/.git/hooks/pre-commit", "project/pkg/nested");
    put_link("project/pkg/a/.husky/pre-commit", "project/pkg/a/husky");
    put_link("project/pkg/a/.toolsmith/tools", "project/pkg/a/t");
    put_link(".local/share/bash-completion/completions/x", "project/pkg/completion");
    let root = home.project.join("pkg");
    let names = ["by-setting", "from-above", "of-submodule", "nested", "a/husky", "a/t/new.ts", "completion"];
    all(&home.rules(&root), &root, &names, "exec");
    all(&home.rules(&root), &root, &["other", "a/other.ts", "sub/file"], "write");
}

#[test]
fn c5_7_files_git_is_pointed_to_are_exec() {
    let home = Home::new();
    home.put("project/.git", "gitdir: gitdata\n");
    home.put("project/gitdata/config", "[core]\n\thooksPath = ci/hooks\n[include] path = ../settings.inc\n");
    let rules = home.rules(&home.project);
    all(
        &rules,
        &home.project,
        &["gitdata/hooks/x", "gitdata/config", "ci/hooks/pre-push", "settings.inc"],
        "exec",
    );
    all(&rules, &home.project, &["ci/run.sh"], "write");
    // Repositories without a working tree, and what would make a folder one.
    home.put("project/bare.git/HEAD", "");
    home.put("project/bare.git/objects/x", "");
    all(&rules, &home.project, &["bare.git/hooks/x", "bare.git/config"], "write");
    all(&rules, &home.project, &["bare.git/refs/heads/x"], "exec");
    home.put("project/bare.git/refs/x", "");
    all(&rules, &home.project, &["bare.git/hooks/post-update", "bare.git/config"], "exec");
}

#[test]
fn c5_7_code_of_tools_and_what_would_shadow_it_is_exec() {
    let home = Home::new();
    for name in ["mytools/a.ts", "lib/util.ts", "lib/parts/index.ts"] {
        home.put(&format!("project/{name}"), "");
    }
    let protected = Arc::new(Protected::default());
    let rules = home.rules(&home.project).protected(Arc::clone(&protected));
    let names = ["mytools/a.ts", "mytools/new/b.ts", "lib/util.ts", "lib/parts/index.ts"];
    all(&rules, &home.project, &names, "write");
    protected.add(&home.project.join("mytools"));
    protected.add_module(&home.project.join("lib/util.ts"));
    protected.add_module(&home.project.join("lib/parts/index.ts"));
    all(&rules, &home.project, &names, "exec");
    let shadows = [
        "lib/util.js",
        "lib/util.mts",
        "lib/util/index.ts",
        "lib/util/package.json",
        "lib/parts.ts",
        "lib/parts/index.mts",
    ];
    all(&rules, &home.project, &shadows, "exec");
    all(&rules, &home.project, &["lib/utility.ts", "lib/other.ts", "lib/parts/x.ts"], "write");
}

#[test]
fn c5_7_nested_repositories_and_programs_that_git_settings_name_are_exec() {
    let home = Home::new();
    home.put("project/.git/config", "[core]\n\tsshCommand = ./ci/ssh.sh -v\n[alias]\n\tx = \"!sh scripts/x.sh\"\n[filter \"f\"]\n\tclean = tools/clean %f\n");
    for file in ["ci/ssh.sh", "scripts/x.sh", "scripts/y.sh", "tools/clean"] {
        home.put(&format!("project/{file}"), "");
    }
    home.put(
        "project/vendor/n/.git/config",
        "[core]\n\thooksPath = hooksdir\n[include]\n\tpath = ../inc.cfg\n",
    );
    home.put("project/sub/.git", "gitdir: ../meta\n");
    home.put("project/meta/x", "");
    let rules = home.rules(&home.project);
    let names = [
        "ci/ssh.sh",
        "scripts/x.sh",
        "tools/clean",
        "vendor/n/hooksdir/pre-commit",
        "vendor/n/inc.cfg",
        "vendor/n/.git/inc.cfg",
        "meta/x",
    ];
    all(&rules, &home.project, &names, "exec");
    all(&rules, &home.project, &["scripts/y.sh", "ci/other.sh", "vendor/n/src/a.c"], "write");
}

#[test]
fn c5_7_git_settings_are_understood_as_git_does() {
    for value in [
        "myhooks # team hooks",
        "myhooks ; team hooks",
        "\"myhooks\"",
        "my\"ho\"oks",
        "my\\\nhooks",
        "./missing/../myhooks/",
        "~/project/myhooks",
    ] {
        let home = Home::new();
        home.put("project/.git/config", &format!("[core]\n\thooksPath = {value}\n[user]\n\tname = x\n"));
        all(&home.rules(&home.project), &home.project, &["myhooks/pre-commit"], "exec");
    }
    // Settings of the user, and settings in included files.
    let home = Home::new();
    home.put("project/.git/config", "");
    home.put(".gitconfig", "[include]\n\tpath = more.inc\n");
    home.put("more.inc", "[core]\n\thooksPath = myhooks\n");
    all(&home.rules(&home.project), &home.project, &["myhooks/pre-commit"], "exec");
}

#[test]
fn c5_7_hooks_are_exec_if_git_looks_for_them_in_the_working_directory() {
    let absolute = |home: &Home| home.project.display().to_string();
    for (value, root) in [
        (".".to_owned(), "project"),
        ("./missing/..".to_owned(), "project"),
        ("linked".to_owned(), "project"),
        ("src".to_owned(), "project/src"),
        (String::new(), "project"),
    ] {
        let home = Home::new();
        let value = if value.is_empty() { absolute(&home) } else { value };
        home.put("project/.git/config", &format!("[core]\n\thooksPath = {value}\n"));
        home.put("project/src/update/page.ts", "");
        home.put("project/update/page.ts", "");
        symlink(".", home.project.join("linked")).unwrap();
        let root = home.home.join(root);
        symlink("scripts/push.sh", root.join("pre-push")).unwrap();
        let rules = home.rules(&root);
        let hooks = ["pre-commit", "Post-Checkout", "commit-msg.exe", "pre-push", "scripts/push.sh"];
        all(&rules, &root, &hooks, "exec");
        let others = ["main.rs", "pre-commit.md", "docs/pre-commit", "update/page.ts", "hooks/pre-commit"];
        all(&rules, &root, &others, "write");
    }
    // Also above the working directory, where that is not elsewhere because it is temporary.
    let home = Home::new();
    home.put("project/.git/config", "[core]\n\thooksPath = .\n");
    let root = home.home.join("project/src/deep");
    fs::create_dir_all(&root).unwrap();
    all(&home.rules(&root), &home.project, &["pre-commit"], "exec");
    all(&home.rules(&root), &root, &["pre-commit", "main.rs"], "write");
    // A template is copied into new repositories, and the data of a repository may be the working directory.
    for (file, text, root) in [
        (".gitconfig", "[init]\n\ttemplateDir = ~/project\n", "project"),
        ("project/.git", "gitdir: data\n", "project/data"),
        ("project/.git", "gitdir: data\n", "project/data/hooks"),
    ] {
        let home = Home::new();
        home.put(file, text);
        home.files.create_folder("home/project/data/hooks");
        let repository = home.home.join(root.trim_end_matches("/hooks"));
        let rules = home.rules(&home.home.join(root));
        all(&rules, &repository, &["hooks/pre-commit", "config", "info/attributes"], "exec");
    }
}

#[test]
fn c5_7_a_repository_cannot_be_put_together_from_harmless_files() {
    let home = Home::new();
    home.put("project/other/objects/a", "");
    home.put("project/other/refs/heads/a", "");
    home.put("project/other/config", "");
    let rules = home.rules(&home.project);
    all(&rules, &home.project, &["docs/commondir", "docs/config.worktree", "docs/gitdir"], "exec");
    // Together with the other files of the same change.
    let change = |name: &str| FileChange {
        path: home.project.join(name),
        target: home.project.join(name),
        base: None,
        content: Some(Vec::new()),
        mode: None,
    };
    let apart = ["docs/HEAD", "docs/config"].map(change);
    let together = ["docs/HEAD", "docs/config", "docs/refs/heads/x", "docs/objects/a"].map(change);
    assert_eq!(rules.tier_of(&apart), Ok(Tier::Write));
    assert_eq!(rules.tier_of(&together), Ok(Tier::Exec));
}

#[test]
fn c5_7_files_that_redirect_imports_of_a_tool_are_exec() {
    let home = Home::new();
    home.put("project/.toolsmith/tools/a.ts", "");
    home.put("project/pk/lib/main.ts", "");
    let protected = Arc::new(Protected::default());
    let rules = home.rules(&home.project).protected(Arc::clone(&protected));
    all(&rules, &home.project, &["package.json", "pk.ts", "pk/package.json"], "write");
    protected.add_module(&home.project.join(".toolsmith/tools/a.ts"));
    protected.add_module(&home.project.join("pk/lib/main.ts"));
    all(&rules, &home.project, &["package.json", "Package.json", "pk.ts", "pk/package.json"], "exec");
    all(&rules, &home.project, &["pkg.ts", "src/package.json", "index.ts"], "write");
}

#[test]
fn c5_7_hidden_files_above_the_home_are_exec() {
    let home = Home::new();
    let above = home.home.parent().unwrap();
    all(&home.rules(above), above, &[".profile.d/x", ".foo"], "exec");
}

#[test]
fn c5_7_a_program_that_any_git_setting_names_is_exec() {
    let home = Home::new();
    home.put(
        "project/.git/config",
        "[pager]\n\tlog = ./p/log.sh\n[interactive]\n\tdiffFilter = ./p/filter.sh --x\n[alias]\n\tz = !$(git rev-parse --show-toplevel)/p/a.sh\n\ty = \"!cd p && ./cd.sh\"\n\tm = !python3 -m p.mod\n\tq = \"!\\\"$(git rev-parse --show-toplevel)\\\"/p/quoted.sh\"\n\tr = !sh ${GIT_PREFIX:-./}p/prefix.sh\n\ts = !sh `pwd`/p/pwd.sh\n[remote \"o\"]\n\turl = ext::./p/remote.sh\n[url \"ext::./p/url.sh\"]\n\tinsteadOf = x\n[user]\n\tname = README\n",
    );
    let named = [
        "log.sh",
        "filter.sh",
        "a.sh",
        "cd.sh",
        "mod.py",
        "remote.sh",
        "url.sh",
        "quoted.sh",
        "prefix.sh",
        "pwd.sh",
    ];
    for name in named {
        home.put(&format!("project/p/{name}"), "");
    }
    home.put("project/README", "");
    home.put("project/p/other.sh", "");
    let rules = home.rules(&home.project);
    all(&rules, &home.project.join("p"), &named, "exec");
    all(&rules, &home.project, &["README", "p/other.sh"], "write");
}

#[test]
fn c5_7_files_that_a_command_names_are_found_in_every_spelling() {
    let home = Home::new();
    for file in ["scripts/x.sh", "scripts/m.js", "srv/index.js"] {
        home.put(&format!("project/{file}"), "");
    }
    let base = home.project.as_path();
    for command in [
        "cd scripts && ./x.sh",
        "\"$(git rev-parse --show-toplevel)\"/scripts/x.sh",
        "X=scripts; sh $X/x.sh",
        "sh ${NOPE:-scripts}/x.sh",
        "sh -c \"sh scr''ipts/x.sh\"",
        "sh ~+/scripts/x.sh",
        "PATH=$PWD/scripts:$PATH x.sh",
    ] {
        assert!(named_files(command, &[base], None).contains(&base.join("scripts/x.sh")), "{command}");
    }
    assert!(named_files("node scripts/m", &[base], None).contains(&base.join("scripts/m.js")));
    assert!(named_files("node srv", &[base], None).contains(&base.join("srv/index.js")));
    // A file that does not exist yet decides what runs once it does.
    assert!(
        named_files("test -f later/x.sh && sh later/x.sh", &[base], None).contains(&base.join("later/x.sh"))
    );
}

#[test]
fn c13_1_protecting_many_modules_is_not_quadratic() {
    // 20,000 modules took minutes when each one was compared with all others.
    let home = Home::new();
    let protected = Arc::new(Protected::default());
    for number in 0..20_000 {
        protected.add_module(&home.project.join(format!("tools/t{number}.ts")));
    }
    let rules = home.rules(&home.project).protected(protected);
    all(&rules, &home.project, &["tools/t1.ts", "tools/t19999.ts"], "exec");
}

#[test]
fn c5_7_another_spelling_of_a_tools_code_is_exec() {
    let home = Home::new();
    home.put("project/lib/M\u{fc}ller/tool.ts", "");
    home.put("project/links/x", "");
    let protected = Arc::new(Protected::default());
    protected.add(&home.project.join("scripts"));
    protected.add_module(&home.project.join("lib/M\u{fc}ller/tool.ts"));
    let rules = home.rules(&home.project).protected(protected);
    let spellings = [
        "lib/M\u{fc}ller/TOOL.ts",
        "LIB/mu\u{308}ller/tool.ts",
        "lib/M\u{fc}ller/Tool.JS",
        "Lib/Package.json",
        "Scripts/x.sh",
    ];
    all(&rules, &home.project, &spellings, "exec");
    all(&rules, &home.project, &["lib/Muller/other.ts", "links/scripts"], "write");
}

#[test]
fn c5_7_ordinary_words_of_a_command_protect_no_directory() {
    let home = Home::new();
    let protected = Arc::new(Protected::default());
    let base = home.project.as_path();
    for command in
        ["npm test", "git status", "npx -y @modelcontextprotocol/server-filesystem .", "make -j4 build lint"]
    {
        protected.add_named(&named_files(command, &[base], None));
    }
    let rules = home.rules(&home.project).protected(Arc::clone(&protected));
    all(&rules, base, &["test/a.js", "src/main.rs", "build/out.o", "lint/x.sh", "README"], "write");
    // The words themselves would be run if they were programs.
    all(&rules, base, &["test", "build"], "exec");
    protected.add_named(&named_files("run-parts hk; sh ./later", &[base], None));
    all(&rules, base, &["hk/x", "later"], "exec");
}

#[test]
fn c5_7_interpreters_of_scripts_are_named() {
    let home = Home::new();
    home.put("project/s", "#!./one -x\n");
    home.put("project/one", "#! ./two\n");
    let base = home.project.as_path();
    let named = named_files("./s", &[base], None);
    assert!(named.contains(&base.join("./one")) && named.contains(&base.join("./two")), "{named:?}");
    home.put("project/loop", "#!./loop\n");
    assert!(named_files("sh loop", &[base], None).contains(&base.join("./loop")));
}

#[test]
fn c5_7_places_that_windows_starts_programs_from_are_exec() {
    let home = Home::new();
    let rules = home.rules(&home.home);
    let places = [
        "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/x.cmd",
        "AppData/Local/Programs/x.exe",
        "Documents/PowerShell/Modules/x.psm1",
        "scoop/shims/git.exe",
        "work/autorun.inf",
        "work/Profile.ps1",
    ];
    all(&rules, &home.home, &places, "exec");
    // Its temporary folder is among the settings of the user, and holds data all the same.
    all(&rules, &home.home, &["AppData/Local/Temp/x.txt"], "write");
    let project = home.rules(&home.project);
    all(&project, &home.project, &["Start Menu/Programs/Startup/x.lnk"], "exec");
}
