//! How long the values of enums become. The compiler computes them, so that `B = A + A, C = B + B, …` doubles with every member, in
//! memory that no cap of a tool covers.

use std::collections::HashMap;

use oxc::{
    ast::ast::{BinaryExpression, Expression, Program, TSEnumDeclaration, TSEnumMemberName, TemplateLiteral},
    ast_visit::{Visit, walk},
};

/// The most bytes that the values of all enums of a file may have.
const MAX_BYTES: usize = 4 << 20;
/// A number as text, or something that is not computed.
const OTHER: usize = 32;

/// Returns the position of the enum whose values are too long.
pub(super) fn oversized_enum(program: &Program<'_>) -> Option<usize> {
    if !program.source_text.contains("enum") {
        return None;
    }
    let mut values = Values::default();
    values.visit_program(program);
    values.oversized
}

/// Upper bounds for the lengths of values. Members of different enums that have one name share the greatest.
#[derive(Default)]
struct Values<'a> {
    lengths: HashMap<&'a str, usize>,
    total: usize,
    oversized: Option<usize>,
}

impl<'a> Visit<'a> for Values<'a> {
    fn visit_ts_enum_declaration(&mut self, declaration: &TSEnumDeclaration<'a>) {
        for member in &declaration.body.members {
            let length = member.initializer.as_ref().map_or(OTHER, |value| self.length(value));
            self.total = self.total.saturating_add(length);
            if self.total > MAX_BYTES {
                self.oversized.get_or_insert(declaration.span.start as usize);
                return;
            }
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => Some(name.name.as_str()),
                TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => {
                    Some(name.value.as_str())
                }
                TSEnumMemberName::ComputedTemplateString(name) => {
                    name.single_quasi().map(|name| name.as_str())
                }
            };
            if let Some(name) = name {
                let known = self.lengths.entry(name).or_default();
                *known = length.max(*known);
            }
        }
        walk::walk_ts_enum_declaration(self, declaration);
    }
}

impl Values<'_> {
    fn length(&self, value: &Expression<'_>) -> usize {
        let named = |name: &str| self.lengths.get(name).copied().unwrap_or(OTHER);
        match value {
            Expression::StringLiteral(text) => text.value.len(),
            Expression::TemplateLiteral(template) => self.length_of_template(template),
            Expression::BinaryExpression(operation) => self.length_of_sum(operation),
            Expression::ParenthesizedExpression(inner) => self.length(&inner.expression),
            Expression::Identifier(name) => named(&name.name),
            Expression::StaticMemberExpression(member) => named(&member.property.name),
            Expression::ComputedMemberExpression(member) => match &member.expression {
                Expression::StringLiteral(name) => named(&name.value),
                _ => OTHER,
            },
            _ => OTHER,
        }
    }

    fn length_of_template(&self, template: &TemplateLiteral<'_>) -> usize {
        let texts = template.quasis.iter().map(|text| text.value.raw.len());
        let values = template.expressions.iter().map(|value| self.length(value));
        texts.chain(values).fold(0, usize::saturating_add)
    }

    /// Follows the left side in a loop: a sum may have very many terms.
    fn length_of_sum(&self, operation: &BinaryExpression<'_>) -> usize {
        let (mut length, mut operation) = (0_usize, operation);
        loop {
            length = length.saturating_add(self.length(&operation.right));
            match &operation.left {
                Expression::BinaryExpression(left) => operation = left,
                other => return length.saturating_add(self.length(other)),
            }
        }
    }
}

#[cfg(test)]
#[path = "enum_values_tests.rs"]
mod tests;
