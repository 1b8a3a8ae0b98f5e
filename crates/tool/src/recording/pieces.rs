//! Secrets that are spread over several answers or questions, such as consecutive reads of one stream.

use std::{collections::HashMap, ops::Range};

use serde_json::Value;

use super::{
    Exchange,
    redact::{MIN_SECRET, REDACTED, each_text},
};

/// A text of a recording: the number of its exchange, and that among the texts of the exchange.
type Place = (usize, usize);

/// Replaces secrets whose parts are in consecutive texts of one stream: the first part is replaced, the others are removed.
pub(super) fn hide_pieces(exchanges: &mut [Exchange], secrets: &[String]) {
    let mut parts: HashMap<Place, Vec<(Range<usize>, &str)>> = HashMap::new();
    for stream in streams(exchanges) {
        let whole: String = stream.iter().map(|(_, text)| text.as_str()).collect();
        for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET) {
            for (start, _) in whole.match_indices(secret.as_str()) {
                let found = start..start + secret.len();
                let mut at = 0;
                let mut put = REDACTED;
                for (place, text) in &stream {
                    let own = at..at + text.len();
                    let range = found.start.max(own.start)..found.end.min(own.end);
                    if !range.is_empty() {
                        parts.entry(*place).or_default().push((range.start - at..range.end - at, put));
                        put = "";
                    }
                    at = own.end;
                }
            }
        }
    }
    for (number, exchange) in exchanges.iter_mut().enumerate() {
        let mut place = 0;
        each_text(exchange, &mut |text| {
            if let Some(ranges) = parts.get_mut(&(number, place)) {
                // From the end, so that places stay right. One secret may contain another.
                ranges.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
                let mut before = text.len();
                for (range, put) in ranges.iter() {
                    if range.end <= before {
                        text.replace_range(range.clone(), put);
                        before = range.start;
                    }
                }
            }
            place += 1;
        });
    }
}

/// Collects the texts of each stream in order: those that one function was given, or answered, for the same first argument.
fn streams(exchanges: &mut [Exchange]) -> Vec<Vec<(Place, String)>> {
    let mut streams: HashMap<(String, String, bool), Vec<(Place, String)>> = HashMap::new();
    for (number, exchange) in exchanges.iter_mut().enumerate() {
        let id = exchange.args.first().map(Value::to_string).unwrap_or_default();
        let mut given = 0;
        exchange.args.iter_mut().for_each(|value| super::redact::walk(value, &mut |_| given += 1));
        let ask = exchange.ask.clone();
        let mut place = 0;
        each_text(exchange, &mut |text| {
            let stream = streams.entry((ask.clone(), id.clone(), place < given)).or_default();
            stream.push(((number, place), text.clone()));
            place += 1;
        });
    }
    streams.into_values().filter(|stream| stream.len() > 1).collect()
}
