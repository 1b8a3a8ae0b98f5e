//! The working folder as every command sees it: settings, what is trusted, which modules there are, and the engine to run
//! them in.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context as _, Result};
use toolsmith::{
    ConfiguredFrom, ConfiguredPath, Discovered, DiscoveryOptions, FoundHook, FoundHooks, Home, HookOptions,
    HookStatus, LiveTools, LoadScope, LoadedTools, TrustDecision, TrustedFiles, Warning,
    discover_configured_paths, discover_custom_tool_paths, discover_hooks, engine_options, find_project,
    load_custom_tool, load_custom_tools,
    settings::{FileState, LoadedSettings, SettingsFile, SettingsSources, load_settings},
    trust_store,
};
use toolsmith_host::{
    changes::ChangeStore,
    exec::{PathRule, find_program, program_path},
    trust::TrustError,
};
use toolsmith_js::{Engine, EngineOptions, PreparedDefinitions};
use toolsmith_mcp::{
    Servers,
    config::{Configuration, ServerConfig, WaitingServer},
};
use toolsmith_tool::{LoadRecording, Name, Tool, UiHandle, visible_line};

use crate::{
    arguments::Shared,
    failure::{self, Problem},
    output::{one_line, show_path},
    terminal,
};

/// Entries of each kind that a question names. What it leaves out cannot be read before the answer, so there are few limits.
const MAX_SHOWN: usize = 1000;

/// The working folder.
pub(crate) struct Project {
    pub(crate) cwd: PathBuf,
    /// The project it belongs to: itself or a directory above it.
    pub(crate) root: PathBuf,
    pub(crate) home: Home,
    pub(crate) trust: TrustDecision,
    pub(crate) loaded: LoadedSettings,
    /// Warnings about settings and the trust list.
    pub(crate) warnings: Vec<Warning>,
    sources: SettingsSources,
    given: Vec<ConfiguredPath>,
    given_extensions: Vec<ConfiguredPath>,
    /// Definitions of tools that are being read for a session.
    pub(crate) prepared: Option<PreparedDefinitions>,
}

fn decide_trust(shared: &Shared, home: &Home) -> Result<TrustDecision, TrustError> {
    match shared.trust || std::env::var("TOOLSMITH_TRUST").is_ok_and(|value| value == "1") {
        true => Ok(TrustDecision::everything()),
        false => TrustDecision::from_store(trust_store(home)),
    }
}

/// Has programs of the project found by name only while it is trusted, whatever a command starts (CONTRACT 2.8).
pub(crate) fn guard_programs(shared: &Shared) {
    let Ok(here) = std::env::current_dir() else { return };
    let given = shared.cwd.as_ref().map(|folder| here.join(folder));
    let home = Home::from_environment();
    for folder in given.into_iter().chain([here]) {
        match &home {
            Ok(home) => {
                let trust = decide_trust(shared, home).unwrap_or_default();
                toolsmith::guard_programs(&trust, &folder, home);
            }
            Err(_) => toolsmith_host::exec::guard_programs(&folder, |_| false),
        }
    }
}

impl Project {
    /// Reads the settings for the folder the flags name.
    pub(crate) fn open(shared: &Shared) -> Result<Self> {
        Self::open_with(shared, false)
    }

    /// The same for a command that builds a session: the definitions of its tools are read meanwhile.
    pub(crate) fn open_for_session(shared: &Shared) -> Result<Self> {
        Self::open_with(shared, true)
    }

