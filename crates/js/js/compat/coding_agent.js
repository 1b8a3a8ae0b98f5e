// The main package of compatible agents, and `pi.pi`.

import { exec, logger } from "toolsmith:kernel";
import * as ai from "toolsmith:compat/ai";
import * as themes from "toolsmith:compat/theme";
import * as truncation from "toolsmith:compat/truncation";
import * as tui from "toolsmith:compat/tui";
import * as utils from "toolsmith:compat/environment";

export { StringEnum } from "toolsmith:compat/ai";
export {
  Theme,
  getEditorTheme,
  getMarkdownTheme,
  getSelectListTheme,
  getSettingsListTheme,
  getSymbolTheme,
  highlightCode,
  initTheme,
  isValidThemeColor,
  theme,
} from "toolsmith:compat/theme";
export * from "toolsmith:compat/truncation";
export { keyText } from "toolsmith:compat/keys";
export { SettingsList } from "toolsmith:compat/settings_list";
export {
  BorderedLoader,
  Box,
  CancellableLoader,
  Container,
  DynamicBorder,
  Editor,
  Input,
  Key,
  Loader,
  Markdown,
  SelectList,
  Spacer,
  Text,
  TruncatedText,
  decodeKittyPrintable,
  getCapabilities,
  getImageDimensions,
  isViewportTUI,
  matchesKey,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "toolsmith:compat/tui";
export { logger };

export { CONFIG_DIR_NAME, VERSION, getAgentDir } from "toolsmith:compat/environment";

/** A tool as it is written down; for type inference elsewhere. */
export const defineTool = (tool) => tool;

/** Whether an event is about one tool's call. */
export const isToolCallEventType = (name, event) => event?.toolName === name;

/** The editor as extensions replace it: keys of the application can be handled before the editor sees them. */
export class CustomEditor extends tui.Editor {
  actionHandlers = new Map();
  onEscape = undefined;
  onCtrlD = undefined;
  onPasteImage = undefined;
  onExtensionShortcut = undefined;
  onAction(action, handler) {
    this.actionHandlers.set(action, handler);
  }
  handleInput(data) {
    const bindings = tui.getKeybindings();
    if (this.onExtensionShortcut?.(data)) return;
    if (bindings.matches(data, "app.interrupt") && this.onEscape !== undefined && !this.isShowingAutocomplete())
      return void this.onEscape();
    for (const [action, handler] of this.actionHandlers) if (bindings.matches(data, action)) return void handler();
    super.handleInput(data);
  }
}

/** Cuts the head matter off a Markdown text. */
export function parseFrontmatter(text) {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(text);
  if (match === null) return { frontmatter: {}, body: text };
  const frontmatter = {};
  for (const line of match[1].split(/\r?\n/)) {
    const pair = /^([\w-]+):\s*(.*)$/.exec(line);
    if (pair) frontmatter[pair[1]] = pair[2].replace(/^(["'])(.*)\1$/, "$2");
  }
  return { frontmatter, body: text.slice(match[0].length) };
}

export const stripFrontmatter = (text) => parseFrontmatter(text).body;

// Results and events of built-in tools, told apart by their names.
const isEventOf = (name) => (event) => event?.toolName === name;
export const isBashToolResult = isEventOf("bash");
export const isReadToolResult = isEventOf("read");
export const isEditToolResult = isEventOf("edit");
export const isWriteToolResult = isEventOf("write");
export const isGrepToolResult = isEventOf("grep");
export const isFindToolResult = isEventOf("find");
export const isLsToolResult = isEventOf("ls");

/** A key and what it does, as front ends show it. */
export const rawKeyHint = (key, description) =>
  themes.theme.fg("dim", key) + themes.theme.fg("muted", ` ${description}`);
export const keyHint = (action, description) => rawKeyHint(tui.keyText(action), description);
export const appKeyHint = (_keybindings, action, description) => keyHint(action, description);
export const editorKey = (action) => tui.keyText(action);

const queues = new Map();

/** Runs changes of one file one after the other. */
export async function withFileMutationQueue(path, change) {
  const before = queues.get(path) ?? Promise.resolve();
  const run = before.then(change, change);
  const settled = run.then(
    () => {},
    () => {},
  );
  queues.set(path, settled);
  try {
    return await run;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}

/** The last lines of a text as they are on a screen of a width. */
export function truncateToVisualLines(text, maxLines, width, paddingX = 0) {
  const side = " ".repeat(paddingX);
  const lines = tui.wrapTextWithAnsi(text, Math.max(1, width - 2 * paddingX)).map((line) => side + line);
  const skippedCount = Math.max(0, lines.length - maxLines);
  return { visualLines: lines.slice(skippedCount), skippedCount };
}

/** Colours the lines of a unified or numbered difference. */
export const renderDiff = (text) =>
  String(text)
    .split("\n")
    .map((line) => {
      const role = line.startsWith("+")
        ? "toolDiffAdded"
        : line.startsWith("-")
          ? "toolDiffRemoved"
          : "toolDiffContext";
      return themes.theme.fg(role, line);
    })
    .join("\n");

const LANGUAGES = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  go: "go",
  java: "java",
  kt: "kotlin",
  swift: "swift",
  c: "c",
  h: "c",
  cpp: "cpp",
  hpp: "cpp",
  cs: "csharp",
  php: "php",
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  fish: "fish",
  sql: "sql",
  html: "html",
  css: "css",
  scss: "scss",
  json: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  xml: "xml",
  md: "markdown",
  lua: "lua",
  zig: "zig",
  dockerfile: "dockerfile",
  makefile: "makefile",
};
export const getLanguageFromPath = (path) => LANGUAGES[String(path).split(/[./]/).pop().toLowerCase()];

/** A bus of the module's own. */
export function createEventBus() {
  const listeners = new Map();
  const on = (channel, listener) => {
    if (!listeners.has(channel)) listeners.set(channel, new Set());
    listeners.get(channel).add(listener);
    return () => listeners.get(channel).delete(listener);
  };
  const emit = (channel, data) => [...(listeners.get(channel) ?? [])].forEach((listener) => listener(data));
  return { on, emit, clear: () => listeners.clear() };
}

export const getShellConfig = () => ({ shell: "/bin/sh", args: ["-c"] });

export const execCommand = (command, args, cwd, options) => exec(command, args, { cwd, ...options });

export * from "toolsmith:adapters/built_in_tools";

const contentText = (content) =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .filter((block) => block?.type === "text")
        .map((block) => block.text)
        .join("\n");

/** Messages as models receive them: custom ones as user messages. */
export const convertToLlm = (messages) =>
  messages.flatMap((message) => {
    if (["user", "assistant", "toolResult"].includes(message.role)) return [message];
    const { role, summary, command, output, content, timestamp } = message;
    if (role === "bashExecution")
      return [{ role: "user", content: [{ type: "text", text: `Ran \`${command}\`\n${output}` }], timestamp }];
    if (summary !== undefined)
      return [{ role: "user", content: [{ type: "text", text: `<summary>\n${summary}\n</summary>` }], timestamp }];
    return role === "custom" || role === "developer" ? [{ role: "user", content, timestamp }] : [];
  });

/** A conversation as text for a summary. */
export function serializeConversation(messages) {
  const parts = [];
  for (const { role, content } of messages) {
    const text = contentText(content);
    if (role === "user" && text) parts.push(`[User]: ${text}`);
    if (role === "toolResult" && text)
      parts.push(
        `[Tool result]: ${text.length > 2000 ? `${text.slice(0, 2000)}\n[... ${text.length - 2000} more characters]` : text}`,
      );
    if (role !== "assistant") continue;
    const calls = (Array.isArray(content) ? content : []).filter((block) => block.type === "toolCall");
    if (text) parts.push(`[Assistant]: ${text}`);
    const shown = calls.map(
      ({ name, arguments: args }) =>
        `${name}(${Object.entries(args ?? {})
          .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
          .join(", ")})`,
    );
    if (shown.length > 0) parts.push(`[Assistant tool calls]: ${shown.join("; ")}`);
  }
  return parts.join("\n\n");
}

/** Four characters are about one token. */
export const estimateTokens = (message) => Math.ceil(JSON.stringify(message?.content ?? message ?? "").length / 4);

/** The schema library, loaded when it is touched. */
export const z = ai.z;
export const zod = ai.z;
export { Type } from "toolsmith:compat/ai";

export default {
  ...ai,
  ...themes,
  ...truncation,
  ...tui,
  ...utils,
  withFileMutationQueue,
  keyHint,
  rawKeyHint,
  truncateToVisualLines,
  renderDiff,
  getLanguageFromPath,
  createEventBus,
  stripFrontmatter,
  defineTool,
  isToolCallEventType,
  parseFrontmatter,
  execCommand,
  logger,
  zod,
};
