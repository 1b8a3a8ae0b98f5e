//! The client's user as tools see them (CONTRACT 3.3).

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use toolsmith_tool::{DialogOptions, NoticeLevel, Ui, WidgetContent, WidgetPlacement, async_trait};

use super::{
    frame::{Frame, Wanted},
    outgoing::Outgoing,
    questions::Questions,
    request::UiMethod,
};

/// The expected form of an answer.
pub(super) enum Expected {
    OneOf(Vec<String>),
    Confirmation,
    Text,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Text(String),
    Confirmed(bool),
    Nothing,
}

/// Forwards UI requests of tools to the client. Headless until the client declares its capabilities.
pub(super) struct ClientUi {
    methods: RwLock<Vec<UiMethod>>,
    questions: Arc<Questions<Expected, Said>>,
    outgoing: Arc<Outgoing>,
}

impl ClientUi {
    pub(super) fn new(outgoing: Arc<Outgoing>) -> Arc<Self> {
        let questions = Questions::new("ui", Arc::clone(&outgoing), |id| Frame::UiCancel { id });
        Arc::new(Self { methods: RwLock::default(), questions, outgoing })
    }

    /// Sets the client's capabilities.
    pub(super) fn set_methods(&self, methods: Vec<UiMethod>) {
        *self.methods.write().unwrap_or_else(PoisonError::into_inner) = methods;
    }

    fn can(&self, method: UiMethod) -> bool {
        self.methods.read().unwrap_or_else(PoisonError::into_inner).contains(&method)
    }

    /// Handles a `ui_response`.
    pub(super) fn answer(
        &self,
        id: &str,
        value: Option<String>,
        confirmed: Option<bool>,
        cancelled: bool,
    ) -> Result<(), String> {
        self.questions.answer(id, |expected| {
            if cancelled {
                return Ok(Said::Nothing);
            }
            match (expected, value, confirmed) {
                (Expected::OneOf(options), Some(value), None) if options.contains(&value) => {
                    Ok(Said::Text(value))
                }
                (Expected::OneOf(options), Some(value), None) => {
                    Err(format!("\"{value}\" is not one of the options: {}", options.join(", ")))
                }
                (Expected::Text, Some(value), None) => Ok(Said::Text(value)),
                (Expected::Confirmation, None, Some(confirmed)) => Ok(Said::Confirmed(confirmed)),
                (Expected::Confirmation, ..) => Err("\"confirmed\" or \"cancelled\" is wanted".to_owned()),
                _ => Err("\"value\" or \"cancelled\" is wanted".to_owned()),
            }
        })
    }

    /// Ends all dialogs: the client is gone.
    pub(super) fn close(&self) {
        self.set_methods(Vec::new());
        self.questions.close();
    }

    async fn ask(
        &self,
        method: UiMethod,
        expected: Expected,
        wanted: Wanted,
        dialog: DialogOptions,
    ) -> Option<Said> {
        if !self.can(method) || dialog.cancel.is_cancelled() {
            return None;
        }
        let timeout_ms = dialog.timeout.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let mut asked = self.questions.ask(expected, |id| Frame::UiRequest { id, timeout_ms, wanted });
        let too_late = async {
            match dialog.timeout {
                Some(wait) => tokio::time::sleep(wait.min(Duration::from_secs(u64::from(u32::MAX)))).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            said = asked.answer() => said,
            () = dialog.cancel.cancelled() => None,
            () = too_late => None,
        }
    }

    fn tell(&self, method: UiMethod, wanted: Wanted) {
        if self.can(method) {
            let id = self.questions.next_id();
            self.outgoing.send_light(&Frame::UiRequest { id, timeout_ms: None, wanted });
        }
    }
}

fn text(said: Option<Said>) -> Option<String> {
    match said {
        Some(Said::Text(text)) => Some(text),
        _ => None,
    }
}

#[async_trait]
impl Ui for ClientUi {
    fn has_ui(&self) -> bool {
        !self.methods.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    async fn select(&self, title: &str, options: &[String], dialog: DialogOptions) -> Option<String> {
        let wanted = Wanted::Select { title: title.to_owned(), options: options.to_vec() };
        text(self.ask(UiMethod::Select, Expected::OneOf(options.to_vec()), wanted, dialog).await)
    }

    async fn confirm(&self, title: &str, message: &str, dialog: DialogOptions) -> bool {
        let wanted = Wanted::Confirm { title: title.to_owned(), message: message.to_owned() };
        let said = self.ask(UiMethod::Confirm, Expected::Confirmation, wanted, dialog).await;
        said == Some(Said::Confirmed(true))
    }

    async fn input(&self, title: &str, placeholder: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let placeholder = placeholder.map(str::to_owned);
        let wanted = Wanted::Input { title: title.to_owned(), placeholder };
        text(self.ask(UiMethod::Input, Expected::Text, wanted, dialog).await)
    }

    async fn editor(&self, title: &str, prefill: Option<&str>, dialog: DialogOptions) -> Option<String> {
        let wanted = Wanted::Editor { title: title.to_owned(), prefill: prefill.map(str::to_owned) };
        text(self.ask(UiMethod::Editor, Expected::Text, wanted, dialog).await)
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        let level = match level {
            NoticeLevel::Error => "error",
            NoticeLevel::Warning => "warning",
            _ => "info",
        };
        let wanted = Wanted::Notify { message: message.to_owned(), level: level.to_owned() };
        self.tell(UiMethod::Notify, wanted);
    }

    fn set_status(&self, key: &str, text: Option<&str>) {
        let wanted = Wanted::SetStatus { key: key.to_owned(), text: text.map(str::to_owned) };
        self.tell(UiMethod::SetStatus, wanted);
    }

    fn set_widget(&self, key: &str, content: Option<WidgetContent>, _placement: WidgetPlacement) {
        let lines = match content {
            Some(WidgetContent::Lines(lines)) => Some(lines),
            // A live component cannot be drawn at a distance.
            Some(_) => return,
            None => None,
        };
        let wanted = Wanted::SetWidget { key: key.to_owned(), lines };
        self.tell(UiMethod::SetWidget, wanted);
    }

    fn set_title(&self, title: &str) {
        self.tell(UiMethod::SetTitle, Wanted::SetTitle { title: title.to_owned() });
    }
}
