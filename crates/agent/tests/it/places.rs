//! Where the built-in tools write, and what is asked before they do (CONTRACT 5.7, 5.8).

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolsmith_agent::{
    ApprovalMode, ApprovalRequest, ApprovalSettings, Approver, CallEnd, CallOutcome, CallRequest, Decision,
    Dispatcher, ResolveTool, Resolver,
};
use toolsmith_builtins::{AstEditTool, Saving, built_in_tools_with_rules};
use toolsmith_host::{
    changes::{ChangeSet, ChangeStore, Wanted},
    location::WriteRules,
};
use toolsmith_testkit::Project;
use toolsmith_tool::{
    CancelToken, Origin, PendingAction, PendingCallbacks, PendingHandle, PendingStack, PushError, Registry,
    Tier, ToolContext, ToolError, ToolResult, Writes, async_trait,
};

type Meanwhile = Box<dyn Fn() + Send + Sync>;

/// Says yes, after doing something.
struct Yes {
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
    meanwhile: Option<Meanwhile>,
}

#[async_trait]
impl Approver for Yes {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.asked.lock().unwrap().push(request.clone());
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        Decision::Allow
    }
}

/// A home with a project in it. The working folder is the project, unless another is named.
struct Stage {
    files: Project,
    home: PathBuf,
    cwd: PathBuf,
    stack: Arc<PendingStack>,
    store: Arc<ChangeStore>,
    rules: Arc<WriteRules>,
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl Stage {
    fn new() -> Self {
        Self::working_in("project")
    }

    fn working_in(cwd: &str) -> Self {
        let files = Project::with_home(&[]);
        let home = files.path("home");
        files.create_folder("home/project");
        let cwd: PathBuf = home.join(cwd).components().collect();
        let store = Arc::new(ChangeStore::open(home.join(".toolsmith/changes")).unwrap());
        let rules = WriteRules::new(&cwd).user_home(&home).own_home(home.join(".toolsmith"));
        let rules = Arc::new(rules.state(store.folder()));
        let stack = PendingStack::with_file_tiers(Arc::clone(&rules) as _);
        Self { files, home, cwd, stack, store, rules, asked: Arc::default() }
    }

    fn put(&self, name: &str, text: &str) {
        self.files.write(&self.home.join(name), text);
    }

    fn get(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.home.join(name)).ok()
    }

    fn dispatcher(
        &self,
        saving: Saving,
        mode: ApprovalMode,
        meanwhile: Option<Option<Meanwhile>>,
    ) -> Dispatcher {
        let mut registry = Registry::new();
        let tools = built_in_tools_with_rules(
            &self.cwd,
            Some(self.home.clone()),
            saving,
            Arc::clone(&self.rules),
            None,
        );
        for tool in tools {
            registry.register(tool, Origin::built_in()).unwrap();
        }
        let edit = AstEditTool::new(&self.cwd, Arc::clone(&self.store)).rules(Arc::clone(&self.rules));
        registry.register(Arc::new(edit), Origin::built_in()).unwrap();
        let resolver = Resolver::new(Arc::clone(&self.stack), Arc::clone(&self.store), &self.cwd);
        registry.register(Arc::new(ResolveTool::new(resolver)), Origin::built_in()).unwrap();
        let mut dispatcher = Dispatcher::builder(registry).approval(ApprovalSettings::new(mode));
        if let Some(meanwhile) = meanwhile {
            dispatcher = dispatcher.approver(Arc::new(Yes { asked: Arc::clone(&self.asked), meanwhile }));
        }
        dispatcher.build()
    }

    /// The ways in which built-in tools change files.
    fn ways(&self) -> [Saving; 3] {
        [Saving::Direct, Saving::Undoable(Arc::clone(&self.store)), Saving::Preview]
    }

    async fn call(&self, dispatcher: &Dispatcher, name: &str, arguments: Value) -> CallOutcome {
        let context = ToolContext::detached().with_pending(PendingHandle::new(Arc::clone(&self.stack)));
        dispatcher.call(CallRequest::new("1", name, arguments).context(context)).await
    }

    /// Calls a tool in the default mode with nobody to ask, and applies what it staged. Gives how that ended.
    async fn unasked(&self, saving: &Saving, name: &str, arguments: Value) -> CallOutcome {
        let dispatcher = self.dispatcher(saving.clone(), ApprovalMode::Write, None);
        let outcome = self.call(&dispatcher, name, arguments).await;
        if !self.stack.has_pending() || outcome.is_error() {
            return outcome;
        }
        let applied = self.call(&dispatcher, "resolve", json!({ "action": "apply", "reason": "test" })).await;
        self.stack.pop();
        applied
    }
}

