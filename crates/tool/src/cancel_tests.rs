//! Parents reach children, children do not reach parents, reasons travel down.

use super::*;

#[tokio::test]
async fn a_cancelled_parent_wakes_its_children_with_its_reason() {
    let run = CancelToken::new();
    let call = run.child();
    let waiter = tokio::spawn({
        let call = call.clone();
        async move {
            call.cancelled().await;
            call.reason()
        }
    });
    run.cancel("the user pressed Esc");
    assert_eq!(waiter.await.unwrap().as_deref(), Some("the user pressed Esc"));
    assert!(call.is_cancelled() && !call.is_forced());
}

#[test]
fn a_child_is_cancelled_alone() {
    let run = CancelToken::new();
    let (one, two) = (run.child(), run.child());
    one.force("deadline");
    assert!(one.is_cancelled() && one.is_forced());
    assert!(!run.is_cancelled() && !two.is_cancelled());
    assert_eq!(run.reason(), None);
    one.cancel("later");
    assert_eq!(one.reason().as_deref(), Some("deadline"), "the first reason is kept");
}
