// The theme renderers draw with: colours by role, text styles, symbols. The palette is the front end's, or ours.

import { host } from "toolsmith:kernel";

// Roles to SGR parameters. Sixteen colours only, so that a terminal's own scheme decides what they look like.
const COLOURS = {
  text: "39",
  accent: "36",
  success: "32",
  error: "31",
  warning: "33",
  muted: "90",
  dim: "90",
  border: "90",
  borderAccent: "36",
  borderMuted: "90",
  toolTitle: "39",
  toolOutput: "90",
  toolDiffAdded: "32",
  toolDiffRemoved: "31",
  toolDiffContext: "90",
  userMessageText: "39",
  customMessageText: "39",
  customMessageLabel: "36",
  thinkingText: "90",
  mdHeading: "33",
  mdLink: "34",
  mdLinkUrl: "90",
  mdCode: "36",
  mdCodeBlock: "32",
  mdCodeBlockBorder: "90",
  mdQuote: "90",
  mdQuoteBorder: "90",
  mdHr: "90",
  mdListBullet: "36",
  syntaxComment: "90",
  syntaxKeyword: "35",
  syntaxFunction: "34",
  syntaxVariable: "39",
  syntaxString: "32",
  syntaxNumber: "33",
  syntaxType: "36",
  syntaxOperator: "39",
  syntaxPunctuation: "90",
  thinkingOff: "90",
  thinkingMinimal: "90",
  thinkingLow: "34",
  thinkingMedium: "36",
  thinkingHigh: "35",
  thinkingXhigh: "35",
  thinkingMax: "31",
  bashMode: "32",
  pythonMode: "33",
  statusLineModel: "36",
  statusLinePath: "34",
  statusLineGitClean: "32",
  statusLineGitDirty: "33",
  statusLineContext: "90",
  statusLineSpend: "90",
  statusLineCost: "90",
  statusLineOutput: "90",
  statusLineSep: "90",
  statusLineStaged: "32",
  statusLineDirty: "33",
  statusLineUntracked: "31",
  statusLineSubagents: "35",
};

const BACKGROUNDS = {
  selectedBg: "100",
  userMessageBg: "49",
  customMessageBg: "49",
  toolPendingBg: "49",
  toolSuccessBg: "49",
  toolErrorBg: "49",
  statusLineBg: "49",
};

const SYMBOLS = {
  status: {
    success: "✔",
    error: "✘",
    warning: "⚠",
    info: "ℹ",
    pending: "○",
    disabled: "○",
    enabled: "●",
    running: "◐",
    shadowed: "◌",
    aborted: "■",
    done: "✔",
  },
  nav: { cursor: "❯", selected: "●", expand: "▸", collapse: "▾", back: "←" },
  tree: { branch: "├─", last: "└─", vertical: "│", horizontal: "─", hook: "└" },
  progress: { filled: "█", empty: "░" },
  boxRound: {
    topLeft: "╭",
    topRight: "╮",
    bottomLeft: "╰",
    bottomRight: "╯",
    horizontal: "─",
    vertical: "│",
    teeDown: "┬",
    teeUp: "┴",
    teeLeft: "┤",
    teeRight: "├",
    cross: "┼",
  },
  boxSharp: {
    topLeft: "┌",
    topRight: "┐",
    bottomLeft: "└",
    bottomRight: "┘",
    horizontal: "─",
    vertical: "│",
    cross: "┼",
    teeDown: "┬",
    teeUp: "┴",
    teeRight: "├",
    teeLeft: "┤",
  },
  sep: {
    powerline: "│",
    powerlineThin: "│",
    powerlineLeft: "│",
    powerlineRight: "│",
    block: "█",
    space: " ",
    asciiLeft: ">",
    asciiRight: "<",
    dot: " · ",
    slash: " / ",
    pipe: " | ",
  },
  icon: {
    model: "◆",
    plan: "▤",
    goal: "◎",
    pause: "‖",
    loop: "↻",
    folder: "▸",
    search: "⌕",
    file: "▫",
    git: "±",
    branch: "⎇",
    pr: "⇄",
    tokens: "#",
    context: "▥",
    cost: "$",
    time: "◷",
    agents: "◈",
    cache: "▣",
    input: "→",
    output: "←",
    host: "▣",
    session: "▤",
    package: "▦",
    warning: "⚠",
    rewind: "↶",
    auto: "∞",
    fast: "»",
  },
  checkbox: { checked: "☑", unchecked: "☐" },
  radio: { selected: "◉", unselected: "○" },
  format: { bullet: "•", dash: "—", bracketLeft: "[", bracketRight: "]" },
  md: { quoteBorder: "│", hrChar: "─", bullet: "•" },
};

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The colours of a palette over our own. */
function tables(json) {
  const given = json === "" ? {} : JSON.parse(json);
  return { given, colours: { ...COLOURS, ...given.colours }, backgrounds: { ...BACKGROUNDS, ...given.backgrounds } };
}

let version = host.uiCall(0, "themeVersion", "");
let current = tables(host.themePalette());

