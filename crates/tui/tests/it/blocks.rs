//! Snapshots of every block at 40, 80 and 200 columns: dark, light and without colour. The files hold escape sequences, as a
//! terminal receives them.

use std::{fmt::Write as _, time::Duration};

use serde_json::json;
use toolsmith_text::{ColorDepth, Row, Theme, parse_text};
use toolsmith_tool::{ContentBlock, ToolResult};
use toolsmith_tui::blocks::{
    AssistantBlock, AssistantStream, BashBlock, Block, BlockOptions, CustomBlock, ImageBlock, NoticeBlock,
    NoticeKind, QueueBlock, QueuedKind, StatusLine, SummaryBlock, SummaryKind, ThinkingBlock, TodoBlock,
    ToolBlock, ToolDrawing, ToolState, UserBlock,
};

const MARKDOWN: &str = "## Plan\n\nFix the **parser** in `src/lib.rs`, see [the docs](https://example.com/a).\n\n\
1. Read the file\n2. Change it\n   - carefully\n\n> It works on my machine.\n\n```rust\nfn main() {\n    let x: u32 = 42; // answer\n    println!(\"{x}\");\n}\n```\n\n\
| tool | calls | note |\n|:--|--:|:-:|\n| read | 12 | reads a file and returns its lines with numbers |\n| 編集 | 3 | 日本語 |\n";

