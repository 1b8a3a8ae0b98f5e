//! Markdown as a tree of blocks.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Deeper nesting is flattened, because every level costs stack.
const MAX_DEPTH: usize = 32;

/// A run of text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) code: bool,
    pub(super) link: Option<String>,
}

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Text(Vec<Run>),
    Heading(u8, Vec<Run>),
    Code { language: String, text: String },
    Quote(Vec<Block>),
    List { start: Option<u64>, items: Vec<Vec<Block>> },
    Table { alignments: Vec<Alignment>, rows: Vec<Vec<Vec<Run>>> },
    Rule,
}

pub(super) fn options() -> Options {
    Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS
}

/// Parses a text.
pub(super) fn parse(text: &str) -> Vec<Block> {
    let mut builder = Builder::default();
    builder.stack.push(Open::new(Kind::Root));
    for event in Parser::new_ext(text, options()) {
        builder.event(event);
    }
    while builder.stack.len() > 1 {
        builder.close();
    }
    builder.stack.pop().map(Open::into_blocks).unwrap_or_default()
}

/// A block that is not complete yet.
struct Open {
    kind: Kind,
    /// Text directly in the block.
    runs: Vec<Run>,
    blocks: Vec<Block>,
    items: Vec<Vec<Block>>,
    rows: Vec<Vec<Vec<Run>>>,
    row: Vec<Vec<Run>>,
}

enum Kind {
    Root,
    Paragraph,
    Heading(u8),
    Code(String),
    Quote,
    List(Option<u64>),
    Item,
    Table(Vec<Alignment>),
    Row,
    Cell,
}

impl Open {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            runs: Vec::new(),
            blocks: Vec::new(),
            items: Vec::new(),
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Ends text that stands directly in the block, as in tight lists.
    fn end_text(&mut self) {
        if !self.runs.is_empty() {
            let runs = std::mem::take(&mut self.runs);
            self.blocks.push(Block::Text(runs));
        }
    }

    fn into_blocks(mut self) -> Vec<Block> {
        self.end_text();
        self.blocks
    }
}

#[derive(Default)]
struct Style {
    bold: usize,
    italic: usize,
    strike: usize,
    link: Option<String>,
}

#[derive(Default)]
struct Builder {
    stack: Vec<Open>,
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
            Event::Rule => self.push(Block::Rule),
            Event::TaskListMarker(done) => self.run(if done { "[x] " } else { "[ ] " }, false),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let kind = match tag {
            Tag::Strong => return self.style.bold += 1,
            Tag::Emphasis => return self.style.italic += 1,
            Tag::Strikethrough => return self.style.strike += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.style.link = Some(dest_url.into_string());
                return;
            }
            Tag::Heading { level, .. } => Kind::Heading(heading_level(level)),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(language)) => Kind::Code(language.into_string()),
            Tag::CodeBlock(CodeBlockKind::Indented) => Kind::Code(String::new()),
            Tag::List(start) => Kind::List(start),
            Tag::Item => Kind::Item,
            Tag::Table(alignments) => Kind::Table(alignments),
            Tag::TableHead | Tag::TableRow => Kind::Row,
            Tag::TableCell => Kind::Cell,
            _ => Kind::Paragraph,
        };
        if self.stack.len() < MAX_DEPTH {
            self.stack.push(Open::new(kind));
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
        let Some(mut open) = self.stack.pop() else {
            return;
        };
        match std::mem::replace(&mut open.kind, Kind::Root) {
            Kind::Root => {}
            Kind::Paragraph => self.push(Block::Text(open.runs)),
            Kind::Heading(level) => self.push(Block::Heading(level, open.runs)),
            Kind::Code(language) => {
                let text: String = open.runs.into_iter().map(|run| run.text).collect();
                self.push(Block::Code { language, text: text.trim_end_matches('\n').to_owned() });
            }
            Kind::Quote => self.push(Block::Quote(open.into_blocks())),
            Kind::List(start) => self.push(Block::List { start, items: open.items }),
            Kind::Table(alignments) => self.push(Block::Table { alignments, rows: open.rows }),
            Kind::Item => {
                let blocks = open.into_blocks();
                self.parent(|parent| parent.items.push(blocks));
            }
            Kind::Row => self.parent(|parent| parent.rows.push(open.row)),
            Kind::Cell => self.parent(|parent| parent.row.push(open.runs)),
        }
    }

    fn parent(&mut self, add: impl FnOnce(&mut Open)) {
        if let Some(parent) = self.stack.last_mut() {
            add(parent);
        }
    }

    fn push(&mut self, block: Block) {
        self.parent(|parent| {
            parent.end_text();
            parent.blocks.push(block);
        });
    }

    fn run(&mut self, text: &str, code: bool) {
        let run = Run {
            text: text.to_owned(),
            bold: self.style.bold > 0,
            italic: self.style.italic > 0,
            strike: self.style.strike > 0,
            code,
            link: self.style.link.clone(),
        };
        self.parent(|parent| parent.runs.push(run));
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
