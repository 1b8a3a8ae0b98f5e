//! The transcript: what was said and done, as items. An item is live or final; final ones do not change.

use std::time::{Duration, Instant};

use serde_json::Value;
use toolsmith_tool::{NoticeLevel, ToolResult};

use crate::text::{MarkdownOptions, MarkdownStream};

/// State of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ToolState {
    /// The model is writing the arguments.
    Writing,
    /// Approved or waiting for approval; not started.
    Waiting,
    /// Running since.
    Running(Instant),
    /// Ended after.
    Ended { is_error: bool, duration: Option<Duration> },
    /// It never ran.
    Skipped,
}

/// A tool call.
#[derive(Clone, Debug)]
pub(super) struct ToolItem {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) arguments: Value,
    pub(super) state: ToolState,
    pub(super) result: Option<ToolResult>,
}

/// A shell command of the person.
#[derive(Clone, Debug)]
pub(super) struct ShellItem {
    pub(super) id: u64,
    pub(super) command: String,
    pub(super) output: String,
    /// Exit code, or why it did not run; `None` while it runs.
    pub(super) end: Option<Result<(i32, bool), String>>,
    /// The model does not see it.
    pub(super) is_private: bool,
    pub(super) started: Instant,
}

/// One item.
#[derive(Clone, Debug)]
pub(super) enum Item {
    User {
        text: String,
    },
    Assistant {
        stream: MarkdownStream,
        text: String,
        is_final: bool,
    },
    Thinking {
        text: String,
        is_final: bool,
    },
    Tool(ToolItem),
    Shell(ShellItem),
    Notice {
        level: NoticeLevel,
        text: String,
    },
    Summary {
        title: String,
        text: String,
    },
    Custom {
        title: String,
        text: String,
    },
    /// Rows of the program itself, such as the header.
    Plain(Vec<crate::text::Row>),
}

impl Item {
    pub(super) fn assistant(text: &str, is_final: bool) -> Self {
        let mut stream = MarkdownStream::new(MarkdownOptions::default());
        stream.push(text);
        Self::Assistant { stream, text: text.to_owned(), is_final }
    }

    pub(super) fn notice(level: NoticeLevel, text: impl Into<String>) -> Self {
        Self::Notice { level, text: text.into() }
    }

    /// Returns whether it no longer changes.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Assistant { is_final, .. } | Self::Thinking { is_final, .. } => *is_final,
            Self::Tool(tool) => matches!(tool.state, ToolState::Ended { .. } | ToolState::Skipped),
            Self::Shell(shell) => shell.end.is_some(),
            _ => true,
        }
    }
}

/// All items, and how many were written to the terminal.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) items: Vec<Item>,
    /// Items that are completely in the terminal's scrollback.
    pub(super) committed: usize,
    /// The first part of the next item is there too.
    pub(super) is_partial: bool,
    /// Items of the message being received, by the index of their block.
    blocks: Vec<(usize, usize)>,
}

impl Transcript {
    pub(super) fn push(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    /// A new message of the model starts.
    pub(super) fn start_message(&mut self) {
        self.finish_message();
    }

    /// Nothing more is added to the items of the message.
    pub(super) fn finish_message(&mut self) {
        for (_, at) in std::mem::take(&mut self.blocks) {
            match self.items.get_mut(at) {
                Some(Item::Assistant { is_final, .. } | Item::Thinking { is_final, .. }) => *is_final = true,
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
            Item::Tool(tool) if tool.id == id => Some(tool),
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
                Item::Assistant { is_final, .. } | Item::Thinking { is_final, .. } => *is_final = true,
                Item::Tool(tool) if !matches!(tool.state, ToolState::Ended { .. }) => {
                    tool.state = ToolState::Skipped
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
            Item::Assistant { text, .. } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        })
    }
}
