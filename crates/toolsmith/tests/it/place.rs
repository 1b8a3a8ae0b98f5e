//! A home and a project in a temporary folder.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;
use toolsmith::{
    ConfiguredFrom, ConfiguredPath, Discovered, DiscoveryOptions, Home, LoadScope, LoadedTools, Session,
    Tier, TrustDecision, discover_custom_tool_paths, load_custom_tools, mcp_configuration,
    settings::{LoadedSettings, SettingsSources, load_settings},
};
use toolsmith_js::{Engine, EngineOptions};
use toolsmith_llm::Script;
use toolsmith_testkit::Project;

/// A module with one tool of this name.
pub(crate) fn tool(name: &str) -> String {
    format!(
        "export default () => ({{ name: \"{name}\", description: \"d\", parameters: {{ type: \"object\", properties: {{}} }},\n\
         execute: async () => ({{ content: [] }}) }});\n"
    )
}

/// A home and a project.
pub(crate) struct Place {
    project: Project,
    pub(crate) trust: TrustDecision,
    pub(crate) configured: Vec<ConfiguredPath>,
}

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Place {
    /// Everything trusted, so that a test of something else need not say so.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Project::with_home(files);
        Self { project, trust: TrustDecision::everything(), configured: Vec::new() }
    }

    /// Modules at these paths, each with one tool that is called as its file or folder is.
    pub(crate) fn with_tools(paths: &[&str]) -> Self {
        let place = Self::new(&[]);
        for path in paths {
            place.write_tool(path);
        }
        place
    }

    pub(crate) fn write_tool(&self, path: &str) {
        let stem = Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned();
        let folder = Path::new(path).parent().unwrap().file_name().unwrap_or_default().to_str().unwrap();
        self.write(path, &tool(if stem == "index" { folder } else { &stem }));
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn home(&self) -> Home {
        Home::at(self.root.join("home"))
    }

    /// Adds a path as the command line would.
    pub(crate) fn given(mut self, path: &str) -> Self {
        self.configured.push(ConfiguredPath::new(path, ConfiguredFrom::CommandLine));
        self
    }

    pub(crate) fn untrusted(mut self) -> Self {
        self.trust = TrustDecision::default();
        self
    }

    pub(crate) fn settings(&self) -> LoadedSettings {
        load_settings(&self.sources()).unwrap()
    }

    pub(crate) fn sources(&self) -> SettingsSources {
        SettingsSources::new(self.home(), self.cwd()).trust(self.trust.clone())
    }

    pub(crate) fn options(&self) -> DiscoveryOptions {
        DiscoveryOptions::new(self.cwd(), self.home())
            .configured(self.configured.clone())
            .settings(self.settings().settings)
            .trust(self.trust.clone())
    }

    pub(crate) fn discover(&self) -> Discovered {
        discover_custom_tool_paths(&self.options())
    }

    /// The modules' paths, from the root of this place.
    pub(crate) fn found(&self) -> Vec<String> {
        self.discover().modules.iter().map(|module| self.short(&module.path)).collect()
    }

    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine::new(EngineOptions::new(self.cwd()))
    }

    pub(crate) async fn load(&self) -> LoadedTools {
        self.load_with(&["resolve"], LoadScope::Scan).await
    }

    pub(crate) async fn load_with(&self, built_in: &[&str], mode: LoadScope) -> LoadedTools {
        let disabled = self.settings().settings.tools.disabled;
        load_custom_tools(self.discover(), built_in, &disabled, &self.engine(), mode).await
    }
}

/// The tools' names, in order.
pub(crate) fn names(loaded: &LoadedTools) -> Vec<&str> {
    loaded.tools.iter().map(toolsmith::CustomTool::name).collect()
}

impl Place {
    /// The tiers of writes to these files in a session of the project.
    pub(crate) async fn write_tiers(&self, files: &[&str]) -> Vec<Tier> {
        self.write_tiers_in(&self.cwd(), files).await
    }

    /// The same for a session in another directory.
    pub(crate) async fn write_tiers_in(&self, cwd: &Path, files: &[&str]) -> Vec<Tier> {
        let session = self.writing_session(cwd).await;
        let tiers = write_tiers_of(&session, files).await;
        session.dispose().await;
        tiers
    }

    /// A session with everything that is configured for a directory.
    pub(crate) async fn writing_session(&self, cwd: &Path) -> Session {
        let settings = self.settings().settings;
        let servers = mcp_configuration(cwd, &self.home(), &settings, &self.trust).servers;
        Session::builder(cwd)
            .home(self.home())
            .trust(self.trust.clone())
            .settings(settings)
            .mcp_servers(servers)
            .discovery(true)
            .script(Script::parse(r#"["Hello."]"#).unwrap())
            .build()
            .await
            .unwrap()
    }
}

/// The tiers of writes to these files now.
pub(crate) async fn write_tiers_of(session: &Session, files: &[&str]) -> Vec<Tier> {
    let registry = session.agent().dispatcher().registry().clone();
    let tool = registry.read(|registry| Arc::clone(&registry.get("write").unwrap().tool));
    let mut tiers = Vec::new();
    for file in files {
        tiers.push(tool.approval(&json!({ "path": file, "content": "" })).await.tier);
    }
    tiers
}
