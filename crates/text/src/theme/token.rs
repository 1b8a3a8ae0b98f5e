//! The colour roles of a theme, by the names of compatible agents.

macro_rules! tokens {
    ($($token:ident = $name:literal,)*) => {
        /// A colour role.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are the documentation; they are fixed by theme files")]
        pub enum Token { $($token,)* }

        impl Token {
            /// Every role.
            pub const ALL: &'static [Self] = &[$(Self::$token,)*];
            /// The number of roles.
            pub(crate) const COUNT: usize = Self::ALL.len();

            /// Returns its name in theme files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$token => $name,)* }
            }

            /// Finds a role by its name.
            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$token),)* _ => None }
            }
        }
    };
}

tokens! {
    Text = "text",
    Accent = "accent",
    Success = "success",
    Error = "error",
    Warning = "warning",
    Muted = "muted",
    Dim = "dim",
    Border = "border",
    BorderAccent = "borderAccent",
    BorderMuted = "borderMuted",
    ToolTitle = "toolTitle",
    ToolOutput = "toolOutput",
    ToolDiffAdded = "toolDiffAdded",
    ToolDiffRemoved = "toolDiffRemoved",
    ToolDiffContext = "toolDiffContext",
    UserMessageText = "userMessageText",
    CustomMessageText = "customMessageText",
    CustomMessageLabel = "customMessageLabel",
    ThinkingText = "thinkingText",
    MdHeading = "mdHeading",
    MdLink = "mdLink",
    MdLinkUrl = "mdLinkUrl",
    MdCode = "mdCode",
    MdCodeBlock = "mdCodeBlock",
    MdCodeBlockBorder = "mdCodeBlockBorder",
    MdQuote = "mdQuote",
    MdQuoteBorder = "mdQuoteBorder",
    MdHr = "mdHr",
    MdListBullet = "mdListBullet",
    SyntaxComment = "syntaxComment",
    SyntaxKeyword = "syntaxKeyword",
    SyntaxFunction = "syntaxFunction",
    SyntaxVariable = "syntaxVariable",
    SyntaxString = "syntaxString",
    SyntaxNumber = "syntaxNumber",
    SyntaxType = "syntaxType",
    SyntaxOperator = "syntaxOperator",
    SyntaxPunctuation = "syntaxPunctuation",
    ThinkingOff = "thinkingOff",
    ThinkingMinimal = "thinkingMinimal",
    ThinkingLow = "thinkingLow",
    ThinkingMedium = "thinkingMedium",
    ThinkingHigh = "thinkingHigh",
    ThinkingXhigh = "thinkingXhigh",
    ThinkingMax = "thinkingMax",
    BashMode = "bashMode",
    PythonMode = "pythonMode",
    StatusLineModel = "statusLineModel",
    StatusLinePath = "statusLinePath",
    StatusLineGitClean = "statusLineGitClean",
    StatusLineGitDirty = "statusLineGitDirty",
    StatusLineContext = "statusLineContext",
    StatusLineSpend = "statusLineSpend",
    StatusLineCost = "statusLineCost",
    StatusLineOutput = "statusLineOutput",
    StatusLineSep = "statusLineSep",
    StatusLineStaged = "statusLineStaged",
    StatusLineDirty = "statusLineDirty",
    StatusLineUntracked = "statusLineUntracked",
    StatusLineSubagents = "statusLineSubagents",
    SelectedBg = "selectedBg",
    UserMessageBg = "userMessageBg",
    CustomMessageBg = "customMessageBg",
    ToolPendingBg = "toolPendingBg",
    ToolSuccessBg = "toolSuccessBg",
    ToolErrorBg = "toolErrorBg",
    StatusLineBg = "statusLineBg",
}

impl Token {
    /// Returns whether the role is a background.
    pub const fn is_background(self) -> bool {
        matches!(
            self,
            Self::SelectedBg
                | Self::UserMessageBg
                | Self::CustomMessageBg
                | Self::ToolPendingBg
                | Self::ToolSuccessBg
                | Self::ToolErrorBg
                | Self::StatusLineBg
        )
    }
}