const DIFF: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,4 +1,5 @@\n fn main() {\n-    let name = \"old\";\n+    let name = \"new\";\n     println!(\"{name}\");\n+    done();\n }\n";

fn tool(state: ToolState) -> ToolBlock {
    ToolBlock {
        state,
        elapsed: Some(Duration::from_millis(1234)),
        ..ToolBlock::new("1", "repo_stats", "Repo Stats")
    }
}

fn named(name: &str, arguments: serde_json::Value, result: ToolResult) -> Block {
    let state = if result.is_error { ToolState::Failed } else { ToolState::Done };
    let block = ToolBlock {
        arguments,
        result: Some(result),
        elapsed: Some(Duration::from_millis(80)),
        ..ToolBlock::new("1", name, name)
    };
    Block::Tool(Box::new(ToolBlock { state, ..block }))
}

fn drawn(state: ToolState) -> Block {
    let mut drawing = ToolDrawing::default();
    drawing.call = Some(parse_text("\x1b[1mDeploy\x1b[22m to \x1b[36mstaging\x1b[39m"));
    drawing.result = Some(parse_text("\x1b[32m✔\x1b[39m 3 services\n  api web worker"));
    let result = Some(ToolResult::text("3 services"));
    Block::Tool(Box::new(ToolBlock { drawing: Some(drawing), result, ..tool(state) }))
}

/// A call that used something worth seeing.
fn measured(is_drawn: bool) -> Block {
    let Block::Tool(block) = drawn(ToolState::Done) else { unreachable!("it is a tool call") };
    let metrics = json!({
        "wallUs": 1_234_000, "cpuUs": 912_000, "peakMemoryBytes": 35_651_584, "readBytes": 2048, "writtenBytes": 0,
        "requests": 2, "processes": 1, "outputBytes": 10, "resultTokens": 3
    });
    let drawing = block.drawing.clone().filter(|_| is_drawn);
    Block::Tool(Box::new(ToolBlock { metrics: serde_json::from_value(metrics).ok(), drawing, ..*block }))
}

fn samples() -> Vec<(&'static str, Block, BlockOptions)> {
    let usual = BlockOptions::default();
    let open = usual.expanded(true);
    let json =
        json!({ "files": [{ "name": "a.rs", "lines": 120 }, { "name": "b.rs", "lines": 7 }], "total": 2 });
    let lines = (1..=9).map(|line| format!("src/file_{line}.rs: match")).collect::<Vec<_>>().join("\n");
    let running = ToolBlock {
        arguments: json!({ "glob": "**/*.ts", "limit": 5 }),
        result: Some(ToolResult::text("Scanning…")),
        ..tool(ToolState::Running)
    };
    let waiting = ToolBlock {
        arguments: json!({ "command": "rm -rf build && make" }),
        ..ToolBlock::new("1", "bash", "bash")
    };
    let mut bash = BashBlock::new("cargo test -p text", false);
    bash.output = "\x1b[32mok\x1b[0m 12 passed\nwarning: unused\n".to_owned();
    bash.exit_code = Some(101);
    bash.elapsed = Some(Duration::from_secs(75));
    let todo = json!({ "phases": [{ "name": "Build", "tasks": [
        { "content": "Write the parser", "status": "completed" }, { "content": "Test it with hostile input", "status": "in_progress" },
        { "content": "Document it", "status": "pending" }, { "content": "Rewrite in C", "status": "abandoned" }] }] });
    let summary = SummaryBlock {
        kind: SummaryKind::Compaction,
        text: "The user asked for **tests**.".to_owned(),
        tokens_before: Some(123_456),
    };
    let queue = QueueBlock {
        messages: vec![
            (QueuedKind::Steer, "use tabs\ninstead".to_owned()),
            (QueuedKind::FollowUp, "then commit".to_owned()),
        ],
    };
    let image = ImageBlock {
        data: "iVBORw0KGgoAAAANSUhEUgAAAQAAAACA".to_owned(),
        mime_type: "image/png".to_owned(),
        name: Some("plot.png".to_owned()),
    };
    vec![
        (
            "user",
            Block::User(UserBlock {
                text: "Please fix the parser.\nAnd add tests for 日本語 and 👩‍👩‍👧.".to_owned(),
                images: 1,
            }),
            usual,
        ),
        ("assistant", Block::Assistant(AssistantBlock::new(MARKDOWN)), usual),
        ("thinking", Block::Thinking(ThinkingBlock::new("The parser **drops** the last line.")), usual),
        ("thinking_hidden", Block::Thinking(ThinkingBlock::new("x")), usual.shows_thinking(false)),
        ("tool_running", Block::Tool(Box::new(running)), usual.spinner_frame(3)),
        ("tool_waiting", Block::Tool(Box::new(ToolBlock { state: ToolState::Waiting, ..waiting })), usual),
        (
            "tool_text",
            named("grep", json!({ "pattern": "match", "path": "src" }), ToolResult::text(&*lines)),
            usual,
        ),
        (
            "tool_text_expanded",
            named("my_search", json!({ "q": "match", "deep": { "a": [1, 2] } }), ToolResult::text(&*lines)),
            open,
        ),
        ("tool_json", named("api", json!({}), ToolResult::text(json.to_string())), usual),
        ("tool_json_expanded", named("api", json!({}), ToolResult::text(json.to_string())), open),
        (
            "tool_failed",
            named("bash", json!({ "command": "false" }), ToolResult::error("exit code 1")),
            usual,
        ),
        ("tool_empty", named("bash", json!({ "command": "true" }), ToolResult::text("")), usual),
        (
            "tool_edit",
            named(
                "edit",
                json!({ "path": "src/lib.rs" }),
                ToolResult::text("ok").with_details(json!({ "diff": DIFF })),
            ),
            usual,
        ),
        (
            "tool_write",
            named(
                "write",
                json!({ "path": "a.py", "content": "import os\n\ndef main():\n    return 'x'\n" }),
                ToolResult::text("ok"),
            ),
            usual,
        ),
        (
            "tool_todo",
            named("todo_write", json!({}), ToolResult::text("ok").with_details(todo.clone())),
            usual,
        ),
        (
            "tool_resolve",
            named(
                "resolve",
                json!({ "action": "apply", "reason": "r" }),
                ToolResult::text("ok").with_details(json!({ "label": "Rename: 4 files" })),
            ),
            usual,
        ),
        (
            "tool_image",
            named(
                "plot",
                json!({}),
                ToolResult {
                    content: vec![ContentBlock::Image {
                        data: image.data.clone(),
                        mime_type: image.mime_type.clone(),
                    }],
                    ..ToolResult::default()
                },
            ),
            usual,
        ),
        ("tool_metrics", measured(false), usual),
        ("tool_metrics_expanded", measured(false), open),
        ("tool_metrics_drawn", measured(true), usual),
        ("tool_drawn", drawn(ToolState::Done), usual),
        ("tool_drawn_running", drawn(ToolState::Running), usual),
        ("tool_drawn_failed", drawn(ToolState::Failed), usual),
        ("bash", Block::Bash(bash), usual),
        (
            "custom",
            Block::Custom(CustomBlock {
                label: "deploy".to_owned(),
                text: "Deployed **v2**.".to_owned(),
                drawn: None,
            }),
            usual,
        ),
        (
            "notice",
            Block::Notice(NoticeBlock {
                hint: Some("Run toolsmith trust.".to_owned()),
                ..NoticeBlock::new(NoticeKind::Warning, "2 tools wait for trust")
            }),
            usual,
        ),
        (
            "error",
            Block::Notice(NoticeBlock::new(
                NoticeKind::Error,
                "the provider is overloaded (529); 3 retries failed",
            )),
            usual,
        ),
        ("summary", Block::Summary(summary.clone()), usual),
        ("summary_expanded", Block::Summary(SummaryBlock { kind: SummaryKind::Branch, ..summary }), open),
        ("todo", Block::Todo(TodoBlock::from_details(&todo).unwrap_or_default()), usual),
        ("queue", Block::Queue(queue), usual),
        ("image", Block::Image(image), usual),
    ]
}

fn status() -> StatusLine {
    StatusLine {
        model: "anthropic/claude-sonnet-4-5".to_owned(),
        thinking: Some("high".to_owned()),
        context: Some((150_000, 200_000)),
        cost: Some(0.4567),
        folder: "~/work/project".to_owned(),
        branch: Some("main".to_owned()),
        approval: "write".to_owned(),
        pending: 2,
        entries: vec![
            ("ci".to_owned(), "\x1b[32mCI ok\x1b[0m".to_owned()),
            ("timer".to_owned(), "12:30".to_owned()),
        ],
    }
}

/// Escape sequences as text, so that the files can be read and compared.
fn readable(rows: &[Row], depth: ColorDepth) -> String {
    let mut out = String::new();
    for row in rows {
        let line = row.to_ansi(depth).replace('\x1b', "␛");
        let _ = writeln!(out, "{line}│");
    }
    out
}

#[test]
fn blocks_at_three_widths_and_in_three_themes() {
    let check = |name: &str, draw: &dyn Fn(usize, &Theme) -> Vec<Row>| {
        let mut text = String::new();
        for (theme, depth) in [
            (Theme::dark(), ColorDepth::TrueColor),
            (Theme::light(), ColorDepth::Ansi256),
            (Theme::none(), ColorDepth::None),
        ] {
            for columns in [40, 80, 200] {
                let rows = draw(columns, &theme);
                for row in &rows {
                    assert!(row.width() <= columns, "{name} at {columns}: {:?}", row.text());
                }
                let _ = write!(text, "== {} {columns}\n{}", theme.name(), readable(&rows, depth));
            }
        }
        insta::assert_snapshot!(name, text);
    };
    for (name, block, options) in samples() {
        check(name, &|columns, theme| block.rows(columns, theme, &options));
    }
    check("status", &|columns, theme| status().rows(columns, theme));
}

#[test]
fn c9_1_every_block_fits_any_width_and_has_no_control_characters() {
    let hostile = "a\x1b[2J\x1b]0;t\x07\rb\tc\u{202e}日本語👩‍👩‍👧\u{301}\u{fe0f}\n";
    let many = hostile.repeat(50);
    let blocks = [
        Block::User(UserBlock::new(&*many)),
        Block::Assistant(AssistantBlock::new(&*many)),
        Block::Thinking(ThinkingBlock::new(&*many)),
        named("x", json!({ "a": hostile, hostile: [hostile] }), ToolResult::text(&*many)),
        named("bash", json!({ "command": hostile }), ToolResult::error(&*many)),
        named(
            "x",
            json!({}),
            ToolResult::text(json!({ hostile: [hostile, { hostile: hostile }] }).to_string()),
        ),
        Block::Custom(CustomBlock { label: many.clone(), text: many.clone(), drawn: None }),
        Block::Notice(NoticeBlock::new(NoticeKind::Error, &*many)),
        Block::Queue(QueueBlock { messages: vec![(QueuedKind::Steer, many.clone())] }),
        drawn(ToolState::Running),
    ];
    for columns in (1..30).chain([500]) {
        for expanded in [false, true] {
            for block in &blocks {
                for row in block.rows(columns, &Theme::dark(), &BlockOptions::default().expanded(expanded)) {
                    assert!(row.width() <= columns, "{columns}: {:?} {block:?}", row.text());
                    assert!(!row.text().contains(char::is_control), "{:?}", row.text());
                }
            }
        }
        for row in status().rows(columns, &Theme::dark()) {
            assert!(row.width() <= columns, "{columns}: {:?}", row.text());
        }
    }
}

#[test]
fn huge_output_is_cut_before_it_is_drawn() {
    let block = named("x", json!({}), ToolResult::text("line\n".repeat(2_000_000)));
    let rows = block.rows(80, &Theme::dark(), &BlockOptions::default());
    assert!(rows.len() < 10);
    assert!(rows.last().is_some_and(|row| row.text().contains("more lines")), "{rows:?}");
}

#[test]
fn rows_of_a_streamed_answer_are_those_of_the_whole() {
    let theme = Theme::dark();
    let mut stream = AssistantStream::new(&theme);
    let mut rows = Vec::new();
    for piece in MARKDOWN.as_bytes().chunks(11) {
        stream.push(&String::from_utf8_lossy(piece));
        rows.extend(stream.take_finished(60, &theme));
    }
    rows.extend(stream.finish(60, &theme));
    let whole = AssistantBlock::new(stream.text()).rows(60, &theme, &BlockOptions::default());
    assert_eq!(rows, whole);
}

#[test]
fn c6_1_the_box_has_the_background_of_its_state() {
    let theme = Theme::dark();
    let backgrounds: Vec<_> = [ToolState::Running, ToolState::Done, ToolState::Failed]
        .into_iter()
        .map(|state| drawn(state).rows(40, &theme, &BlockOptions::default())[0].spans()[0].style.bg)
        .collect();
    assert_ne!(backgrounds[0], backgrounds[1]);
    assert_ne!(backgrounds[1], backgrounds[2]);
}

#[test]
fn c6_1_a_merged_call_is_hidden_once_there_is_a_result() {
    let Block::Tool(mut block) = drawn(ToolState::Done) else { unreachable!("it is a tool") };
    if let Some(drawing) = &mut block.drawing {
        drawing.merges = true;
        drawing.own_frame = true;
    }
    let text = |block: &ToolBlock| {
        let rows = block.rows(60, &Theme::none(), &BlockOptions::default());
        rows.iter().map(Row::text).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(text(&block), "✔ 3 services\n  api web worker", "no padding and no call");
    block.result = None;
    assert_eq!(text(&block), "Deploy to staging");
}

#[test]
fn c9_1_titles_status_line_and_messages_show_hidden_characters() {
    let theme = Theme::none();
    let hidden = "sa\u{200b}fe\u{ad}\u{e0041}";
    let shown = r"sa\u{200b}fe\u{ad}\u{e0041}";
    let text = |rows: Vec<Row>| rows.iter().map(Row::text).collect::<Vec<_>>().join("\n");
    let options = BlockOptions::default();
    for (name, key) in [("read", "path"), ("write", "path"), ("bash", "command"), ("other", "any")] {
        let block = ToolBlock { arguments: json!({ key: hidden }), ..ToolBlock::new("1", name, name) };
        let drawn = text(block.rows(120, &theme, &options));
        assert!(drawn.contains(shown) && !drawn.contains('\u{200b}'), "{name}: {drawn:?}");
    }
    let status =
        StatusLine { branch: Some(hidden.to_owned()), folder: hidden.to_owned(), ..StatusLine::default() };
    assert_eq!(text(status.rows(120, &theme)).matches(shown).count(), 2);
    let notice = NoticeBlock::new(NoticeKind::Error, format!("⚠\u{fe0f} {hidden}"));
    let drawn = text(notice.rows(120, &theme, &options));
    assert!(drawn.contains(&format!("⚠\u{fe0f} {shown}")), "{drawn:?}");
}