    fn open_with(shared: &Shared, prepares: bool) -> Result<Self> {
        let here = std::env::current_dir().context("could not determine the working directory")?;
        let cwd = match &shared.cwd {
            Some(folder) => {
                let folder = here.join(folder);
                if !folder.is_dir() {
                    let what = format!("{} is not a directory", folder.display());
                    return Err(Problem::wrong_use(what).hint("--cwd must be a directory.").into());
                }
                folder
            }
            None => here,
        };
        let home = Home::from_environment()?;
        let prepared = prepares.then(|| toolsmith::prepare_definitions(&cwd, &home));
        let root = find_project(&cwd, &home);
        let mut warnings = Vec::new();
        let trust = decide_trust(shared, &home).unwrap_or_else(|error| {
            warnings.push(Warning::new(format!("no directory is trusted: {error}")));
            TrustDecision::default()
        });
        let mut flags = shared.set.iter().map(|flag| split_flag(flag)).collect::<Result<Vec<_>>>()?;
        if shared.no_extensions {
            flags.push(("extensions.enabled".to_owned(), "false".to_owned()));
        }
        let sources = SettingsSources::new(home.clone(), &cwd)
            .environment(
                std::env::vars_os()
                    .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
            )
            .flags(flags)
            .trust(trust.clone());
        let loaded = load_settings(&sources)?;
        warnings.extend(loaded.warnings.iter().cloned());
        // Relative paths are resolved from the working directory, also from that of `--cwd` (CONTRACT 2.5).
        let from_here = |path: &String| match path.starts_with('~') {
            true => path.clone(),
            false => cwd.join(path).to_string_lossy().into_owned(),
        };
        let given = shared.tools.iter().map(from_here);
        let given = given.map(|path| ConfiguredPath::new(path, ConfiguredFrom::CommandLine)).collect();
        let extensions = shared.extensions.iter().map(from_here);
        let given_extensions =
            extensions.map(|path| ConfiguredPath::extension(path, ConfiguredFrom::CommandLine)).collect();
        Ok(Self { cwd, root, home, trust, loaded, warnings, sources, given, given_extensions, prepared })
    }

    /// Checks that every settings file that counts can be read. What cannot be read may have been a `deny`, so nothing runs
    /// without it (CONTRACT 5.4).
    pub(crate) fn check_settings(&self) -> Result<()> {
        let counts = |file: &&SettingsFile| !file.path.starts_with(&self.root) || self.is_trusted();
        let broken = self.loaded.files.iter().filter(|file| file.state == FileState::Broken).find(counts);
        let Some(file) = broken else { return Ok(()) };
        let what = format!("the settings in {} cannot be used", file.path.display());
        let hint = "Fix the file or move it away: its restrictions would be missing.";
        Err(Problem::failed(what).hint(hint).into())
    }

    /// Finds the modules. Nothing of them is run.
    pub(crate) fn discover(&self) -> Discovered {
        discover_custom_tool_paths(&self.discovery_options())
    }

    /// The places where modules, skills, commands and plugins are looked for.
    pub(crate) fn discovery_options(&self) -> DiscoveryOptions {
        DiscoveryOptions::new(&self.cwd, self.home.clone())
            .configured(self.given.clone())
            .extensions(self.given_extensions.clone())
            .settings(self.loaded.settings.clone())
            .trust(self.trust.clone())
    }

    /// The modules of paths on the command line, files or folders, and no others.
    pub(crate) fn discover_given(&self, paths: &[PathBuf]) -> Discovered {
        let given = paths.iter().map(|path| {
            let path: PathBuf = self.cwd.join(path).components().collect();
            ConfiguredPath::new(path.to_string_lossy(), ConfiguredFrom::CommandLine)
        });
        let options = DiscoveryOptions::new(&self.cwd, self.home.clone()).configured(given.collect());
        discover_configured_paths(&options)
    }

    /// Finds the modules, and asks once whether the folder is trusted when something waits for that and there is a person
    /// to ask (CONTRACT 2.8).
    pub(crate) fn discover_asking(&mut self) -> Result<Discovered> {
        let discovered = self.discover();
        if !terminal::is_interactive() {
            return Ok(discovered);
        }
        if self.is_trusted() {
            self.ask_about_hooks()?;
        }
        let entries = self.waiting_entries(&discovered);
        if entries.is_empty() || self.trust.was_declined(&self.root) {
            return Ok(discovered);
        }
        let mut question = format!("{} is not trusted yet. It has\n", one_line(&self.root.to_string_lossy()));
        for entry in entries {
            question.push_str(&format!("  {entry}\n"));
        }
        question.push_str("Tools can do whatever you can. Trust this folder?");
        let store = trust_store(&self.home);
        match terminal::ask_yes_or_no(&question) {
            Some(true) => store.add(&self.root)?,
            Some(false) => store.decline(&self.root)?,
            // Not answered: asked again the next time.
            None => return Ok(discovered),
        };
        self.trust = TrustDecision::from_store(store)?;
        self.sources = self.sources.clone().trust(self.trust.clone());
        self.loaded = load_settings(&self.sources)?;
        if self.is_trusted() {
            self.ask_about_hooks()?;
        }
        Ok(self.discover())
    }

