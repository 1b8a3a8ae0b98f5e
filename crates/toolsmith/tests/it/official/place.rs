//! A session with one official example.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use toolsmith::{Session, SessionBuilder};
use toolsmith_agent::ApprovalMode;
use toolsmith_llm::{Message, Script, ScriptedProvider};
use toolsmith_tool::{CancelToken, DialogOptions, NoticeLevel, Ui, async_trait};

use crate::place::Place;

/// A person who answers every dialog the same way, and remembers what was shown.
#[derive(Default)]
pub(super) struct Person {
    /// What to choose: the first option that begins with it.
    pub(super) chooses: String,
    pub(super) confirms: bool,
    pub(super) shown: Mutex<Vec<String>>,
}

impl Person {
    pub(super) fn saw(&self, part: &str) -> bool {
        self.shown.lock().unwrap().iter().any(|text| text.contains(part))
    }

    fn show(&self, text: impl Into<String>) {
        self.shown.lock().unwrap().push(text.into());
    }
}

#[async_trait]
impl Ui for Person {
    async fn select(&self, title: &str, options: &[String], _dialog: DialogOptions) -> Option<String> {
        self.show(format!("{title}: {}", options.join(", ")));
        options.iter().find(|option| option.starts_with(&self.chooses)).cloned()
    }
    async fn confirm(&self, title: &str, message: &str, _dialog: DialogOptions) -> bool {
        self.show(format!("{title}: {message}"));
        self.confirms
    }
    fn notify(&self, message: &str, _level: NoticeLevel) {
        self.show(message);
    }
    fn set_status(&self, key: &str, text: Option<&str>) {
        self.show(format!("{key}={}", text.unwrap_or_default()));
    }
    fn set_title(&self, title: &str) {
        self.show(format!("title={title}"));
    }
}

/// Where the packages are, if they were fetched.
fn packages() -> PathBuf {
    match std::env::var_os("TOOLSMITH_EXTENSION_PACKAGES") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../extension-packages"),
    }
}

/// The file of an example, such as `pi/hello.ts`; says so and gives nothing if it is not there.
fn example(name: &str) -> Option<PathBuf> {
    let file = packages().join(name);
    if file.exists() {
        return file.canonicalize().ok();
    }
    #[allow(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: needs the example {name}; fetch it with `cargo xtask extensions`");
    }
    None
}

/// A session with an example, its model, and the person at it.
pub(super) struct Official {
    pub(super) place: Place,
    pub(super) session: Session,
    pub(super) model: ScriptedProvider,
    pub(super) person: Arc<Person>,
}

/// How the session is set up.
#[derive(Default)]
pub(super) struct Setup<'a> {
    pub(super) files: &'a [(&'a str, &'a str)],
    /// The working directory is a git repository with one commit.
    pub(super) git: bool,
    /// Somebody can be asked.
    pub(super) person: Option<Person>,
    pub(super) flags: &'a [(&'a str, Value)],
}

/// Starts a session with an example; nothing if it is not there.
pub(super) async fn official(name: &str, answers: Value, setup: Setup<'_>) -> Option<Official> {
    official_with(name, answers, setup, |builder| builder).await
}

pub(super) async fn official_with(
    name: &str,
    answers: Value,
    setup: Setup<'_>,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Option<Official> {
    let file = example(name)?;
    let place = Place::new(setup.files);
    if setup.git {
        for args in [vec!["init", "-q"], vec!["commit", "-q", "--allow-empty", "-m", "first"]] {
            let args = [vec!["-c", "user.name=T", "-c", "user.email=t@example.com"], args].concat();
            #[allow(clippy::disallowed_methods, reason = "sets up what the test needs")]
            let done = Command::new("git").args(args).current_dir(place.cwd()).status().unwrap();
            assert!(done.success());
        }
        fs::write(
            place.cwd().join(".git/config"),
            "[core]\n\trepositoryformatversion = 0\n[user]\n\tname = T\n\temail = t@example.com\n",
        )
        .unwrap();
    }
    let model = ScriptedProvider::new(Script::parse(&answers.to_string()).unwrap());
    let has_person = setup.person.is_some();
    let person = Arc::new(setup.person.unwrap_or_default());
    let mut builder = Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .trust(place.trust.clone())
        .extension_path(&file)
        .approval_mode(ApprovalMode::Yolo)
        .provider(Arc::new(model.clone()), model.model().clone());
    for (name, value) in setup.flags {
        builder = builder.flag(*name, value.clone());
    }
    if has_person {
        builder = builder.ui(Arc::clone(&person) as Arc<dyn Ui>);
    }
    let session = change(builder).build().await.unwrap();
    assert!(session.loaded().errors.is_empty(), "{name}: {:?}", session.loaded().errors);
    let loaded = session.loaded();
    let extension = &loaded.extensions;
    let unsupported: Vec<_> =
        extension.iter().flat_map(|one| one.extension.registrations().unsupported).collect();
    assert!(unsupported.is_empty(), "{name}: {unsupported:?}");
    Some(Official { place, session, model, person })
}

impl Official {
    pub(super) async fn ask(&self, prompt: &str) -> String {
        self.session.prompt(prompt).unwrap();
        self.session.wait_until_settled().await.unwrap().text.clone()
    }

    pub(super) async fn command(&self, name: &str, arguments: &str) {
        self.session.run_command(name, arguments, CancelToken::new()).await.unwrap();
        self.session.wait_until_settled().await;
    }

    pub(super) fn results(&self) -> Vec<(bool, String)> {
        crate::session_place::results(&self.session)
    }

    pub(super) fn last_request(&self) -> Vec<String> {
        let requests = self.model.requests();
        requests.last().unwrap().messages.iter().map(Message::joined_text).collect()
    }

    pub(super) fn last_system(&self) -> String {
        self.model.requests().last().unwrap().system.clone()
    }

    /// The output of a git command.
    pub(super) fn git(&self, args: &[&str]) -> String {
        #[allow(clippy::disallowed_methods, reason = "looks at what the extension did")]
        let output = Command::new("git").args(args).current_dir(self.place.cwd()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until the person saw something that arrives on its own.
    pub(super) async fn until_seen(&self, part: &str) {
        while !self.person.saw(part) {
            tokio::task::yield_now().await;
        }
    }
}

pub(super) fn call(name: &str, arguments: Value) -> Value {
    serde_json::json!({ "reply": [{ "call": name, "arguments": arguments }] })
}
