//! Estimates of text and images.

use super::message_tokens;
use crate::message::{ContentBlock, InputMessage, Message};

#[test]
fn four_characters_are_a_token_and_an_image_is_many() {
    assert_eq!(message_tokens(&Message::user("äöüß")), 1);
    assert_eq!(message_tokens(&Message::user("abcde")), 2);
    let image = ContentBlock::Image { data: "A".repeat(1_000_000), mime_type: "image/png".into() };
    assert_eq!(message_tokens(&Message::User(InputMessage::new(vec![image]))), 1200);
}
