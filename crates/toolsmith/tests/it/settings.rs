//! Settings: layers, origins, and what is wrong with them.

use std::time::Duration;

use serde_json::json;
use toolsmith::settings::{
    FileState, KeyKind, SettingEntry, SettingOrigin, SettingsError, keys, load_settings,
};
use toolsmith_llm::ApiKind;
use toolsmith_testkit::ModelServer;
use toolsmith_tool::ApprovalPolicy;

use crate::place::Place;

fn entry(entries: &[SettingEntry], key: &str) -> SettingEntry {
    entries.iter().find(|entry| entry.key == key).cloned().unwrap()
}

#[test]
fn later_layers_win_and_each_value_knows_its_own() {
    let place = Place::new(&[
        (
            "home/.toolsmith/config.toml",
            "model = \"user\"\nlimits.load = \"1s\"\nlimits.call = \"2m\"\noutput.max_lines = 1\n",
        ),
        (
            "project/.toolsmith/config.toml",
            "limits.load = \"2s\"\nlimits.call = \"3m\"\noutput.max_lines = 2\n",
        ),
    ]);
    let sources = place
        .sources()
        .environment([
            ("TOOLSMITH_LIMITS_CALL".to_owned(), "4m".to_owned()),
            ("TOOLSMITH_OUTPUT_MAX_LINES".to_owned(), "3".to_owned()),
        ])
        .flags(vec![("output.max_lines".to_owned(), "4".to_owned())]);
    let loaded = load_settings(&sources).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let settings = &loaded.settings;
    assert_eq!(settings.model.as_deref(), Some("user"));
    assert_eq!(settings.limits.load, Duration::from_secs(2));
    assert_eq!(settings.limits.call, Duration::from_secs(240));
    assert_eq!(settings.output.max_lines, 4);
    assert_eq!(settings.limits.memory, 256 << 20);
    let origin = |key: &str| entry(&loaded.entries, key).origin;
    assert_eq!(origin("model"), SettingOrigin::User(place.path("home/.toolsmith/config.toml")));
    assert_eq!(origin("limits.load"), SettingOrigin::Project(place.path("project/.toolsmith/config.toml")));
    assert_eq!(origin("limits.call"), SettingOrigin::Environment("TOOLSMITH_LIMITS_CALL".to_owned()));
    assert_eq!(origin("output.max_lines"), SettingOrigin::Flag);
    assert_eq!(origin("limits.memory"), SettingOrigin::Default);
    assert_eq!(loaded.files.iter().map(|file| file.state).collect::<Vec<_>>(), [FileState::Read; 2]);
}

#[test]
fn every_setting_can_be_read_into_its_type() {
    let mut text = String::new();
    for key in keys() {
        let name = key.name.replace("<name>", "some-name").replace("<header>", "\"X-Some.Header\"");
        let name = name.replace("<model>", "\"some/model-1.5\"");
        let value = match key.kind {
            KeyKind::Bool => "true".to_owned(),
            KeyKind::Duration => "\"3s\"".to_owned(),
            KeyKind::Size => "\"3MB\"".to_owned(),
            KeyKind::Count => "3".to_owned(),
            KeyKind::Number => "0.25".to_owned(),
            KeyKind::Choice(words) => format!("\"{}\"", words[0]),
            KeyKind::Paths | KeyKind::Names => "[\"x\"]".to_owned(),
            _ => "\"x_Y\"".to_owned(),
        };
        text.push_str(&format!("{name} = {value}\n"));
    }
    let place = Place::new(&[("home/.toolsmith/config.toml", &text)]);
    let loaded = place.settings();
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    assert_eq!(loaded.entries.len(), keys().len());
    assert!(loaded.entries.iter().all(|entry| matches!(entry.origin, SettingOrigin::User(_))));
    let settings = loaded.settings;
    assert_eq!(settings.tool("some-name").timeout, Some(Duration::from_secs(3)));
    assert_eq!(settings.tool("some-name").memory, Some(3 << 20));
    let provider = settings.providers["some-name"].to_config("some-name").unwrap();
    assert_eq!(provider.api, ApiKind::AnthropicMessages);
    assert_eq!(provider.idle_timeout, Duration::from_secs(3));
    let model = &provider.models[0];
    assert_eq!((model.id.as_str(), model.context_window), ("some/model-1.5", Some(3)));
    assert_eq!(model.price.unwrap().cache_write, Some(0.25));
    assert!(keys().iter().all(|key| !key.doc.is_empty()));
}

