//! The files that decide what code runs next. Writing them is `exec` wherever they lie, also inside the working folder
//! (CONTRACT 5.7). `docs/security.md` lists the same.
//!
//! A pattern is one or more components of a path, each of which may begin or end with `*`. It covers the file or folder
//! it matches, at any depth, and everything below. Comparison ignores case and characters that some file systems ignore,
//! because those file systems find `.git` by `.GIT` too.
//!
//! Ordinary build files (`package.json`, `Makefile`, `build.rs`, tests) are not listed: they run when somebody builds,
//! and asking about each of them would make every edit a question.

/// At any depth.
pub(super) const ANYWHERE: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            ".git",
            ".githooks",
            ".gitconfig",
            ".config/git",
            // Parts of a repository that names do not give away otherwise: they make any directory one.
            "commondir",
            "gitdir",
            "config.worktree",
            ".hg/hgrc",
            ".hgrc",
            ".jj/repo",
            ".sl/config",
            // Selects the filters, drivers and textconv programs that git's settings define.
            ".gitattributes",
        ],
    ),
    (
        "git hooks",
        &[
            ".husky",
            ".huskyrc*",
            ".pre-commit-config.yaml",
            ".pre-commit-config.yml",
            ".pre-commit-hooks.yaml",
            "lefthook.*",
            "lefthook-local.*",
            ".lefthook*",
            ".lintstagedrc*",
            "lint-staged.config.*",
            ".simple-git-hooks*",
            "simple-git-hooks.*",
            ".overcommit.yml",
            ".overcommit",
            ".git-hooks",
            ".yorkie",
            ".commitlintrc*",
            "commitlint.config.*",
            ".czrc",
            "captainhook.json",
            "prek.toml",
            "hk.pkl",
            ".trunk",
        ],
    ),
    (
        "tools and settings of coding agents",
        &[
            ".toolsmith",
            ".omp",
            ".pi",
            ".xcsh",
            ".claude",
            ".claude.json",
            ".claude-plugin",
            ".codex",
            ".opencode",
            "opencode.json",
            "opencode.jsonc",
            ".config/opencode",
            ".gemini",
            ".cursor",
            ".windsurf",
            ".continue",
            ".aider*",
            ".roo",
            ".kiro",
            ".amazonq",
            ".agents",
            ".agent",
            ".clinerules",
            ".cline",
            ".openhands",
            ".iflow",
            ".codebuddy",
            ".grok",
            ".vibe",
            ".amp",
            ".augment",
            ".crush",
            "crush.json",
            ".crush.json",
            ".junie",
            ".factory",
            ".kilocode",
            ".opencode.json",
            ".qwen",
            ".trae",
            ".goose",
            ".codeium",
            ".github/hooks",
            ".mcp.json",
            "mcp.json",
        ],
    ),
    (
        "editor tasks",
        &[
            ".vscode",
            ".idea",
            ".run",
            "*.run.xml",
            ".externaltoolbuilders",
            ".fleet",
            ".zed",
            ".vs",
            ".devcontainer",
            ".devcontainer.json",
            "*.code-workspace",
            "*.sublime-project",
            ".exrc",
            ".vimrc",
            ".gvimrc",
            "_vimrc",
            "_gvimrc",
            "_exrc",
            ".vim",
            ".nvimrc",
            ".nvim.lua",
            ".lvimrc",
            ".vimrc.local",
            ".local.vimrc",
            ".helix",
            ".theia",
            ".nova",
            ".codesandbox",
            ".gitpod.yml",
            ".gitpod.dockerfile",
            ".idx",
            ".replit",
            ".lazy.lua",
            ".config/nvim",
            ".emacs",
            ".emacs.d",
            ".dir-locals.el",
            ".dir-locals-2.el",
        ],
    ),
    (
        "environment of shells",
        &[
            ".envrc",
            ".envrc.*",
            ".direnv",
            ".direnvrc",
            ".config/direnv",
            ".mise.toml",
            ".mise.*.toml",
            "mise.toml",
            "mise.*.toml",
            ".mise",
            "mise/config.toml",
            "mise/config.*.toml",
            "mise/tasks",
            "mise-tasks",
            ".mise-tasks",
            ".config/mise",
            ".config/mise.toml",
            ".rtx.toml",
            ".tool-versions",
            ".asdfrc",
            ".autoenv*",
            ".rvmrc",
            ".shadowenv.d",
            ".env.fish",
        ],
    ),
    (
        "shell profiles",
        &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".bash_aliases",
            ".bash_completion",
            ".bashrc.d",
            ".zshrc.d",
            ".xonshrc",
            ".ghci",
            ".iex.exs",
            ".ocamlinit",
            ".octaverc",
            ".latexmkrc",
            ".Renviron",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".kshrc",
            ".mkshrc",
            ".cshrc",
            ".tcshrc",
            ".login",
            ".inputrc",
            ".xprofile",
            ".xinitrc",
            ".xsession",
            ".xsessionrc",
            ".pam_environment",
            ".config/fish",
            "config.fish",
            ".rprofile",
            ".pdbrc",
            ".irbrc",
            ".pryrc",
            ".pythonrc*",
            ".gdbinit",
            ".lldbinit",
            ".config/nushell",
            ".config/powershell",
            ".config/environment.d",
            "*profile.ps1",
        ],
    ),
    (
        "services and scheduled jobs",
        &[
            ".config/autostart",
            ".config/systemd",
            "launchagents",
            "launchdaemons",
            "crontab",
            ".crontab",
            "cron.d",
            "start menu/programs/startup",
            "autorun.inf",
        ],
    ),
    ("keys and remote access", &[".ssh", ".gnupg"]),
    (
        "package managers",
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".yarn",
            ".pnp.cjs",
            ".pnp.js",
            ".pnp.loader.mjs",
            ".pnpmfile.cjs",
            ".pnpmfile.mjs",
            "pnpmfile.js",
            "pnpmfile.cjs",
            "bunfig.toml",
            ".bunfig.toml",
            "node_modules",
            ".cargo",
            ".venv",
            "venv",
            ".tox",
            ".nox",
            ".pixi",
            "env/bin",
            "env/scripts",
            "pip.conf",
            ".pypirc",
            ".bundle",
            ".mvn",
            "sitecustomize.py",
            "usercustomize.py",
        ],
    ),
    (
        "toolchains and build tools",
        &[
            // Settings that start programs or choose the version to download, before any build file is read.
            "rust-toolchain",
            "rust-toolchain.toml",
            ".bazelrc",
            "*.bazelrc",
            ".bazeliskrc",
            ".bazelversion",
            "tools/bazel",
            "tools/bazel.*",
            ".buckconfig",
            ".buckconfig.local",
            "gradle/wrapper",
            "gradlew",
            "gradlew.bat",
            ".gradle",
            "init.gradle",
            "init.gradle.kts",
            "mvnw",
            "mvnw.cmd",
            ".sbtopts",
            ".jvmopts",
        ],
    ),
    (
        "continuous integration",
        &[
            ".github/workflows",
            ".semaphore",
            ".builds",
            ".build.yml",
            ".tekton",
            "buildspec.yml",
            ".azure-pipelines",
            ".github/actions",
            ".forgejo/workflows",
            ".gitea/workflows",
            ".gitlab-ci.yml",
            ".gitlab/ci",
            ".cirrus.yml",
            ".cirrus.star",
            "appveyor.yml",
            ".appveyor.yml",
            ".teamcity",
            "cloudbuild.yaml",
            "cloudbuild.yml",
            ".circleci",
            ".buildkite",
            ".woodpecker*",
            ".drone.yml",
            ".zuul.yaml",
            ".zuul.d",
            "zuul.d",
            ".travis.yml",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "jenkinsfile",
        ],
    ),
];