/** Takes over the interface's palette if it changed. Called before anything is drawn. */
export function refresh() {
  const now = host.uiCall(0, "themeVersion", "");
  if (now === version) return;
  version = now;
  current = tables(host.themePalette());
}

function sequence(table, name) {
  const parameters = Object.hasOwn(table, name) ? table[name] : undefined;
  if (parameters === undefined) throw new Error(`Unknown theme color: ${name}`);
  return `\x1b[${parameters}m`;
}

const style = (on, off) => (text) => `\x1b[${on}m${text}\x1b[${off}m`;

export class Theme {
  // A theme that is not the current one has tables of its own.
  #tables;
  spinnerFrames = SPINNER;

  constructor(own) {
    this.#tables = own?.colours ? own : undefined;
  }
  get #table() {
    return this.#tables ?? current;
  }
  get name() {
    return this.#table.given.name ?? "toolsmith";
  }
  get isLight() {
    return Boolean(this.#table.given.isLight);
  }
  get appearance() {
    return this.isLight ? "light" : "dark";
  }
  /** The colours by role, as escape sequences. */
  get colors() {
    const { colours, backgrounds } = this.#table;
    return Object.fromEntries(
      Object.entries({ ...colours, ...backgrounds }).map(([name, parameters]) => [name, `\x1b[${parameters}m`]),
    );
  }

  fg(color, text) {
    return `${sequence(this.#table.colours, color)}${text}\x1b[39m`;
  }
  bg(color, text) {
    return `${sequence(this.#table.backgrounds, color)}${text}\x1b[49m`;
  }
  /** Several styles at once. */
  style(text, { fg, bg, bold, dim, italic, underline, strikethrough, inverse } = {}) {
    let styled = String(text);
    if (bold) styled = this.bold(styled);
    if (dim) styled = this.dim(styled);
    if (italic) styled = this.italic(styled);
    if (underline) styled = this.underline(styled);
    if (strikethrough) styled = this.strikethrough(styled);
    if (inverse) styled = this.inverse(styled);
    if (fg) styled = this.fg(fg, styled);
    return bg ? this.bg(bg, styled) : styled;
  }
  bold = style(1, 22);
  dim = style(2, 22);
  italic = style(3, 23);
  underline = style(4, 24);
  inverse = style(7, 27);
  strikethrough = style(9, 29);
  getFgAnsi(color) {
    return sequence(this.#table.colours, color);
  }
  getBgAnsi(color) {
    return sequence(this.#table.backgrounds, color);
  }
  getColorMode() {
    return this.#table.given.colorMode ?? "256color";
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
  getThinkingBorderColor(level) {
    const role = `thinking${String(level ?? "off").replace(/^./, (letter) => letter.toUpperCase())}`;
    return (text) => this.fg(Object.hasOwn(COLOURS, role) ? role : "border", text);
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

/** A theme of the interface by its name, or undefined. */
export function themeNamed(name) {
  const json = host.uiCall(0, "theme", JSON.stringify(name));
  return json === "" ? undefined : new Theme(tables(json));
}

/** What the Markdown component draws with. */
export function getMarkdownTheme() {
  const by = (color) => (text) => theme.fg(color, text);
  return {
    heading: by("mdHeading"),
    link: by("mdLink"),
    linkUrl: by("mdLinkUrl"),
    code: by("mdCode"),
    codeBlock: by("mdCodeBlock"),
    codeBlockBorder: by("mdCodeBlockBorder"),
    quote: by("mdQuote"),
    quoteBorder: by("mdQuoteBorder"),
    hr: by("mdHr"),
    listBullet: by("mdListBullet"),
    bold: theme.bold,
    italic: theme.italic,
    underline: theme.underline,
    strikethrough: theme.strikethrough,
    highlightCode,
    symbols: { quoteBorder: SYMBOLS.md.quoteBorder, hrChar: SYMBOLS.md.hrChar, bullet: SYMBOLS.md.bullet },
  };
}

const selection = () => ({
  selectedPrefix: (text) => theme.fg("accent", text),
  selectedText: (text) => theme.fg("accent", text),
  description: (text) => theme.fg("muted", text),
  scrollInfo: (text) => theme.fg("muted", text),
  noMatch: (text) => theme.fg("warning", text),
});
export const getSelectListTheme = selection;
export const getSettingsListTheme = () => ({
  ...selection(),
  label: (text) => text,
  value: (text) => theme.fg("muted", text),
  hint: (text) => theme.fg("dim", text),
  cursor: "→ ",
});
export const getEditorTheme = () => ({ borderColor: (text) => theme.fg("border", text), selectList: selection() });
export const getSymbolTheme = () => SYMBOLS;
export const isValidThemeColor = (name) => Object.hasOwn(current.colours, name);

/** Lines of code with colours, by language. */
export const highlightCode = (code, language = "") =>
  JSON.parse(host.highlightRows(String(code), String(language ?? ""))).map((row) =>
    row.map(({ text, role }) => (role === undefined ? text : theme.fg(role, text))).join(""),
  );
export const initTheme = () => {};