fn write(path: impl AsRef<Path>) -> Value {
    json!({ "path": path.as_ref(), "content": "mode = \"yolo\"\n" })
}

fn edit(path: impl AsRef<Path>) -> Value {
    json!({ "path": path.as_ref(), "edits": [{ "oldText": "old", "newText": "new" }] })
}

fn rewrite(path: impl AsRef<Path>) -> Value {
    json!({ "path": path.as_ref(), "lang": "typescript", "ops": [{ "pat": "old($A)", "out": "evil($A)" }] })
}

#[tokio::test]
async fn c5_7_a_dangling_link_to_our_settings_is_not_written_through() {
    let stage = Stage::new();
    symlink("../.toolsmith/config.toml", stage.home.join("project/notes.md")).unwrap();
    for saving in stage.ways() {
        for mode in [ApprovalMode::Write, ApprovalMode::Yolo] {
            let dispatcher = stage.dispatcher(saving.clone(), mode, Some(None));
            let outcome = stage.call(&dispatcher, "write", write("notes.md")).await;
            assert!(outcome.result.joined_text().contains("Toolsmith's own data"), "{outcome:?}");
            assert!(outcome.is_error() && !stage.stack.has_pending());
        }
    }
    assert_eq!(stage.get(".toolsmith/config.toml"), None);
    assert!(stage.asked.lock().unwrap().is_empty(), "nothing is asked that is refused in any case");
}

#[tokio::test]
async fn c5_7_no_way_to_write_a_path_leads_out_of_the_project_unasked() {
    let stage = Stage::new();
    stage.put("outside/file.txt", "old");
    stage.put(".bashrc", "old");
    stage.put("project/inside.txt", "old");
    let at = |name: &str| stage.home.join("project").join(name);
    symlink("../outside", at("link")).unwrap();
    symlink("../.bashrc", at("file-link")).unwrap();
    symlink("../outside/new.txt", at("dangling")).unwrap();
    symlink("dangling", at("second")).unwrap();
    symlink("/proc/self/cwd", at("magic")).unwrap();
    let before = ["outside/file.txt", ".bashrc"].map(|name| stage.get(name));
    let paths = [
        "nope/../link/.bashrc",
        "nope/../../.bashrc",
        "link/new.txt",
        "link/../.bashrc",
        "link/sub/new.txt",
        "dangling",
        "second",
        "file-link",
        "link/file.txt",
        "../.bashrc",
        "~/.bashrc",
        "magic/../.bashrc",
        "./link/./file.txt",
        "/proc/self/root/etc/toolsmith-test",
        "@../.bashrc",
        "file-link/",
        "\"../.bashrc\"",
    ];
    for saving in stage.ways() {
        for path in paths {
            for (name, arguments) in [("write", write(path)), ("edit", edit(path))] {
                let outcome = stage.unasked(&saving, name, arguments).await;
                assert!(outcome.is_error(), "{saving:?} {name} {path}: {outcome:?}");
            }
        }
        assert!(!stage.unasked(&saving, "write", write("new.txt")).await.is_error());
        fs::remove_file(at("new.txt")).unwrap();
    }
    assert_eq!(["outside/file.txt", ".bashrc"].map(|name| stage.get(name)), before);
    assert_eq!(fs::read_dir(stage.home.join("outside")).unwrap().count(), 1);
}

