//! The transcript: what was said and done, as items. An item is live or final; final ones do not change.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use toolsmith_tool::{NoticeLevel, Tool};

use super::extensions::MessageItem;
use crate::{
    blocks::{
        AssistantBlock, AssistantStream, BashBlock, Block, BlockOptions, NoticeBlock, NoticeKind,
        ThinkingBlock, ToolBlock, ToolState,
    },
    text::{Row, Theme},
    tool_text,
};

/// A tool call with what draws it.
#[derive(Clone)]
pub(super) struct ToolItem {
    pub(super) block: ToolBlock,
    pub(super) tool: Option<Arc<dyn Tool>>,
    pub(super) started: Option<Instant>,
    /// When it ended; its last drawing may take a moment.
    pub(super) ended: Option<Instant>,
    /// The last drawing is there, or is not waited for any longer.
    pub(super) is_drawn: bool,
}

impl ToolItem {
    pub(super) fn new(block: ToolBlock, tool: Option<Arc<dyn Tool>>) -> Self {
        Self { block, tool, started: None, ended: None, is_drawn: false }
    }

    /// Changes the call; its drawing is asked for again.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut ToolBlock)) {
        change(&mut self.block);
        self.block.version += 1;
    }
}

/// A shell command of the person.
#[derive(Clone, Debug)]
pub(super) struct ShellItem {
    pub(super) id: u64,
    pub(super) block: BashBlock,
    pub(super) started: Instant,
    pub(super) is_final: bool,
}

/// One item.
#[derive(Clone)]
pub(super) enum Item {
    /// Text of the model.
    Answer {
        stream: AssistantStream,
        is_final: bool,
    },
    Tool(Box<ToolItem>),
    Shell(ShellItem),
    Thinking(ThinkingBlock),
    /// A message of an extension.
    Message(Box<MessageItem>),
    /// Anything that is complete when it appears.
    Block(Block),
    /// Rows of the program itself, such as the header.
    Plain(Vec<Row>),
}

impl Item {
    pub(super) fn answer(text: &str, is_final: bool, theme: &Theme) -> Self {
        let mut stream = AssistantStream::new(theme);
        stream.push(text);
        Self::Answer { stream, is_final }
    }

    pub(super) fn notice(level: NoticeLevel, text: impl Into<String>) -> Self {
        let kind = match level {
            NoticeLevel::Warning => NoticeKind::Warning,
            NoticeLevel::Error => NoticeKind::Error,
            _ => NoticeKind::Info,
        };
        Self::Block(Block::Notice(NoticeBlock::new(kind, text)))
    }

    /// Returns whether it no longer changes.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Answer { is_final, .. } => *is_final,
            Self::Thinking(block) => !block.is_live,
            Self::Tool(tool) => !tool.block.state.is_live() && tool.is_drawn,
            Self::Shell(shell) => shell.is_final,
            Self::Message(message) => message.is_drawn,
            Self::Block(_) | Self::Plain(_) => true,
        }
    }

    /// Draws what is not in the scrollback yet, without the empty row before it.
    pub(super) fn rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        match self {
            Self::Answer { stream, .. } => stream.tail(columns, theme),
            other => other.all_rows(columns, theme, options),
        }
    }

    /// Draws all of it.
    pub(super) fn all_rows(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Vec<Row> {
        match self {
            Self::Answer { stream, .. } => AssistantBlock::new(stream.text()).rows(columns, theme, options),
            Self::Thinking(block) if block.text.trim().is_empty() => Vec::new(),
            Self::Thinking(block) => block.rows(columns, theme, options),
            Self::Tool(tool) => tool.block.rows(columns, theme, options),
            Self::Shell(shell) => shell.block.rows(columns, theme, options),
            Self::Message(message) => message.block.rows(columns, theme, options),
            Self::Block(block) => block.rows(columns, theme, options),
            Self::Plain(rows) => rows.iter().flat_map(|row| row.wrap(columns)).collect(),
        }
    }

    /// Draws a live item in one row, where there is no room for more.
    pub(super) fn short_row(&self, columns: usize, theme: &Theme, options: &BlockOptions) -> Row {
        match self {
            Self::Tool(tool) => tool.block.short_row(columns, theme, options),
            // Only the beginning is laid out: a tool can send many notices during a call.
            Self::Block(Block::Notice(block)) => {
                let text = tool_text::beginning(tool_text::line(&block.text), columns * 4);
                NoticeBlock::new(block.kind, text)
                    .rows(columns, theme, options)
                    .into_iter()
                    .next()
                    .unwrap_or_default()
            }
            _ => self.rows(columns, theme, options).pop().unwrap_or_default(),
        }
    }

    /// Returns the text for copying.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Answer { stream, .. } => stream.text().to_owned(),
            Self::Thinking(block) => block.text.clone(),
            Self::Tool(tool) => {
                tool.block.result.as_ref().map(toolsmith_tool::ToolResult::joined_text).unwrap_or_default()
            }
            Self::Shell(shell) => shell.block.output.clone(),
            Self::Block(Block::User(block)) => block.text.clone(),
            Self::Block(Block::Summary(block)) => block.text.clone(),
            Self::Block(Block::Notice(block)) => block.text.clone(),
            Self::Message(message) => message.block.text.clone(),
            Self::Block(Block::Custom(block)) => block.text.clone(),
            Self::Block(_) => String::new(),
            Self::Plain(rows) => rows.iter().map(Row::text).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Returns whether it is a prompt.
    pub(super) fn is_prompt(&self) -> bool {
        matches!(self, Self::Block(Block::User(_)))
    }
}

