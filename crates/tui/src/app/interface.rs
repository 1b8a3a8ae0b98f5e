//! The state of the interface and its main loop.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use toolsmith::{Session, agent::Subscription, tool::NoticeLevel};

use super::{
    bridge::Bridge,
    components::Components,
    event::Event,
    extensions::Shortcut,
    full::Full,
    host::{Exit, Host, Options, ScreenMode},
    inbox::{EventSender, Inbox},
    start,
    status::{Status, TICK},
    transcript::{Item, Transcript},
};
use crate::{
    composer::{Composer, Submission, completion::FileIndex},
    dialog::Panels,
    input::{Input, Key},
    keys::KeyBindings,
    screen::{ASK_SIZE, Abilities, Inline},
    text::{Row, Theme},
    tool_view::ToolViews,
    tty::{QUERIES, Signal, Signals, Size, Tty, TtyError},
};

/// Shortest time between two frames that no key asked for.
const FRAME_TIME: Duration = Duration::from_millis(16);
/// Events of each source that are handled before keys and signals are looked at again, and before the next frame.
const MAX_BATCH: usize = 100;
/// Keys that are handled before signals are looked at again. A terminal without bracketed paste types what is pasted.
const MAX_KEYS: usize = 1000;
/// Time to wait for the size to settle.
const RESIZE_TIME: Duration = Duration::from_millis(50);
/// Maximum time until the terminal answers.
const ANSWER_TIME: Duration = Duration::from_millis(500);
/// Time after which a terminal is asked again whose size differs from what the system reports.
const ASK_AGAIN: Duration = Duration::from_millis(300);
/// Number of times it is asked.
const MAX_ASKED: u8 = 5;

/// A message that waits: before the session is ready, or in a queue of the run.
#[derive(Clone, Debug)]
pub(super) struct QueuedMessage {
    pub(super) text: String,
    pub(super) is_follow_up: bool,
}

/// The interface.
pub(super) struct App {
    pub(super) host: Arc<dyn Host>,
    pub(super) options: Options,
    pub(super) keys: KeyBindings,
    pub(super) theme: Theme,
    pub(super) theme_version: u32,
    /// The background, if the terminal told it.
    pub(super) background: Option<crate::input::Rgb>,
    pub(super) views: ToolViews,
    pub(super) tty: Tty,
    pub(super) size: Size,
    pub(super) inline: Inline,
    /// How the terminal shows images, if it does.
    pub(super) image_protocol: Option<crate::text::ImageProtocol>,
    /// The full screen, while it is shown.
    pub(super) full: Option<Full>,
    pub(super) bridge: Arc<Bridge>,
    pub(super) events: EventSender,
    pub(super) session: Option<Session>,
    pub(super) subscription: Option<Subscription>,
    pub(super) transcript: Transcript,
    pub(super) composer: Composer,
    pub(super) panels: Panels,
    pub(super) status: Status,
    pub(super) components: Components,
    pub(super) thinking_label: Option<String>,
    pub(super) queued: Vec<QueuedMessage>,
    /// Prompts typed before the session was ready.
    pub(super) waiting: Vec<Submission>,
    /// Start of the run in progress.
    pub(super) running: Option<Instant>,
    /// An operation on the session is in progress.
    pub(super) is_busy: bool,
    pub(super) pending_row: Option<Row>,
    pub(super) files: Option<Arc<FileIndex>>,
    pub(super) completion: u64,
    pub(super) completed_for: Option<String>,
    pub(super) is_expanded: bool,
    pub(super) shows_thinking: bool,
    pub(super) is_focused: bool,
    pub(super) title: Option<String>,
    pub(super) title_dirty: bool,
    /// Sequences to write with the next frame: title, bell, clipboard.
    pub(super) controls: String,
    /// When ctrl+c, and escape, were last pressed.
    pub(super) last_clear: Option<Instant>,
    /// The last ctrl+c in a question of a tool, and whether something ran then.
    pub(super) last_stop: Option<(Instant, bool)>,
    /// When ctrl+c was last pressed while a tool had a tap on the input.
    pub(super) last_tapped: Option<Instant>,
    /// A hint in place of the status line, until its time.
    pub(super) hint: Option<(String, Instant)>,
    pub(super) last_escape: Option<Instant>,
    /// The last key, and when it was pressed.
    pub(super) last_key: Option<(Instant, Key)>,
    pub(super) shell_number: u64,
    pub(super) message_number: u64,
    /// Shortcuts of extensions.
    pub(super) shortcuts: Vec<Shortcut>,
    pub(super) shell_cancel: Option<toolsmith_tool::CancelToken>,
    /// Hooks that were shown; only these can be confirmed.
    pub(super) shown_hooks: Option<toolsmith::FoundHooks>,
    /// Stops the command of the session that is running.
    pub(super) command_cancel: Option<toolsmith_tool::CancelToken>,
    /// Commands of the session.
    pub(super) commands: Option<Vec<toolsmith::CommandInfo>>,
    pub(super) exit: Option<Exit>,
    /// The terminal answered the first queries.
    pub(super) is_answered: bool,
    is_dirty: bool,
    is_urgent: bool,
    last_frame: Instant,
    resized_at: Option<Instant>,
    /// The terminal was asked for its size because of that.
    is_asked: bool,
    /// The terminal's answer about its size, if it differs from the size that the system reported at the time.
    told: Option<Told>,
    /// The terminal's answers name columns and rows in the wrong order; known after the first one.
    swaps_size: Option<bool>,
    /// The terminal's answers about its size are not believed.
    pub(super) ignores_size: bool,
}

