//! Cached definitions: offered without loading the module, and never after one of its inputs changed (CONTRACT 13).

use std::{
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;
use toolsmith_js::{
    Engine, EngineKind, EngineOptions, ImportGate, LoadedModule, ModuleRequest, clear_definitions,
    list_definitions,
};
use toolsmith_testkit::Project;
use toolsmith_tool::{Tier, ToolContext};

use crate::project::{call, tool_source};

/// A project with a cache. Each engine stands for one run of the program.
struct Place(Project);

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        Self(Project::new(files))
    }

    fn cache(&self) -> PathBuf {
        self.beside("cache/definitions")
    }

    fn engine(&self) -> Engine {
        Engine::new(EngineOptions::new(&self.root).definition_cache(self.cache()))
    }

    /// Loads a module in a new run; also returns whether code of it ran.
    async fn load(&self, name: &str) -> (Engine, LoadedModule, bool) {
        let engine = self.engine();
        let module = engine.load(&[self.path(name)]).await.remove(0);
        let ran = engine.stats().threads > 0;
        (engine, module, ran)
    }

    /// Loads a module until it comes from the cache: manifests that were just written are not trusted at first.
    async fn settle(&self, name: &str) {
        for _ in 0..2000 {
            if !self.load(name).await.2 {
                return;
            }
        }
        panic!("{name} is never cached: {:#?}", list_definitions(&self.cache()));
    }

    async fn description(&self, name: &str) -> String {
        let (_engine, module, _) = self.load(name).await;
        assert!(module.errors.is_empty(), "{:#?}", module.errors);
        module.tools[0].tool.spec().description.clone()
    }
}