    /// Lists what waits for trust in the project, in one line each: modules, settings, MCP servers and hooks. Every question about
    /// trust shows these lines.
    pub(crate) fn waiting_entries(&self, discovered: &Discovered) -> Vec<String> {
        let modules = discovered.waiting().map(|module| show_path(&module.path, &self.cwd, &self.home));
        let settings = self.loaded.waiting.iter().map(|setting| one_line(&setting.summary()));
        let servers = self.mcp_configuration().waiting;
        let servers = servers.iter().map(|server| {
            format!("MCP server {}: {}", visible_line(&server.name), visible_line(&server.full))
        });
        let mut entries = first_of(modules.collect(), "modules");
        entries.extend(settings);
        entries.extend(first_of(servers.collect(), "MCP servers"));
        entries.extend(first_of(self.untrusted_hooks(), "hooks"));
        entries
    }

    /// Takes over the user's list of what is trusted as it is now. Settings stay as they are.
    pub(crate) fn follow_trust(&mut self) {
        self.trust = self.trust.renewed();
    }

    /// Hooks that wait for trust, in one line each.
    pub(crate) fn untrusted_hooks(&self) -> Vec<String> {
        if self.is_trusted() {
            return Vec::new();
        }
        let found = self.hooks();
        let waiting = found.hooks.iter().filter(|found| found.status == HookStatus::Untrusted);
        waiting.map(|found| format!("{} hook: {}", found.hook.event.as_str(), found.what())).collect()
    }

    /// Returns whether the project as a whole is trusted.
    pub(crate) fn is_trusted(&self) -> bool {
        self.trust.allows(&self.root)
    }

    /// The files whose code may run without trusting the project as a whole.
    pub(crate) fn trusted_files(&self) -> TrustedFiles {
        TrustedFiles::new(&self.trust, &self.home, &self.root)
    }

