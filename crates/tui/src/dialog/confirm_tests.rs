//! Questions whose text is longer than the screen.

use super::*;
use crate::text::Theme;

fn draw(dialog: &mut ConfirmDialog) -> String {
    let (theme, keys) = (Theme::none(), KeyBindings::default());
    let space = Space { columns: 60, rows: 12, theme: &theme, keys: &keys, now: Instant::now() };
    dialog.draw(&space).rows.iter().map(Row::text).collect::<Vec<_>>().join("\n")
}

#[test]
fn c5_8_a_question_about_trust_is_answered_with_yes_after_all_of_it_was_shown() {
    let message: String = (0..40).map(|number| format!("entry {number}\n")).collect();
    let (sender, mut receiver) = oneshot::channel();
    let mut dialog = ConfirmDialog::new("Trust?", &message, sender, None).explicit();
    let keys = KeyBindings::default();
    let mut pages = String::new();
    for page in 0..20 {
        pages.push_str(&draw(&mut dialog));
        if matches!(dialog.key(&Key::char('y'), b"y", &keys), Step::Close) {
            assert!(page >= 4, "{page} pages");
            break;
        }
        assert!(receiver.try_recv().is_err());
    }
    assert_eq!(receiver.try_recv(), Ok(true));
    assert!((0..40).all(|number| pages.contains(&format!("entry {number}\n"))), "{pages}");
    // No is an answer at any time.
    let (sender, mut receiver) = oneshot::channel();
    let mut dialog = ConfirmDialog::new("Trust?", &message, sender, None).explicit();
    draw(&mut dialog);
    dialog.key(&Key::char('n'), b"n", &keys);
    assert_eq!(receiver.try_recv(), Ok(false));
}
