//! The actions keys can be bound to. Ids and defaults are those of pi, so that its users' files and the code of extensions
//! work unchanged; ids that start with `toolsmith.` are our own.

/// An action with its id, default keys and description.
#[derive(Clone, Copy, Debug)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Id in `keybindings.json`.
    pub id: &'static str,
    /// Default keys.
    pub keys: &'static [&'static str],
    /// Description for `/hotkeys`.
    pub doc: &'static str,
}

macro_rules! actions {
    ($($name:ident $id:literal [$($key:literal),*] $doc:literal)*) => {
        /// An action of the interface. Several may have the same key: the place that has the focus decides which are asked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Action {
            $(#[doc = $doc] $name,)*
        }

        impl Action {
            /// All actions.
            pub const ALL: &[ActionInfo] = &[
                $(ActionInfo { action: Action::$name, id: $id, keys: &[$($key),*], doc: $doc },)*
            ];
        }
    };
}

actions! {
    CursorUp "tui.editor.cursorUp" ["up"] "Move the cursor up"
    CursorDown "tui.editor.cursorDown" ["down"] "Move the cursor down"
    HistoryPrevious "tui.editor.historyPrevious" [] "Recall the previous prompt"
    HistoryNext "tui.editor.historyNext" [] "Recall the next prompt"
    CursorLeft "tui.editor.cursorLeft" ["left", "ctrl+b"] "Move the cursor left"
    CursorRight "tui.editor.cursorRight" ["right", "ctrl+f"] "Move the cursor right"
    CursorWordLeft "tui.editor.cursorWordLeft" ["alt+left", "ctrl+left", "alt+b"] "Move the cursor one word left"
    CursorWordRight "tui.editor.cursorWordRight" ["alt+right", "ctrl+right", "alt+f"] "Move the cursor one word right"
    CursorLineStart "tui.editor.cursorLineStart" ["home", "ctrl+a"] "Move the cursor to the start of the line"
    CursorLineEnd "tui.editor.cursorLineEnd" ["end", "ctrl+e"] "Move the cursor to the end of the line"
    JumpForward "tui.editor.jumpForward" ["ctrl+]"] "Jump forward to a character"
    JumpBackward "tui.editor.jumpBackward" ["ctrl+alt+]"] "Jump backward to a character"
    EditorPageUp "tui.editor.pageUp" ["pageUp", "ctrl+pageUp"] "Scroll up by a page"
    EditorPageDown "tui.editor.pageDown" ["pageDown", "ctrl+pageDown"] "Scroll down by a page"
    DeleteCharBackward "tui.editor.deleteCharBackward" ["backspace"] "Delete the character before the cursor"
    DeleteCharForward "tui.editor.deleteCharForward" ["delete", "ctrl+d"] "Delete the character at the cursor"
    DeleteWordBackward "tui.editor.deleteWordBackward" ["ctrl+w", "alt+backspace"] "Delete the word before the cursor"
    DeleteWordForward "tui.editor.deleteWordForward" ["alt+d", "alt+delete"] "Delete the word after the cursor"
    DeleteToLineStart "tui.editor.deleteToLineStart" ["ctrl+u"] "Delete to the start of the line"
    DeleteToLineEnd "tui.editor.deleteToLineEnd" ["ctrl+k"] "Delete to the end of the line"
    Yank "tui.editor.yank" ["ctrl+y"] "Insert the last deleted text"
    YankPop "tui.editor.yankPop" ["alt+y"] "Replace inserted text with an earlier deleted one"
    Undo "tui.editor.undo" ["ctrl+-"] "Undo the last edit"
    NewLine "tui.input.newLine" ["shift+enter", "ctrl+j"] "Insert a line break"
    Submit "tui.input.submit" ["enter"] "Send the prompt; during a run, steer"
    Tab "tui.input.tab" ["tab"] "Complete"
    InputCopy "tui.input.copy" ["ctrl+c"] "Copy the selection"
    SelectUp "tui.select.up" ["up"] "Move the selection up"
    SelectDown "tui.select.down" ["down"] "Move the selection down"
    SelectPageUp "tui.select.pageUp" ["pageUp"] "Move the selection up by a page"
    SelectPageDown "tui.select.pageDown" ["pageDown"] "Move the selection down by a page"
    SelectConfirm "tui.select.confirm" ["enter"] "Confirm the selection"
    SelectCancel "tui.select.cancel" ["escape", "ctrl+c"] "Close the list or dialog"
    ScreenPageUp "tui.altScreen.pageUp" ["pageUp"] "Scroll the transcript up by a page"
    ScreenPageDown "tui.altScreen.pageDown" ["pageDown"] "Scroll the transcript down by a page"
    ScreenHalfPageUp "tui.altScreen.halfPageUp" [] "Scroll the transcript up by half a page"
    ScreenHalfPageDown "tui.altScreen.halfPageDown" [] "Scroll the transcript down by half a page"
    ScreenLineUp "tui.altScreen.lineUp" [] "Scroll the transcript up by a line"
    ScreenLineDown "tui.altScreen.lineDown" [] "Scroll the transcript down by a line"
    PreviousPrompt "tui.altScreen.previousPrompt" ["ctrl+shift+up", "ctrl+up"] "Go to the previous prompt"
    NextPrompt "tui.altScreen.nextPrompt" ["ctrl+shift+down", "ctrl+down"] "Go to the next prompt"
    ScreenSearch "tui.altScreen.search" ["ctrl+shift+f"] "Search the transcript"
    SearchNext "tui.altScreen.searchNext" ["enter", "ctrl+g"] "Go to the next match"
    SearchPrevious "tui.altScreen.searchPrevious" ["shift+enter", "ctrl+shift+g"] "Go to the previous match"
    SearchClose "tui.altScreen.searchClose" ["escape"] "Close the search"
    ScreenTop "tui.altScreen.top" ["ctrl+home"] "Scroll to the beginning"
    ScreenBottom "tui.altScreen.bottom" ["ctrl+end"] "Scroll to the end and follow new output"
    Interrupt "app.interrupt" ["escape"] "Stop the run; twice on an empty prompt, open the tree"
    Clear "app.clear" ["ctrl+c"] "Clear the prompt; twice, quit"
    Exit "app.exit" ["ctrl+d"] "Quit if the prompt is empty"
    Suspend "app.suspend" ["ctrl+z"] "Suspend to the shell"
    ExternalEditor "app.editor.external" ["ctrl+g"] "Edit the prompt in $VISUAL or $EDITOR"
    PasteImage "app.clipboard.pasteImage" ["ctrl+v"] "Paste an image from the clipboard"
    SessionNew "app.session.new" [] "Start a new session"
    SessionTree "app.session.tree" [] "Open the session tree"
    SessionFork "app.session.fork" [] "Start a session from an earlier prompt"
    SessionResume "app.session.resume" [] "Open the list of sessions"
    SessionTogglePath "app.session.togglePath" ["ctrl+p"] "Show sessions of all directories"
    SessionToggleSort "app.session.toggleSort" ["ctrl+s"] "Change the order"
    SessionToggleNamed "app.session.toggleNamedFilter" ["ctrl+n"] "Show only named sessions"
    SessionRename "app.session.rename" ["ctrl+r"] "Rename the session"
    SessionDelete "app.session.delete" ["ctrl+d"] "Delete the session"
    SessionDeleteNoninvasive "app.session.deleteNoninvasive" ["ctrl+backspace"] "Delete the session if the search is empty"
    ModelSelect "app.model.select" ["ctrl+l"] "Choose a model"
    ModelCycleForward "app.model.cycleForward" ["ctrl+p"] "Use the next model"
    ModelCycleBackward "app.model.cycleBackward" ["shift+ctrl+p"] "Use the previous model"
    ModelsSave "app.models.save" ["ctrl+s"] "Save the model as the default"
    ThinkingCycle "app.thinking.cycle" ["shift+tab"] "Change the thinking level"
    ThinkingSave "app.thinking.save" ["ctrl+s"] "Save the thinking level as the default"
    ThinkingToggle "app.thinking.toggle" ["ctrl+t"] "Show or hide thinking"
    ToolsExpand "app.tools.expand" ["ctrl+o"] "Expand or collapse tool output"
    MessageCopy "app.message.copy" ["ctrl+x"] "Copy the last answer"
    FollowUp "app.message.followUp" ["alt+enter", "ctrl+q"] "Queue the prompt for the end of the run"
    Dequeue "app.message.dequeue" ["alt+up"] "Take queued messages back"
    TreeFoldOrUp "app.tree.foldOrUp" ["ctrl+left", "alt+left"] "Fold the branch, or go to its start"
    TreeUnfoldOrDown "app.tree.unfoldOrDown" ["ctrl+right", "alt+right"] "Unfold the branch, or go to its end"
    TreeEditLabel "app.tree.editLabel" ["shift+l"] "Label the entry"
    TreeToggleTimestamp "app.tree.toggleLabelTimestamp" ["shift+t"] "Show times"
    TreeFilterDefault "app.tree.filter.default" ["ctrl+d"] "Show the default entries"
    TreeFilterNoTools "app.tree.filter.noTools" ["ctrl+t"] "Hide tool results"
    TreeFilterUserOnly "app.tree.filter.userOnly" ["ctrl+u"] "Show only prompts"
    TreeFilterLabeledOnly "app.tree.filter.labeledOnly" ["ctrl+l"] "Show only labelled entries"
    TreeFilterAll "app.tree.filter.all" ["ctrl+a"] "Show all entries"
    TreeFilterForward "app.tree.filter.cycleForward" ["ctrl+o"] "Use the next filter"
    TreeFilterBackward "app.tree.filter.cycleBackward" ["shift+ctrl+o"] "Use the previous filter"
    ModelsEnableAll "app.models.enableAll" ["ctrl+a"] "Enable all models"
    ModelsClearAll "app.models.clearAll" ["ctrl+x"] "Disable all models"
    ModelsToggleProvider "app.models.toggleProvider" ["ctrl+p"] "Enable or disable the models of a provider"
    ModelsReorderUp "app.models.reorderUp" ["alt+up"] "Move the model up"
    ModelsReorderDown "app.models.reorderDown" ["alt+down"] "Move the model down"
    HistorySearch "toolsmith.history.search" ["ctrl+r"] "Search earlier prompts"
    Transcript "toolsmith.transcript" ["alt+t"] "Open the full-screen transcript"
    Pending "toolsmith.pending" ["alt+p"] "Review pending changes"
    Redraw "toolsmith.redraw" ["alt+l"] "Redraw the screen"
}

impl Action {
    /// Returns the id in `keybindings.json`.
    pub fn id(self) -> &'static str {
        Self::ALL.iter().find(|info| info.action == self).map_or("", |info| info.id)
    }

    /// Finds an action by its id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().find(|info| info.id == id).map(|info| info.action)
    }
}
