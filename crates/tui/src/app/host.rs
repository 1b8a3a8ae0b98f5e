//! What the program provides to the interface: building sessions, trust, models and settings. The interface does not know
//! where settings are stored or how a session is configured.

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use toolsmith::{Approver, Home, Prompt, Session, SessionSource, Ui, agent::Reviewer};

use crate::{keys::KeyBindings, text::ColorDepth};

/// How a session is to be built.
#[derive(Clone)]
#[non_exhaustive]
pub struct OpenRequest {
    /// Where the session is stored; `None` as the command line says.
    pub source: Option<SessionSource>,
    /// The UI for tools.
    pub ui: Arc<dyn Ui>,
    /// The approver.
    pub approver: Arc<dyn Approver>,
    /// Asks the person about previews, if that is possible.
    pub reviewer: Option<Arc<dyn Reviewer>>,
}

impl OpenRequest {
    pub(crate) fn new(source: Option<SessionSource>, ui: Arc<dyn Ui>, approver: Arc<dyn Approver>) -> Self {
        Self { source, ui, approver, reviewer: None }
    }
}

impl std::fmt::Debug for OpenRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenRequest").field("source", &self.source).finish_non_exhaustive()
    }
}

/// A session could not be built.
#[derive(Clone, Debug)]
pub struct OpenError {
    /// The reason.
    pub message: String,
    /// No model is configured: the first-run screen helps.
    pub needs_model: bool,
}

/// Things of a directory that wait for trust (CONTRACT 2.8).
#[derive(Clone, Debug, Default)]
pub struct TrustQuestion {
    /// The directory.
    pub folder: String,
    /// Modules and settings that wait.
    pub entries: Vec<String>,
}

/// A model that can be selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// Name for [`Session::set_model`].
    pub reference: String,
    /// Display name and metadata.
    pub detail: String,
}

/// A model provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderEntry {
    /// Name.
    pub name: String,
    /// Variable of its key; `None` for a server that needs none.
    pub variable: Option<String>,
    /// Where its key or server was looked for.
    pub detail: String,
    /// A key was found, or its server answered.
    pub is_usable: bool,
}

/// Services of the program.
#[async_trait]
pub trait Host: Send + Sync {
    /// Builds a session. Called again by `/reload`, with the settings and modules as they are then.
    async fn open(&self, request: OpenRequest) -> Result<Session, OpenError>;

    /// Returns a notice about the session that was opened last, once.
    fn open_notice(&self) -> Option<String> {
        None
    }

    /// Returns what waits for trust; `None` if nothing does or the question was answered before. May read the disk.
    fn trust_question(&self) -> Option<TrustQuestion>;

    /// Stores the answer to the trust question.
    ///
    /// # Errors
    /// Fails with the reason why it was not stored.
    fn answer_trust(&self, is_trusted: bool) -> Result<(), String>;

    /// Returns the models that can be selected.
    async fn models(&self) -> Vec<ModelEntry>;

    /// Returns the providers, and whether each can be used.
    async fn providers(&self) -> Vec<ProviderEntry>;

    /// Stores a key for the variable of a provider.
    ///
    /// # Errors
    /// Fails with the reason why it was not stored.
    fn store_key(&self, variable: &str, key: &str) -> Result<(), String>;

    /// Removes a stored key; returns whether there was one.
    ///
    /// # Errors
    /// Fails with the reason why it was not removed.
    fn remove_key(&self, variable: &str) -> Result<bool, String>;

    /// Changes a setting of the user.
    ///
    /// # Errors
    /// Fails with the reason why it was not stored.
    fn set_setting(&self, key: &str, value: &str) -> Result<(), String>;
}

/// Which screen is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScreenMode {
    /// The normal screen; finished rows belong to the terminal.
    #[default]
    Inline,
    /// The full screen from the start.
    FullScreen,
}

/// How the interface starts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Working directory.
    pub cwd: PathBuf,
    /// Home, for history, key bindings and themes.
    pub home: Home,
    /// The first prompt.
    pub prompt: Option<Prompt>,
    /// Opens the list of sessions first.
    pub picks_session: bool,
    /// Which screen.
    pub screen: ScreenMode,
    /// Name of the theme; `None` chooses by the terminal's background.
    pub theme: Option<String>,
    /// Number of colours.
    pub depth: ColorDepth,
    /// Animations are shown.
    pub has_motion: bool,
    /// Images are shown where the terminal can.
    pub shows_images: bool,
    /// Notifies when a run ends while the terminal is not focused.
    pub notifies: bool,
    /// Action of escape pressed twice: `tree`, `fork` or `none`.
    pub double_escape: String,
    /// Key bindings.
    pub keys: KeyBindings,
    /// Notices for the start, such as warnings about settings.
    pub notices: Vec<String>,
    /// Version of the program.
    pub version: String,
}

/// How the interface ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// Id of the session, if it can be resumed.
    pub session: Option<String>,
    /// The person chose the demo on the first-run screen.
    pub starts_demo: bool,
    /// Exit code: 128 plus the number of the signal that ended the program.
    pub code: u8,
}