/// A size that the system does not know yet.
#[derive(Clone, Copy)]
struct Told {
    system: Size,
    size: Size,
    /// When the terminal is asked again, because it may have changed back without a signal, and how often it was.
    ask_at: Instant,
    asked: u8,
}

/// Runs the interface until the person quits.
///
/// # Errors
/// Fails if there is no terminal.
pub async fn run(host: Arc<dyn Host>, options: Options) -> Result<Exit, TtyError> {
    let mut signals = Signals::listen()?;
    let mut incoming = Inbox::new();
    let mut app = App::new(host, options, incoming.sender())?;
    if app.options.screen == ScreenMode::FullScreen {
        app.open_full(true);
    }
    app.draw();
    app.tty.output().submit(QUERIES.as_bytes().to_vec());
    app.begin();
    while app.exit.is_none() {
        app.turn(&mut signals, &mut incoming).await;
    }
    // Tools that still run get no answers from here on.
    drop(incoming);
    Ok(app.finish().await)
}

impl App {
    fn new(host: Arc<dyn Host>, options: Options, events: EventSender) -> Result<Self, TtyError> {
        let tty = Tty::open()?;
        let size = tty.size();
        let abilities = Abilities { depth: options.depth, reflows: start::reflows(), ..Abilities::default() };
        let theme = start::theme(&options, None);
        let composer = Composer::new(start::history(&options));
        Ok(Self {
            bridge: Arc::new(Bridge::new(events.clone())),
            keys: options.keys.clone(),
            inline: Inline::new(size, abilities),
            views: ToolViews::new({
                let events = events.clone();
                move |_| events.send(Event::Redraw)
            }),
            theme_version: 1,
            image_protocol: start::image_protocol(|name| std::env::var(name).ok()),
            background: None,
            host,
            theme,
            tty,
            size,
            events,
            full: None,
            session: None,
            subscription: None,
            transcript: Transcript::default(),
            composer,
            panels: Panels::default(),
            status: Status::default(),
            components: Components::default(),
            thinking_label: None,
            queued: Vec::new(),
            waiting: Vec::new(),
            running: None,
            is_busy: false,
            pending_row: None,
            files: None,
            completion: 0,
            completed_for: None,
            is_expanded: false,
            shows_thinking: true,
            is_focused: true,
            title: None,
            title_dirty: true,
            controls: String::new(),
            last_clear: None,
            last_stop: None,
            last_tapped: None,
            hint: None,
            last_escape: None,
            last_key: None,
            shell_number: 0,
            message_number: 0,
            shortcuts: Vec::new(),
            shell_cancel: None,
            shown_hooks: None,
            command_cancel: None,
            commands: None,
            exit: None,
            is_answered: false,
            is_dirty: true,
            is_urgent: true,
            last_frame: Instant::now(),
            resized_at: None,
            is_asked: false,
            told: None,
            swaps_size: None,
            ignores_size: false,
            options,
        })
    }

    /// Waits for something to happen, handles it, and draws if that is due. Signals and keys come first, and a bounded number
    /// of events is handled before they are looked at again, so that no tool can delay them (CONTRACT 9.2).
    async fn turn(&mut self, signals: &mut Signals, incoming: &mut Inbox) {
        let deadline = self.deadline();
        let is_blocked = self.is_dirty && !self.tty.output().is_idle();
        let output = self.tty.output().clone();
        tokio::select! {
            biased;
            signal = signals.next() => self.signal(signal),
            input = self.tty.input().next() => {
                self.input(input);
                for _ in 0..MAX_KEYS {
                    let Some(input) = self.tty.input().try_next() else { break };
                    self.input(input);
                }
                // Drawn before a tool can change it.
                self.draw_if_due();
            }
            event = incoming.next() => self.event(event),
            event = next_event(&mut self.subscription) => match event {
                Some(event) => self.agent_event(&event),
                None => self.subscription = None,
            },
            () = output.written(), if is_blocked => {}
            () = sleep_until(deadline), if deadline.is_some() => {}
        }
        // Each source has its turn: one that always has something ready must not keep the others waiting.
        for _ in 0..MAX_BATCH {
            let Some(event) = incoming.try_next() else { break };
            self.event(event);
        }
        for _ in 0..MAX_BATCH {
            let Some(event) = self.subscription.as_mut().and_then(Subscription::try_next) else { break };
            self.agent_event(&event);
        }
        if deadline.is_some_and(|at| at <= Instant::now()) {
            self.tick();
        }
        self.follow_shutdown();
        self.draw_if_due();
    }

