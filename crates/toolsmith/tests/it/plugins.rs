//! Installed plugins (CONTRACT 2.4, and the marketplace provider of 2.2).

use std::{fs, os::unix::fs::symlink};

use crate::place::Place;

const ROOT: &str = "home/.omp/plugins";

/// A plugin in the `.omp` root with these tools and this manifest.
fn plugin(place: &Place, name: &str, manifest: &str, tools: &[&str]) {
    place.write(&format!("{ROOT}/node_modules/{name}/package.json"), manifest);
    for tool in tools {
        place.write_tool(&format!("{ROOT}/node_modules/{name}/{tool}"));
    }
}

fn found(place: &Place) -> Vec<String> {
    let prefix = format!("{ROOT}/node_modules/");
    place.found().iter().map(|path| path.strip_prefix(&prefix).unwrap_or(path).to_owned()).collect()
}

#[test]
fn c2_4_all_roots_and_all_manifest_fields_are_read() {
    let place = Place::new(&[]);
    for (root, field) in [(".toolsmith", "toolsmith"), (".omp", "omp"), (".xcsh", "xcsh"), (".xcsh", "pi")] {
        let folder = format!("home/{root}/plugins/node_modules/{field}-plugin");
        place.write(
            &format!("{folder}/package.json"),
            &format!(r#"{{"{field}":{{"tools":["./{field}.ts"]}}}}"#),
        );
        place.write_tool(&format!("{folder}/{field}.ts"));
    }
    let names: Vec<String> = place.discover().modules.iter().map(|module| module.name()).collect();
    assert_eq!(names, ["toolsmith", "omp", "pi", "xcsh"]);
    assert_eq!(place.discover().modules[0].source.to_string(), "Plugin toolsmith-plugin, user");
}

#[test]
fn c2_4_tools_is_one_path_or_several_and_packages_may_be_scoped() {
    let place = Place::new(&[]);
    plugin(&place, "one", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    plugin(
        &place,
        "@scope/many",
        r#"{"pi":{"tools":["b.ts","sub/c.mjs","dir"]}}"#,
        &["b.ts", "sub/c.mjs", "dir/index.ts"],
    );
    plugin(&place, "library", r#"{"name":"library"}"#, &["d.ts"]);
    assert_eq!(
        found(&place),
        ["@scope/many/b.ts", "@scope/many/sub/c.mjs", "@scope/many/dir/index.ts", "one/a.ts"]
    );
    assert!(place.discover().errors.is_empty());
}

#[test]
fn c2_4_features_follow_the_defaults_the_lock_file_and_the_project() {
    let manifest = r#"{"omp":{"tools":"base.ts","features":{
        "on":{"default":true,"tools":"on.ts"},"off":{"tools":["off.ts"]}}}}"#;
    let place = Place::new(&[]);
    plugin(&place, "p", manifest, &["base.ts", "on.ts", "off.ts"]);
    assert_eq!(found(&place), ["p/base.ts", "p/on.ts"]);
    let lock = |features: &str| {
        let text = format!(
            r#"{{"plugins":{{"p":{{"version":"1","enabledFeatures":{features},"enabled":true}}}},"settings":{{}}}}"#
        );
        place.write(&format!("{ROOT}/omp-plugins.lock.json"), &text);
    };
    lock("null");
    assert_eq!(found(&place), ["p/base.ts", "p/on.ts"]);
    lock("[]");
    assert_eq!(found(&place), ["p/base.ts"]);
    lock(r#"["off"]"#);
    assert_eq!(found(&place), ["p/base.ts", "p/off.ts"]);
    lock(r#"["*"]"#);
    assert_eq!(found(&place), ["p/base.ts", "p/off.ts", "p/on.ts"]);
    place.write("project/.omp/plugin-overrides.json", r#"{"features":{"p":["on"]}}"#);
    assert_eq!(found(&place), ["p/base.ts", "p/on.ts"]);
    lock(r#"["unheard"]"#);
    fs::remove_file(place.path("project/.omp/plugin-overrides.json")).unwrap();
    assert!(place.discover().warnings[0].to_string().ends_with("plugin p has no feature \"unheard\""));
}

#[test]
fn c2_4_the_lock_file_and_the_project_switch_plugins_off() {
    let place = Place::new(&[]);
    plugin(&place, "p", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    plugin(&place, "q", r#"{"omp":{"tools":"b.ts"}}"#, &["b.ts"]);
    place.write(&format!("{ROOT}/omp-plugins.lock.json"), r#"{"plugins":{"p":{"enabled":false}}}"#);
    assert_eq!(found(&place), ["q/b.ts"]);
    place.write("project/.claude/plugin-overrides.json", r#"{"disabled":["q"]}"#);
    assert!(found(&place).is_empty());
}

#[test]
fn c2_8_an_untrusted_project_may_switch_off_and_not_on() {
    let place = Place::new(&[]).untrusted();
    plugin(&place, "p", r#"{"omp":{"tools":"a.ts","features":{"f":{"tools":"f.ts"}}}}"#, &["a.ts", "f.ts"]);
    place.write("project/.toolsmith/plugin-overrides.json", r#"{"features":{"p":["f"]}}"#);
    assert_eq!(found(&place), ["p/a.ts"]);
    place.write("project/.toolsmith/plugin-overrides.json", r#"{"disabled":["p"]}"#);
    assert!(found(&place).is_empty());
}

#[test]
fn a_manifest_that_names_something_outside_its_package_is_refused() {
    for path in ["../../etc", "../other/a.ts", "/etc/passwd", "sub/../../../x.ts", "link.ts"] {
        let place = Place::with_tools(&["home/secret.ts", &format!("{ROOT}/node_modules/other/a.ts")]);
        plugin(&place, "p", &format!(r#"{{"omp":{{"tools":["{path}","good.ts"]}}}}"#), &["good.ts"]);
        symlink(place.path("home/secret.ts"), place.path(&format!("{ROOT}/node_modules/p/link.ts"))).unwrap();
        let discovered = place.discover();
        assert_eq!(found(&place), ["p/good.ts"], "{path}");
        assert_eq!(discovered.errors.len(), 1, "{path}");
        let expected = format!("The manifest names \"{path}\", which is outside the package");
        assert_eq!(discovered.errors[0].message, expected);
        assert_eq!(discovered.errors[0].source_of_path.to_string(), "Plugin p, user");
    }
}

#[test]
fn a_package_that_is_linked_into_place_is_a_plugin() {
    let place = Place::with_tools(&["work/mine/a.ts"]);
    place.write("work/mine/package.json", r#"{"omp":{"tools":"a.ts"}}"#);
    fs::create_dir_all(place.path(&format!("{ROOT}/node_modules"))).unwrap();
    symlink(place.path("work/mine"), place.path(&format!("{ROOT}/node_modules/mine"))).unwrap();
    assert_eq!(found(&place), ["mine/a.ts"]);
}

#[test]
fn of_two_plugins_with_one_name_the_first_counts() {
    let place = Place::new(&[]);
    plugin(&place, "twin", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    place.write("home/.xcsh/plugins/node_modules/twin/package.json", r#"{"xcsh":{"tools":"b.ts"}}"#);
    place.write_tool("home/.xcsh/plugins/node_modules/twin/b.ts");
    let discovered = place.discover();
    assert_eq!(found(&place), ["twin/a.ts"]);
    let warning = discovered.warnings[0].to_string();
    assert!(warning.contains("plugin twin is skipped") && warning.contains(".omp/plugins"), "{warning}");
}

#[test]
fn a_broken_lock_file_is_an_error_and_nothing_beside_it_is_loaded() {
    let place = Place::new(&[]);
    plugin(&place, "p", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    place.write_tool("home/.claude/tools/other.ts");
    for damage in ["{", "[1]", "\u{0}", r#"{"plugins":[]}"#, r#"{"plugins":{"p":{"enabled":"no"}}}"#] {
        place.write(&format!("{ROOT}/omp-plugins.lock.json"), damage);
        let discovered = place.discover();
        assert_eq!(discovered.modules.len(), 1, "{damage}");
        assert!(discovered.errors[0].message.contains("omp-plugins.lock.json cannot be read"), "{damage}");
    }
}

#[test]
fn a_broken_manifest_costs_its_own_plugin() {
    let place = Place::new(&[]);
    plugin(&place, "broken", "{", &[]);
    plugin(&place, "strange", r#"{"omp":{"tools":7}}"#, &[]);
    plugin(&place, "missing", r#"{"omp":{"tools":"gone.ts"}}"#, &[]);
    plugin(&place, "good", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    let discovered = place.discover();
    assert_eq!(found(&place), ["good/a.ts"]);
    assert_eq!(discovered.errors.len(), 2, "{:#?}", discovered.errors);
    assert!(discovered.warnings[0].to_string().ends_with("names \"gone.ts\", which does not exist"));
}

#[test]
fn marketplace_plugins_are_read_from_their_lists() {
    let place = Place::with_tools(&[
        "home/cache/a/tools/one.ts",
        "home/cache/b/tools/two.ts",
        "home/cache/c/tools/three.ts",
        "home/cache/d/tools/four.ts",
    ]);
    let at = |name: &str| place.path(&format!("home/cache/{name}")).display().to_string();
    let list = format!(
        r#"{{"version":2,"plugins":{{
            "b@m":[{{"scope":"user","installPath":"{}"}}],
            "a@m":[{{"scope":"project","installPath":"{}","projectPath":"{}"}}],
            "c@m":[{{"installPath":"{}","enabled":false}}],
            "d@m":[{{"scope":"project","installPath":"{}","projectPath":"{}"}}],
            "nameless":[{{"installPath":"x"}}],
            "pathless@m":[{{"scope":"user"}}],
            "wrong@m":"text"
        }}}}"#,
        at("b"),
        at("a"),
        place.cwd().display(),
        at("c"),
        at("d"),
        place.path("another").display(),
    );
    place.write("home/.claude/plugins/installed_plugins.json", &list);
    assert_eq!(place.found(), ["home/cache/a/tools/one.ts", "home/cache/b/tools/two.ts"]);
    let warnings: Vec<String> =
        place.discover().warnings.iter().map(|warning| warning.message.clone()).collect();
    assert!(
        warnings.contains(&"Invalid plugin ID format (missing @marketplace): nameless".to_owned()),
        "{warnings:?}"
    );
    assert!(warnings.contains(&"Plugin pathless@m entry has no installPath".to_owned()), "{warnings:?}");
    place.write("home/.claude/plugins/installed_plugins.json", "{");
    assert!(place.found().is_empty());
    assert!(place.discover().warnings[0].message.starts_with("Failed to parse plugin registry"));
}

#[test]
fn c2_8_marketplace_plugins_that_the_project_lists_wait() {
    let place = Place::with_tools(&["home/cache/a/tools/one.ts"]).untrusted();
    let at = place.path("home/cache/a").display().to_string();
    place.write(
        "project/.omp/plugins/installed_plugins.json",
        &format!(r#"{{"plugins":{{"a@m":[{{"scope":"user","installPath":"{at}"}}]}}}}"#),
    );
    let discovered = place.discover();
    assert_eq!(discovered.waiting().count(), 1);
    assert_eq!(discovered.ready().count(), 0);
}

#[test]
fn c12_1_an_mcp_server_of_a_plugin_does_not_loosen_its_approval() {
    let place = Place::new(&[]);
    let at = place.path("home/cache/a").display().to_string();
    let list = format!(r#"{{"plugins":{{"a@m":[{{"scope":"user","installPath":"{at}"}}]}}}}"#);
    place.write("home/.claude/plugins/installed_plugins.json", &list);
    let manifest = r#"{"name":"a","mcpServers":{"inline":{"command":"x","approval":"allow"}}}"#;
    for (file, text, name) in [
        (".claude-plugin/plugin.json", r#"{"name":"a"}"#, None),
        (".mcp.json", r#"{"mcpServers":{"file":{"command":"x","approval":"read"}}}"#, Some("file")),
        (".claude-plugin/plugin.json", manifest, Some("inline")),
    ] {
        place.write(&format!("home/cache/a/{file}"), text);
        let settings = place.settings().settings;
        let found = toolsmith::mcp_configuration(&place.cwd(), &place.home(), &settings, &place.trust);
        let server = found.servers.iter().find(|server| Some(server.name.as_str()) == name);
        assert_eq!(
            server.map(|server| server.origin.may_loosen_approval()),
            name.map(|_| false),
            "{found:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_is_removed_during_a_session_fails_its_own_calls_only() {
    use serde_json::json;
    use toolsmith_llm::{Script, ScriptedProvider};
    let place = Place::new(&[]);
    plugin(&place, "p", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    place.write(
        &format!("{ROOT}/node_modules/p/skills/s/SKILL.md"),
        "---\nname: s\ndescription: d\n---\nBody\n",
    );
    let turns = json!([
        { "reply": [{ "call": "a", "arguments": {} }, { "call": "read", "arguments": { "path": "skill://p:s" } }] },
        "Done."
    ]);
    let model = ScriptedProvider::new(Script::parse(&turns.to_string()).unwrap());
    let session = toolsmith::Session::builder(place.cwd())
        .home(place.home())
        .settings(place.settings().settings)
        .discovery(true)
        .approval_mode(toolsmith::ApprovalMode::Yolo)
        .provider(std::sync::Arc::new(model.clone()), model.model().clone())
        .build()
        .await
        .unwrap();
    assert!(session.tools().iter().any(|tool| tool.origin.contains("plugin p, ")));
    fs::remove_dir_all(place.path(&format!("{ROOT}/node_modules/p"))).unwrap();
    let summary = session.run("go").await.unwrap();
    assert_eq!(summary.text, "Done.");
    let results = crate::session_place::results(&session);
    assert!(results[1].0 && results[1].1.contains("cannot be read any more"), "{results:?}");
}

#[test]
fn skills_and_commands_of_a_plugin_carry_its_name_and_follow_the_settings_of_claude() {
    let place = Place::new(&[]);
    let skill = "---\nname: s\ndescription: d\n---\n";
    plugin(
        &place,
        "@scope/pack",
        r#"{"name":"@scope/pack","pi":{"skills":["./skills"],"prompts":["./prompts/*.md"]}}"#,
        &[],
    );
    place.write(&format!("{ROOT}/node_modules/@scope/pack/skills/s/SKILL.md"), skill);
    place.write(&format!("{ROOT}/node_modules/@scope/pack/prompts/do.md"), "Do it");
    // A package that nobody chose: its directories mean nothing.
    plugin(&place, "library", r#"{"name":"library"}"#, &["tools/x.ts"]);
    place.write(&format!("{ROOT}/node_modules/library/skills/t/SKILL.md"), skill);
    place.write(&format!("{ROOT}/node_modules/library/.claude-plugin/plugin.json"), r#"{"name":"library"}"#);
    for name in ["on", "off"] {
        place.write(&format!("home/market/{name}/skills/s/SKILL.md"), skill);
    }
    let entry = |name: &str| {
        let folder = place.path(&format!("home/market/{name}"));
        format!(r#""{name}@m":[{{"installPath":"{}"}}]"#, folder.display())
    };
    place.write(
        "home/.claude/plugins/installed_plugins.json",
        &format!(r#"{{"plugins":{{{},{}}}}}"#, entry("on"), entry("off")),
    );
    place.write("home/.claude/settings.json", r#"{"enabledPlugins":{"off@m":false}}"#);
    let skills = toolsmith::discover_skills(&place.options());
    let names: Vec<&str> = skills.list.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["pack:s", "on:s"]);
    let commands = toolsmith::discover_commands(&place.options());
    assert_eq!(commands.list[0].name, "pack:do");
    assert!(found(&place).is_empty());
}
