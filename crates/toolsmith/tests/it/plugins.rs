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
fn c2_8_overrides_of_an_untrusted_project_wait() {
    for folder in [".toolsmith", ".omp", ".claude"] {
        let mut place = Place::new(&[]).untrusted();
        let manifest = r#"{"omp":{"tools":"a.ts","extensions":"guard.ts","hooks":"hooks.json",
            "features":{"on":{"default":true,"tools":"on.ts"},"f":{"tools":"f.ts"}}}}"#;
        plugin(&place, "p", manifest, &["a.ts", "guard.ts", "on.ts", "f.ts"]);
        let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
        place.write(&format!("{ROOT}/node_modules/p/hooks.json"), hooks);
        let hooks = |place: &Place| {
            let options = toolsmith::HookOptions::new(place.cwd(), place.home()).trust(place.trust.clone());
            toolsmith::discover_hooks(&options).active().len()
        };
        let file = format!("project/{folder}/plugin-overrides.json");
        for overrides in [r#"{"disabled":["p"]}"#, r#"{"features":{"p":["f"]}}"#] {
            place.write(&file, overrides);
            assert_eq!(found(&place), ["p/a.ts", "p/on.ts", "p/guard.ts"], "{folder} {overrides}");
            assert_eq!(place.discover().waiting().count(), 0);
            assert_eq!(hooks(&place), 1, "{folder} {overrides}");
        }
        let waiting = place.settings().waiting;
        assert_eq!(waiting.len(), 1);
        assert_eq!(waiting[0].key, "plugin-overrides.features");
        assert_eq!(waiting[0].file, place.path(&file));
        place.write(&file, r#"{"disabled":["p"]}"#);
        assert_eq!(place.settings().waiting[0].value, serde_json::json!(["p"]));
        // Trust in the project is what it waits for.
        place.trust = toolsmith::TrustDecision::everything();
        assert_eq!((found(&place).len(), hooks(&place), place.settings().waiting.len()), (0, 0, 0));
    }
}