#[tokio::test]
async fn c5_7_ast_edit_of_what_decides_what_runs_asks_and_lists_the_files() {
    let stage = Stage::new();
    let files =
        [".bashrc", "project/.git/hooks/pre-commit", ".toolsmith/agent/tools/mine.ts", "outside/a.ts"];
    for file in files {
        stage.put(file, "old(1);\n");
    }
    stage.put("project/a.ts", "old(1);\n");
    for file in files {
        let path = stage.home.join(file);
        let outcome = stage.unasked(&Saving::Preview, "ast_edit", rewrite(&path)).await;
        assert_eq!(
            (outcome.end.clone(), outcome.name.as_str()),
            (CallEnd::Denied, "resolve"),
            "{file}: {outcome:?}"
        );
        assert_eq!(stage.get(file).unwrap(), "old(1);\n");
        // With somebody to ask, the files are shown.
        let dispatcher = stage.dispatcher(Saving::Preview, ApprovalMode::Write, Some(None));
        stage.call(&dispatcher, "ast_edit", rewrite(&path)).await;
        stage.call(&dispatcher, "resolve", json!({ "action": "apply", "reason": "test" })).await;
        let asked = stage.asked.lock().unwrap().pop().unwrap();
        assert_eq!(asked.tier, Tier::Exec);
        let shown = path.display().to_string();
        assert!(asked.details.iter().any(|line| line.contains(&shown)), "{asked:?}");
        assert_eq!(stage.get(file).unwrap(), "evil(1);\n");
    }
    let outcome = stage.unasked(&Saving::Preview, "ast_edit", rewrite("a.ts")).await;
    assert!(!outcome.is_error(), "{outcome:?}");
    stage.put(".toolsmith/config.toml", "old(1);\n");
    let outcome =
        stage.unasked(&Saving::Preview, "ast_edit", rewrite(stage.home.join(".toolsmith/config.toml"))).await;
    assert!(outcome.result.joined_text().contains("Toolsmith's own data"), "{outcome:?}");
}

#[tokio::test]
async fn c5_8_a_link_that_changes_after_the_approval_stops_the_call() {
    for saved in ["direct", "undoable"] {
        for (name, arguments) in [("write", write("link/file.txt")), ("edit", edit("link/file.txt"))] {
            let stage = Stage::new();
            let saving = match saved {
                "direct" => Saving::Direct,
                _ => Saving::Undoable(Arc::clone(&stage.store)),
            };
            for folder in ["one", "two"] {
                stage.put(&format!("project/{folder}/file.txt"), "old\n");
            }
            stage.put("outside/file.txt", "old\n");
            let link = stage.home.join("project/link");
            // Inside to inside, inside to outside, outside to our home: what was shown is not what would be written.
            let moves =
                [("one", "two"), ("one", "../outside"), ("../outside", "one"), ("../outside", "../.config")];
            for (from, to) in moves {
                stage.put(".config/file.txt", "old\n");
                let _ = fs::remove_file(&link);
                symlink(from, &link).unwrap();
                let (swapped, to) = (link.clone(), to.to_owned());
                let swap: Meanwhile = Box::new(move || {
                    fs::remove_file(&swapped).unwrap();
                    symlink(&to, &swapped).unwrap();
                });
                let dispatcher = stage.dispatcher(saving.clone(), ApprovalMode::AlwaysAsk, Some(Some(swap)));
                let outcome = stage.call(&dispatcher, name, arguments.clone()).await;
                assert!(outcome.result.joined_text().contains("leads elsewhere"), "{outcome:?}");
            }
            let asked = stage.asked.lock().unwrap();
            let real = stage.home.join("project/one/file.txt");
            assert!(asked[0].details.contains(&format!("Leads to: {}", real.display())), "{:?}", asked[0]);
            for file in
                ["project/one/file.txt", "project/two/file.txt", "outside/file.txt", ".config/file.txt"]
            {
                assert_eq!(stage.get(file).unwrap(), "old\n", "{name} {file}");
            }
        }
    }
}

#[tokio::test]
async fn c5_8_a_path_that_led_nowhere_at_the_approval_is_not_written_later() {
    let stage = Stage::new();
    symlink("..", stage.home.join("project/up")).unwrap();
    let missing = stage.home.join("project/nope");
    let make: Meanwhile = Box::new(move || fs::create_dir_all(&missing).unwrap());
    let dispatcher = stage.dispatcher(Saving::Direct, ApprovalMode::AlwaysAsk, Some(Some(make)));
    let outcome = stage.call(&dispatcher, "write", write("nope/../up/.bashrc")).await;
    assert!(outcome.result.joined_text().contains("leads elsewhere"), "{outcome:?}");
    assert_eq!(stage.get(".bashrc"), None);
}

