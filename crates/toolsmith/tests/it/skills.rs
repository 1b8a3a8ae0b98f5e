//! Skills (CONTRACT 11.3).

use std::{fs, os::unix::fs::symlink, sync::Arc};

use serde_json::{Value, json};
use toolsmith::{
    ApprovalMode, CommandOutcome, Decision, Session, SessionBuilder, Skills, check_skill, discover_skills,
};
use toolsmith_agent::{ApprovalRequest, Approver};
use toolsmith_llm::{Message, Script, ScriptedProvider};
use toolsmith_tool::{CancelToken, async_trait};

use crate::{place::Place, session_place::results};

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Use for {name}\n{more}---\nBody of {name}\n")
}

fn found(place: &Place) -> Skills {
    discover_skills(&place.options())
}

fn names(skills: &Skills) -> Vec<&str> {
    skills.list.iter().map(|skill| skill.name.as_str()).collect()
}

/// Starts a session with a scripted model.
async fn session(
    place: &Place,
    answers: Value,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> (Session, ScriptedProvider) {
    let model = ScriptedProvider::new(Script::parse(&answers.to_string()).unwrap());
    let builder = Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .trust(place.trust.clone())
        .discovery(true)
        .provider(Arc::new(model.clone()), model.model().clone());
    (change(builder).build().await.unwrap(), model)
}

fn read(path: &str) -> Value {
    json!({ "reply": [{ "call": "read", "arguments": { "path": path } }] })
}

#[test]
fn all_directories_are_searched_in_order_and_the_first_name_is_used() {
    let place = Place::new(&[]);
    let expected = [
        "project/.toolsmith/skills/a/SKILL.md",
        "project/.agents/skills/b/SKILL.md",
        "project/.omp/skills/c/SKILL.md",
        "project/.pi/skills/d/SKILL.md",
        "project/.xcsh/skills/e/SKILL.md",
        "project/.claude/skills/group/deep/f/SKILL.md",
        "project/.codex/skills/g/SKILL.md",
        "home/.toolsmith/agent/skills/h/SKILL.md",
        "home/.agents/skills/i/SKILL.md",
        "home/.omp/agent/skills/j/SKILL.md",
        "home/.pi/agent/skills/k/SKILL.md",
        "home/.claude/skills/l/SKILL.md",
        "home/.codex/skills/m/SKILL.md",
    ];
    for path in expected.iter().rev() {
        let name = path.rsplit('/').nth(1).unwrap();
        place.write(path, &skill(name, ""));
    }
    place.write("home/.claude/skills/a/SKILL.md", &skill("a", ""));
    place.write("home/.claude/skills/node_modules/x/SKILL.md", &skill("x", ""));
    let skills = found(&place);
    let paths: Vec<String> = skills.list.iter().map(|skill| place.short(&skill.file)).collect();
    assert_eq!(paths, expected);
    assert_eq!(skills.warnings.len(), 1, "{:?}", skills.warnings);
    assert!(skills.warnings[0].to_string().contains("has the same name"));
}

#[test]
fn skills_of_directories_above_are_found_up_to_the_repository() {
    let place = Place::new(&[
        ("project/.git/HEAD", ""),
        ("project/.claude/skills/top/SKILL.md", &skill("top", "")),
        ("project/a/.claude/skills/near/SKILL.md", &skill("near", "")),
        (".claude/skills/outside/SKILL.md", &skill("outside", "")),
    ]);
    let options = toolsmith::DiscoveryOptions::new(place.cwd().join("a"), place.home()).trust(place.trust);
    assert_eq!(names(&discover_skills(&options)), ["near", "top"]);
}

#[test]
fn c2_8_skills_of_an_untrusted_project_do_not_replace_those_of_the_user_and_do_not_lead_out() {
    let place = Place::new(&[
        ("project/.claude/skills/same/SKILL.md", &skill("same", "")),
        ("home/.claude/skills/same/SKILL.md", &skill("same", "")),
        ("elsewhere/linked/SKILL.md", &skill("linked", "")),
        ("elsewhere/secret.md", &skill("secret", "")),
    ])
    .untrusted();
    symlink(place.path("elsewhere/linked"), place.path("project/.claude/skills/linked")).unwrap();
    fs::create_dir_all(place.path("project/.claude/skills/secret")).unwrap();
    symlink(place.path("elsewhere/secret.md"), place.path("project/.claude/skills/secret/SKILL.md")).unwrap();
    let skills = found(&place);
    assert_eq!(names(&skills), ["same"]);
    assert_eq!(place.short(&skills.list[0].file), "home/.claude/skills/same/SKILL.md");
    let warnings: Vec<String> = skills.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings.iter().any(|warning| warning.contains("secret") && warning.contains("lies outside")),
        "{warnings:?}"
    );
}

