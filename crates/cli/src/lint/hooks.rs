//! Rules about the parameters of a tool's functions.

use super::{finding::Remark, subject::Subject};

pub(super) fn hook_arity(subject: &Subject<'_>) -> Vec<Remark> {
    let arity = subject.tool.arity;
    let mut remarks = Vec::new();
    let most = [
        ("execute", arity.execute, 5, "(toolCallId, params, onUpdate, ctx, signal)"),
        ("renderCall", arity.render_call, 3, "(args, options, theme)"),
        ("renderResult", arity.render_result, 4, "(result, options, theme, args)"),
        ("onSession", arity.on_session, 2, "(event, ctx)"),
    ];
    for (name, count, most, given) in most {
        if let Some(count) = count.filter(|count| *count > most) {
            remarks.push(Remark::new(
                format!("{name} declares {count} parameters but receives {most}"),
                format!("It is called as {name}{given}."),
            ));
        }
    }
    let has_parameters = !subject.parameters().is_empty();
    if arity.execute == Some(1) && has_parameters {
        remarks.push(Remark::new(
            "execute declares one parameter, but the first argument is the call id",
            "The arguments come second: execute(toolCallId, params).",
        ));
    }
    remarks
}

pub(super) fn render_call_order(subject: &Subject<'_>) -> Vec<Remark> {
    if subject.tool.arity.render_call == Some(2) {
        return vec![Remark::new(
            "renderCall declares two parameters, so it receives (args, theme)",
            "Declare renderCall(args, options, theme) to receive the options.",
        )];
    }
    Vec::new()
}