    /// Returns when something happens by itself: a frame is due, an animation goes on, a dialog closes.
    fn deadline(&self) -> Option<Instant> {
        let can_draw = self.tty.output().is_idle() && self.can_draw();
        let frame = (self.is_dirty && can_draw)
            .then(|| if self.is_urgent { Instant::now() } else { self.last_frame + FRAME_TIME });
        let tick = self.is_animated().then(|| {
            let step = if self.is_focused { TICK } else { Duration::from_secs(1) };
            self.last_frame + step
        });
        let resize = self.resized_at.map(|at| at + self.resize_time());
        let countdown = self.panels.closes_at().map(|_| self.last_frame + Duration::from_secs(1));
        let hint = self.hint.as_ref().map(|(_, until)| *until);
        let answer = self.inline.awaits_until();
        let ask = self.told.map(|told| told.ask_at);
        [frame, tick, resize, countdown, hint, answer, ask].into_iter().flatten().min()
    }

    /// Returns the time to wait after a change of size: for the next change, or for the terminal's answer.
    fn resize_time(&self) -> Duration {
        if self.is_asked { ANSWER_TIME } else { RESIZE_TIME }
    }

    fn is_animated(&self) -> bool {
        self.options.has_motion && (self.running.is_some() || self.is_busy || self.transcript.is_active())
    }