#[test]
fn unknown_keys_warn_with_the_closest_name_and_their_place() {
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "modle = \"x\"\n[limits]\nmemroy = \"1MB\"\n[nonsense]\na = 1\n",
    )]);
    let loaded = place.settings();
    let shown: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 3, "{shown:#?}");
    assert!(shown[0].ends_with("config.toml:1:1: unknown setting `modle`"), "{shown:#?}");
    assert_eq!(loaded.warnings[0].hint.as_deref(), Some("Did you mean `model`?"));
    assert!(shown[1].ends_with("config.toml:3:1: unknown setting `limits.memroy`"), "{shown:#?}");
    assert_eq!(loaded.warnings[1].hint.as_deref(), Some("Did you mean `limits.memory`?"));
    assert!(shown[2].ends_with("unknown setting `nonsense`"), "{shown:#?}");
}

#[test]
fn a_wrong_key_of_a_model_warns_with_the_closest_name_in_the_users_own_words() {
    let text = "[providers.ollama.models.\"qwen3:4b\"]\ncontext_windw = 1\nimages = \"yes\"\n[providers.ollama.models.\"qwen3:4b\".price]\ninptu = 1\noutput = -1\n";
    let loaded = Place::new(&[("home/.toolsmith/config.toml", text)]).settings();
    let shown: Vec<String> = loaded
        .warnings
        .iter()
        .map(|warning| warning.hint.clone().unwrap_or(warning.message.clone()))
        .collect();
    assert_eq!(
        shown,
        [
            "Did you mean `providers.ollama.models.\"qwen3:4b\".context_window`?",
            "`providers.ollama.models.\"qwen3:4b\".images` is ignored: expected yes or no, got \"yes\"",
            "Did you mean `providers.ollama.models.\"qwen3:4b\".price.input`?",
            "`providers.ollama.models.\"qwen3:4b\".price.output` is ignored: expected number, got -1",
        ]
    );
}

#[test]
fn a_flag_can_name_a_model_with_points_in_its_name() {
    let flag = ("providers.openai.models.\"gpt-5.2\".context_window".to_owned(), "1000".to_owned());
    let place = Place::new(&[]);
    let loaded = load_settings(&place.sources().flags(vec![flag])).unwrap();
    assert_eq!(loaded.settings.providers["openai"].models["gpt-5.2"].context_window, Some(1000));
    let entry = entry(&loaded.entries, "providers.openai.models.\"gpt-5.2\".context_window");
    assert_eq!(entry.origin, SettingOrigin::Flag);
}

#[test]
fn values_that_do_not_fit_are_ignored_with_a_reason() {
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "approval.mode = \"sometimes\"\nlimits.memory = \"lots\"\noutput.max_lines = -1\ntools.paths = [1]\nlimits.load = 2\n",
    )]);
    let loaded = place.settings();
    assert_eq!(loaded.warnings.len(), 4, "{:#?}", loaded.warnings);
    assert!(loaded.warnings[0].message.contains("expected always-ask | write | yolo, got \"sometimes\""));
    assert_eq!(loaded.settings.approval.mode.as_str(), "always-ask", "a misspelled restriction stays one");
    assert_eq!(loaded.settings.limits.load, Duration::from_secs(2), "a bare number means seconds");
}

#[test]
fn c5_4_an_invalid_policy_counts_as_deny_and_a_value_for_a_table_is_reported() {
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "todo = 5\n[tools.approval]\nbash = \"denied\"\nwrite = 7\nread = \"allow\"\n",
    )]);
    let loaded = place.settings();
    let shown: Vec<&str> = loaded.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        shown,
        [
            "`todo` is ignored: expected a table",
            "`tools.approval.bash` counts as \"deny\": expected allow | ask | deny, got \"denied\"",
            "`tools.approval.write` counts as \"deny\": expected allow | ask | deny, got 7",
        ]
    );
    let policies = loaded.settings.approval.tools;
    assert_eq!((policies["bash"], policies["write"]), (ApprovalPolicy::Deny, ApprovalPolicy::Deny));
    assert_eq!(policies["read"], ApprovalPolicy::Allow);
}

