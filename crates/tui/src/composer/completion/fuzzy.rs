//! Fuzzy matching for menus: the characters of the query in order, best matches first.

/// Returns how well a text matches; `None` if it does not. Higher is better. Upper case matters only if the query has any.
pub fn score(query: &str, text: &str) -> Option<i64> {
    if query.is_empty() {
        return Some(0);
    }
    let is_exact_case = query.chars().any(char::is_uppercase);
    let fold = |c: char| match c {
        c if is_exact_case => c,
        c if c.is_ascii() => c.to_ascii_lowercase(),
        c => c.to_lowercase().next().unwrap_or(c),
    };
    let (mut total, mut run, mut length) = (0_i64, 0_i64, 0_i64);
    let mut wanted = query.chars().filter(|c| !c.is_whitespace()).map(fold).peekable();
    let mut previous = None;
    for c in text.chars() {
        length += 1;
        if wanted.peek() == Some(&fold(c)) {
            wanted.next();
            run += 1;
            let starts_word = previous.is_none_or(|before: char| {
                !before.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase())
            });
            total += 4 + run * 3 + if starts_word { 8 } else { 0 } + if previous.is_none() { 6 } else { 0 };
        } else {
            run = 0;
        }
        previous = Some(c);
    }
    if wanted.peek().is_some() {
        return None;
    }
    // The last component of a path is what people remember.
    let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or(text);
    let (name, query) = (name.to_lowercase(), query.to_lowercase());
    if name.starts_with(&query) {
        total += 30;
    } else if name.contains(&query) {
        total += 15;
    }
    Some(total * 16 - length)
}

/// Returns the best matches, best first; equal ones keep their order.
pub fn filter<'a, T>(query: &str, items: &'a [T], text: impl Fn(&T) -> &str, limit: usize) -> Vec<&'a T> {
    let mut found: Vec<(i64, &T)> =
        items.iter().filter_map(|item| Some((score(query, text(item))?, item))).collect();
    if !query.is_empty() {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    found.truncate(limit);
    found.into_iter().map(|(_, item)| item).collect()
}
