//! The list: phases of tasks, of which exactly one is being worked on while any is open.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Abandoned,
}

impl Status {
    /// Whether something is left to do.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress)
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[>]",
            Self::Completed => "[x]",
            Self::Abandoned => "[-]",
        }
    }
}

/// Something to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// Unique in the list: `task-1`.
    #[serde(default)]
    pub id: String,
    /// What to do.
    pub content: String,
    /// How far it is.
    #[serde(default)]
    pub status: Status,
}

/// Tasks that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Phase {
    /// Unique in the list: `phase-1`.
    #[serde(default)]
    pub id: String,
    /// What people call it.
    pub name: String,
    /// In the order they are to be done.
    #[serde(default)]
    pub tasks: Vec<Task>,
}

/// All phases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) phases: Vec<Phase>,
}

impl List {
    pub(super) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.phases.iter().flat_map(|phase| &phase.tasks)
    }

    pub(super) fn tasks_mut(&mut self) -> impl Iterator<Item = &mut Task> {
        self.phases.iter_mut().flat_map(|phase| &mut phase.tasks)
    }

    /// How many are left.
    pub(super) fn open(&self) -> usize {
        self.tasks().filter(|task| task.status.is_open()).count()
    }

    /// Sees to it that exactly one task is being worked on while any is open: the first that is, else the first that can be.
    pub(super) fn settle(&mut self) {
        let is_working = |task: &Task| task.status == Status::InProgress;
        if self.tasks().any(is_working) {
            let others = self.tasks_mut().filter(|task| is_working(task)).skip(1);
            others.for_each(|task| task.status = Status::Pending);
        } else if let Some(first) = self.tasks_mut().find(|task| task.status == Status::Pending) {
            first.status = Status::InProgress;
        }
    }

    /// Gives ids to what has none, and other ones to what has somebody else's: results of relatives and old sessions are
    /// taken as they are.
    pub(super) fn number(&mut self) {
        let mut seen = std::collections::HashSet::new();
        for phase in &mut self.phases {
            if phase.id.is_empty() || !seen.insert(phase.id.clone()) {
                phase.id = free_id("phase", &mut seen);
            }
        }
        for task in self.tasks_mut() {
            if task.id.is_empty() || !seen.insert(task.id.clone()) {
                task.id = free_id("task", &mut seen);
            }
        }
    }

    /// What the model reads.
    pub(super) fn show(&self) -> String {
        let count = self.tasks().count();
        if count == 0 {
            return "The todo list is empty.".to_owned();
        }
        let mut text = match self.open() {
            0 => format!("All {count} tasks are closed."),
            open => format!("{open} of {count} tasks are open."),
        };
        for phase in &self.phases {
            let _ = write!(text, "\n{}:", phase.name);
            for task in &phase.tasks {
                let _ = write!(text, "\n  {} {} {}", task.status.mark(), task.id, task.content);
            }
            if phase.tasks.is_empty() {
                text.push_str(" nothing");
            }
        }
        text
    }
}

fn free_id(kind: &str, seen: &mut std::collections::HashSet<String>) -> String {
    let mut number = seen.iter().filter(|id| id.starts_with(kind)).count() + 1;
    loop {
        let id = format!("{kind}-{number}");
        if seen.insert(id.clone()) {
            return id;
        }
        number += 1;
    }
}
