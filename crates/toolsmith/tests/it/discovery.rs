//! Where tools are found (CONTRACT 2.1 to 2.3, 2.5).

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
};

use toolsmith::Scope;

use crate::place::Place;

#[test]
fn c2_1_providers_come_before_plugins_and_those_before_configured_paths() {
    let place = Place::with_tools(&[
        "home/.codex/tools/from_provider.ts",
        "home/.omp/plugins/node_modules/plug/from_plugin.ts",
        "project/from_path.ts",
    ])
    .given("from_path.ts");
    place
        .write("home/.omp/plugins/node_modules/plug/package.json", r#"{"omp":{"tools":"./from_plugin.ts"}}"#);
    assert_eq!(
        place.found(),
        [
            "home/.codex/tools/from_provider.ts",
            "home/.omp/plugins/node_modules/plug/from_plugin.ts",
            "project/from_path.ts"
        ]
    );
}

#[test]
fn c2_2_providers_are_in_order_and_the_project_comes_before_the_user() {
    let expected = [
        "project/.toolsmith/tools/a.ts",
        "home/.toolsmith/agent/tools/b.ts",
        "project/.omp/tools/c.ts",
        "home/.omp/agent/tools/d.ts",
        "project/.xcsh/tools/e.ts",
        "home/.xcsh/agent/tools/f.ts",
        "project/.claude/tools/g.ts",
        "home/.claude/tools/h.ts",
        "home/market/tools/i.ts",
        "project/.codex/tools/j.ts",
        "home/.codex/tools/k.ts",
    ];
    let mut shuffled = expected;
    shuffled.reverse();
    let place = Place::with_tools(&shuffled);
    let installed = format!(
        r#"{{"version":2,"plugins":{{"m@market":[{{"scope":"user","installPath":"{}"}}]}}}}"#,
        place.path("home/market").display()
    );
    place.write("home/.claude/plugins/installed_plugins.json", &installed);
    assert_eq!(place.found(), expected);
    let sources: Vec<String> =
        place.discover().modules.iter().map(|module| module.source.to_string()).collect();
    assert_eq!(sources[0], "Toolsmith, project");
    assert_eq!(sources[3], "OMP, user");
    assert_eq!(sources[6], "Claude Code, project");
    assert_eq!(sources[8], "Claude Code Marketplace m@market, user");
    assert_eq!(sources[10], "OpenAI Codex, user");
}

#[test]
fn c2_2_each_provider_can_be_switched_off() {
    let all = [
        ("toolsmith", "project/.toolsmith/tools/a.ts"),
        ("omp", "project/.omp/tools/a.ts"),
        ("xcsh", "project/.xcsh/tools/a.ts"),
        ("claude", "home/.claude/tools/a.ts"),
        ("codex", "home/.codex/tools/a.ts"),
        ("claude-plugins", "home/market/tools/a.ts"),
        ("plugins", "home/.omp/plugins/node_modules/p/a.ts"),
    ];
    let place = Place::with_tools(&all.map(|(_, path)| path));
    place.write("home/.omp/plugins/node_modules/p/package.json", r#"{"omp":{"tools":"a.ts"}}"#);
    let installed =
        format!(r#"{{"plugins":{{"m@x":[{{"installPath":"{}"}}]}}}}"#, place.path("home/market").display());
    place.write("home/.claude/plugins/installed_plugins.json", &installed);
    assert_eq!(place.found().len(), all.len());
    for (provider, path) in all {
        place.write("home/.toolsmith/config.toml", &format!("[discovery.providers]\n{provider} = false\n"));
        let found = place.found();
        assert_eq!(found.len(), all.len() - 1, "{provider}");
        assert!(!found.contains(&path.to_owned()), "{provider}");
    }
}

#[test]
fn c2_3_modules_and_index_files_are_found_by_name_and_nothing_else_is() {
    let folder = "project/.toolsmith/tools";
    let wanted = [
        "a.ts",
        "b.mts",
        "c.cts",
        "d.js",
        "e.mjs",
        "f.cjs",
        "g/index.ts",
        "h/index.mts",
        "i/index.js",
        "j/index.mjs",
        "k/index.cjs",
        "z.ts",
    ];
    let unwanted = [
        ".hidden.ts",
        ".hidden/index.ts",
        "types.d.ts",
        "types.d.mts",
        "a.test.ts",
        "a.test.js",
        "deep/sub/index.ts",
        "deep/tool.ts",
        "script.sh",
        "tool.py",
        "ts",
        "README",
        "node_modules/index.js",
        "l/index.cts",
        "n/main.ts",
        "t.test.mjs",
        "x.tsx",
    ];
    let place = Place::with_tools(&[]);
    for name in wanted.iter().chain(&unwanted) {
        place.write_tool(&format!("{folder}/{name}"));
    }
    let expected: Vec<String> = wanted.iter().map(|name| format!("{folder}/{name}")).collect();
    assert_eq!(place.found(), expected);
    assert!(place.discover().warnings.is_empty(), "{:?}", place.discover().warnings);
}

#[test]
fn c2_3_the_first_index_file_counts() {
    let place = Place::with_tools(&["project/.omp/tools/x/index.js", "project/.omp/tools/x/index.ts"]);
    assert_eq!(place.found(), ["project/.omp/tools/x/index.ts"]);
}

#[test]
fn c2_3_metadata_is_listed_and_shadows_nothing() {
    let place = Place::with_tools(&["home/.claude/tools/same.ts"]);
    place.write("project/.toolsmith/tools/same.md", "---\nname: same\n---\n");
    place.write("project/.toolsmith/tools/same.json", r#"{"name":"same"}"#);
    let discovered = place.discover();
    assert_eq!(place.found(), ["home/.claude/tools/same.ts"]);
    let metadata: Vec<String> = discovered.metadata.iter().map(|file| place.short(&file.path)).collect();
    assert_eq!(metadata, ["project/.toolsmith/tools/same.json", "project/.toolsmith/tools/same.md"]);
    assert_eq!(discovered.metadata[0].source.scope, Scope::Project);
}

#[test]
fn a_missing_folder_is_an_empty_one() {
    let discovered = Place::new(&[]).discover();
    assert!(discovered.modules.is_empty() && discovered.warnings.is_empty() && discovered.errors.is_empty());
}

#[test]
fn parents_of_the_working_folder_are_not_searched() {
    let place = Place::with_tools(&[".toolsmith/tools/above.ts", "project/.toolsmith/tools/here.ts"]);
    assert_eq!(place.found(), ["project/.toolsmith/tools/here.ts"]);
}

#[test]
fn ten_thousand_unrelated_files_are_not_looked_at() {
    let place = Place::with_tools(&["project/.toolsmith/tools/a.ts", "project/.toolsmith/tools/b/index.ts"]);
    let deep = ["project/src", "project/.toolsmith/tools/b/lib", "project/.toolsmith/tools/b/lib/x/y/z"];
    for folder in deep {
        fs::create_dir_all(place.path(folder)).unwrap();
        for number in 0..2_500 {
            fs::write(place.path(folder).join(format!("{number}.ts")), "").unwrap();
        }
    }
    // Whoever looked at one of these would say so.
    for folder in deep {
        symlink(place.path(folder).join("loop.ts"), place.path(folder).join("loop.ts")).unwrap();
    }
    for number in 0..2_500 {
        fs::write(place.path(&format!("project/.toolsmith/tools/data-{number}.bin")), "").unwrap();
    }
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 2);
    assert!(discovered.warnings.is_empty());
}

#[test]
fn a_file_where_a_folder_should_be_is_a_warning() {
    let place = Place::new(&[("project/.toolsmith/tools", "not a directory")]);
    place.write_tool("home/.claude/tools/a.ts");
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 1);
    assert!(
        discovered.warnings[0].to_string().ends_with("is a file, but a tools directory is expected here")
    );
}

#[test]
fn a_folder_where_a_file_should_be_is_a_warning() {
    let place = Place::new(&[("project/.toolsmith/tools/tool.ts/other.txt", "")]);
    let discovered = place.discover();
    assert!(discovered.modules.is_empty());
    assert!(discovered.warnings[0].to_string().contains("tool.ts is a directory without an index file"));
    // With an index file it is a tool like any other folder.
    place.write_tool("project/.toolsmith/tools/tool.ts/index.ts");
    assert_eq!(place.found(), ["project/.toolsmith/tools/tool.ts/index.ts"]);
}

#[test]
fn symbolic_links_are_followed_to_files_and_loops_end() {
    let place = Place::with_tools(&["project/elsewhere/real.ts", "project/elsewhere/folder/index.ts"]);
    let tools = place.path("project/.toolsmith/tools");
    fs::create_dir_all(&tools).unwrap();
    symlink(place.path("project/elsewhere/real.ts"), tools.join("linked.ts")).unwrap();
    symlink(place.path("project/elsewhere/folder"), tools.join("folder")).unwrap();
    symlink(tools.join("loop.ts"), tools.join("loop.ts")).unwrap();
    symlink(place.path("nowhere.ts"), tools.join("dangling.ts")).unwrap();
    symlink(&tools, tools.join("self")).unwrap();
    let discovered = place.discover();
    assert_eq!(place.found(), ["project/.toolsmith/tools/linked.ts"]);
    let warnings: Vec<String> = discovered.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:#?}");
    assert!(warnings[0].contains("dangling.ts cannot be read"), "{warnings:#?}");
    assert!(warnings[1].contains("folder is a symbolic link to a directory"), "{warnings:#?}");
    assert!(warnings[2].contains("loop.ts cannot be read"), "{warnings:#?}");
}

#[test]
fn a_folder_of_tools_that_is_a_loop_is_a_warning() {
    let place = Place::new(&[]);
    fs::create_dir_all(place.path("project/.toolsmith")).unwrap();
    symlink(place.path("project/.toolsmith/tools"), place.path("project/.toolsmith/tools")).unwrap();
    let discovered = place.discover();
    assert!(
        discovered.warnings[0].to_string().contains("cannot be searched for tools"),
        "{:?}",
        discovered.warnings
    );
}

#[test]
fn a_name_that_is_not_text_is_a_warning() {
    let place = Place::with_tools(&["project/.toolsmith/tools/good.ts"]);
    let name = OsStr::from_bytes(b"bad\xff.ts");
    fs::write(place.path("project/.toolsmith/tools").join(name), "").unwrap();
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 1);
    assert!(discovered.warnings[0].message.contains("not UTF-8"));
}

#[test]
fn what_is_no_file_is_left_out() {
    let place = Place::with_tools(&["project/.toolsmith/tools/good.ts"]);
    let pipe = place.path("project/.toolsmith/tools/socket.ts");
    let _listening = std::os::unix::net::UnixListener::bind(&pipe).unwrap();
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 1);
    assert!(
        discovered.warnings[0].to_string().contains("socket.ts is skipped because it is not a regular file")
    );
}

