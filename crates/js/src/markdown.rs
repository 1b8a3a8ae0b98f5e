//! Parses Markdown into JSON, for the component that draws it with a tool's theme.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

/// Returns the blocks of a text as a JSON array. Inline content consists of `{text, bold, italic, strike, code, link}`
/// runs.
pub(crate) fn to_json(text: &str) -> String {
    let mut builder =
        Builder { stack: vec![Node::new(json!({ "type": "root" }))], style: Style::default(), flattened: 0 };
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(text, options) {
        builder.event(event);
    }
    while builder.stack.len() > 1 {
        builder.close();
    }
    let children = builder.stack.pop().map(|root| root.children).unwrap_or_default();
    Value::Array(children).to_string()
}

struct Node {
    value: Value,
    children: Vec<Value>,
}

impl Node {
    fn new(value: Value) -> Self {
        Self { value, children: Vec::new() }
    }
}

#[derive(Clone, Default)]
struct Style {
    bold: usize,
    italic: usize,
    strike: usize,
    link: Option<String>,
}

/// Deeper nesting is flattened, because every level costs stack.
const MAX_DEPTH: usize = 32;

struct Builder {
    stack: Vec<Node>,
    style: Style,
    /// Blocks opened beyond the maximum depth that are still open.
    flattened: usize,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.run(&text, false),
            Event::Code(text) => self.run(&text, true),
            Event::SoftBreak => self.run(" ", false),
            Event::HardBreak => self.run("\n", false),
            Event::Rule => self.push(json!({ "type": "rule" })),
            Event::TaskListMarker(done) => self.run(if done { "[x] " } else { "[ ] " }, false),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let node = match tag {
            Tag::Strong => return self.style.bold += 1,
            Tag::Emphasis => return self.style.italic += 1,
            Tag::Strikethrough => return self.style.strike += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.style.link = Some(dest_url.into_string());
                return;
            }
            Tag::Heading { level, .. } => json!({ "type": "heading", "level": heading_level(level) }),
            Tag::BlockQuote(_) => json!({ "type": "quote" }),
            Tag::CodeBlock(kind) => {
                let language = if let CodeBlockKind::Fenced(language) = kind {
                    language.into_string()
                } else {
                    String::new()
                };
                json!({ "type": "code", "language": language })
            }
            Tag::List(start) => json!({ "type": "list", "start": start }),
            Tag::Item => json!({ "type": "item" }),
            Tag::Table(_) => json!({ "type": "table" }),
            Tag::TableHead | Tag::TableRow => json!({ "type": "row" }),
            Tag::TableCell => json!({ "type": "cell" }),
            _ => json!({ "type": "paragraph" }),
        };
        if self.stack.len() < MAX_DEPTH {
            self.stack.push(Node::new(node));
        } else {
            self.flattened += 1;
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.style.bold = self.style.bold.saturating_sub(1),
            TagEnd::Emphasis => self.style.italic = self.style.italic.saturating_sub(1),
            TagEnd::Strikethrough => self.style.strike = self.style.strike.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.style.link = None,
            _ if self.flattened > 0 => self.flattened -= 1,
            _ => self.close(),
        }
    }

    fn close(&mut self) {
        if self.stack.len() < 2 {
            return;
        }
        if let Some(Node { mut value, children }) = self.stack.pop() {
            value["children"] = Value::Array(children);
            self.push(value);
        }
    }

    fn push(&mut self, value: Value) {
        if let Some(parent) = self.stack.last_mut() {
            parent.children.push(value);
        }
    }

    fn run(&mut self, text: &str, code: bool) {
        let mut run = json!({ "type": "text", "text": text });
        let flags = [
            ("bold", self.style.bold > 0),
            ("italic", self.style.italic > 0),
            ("strike", self.style.strike > 0),
            ("code", code),
        ];
        for (name, _) in flags.into_iter().filter(|(_, on)| *on) {
            run[name] = true.into();
        }
        if let Some(link) = &self.style.link {
            run["link"] = link.as_str().into();
        }
        self.push(run);
    }
}

fn heading_level(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