#[test]
fn a_file_that_is_not_toml_is_reported_and_the_rest_counts() {
    let place = Place::new(&[
        ("home/.toolsmith/config.toml", "model = \"user\"\n"),
        (
            "project/.toolsmith/config.toml",
            "output.max_lines = 9\nlimits.memory = \"1MB\nlimits.load = \"3s\"\n",
        ),
    ]);
    let loaded = place.settings();
    assert_eq!(loaded.warnings.len(), 1, "{:#?}", loaded.warnings);
    let warning = &loaded.warnings[0];
    assert!(warning.to_string().contains("config.toml:2:"), "{warning}");
    assert!(warning.message.starts_with("is not TOML: "), "{warning}");
    assert!(warning.frame.as_ref().unwrap().contains("> 2 | limits.memory"));
    assert_eq!(loaded.settings.model.as_deref(), Some("user"));
    assert_eq!(loaded.settings.output.max_lines, 9);
    assert_eq!(loaded.settings.limits.memory, 256 << 20, "a guess is not a setting");
    assert_eq!(loaded.files[1].state, FileState::Broken);
}

#[test]
fn files_that_are_no_text_or_no_file_stop_nothing() {
    let place = Place::new(&[("project/.toolsmith/config.toml/x", "")]);
    std::fs::create_dir_all(place.path("home/.toolsmith")).unwrap();
    std::fs::write(place.path("home/.toolsmith/config.toml"), b"model = \"\xff\"").unwrap();
    let loaded = place.settings();
    let shown: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert!(shown[0].ends_with("is not UTF-8 and is ignored"), "{shown:?}");
    assert!(shown[1].ends_with("is a directory, but a settings file is expected here"), "{shown:?}");
}

#[test]
fn hostile_toml_is_survived() {
    let deep = format!("a = {}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let dotted = format!("{} = 1", vec!["a"; 20_000].join("."));
    let wide = "x = 1\n".repeat(2000);
    for text in [
        deep.as_str(),
        &dotted,
        &wide,
        "\0\0\0",
        "=",
        "[[tools]]",
        "tools = 1",
        "[tools.paths]\na = 1",
        "limits.memory = 99999999999999999999",
    ] {
        let place = Place::new(&[("home/.toolsmith/config.toml", text)]);
        let loaded = place.settings();
        assert!(!loaded.warnings.is_empty(), "{}", text.chars().take(20).collect::<String>());
    }
}

#[test]
fn variables_that_do_not_fit_or_are_misspelled_warn() {
    let place = Place::new(&[]);
    let variables = [
        ("TOOLSMITH_APPROVAL_MODE", "never"),
        ("TOOLSMITH_MODLE", "x"),
        ("TOOLSMITH_HOME", "x"),
        ("TOOLSMITH_SOMETHING_ELSE_ENTIRELY", "x"),
        ("TOOLSMITH_DISCOVERY_PROVIDERS_CLAUDE_PLUGINS", "off"),
        ("TOOLSMITH_TOOLS_PATHS", "a.ts:b.ts"),
    ];
    let sources =
        place.sources().environment(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let loaded = load_settings(&sources).unwrap();
    let shown: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[0].starts_with("the variable TOOLSMITH_APPROVAL_MODE counts as \"always-ask\""));
    assert_eq!(loaded.warnings[1].hint.as_deref(), Some("Did you mean TOOLSMITH_MODEL?"));
    assert!(!loaded.settings.discovery.is_on("claude-plugins"));
    assert_eq!(loaded.settings.tools.paths.len(), 2);
}

#[test]
fn a_wrong_flag_is_an_error() {
    let place = Place::new(&[]);
    let with = |key: &str, value: &str| {
        load_settings(&place.sources().flags(vec![(key.to_owned(), value.to_owned())])).unwrap_err()
    };
    assert_eq!(with("modle", "x").to_string(), "unknown setting `modle`; did you mean `model`?");
    assert!(matches!(with("limits.load", "soon"), SettingsError::Value { .. }));
}

#[test]
fn a_key_in_a_file_is_not_shown() {
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "[providers.a]\napi_key = \"sk-secret\"\nheaders.X = \"secret too\"\n[providers.b]\napi_key = \"MY_KEY\"\n",
    )]);
    let loaded = place.settings();
    assert!(!format!("{loaded:?}").contains("secret"), "{loaded:?}");
    assert_eq!(entry(&loaded.entries, "providers.b.api_key").value, json!("MY_KEY"));
}

