//! The descendants of a program, for systems where orphans belong to the first process: a list kept by looking at all processes.
//!
//! The kernel numbers processes so that no number is used twice, and tells the number of the process that forked one even
//! after that has ended. The list therefore keeps the numbers of ended members: what they forked is found whenever it is looked
//! for. Only a process that was forked and ended between two looks is never a member, and an orphan of it is missed if it has
//! changed its group.
//!
//! Nothing here allocates: a supervisor may run in a fork of a program with threads.

use std::ffi::c_int;

/// A living process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) pid: c_int,
    pub(super) group: c_int,
    /// Its number, which no other process ever has.
    pub(super) number: u64,
    /// The number of the process that forked it.
    pub(super) parent: u64,
}

/// The program or one of its descendants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pid: c_int,
    number: u64,
    lives: bool,
}

/// The program and its descendants, in memory that the caller provides.
#[derive(Debug)]
pub(super) struct Lineage<'a> {
    members: &'a mut [Member],
    count: usize,
}

impl<'a> Lineage<'a> {
    pub(super) fn new(members: &'a mut [Member]) -> Self {
        Self { members, count: 0 }
    }

    fn members(&self) -> &[Member] {
        self.members.get(..self.count).unwrap_or_default()
    }

    /// Adds a living process; `false` if there is no space.
    pub(super) fn add(&mut self, process: Seen) -> bool {
        if self.count == self.members.len() {
            self.forget_ended();
        }
        let Some(slot) = self.members.get_mut(self.count) else { return false };
        *slot = Member { pid: process.pid, number: process.number, lives: true };
        self.count += 1;
        true
    }

    /// Makes space. What the forgotten ones forked is no longer found by their number.
    fn forget_ended(&mut self) {
        let mut kept = 0;
        for at in 0..self.count {
            let Some(member) = self.members.get(at).copied().filter(|member| member.lives) else { continue };
            if let Some(slot) = self.members.get_mut(kept) {
                *slot = member;
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Takes in descendants among all living processes and calls `found` for each; whether any member lives.
    pub(super) fn look(&mut self, all: &[Seen], mut found: impl FnMut(c_int)) -> bool {
        for member in self.members.iter_mut().take(self.count) {
            member.lives = all.iter().any(|seen| seen.number == member.number);
        }
        // A descendant may come before its parent in the list.
        let mut complete = false;
        while !complete {
            complete = true;
            for process in all {
                if self.is_new(process) && self.add(*process) {
                    found(process.pid);
                    complete = false;
                }
            }
        }
        self.living().next().is_some()
    }

    fn is_new(&self, process: &Seen) -> bool {
        let mut belongs = false;
        for member in self.members() {
            if member.number == process.number {
                return false;
            }
            // A group keeps the id of its first process from being used again, so a living member's group is its own. The
            // id of an ended one may already be another group's.
            belongs |= member.number == process.parent || (member.lives && member.pid == process.group);
        }
        belongs
    }

    /// The ids of the members that lived at the last look.
    pub(super) fn living(&self) -> impl Iterator<Item = c_int> {
        self.members().iter().filter(|member| member.lives).map(|member| member.pid)
    }
}

#[cfg(test)]
#[path = "lineage_tests.rs"]
mod tests;