#[test]
fn c2_5_relative_paths_are_seen_from_the_working_folder_and_a_tilde_is_the_home() {
    let place = Place::with_tools(&["project/lib/a.ts", "home/b.ts", "c.ts", "project/d/index.ts"])
        .given("lib/a.ts")
        .given("~/b.ts")
        .given("../c.ts")
        .given("d");
    assert_eq!(place.discover().errors, []);
    let real: Vec<String> =
        place.discover().modules.iter().map(|module| place.short(&module.real_path)).collect();
    assert_eq!(real, ["project/lib/a.ts", "home/b.ts", "c.ts", "project/d/index.ts"]);
}

#[test]
fn c2_5_a_path_may_be_written_as_an_address_or_a_mention() {
    let place = Place::with_tools(&["project/a.ts"]);
    let path = place.path("project/a.ts").display().to_string();
    for written in [format!("file://{path}"), format!("@{path}")] {
        let place = Place::with_tools(&[]).given(&written);
        assert_eq!(place.discover().modules.len(), 1, "{written}");
    }
}

#[test]
fn c2_5_the_same_real_file_is_found_once_by_whoever_came_first() {
    let place = Place::with_tools(&["project/.toolsmith/tools/a.ts"])
        .given(".toolsmith/tools/a.ts")
        .given(".toolsmith/../.toolsmith/tools/a.ts");
    fs::create_dir_all(place.path("home/.claude/tools")).unwrap();
    symlink(place.path("project/.toolsmith/tools/a.ts"), place.path("home/.claude/tools/b.ts")).unwrap();
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 1);
    assert_eq!(discovered.modules[0].source.to_string(), "Toolsmith, project");
}

