// Components, colours and symbols.

declare namespace Toolsmith {
  // ------------------------------------------------------------------------------------------- rendering

  /** Something that can be drawn. */
  interface Component {
    /**
     * Returns the lines for a width.
     * @example const component = { render: (width: number) => ["-".repeat(width)] };
     */
    render(width: number): string[];
    /**
     * Drops what the component remembers of its lines, such as after a change of the theme.
     * @example const component = { render: () => ["text"], invalidate() {} };
     */
    invalidate?(): void;
    /**
     * Handles keys, where the component has the focus.
     * @example const component = { render: () => ["Press q"], handleInput: (data: string) => pi.pi.matchesKey(data, "q") };
     */
    handleInput?(data: string): void;
    /**
     * Releases what the component holds.
     * @example const component = { render: () => ["text"], dispose() {} };
     */
    dispose?(): void;
  }

  /** The colours of text, by role. */
  type ThemeColor =
    | "text" | "accent" | "success" | "error" | "warning" | "muted" | "dim"
    | "border" | "borderAccent" | "borderMuted"
    | "toolTitle" | "toolOutput" | "toolDiffAdded" | "toolDiffRemoved" | "toolDiffContext"
    | "userMessageText" | "customMessageText" | "customMessageLabel" | "thinkingText"
    | "mdHeading" | "mdLink" | "mdLinkUrl" | "mdCode" | "mdCodeBlock" | "mdCodeBlockBorder"
    | "mdQuote" | "mdQuoteBorder" | "mdHr" | "mdListBullet"
    | "syntaxComment" | "syntaxKeyword" | "syntaxFunction" | "syntaxVariable" | "syntaxString"
    | "syntaxNumber" | "syntaxType" | "syntaxOperator" | "syntaxPunctuation"
    | "thinkingOff" | "thinkingMinimal" | "thinkingLow" | "thinkingMedium" | "thinkingHigh" | "thinkingXhigh" | "thinkingMax"
    | "bashMode" | "pythonMode"
    | "statusLineModel" | "statusLinePath" | "statusLineGitClean" | "statusLineGitDirty" | "statusLineContext"
    | "statusLineSpend" | "statusLineCost" | "statusLineOutput" | "statusLineSep" | "statusLineStaged"
    | "statusLineDirty" | "statusLineUntracked" | "statusLineSubagents";
  /** The background colours, by role. */
  type ThemeBg =
    | "selectedBg" | "userMessageBg" | "customMessageBg" | "toolPendingBg" | "toolSuccessBg" | "toolErrorBg" | "statusLineBg";
  type Style = (text: string) => string;
  type Symbols = Readonly<Record<string, string>>;