    /// Finds a program in the entries of `PATH` that count.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        find_program(name, &program_path(), &self.cwd, PathRule::Safe).ok()
    }

    /// Returns an engine that loads every module, as the settings want it. Needs a tokio runtime.
    pub(crate) fn engine(&self, found: &Discovered) -> Engine {
        Engine::new(self.engine_options(found))
    }

    /// Returns an engine that loads modules when they are used, if their definitions are cached.
    pub(crate) fn caching_engine(&self, found: &Discovered) -> Engine {
        Engine::new(self.engine_options(found).definition_cache(toolsmith::definition_cache(&self.home)))
    }

    /// An engine whose calls can be recorded and replayed.
    pub(crate) fn recordable_engine(&self, found: &Discovered) -> Engine {
        Engine::new(self.engine_options(found).recordable(true))
    }

    /// An engine whose calls are replayed, with the recordings that modules are loaded from.
    pub(crate) fn replaying_engine(
        &self,
        found: &Discovered,
        loads: Vec<(PathBuf, LoadRecording)>,
    ) -> Engine {
        let options = self.engine_options(found).replaying(true);
        Engine::new(loads.into_iter().fold(options, |options, (path, load)| options.load_from(path, load)))
    }

    fn engine_options(&self, found: &Discovered) -> EngineOptions {
        engine_options(&self.cwd, &self.loaded.settings, found)
    }

    /// Loads what was found.
    pub(crate) async fn load(&self, discovered: Discovered, engine: &Engine, mode: LoadScope) -> LoadedTools {
        let disabled = &self.loaded.settings.tools.disabled;
        let names = toolsmith::built_in_names(&self.loaded.settings);
        load_custom_tools(discovered, &names, disabled, engine, mode).await
    }

    /// Loads what may have a tool of this name; more modules than `most` do not get runtimes of their own.
    pub(crate) async fn load_tool(
        &self,
        name: &str,
        discovered: Discovered,
        engine: &Engine,
        most: usize,
    ) -> LoadedTools {
        let disabled = &self.loaded.settings.tools.disabled;
        let names = toolsmith::built_in_names(&self.loaded.settings);
        load_custom_tool(name, discovered, &names, disabled, engine, most).await
    }

    /// Follows what was loaded.
    pub(crate) fn live_tools(
        &self,
        engine: &Engine,
        search: Option<DiscoveryOptions>,
        loaded: &LoadedTools,
        mode: LoadScope,
    ) -> LiveTools {
        let disabled = &self.loaded.settings.tools.disabled;
        let names = toolsmith::built_in_names(&self.loaded.settings);
        LiveTools::new(engine.clone(), search, loaded, &names, disabled, mode)
    }

    /// A tool that is part of the program and not disabled, by its name.
    pub(crate) fn built_in_tool(&self, name: &str, changes: &Arc<ChangeStore>) -> Option<Arc<dyn Tool>> {
        let all =
            toolsmith::built_in_tools(&self.cwd, &self.home, changes, self.loaded.settings.tools.preview);
        let is_disabled = self.loaded.settings.tools.disabled.iter().any(|disabled| disabled == name);
        all.into_iter().find(|tool| tool.spec().name == name && !is_disabled)
    }

    /// The configured MCP servers. Those of a project that is not trusted wait.
    pub(crate) fn mcp_configuration(&self) -> Configuration {
        toolsmith::mcp_configuration(&self.cwd, &self.home, &self.loaded.settings, &self.trust)
    }

    /// A client for MCP servers. Nothing is started.
    pub(crate) fn mcp_servers(&self, servers: Vec<ServerConfig>, ui: UiHandle) -> Servers {
        toolsmith::mcp_servers(servers, &self.cwd, &self.home, ui)
    }

    /// Returns problems of configuration files of MCP servers.
    pub(crate) fn mcp_warnings(&self, configuration: &Configuration) -> Vec<Warning> {
        let warning = |problem: &toolsmith_mcp::config::ConfigProblem| {
            let message = match &problem.server {
                Some(server) => format!("(server \"{}\") {}", Name(server), problem.message),
                None => problem.message.clone(),
            };
            Warning::about(&problem.file, message)
        };
        configuration.problems.iter().map(warning).collect()
    }

    /// The hooks of the project and the user. Those that are not confirmed wait.
    pub(crate) fn hooks(&self) -> FoundHooks {
        let options = HookOptions::new(&self.root, self.home.clone())
            .settings(self.loaded.settings.clone())
            .trust(self.trust.clone());
        discover_hooks(&options)
    }

    /// Asks once about hooks of the project that were not decided about, if there is a person to ask.
    fn ask_about_hooks(&self) -> Result<()> {
        let found = self.hooks();
        let waiting: Vec<&FoundHook> = found.waiting().collect();
        if waiting.is_empty() || !terminal::is_interactive() {
            return Ok(());
        }
        let mut question = String::from("This project has hooks, which run at events of a session:\n");
        for hook in waiting.iter().take(MAX_SHOWN) {
            question.push_str(&crate::commands::hooks::describe(self, hook));
        }
        if waiting.len() > MAX_SHOWN {
            question.push_str(&format!(
                "  and {} more; `toolsmith hooks list` shows all\n",
                waiting.len() - MAX_SHOWN
            ));
        }
        question.push_str("Hooks can do whatever you can. Run them?");
        if let Some(answer) = terminal::ask_yes_or_no(&question) {
            found.decide(&self.home, &waiting, answer)?;
        }
        Ok(())
    }

    /// Shows what was wrong with settings and trust.
    pub(crate) fn warn(&self) {
        failure::warn_all(&self.warnings);
    }

    /// A path as people say it.
    pub(crate) fn show(&self, path: &std::path::Path) -> String {
        show_path(path, &self.cwd, &self.home)
    }
}

fn split_flag(flag: &str) -> Result<(String, String)> {
    let (key, value) = flag.split_once('=').ok_or_else(|| {
        Problem::wrong_use(format!("invalid --set value \"{flag}\""))
            .hint("Use --set KEY=VALUE; `toolsmith config` lists the keys.")
    })?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

/// Returns the first entries, and the number of the others.
fn first_of(mut entries: Vec<String>, what: &str) -> Vec<String> {
    let more = entries.len().saturating_sub(MAX_SHOWN);
    entries.truncate(MAX_SHOWN);
    entries.extend((more > 0).then(|| format!("and {more} more {what}")));
    entries
}

/// Describes a server that waits for trust: its name, its command line or URL, and the commands that give its values.
pub(crate) fn waiting_server(server: &WaitingServer) -> String {
    let (name, target) = (visible_line(&server.name), visible_line(&server.target));
    let commands: String = server
        .value_commands
        .iter()
        .map(|line| format!("; runs for a value: {}", visible_line(line)))
        .collect();
    format!("{name}: {target}{commands}")
}