/// All items, and how many were written to the terminal.
#[derive(Default)]
pub(super) struct Transcript {
    pub(super) items: Vec<Item>,
    /// Items that are completely in the terminal's scrollback.
    pub(super) committed: usize,
    /// The first part of the next item is there too.
    pub(super) is_partial: bool,
    /// Something was written, so the next item is separated by an empty row.
    pub(super) has_rows: bool,
    /// Items of the message being received, by the index of their block.
    blocks: Vec<(usize, usize)>,
}

impl Transcript {
    pub(super) fn push(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    /// Nothing more is added to the items of the message.
    pub(super) fn finish_message(&mut self) {
        for (_, at) in std::mem::take(&mut self.blocks) {
            match self.items.get_mut(at) {
                Some(Item::Answer { is_final, .. }) => *is_final = true,
                Some(Item::Thinking(block)) => block.is_live = false,
                _ => {}
            }
        }
    }

    pub(super) fn start_block(&mut self, index: usize, item: Item) {
        let at = self.push(item);
        self.blocks.push((index, at));
    }

    pub(super) fn block(&mut self, index: usize) -> Option<&mut Item> {
        let (_, at) = self.blocks.iter().rev().find(|(known, _)| *known == index)?;
        self.items.get_mut(*at)
    }

    pub(super) fn tool(&mut self, id: &str) -> Option<&mut ToolItem> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Tool(tool) if tool.block.id == id => Some(&mut **tool),
            _ => None,
        })
    }

    pub(super) fn shell(&mut self, id: u64) -> Option<&mut ShellItem> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Shell(shell) if shell.id == id => Some(shell),
            _ => None,
        })
    }

    /// The run ended: calls that did not end never will.
    pub(super) fn finish_run(&mut self) {
        self.finish_message();
        for item in self.items.iter_mut().skip(self.committed) {
            match item {
                Item::Answer { is_final, .. } => *is_final = true,
                Item::Thinking(block) => block.is_live = false,
                Item::Tool(tool) if tool.block.state.is_live() => {
                    tool.change(|block| block.state = ToolState::Skipped);
                    tool.ended = Some(Instant::now());
                }
                _ => {}
            }
        }
    }

    /// Returns whether something is being done that a spinner shows.
    pub(super) fn is_active(&self) -> bool {
        self.items.iter().skip(self.committed).any(|item| !item.is_final())
    }

    /// Returns the text of the last answer.
    pub(super) fn last_answer(&self) -> Option<&str> {
        self.items.iter().rev().find_map(|item| match item {
            Item::Answer { stream, .. } if !stream.text().trim().is_empty() => Some(stream.text()),
            _ => None,
        })
    }
}

/// Time a tool has for the last drawing of a call before the previous one is used.
pub(super) const LAST_DRAWING: Duration = Duration::from_secs(1);