#[test]
fn deny_wins_over_the_other_place_to_say_it() {
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "approval.tools.a = \"deny\"\ntools.a.approval = \"allow\"\ntools.b.approval = \"deny\"\napproval.tools.b = \"allow\"\n\
         tools.approval.c = \"deny\"\ntools.approval.a = \"allow\"\n",
    )]);
    let approval = place.settings().settings.approval;
    assert_eq!(approval.tools["a"], ApprovalPolicy::Deny);
    assert_eq!(approval.tools["b"], ApprovalPolicy::Deny);
    assert_eq!(approval.tools["c"], ApprovalPolicy::Deny);
    // A tool may be called as a setting of tools is.
    let place = Place::new(&[(
        "home/.toolsmith/config.toml",
        "[tools.approval]\ntimeout = \"deny\"\nmemory = \"3s\"\n",
    )]);
    let loaded = place.settings();
    assert_eq!(loaded.settings.approval.tools["timeout"], ApprovalPolicy::Deny);
    assert_eq!(loaded.warnings.len(), 1, "{:#?}", loaded.warnings);
}

#[test]
fn c5_4_no_later_layer_takes_deny_back() {
    for key in ["tools.approval.bash", "tools.bash.approval", "approval.tools.bash"] {
        let set = |policy: &str| format!("{key} = \"{policy}\"\n");
        let place = Place::new(&[
            ("home/.toolsmith/config.toml", &set("deny")),
            ("project/.toolsmith/config.toml", &set("allow")),
        ]);
        let sources = place.sources().flags(vec![(key.to_owned(), "allow".to_owned())]);
        let loaded = load_settings(&sources).unwrap();
        assert_eq!(loaded.settings.approval.tools["bash"], ApprovalPolicy::Deny, "{key}");
        assert!(matches!(entry(&loaded.entries, key).origin, SettingOrigin::User(_)), "{key}");
    }
    let place = Place::new(&[
        ("home/.toolsmith/config.toml", "tools.approval.bash = \"allow\"\n"),
        ("project/.toolsmith/config.toml", "tools.approval.bash = \"deny\"\n"),
    ]);
    let loaded = load_settings(&place.sources()).unwrap();
    assert_eq!(loaded.settings.approval.tools["bash"], ApprovalPolicy::Deny);
}

#[test]
fn a_new_provider_needs_a_wire_and_an_address() {
    let place =
        Place::new(&[("home/.toolsmith/config.toml", "providers.mine.wire = \"openai-completions\"\n")]);
    let error = place.settings().settings.providers["mine"].to_config("mine").unwrap_err();
    assert_eq!(error.to_string(), "provider \"mine\" needs `providers.mine.base_url`");
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_4_a_policy_for_a_pattern_or_a_whole_server_is_reported() {
    let policies = r#"[tools.approval]
"*" = "deny"
"mcp__*" = "deny"
mcp__s = "deny"
mcp__s__known_elsewhere = "deny"
bash = "deny"
"#;
    let place = Place::new(&[("home/.toolsmith/config.toml", policies)]);
    let server = ModelServer::start().await.unwrap();
    let session = place.session(&server).build().await.unwrap();
    let warnings: Vec<String> = session.loaded().warnings.iter().map(ToString::to_string).collect();
    for name in ["\"*\"", "\"mcp__*\"", "\"mcp__s\""] {
        assert!(warnings.iter().any(|warning| warning.contains(name)), "{name}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    session.dispose().await;
}