#[test]
fn c2_5_a_missing_configured_path_is_an_error_and_stops_nothing() {
    let place = Place::with_tools(&["project/here.ts"]).given("gone.ts").given("here.ts");
    let discovered = place.discover();
    assert_eq!(discovered.modules.len(), 1);
    assert_eq!(discovered.errors.len(), 1);
    assert!(discovered.errors[0].message.starts_with("Tool file not found: "));
    assert!(discovered.errors[0].message.ends_with("project/gone.ts"));
    assert_eq!(discovered.errors[0].source_of_path.to_string(), "Config --tool, given");
}

#[test]
fn a_configured_folder_stands_for_its_tools() {
    let place = Place::with_tools(&["project/mine/a.ts", "project/mine/b.ts"]).given("mine");
    assert_eq!(place.found(), ["project/mine/a.ts", "project/mine/b.ts"]);
    let place = Place::new(&[("project/empty/readme.txt", "")]).given("empty");
    assert!(place.discover().errors[0].message.contains("is a directory without an index file or modules"));
}

#[test]
fn paths_of_settings_come_from_all_files() {
    let place = Place::with_tools(&["project/a.ts", "home/b.ts"]);
    place.write("home/.toolsmith/config.toml", "tools.paths = [\"~/b.ts\"]\n");
    place.write("project/.toolsmith/config.toml", "tools.paths = \"a.ts\"\n");
    assert_eq!(place.found(), ["home/b.ts", "project/a.ts"]);
    let scopes: Vec<Scope> = place.discover().modules.iter().map(|module| module.source.scope).collect();
    assert_eq!(scopes, [Scope::User, Scope::Project]);
}
