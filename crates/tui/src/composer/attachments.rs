//! Pasted text and images. In the text each is one private character, so that it moves and is deleted as a whole; the
//! composer shows a label in its place, and the content is put back when the prompt is sent.

/// The private characters: plane 15.
const FIRST: u32 = 0xf_0000;
const LAST: u32 = 0xf_fffd;

/// Pasted text with more lines or characters becomes a token.
const MAX_LINES: usize = 10;
const MAX_CHARS: usize = 1000;

/// An image in base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The data.
    pub data: String,
    /// Media type.
    pub mime_type: String,
    /// Name shown in the token.
    pub name: String,
}

/// The content of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// Pasted text.
    Text(String),
    /// An image.
    Image(Image),
}

impl Attachment {
    fn label(&self, number: usize) -> String {
        match self {
            Self::Text(text) => match text.lines().count() {
                0 | 1 => format!("[paste #{number} {} chars]", text.chars().count()),
                lines => format!("[paste #{number} +{lines} lines]"),
            },
            Self::Image(image) => format!("[image #{number} {}]", image.name),
        }
    }
}

/// Returns whether a character stands for an attachment.
pub(super) fn is_token(c: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(c))
}

/// The attachments of a composer with their labels, by the order they were added. A label counts the lines of the text, so it
/// is made once and not per frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Attachments(Vec<(Attachment, String)>);

impl Attachments {
    /// Returns whether pasted text becomes a token.
    pub(super) fn is_long(text: &str) -> bool {
        text.lines().count() > MAX_LINES || text.chars().nth(MAX_CHARS).is_some()
    }

    /// Adds an attachment and returns its character; `None` if there are too many.
    pub(super) fn add(&mut self, attachment: Attachment) -> Option<char> {
        let code = u32::try_from(self.0.len()).ok()?.checked_add(FIRST)?;
        let c = char::from_u32(code).filter(|c| is_token(*c))?;
        let label = attachment.label(self.0.len() + 1);
        self.0.push((attachment, label));
        Some(c)
    }

    fn get(&self, c: char) -> Option<&(Attachment, String)> {
        self.0.get(usize::try_from(u32::from(c).checked_sub(FIRST)?).ok()?)
    }

    /// Returns the label of a token.
    pub(super) fn label(&self, c: char) -> Option<&str> {
        self.get(c).map(|(_, label)| label.as_str())
    }

    /// Returns the bytes of all texts.
    pub(super) fn size(&self) -> usize {
        let sizes = self.0.iter().map(|(attachment, _)| match attachment {
            Attachment::Text(text) => text.len(),
            Attachment::Image(_) => 0,
        });
        sizes.sum()
    }

    /// Returns whether a text starts with a character once pasted text is put back.
    pub(super) fn starts_with(&self, text: &str, wanted: char) -> bool {
        match text.chars().next().map(|first| (first, self.get(first))) {
            Some((_, Some((Attachment::Text(text), _)))) => text.starts_with(wanted),
            Some((first, _)) => first == wanted,
            None => false,
        }
    }

    /// Puts pasted text back, and leaves images out.
    pub(super) fn expand(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.get(c) {
                Some((Attachment::Text(text), _)) => out.push_str(text),
                Some((Attachment::Image(_), label)) => out.push_str(label),
                None if is_token(c) => {}
                None => out.push(c),
            }
        }
        out
    }

    /// Returns the images of a text, in order.
    pub(super) fn images(&self, text: &str) -> Vec<Image> {
        let found = text.chars().filter_map(|c| self.get(c));
        found
            .filter_map(|(attachment, _)| match attachment {
                Attachment::Image(image) => Some(image.clone()),
                Attachment::Text(_) => None,
            })
            .collect()
    }
}

/// Removes private characters from text that comes from outside.
pub(super) fn without_tokens(text: &str) -> String {
    // Their first byte; most texts have none, and a long one is then only copied.
    if !text.as_bytes().contains(&0xf3) {
        return text.to_owned();
    }
    text.chars().filter(|c| !is_token(*c)).collect()
}
