//! CONTRACT 6: a tool's own drawing, as lines of the width that was asked for, or the default view.

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{RenderOptions, ToolResult};

use crate::project::Project;

fn module(hooks: &str) -> String {
    format!(
        "import {{ Text, Container, Box, Spacer, Markdown, truncateToWidth, visibleWidth, wrapTextWithAnsi }} from \"@oh-my-pi/pi-tui\";\n\
         import {{ getMarkdownTheme }} from \"@oh-my-pi/pi-coding-agent\";\n\
         export default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }}, mark: \"self\",\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: \"alive\" }}] }}),\n{hooks} }});\n"
    )
}

async fn call_lines(
    hooks: &str,
    arguments: serde_json::Value,
    options: RenderOptions,
) -> Option<Vec<String>> {
    let project = Project::new(&[("t.ts", &module(hooks))]);
    let tool = project.tool("t.ts").await;
    tool.render_call(&arguments, &options).await.map(|drawn| drawn.lines)
}

async fn result_lines(hooks: &str, options: RenderOptions) -> Option<Vec<String>> {
    let project = Project::new(&[("t.ts", &module(hooks))]);
    let tool = project.tool("t.ts").await;
    let result = ToolResult::text("done").with_details(json!({ "count": 3 }));
    tool.render_result(&result, &options, &json!({ "q": "x" })).await.map(|drawn| drawn.lines)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_render_call_gets_args_options_theme_or_args_theme() {
    let three = "renderCall(args, options, theme) { return new Text(theme.bold(args.q) + options.expanded + this.mark, 0, 0); }";
    let lines = call_lines(three, json!({ "q": "x" }), RenderOptions::new(40).expanded(true)).await;
    assert_eq!(lines.unwrap(), ["\u{1b}[1mx\u{1b}[22mtrueself"]);
    let two = "renderCall(args, theme) { return new Text(theme.fg(\"accent\", args.q), 0, 0); }";
    let lines = call_lines(two, json!({ "q": "y" }), RenderOptions::new(40)).await;
    assert_eq!(lines.unwrap(), ["\u{1b}[36my\u{1b}[39m"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_render_result_gets_result_options_theme_args() {
    let hook = "renderResult(result, options, theme, args) { return { render: (width) => [JSON.stringify([result.content[0].text, result.details.count, result.isError, options, args, width, typeof theme.fg])] }; }";
    let lines = result_lines(hook, RenderOptions::new(120)).await;
    assert_eq!(
        lines.unwrap(),
        ["[\"done\",3,false,{\"expanded\":false,\"isPartial\":false},{\"q\":\"x\"},120,\"function\"]"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_3_a_spinner_frame_comes_only_while_partial() {
    let hook = "renderResult(result, options) { return { render: () => [JSON.stringify(options)] }; }";
    let lines = result_lines(hook, RenderOptions::new(80).partial(4)).await;
    assert_eq!(lines.unwrap(), ["{\"expanded\":false,\"isPartial\":true,\"spinnerFrame\":4}"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn components_draw_within_their_width() {
    let hook = r##"renderCall(args, options, theme) {
        const box = new Container();
        box.addChild(new Text("日本語のテキスト and words that wrap", 1, 0));
        box.addChild(new Spacer(1));
        const inner = new Box(1, 0, (s) => theme.bg("toolSuccessBg", s));
        inner.addChild(new Text("boxed", 0, 0));
        box.addChild(inner);
        box.addChild(new Markdown("# Title\n\nSome **bold** and `code` and [link](https://x.y).\n\n- one\n- two\n  - nested\n\n1. first\n\n> quote\n\n```ts\nlet x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---", 1, 0, getMarkdownTheme()));
        return box;
    }"##;
    let plain = |lines: Vec<String>| -> Vec<String> {
        lines.into_iter().map(|line| strip(&line).trim_end().to_owned()).collect()
    };
    let lines = call_lines(hook, json!({}), RenderOptions::new(24)).await.unwrap();
    assert!(lines.iter().all(|line| width(line) <= 24), "{lines:#?}");
    assert_eq!(
        plain(lines),
        [
            " 日本語のテキスト and",
            " words that wrap",
            "",
            " boxed",
            " Title",
            "",
            " Some bold and code and",
            " link (https://x.y).",
            "",
            " • one",
            " • two",
            "   • nested",
            "",
            " 1. first",
            "",
            " │ quote",
            "",
            " ```ts",
            "   let x = 1;",
            " ```",
            "",
            " ┌───┬───┐",
            " │ a │ b │",
            " ├───┼───┤",
            " │ 1 │ 2 │",
            " └───┴───┘",
            "",
            " ──────────────────────",
        ]
    );
}

fn strip(text: &str) -> String {
    toolsmith_text::plain(text).into_owned()
}

fn width(text: &str) -> usize {
    toolsmith_text::visible_width(text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_3_a_line_wider_than_asked_is_cut_and_cannot_leave_its_box() {
    let hook = "renderCall() { return { render: () => [\"x\".repeat(500), \"日\".repeat(100), \"a\\u001b[2Jb\\u001b[Hc\\rd\", \"two\\nlines\", 5, null] }; }";
    let lines = call_lines(hook, json!({}), RenderOptions::new(21)).await.unwrap();
    assert_eq!(lines, [&"x".repeat(21), &"日".repeat(10), "abcd", "two", "lines", "5", "null"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn measuring_functions_know_wide_and_coloured_text() {
    let hook = "renderCall() { return { render: () => [String(visibleWidth(\"\\u001b[31m日本\\u001b[0m!\")), truncateToWidth(\"hello world\", 8), truncateToWidth(\"ab\", 4, \"\", true) + \"|\", wrapTextWithAnsi(\"one two three\", 7).join(\"/\")] }; }";
    let lines = call_lines(hook, json!({}), RenderOptions::new(40)).await.unwrap();
    assert_eq!(lines, ["5", "hello w…", "ab  |", "one two/three"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_2_a_renderer_that_fails_gives_way_to_the_default_view_and_the_tool_lives_on() {
    for hook in [
        "renderCall() { throw new Error(\"no\"); }",
        "renderCall() { return { render() { throw null; } }; }",
        "renderCall() { return 5; }",
        "renderCall() { return { render: () => \"text\" }; }",
        "renderCall() { for (;;) {} }",
        "renderCall() { return { render() { for (;;) {} } }; }",
        "renderCall() { const a = []; for (;;) a.push(new Array(1000)); }",
        "renderCall() { const f = () => f(); f(); }",
        "renderCall(args, options, theme) { return new Text(theme.fg(\"noSuchColour\", \"x\")); }",
    ] {
        let limits = Limits::default().memory(64 << 20);
        let project = Project::with_limits(limits, &[("t.ts", &module(hook))]);
        let tool = project.tool("t.ts").await;
        assert_eq!(tool.render_call(&json!({}), &RenderOptions::new(40)).await, None, "{hook}");
        assert_eq!(crate::project::call(&tool, json!({})).await.unwrap().joined_text(), "alive", "{hook}");
    }
    // No hook, no drawing; nothing to draw is nothing.
    assert_eq!(call_lines("", json!({}), RenderOptions::new(40)).await, None);
    assert_eq!(
        call_lines("renderCall() {}", json!({}), RenderOptions::new(40)).await.unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn themes_have_colours_styles_and_symbols() {
    let hook = "renderCall(args, options, theme) { return { render: () => [theme.italic(\"i\"), theme.underline(\"u\"), theme.strikethrough(\"s\"), theme.inverse(\"v\"), theme.symbol(\"status.success\"), theme.styledSymbol(\"tree.last\", \"dim\"), theme.tree.branch, theme.boxRound.topLeft, theme.checkbox.checked, theme.spinnerFrames[0]] }; }";
    let lines = call_lines(hook, json!({}), RenderOptions::new(40)).await.unwrap();
    assert_eq!(
        lines,
        [
            "\u{1b}[3mi\u{1b}[23m",
            "\u{1b}[4mu\u{1b}[24m",
            "\u{1b}[9ms\u{1b}[29m",
            "\u{1b}[7mv\u{1b}[27m",
            "✔",
            "\u{1b}[90m└─\u{1b}[39m",
            "├─",
            "╭",
            "☑",
            "⠋"
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_both_argument_orders_are_told_apart_by_their_names() {
    // As pi calls them: the theme second, a context last.
    let pi = "renderCall(args, theme, context) { return new Text(theme.fg(\"accent\", args.q) + context.toolCallId + context.args.q + context.expanded + typeof context.invalidate + context.keyText(\"app.tools.expand\"), 0, 0); }";
    let lines = call_lines(pi, json!({ "q": "x" }), RenderOptions::new(80).call("id7")).await;
    assert_eq!(lines.unwrap(), ["\u{1b}[36mx\u{1b}[39mid7xfalsefunctionctrl+o"]);
    // As omp does, with the context's members on the theme for those who look there.
    let omp = "renderCall(args, options, theme) { return new Text(`${theme.bold(args.q)}${options.isPartial}${theme.toolCallId}${theme.isLight}${theme.name}`, 0, 0); }";
    let lines = call_lines(omp, json!({ "q": "x" }), RenderOptions::new(80).call("id7").partial(0)).await;
    assert_eq!(lines.unwrap(), ["\u{1b}[1mx\u{1b}[22mtrueid7falsetoolsmith"]);
    let pi = "renderResult(result, { expanded }, theme, context) { return new Text(`${context.args.q}${context.isError}${expanded}${context.durationMs}`, 0, 0); }";
    let mut options = RenderOptions::new(80).expanded(true);
    options.duration = Some(std::time::Duration::from_millis(1500));
    assert_eq!(result_lines(pi, options).await.unwrap(), ["xfalsetrue1500"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_renderers_of_one_call_share_state_and_their_last_component() {
    let hooks = "renderCall(args, theme, context) { context.state.count = (context.state.count ?? 0) + 1; const text = context.lastComponent ?? new Text(\"\", 0, 0); text.setText(`${context.lastComponent === text}${context.state.count}`); return text; },\n\
        renderResult(result, options, theme, context) { return new Text(`seen ${context.state.count}`, 0, 0); }";
    let project = Project::new(&[("t.ts", &module(hooks))]);
    let tool = project.tool("t.ts").await;
    let call = |id: &str| RenderOptions::new(40).call(id);
    let draw =
        async |options: RenderOptions| tool.render_call(&json!({}), &options).await.map(|drawn| drawn.lines);
    assert_eq!(draw(call("a")).await.unwrap(), ["false1"]);
    assert_eq!(draw(call("a")).await.unwrap(), ["true2"]);
    assert_eq!(draw(call("b")).await.unwrap(), ["false1"], "another row");
    assert_eq!(draw(RenderOptions::new(40)).await.unwrap(), ["false1"], "no row, no state");
    let result = tool.render_result(&ToolResult::text("x"), &call("a"), &json!({})).await.unwrap();
    assert_eq!(result.lines, ["seen 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c6_1_a_tool_says_which_renderers_it_has_and_how_they_are_framed() {
    let project = Project::new(&[
        (
            "own.ts",
            &module(
                "renderShell: \"self\", mergeCallAndResult: true, renderResult() { return { render: () => [\"x\"] }; }",
            ),
        ),
        ("framed.ts", &module("renderCall() { return { framed: true, render: () => [\"x\"] }; }")),
        ("none.ts", &module("")),
    ]);
    let hooks = project.tool("own.ts").await.render_hooks();
    assert!(!hooks.call && hooks.result && hooks.own_frame && hooks.merges);
    let framed = project.tool("framed.ts").await;
    assert!(!framed.render_hooks().own_frame);
    assert!(
        framed.render_call(&json!({}), &RenderOptions::new(9)).await.is_some_and(|drawn| drawn.is_framed)
    );
    assert!(!project.tool("none.ts").await.render_hooks().any());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_is_highlighted_and_images_are_measured() {
    // Grammars are loaded and compiled on first use, which a renderer does not wait for.
    toolsmith_text::highlight("let x = 1; // n", "ts", &toolsmith_text::Theme::dark());
    let hook = "renderCall(args, options, theme) { const { highlightCode } = pi.pi; const png = \"iVBORw0KGgoAAAANSUhEUgAAAQAAAACA\";\n\
        return { render: () => [highlightCode(\"let x = 1; // n\", \"ts\")[0], JSON.stringify([pi.pi.getImageDimensions(png), pi.pi.getImageDimensions(\"AAAA\"), pi.pi.getCapabilities(), pi.pi.decodeKittyPrintable(\"\\u001b[97;2u\"), pi.pi.isViewportTUI({})])] }; }";
    let lines = call_lines(hook, json!({}), RenderOptions::new(200)).await.unwrap();
    assert_eq!(strip(&lines[0]), "let x = 1; // n");
    assert!(lines[0].contains("\u{1b}[35mlet") && lines[0].contains("\u{1b}[90m"), "{lines:?}");
    assert_eq!(
        lines[1],
        r#"[{"widthPx":256,"heightPx":128},null,{"images":null,"trueColor":false,"hyperlinks":false},"a",false]"#
    );
}
