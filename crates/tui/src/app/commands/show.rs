//! Commands that show something in the transcript.

use toolsmith::tool::{NoticeLevel, visible_line};

use super::{COMMANDS, Command};
use crate::{
    app::{interface::App, transcript::Item},
    keys::Action,
    text::{Row, Style, Token},
};

/// Commands of the session that `/help` lists.
const MAX_HELP: usize = 100;

impl App {
    /// Shows rows in the transcript.
    pub(super) fn show(&mut self, title: &str, rows: Vec<Row>) {
        let mut all = vec![Row::styled(title, self.style(Token::Accent).bold())];
        all.extend(rows);
        self.transcript.push(Item::Plain(all));
        self.changed_now();
    }

    fn pairs(&self, pairs: &[(String, String)]) -> Vec<Row> {
        // Names and paths may be of unknown origin.
        let visible = |text: &String| visible_line(text).into_owned();
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(name, text)| (visible(name), visible(text))).collect();
        let width = pairs.iter().map(|(name, _)| crate::text::width(name)).max().unwrap_or(0).min(36);
        let muted = self.style(Token::Muted);
        pairs
            .iter()
            .map(|(name, text)| {
                Row::plain(format!("  {name}")).padded(width + 4, Style::PLAIN).and(text, muted)
            })
            .collect()
    }

    pub(super) fn help(&mut self) {
        let label =
            |command: &Command| format!("/{} {}", command.name, command.argument).trim_end().to_owned();
        let mut pairs: Vec<(String, String)> =
            COMMANDS.iter().map(|command| (label(command), command.doc.to_owned())).collect();
        for (name, text) in [
            ("!COMMAND", "Run a shell command; the model sees its output"),
            ("!!COMMAND", "Run a shell command that the model does not see"),
            ("@FILE", "Mention a file"),
        ] {
            pairs.push((name.to_owned(), text.to_owned()));
        }
        self.refresh_commands();
        for info in self.session_commands().iter().take(MAX_HELP) {
            let candidate = Self::session_candidate(info);
            pairs.push((candidate.label, candidate.detail));
        }
        if self.session_commands().len() > MAX_HELP {
            let more = format!(
                "and {} more; type / and a part of the name",
                self.session_commands().len() - MAX_HELP
            );
            pairs.push((String::new(), more));
        }
        let rows = self.pairs(&pairs);
        self.show("Commands", rows);
    }

    pub(super) fn hotkeys(&mut self) {
        let shown = Action::ALL.iter().filter(|info| !self.keys.names(info.action).is_empty());
        let shown =
            shown.filter(|info| !info.id.starts_with("app.tree.") && !info.id.starts_with("app.models."));
        let pairs: Vec<(String, String)> =
            shown.map(|info| (self.keys.names(info.action).join(", "), info.doc.to_owned())).collect();
        let mut rows = self.pairs(&pairs);
        let file = self.options.home.toolsmith().join("keybindings.json");
        rows.push(Row::styled(format!("  Change them in {}", file.display()), self.style(Token::Dim)));
        self.show("Keys", rows);
    }

    pub(super) fn session_info(&mut self) {
        let Some(session) = &self.session else { return };
        let log = session.log();
        let totals = session.agent().totals();
        let usage = log.usage();
        let mut pairs = vec![
            ("Id".to_owned(), log.id()),
            (
                "File".to_owned(),
                log.file().map_or_else(|| "not stored".to_owned(), |file| file.display().to_string()),
            ),
            ("Entries".to_owned(), log.len().to_string()),
            ("Model".to_owned(), session.agent().model().reference()),
            (
                "Tokens".to_owned(),
                format!("{} in, {} out, {} from cache", usage.input, usage.output, usage.cache_read),
            ),
            ("Cost".to_owned(), format!("${:.4}", usage.cost.total)),
            (
                "This run of the program".to_owned(),
                format!(
                    "{} turns, {} tool calls, {} failed",
                    totals.turns, totals.tool_calls, totals.failed_calls
                ),
            ),
        ];
        if let Some(name) = log.name() {
            pairs.insert(0, ("Name".to_owned(), name));
        }
        let rows = self.pairs(&pairs);
        self.show("Session", rows);
    }

    pub(super) fn show_tools(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let tools = session.tools();
        let pairs: Vec<(String, String)> = tools
            .iter()
            .filter(|tool| !tool.hidden || tool.is_active)
            .map(|tool| {
                let state = match (&tool.stale, tool.is_active) {
                    (Some(_), _) => " (last working version: its file no longer loads)",
                    (None, true) => "",
                    (None, false) => " (inactive)",
                };
                (tool.name.clone(), format!("{}{state} · {}", tool.tier.as_str(), tool.origin))
            })
            .collect();
        let rows = self.pairs(&pairs);
        self.show(&format!("Tools ({})", pairs.len()), rows);
        for error in &session.loaded().errors {
            self.notice(NoticeLevel::Error, &error.to_string());
        }
        for module in &session.loaded().stale {
            self.notice(NoticeLevel::Error, &module.error.to_string());
        }
        let waiting = session.loaded().waiting.len();
        if waiting > 0 {
            self.notice(
                NoticeLevel::Warning,
                &format!("{waiting} modules wait for trust. /trust allows them to run."),
            );
        }
    }

    pub(super) fn show_mcp(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let Some(servers) = session.mcp() else {
            let text = "No MCP servers are configured. `toolsmith mcp add NAME -- COMMAND` adds one.";
            return self.notice(NoticeLevel::Info, text);
        };
        let mut problems = session.mcp_problems();
        let mut pairs: Vec<(String, String)> = Vec::new();
        for server in servers.list() {
            let state = server.status.as_str();
            let counts =
                format!("{state} · {} tools · {}", server.tools.len(), server.config.origin.scope.as_str());
            pairs.push((server.config.name.clone(), counts));
            if let toolsmith::mcp_protocol::ServerStatus::Failed(reason) = &server.status {
                problems.push(reason.clone());
            }
            problems.extend(server.problems);
        }
        for prompt in session.mcp_prompts() {
            pairs.push((format!("/{}", prompt.name), prompt.definition.description));
        }
        let rows = self.pairs(&pairs);
        self.show("MCP servers", rows);
        for problem in problems {
            self.notice(NoticeLevel::Warning, &problem);
        }
    }

    pub(super) fn show_skills(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let skills = session.skills();
        let skills = &skills.list;
        if skills.is_empty() {
            let text = "There are no skills. `toolsmith skills new NAME` creates one.";
            return self.notice(NoticeLevel::Info, text);
        }
        let pairs: Vec<(String, String)> = skills
            .iter()
            .take(MAX_HELP)
            .map(|skill| (skill.name.clone(), format!("{} ({})", skill.description, skill.source)))
            .collect();
        let rows = self.pairs(&pairs);
        self.show("Skills", rows);
    }

    pub(super) fn show_todo(&mut self) {
        let Some(session) = self.session.clone() else { return self.not_ready() };
        let phases = session.todos();
        if phases.is_empty() {
            return self.notice(NoticeLevel::Info, "The todo list is empty.");
        }
        let mut rows = Vec::new();
        for phase in phases {
            rows.push(Row::styled(&phase.name, self.style(Token::Muted)));
            for task in &phase.tasks {
                use toolsmith::agent::TodoStatus;
                let (sign, token) = match task.status {
                    TodoStatus::Completed => ("✓", Token::Success),
                    TodoStatus::InProgress => ("●", Token::Accent),
                    TodoStatus::Abandoned => ("–", Token::Dim),
                    _ => ("○", Token::Muted),
                };
                rows.push(
                    Row::styled(format!("  {sign} "), self.style(token)).and(&task.content, Style::PLAIN),
                );
            }
        }
        self.show("Todo", rows);
    }

    pub(super) fn not_ready(&mut self) {
        self.notice(NoticeLevel::Warning, "The session is not ready yet.");
    }
}
