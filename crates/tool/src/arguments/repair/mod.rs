//! The repair pass: walks schema and value together and fixes common mistakes of models.
//!
//! Every rule is a small function over one part of the schema and one value. A rule runs only where the value is
//! invalid, and its outcome is used only if the whole value becomes valid.

mod json_text;
mod keys;
mod placeholders;
mod scalars;
mod spill;

use serde_json::{Map, Value};

use super::{
    Repair,
    schema::{Part, SchemaTree, count_nodes, fits_types, type_name},
};

pub(super) use json_text::read_broken_json;

/// Maximum number of passes while something still changes.
const MAX_PASSES: usize = 5;
/// Bounds recursion through schema and value.
const MAX_DEPTH: usize = 200;
/// Work allowed beyond ten visits per node, so that nested alternatives cannot explode.
const SPARE_WORK: usize = 200_000;

type Object = Map<String, Value>;

/// Replaces one value; `None` if the rule does not apply.
struct ValueRule {
    name: &'static str,
    apply: fn(&Part<'_>, &Value) -> Option<Value>,
}

/// Rewrites an object's keys; `None` if the rule does not apply.
struct ObjectRule {
    name: &'static str,
    apply: fn(&Part<'_>, &Object) -> Option<Object>,
}

/// In the order they are tried; the first one that applies wins.
const VALUE_RULES: &[ValueRule] = &[
    ValueRule { name: "null_text", apply: scalars::null_text },
    ValueRule { name: "number_text", apply: scalars::number_text },
    ValueRule { name: "json_text", apply: json_text::json_text },
    ValueRule { name: "boolean_word", apply: scalars::boolean_word },
    ValueRule { name: "boolean_number", apply: scalars::boolean_number },
    ValueRule { name: "number_boolean", apply: scalars::number_boolean },
    ValueRule { name: "scalar_to_text", apply: scalars::scalar_to_text },
    ValueRule { name: "container_to_text", apply: json_text::container_to_text },
    ValueRule { name: "lone_item", apply: scalars::lone_item },
    ValueRule { name: "surrounding_space", apply: scalars::surrounding_space },
];

/// All of them are tried in this order: names are corrected before anything is dropped.
const OBJECT_RULES: &[ObjectRule] = &[
    ObjectRule { name: "quoted_keys", apply: keys::quoted_keys },
    ObjectRule { name: "flattened_keys", apply: keys::flattened_keys },
    ObjectRule { name: "lone_text", apply: keys::lone_text },
    ObjectRule { name: "placeholders", apply: placeholders::drop_placeholders },
    ObjectRule { name: "required_defaults", apply: placeholders::required_defaults },
    ObjectRule { name: "unknown_keys", apply: keys::unknown_keys },
];

/// Outcome of the pass: valid, or partially repaired.
pub(super) struct Attempt {
    pub(super) value: Value,
    pub(super) applied: Vec<Repair>,
}

/// Repairs `value` as far as the rules apply.
pub(super) fn repair(tree: &SchemaTree, value: Value) -> Attempt {
    let mut walk =
        Walk { work: SPARE_WORK + 10 * count_nodes(&value), path: Vec::new(), applied: Vec::new() };
    let mut value = walk.settle(tree, value);
    // The last rule changes text that is usually intended, so it runs only if everything else failed.
    if !tree.is_valid(&value)
        && let Some(repaired) = spill::unspill(&value)
    {
        walk.applied.push(Repair { path: String::new(), rule: "spilled_arguments" });
        value = walk.settle(tree, repaired);
    }
    Attempt { value, applied: walk.applied }
}

struct Walk {
    work: usize,
    path: Vec<String>,
    applied: Vec<Repair>,
}

impl Walk {
    fn settle(&mut self, tree: &SchemaTree, mut value: Value) -> Value {
        for _ in 0..MAX_PASSES {
            let before = self.applied.len();
            value = self.mend(&tree.root(), value, 0);
            if self.applied.len() == before || tree.is_valid(&value) {
                break;
            }
        }
        value
    }

    fn note(&mut self, rule: &'static str) {
        self.applied.push(Repair { path: self.path.join("/"), rule });
    }

    /// Charges one visit of `value`; `false` if the budget is exhausted.
    fn spend(&mut self, value: &Value) -> bool {
        let price = count_nodes(value);
        let enough = self.work >= price;
        self.work = self.work.saturating_sub(price);
        enough
    }

    fn mend(&mut self, part: &Part<'_>, mut value: Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || !self.spend(&value) || part.is_valid(&value) {
            return value;
        }
        for branch in part.reference().into_iter().chain(part.branches("allOf")) {
            value = self.mend(&branch, value, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            value = self.mend_alternatives(part, &part.branches(keyword), value, depth);
        }
        value = self.mend_value(part, value);
        match value {
            Value::Object(map) => self.repair_object(part, map, depth),
            Value::Array(items) => self.mend_array(part, items, depth),
            scalar => scalar,
        }
    }

    fn mend_value(&mut self, part: &Part<'_>, value: Value) -> Value {
        if part.is_valid(&value) {
            return value;
        }
        for rule in VALUE_RULES {
            if let Some(repaired) = (rule.apply)(part, &value) {
                self.note(rule.name);
                return repaired;
            }
        }
        value
    }

    fn repair_object(&mut self, part: &Part<'_>, mut map: Object, depth: usize) -> Value {
        for rule in OBJECT_RULES {
            if let Some(repaired) = (rule.apply)(part, &map) {
                self.note(rule.name);
                map = repaired;
            }
        }
        for (key, value) in &mut map {
            let inner = match part.property(key) {
                Some(property) => property,
                None => match part.below(["additionalProperties"]) {
                    Some(additional) => additional,
                    None => continue,
                },
            };
            self.path.push(key.clone());
            *value = self.mend(&inner, value.take(), depth + 1);
            self.path.pop();
        }
        Value::Object(map)
    }

    fn mend_array(&mut self, part: &Part<'_>, mut items: Vec<Value>, depth: usize) -> Value {
        for (index, item) in items.iter_mut().enumerate() {
            let Some(element) = part.element(index) else {
                continue;
            };
            self.path.push(index.to_string());
            *item = self.mend(&element, item.take(), depth + 1);
            self.path.pop();
        }
        Value::Array(items)
    }

    /// Uses the first alternative that can be made valid. Those of the value's own type come first, so that an object
    /// with a mistake inside is repaired rather than converted to text.
    fn mend_alternatives(
        &mut self,
        part: &Part<'_>,
        branches: &[Part<'_>],
        value: Value,
        depth: usize,
    ) -> Value {
        if branches.is_empty() || part.is_valid(&value) {
            return value;
        }
        let same_type = |branch: &&Part<'_>| {
            let types =
                branch.reference().map_or_else(|| branch.expected_types(), |target| target.expected_types());
            types.is_empty() || types.contains(&type_name(&value)) || fits_types(&value, &types)
        };
        let (near, far): (Vec<&Part<'_>>, Vec<&Part<'_>>) = branches.iter().partition(same_type);
        for branch in near.into_iter().chain(far) {
            let before = self.applied.len();
            let candidate = self.mend(branch, value.clone(), depth + 1);
            if part.is_valid(&candidate) {
                return candidate;
            }
            self.applied.truncate(before);
        }
        value
    }
}

/// Returns whether the value's type is the problem: the schema names types and the value has none of them.
fn has_wrong_type(part: &Part<'_>, value: &Value) -> bool {
    let types = part.expected_types();
    !types.is_empty() && !fits_types(value, &types)
}
