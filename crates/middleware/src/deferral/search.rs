//! Ranking of tools by a query (BM25). Names count more than descriptions.

use std::collections::HashMap;

/// Term saturation and length normalisation, at their usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A word of the name counts this often.
const NAME_WEIGHT: usize = 3;

/// A document: a tool's name and everything else that describes it.
pub(super) struct Document<'a> {
    pub(super) name: &'a str,
    pub(super) text: String,
}

/// Returns the indices of the best matches, best first, at most `limit`.
pub(super) fn rank(documents: &[Document<'_>], query: &str, limit: usize) -> Vec<usize> {
    let terms: Vec<String> = words(query).collect();
    let counted: Vec<(HashMap<String, usize>, usize)> = documents
        .iter()
        .map(|document| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            let mut length = 0;
            for word in words(document.name) {
                *counts.entry(word).or_default() += NAME_WEIGHT;
                length += 1;
            }
            for word in words(&document.text) {
                *counts.entry(word).or_default() += 1;
                length += 1;
            }
            (counts, length)
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let as_f64 = |count: usize| count as f64;
    let total = as_f64(documents.len().max(1));
    let average = as_f64(counted.iter().map(|(_, length)| length).sum::<usize>()).max(1.0) / total;
    let mut scored: Vec<(f64, usize)> = counted
        .iter()
        .enumerate()
        .map(|(at, (counts, length))| {
            let score = terms.iter().map(|term| {
                let frequency = as_f64(matches(counts, term));
                let containing =
                    as_f64(counted.iter().filter(|(counts, _)| matches(counts, term) > 0).count());
                let rarity = ((total - containing + 0.5) / (containing + 0.5)).ln_1p();
                rarity * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * as_f64(*length) / average))
            });
            (score.sum(), at)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    scored.into_iter().take(limit).map(|(_, at)| at).collect()
}

/// Counts the occurrences of a term; a longer word that begins with it counts too.
fn matches(counts: &HashMap<String, usize>, term: &str) -> usize {
    match counts.get(term) {
        Some(count) => *count,
        None if term.len() >= 4 => usize::from(
            counts
                .keys()
                .any(|word| word.starts_with(term) || (word.len() >= 4 && term.starts_with(word.as_str()))),
        ),
        None => 0,
    }
}

/// Splits a text into lower-case words, also at capital letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars().take(20_000) {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.push(word);
    words.into_iter().filter(|word| word.len() > 1)
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
