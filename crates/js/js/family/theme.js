// The theme renderers draw with: colours by role, text styles, symbols. The palette is the front end's, or ours.

import { host } from "toolsmith:kernel";

// Roles to SGR parameters. Sixteen colours only, so that a terminal's own scheme decides what they look like.
const COLOURS = {
  text: "39", accent: "36", success: "32", error: "31", warning: "33", muted: "90", dim: "90",
  border: "90", borderAccent: "36", borderMuted: "90",
  toolTitle: "39", toolOutput: "90", toolDiffAdded: "32", toolDiffRemoved: "31", toolDiffContext: "90",
  userMessageText: "39", customMessageText: "39", customMessageLabel: "36", thinkingText: "90",
  mdHeading: "33", mdLink: "34", mdLinkUrl: "90", mdCode: "36", mdCodeBlock: "32", mdCodeBlockBorder: "90",
  mdQuote: "90", mdQuoteBorder: "90", mdHr: "90", mdListBullet: "36",
  syntaxComment: "90", syntaxKeyword: "35", syntaxFunction: "34", syntaxVariable: "39", syntaxString: "32",
  syntaxNumber: "33", syntaxType: "36", syntaxOperator: "39", syntaxPunctuation: "90",
  thinkingOff: "90", thinkingMinimal: "90", thinkingLow: "34", thinkingMedium: "36", thinkingHigh: "35", thinkingXhigh: "35", thinkingMax: "31",
  bashMode: "32", pythonMode: "33",
  statusLineModel: "36", statusLinePath: "34", statusLineGitClean: "32", statusLineGitDirty: "33", statusLineContext: "90",
  statusLineSpend: "90", statusLineCost: "90", statusLineOutput: "90", statusLineSep: "90", statusLineStaged: "32",
  statusLineDirty: "33", statusLineUntracked: "31", statusLineSubagents: "35",
};

const BACKGROUNDS = {
  selectedBg: "100", userMessageBg: "49", customMessageBg: "49", toolPendingBg: "49", toolSuccessBg: "49", toolErrorBg: "49", statusLineBg: "49",
};

const SYMBOLS = {
  status: { success: "✔", error: "✘", warning: "⚠", info: "ℹ", pending: "○", disabled: "○", enabled: "●", running: "◐", shadowed: "◌", aborted: "■", done: "✔" },
  nav: { cursor: "❯", selected: "●", expand: "▸", collapse: "▾", back: "←" },
  tree: { branch: "├─", last: "└─", vertical: "│", horizontal: "─", hook: "└" },
  progress: { filled: "█", empty: "░" },
  boxRound: { topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", horizontal: "─", vertical: "│", teeDown: "┬", teeUp: "┴", teeLeft: "┤", teeRight: "├", cross: "┼" },
  boxSharp: { topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘", horizontal: "─", vertical: "│", cross: "┼", teeDown: "┬", teeUp: "┴", teeRight: "├", teeLeft: "┤" },
  sep: { powerline: "│", powerlineThin: "│", powerlineLeft: "│", powerlineRight: "│", block: "█", space: " ", asciiLeft: ">", asciiRight: "<", dot: " · ", slash: " / ", pipe: " | " },
  icon: { model: "◆", plan: "▤", goal: "◎", pause: "‖", loop: "↻", folder: "▸", search: "⌕", file: "▫", git: "±", branch: "⎇", pr: "⇄", tokens: "#", context: "▥", cost: "$", time: "◷", agents: "◈", cache: "▣", input: "→", output: "←", host: "▣", session: "▤", package: "▦", warning: "⚠", rewind: "↶", auto: "∞", fast: "»" },
  checkbox: { checked: "☑", unchecked: "☐" },
  radio: { selected: "◉", unselected: "○" },
  format: { bullet: "•", dash: "—", bracketLeft: "[", bracketRight: "]" },
  md: { quoteBorder: "│", hrChar: "─", bullet: "•" },
};

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

const given = (() => {
  const json = host.themePalette();
  return json === "" ? {} : JSON.parse(json);
})();
const colours = { ...COLOURS, ...given.colours };
const backgrounds = { ...BACKGROUNDS, ...given.backgrounds };

function sequence(table, name) {
  const parameters = table[name];
  if (parameters === undefined) throw new Error(`Unknown theme color: ${name}`);
  return `\x1b[${parameters}m`;
}

const style = (on, off) => (text) => `\x1b[${on}m${text}\x1b[${off}m`;

export class Theme {
  name = given.name ?? "toolsmith";
  isLight = Boolean(given.isLight);
  spinnerFrames = SPINNER;

  fg(color, text) {
    return `${sequence(colours, color)}${text}\x1b[39m`;
  }
  bg(color, text) {
    return `${sequence(backgrounds, color)}${text}\x1b[49m`;
  }
  bold = style(1, 22);
  dim = style(2, 22);
  italic = style(3, 23);
  underline = style(4, 24);
  inverse = style(7, 27);
  strikethrough = style(9, 29);
  getFgAnsi(color) {
    return sequence(colours, color);
  }
  getBgAnsi(color) {
    return sequence(backgrounds, color);
  }
  getColorMode() {
    return "256color";
  }
  symbol(key) {
    const [group, name] = String(key).split(".");
    return SYMBOLS[group]?.[name] ?? "";
  }
  styledSymbol(key, color) {
    return this.fg(color, this.symbol(key));
  }
  getSymbolPreset() {
    return "unicode";
  }
  getSpinnerFrames() {
    return SPINNER;
  }
  getThinkingBorderColor() {
    return (text) => this.fg("border", text);
  }
  getBashModeBorderColor() {
    return (text) => this.fg("bashMode", text);
  }
  getLangIcon() {
    return "";
  }
}
for (const [group, symbols] of Object.entries(SYMBOLS)) {
  Object.defineProperty(Theme.prototype, group, { get: () => symbols, enumerable: true, configurable: true });
}

export const theme = new Theme();

/** What the Markdown component draws with. */
export function getMarkdownTheme() {
  const by = (color) => (text) => theme.fg(color, text);
  return {
    heading: by("mdHeading"), link: by("mdLink"), linkUrl: by("mdLinkUrl"), code: by("mdCode"), codeBlock: by("mdCodeBlock"),
    codeBlockBorder: by("mdCodeBlockBorder"), quote: by("mdQuote"), quoteBorder: by("mdQuoteBorder"), hr: by("mdHr"), listBullet: by("mdListBullet"),
    bold: theme.bold, italic: theme.italic, underline: theme.underline, strikethrough: theme.strikethrough,
    symbols: { quoteBorder: SYMBOLS.md.quoteBorder, hrChar: SYMBOLS.md.hrChar, bullet: SYMBOLS.md.bullet },
  };
}

const selection = () => ({
  selectedPrefix: (text) => theme.fg("accent", text), selectedText: (text) => theme.fg("accent", text),
  description: (text) => theme.fg("muted", text), scrollInfo: (text) => theme.fg("muted", text), noMatch: (text) => theme.fg("warning", text),
});
export const getSelectListTheme = selection;
export const getSettingsListTheme = () => ({ ...selection(), label: (text) => text, value: (text) => theme.fg("muted", text), hint: (text) => theme.fg("dim", text), cursor: "→ " });
export const getEditorTheme = () => ({ borderColor: (text) => theme.fg("border", text), selectList: selection() });
export const getSymbolTheme = () => SYMBOLS;
export const isValidThemeColor = (name) => name in colours;
export const highlightCode = (code) => String(code).split("\n");
export const initTheme = () => {};
