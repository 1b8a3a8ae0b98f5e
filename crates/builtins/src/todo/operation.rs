//! Operations on the list.

use serde::Deserialize;

use super::list::{List, Phase, Status, Task};

/// Larger lists would displace the actual work in every request.
const MAX_TASKS: usize = 200;
const MAX_CHARACTERS: usize = 500;
/// Phase of tasks given without one.
const UNNAMED: &str = "Tasks";

/// One operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Operation {
    pub(super) op: Op,
    pub(super) phase: Option<String>,
    pub(super) task: Option<String>,
    pub(super) items: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Op {
    Init,
    Append,
    Start,
    Done,
    Drop,
    Reopen,
    Remove,
    #[default]
    View,
}

impl List {
    /// Applies all operations or none, so that the list always matches what the model assumes.
    pub(super) fn apply(&self, operations: &[Operation]) -> Result<Self, String> {
        let mut list = self.clone();
        let mut begun_anew = false;
        for (index, operation) in operations.iter().enumerate() {
            // Several `init` operations in one call are several phases of one list.
            if operation.op == Op::Init && !std::mem::replace(&mut begun_anew, true) {
                list = Self::default();
            }
            list.step(operation).map_err(|problem| {
                format!("Operation {}: {problem} Nothing was changed.\n\n{}", index + 1, self.show())
            })?;
        }
        list.settle();
        Ok(list)
    }

    fn step(&mut self, operation: &Operation) -> Result<(), String> {
        match operation.op {
            Op::View => Ok(()),
            Op::Init | Op::Append => self.append(operation),
            Op::Start => {
                let started = self.one(operation)?;
                for task in self.tasks_mut().filter(|task| task.status == Status::InProgress) {
                    task.status = Status::Pending;
                }
                self.set(&[started], Status::InProgress);
                Ok(())
            }
            Op::Done => self.close(operation, Status::Completed),
            Op::Drop => self.close(operation, Status::Abandoned),
            Op::Reopen => {
                let all = self.meant(operation)?;
                self.set(&all, Status::Pending);
                Ok(())
            }
            Op::Remove => {
                let all = self.meant(operation)?;
                for phase in &mut self.phases {
                    phase.tasks.retain(|task| !all.contains(&task.id));
                }
                self.phases.retain(|phase| !phase.tasks.is_empty());
                Ok(())
            }
        }
    }

    fn append(&mut self, operation: &Operation) -> Result<(), String> {
        let given: Vec<String> =
            operation.items.iter().chain(&operation.task).map(|text| clean(text)).collect();
        let new: Vec<String> = given.into_iter().filter(|text| !text.is_empty()).collect();
        if new.is_empty() {
            return Err("needs items: the texts of the tasks.".to_owned());
        }
        if let Some(long) = new.iter().find(|text| text.chars().count() > MAX_CHARACTERS) {
            let begin: String = long.chars().take(40).collect();
            return Err(format!("\"{begin}…\" is longer than {MAX_CHARACTERS} characters. Shorten it."));
        }
        if self.tasks().count() + new.len() > MAX_TASKS {
            return Err(format!("a list has at most {MAX_TASKS} tasks. Use fewer and larger ones."));
        }
        let name = operation.phase.as_deref().map(clean).filter(|name| !name.is_empty());
        let found = match &name {
            Some(name) => self.phases.iter().position(|phase| is_named(phase, name)),
            None => self.phases.len().checked_sub(1),
        };
        let at = found.unwrap_or_else(|| {
            let name = name.unwrap_or_else(|| UNNAMED.to_owned());
            self.phases.push(Phase { name, ..Phase::default() });
            self.phases.len() - 1
        });
        let tasks = new.into_iter().map(|content| Task { content, ..Task::default() });
        self.phases[at].tasks.extend(tasks);
        self.number();
        Ok(())
    }

    /// Closes the selected tasks. A closed task stays unchanged unless it is named itself.
    fn close(&mut self, operation: &Operation, status: Status) -> Result<(), String> {
        let mut all = self.meant(operation)?;
        if operation.task.is_none() {
            all.retain(|id| self.tasks().any(|task| task.id == *id && task.status.is_open()));
        }
        self.set(&all, status);
        Ok(())
    }

    fn set(&mut self, ids: &[String], status: Status) {
        for task in self.tasks_mut().filter(|task| ids.contains(&task.id)) {
            task.status = status;
        }
    }

    /// Returns the ids of the tasks an operation selects: one task, several by `items`, or those of a phase.
    fn meant(&self, operation: &Operation) -> Result<Vec<String>, String> {
        if operation.task.is_some() {
            return Ok(vec![self.one(operation)?]);
        }
        if !operation.items.is_empty() {
            return operation.items.iter().map(|text| self.find(text)).collect();
        }
        let Some(name) = &operation.phase else {
            return Err("needs a task or a phase.".to_owned());
        };
        let phase = self.phases.iter().find(|phase| is_named(phase, &clean(name)));
        let phase = phase.ok_or_else(|| {
            let names: Vec<&str> = self.phases.iter().map(|phase| phase.name.as_str()).collect();
            format!("unknown phase \"{name}\"; phases: {}.", or_none(&names))
        })?;
        Ok(phase.tasks.iter().map(|task| task.id.clone()).collect())
    }

    fn one(&self, operation: &Operation) -> Result<String, String> {
        let named = operation.task.as_deref().or(operation.items.first().map(String::as_str));
        self.find(named.ok_or("needs a task: its id or its text.")?)
    }

    /// Finds a task by id, by text, or by an unambiguous prefix of its text.
    fn find(&self, said: &str) -> Result<String, String> {
        let said = clean(said);
        let lower = said.to_lowercase();
        let tests: [&dyn Fn(&Task) -> bool; 3] =
            [&|task| task.id == said, &|task| task.content.to_lowercase() == lower, &|task| {
                !lower.is_empty() && task.content.to_lowercase().starts_with(&lower)
            }];
        for test in tests {
            let found: Vec<&Task> = self.tasks().filter(|task| test(task)).collect();
            match found.as_slice() {
                [] => {}
                [task] => return Ok(task.id.clone()),
                several => {
                    let ids: Vec<&str> = several.iter().map(|task| task.id.as_str()).collect();
                    return Err(format!("\"{said}\" matches {}. Use the id.", ids.join(" or ")));
                }
            }
        }
        Err(format!("unknown task \"{said}\". Use an id or text from the list."))
    }
}

fn is_named(phase: &Phase, name: &str) -> bool {
    phase.id == name || phase.name.to_lowercase() == name.to_lowercase()
}

/// Converts to one line, so that the list stays readable.
fn clean(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
