//! Schema defaults for properties that a valid value omits.

use serde_json::Value;

use super::schema::{Part, SchemaTree};

/// Maximum depth of references and combinations at one place, so that a recursive schema terminates.
const MAX_STEPS: usize = 32;

/// Fills in missing properties. Existing values are never changed. If a default would make the value invalid (such as
/// `"default": null` on a string), all defaults are omitted.
pub(super) fn fill(tree: &SchemaTree, value: &mut Value) {
    if !tree.has_defaults() {
        return;
    }
    let mut filled = value.clone();
    if fill_part(&tree.root(), &mut filled, MAX_STEPS) && tree.is_valid(&filled) {
        *value = filled;
    }
}

/// Returns whether anything was added.
fn fill_part(part: &Part<'_>, value: &mut Value, steps: usize) -> bool {
    if steps == 0 {
        return false;
    }
    let mut changed = false;
    for branch in part.reference().into_iter().chain(part.branches("allOf")) {
        changed |= fill_part(&branch, value, steps - 1);
    }
    for keyword in ["anyOf", "oneOf"] {
        // Only the defaults of the matching branch apply.
        if let Some(branch) = part.branches(keyword).into_iter().find(|branch| branch.is_valid(value)) {
            changed |= fill_part(&branch, value, steps - 1);
        }
    }
    match value {
        Value::Object(map) => {
            for name in part.property_names() {
                let Some(property) = part.property(name) else {
                    continue;
                };
                if !map.contains_key(name)
                    && let Some(default) = property.keyword("default")
                {
                    map.insert(name.to_owned(), default.clone());
                    changed = true;
                }
                if let Some(inner) = map.get_mut(name) {
                    changed |= fill_part(&property, inner, MAX_STEPS);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(element) = part.element(index) {
                    changed |= fill_part(&element, item, MAX_STEPS);
                }
            }
        }
        _ => {}
    }
    changed
}
