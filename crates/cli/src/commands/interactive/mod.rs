//! `toolsmith` on a terminal: the terminal interface.

mod host;

use std::{io::IsTerminal as _, process::ExitCode, sync::Arc};

use anyhow::Result;
use clap::CommandFactory as _;
use toolsmith_tui::{
    app::{self, Options, ScreenMode},
    keys::KeyBindings,
    text::ColorDepth,
};

use self::host::ProjectHost;
use super::{
    demo,
    print::{PrintArguments, input},
};
use crate::{
    arguments::{Arguments, Color, Shared},
    failure, interrupts,
    project::Project,
    runtime, terminal,
};

/// Returns whether the interface is meant: on a terminal, without an output mode.
pub(crate) fn applies(shared: &Shared, own: &PrintArguments) -> bool {
    !shared.json && own.is_interactive() && std::io::stdin().is_terminal() && terminal::is_output_terminal()
}

/// Returns whether the command line is empty, which shows help where there is no terminal.
pub(crate) fn is_help(own: &PrintArguments) -> bool {
    std::env::args_os().len() == 1 && own.prompt_words().is_empty()
}

/// Prints help.
pub(crate) fn help() -> Result<ExitCode> {
    let command = Arguments::command().arg_required_else_help(true);
    Ok(match command.try_get_matches_from(["toolsmith"]) {
        Err(help) => failure::wrong_use(&help),
        Ok(_) => ExitCode::SUCCESS,
    })
}

pub(crate) fn run(shared: &Shared, own: &PrintArguments) -> Result<ExitCode> {
    own.check_word()?;
    let project = Project::open(shared)?;
    let prompt = match own.prompt_words() {
        [] => None,
        words => Some(input::read(words, &project.cwd, &project.mcp_configuration().servers)?),
    };
    let (keys, key_warnings) = KeyBindings::load(&project.home.toolsmith().join("keybindings.json"));
    let mut notices: Vec<String> = project.warnings.iter().map(ToString::to_string).collect();
    notices.extend(key_warnings.iter().map(ToString::to_string));
    let ui = &project.loaded.settings.ui;
    let options = Options {
        cwd: project.cwd.clone(),
        home: project.home.clone(),
        prompt,
        picks_session: own.picks_session(),
        screen: match ui.screen.as_str() {
            "fullscreen" => ScreenMode::FullScreen,
            _ => ScreenMode::Inline,
        },
        theme: Some(ui.theme.clone()),
        depth: depth(shared.color),
        has_motion: ui.motion,
        shows_images: ui.images,
        notifies: ui.notifications,
        double_escape: ui.double_escape.clone(),
        keys,
        notices,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let is_plain = own.plain || terminal::is_plain(ui.accessible);
    let host = Arc::new(ProjectHost::new(shared.clone(), own.clone()));
    let exit = runtime::block_on(async {
        // In the plain interface Ctrl-C stops a run.
        interrupts::exit_if_blocked(is_plain);
        Ok(match is_plain {
            true => toolsmith_tui::plain::run(host, options).await?,
            false => app::run(host, options).await?,
        })
    })?;
    if exit.starts_demo {
        return demo::run(shared, &demo::DemoArguments::default());
    }
    if let Some(id) = &exit.session {
        terminal::say_resume(id);
    }
    Ok(ExitCode::from(exit.code))
}

/// The number of colours, as the environment says.
fn depth(color: Color) -> ColorDepth {
    if color == Color::Never
        || (color == Color::Auto && std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()))
    {
        return ColorDepth::None;
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    match (variable("COLORTERM").as_str(), variable("TERM").as_str()) {
        ("truecolor" | "24bit", _) => ColorDepth::TrueColor,
        (_, term) if term.contains("256color") || term.contains("kitty") || term.contains("direct") => {
            ColorDepth::Ansi256
        }
        (_, "linux" | "xterm" | "screen" | "tmux" | "vt220" | "ansi" | "rxvt") => ColorDepth::Ansi16,
        (_, "" | "dumb" | "vt100") => ColorDepth::None,
        _ => ColorDepth::Ansi256,
    }
}