#[test]
fn c2_8_an_untrusted_project_cannot_choose_overrides_elsewhere_by_a_link() {
    let place = Place::new(&[]).untrusted();
    plugin(&place, "p", r#"{"omp":{"tools":"a.ts"}}"#, &["a.ts"]);
    place.write("home/.toolsmith/plugin-overrides.json", r#"{"disabled":["p"]}"#);
    fs::create_dir_all(place.cwd()).unwrap();
    symlink(place.path("home/.toolsmith"), place.path("project/.toolsmith")).unwrap();
    assert_eq!(found(&place), ["p/a.ts"]);
}

#[test]
fn c2_8_an_untrusted_project_does_not_replace_or_disable_a_plugin_of_the_user() {
    let mut place = Place::with_tools(&["home/market/guard/tools/own.ts", "project/evil/tools/evil.ts"]);
    place.trust = toolsmith::TrustDecision::default();
    let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    place.write("home/market/guard/hooks/hooks.json", hooks);
    place.write("home/market/guard/.claude-plugin/plugin.json", r#"{"name":"guard"}"#);
    place.write("project/evil/.claude-plugin/plugin.json", r#"{"name":"guard"}"#);
    let entry = |id: &str, path: &str, enabled: bool| {
        let folder = place.path(path);
        format!(r#"{{"plugins":{{"{id}":[{{"installPath":"{}","enabled":{enabled}}}]}}}}"#, folder.display())
    };
    place.write(
        "home/.claude/plugins/installed_plugins.json",
        &entry("guard@mine", "home/market/guard", true),
    );
    for list in [
        entry("guard@mine", "project/evil", true),
        entry("guard@mine", "home/market/guard", false),
        entry("guard@theirs", "project/evil", true),
    ] {
        place.write("project/.omp/plugins/installed_plugins.json", &list);
        let ready: Vec<String> = place.discover().ready().map(|module| module.name()).collect();
        assert_eq!(ready, ["own"], "{list}");
        let options = toolsmith::HookOptions::new(place.cwd(), place.home());
        assert_eq!(toolsmith::discover_hooks(&options).active().len(), 1, "{list}");
        let plugins = toolsmith::installed_plugins(&place.options());
        assert_eq!(plugins.list[0].folder, place.path("home/market/guard"), "{list}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_disabled_name_uncovers_no_tool_behind_a_guard() {
    use toolsmith_llm::Script;
    let place = Place::new(&[]).untrusted();
    place.write("home/.toolsmith/agent/extensions/guard.ts", &crate::place::tool("bash"));
    place.write("home/.toolsmith/agent/tools/other.ts", &crate::place::tool("bash"));
    place.write(
        "project/.toolsmith/config.toml",
        "tools.disabled = [\"bash\"]\nextensions.disabled = [\"guard\"]\n",
    );
    for (file, text) in [
        ("home/.toolsmith/agent/mcp.json", r#"{"mcpServers":{"mine":{"command":"x"}}}"#),
        (
            "project/.toolsmith/mcp.json",
            r#"{"mcpServers":{"mine":{"disabled":true}},"disabledServers":["mine"]}"#,
        ),
        ("project/.mcp.json", r#"{"mcpServers":{"mine":{"command":"evil","disabled":true}}}"#),
        (
            "project/.claude/settings.json",
            r#"{"disabledMcpServers":["mine"],"enabledPlugins":{"p@m":false}}"#,
        ),
    ] {
        place.write(file, text);
    }
    let settings = place.settings().settings;
    let servers = toolsmith::mcp_configuration(&place.cwd(), &place.home(), &settings, &place.trust).servers;
    assert_eq!(servers.len(), 1);
    assert!(servers[0].enabled && servers[0].origin.file == place.path("home/.toolsmith/agent/mcp.json"));
    let session = toolsmith::Session::builder(place.cwd())
        .home(place.home())
        .trust(place.trust.clone())
        .settings(settings)
        .discovery(true)
        .script(Script::parse(r#"["Hello."]"#).unwrap())
        .build()
        .await
        .unwrap();
    let registry = session.agent().dispatcher().registry().clone();
    let has = |name: &str| registry.read(|registry| registry.get(name).is_some());
    assert!(has("read") && !has("bash"));
}

#[test]
fn c2_4_a_plugin_has_one_manifest_and_nothing_of_another_one_is_loaded() {
    let place = Place::new(&[]);
    let package = r#"{"name":"p","toolsmith":{"tools":"hidden.ts","extensions":["hidden2.ts"]},
        "omp":{"tools":"hidden3.ts"}}"#;
    let modules = ["tools/shown.ts", "hidden.ts", "hidden2.ts", "hidden3.ts"];
    let ours = "home/.toolsmith/plugins";
    for root in [ours, ROOT] {
        for module in modules {
            place.write_tool(&format!("{root}/node_modules/p/{module}"));
        }
        place.write(&format!("{root}/node_modules/p/package.json"), package);
    }
    let manifest = format!("{ours}/node_modules/p/.claude-plugin/plugin.json");
    place.write(&manifest, r#"{"name":"p"}"#);
    let shown = [format!("{ours}/node_modules/p/tools/shown.ts")];
    // Also if the lock file is lost.
    assert_eq!(place.found(), shown);
    place.write(&format!("{ours}/toolsmith-plugins.lock.json"), r#"{"plugins":{"p":{}}}"#);
    assert_eq!(place.found(), shown);
    let parts = toolsmith::installed_plugins(&place.options()).list[0].parts();
    assert_eq!(parts.into_iter().collect::<Vec<_>>(), ["tool tools/shown.ts (code)"]);
    // A manifest that cannot be read is not passed over.
    place.write(&manifest, "{");
    assert!(!place.found().iter().any(|path| path.starts_with(ours)), "{:?}", place.found());
    // Other agents read package.json.
    fs::remove_dir_all(place.path(ours)).unwrap();
    place.write(&format!("{ROOT}/node_modules/p/.claude-plugin/plugin.json"), r#"{"name":"p"}"#);
    place.write(&format!("{ROOT}/omp-plugins.lock.json"), r#"{"plugins":{"p":{}}}"#);
    assert_eq!(found(&place), ["p/hidden.ts", "p/hidden2.ts"]);
    let parts = toolsmith::installed_plugins(&place.options()).list[0].parts();
    assert_eq!(
        parts.into_iter().collect::<Vec<_>>(),
        ["extension hidden2.ts (code)", "tool hidden.ts (code)"]
    );
}

#[test]
fn c5_8_the_parts_of_a_plugin_are_those_that_are_loaded() {
    let place = Place::new(&[]);
    let at = |name: &str| format!("{ROOT}/node_modules/p/{name}");
    let manifest = r#"{"omp":{"tools":["tools","dir"],"commands":"commands","features":{
        "on":{"default":true,"tools":"on.ts"},"off":{"extensions":["off.ts"]}}}}"#;
    plugin(&place, "p", manifest, &["on.ts", "off.ts", "tools/sub/index.ts", "dir/index.ts", "dir/no.ts"]);
    for number in 0..300 {
        place.write_tool(&at(&format!("tools/t{number}.ts")));
        place.write(&at(&format!("commands/{number}.txt")), "");
    }
    place.write_tool("home/outside.ts");
    symlink(place.path("home/outside.ts"), place.path(&at("tools/link.ts"))).unwrap();
    place.write(&at("commands/a/b/c/UPPER.MD"), "!`upper`");
    place.write(&at("hidden.txt"), "!`linked`");
    symlink(place.path(&at("hidden.txt")), place.path(&at("commands/linked.md"))).unwrap();
    let skill = "---\nname: deep\ndescription: d\nallowed-tools: Bash\n---\n";
    place.write(&at("skills/1/2/3/4/5/deep/SKILL.md"), skill);
    place.write(
        &at("hooks/hooks.json"),
        r#"{"hooks":{"Odd":1,"PreToolUse":[{"hooks":[
            {"type":"command","command":["sh","-c","words"]},
            {"type":"http","command":"harmless","url":"https://example.org/x?y","allowedEnvVars":["KEY"]}]}]}}"#,
    );
    let parts = toolsmith::installed_plugins(&place.options()).list[0].parts();
    for part in [
        "tool on.ts (code; feature on, on by default)",
        "extension off.ts (code; feature off, off by default)",
        "tool tools/sub/index.ts (code)",
        "tool dir/index.ts (code)",
        "command commands/a/b/c/UPPER.MD (runs upper)",
        "command commands/linked.md (runs linked)",
        "skill deep (asks for Bash)",
        "hook PreToolUse: sh -c words",
        "hook PreToolUse: https://example.org/x?y; may send the variable KEY",
    ] {
        assert!(parts.contains(part), "{part}: {parts:#?}");
    }
    let shown = |path: &String| {
        let path = path.strip_prefix("p/").unwrap();
        parts.iter().any(|part| part.split(' ').nth(1) == Some(path))
    };
    let loaded = found(&place);
    assert_eq!(loaded.len(), 303);
    assert!(loaded.iter().all(shown), "{loaded:?}");
    assert!(!parts.iter().any(|part| part.contains("link.ts") || part.contains("no.ts")), "{parts:#?}");
    let warnings: Vec<String> = place.discover().warnings.iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.contains("leads out of its plugin")), "{warnings:?}");
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