    fn tick(&mut self) {
        let now = Instant::now();
        if self.inline.awaits_until().is_some_and(|until| until <= now) {
            self.inline.stop_waiting();
        }
        self.ask_again(now);
        let is_waiting = self.inline.awaits_until().is_some();
        if !is_waiting && self.resized_at.is_some_and(|at| at + self.resize_time() <= now) {
            // The terminal may have another size by now, and knows best.
            if self.inline.abilities().tells_size && !self.is_asked {
                (self.resized_at, self.is_asked) = (Some(now), true);
                self.tty.output().submit(ASK_SIZE.as_bytes().to_vec());
            } else {
                (self.resized_at, self.is_asked) = (None, false);
                self.resize();
            }
        }
        if self.hint.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.hint = None;
            self.is_dirty = true;
        }
        if self.panels.closes_at().is_some_and(|at| at <= now) {
            self.panels.close_first();
        }
        let step = if self.is_focused { TICK } else { Duration::from_secs(1) };
        if (self.is_animated() || self.panels.closes_at().is_some()) && self.last_frame + step <= now {
            self.is_dirty = true;
        }
    }

    /// Something looks different; it is drawn soon.
    pub(super) fn changed(&mut self) {
        self.is_dirty = true;
    }

    /// A key changed something; it is drawn at once.
    pub(super) fn changed_now(&mut self) {
        (self.is_dirty, self.is_urgent) = (true, true);
    }

    fn draw_if_due(&mut self) {
        let is_due = self.is_urgent || self.last_frame.elapsed() >= FRAME_TIME;
        // Between a resize and its end, positions are not known.
        if self.is_dirty && is_due && self.terminal_size() != self.size {
            self.resized_at.get_or_insert_with(Instant::now);
        }
        let can_draw = self.resized_at.is_none() && self.can_draw();
        if self.is_dirty && is_due && can_draw && self.tty.output().is_idle() {
            self.draw();
        }
    }

    /// Returns whether a frame can be drawn: only what a key changed does not wait for the terminal's answer to the last one.
    fn can_draw(&self) -> bool {
        self.is_urgent || self.inline.awaits_until().is_none()
    }

    /// Returns the size of the terminal: its own answer, as long as the system still reports the size from before it.
    fn terminal_size(&mut self) -> Size {
        let system = self.tty.size();
        match self.told {
            Some(told) if told.system == system => told.size,
            _ => {
                self.told = None;
                system
            }
        }
    }

    /// Asks a terminal again that disagrees with the system. One that goes on disagreeing is not believed.
    fn ask_again(&mut self, now: Instant) {
        let Some(told) = self.told.as_mut().filter(|told| told.ask_at <= now) else { return };
        (told.ask_at, told.asked) = (now + ASK_AGAIN, told.asked + 1);
        if told.asked <= MAX_ASKED {
            self.tty.output().submit(ASK_SIZE.as_bytes().to_vec());
        } else {
            let abilities = Abilities { tells_size: false, ..self.inline.abilities() };
            self.inline.set_abilities(abilities);
            (self.told, self.ignores_size) = (None, true);
            self.resized_at.get_or_insert(now);
        }
    }

    /// Takes the terminal's answer about its size. It comes before the system reports a change.
    pub(super) fn told_size(&mut self, size: Size) {
        let system = self.tty.size();
        let swapped = Size { rows: size.columns, columns: size.rows };
        // tmux before 3.4 names the columns first. The first answer shows it.
        let swaps = *self.swaps_size.get_or_insert(size != system && swapped == system);
        let size = if swaps { swapped } else { size };
        let before = self.told.filter(|told| told.system == system && told.size == size);
        let told = Told { system, size, ask_at: Instant::now() + ASK_AGAIN, asked: 0 };
        self.told = (size != system).then_some(before.unwrap_or(told));
        if std::mem::take(&mut self.is_asked) {
            self.resized_at = None;
        }
        let columns = self.columns();
        if self.inline.answered(size) && self.size != size {
            self.size = size;
            self.resize_full();
            self.changed_now();
        }
        self.keep_lost(columns);
        // What waited for the answer.
        self.draw_if_due();
    }

    pub(super) fn draw(&mut self) {
        (self.is_dirty, self.is_urgent, self.last_frame) = (false, false, Instant::now());
        self.publish();
        let mut bytes = self.compose();
        self.write_title();
        bytes.extend_from_slice(std::mem::take(&mut self.controls).as_bytes());
        self.tty.output().submit(bytes);
        self.panels.note_shown(self.last_frame);
    }

    fn resize(&mut self) {
        let columns = self.columns();
        self.size = self.terminal_size();
        // The normal screen keeps its own rows while the full screen is shown.
        match self.full {
            Some(_) => self.resize_full(),
            None => self.inline.resize(self.size),
        }
        self.keep_lost(columns);
        self.changed_now();
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Resize => {
                self.resized_at.get_or_insert_with(Instant::now);
            }
            Signal::Terminate => self.leave(143),
            Signal::Interrupt => self.leave(130),
            Signal::HangUp => self.leave(129),
            Signal::Stop => self.suspend(),
            Signal::Continue => {
                // The shell may have changed the modes.
                self.inline.forget();
                self.resize();
            }
        }
    }

    fn input(&mut self, input: Input) {
        match input {
            Input::Key { key, raw } => self.key(&key, &raw),
            Input::Paste(text) => self.pasted(&text),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Focus(is_focused) => self.is_focused = is_focused,
            Input::Reply(reply) => self.reply(reply),
            Input::Closed => self.leave(129),
        }
    }

    /// Ends the program with this code.
    pub(super) fn leave(&mut self, code: u8) {
        self.exit.get_or_insert(Exit { code, ..Exit::default() });
    }

    /// Shows a notice in the transcript.
    pub(super) fn notice(&mut self, level: NoticeLevel, text: &str) {
        self.transcript.push(Item::notice(level, text));
        self.changed();
    }

    /// Restores the screen, saves the session, and reports how to resume it.
    async fn finish(mut self) -> Exit {
        let mut exit = self.exit.take().unwrap_or_default();
        for cancel in self.shell_cancel.take().into_iter().chain(self.command_cancel.take()) {
            cancel.force("the program ends");
        }
        self.transcript.finish_run();
        self.panels.clear();
        let is_docked = self.is_docked() && !self.is_full_for_overlay();
        self.close_full();
        let rows = if is_docked { self.last_rows() } else { self.remaining_rows() };
        let mut bytes = Vec::new();
        if !rows.is_empty() {
            bytes.extend(self.inline.draw(&rows, &crate::screen::Frame::default()));
        }
        bytes.extend(self.inline.erase());
        self.tty.output().submit(bytes);
        if !self.is_answered && exit.code != 129 {
            self.wait_for_replies().await;
        }
        let session = self.session.take();
        drop(self);
        if let Some(session) = session {
            let log = session.log();
            let is_stored = log.file().is_some_and(std::path::Path::exists);
            session.dispose().await;
            exit.session = is_stored.then(|| log.id());
        }
        exit
    }

    /// Replies that arrive after the end would be typed into the shell.
    async fn wait_for_replies(&mut self) {
        let until = Instant::now() + Duration::from_millis(100);
        while !self.is_answered {
            tokio::select! {
                input = self.tty.input().next() => match input {
                    Input::Reply(reply) => self.reply(reply),
                    Input::Closed => return,
                    _ => {}
                },
                () = sleep_until(Some(until)) => return,
            }
        }
    }
}

async fn next_event(subscription: &mut Option<Subscription>) -> Option<Arc<toolsmith::AgentEvent>> {
    match subscription {
        Some(subscription) => subscription.next().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