#[tokio::test]
async fn c5_8_an_answer_that_is_remembered_is_about_one_file() {
    struct ForSession;
    #[async_trait]
    impl Approver for ForSession {
        async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
            match request.arguments["path"].as_str().unwrap().ends_with("first") {
                true => Decision::AllowForSession,
                false => Decision::Deny { note: None },
            }
        }
    }
    let stage = Stage::new();
    let mut registry = Registry::new();
    let rules = Arc::clone(&stage.rules);
    for tool in built_in_tools_with_rules(&stage.cwd, Some(stage.home.clone()), Saving::Direct, rules, None) {
        registry.register(tool, Origin::built_in()).unwrap();
    }
    let dispatcher = Dispatcher::builder(registry)
        .approval(ApprovalSettings::new(ApprovalMode::Write))
        .approver(Arc::new(ForSession))
        .build();
    for _ in 0..2 {
        assert!(!stage.call(&dispatcher, "write", write("~/first")).await.is_error());
    }
    assert_eq!(stage.call(&dispatcher, "write", write("~/.bashrc")).await.end, CallEnd::Denied);
}

#[tokio::test]
async fn c5_7_in_the_home_folder_settings_programs_and_our_own_data_are_not_written_unasked() {
    let stage = Stage::working_in(".");
    let names = [
        ".bashrc",
        ".local/bin/x",
        ".config/autostart/x",
        ".anything",
        "bin/x",
        ".toolsmith/agent/tools/x.ts",
    ];
    for saving in stage.ways() {
        for name in names {
            let outcome = stage.unasked(&saving, "write", write(name)).await;
            assert_eq!(outcome.end, CallEnd::Denied, "{name}: {outcome:?}");
        }
        for name in
            [".toolsmith/config.toml", ".toolsmith/trust.json", ".toolsmith/changes/unfinished/1.json"]
        {
            let outcome = stage.unasked(&saving, "write", write(name)).await;
            assert!(outcome.result.joined_text().contains("Toolsmith's own data"), "{name}: {outcome:?}");
        }
        assert!(!stage.unasked(&saving, "write", write("notes.txt")).await.is_error());
        fs::remove_file(stage.home.join("notes.txt")).unwrap();
    }
}

struct Nothing;

#[async_trait]
impl PendingCallbacks for Nothing {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::text("applied"))
    }
}

#[test]
fn c5_7_a_staged_action_has_the_highest_tier_of_its_files() {
    let stage = Stage::new();
    let push = |own: Option<Tier>, names: &[&str], writes: Writes| {
        let wanted = names.iter().map(|name| Wanted::write(stage.home.join(name), "x")).collect();
        let files = ChangeSet::bind(&stage.cwd, wanted).unwrap().into_files();
        let mut action = PendingAction::new("x", Arc::new(Nothing)).files(files, writes);
        action.tier = own;
        let handle = PendingHandle::new(Arc::clone(&stage.stack)).with_tier(Tier::Read);
        handle.push(action).map(|()| stage.stack.pop().unwrap().tier.unwrap())
    };
    for writes in [Writes::Host, Writes::Callback] {
        // The tool that stages is of tier `read` here.
        assert_eq!(push(None, &["project/a"], writes), Ok(Tier::Write));
        assert_eq!(push(None, &["project/a", "project/.envrc"], writes), Ok(Tier::Exec));
        assert_eq!(push(Some(Tier::Write), &[".bashrc"], writes), Ok(Tier::Exec));
        assert_eq!(push(Some(Tier::Exec), &["project/a"], writes), Ok(Tier::Exec));
        let refused = push(None, &["project/a", ".toolsmith/trust.json"], writes).unwrap_err();
        assert!(
            matches!(&refused, PushError::Refused(why) if why.contains("toolsmith trust")),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn c5_8_a_command_does_not_run_in_a_directory_exchanged_during_the_question() {
    let stage = Stage::new();
    stage.put("project/d/name", "project");
    stage.put("outside/name", "outside");
    let arguments = json!({ "command": "touch ran; cat name", "cwd": "d" });
    let asked = stage.dispatcher(Saving::Direct, ApprovalMode::Write, Some(None));
    let outcome = stage.call(&asked, "bash", arguments.clone()).await;
    assert_eq!(outcome.result.joined_text(), "project", "unchanged, it runs there");

    let (folder, outside) = (stage.home.join("project/d"), stage.home.join("outside"));
    let exchange: Meanwhile = Box::new(move || {
        fs::rename(&folder, folder.with_extension("old")).unwrap();
        symlink(&outside, &folder).unwrap();
    });
    let asked = stage.dispatcher(Saving::Direct, ApprovalMode::Write, Some(Some(exchange)));
    let outcome = stage.call(&asked, "bash", arguments).await;
    assert!(
        outcome.is_error() && outcome.result.joined_text().contains("leads elsewhere"),
        "{}",
        outcome.result.joined_text()
    );
    assert_eq!(stage.get("outside/ran"), None);
}
