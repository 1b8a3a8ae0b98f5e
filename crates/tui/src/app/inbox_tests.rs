//! What waits for the interface (CONTRACT 9.2).

use toolsmith_tool::NoticeLevel;

use super::*;
use crate::text::Row;

fn status(key: &str, text: &str) -> Event {
    Event::Status(key.to_owned(), Some(Row::plain(text)))
}

fn all(inbox: &mut Inbox) -> Vec<String> {
    let name = |event| match event {
        Event::Status(key, row) => format!("{key}={}", row.unwrap_or_default().text()),
        Event::Title(title) => title,
        Event::EditorText(text) => format!("set {text}"),
        Event::EditorPaste(text) => format!("paste {text}"),
        _ => "other".to_owned(),
    };
    std::iter::from_fn(|| inbox.try_next()).map(name).collect()
}

#[test]
fn c9_2_only_the_newest_value_of_a_key_waits() {
    let mut inbox = Inbox::new();
    let sender = inbox.sender();
    for number in 0..10_000 {
        sender.send(status("a", &number.to_string()));
        sender.send(status("b", &number.to_string()));
    }
    assert_eq!(all(&mut inbox), ["a=9999", "b=9999"]);
    sender.send(status("a", "again"));
    assert_eq!(all(&mut inbox), ["a=again"]);
}

#[test]
fn a_newer_value_takes_its_place_in_the_order_of_the_others() {
    let mut inbox = Inbox::new();
    let sender = inbox.sender();
    sender.send(Event::EditorText("first".to_owned()));
    sender.send(Event::EditorPaste("pasted".to_owned()));
    sender.send(Event::EditorText("last".to_owned()));
    assert_eq!(all(&mut inbox), ["paste pasted", "set last"]);
}

#[test]
fn c9_2_requests_that_nothing_waits_for_are_dropped_when_too_many_wait() {
    let mut inbox = Inbox::new();
    let sender = inbox.sender();
    for _ in 0..2 * MAX_WAITING {
        sender.send(Event::Notice(NoticeLevel::Info, String::new()));
    }
    sender.send(Event::Idle);
    assert_eq!(all(&mut inbox).len(), MAX_WAITING + 1);
}

#[test]
fn nothing_waits_once_the_interface_has_ended() {
    let inbox = Inbox::new();
    let sender = inbox.sender();
    sender.send(Event::Idle);
    drop(inbox);
    sender.send(Event::Idle);
    assert!(sender.0.lock().events.is_empty());
}

#[tokio::test]
async fn an_event_that_is_sent_later_is_received() {
    let mut inbox = Inbox::new();
    let sender = inbox.sender();
    let sending = tokio::spawn(async move { sender.send(Event::Title("later".to_owned())) });
    assert!(matches!(inbox.next().await, Event::Title(title) if title == "later"));
    sending.await.unwrap();
}