/// Below the user's home folder, whatever the working folder is.
pub(super) const IN_HOME: &[(&str, &[&str])] = &[
    ("programs of the user", &["bin", ".local/bin", ".local/lib", "go/bin", ".npm-global", "scoop"]),
    (
        "settings of the user",
        &[
            ".config",
            ".local/share",
            "library",
            "documents/powershell",
            "documents/windowspowershell",
            "appdata",
            ".aws",
            ".kube",
            ".docker",
        ],
    ),
];

/// Below the root of the file system. It matters if that, or a directory of the system, is worked in, as in a container.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) const IN_SYSTEM: &[(&str, &[&str])] = &[
    (
        "settings of the system",
        &["etc", "boot", "usr/local/etc", "var/spool/cron", "var/spool/at", "var/spool/incron"],
    ),
    (
        "programs of the system",
        &[
            "bin",
            "sbin",
            "lib",
            "lib32",
            "lib64",
            "libx32",
            "usr/bin",
            "usr/sbin",
            "usr/lib",
            "usr/lib32",
            "usr/lib64",
            "usr/libx32",
            "usr/libexec",
            "usr/local/bin",
            "usr/local/sbin",
            "usr/local/lib",
            "usr/local/libexec",
        ],
    ),
];
/// Below the root of the file system.
#[cfg(target_os = "macos")]
pub(super) const IN_SYSTEM: &[(&str, &[&str])] = &[
    (
        "settings of the system",
        &["etc", "private/etc", "library", "system", "usr/local/etc", "private/var/at"],
    ),
    ("programs of the system", &["bin", "sbin", "usr", "applications", "opt/homebrew", "opt/local"]),
];
/// Below the root of a drive.
#[cfg(windows)]
pub(super) const IN_SYSTEM: &[(&str, &[&str])] = &[
    ("settings of the system", &["windows", "programdata"]),
    ("programs of the system", &["program files", "program files (x86)"]),
];