fn described(description: &str) -> String {
    format!(
        "export default () => ({{ name: \"t\", description: {description}, parameters: {{ type: \"object\" }},\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: \"done\" }}] }}) }});\n"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_1_a_cached_tool_is_loaded_by_its_first_call() {
    let place =
        Place::new(&[("t.ts", &tool_source("return { content: [{ type: \"text\", text: \"ran\" }] };"))]);
    assert!(place.load("t.ts").await.2, "nothing is cached before the first run");
    let (engine, module, ran) = place.load("t.ts").await;
    assert!(!ran);
    assert_eq!(module.tools.len(), 1);
    assert_eq!(module.files, [place.path("t.ts")]);
    assert_eq!(call(&module.tools[0].tool, json!({})).await.unwrap().joined_text(), "ran");
    assert_eq!(engine.stats().threads, 1);
    let scanned = place.engine();
    assert_eq!(scanned.scan(&[place.path("t.ts")]).await[0].tools.len(), 1);
    assert_eq!(scanned.stats().threads, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_1_a_scan_fills_the_cache_too() {
    let place = Place::new(&[("t.ts", &described("\"d\""))]);
    place.engine().scan(&[place.path("t.ts")]).await;
    assert!(!place.load("t.ts").await.2);
}

/// A project whose modules have these tools. All definitions are cached.
async fn with_cached_tools(tools: &[(&str, &str)]) -> Place {
    let named = |name: &str| described("\"d\"").replace("name: \"t\"", &format!("name: \"{name}\""));
    let files: Vec<(&str, String)> = tools.iter().map(|(file, name)| (*file, named(name))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
    let place = Place::new(&files);
    for (file, _) in tools {
        place.settle(file).await;
    }
    place
}

/// Returns the places of the modules that are loaded for the tool `wanted`, and whether code of one ran.
async fn loaded_for_tool(place: &Place, files: &[&str], is_free: bool) -> (Vec<usize>, bool) {
    let engine = place.engine();
    let requests = files.iter().map(|file| ModuleRequest::new(place.path(file))).collect();
    let loaded = engine.load_for_tool(requests, "wanted", is_free, 4).await;
    (loaded.iter().map(|(at, _)| *at).collect(), engine.stats().threads > 0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_1_only_the_module_that_gets_the_name_is_used_for_a_call() {
    let files = ["a.ts", "b.ts", "c.ts", "d.ts"];
    let place =
        with_cached_tools(&[("a.ts", "other"), ("b.ts", "wanted"), ("c.ts", "wanted"), ("d.ts", "last")])
            .await;
    assert_eq!(loaded_for_tool(&place, &files, true).await, (vec![1], false));
    // Of a name that is taken, the kind of a module decides whether it gets it.
    assert_eq!(loaded_for_tool(&place, &files, false).await, (vec![1, 2], false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_2_an_earlier_module_that_changed_may_have_the_name_of_a_call() {
    let files = ["a.ts", "b.ts", "c.ts"];
    let place = with_cached_tools(&[("a.ts", "other"), ("b.ts", "wanted"), ("c.ts", "last")]).await;
    let text = fs::read_to_string(place.path("a.ts")).unwrap();
    place.write("a.ts", &text.replace("name: \"other\"", "name: \"wanted\""));
    let engine = place.engine();
    let requests = files.iter().map(|file| ModuleRequest::new(place.path(file))).collect();
    let loaded = engine.load_for_tool(requests, "wanted", true, 4).await;
    assert_eq!(loaded.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(loaded[0].1.tools[0].tool.spec().name, "wanted");
    // The change of a module after the one that gets the name does not matter to the call.
    place.settle("a.ts").await;
    place.write("c.ts", "throw new Error(\"not loaded\");");
    assert_eq!(loaded_for_tool(&place, &files, true).await, (vec![0], false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_line_of_the_cache_costs_its_own_module() {
    let place = with_cached_tools(&[("a.ts", "one"), ("b.ts", "two")]).await;
    let file = fs::read_dir(place.cache()).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 10]).unwrap();
    assert!(!place.load("a.ts").await.2);
    assert!(place.load("b.ts").await.2);
    place.settle("b.ts").await;
    assert_eq!(list_definitions(&place.cache()).unwrap()[0].modules.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_2_a_change_of_the_module_or_of_what_it_imports_is_seen() {
    let place = Place::new(&[
        ("t.ts", "import { text } from \"./parts/text\";\nimport data from \"./data.json\";\n"),
        ("parts/text.ts", "export const text = \"one\";"),
        ("data.json", "{ \"word\": \"first\" }"),
    ]);
    let module = |text: &str| {
        let head = "import { text } from \"./parts/text\";\nimport data from \"./data.json\";\n";
        format!("{head}{}", described(text))
    };
    place.write("t.ts", &module("`${text} ${data.word}`"));
    assert_eq!(place.description("t.ts").await, "one first");
    assert!(!place.load("t.ts").await.2);
    place.write("parts/text.ts", "export const text = \"two\";");
    assert_eq!(place.description("t.ts").await, "two first");
    assert!(!place.load("t.ts").await.2);
    place.write("data.json", "{ \"word\": \"again\" }");
    assert_eq!(place.description("t.ts").await, "two again");
    place.write("t.ts", &module("`${text}!`"));
    assert_eq!(place.description("t.ts").await, "two!");
    // A file that now comes before the one that was imported.
    fs::rename(place.path("parts/text.ts"), place.path("parts/text.js")).unwrap();
    assert_eq!(place.description("t.ts").await, "two!");
    assert!(!place.load("t.ts").await.2);
    place.write("parts/text.ts", "export const text = \"before\";");
    assert_eq!(place.description("t.ts").await, "before!");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_2_an_installed_package_is_an_input_and_so_is_its_absence() {
    let source = format!("import {{ z }} from \"zod\";\n{}", described("z.word ?? \"the host's\""));
    let place = Place::new(&[("t.ts", &source)]);
    assert_eq!(place.description("t.ts").await, "the host's");
    assert!(!place.load("t.ts").await.2);
    place.write("node_modules/zod/package.json", "{ \"name\": \"zod\", \"main\": \"a.js\" }");
    place.write("node_modules/zod/a.js", "exports.z = { word: \"installed\" };");
    place.write("node_modules/zod/b.js", "exports.z = { word: \"other\" };");
    assert_eq!(place.description("t.ts").await, "installed");
    place.settle("t.ts").await;
    place.write("node_modules/zod/package.json", "{ \"name\": \"zod\", \"main\": \"b.js\" }");
    assert_eq!(place.description("t.ts").await, "other");
    place.settle("t.ts").await;
    place.write("node_modules/zod/b.js", "exports.z = { word: \"newer\" };");
    assert_eq!(place.description("t.ts").await, "newer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_2_a_module_that_reads_its_surroundings_is_always_loaded() {
    let node =
        "import fs from \"node:fs\"; import os from \"node:os\"; import process from \"node:process\";\n";
    for reading in [
        "process.env.HOME",
        "Object.keys(process.env).length",
        "String(\"HOME\" in process.env)",
        "fs.readdirSync(\".\").length",
        "fs.existsSync(\"x\")",
        "os.hostname()",
        "os.tmpdir()",
        "Bun.env.HOME",
        "crypto.randomUUID()",
        "new Date().toISOString()",
    ] {
        let place = Place::new(&[("t.ts", &format!("{node}{}", described(&format!("String({reading})"))))]);
        for _ in 0..2 {
            let (_engine, module, ran) = place.load("t.ts").await;
            assert!(module.errors.is_empty(), "{reading}: {:#?}", module.errors);
            assert!(ran, "{reading} was cached");
        }
    }
    // Importing them is not reading.
    let place = Place::new(&[("t.ts", &format!("{node}{}", described("String(typeof fs + typeof os)")))]);
    place.load("t.ts").await;
    assert!(!place.load("t.ts").await.2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c13_2_a_module_with_effects_while_loading_is_always_loaded() {
    for effect in
        ["setTimeout(() => {}, 10)", "pi.events.on(\"x\", () => {})", "pi.exec(\"true\", [])", "pi.hasUI"]
    {
        let tool = "({ name: \"t\", description: \"d\", parameters: { type: \"object\" }, execute: async () => ({ content: [] }) })";
        let source = format!("export default (pi) => {{ void ({effect}); return {tool}; }};");
        let place = Place::new(&[("t.ts", &source)]);
        place.load("t.ts").await;
        assert!(place.load("t.ts").await.2, "{effect}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_can_refuse_to_be_cached() {
    let tool = described("\"d\"");
    let members = tool.replace("name: \"t\"", "cache: false, name: \"t\"");
    for source in [format!("{tool}export const cache = false;"), members] {
        let place = Place::new(&[("t.ts", &source)]);
        place.load("t.ts").await;
        assert!(place.load("t.ts").await.2, "{source}");
        let listed = list_definitions(&place.cache()).unwrap();
        assert_eq!(listed[0].modules[0].reason.as_deref(), Some("it declares cache: false"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_and_foreign_cache_files_are_ignored() {
    let place = Place::new(&[("t.ts", &described("\"d\""))]);
    place.load("t.ts").await;
    let file = fs::read_dir(place.cache()).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let damaged = [
        Vec::new(),
        b"null".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        whole[..whole.len() / 2].to_vec(),
        "[".repeat(100_000).into_bytes(),
        text.replacen("\"format\":2", "\"format\":1", 1).into_bytes(),
        text.replacen("\"program\":\"", "\"program\":\"0", 1).into_bytes(),
        text.replacen("\"cwd\":\"", "\"cwd\":\"/elsewhere", 1).into_bytes(),
        text.replacen("{\\\"tools\\\"", "{\\\"fools\\\"", 1).into_bytes(),
    ];
    for bytes in damaged {
        assert_ne!(bytes, whole);
        fs::write(&file, bytes).unwrap();
        let (_engine, module, ran) = place.load("t.ts").await;
        assert!(ran);
        assert_eq!(module.tools.len(), 1);
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(place.load("t.ts").await.1.tools.len(), 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cache_is_readable_by_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new(&[("t.ts", &described("\"d\""))]);
    place.load("t.ts").await;
    assert_eq!(fs::metadata(place.cache()).unwrap().permissions().mode() & 0o777, 0o700);
    let file = fs::read_dir(place.cache()).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o077, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_4_a_tool_whose_definition_changed_after_it_was_offered_is_not_called() {
    let source = |tier: &str, text: &str| {
        format!(
            "export default () => ({{ name: \"t\", description: \"d\", approval: \"{tier}\", parameters: {{ type: \"object\" }},\n\
             execute: async () => ({{ content: [{{ type: \"text\", text: \"{text}\" }}] }}) }});\n"
        )
    };
    let place = Place::new(&[("t.ts", &source("read", "old"))]);
    place.load("t.ts").await;
    let (_engine, module, ran) = place.load("t.ts").await;
    assert!(!ran);
    assert_eq!(module.tools[0].tool.spec().approval.tier, Tier::Read);
    place.write("t.ts", &source("exec", "new"));
    let refused = call(&module.tools[0].tool, json!({})).await.unwrap_err().to_string();
    assert!(refused.contains("its definition differs from the one that was offered"), "{refused}");

    // The same definition with other code: the current code runs.
    place.load("t.ts").await;
    let (_engine, module, ran) = place.load("t.ts").await;
    assert!(!ran);
    place.write("t.ts", &source("exec", "newest"));
    assert_eq!(call(&module.tools[0].tool, json!({})).await.unwrap().joined_text(), "newest");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn definitions_that_vary_are_noticed_and_not_cached_again() {
    let place = Place::new(&[("t.ts", &described("String(Math.random())"))]);
    place.load("t.ts").await;
    let (_engine, module, ran) = place.load("t.ts").await;
    assert!(!ran);
    call(&module.tools[0].tool, json!({})).await.unwrap_err();
    for _ in 0..3 {
        let (_engine, module, ran) = place.load("t.ts").await;
        assert!(ran);
        assert_eq!(call(&module.tools[0].tool, json!({})).await.unwrap().joined_text(), "done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_8_a_definition_is_used_only_under_the_trust_it_was_made_with() {
    let place = Place::new(&[
        ("t.ts", &format!("import \"./helper\";\n{}", described("\"d\""))),
        ("helper.ts", "export {};"),
    ]);
    let load = async |allowed: fn(&Path) -> bool| {
        let engine = place.engine();
        let request = ModuleRequest::new(place.path("t.ts")).imports(ImportGate::new(allowed));
        let module = engine.load_modules(vec![request]).await.remove(0);
        (module.errors.is_empty(), engine.stats().threads > 0)
    };
    place.load("t.ts").await;
    assert!(!place.load("t.ts").await.2);
    let only_itself = |path: &Path| path.ends_with("t.ts");
    assert!(!load(only_itself).await.0, "the helper is not trusted");
    assert_eq!(load(|_| true).await, (true, true));
    assert_eq!(load(|_| true).await, (true, false));
    assert!(!load(only_itself).await.0, "its trust was withdrawn");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c10_1_an_extension_is_loaded_by_the_first_event_it_listens_to() {
    let place = Place::new(&[(
        "e.ts",
        "export default (pi) => {\n  let count = 0;\n  pi.registerCommand(\"hi\", { handler: async () => {} });\n\
         pi.on(\"tool_call\", () => ({ block: true, reason: `blocked ${++count}` }));\n};\n",
    )]);
    place.load("e.ts").await;
    let (engine, module, ran) = place.load("e.ts").await;
    assert!(!ran);
    let extension = module.extension.unwrap();
    assert!(extension.listens_to("tool_call") && !extension.listens_to("session_start"));
    assert_eq!(extension.registrations().commands.len(), 1);
    let event = json!({ "type": "tool_call", "toolName": "bash", "toolCallId": "1", "input": {} });
    for count in 1..3 {
        let answer = extension.handle("tool_call", event.clone(), ToolContext::detached()).await.unwrap();
        assert_eq!(answer["reason"], format!("blocked {count}"));
    }
    assert_eq!(engine.stats().threads, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_takes_part_in_the_start_of_a_session_is_loaded_at_once() {
    let place = Place::new(&[
        ("e.ts", "export default (pi) => { pi.on(\"session_start\", () => {}); };"),
        ("t.ts", &described("\"d\"").replace("name: \"t\"", "onSession() {}, name: \"t\"")),
    ]);
    for name in ["e.ts", "t.ts"] {
        place.load(name).await;
        assert!(place.load(name).await.2, "{name}");
        let engine = place.engine();
        engine.scan(&[place.path(name)]).await;
        assert_eq!(engine.stats().threads, 0, "{name} is not needed for a list");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_engine_a_module_needed_is_remembered() {
    let source = format!("import vm from \"node:vm\";\n{}", described("typeof vm"));
    let place = Place::new(&[("t.ts", &source)]);
    let first = place.load("t.ts").await.1;
    assert_ne!(first.engine, EngineKind::Embedded);
    let listed = list_definitions(&place.cache()).unwrap().remove(0).modules.remove(0);
    assert!(!listed.is_cached);
    assert_eq!(listed.reason, Some(format!("runs in {}: it imports node:vm", first.engine)));
    let (_engine, again, ran) = place.load("t.ts").await;
    assert!(ran);
    assert_eq!((again.engine, again.engine_reason), (first.engine, first.engine_reason));
    assert_eq!(call(&again.tools[0].tool, json!({})).await.unwrap().joined_text(), "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_that_fails_is_not_cached_and_works_once_it_is_fixed() {
    let place = Place::new(&[("t.ts", "import { x } from \"./later\";\nexport default x;")]);
    for _ in 0..2 {
        assert_eq!(place.load("t.ts").await.1.errors.len(), 1);
    }
    place.write("later.ts", &described("\"d\"").replace("export default", "export const x ="));
    assert_eq!(place.load("t.ts").await.1.tools.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_at_the_same_time_do_not_disturb_each_other() {
    let files: Vec<(String, String)> =
        (0..12).map(|number| (format!("t{number}.ts"), described(&format!("\"number {number}\"")))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Arc::new(Place::new(&files));
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| place.path(name)).collect();
    let mut runs = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let (place, paths) = (Arc::clone(&place), paths.clone());
        runs.spawn(async move {
            for _ in 0..3 {
                let modules = place.engine().load(&paths).await;
                for (number, module) in modules.iter().enumerate() {
                    assert_eq!(module.tools[0].tool.spec().description, format!("number {number}"));
                }
            }
        });
    }
    runs.join_all().await;
    assert_eq!(list_definitions(&place.cache()).unwrap()[0].modules.len(), 12);
    assert_eq!(clear_definitions(&place.cache()).unwrap(), 1);
    assert_eq!(list_definitions(&place.cache()).unwrap(), []);
    assert!(place.load("t0.ts").await.2);
}

/// A module in TypeScript with an ES module and a CommonJS file, large enough that its compiled code is kept.
fn large_module() -> Place {
    let padding = "// Some words that make it larger.\n".repeat(1500);
    let tool = r#"import { where, shown } from "./part.mjs";
import old, { double } from "./old.cjs";
interface Options { what: string }
export default () => ({ name: "t", description: "d", parameters: { type: "object" },
  execute: async (_id: string, { what }: Options) => {
    if (what === "fail") throw new TypeError("on line seven");
    if (what === "failOld") old.fail();
    return { content: [{ type: "text", text: [where, shown, double(21), typeof old.fail, __later()].join("|") }] };
  } });
const __later = (): string => String((a: number) => a + 1);
"#;
    let old = "exports.double = (n) => n * 2;\nexports.fail = () => {\n  throw new RangeError('old');\n};\n";
    Place::new(&[
        ("t.ts", tool),
        (
            "part.mjs",
            &format!(
                "export const where = import.meta.filename.split('/').pop();\nexport const shown = String(function named() {{ /* kept */ }});\n{padding}"
            ),
        ),
        ("old.cjs", old),
    ])
}

/// Loads the module as a new run would, and gives what its calls say.
async fn said_by(place: &Place) -> [String; 3] {
    let (_engine, module, _) = place.load("t.ts").await;
    assert!(module.errors.is_empty(), "{:#?}", module.errors);
    let mut said = Vec::new();
    for what in ["", "fail", "failOld"] {
        said.push(match call(&module.tools[0].tool, json!({ "what": what })).await {
            Ok(result) => result.joined_text(),
            Err(error) => format!("{error:?}"),
        });
    }
    said.try_into().unwrap()
}

fn compiled_files(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.cache().join("compiled")).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "code")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_2_compiled_code_does_what_its_source_does() {
    let place = large_module();
    let fresh = said_by(&place).await;
    assert!(fresh[0].starts_with("part.mjs|function named() { /* kept */ }|42|function|"), "{fresh:?}");
    assert!(fresh[1].contains("t.ts:6") && fresh[2].contains("old.cjs:3"), "{fresh:?}");
    let written = |place: &Place| fs::metadata(&compiled_files(place)[0]).unwrap().modified().unwrap();
    let first = written(&place);
    assert_eq!(said_by(&place).await, fresh);
    assert_eq!(written(&place), first, "nothing was compiled again");

    // A changed file is compiled again; the others are not affected.
    let old = fs::read_to_string(place.path("old.cjs")).unwrap();
    place.write("old.cjs", &old.replace("n * 2", "n * 3"));
    assert_eq!(said_by(&place).await[0], fresh[0].replace("|42|", "|63|"));
    place.write("old.cjs", &old);
    assert_eq!(said_by(&place).await, fresh);
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_compiled_code_that_somebody_else_wrote_is_not_run() {
    let place = large_module();
    let fresh = said_by(&place).await;
    let file = compiled_files(&place).remove(0);
    let good = fs::read(&file).unwrap();
    for damage in [0, 10, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[damage] ^= 1;
        fs::write(&file, bad).unwrap();
        assert_eq!(said_by(&place).await, fresh, "byte {damage}");
    }
    // Replaced as a whole, cut, and a folder in its place.
    fs::write(&file, vec![b'0'; 200_000]).unwrap();
    assert_eq!(said_by(&place).await, fresh);
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    assert_eq!(said_by(&place).await, fresh);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(said_by(&place).await, fresh);
}

#[tokio::test(flavor = "multi_thread")]
async fn compiled_code_is_for_the_user_alone_and_cleared_with_the_definitions() {
    let place = large_module();
    said_by(&place).await;
    let folder = place.cache().join("compiled");
    #[cfg(unix)]
    for (path, mode) in
        [(folder.clone(), 0o700), (folder.join("key"), 0o600), (compiled_files(&place).remove(0), 0o600)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    clear_definitions(&place.cache()).unwrap();
    assert!(!folder.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_that_compile_at_once_do_not_disturb_each_other() {
    let place = large_module();
    let (one, other) = tokio::join!(said_by(&place), said_by(&place));
    assert_eq!(one, other);
    assert_eq!(said_by(&place).await, one);
    assert_eq!(compiled_files(&place).len(), 1);
}