#[test]
fn faults_are_reported_and_the_rest_is_loaded() {
    let place = Place::new(&[
        ("home/.claude/skills/good/SKILL.md", &skill("good", "")),
        ("home/.claude/skills/broken/SKILL.md", "---\nname: [\n---\n"),
        ("home/.claude/skills/colon/SKILL.md", "---\nname: colon\ndescription: a: b: c\n---\n"),
        ("home/.claude/skills/empty/SKILL.md", ""),
        ("home/.claude/skills/folder/SKILL.md/x", ""),
        ("home/.claude/skills/other/SKILL.md", &skill("another", "")),
    ]);
    fs::create_dir_all(place.path("home/.claude/skills/binary")).unwrap();
    fs::write(place.path("home/.claude/skills/binary/SKILL.md"), b"---\nname: \xff\n---\n").unwrap();
    symlink("SKILL.md", place.path("home/.claude/skills/empty/loop.md")).unwrap();
    symlink(place.path("home/.claude/skills"), place.path("home/.claude/skills/around")).unwrap();
    let skills = found(&place);
    let mut sorted = names(&skills);
    sorted.sort_unstable();
    assert_eq!(sorted, ["another", "colon", "good"]);
    let warnings: Vec<String> = skills.warnings.iter().map(ToString::to_string).collect();
    for part in ["broken", "empty", "folder", "binary", "is not that of its directory"] {
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{part}: {warnings:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_skills_do_not_fill_the_prompt() {
    let place = Place::new(&[]);
    for at in 0..5000 {
        let folder = place.path(&format!("home/.claude/skills/skill-{at}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill(&format!("skill-{at}"), "")).unwrap();
    }
    let skills = found(&place);
    assert!(skills.list.len() > 1900, "{}", skills.list.len());
    assert_eq!(skills.warnings.len(), 1, "{:?}", skills.warnings);
    let (session, model) = session(&place, json!(["Hi."]), |builder| builder).await;
    session.run("hi").await.unwrap();
    let system = model.requests()[0].system.clone();
    assert!(system.contains("- skill-0") && system.len() < 8000, "{}", system.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_3_the_model_sees_names_and_reads_the_body_on_demand() {
    let place = Place::new(&[
        ("home/.claude/skills/pdf/SKILL.md", &skill("pdf", "")),
        ("home/.claude/skills/pdf/references/forms.md", "How to fill forms\n"),
    ]);
    let answers =
        json!([read("skill://pdf"), read("skill://pdf/references/forms.md"), read("skill://"), "Done."]);
    let (session, model) = session(&place, answers, |builder| builder).await;
    session.run("Fill the form").await.unwrap();
    let system = model.requests()[0].system.clone();
    assert!(system.contains("- pdf: Use for pdf") && !system.contains("Body of pdf"), "{system}");
    let results = results(&session);
    assert!(
        results[0].1.contains("Body of pdf") && results[0].1.contains("references/forms.md"),
        "{results:?}"
    );
    assert!(results[1].1.contains("How to fill forms"), "{results:?}");
    assert!(results[2].1.contains("pdf: Use for pdf"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_3_reading_never_leaves_the_folder() {
    let place = Place::new(&[
        ("home/.claude/skills/pdf/SKILL.md", &skill("pdf", "")),
        ("home/.claude/skills/pdf/inside.md", "inside"),
        ("home/.claude/secret.md", "a key"),
        ("home/.claude/more/secret.md", "a key"),
    ]);
    symlink("../../secret.md", place.path("home/.claude/skills/pdf/link.md")).unwrap();
    symlink("../../more", place.path("home/.claude/skills/pdf/folder")).unwrap();
    let tried = [
        "skill://pdf/../../secret.md",
        "skill://pdf/link.md",
        "skill://pdf/folder/secret.md",
        "skill://pdf/folder",
        "skill://pdf//etc/passwd",
        "skill://../secret.md",
        "skill://pdf/%2e%2e/secret.md",
        "skill://fdp",
    ];
    let mut answers: Vec<Value> = tried.iter().map(|path| read(path)).collect();
    answers.push(json!("Done."));
    let (session, _) = session(&place, json!(answers), |builder| builder).await;
    session.run("Read").await.unwrap();
    let results = results(&session);
    assert_eq!(results.len(), tried.len());
    for (tried, (is_error, text)) in tried.iter().zip(&results) {
        assert!(*is_error && !text.contains("a key") && !text.contains("root:"), "{tried}: {text}");
    }
    assert!(results.last().unwrap().1.contains("Did you mean pdf?"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_invoked_with_arguments() {
    let place = Place::new(&[
        ("home/.claude/skills/pdf/SKILL.md", &skill("pdf", "")),
        (
            "home/.claude/skills/args/SKILL.md",
            "---\nname: args\ndescription: d\n---\nDo $ARGUMENTS in ${CLAUDE_SKILL_DIR}",
        ),
        ("home/.claude/skills/auto/SKILL.md", &skill("auto", "user-invocable: false\n")),
    ]);
    let (session, _) = session(&place, json!(["Done."]), |builder| builder).await;
    let CommandOutcome::Prompt(prompt) =
        session.run_command("skill:pdf", "page 3", CancelToken::new()).await.unwrap()
    else {
        panic!("no prompt");
    };
    let text = prompt.content[0].as_text().unwrap();
    assert!(text.starts_with("<skill name=\"pdf\"") && text.ends_with("User: page 3"), "{text}");
    let CommandOutcome::Prompt(prompt) =
        session.run_command("skill:args", "it", CancelToken::new()).await.unwrap()
    else {
        panic!("no prompt");
    };
    let text = prompt.content[0].as_text().unwrap();
    assert!(text.contains("Do it in /") && !text.contains("User:"), "{text}");
    assert!(session.run_command("skill:auto", "", CancelToken::new()).await.is_err());
}

/// Counts questions and refuses them.
#[derive(Default)]
struct Refusing(std::sync::Mutex<Vec<String>>);

#[async_trait]
impl Approver for Refusing {
    async fn ask(&self, request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        self.0.lock().unwrap().push(request.arguments["command"].to_string());
        Decision::Deny { note: None }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_allowed_tools_count_only_for_the_users_own_skills_that_were_invoked() {
    let tools = "allowed-tools: Bash(echo:*)\n";
    let place = Place::new(&[
        ("home/.claude/skills/mine/SKILL.md", &skill("mine", tools)),
        ("project/.claude/skills/theirs/SKILL.md", &skill("theirs", tools)),
    ]);
    let bash = |command: &str| json!({ "reply": [{ "call": "bash", "arguments": { "command": command } }] });
    let answers = json!([
        read("skill://mine"),
        bash("echo read"),
        "Done.",
        bash("echo theirs"),
        "Done.",
        bash("echo mine"),
        bash("echo mine; touch x"),
        bash("touch y"),
        "Done."
    ]);
    let refusing = Arc::new(Refusing::default());
    let approver = Arc::clone(&refusing);
    let (session, _) = session(&place, answers, |builder| builder.approver(approver)).await;
    session.run("read it").await.unwrap();
    for name in ["skill:theirs", "skill:mine"] {
        let CommandOutcome::Prompt(prompt) = session.run_command(name, "", CancelToken::new()).await.unwrap()
        else {
            panic!("no prompt");
        };
        session.run(prompt).await.unwrap();
    }
    let asked = refusing.0.lock().unwrap().clone();
    assert_eq!(asked, ["\"echo read\"", "\"echo theirs\"", "\"echo mine; touch x\"", "\"touch y\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_of_a_used_skill_survives_compaction() {
    let place = Place::new(&[("home/.claude/skills/pdf/SKILL.md", &skill("pdf", ""))]);
    place.write("home/.toolsmith/config.toml", "[compaction]\nkeep_recent_tokens = 10\n");
    let long = "word ".repeat(2000);
    let answers =
        json!([read("skill://pdf"), "Done.", long, long, { "reply": "## Goal\nSummary." }, "After."]);
    let (session, model) =
        session(&place, answers, |builder| builder.approval_mode(ApprovalMode::Yolo)).await;
    for prompt in ["use the skill", "more", "even more"] {
        session.run(prompt).await.unwrap();
    }
    session.compact(None).await.unwrap();
    session.run("and now?").await.unwrap();
    let requests = model.requests();
    let texts: Vec<String> = requests.last().unwrap().messages.iter().map(Message::joined_text).collect();
    assert!(texts.iter().any(|text| text.contains("Summary.")), "{texts:?}");
    let kept = texts.iter().filter(|text| text.contains("Body of pdf")).count();
    assert_eq!(kept, 1, "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("use the skill")), "{texts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_that_is_removed_during_a_session_is_an_error_for_the_call_only() {
    let place = Place::new(&[("home/.claude/skills/pdf/SKILL.md", &skill("pdf", ""))]);
    let (session, _) = session(&place, json!([read("skill://pdf"), "Done."]), |builder| builder).await;
    fs::remove_dir_all(place.path("home/.claude/skills/pdf")).unwrap();
    session.run("use it").await.unwrap();
    let results = results(&session);
    assert!(results[0].0 && results[0].1.contains("cannot be read any more"), "{results:?}");
    assert!(session.run_command("skill:pdf", "", CancelToken::new()).await.is_err());
}

#[test]
fn skills_and_directories_can_be_switched_off() {
    let place = Place::new(&[
        ("home/.claude/skills/a/SKILL.md", &skill("a", "")),
        ("home/.codex/skills/b/SKILL.md", &skill("b", "")),
        ("extra/c/SKILL.md", &skill("c", "")),
    ]);
    let config = format!(
        "[skills]\ndisabled = [\"a\"]\npaths = [{:?}]\n[discovery.providers]\ncodex = false\n",
        place.path("extra").display().to_string()
    );
    place.write("home/.toolsmith/config.toml", &config);
    assert_eq!(names(&found(&place)), ["c"]);
    place.write("home/.toolsmith/config.toml", "[skills]\nenabled = false\n");
    assert!(names(&found(&place)).is_empty());
}

/// The cases of the strict check: name of the directory, and SKILL.md.
const CASES: &[(&str, &str)] = &[
    ("good", "---\nname: good\ndescription: d\n---\nBody"),
    (
        "all",
        "---\nname: all\ndescription: d\nlicense: MIT\ncompatibility: any\nmetadata:\n  a: b\n  c: 1.0\nallowed-tools: Read\n---\n",
    ),
    ("extra", "---\nname: extra\ndescription: d\nversion: 1\nauthor: me\n---\n"),
    ("nothing", "Body"),
    ("open", "---\nname: open\ndescription: d\n"),
    ("list", "---\n- a\n- b\n---\n"),
    ("flow", "---\nname: flow\ndescription: [a, b]\n---\n"),
    ("flow-tools", "---\nname: flow-tools\ndescription: d\nallowed-tools: [Read, Write]\n---\n"),
    ("block-list", "---\nname: block-list\ndescription:\n  - a\n---\n"),
    ("Upper", "---\nname: Upper\ndescription: d\n---\n"),
    ("-start", "---\nname: -start\ndescription: d\n---\n"),
    ("a--b", "---\nname: a--b\ndescription: d\n---\n"),
    ("a_b", "---\nname: a_b\ndescription: d\n---\n"),
    ("folder", "---\nname: different\ndescription: d\n---\n"),
    ("naïve", "---\nname: naïve\ndescription: d\n---\n"),
    ("no-name", "---\ndescription: d\n---\n"),
    ("empty-name", "---\nname:\ndescription: d\n---\n"),
    ("no-description", "---\nname: no-description\n---\n"),
    ("empty-description", "---\nname: empty-description\ndescription: \"\"\n---\n"),
    ("number", "---\nname: number\ndescription: 12\n---\n"),
    ("123", "---\nname: 123\ndescription: d\n---\n"),
    ("colon", "---\nname: colon\ndescription: use: it\n---\n"),
    ("block", "---\nname: block\ndescription: |\n  [not flow]\n  - no list\n---\n"),
    ("quoted", "---\nname: \"quoted\"\ndescription: 'it: is'\n---\n"),
    ("duplicate", "---\nname: duplicate\nname: duplicate\ndescription: d\n---\n"),
    ("dashes", "---\nname: dashes\ndescription: a---b\n---\n"),
    ("anchor", "---\nname: anchor\ndescription: &x d\n---\n"),
    ("tag", "---\nname: tag\ndescription: !!str d\n---\n"),
    ("crlf", "---\r\nname: crlf\r\ndescription: d\r\n---\r\nBody"),
];

fn write_cases(place: &Place) {
    for (name, text) in CASES {
        place.write(&format!("cases/{name}/SKILL.md"), text);
    }
    let long = format!(
        "---\nname: {0}\ndescription: {1}\ncompatibility: {1}\n---\n",
        "n".repeat(65),
        "d".repeat(1025)
    );
    place.write(&format!("cases/{}/SKILL.md", "n".repeat(65)), &long);
    place.write("cases/lower/skill.md", "---\nname: lower\ndescription: d\n---\n");
    fs::create_dir_all(place.path("cases/missing")).unwrap();
}

#[test]
fn the_strict_check_reports_each_fault() {
    let place = Place::new(&[]);
    write_cases(&place);
    let valid = |name: &str| check_skill(&place.path(&format!("cases/{name}"))).is_empty();
    for name in ["good", "all", "naïve", "number", "123", "block", "quoted", "lower", "crlf"] {
        assert!(valid(name), "{name}: {:?}", check_skill(&place.path(&format!("cases/{name}"))));
    }
    for name in [
        "extra",
        "nothing",
        "open",
        "flow",
        "Upper",
        "a--b",
        "folder",
        "duplicate",
        "missing",
        "anchor",
        "tag",
    ] {
        assert!(!valid(name), "{name}");
    }
    assert_eq!(
        check_skill(&place.path("cases/folder")),
        ["Directory name 'folder' must match skill name 'different'"]
    );
}

/// Validates every case with the reference implementation, if it can be installed.
#[tokio::test(flavor = "multi_thread")]
async fn the_strict_check_agrees_with_skills_ref() {
    use toolsmith_host::exec::{Request, run};
    let place = Place::new(&[]);
    write_cases(&place);
    let environment = place.path("venv").display().to_string();
    let python = place.path("venv/bin/python").display().to_string();
    let installing: [Vec<&str>; 2] = [
        vec!["python3", "-m", "venv", &environment],
        vec![&python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "skills-ref==0.1.1"],
    ];
    for command in installing {
        let request = Request::new(command[0])
            .args(command[1..].iter().copied())
            .timeout(std::time::Duration::from_secs(120));
        let outcome = run(&request, &CancelToken::new(), |_| {}).await;
        if !outcome.is_ok_and(|outcome| outcome.code == 0) {
            return skipped("skills-ref cannot be installed from PyPI");
        }
    }
    let script = "import sys, json, pathlib\nfrom skills_ref.validator import validate\n\
                  print(json.dumps({p.name: validate(p) for p in sorted(pathlib.Path(sys.argv[1]).iterdir())}))";
    let cases = place.path("cases").display().to_string();
    let request = Request::new(python).args(["-c", script, &cases]);
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    let theirs: Value = serde_json::from_str(&outcome.stdout.text()).unwrap();
    for (name, expected) in theirs.as_object().unwrap() {
        let expected: Vec<&str> = expected.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let ours = check_skill(&place.path(&format!("cases/{name}")));
        // Parsers describe broken YAML in their own words.
        let first_line = |text: &str| match text.starts_with("Invalid YAML") {
            true => "Invalid YAML".to_owned(),
            false => text.to_owned(),
        };
        let ours: Vec<String> = ours.iter().map(|text| first_line(text)).collect();
        let expected: Vec<String> = expected.iter().map(|text| first_line(text)).collect();
        assert_eq!(ours, expected, "{name}");
    }
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn extensions_add_skills_and_prompts() {
    let place = Place::new(&[
        (
            "project/.toolsmith/extensions/more.ts",
            "export default (pi) => pi.on('resources_discover', () => ({ skillPaths: ['extra/skills'], promptPaths: ['extra/prompts/hi.md'] }));",
        ),
        ("project/extra/skills/pdf/SKILL.md", &skill("pdf", "")),
        ("project/extra/prompts/hi.md", "Say hi"),
    ]);
    let (session, model) = session(&place, json!([read("skill://pdf"), "Done."]), |builder| builder).await;
    session.run("go").await.unwrap();
    assert!(model.requests()[0].system.contains("- pdf: Use for pdf"));
    assert!(results(&session)[0].1.contains("Body of pdf"));
    let names: Vec<String> = session.commands().into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["hi", "skill:pdf"]);
}
