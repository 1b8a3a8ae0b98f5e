//! `Intl.Segmenter`, by ICU4X. Words of scripts that are written without spaces need dictionaries, which are not embedded.

use icu_segmenter::{
    GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter,
    options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions},
};
use serde_json::{Value, json};

use crate::{
    error::{IntlError, Result},
    locale::Locale,
    options::Options,
};

/// `Intl.Segmenter`.
#[derive(Debug)]
pub struct Segmenter {
    locale: Locale,
    granularity: &'static str,
}

impl Segmenter {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let granularity =
            options.one_of("granularity", &["grapheme", "word", "sentence"])?.unwrap_or("grapheme");
        Ok(Self { locale, granularity })
    }

    /// Returns the ends of segments in UTF-16 units; for words, with whether each is like a word.
    pub fn segment(&self, text: &str) -> Result<Vec<(usize, bool)>> {
        Ok(self.segments(text)?.collect())
    }

    /// Returns the same one after another, in memory that does not depend on the text.
    pub fn segments<'t>(&self, text: &'t str) -> Result<Box<dyn Iterator<Item = (usize, bool)> + 't>> {
        let ends: Box<dyn Iterator<Item = (usize, bool)> + 't> = match self.granularity {
            "word" => {
                if text.chars().any(needs_dictionary) {
                    return Err(IntlError::Unsupported(
                        "segmenting Chinese, Japanese, Thai, Lao, Khmer or Burmese text into words"
                            .to_owned(),
                    ));
                }
                let words = WordSegmenter::new_for_non_complex_scripts(WordBreakInvariantOptions::default());
                Box::new(
                    words
                        .segment_str(text)
                        .iter_with_word_type()
                        .map(|(end, kind)| (end, kind.is_word_like())),
                )
            }
            "sentence" => {
                let sentences = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
                Box::new(sentences.segment_str(text).map(|end| (end, false)))
            }
            _ => Box::new(GraphemeClusterSegmenter::new().segment_str(text).map(|end| (end, false))),
        };
        let mut units = 0;
        let mut start = 0;
        let in_units = ends.filter(|(end, _)| *end > 0).map(move |(end, word)| {
            units += text.get(start..end).unwrap_or_default().encode_utf16().count();
            start = end;
            (units, word)
        });
        Ok(Box::new(in_units))
    }

    pub(crate) fn resolved(&self) -> Value {
        json!({ "locale": self.locale.name, "granularity": self.granularity })
    }
}

fn needs_dictionary(character: char) -> bool {
    matches!(character, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}
