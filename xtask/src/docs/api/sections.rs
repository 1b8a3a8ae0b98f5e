//! The sections of the reference: which interface each describes, and how its members are written in code.

/// A section of `docs/api.md`.
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// The interface with the members.
    pub(super) interface: &'static str,
    /// Text before the name of a member.
    pub(super) prefix: &'static str,
    /// Types whose words are listed at the end.
    pub(super) words: &'static [&'static str],
    /// How a test runs the examples.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test that runs the examples"))]
    pub(super) runs: Runs,
}

/// The place of an example in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// A field of a tool.
    Field,
    /// The body of `execute`.
    Result,
    /// The body of `renderResult(result, options, theme, args)`.
    Renderer,
    /// The body of `renderResult(result, options, theme, context)`.
    ContextRenderer,
    /// The body of `onSession(event, ctx)`.
    SessionEvent,
    /// Statements in `execute`, where `pi`, `ctx`, `theme` and `signal` exist.
    Statements,
    /// Statements in the handler of a command.
    Command,
}

pub(super) const BEGINNING: &str = r#"# API reference

<!-- Written by `cargo xtask docs` from crates/cli/types/*.d.ts and examples/tools/expenses.ts. -->

Everything a tool receives and returns: the fields of a tool, `pi`, `ctx`, `ctx.ui`, `ctx.sessionManager`, the events of a session,
renderers and themes. Each entry shows the type, an empty line, and an example, which a test runs. [tools.md](tools.md) is the guide, [module.md](module.md) lists the exports of the
module `toolsmith`, and `toolsmith types` writes all of it as types for your editor.

## A complete tool

This tool has parameters, a renderer, a preview before it writes a file, state that is rebuilt from the session, and a table in the
language of the user. It is [examples/tools/expenses.ts](../examples/tools/expenses.ts).

```ts
{{example}}
```

```sh
mkdir -p .toolsmith/tools && cp examples/tools/expenses.ts .toolsmith/tools/
toolsmith trust .toolsmith/tools/expenses.ts
toolsmith call expenses action=add text=Train amount=1234.5 date=2026-11-17 locale=de-DE   # one call, without a session
toolsmith -p "Record 1,234.50 euros for the train today, then export the expenses"           # a session with a model
```

- `execute` returns `content` for the model and `details` for everybody else. `details` are stored with the result, so `onSession`
  finds the state on the current branch: after a restart, after a step back in the session, and in each branch.
- `pushPendingAction` with `files` stages the change. The user sees the difference and applies or discards it;
  [preview.md](preview.md) says who decides when.
- `renderCall` and `renderResult` return components. A component is an object with `render(width)`, or one of those of the module
  `toolsmith`, such as `Text`.
- `Intl` and the `toLocale…` functions know 30 languages. `visibleWidth` and `truncateToWidth` count columns, which `length` does not.
- A module exports a function. It receives `pi`, and returns a tool, a list of tools, or nothing.
"#;

pub(super) const SECTIONS: &[Section] = &[
    Section {
        title: "Tool fields",
        about: "A factory returns objects with these fields. `name`, `description`, `parameters` and `execute` are required.",
        interface: "CustomTool",
        prefix: "",
        words: &[],
        runs: Runs::Field,
    },
    Section {
        title: "Results",
        about: "The object that `execute` returns, and that `onUpdate` takes. An image is `{ type: \"image\", data, mimeType }` with `data` as Base64.",
        interface: "AgentToolResult",
        prefix: "result.",
        words: &[],
        runs: Runs::Result,
    },
    Section {
        title: "Renderer options",
        about: "The second argument of `renderCall(args, options, theme)` and `renderResult(result, options, theme, args)`. [rendering.md](rendering.md) is the guide.",
        interface: "RenderOptions",
        prefix: "options.",
        words: &[],
        runs: Runs::Renderer,
    },
    Section {
        title: "Renderer context",
        about: "Renderers with the parameters of pi, `renderCall(args, theme, context)` and `renderResult(result, options, theme, context)`, receive this object last. Toolsmith reads the order from the names of the parameters.",
        interface: "RenderContext",
        prefix: "context.",
        words: &[],
        runs: Runs::ContextRenderer,
    },
    Section {
        title: "pi",
        about: "The host API, which the function of a module receives. Its members may be destructured: `({ exec, zod }) => …`.",
        interface: "CustomToolAPI",
        prefix: "pi.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Options of pi.exec",
        about: "The third argument of `pi.exec`.",
        interface: "ExecOptions",
        prefix: "options.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Result of pi.exec",
        about: "The object that `pi.exec` resolves to.",
        interface: "ExecResult",
        prefix: "result.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Pending actions",
        about: "The argument of `pi.pushPendingAction`. An action needs `files`, `apply`, or both. [preview.md](preview.md) is the guide.",
        interface: "PendingAction",
        prefix: "action.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "pi.logger",
        about: "Writes JSON lines to the log file: `~/.toolsmith/logs/toolsmith.log`, which `toolsmith doctor` names.",
        interface: "Logger",
        prefix: "pi.logger.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "pi.events",
        about: "A bus between modules. Data crosses as JSON.",
        interface: "EventBus",
        prefix: "pi.events.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "ctx",
        about: "The context of a call, the fourth argument of `execute`; also the second argument of `onSession`, and of the handlers of extensions. A member that does not exist is `undefined`.",
        interface: "CustomToolContext",
        prefix: "ctx.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "ctx.sessionManager",
        about: "The session, for reading. [sessions.md](sessions.md) describes the entries.",
        interface: "ReadonlySessionManager",
        prefix: "ctx.sessionManager.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "ctx.modelRegistry",
        about: "The known models. Keys never reach a tool: Toolsmith makes the requests.",
        interface: "ModelRegistry",
        prefix: "ctx.modelRegistry.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Session events",
        about: "The events that `onSession(event, ctx)` receives, by `event.reason`. It may be async. An error in it is logged and does not stop the session.",
        interface: "SessionEvents",
        prefix: "",
        words: &[],
        runs: Runs::SessionEvent,
    },
    Section {
        title: "ctx.ui",
        about: "The user interface, also `pi.ui`. Where nobody can be asked, dialogs return `undefined`, `confirm` returns `false`, and the rest does nothing. [rendering.md](rendering.md#the-user-interface) says what works where.",
        interface: "UIContext",
        prefix: "ctx.ui.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Dialog options",
        about: "The last argument of `select`, `confirm`, `input` and `editor`.",
        interface: "DialogOptions",
        prefix: "options.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "Components",
        about: "A renderer, `ctx.ui.custom` and `ctx.ui.setWidget` take components. [module.md](module.md#components) has those that are ready to use.",
        interface: "Component",
        prefix: "component.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "theme",
        about: "The theme, an argument of renderers and `ctx.ui.theme`.",
        interface: "Theme",
        prefix: "theme.",
        words: &["ThemeColor", "ThemeBg"],
        runs: Runs::Statements,
    },
    Section {
        title: "pi of extensions",
        about: "Extensions also register handlers, commands and more, and act on the session. Actions cannot be called while the extension loads. [extensions.md](extensions.md) is the guide and lists the events.",
        interface: "ExtensionAPI",
        prefix: "pi.",
        words: &[],
        runs: Runs::Statements,
    },
    Section {
        title: "ctx of commands",
        about: "The context of commands and shortcuts has all members of [ctx](#ctx), and these.",
        interface: "CommandContext",
        prefix: "ctx.",
        words: &[],
        runs: Runs::Command,
    },
];

pub(super) const MODULE_BEGINNING: &str = r#"# The module `toolsmith`

<!-- Written by `cargo xtask docs` from crates/cli/types/*.d.ts. -->

`import { Text, truncateHead, z } from "toolsmith"` works in every tool and extension, without installing anything; `pi.pi` has the same
exports. They are those of the packages of compatible agents (`@oh-my-pi/…`, `@earendil-works/…` and others), whose names work too. A
test runs every example; in the examples, `pi`, `ctx`, `signal` and `theme` are those of a call. `z` is zod, `Type` is TypeBox.

The module also exports the types of the [API reference](api.md): `CustomToolFactory`, `CustomTool`, `CustomToolContext`,
`CustomToolSessionEvent`, `AgentToolResult`, `RenderOptions`, `Theme`, `PendingAction`, `ExtensionAPI`, `ExtensionCommandContext` and others.
"#;

/// The modules whose exports `toolsmith` has: name, title, and introduction.
pub(super) const EXPORTS: &[(&str, &str, &str)] = &[
    (
        "@oh-my-pi/pi-tui*",
        "Components",
        "Components for renderers and dialogs, keys, and functions that measure text in columns.",
    ),
    (
        "@oh-my-pi/*",
        "Tools and text",
        "Themes, cut text, front matter, and the built-in tools for extensions that wrap them.",
    ),
    ("@oh-my-pi/pi-utils*", "Directories, errors and formats", "Functions without a user interface."),
    (
        "@oh-my-pi/pi-ai*",
        "Models and schemas",
        "Requests to models, which Toolsmith makes with its own keys, and schemas.",
    ),
];