/// Directories of the system in which projects may lie too: they count unless the working directory is below them.
pub(super) const SYSTEM_DATA: &[(&str, &[&str])] = &[(
    "files of the system",
    if cfg!(all(unix, not(target_os = "macos"))) {
        &[
            "dev",
            "nix",
            "opt",
            "proc",
            "run",
            "snap",
            "sys",
            "usr/games",
            "usr/local/share",
            "usr/share",
            "var/cron",
            "var/lib",
            "var/spool",
        ]
    } else {
        &[]
    },
)];

/// Environment variables that name a file or directory which decides what shells and programs run.
pub(super) const POINTING_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "PYTHONSTARTUP",
    "APPDATA",
];

/// The temporary folder of Windows, which is among the settings of the user.
pub(super) const TEMPORARY_IN_HOME: &str = "appdata/local/temp";

/// Worktrees that agents keep in their own folders hold ordinary projects.
pub(super) const WORKTREES: (&[&str], &str) = (&[".claude", ".codex", ".cursor", ".opencode"], "worktrees");

/// In our own folder: what the program keeps for itself, and the command that changes it. Tools never write these.
pub(super) const OWN_STATE: &[(&str, &str)] = &[
    ("config.toml*", "edit it yourself; `toolsmith config` shows where each setting comes from"),
    ("trust.json*", "use `toolsmith trust`"),
    ("confirmed-hooks.json*", "use `toolsmith hooks trust`"),
    ("keys.json*", "use `toolsmith login`"),
    ("mcp-auth.json*", "use `toolsmith mcp login`"),
    ("cache", "it is written by the program only"),
    ("sessions", "use `toolsmith sessions`"),
    ("changes", "use `toolsmith undo`"),
    ("logs", "it is written by the program only"),
    ("agent/usage", "it is written by the program only"),
];

/// Returns whether one folded component matches a component of a pattern.
fn component_matches(pattern: &str, component: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == component,
        Some((start, end)) => {
            component.len() >= start.len() + end.len()
                && component.starts_with(start)
                && component.ends_with(end)
        }
    }
}

/// Returns whether the components start with the pattern.
pub(super) fn begins_with(components: &[String], pattern: &str) -> bool {
    let mut parts = pattern.split('/');
    let mut components = components.iter();
    parts.all(|part| components.next().is_some_and(|component| component_matches(part, component)))
}

/// Returns the category of the first pattern found anywhere in the components.
pub(super) fn anywhere(components: &[String]) -> Option<&'static str> {
    let (agents, worktrees) = WORKTREES;
    (0..components.len()).find_map(|at| {
        let from = &components[at..];
        if agents.contains(&from[0].as_str())
            && from.get(1).is_some_and(|next| next == worktrees)
            && from.len() > 2
        {
            return None;
        }
        first(ANYWHERE, from)
    })
}

/// Returns the category of the first pattern the components start with.
pub(super) fn first(table: &[(&'static str, &[&str])], components: &[String]) -> Option<&'static str> {
    table
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| begins_with(components, pattern)))
        .map(|(what, _)| *what)
}

/// The patterns that name one file or folder.
pub(super) fn plain_names(
    table: &'static [(&'static str, &[&str])],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    table
        .iter()
        .flat_map(|(what, patterns)| patterns.iter().map(move |pattern| (*pattern, *what)))
        .filter(|(pattern, _)| !pattern.contains('*'))
}
