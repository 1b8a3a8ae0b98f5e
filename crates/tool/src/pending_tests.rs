//! CONTRACT 8.1 and 8.2: the store is a stack, told about to subscribers, absent where there is none.

use std::sync::Mutex;

use super::*;

struct Nothing;

#[async_trait]
impl PendingCallbacks for Nothing {
    async fn apply(&self, _reason: &str, _ctx: ToolContext) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::default())
    }
}

fn action(label: &str) -> PendingAction {
    PendingAction::new(label, Arc::new(Nothing))
}

#[test]
fn c8_2_the_newest_action_comes_first() {
    let stack = PendingStack::new();
    assert!(stack.peek().is_none() && stack.pop().is_none() && !stack.has_pending());
    stack.push(action("first"));
    stack.push(action("second"));
    assert_eq!(stack.count(), 2);
    assert_eq!(stack.peek().unwrap().label, "second");
    assert_eq!(stack.list().iter().map(|a| a.label.as_str()).collect::<Vec<_>>(), ["second", "first"]);
    assert_eq!(stack.count(), 2, "looking takes nothing");
    assert_eq!(stack.pop().unwrap().label, "second");
    assert_eq!(stack.pop().unwrap().label, "first");
    assert!(!stack.has_pending());
}

#[test]
fn c8_1_the_source_defaults_and_a_missing_store_says_so() {
    assert_eq!(action("x").source_tool_name, "custom_tool");
    assert_eq!(action("x").source("rename").source_tool_name, "rename");
    let error = PendingHandle::unavailable().push(action("x")).unwrap_err();
    assert_eq!(error.to_string(), "Pending action store unavailable for custom tools in this runtime.");
}

#[test]
fn subscribers_hear_pushes_and_pops_until_they_leave() {
    let stack = PendingStack::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let subscription = stack.subscribe({
        let (heard, stack) = (Arc::clone(&heard), Arc::downgrade(&stack));
        move |change| {
            // A listener may look at the stack it listens to.
            let seen = stack.upgrade().map(|stack| stack.count());
            let text = match change {
                PendingChange::Pushed(action, left) => format!("+{} {left}", action.label),
                PendingChange::Popped(action, left) => format!("-{} {left}", action.label),
            };
            heard.lock().unwrap().push((text, seen));
        }
    });
    PendingHandle::new(Arc::clone(&stack)).push(action("a")).unwrap();
    stack.pop();
    drop(subscription);
    stack.push(action("b"));
    assert_eq!(*heard.lock().unwrap(), [("+a 1".to_owned(), Some(1)), ("-a 0".to_owned(), Some(0))]);
}

#[test]
fn pushes_from_many_threads_are_all_kept() {
    let stack = PendingStack::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let stack = &stack;
            scope.spawn(move || {
                for n in 0..100 {
                    stack.push(action(&format!("{thread}-{n}")));
                }
            });
        }
    });
    assert_eq!(stack.count(), 800);
}

#[test]
fn an_action_can_be_taken_from_the_middle_by_its_number() {
    let stack = PendingStack::new();
    let actions = ["a", "b", "c"].map(action);
    actions.iter().for_each(|action| stack.push(action.clone()));
    assert_eq!(stack.get(actions[1].id).unwrap().label, "b");
    assert_eq!(stack.take(actions[1].id).unwrap().label, "b");
    assert!(stack.take(actions[1].id).is_none() && stack.get(actions[1].id).is_none());
    assert_eq!(stack.list().iter().map(|a| a.label.as_str()).collect::<Vec<_>>(), ["c", "a"]);
}

#[test]
fn c5_4_an_action_has_the_tier_of_the_call_that_staged_it_unless_it_says_its_own() {
    let stack = PendingStack::new();
    let handle = PendingHandle::new(Arc::clone(&stack)).with_tier(Tier::Exec);
    handle.push(action("x")).unwrap();
    handle.push(action("y").tier(Tier::Write)).unwrap();
    PendingHandle::new(Arc::clone(&stack)).push(action("z")).unwrap();
    let tiers: Vec<_> = stack.list().iter().map(|action| action.tier).collect();
    assert_eq!(tiers, [None, Some(Tier::Write), Some(Tier::Exec)]);
}