  /** Colours by role, text styles and symbols. */
  interface Theme {
    /**
     * The name of the theme.
     * @example const name = theme.name;
     */
    readonly name: string;
    /**
     * `true` for a theme with a light background.
     * @example const colour = theme.isLight ? "dim" : "muted";
     */
    readonly isLight: boolean;
    /**
     * `"light"` or `"dark"`.
     * @example const appearance = theme.appearance;
     */
    readonly appearance: "light" | "dark";
    /**
     * The escape sequences of all colours, by role.
     * @example const start = theme.colors.accent;
     */
    readonly colors: Readonly<Record<string, string>>;
    /**
     * The frames of the spinner.
     * @example const first = theme.spinnerFrames[0];
     */
    readonly spinnerFrames: string[];
    /**
     * Colours a text. Throws for an unknown colour.
     * @example const title = theme.fg("accent", "Title");
     */
    fg(color: ThemeColor, text: string): string;
    /**
     * Colours the background of a text.
     * @example const line = theme.bg("selectedBg", " chosen ");
     */
    bg(color: ThemeBg, text: string): string;
    /**
     * Applies several styles.
     * @example const title = theme.style("Title", { fg: "accent", bold: true });
     */
    style(
      text: string,
      styles?: { fg?: ThemeColor; bg?: ThemeBg; bold?: boolean; dim?: boolean; italic?: boolean; underline?: boolean; strikethrough?: boolean; inverse?: boolean },
    ): string;
    /**
     * Makes a text bold.
     * @example const title = theme.bold("Title");
     */
    bold: Style;
    /**
     * Makes a text faint.
     * @example const note = theme.dim("note");
     */
    dim: Style;
    /**
     * Makes a text italic.
     * @example const term = theme.italic("term");
     */
    italic: Style;
    /**
     * Underlines a text.
     * @example const link = theme.underline("link");
     */
    underline: Style;
    /**
     * Swaps the colours of a text and its background.
     * @example const cursor = theme.inverse(" ");
     */
    inverse: Style;
    /**
     * Strikes a text through.
     * @example const done = theme.strikethrough("done");
     */
    strikethrough: Style;
    /**
     * Returns the escape sequence that starts a colour.
     * @example const start = theme.getFgAnsi("accent");
     */
    getFgAnsi(color: ThemeColor): string;
    /**
     * Returns the escape sequence that starts a background.
     * @example const start = theme.getBgAnsi("selectedBg");
     */
    getBgAnsi(color: ThemeBg): string;
    /**
     * Returns the colours of the terminal: `truecolor` or `256color`.
     * @example const mode = theme.getColorMode();
     */
    getColorMode(): string;
    /**
     * Returns a symbol by group and name.
     * @example const check = theme.symbol("status.success");
     */
    symbol(key: string): string;
    /**
     * Returns a coloured symbol.
     * @example const check = theme.styledSymbol("status.success", "success");
     */
    styledSymbol(key: string, color: ThemeColor): string;
    /**
     * Returns `"unicode"`.
     * @example const preset = theme.getSymbolPreset();
     */
    getSymbolPreset(): string;
    /**
     * Returns the frames of the spinner.
     * @example const frames = theme.getSpinnerFrames();
     */
    getSpinnerFrames(kind?: string): string[];
    /**
     * Returns the style of the editor's border for a thinking level.
     * @example const border = theme.getThinkingBorderColor("high")("---");
     */
    getThinkingBorderColor(level?: string): Style;
    /**
     * Returns the style of the editor's border for shell commands.
     * @example const border = theme.getBashModeBorderColor()("---");
     */
    getBashModeBorderColor(): Style;
    /**
     * Returns an empty text; elsewhere an icon of a language.
     * @example const icon = theme.getLangIcon("rust");
     */
    getLangIcon(language?: string): string;
    /**
     * Symbols of states.
     * @example const line = `${theme.status.success} passed, ${theme.status.error} failed`;
     */
    readonly status: Symbols;
    /**
     * Symbols of lists and menus.
     * @example const line = `${theme.nav.cursor} entry`;
     */
    readonly nav: Symbols;
    /**
     * Symbols of trees.
     * @example const line = `${theme.tree.last} leaf`;
     */
    readonly tree: Symbols;
    /**
     * Symbols of progress bars.
     * @example const bar = theme.progress.filled.repeat(3) + theme.progress.empty.repeat(7);
     */
    readonly progress: Symbols;
    /**
     * Corners and lines of round boxes.
     * @example const top = theme.boxRound.topLeft + theme.boxRound.horizontal.repeat(8) + theme.boxRound.topRight;
     */
    readonly boxRound: Symbols;
    /**
     * Corners and lines of square boxes.
     * @example const top = theme.boxSharp.topLeft + theme.boxSharp.horizontal.repeat(8) + theme.boxSharp.topRight;
     */
    readonly boxSharp: Symbols;
    /**
     * Separators.
     * @example const line = ["main", "clean"].join(theme.sep.dot);
     */
    readonly sep: Symbols;
    /**
     * Icons of things.
     * @example const line = `${theme.icon.file} main.rs`;
     */
    readonly icon: Symbols;
    /**
     * Check boxes.
     * @example const line = `${theme.checkbox.checked} done`;
     */
    readonly checkbox: Symbols;
    /**
     * Radio buttons.
     * @example const line = `${theme.radio.selected} chosen`;
     */
    readonly radio: Symbols;
    /**
     * Symbols of texts.
     * @example const line = `${theme.format.bullet} entry`;
     */
    readonly format: Symbols;
    /**
     * Symbols of Markdown.
     * @example const quote = `${theme.md.quoteBorder} quoted`;
     */
    readonly md: Symbols;
  }

  interface SelectItem {
    value: string;
    label?: string;
    description?: string;
  }

  interface TruncationOptions {
    maxLines?: number;
    maxBytes?: number;
  }
  interface TruncationResult {
    content: string;
    truncated: boolean;
    truncatedBy: "lines" | "bytes" | null;
    totalLines: number;
    totalBytes: number;
    maxLines: number;
    maxBytes: number;
    outputLines: number;
    outputBytes: number;
    lastLinePartial: boolean;
    firstLineExceedsLimit: boolean;
  }

  type KeyNames = Readonly<
    Record<
      | "up" | "down" | "left" | "right" | "home" | "end" | "pageUp" | "pageDown" | "insert" | "delete"
      | "enter" | "return" | "tab" | "space" | "escape" | "esc" | "backspace",
      string
    > & Record<"ctrl" | "alt" | "shift" | "ctrlShift", (key: string) => string>
  >;
  type StringEnum = <const Values extends readonly string[]>(
    values: Values,
    options?: { description?: string; default?: Values[number]; [keyword: string]: unknown },
  ) => { static: Values[number]; [keyword: string]: any };
}

