// --------------------------------------------------------------------------------------------- modules

// The module of tools, which has the exports of all packages below.
declare module "toolsmith*" {
  export * from "@oh-my-pi/pi-coding-agent";
  export { default } from "@oh-my-pi/pi-coding-agent";
  export * from "@oh-my-pi/pi-tui";
  export * from "@oh-my-pi/pi-ai";
  export * from "@oh-my-pi/pi-utils";
}

declare module "@oh-my-pi/*" {
  export type CustomToolFactory = Toolsmith.CustomToolFactory;
  export type GetState<State = any> = Toolsmith.GetState<State>;
  export type CustomToolAPI = Toolsmith.CustomToolAPI;
  export type CustomTool<Parameters = any, Details = any> = Toolsmith.CustomTool<Parameters, Details>;
  export type CustomToolContext = Toolsmith.CustomToolContext;
  export type CustomToolSessionEvent = Toolsmith.CustomToolSessionEvent;
  export type CustomToolUIContext = Toolsmith.UIContext;
  export type CustomToolPendingAction = Toolsmith.PendingAction;
  export type ExtensionAPI = Toolsmith.ExtensionAPI;
  export type ExtensionContext = Toolsmith.ExtensionContext;
  export type ExtensionCommandContext = Toolsmith.CommandContext;
  export type ExtensionFactory = (pi: Toolsmith.ExtensionAPI) => void | Promise<void>;
  export type ToolDefinition<Parameters = any, Details = any> = Toolsmith.ExtensionTool<Parameters, Details>;
  export type AgentToolResult<Details = any> = Toolsmith.AgentToolResult<Details>;
  export type CustomToolResult<Details = any> = Toolsmith.AgentToolResult<Details>;
  export type AgentToolUpdateCallback<Details = any> = Toolsmith.AgentToolUpdateCallback<Details>;
  export type RenderOptions = Toolsmith.RenderOptions;
  export type RenderContext = Toolsmith.RenderContext;
  export type RenderResultOptions = Toolsmith.RenderOptions;
  export type PendingAction = Toolsmith.PendingAction;
  export type UIContext = Toolsmith.UIContext;
  export type ExecOptions = Toolsmith.ExecOptions;
  export type ExecResult = Toolsmith.ExecResult;
  export type ReadonlySessionManager = Toolsmith.ReadonlySessionManager;
  export type SessionEntry = Toolsmith.SessionEntry;
  export type ModelRegistry = Toolsmith.ModelRegistry;
  export type Theme = Toolsmith.Theme;
  export type ThemeColor = Toolsmith.ThemeColor;
  export type ThemeBg = Toolsmith.ThemeBg;
  export type TruncationOptions = Toolsmith.TruncationOptions;
  export type TruncationResult = Toolsmith.TruncationResult;

  export { StringEnum, Type, z, z as zod } from "@oh-my-pi/pi-ai";
  export {
    BorderedLoader, Box, CancellableLoader, Container, DynamicBorder, Editor, Input, Key, Loader, Markdown, SelectList, SettingsList, Spacer,
    Text, TruncatedText, decodeKittyPrintable, getCapabilities, getImageDimensions, isViewportTUI, keyText, matchesKey, truncateToWidth,
    visibleWidth, wrapTextWithAnsi,
  } from "@oh-my-pi/pi-tui";
  export { CONFIG_DIR_NAME, VERSION, formatBytes, getAgentDir, logger } from "@oh-my-pi/pi-utils";
  import { Editor } from "@oh-my-pi/pi-tui";
  export type { Component, SelectItem } from "@oh-my-pi/pi-tui";

  /**
   * Returns the tool; its arguments have the types of its schema.
   * @example
   * const tool = defineTool({
   *   name: "add",
   *   description: "Adds two numbers",
   *   parameters: z.object({ a: z.number(), b: z.number() }),
   *   execute: async (id, { a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
   * });
   */
  export function defineTool<Parameters, Details = any>(tool: CustomTool<Parameters, Details>): CustomTool<Parameters, Details>;
  /**
   * The class of themes.
   * @example const isTheme = theme instanceof Theme;
   */
  export const Theme: new () => Toolsmith.Theme;
  /**
   * The current theme.
   * @example const title = pi.pi.theme.bold("Title");
   */
  export const theme: Toolsmith.Theme;
  /**
   * Returns the styles of `Markdown`.
   * @example const lines = new Markdown("*text*", 0, 0, getMarkdownTheme()).render(40);
   */
  export function getMarkdownTheme(): Record<string, any>;
  /**
   * Returns the styles of `SelectList`.
   * @example const styles = getSelectListTheme();
   */
  export function getSelectListTheme(): Record<string, any>;
  /**
   * Returns the styles of `SettingsList`.
   * @example const styles = getSettingsListTheme();
   */
  export function getSettingsListTheme(): Record<string, any>;
  /**
   * Returns the styles of `Editor`.
   * @example const styles = getEditorTheme();
   */
  export function getEditorTheme(): Record<string, any>;
  /**
   * Returns the symbols by group.
   * @example const check = getSymbolTheme().status.success;
   */
  export function getSymbolTheme(): Record<string, Toolsmith.Symbols>;
  /**
   * Returns `true` for the name of a colour.
   * @example const known = isValidThemeColor("accent");
   */
  export function isValidThemeColor(name: string): boolean;
  /**
   * Returns code as coloured lines.
   * @example const lines = highlightCode("const one = 1;", "typescript");
   */
  export function highlightCode(code: string, language?: string): string[];
  /**
   * Does nothing: the theme is always ready.
   * @example initTheme();
   */
  export function initTheme(...of: unknown[]): void;
  /**
   * The lines that `truncateHead` and `truncateTail` keep.
   * @example const cut = truncateHead("text", { maxLines: DEFAULT_MAX_LINES / 2 });
   */
  export const DEFAULT_MAX_LINES: number;
  /**
   * The bytes that `truncateHead` and `truncateTail` keep.
   * @example const limit = formatSize(DEFAULT_MAX_BYTES);
   */
  export const DEFAULT_MAX_BYTES: number;
  /**
   * A usual limit of the length of a line.
   * @example const { text } = truncateLine("a line", DEFAULT_MAX_COLUMN);
   */
  export const DEFAULT_MAX_COLUMN: number;
  /**
   * The length that `truncateLine` keeps.
   * @example const limit = GREP_MAX_LINE_LENGTH;
   */
  export const GREP_MAX_LINE_LENGTH: number;
  /**
   * Formats a size.
   * @example const size = formatSize(2048);
   */
  export function formatSize(bytes: number): string;
  /**
   * Keeps the first lines of a text.
   * @example const { content, truncated } = truncateHead("one\ntwo\nthree", { maxLines: 2 });
   */
  export function truncateHead(content: string, options?: Toolsmith.TruncationOptions): Toolsmith.TruncationResult;
  /**
   * Keeps the last lines of a text.
   * @example const { content } = truncateTail("one\ntwo\nthree", { maxLines: 2 });
   */
  export function truncateTail(content: string, options?: Toolsmith.TruncationOptions): Toolsmith.TruncationResult;
  /**
   * Cuts a long line.
   * @example const { text } = truncateLine("a long line", 6);
   */
  export function truncateLine(line: string, max?: number): { text: string; wasTruncated: boolean };
  /**
   * Returns `true` if an event is about a tool.
   * @example const isBash = isToolCallEventType("bash", { toolName: "bash" });
   */
  export function isToolCallEventType(name: string, event: any): boolean;
  /**
   * Separates the front matter of a Markdown text.
   * @example const { frontmatter, body } = parseFrontmatter("---\nname: a\n---\ntext");
   */
  export function parseFrontmatter(text: string): { frontmatter: Record<string, string>; body: string };
  /**
   * Removes the front matter of a Markdown text.
   * @example const body = stripFrontmatter("---\nname: a\n---\ntext");
   */
  export function stripFrontmatter(text: string): string;
  /**
   * Returns `true` for an event of the tool `bash`.
   * @example const own = isBashToolResult({ toolName: "bash" });
   */
  export function isBashToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `read`.
   * @example const own = isReadToolResult({ toolName: "read" });
   */
  export function isReadToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `edit`.
   * @example const own = isEditToolResult({ toolName: "edit" });
   */
  export function isEditToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `write`.
   * @example const own = isWriteToolResult({ toolName: "write" });
   */
  export function isWriteToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `grep`.
   * @example const own = isGrepToolResult({ toolName: "grep" });
   */
  export function isGrepToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `find`.
   * @example const own = isFindToolResult({ toolName: "find" });
   */
  export function isFindToolResult(event: any): boolean;
  /**
   * Returns `true` for an event of the tool `ls`.
   * @example const own = isLsToolResult({ toolName: "ls" });
   */
  export function isLsToolResult(event: any): boolean;
  /**
   * Returns a key and a description, coloured.
   * @example const hint = rawKeyHint("enter", "to confirm");
   */
  export function rawKeyHint(key: string, description: string): string;
  /**
   * Returns the keys of an action and a description, coloured.
   * @example const hint = keyHint("tui.select.confirm", "to confirm");
   */
  export function keyHint(action: string, description: string): string;
  /**
   * Does the same as `keyHint`.
   * @example const hint = appKeyHint(undefined, "app.interrupt", "to stop");
   */
  export function appKeyHint(keybindings: unknown, action: string, description: string): string;
  /**
   * Does the same as `keyText`.
   * @example const key = editorKey("tui.input.submit");
   */
  export function editorKey(action: string): string;
  /**
   * Runs changes of one file one after the other.
   * @example const done = await withFileMutationQueue("notes.txt", async () => true);
   */
  export function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T>;
  /**
   * Returns the last lines of a text as they are drawn.
   * @example const { visualLines } = truncateToVisualLines("one\ntwo\nthree", 2, 40);
   */
  export function truncateToVisualLines(text: string, maxLines: number, width: number, paddingX?: number): { visualLines: string[]; skippedCount: number };
  /**
   * Colours a unified difference.
   * @example const diff = renderDiff("-old\n+new");
   */
  export function renderDiff(text: string): string;
  /**
   * Returns the language of a file name.
   * @example const language = getLanguageFromPath("src/main.rs");
   */
  export function getLanguageFromPath(path: string): string | undefined;
  /**
   * Returns a bus of the module's own.
   * @example
   * const bus = createEventBus();
   * bus.on("done", () => {});
   * bus.emit("done");
   */
  export function createEventBus(): { on(channel: string, listener: (data: any) => void): () => void; emit(channel: string, data?: unknown): void; clear(): void };
  /**
   * Returns the shell and its arguments.
   * @example const { shell, args } = getShellConfig();
   */
  export function getShellConfig(): { shell: string; args: string[] };
  /**
   * Runs a program, as `pi.exec` does.
   * @example const { stdout } = await execCommand("printf", ["text"], pi.cwd);
   */
  export function execCommand(command: string, args: readonly string[], cwd?: string, options?: Toolsmith.ExecOptions): Promise<Toolsmith.ExecResult>;
  /**
   * The editor as extensions replace it: it handles actions before text.
   * @example
   * const editor = new CustomEditor({ requestRender() {} }, getEditorTheme());
   * editor.onAction("app.clear", () => editor.setText(""));
   */
  export class CustomEditor extends Editor {
    actionHandlers: Map<string, () => void>;
    onEscape?: () => void;
    onCtrlD?: () => void;
    onPasteImage?: () => void;
    onExtensionShortcut?: (data: string) => boolean;
    onAction(action: string, handler: () => void): void;
  }
  /**
   * Returns messages as models receive them.
   * @example const messages = convertToLlm([{ role: "user", content: "Hello" }]);
   */
  export function convertToLlm(messages: any[]): any[];
  /**
   * Returns messages as text, such as for a summary.
   * @example const text = serializeConversation([{ role: "user", content: "Hello" }]);
   */
  export function serializeConversation(messages: any[]): string;
  /**
   * Estimates the tokens of a message.
   * @example const tokens = estimateTokens({ role: "user", content: "Hello" });
   */
  export function estimateTokens(message: any): number;
  /**
   * Returns the built-in tool `read`, for extensions that wrap it.
   * @example const tool = createReadTool(pi.cwd);
   */
  export function createReadTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `write`, for extensions that wrap it.
   * @example const tool = createWriteTool(pi.cwd);
   */
  export function createWriteTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `edit`, for extensions that wrap it.
   * @example const tool = createEditTool(pi.cwd);
   */
  export function createEditTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `bash`, for extensions that wrap it.
   * @example const tool = createBashTool(pi.cwd);
   */
  export function createBashTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `grep`, for extensions that wrap it.
   * @example const tool = createGrepTool(pi.cwd);
   */
  export function createGrepTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `find`, for extensions that wrap it.
   * @example const tool = createFindTool(pi.cwd);
   */
  export function createFindTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns the built-in tool `ls`, for extensions that wrap it.
   * @example const tool = createLsTool(pi.cwd);
   */
  export function createLsTool(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createReadTool`.
   * @example const tool = createReadToolDefinition(pi.cwd);
   */
  export function createReadToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createWriteTool`.
   * @example const tool = createWriteToolDefinition(pi.cwd);
   */
  export function createWriteToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createEditTool`.
   * @example const tool = createEditToolDefinition(pi.cwd);
   */
  export function createEditToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createBashTool`.
   * @example const tool = createBashToolDefinition(pi.cwd);
   */
  export function createBashToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createGrepTool`.
   * @example const tool = createGrepToolDefinition(pi.cwd);
   */
  export function createGrepToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createFindTool`.
   * @example const tool = createFindToolDefinition(pi.cwd);
   */
  export function createFindToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createLsTool`.
   * @example const tool = createLsToolDefinition(pi.cwd);
   */
  export function createLsToolDefinition(cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * The names of the tools that can be created.
   * @example const known = allToolNames.has("read");
   */
  export const allToolNames: Set<string>;
  /**
   * Returns a built-in tool by its name.
   * @example const read = createTool("read", pi.cwd);
   */
  export function createTool(name: string, cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Does the same as `createTool`.
   * @example const read = createToolDefinition("read", pi.cwd);
   */
  export function createToolDefinition(name: string, cwd?: string, options?: any): Toolsmith.ExtensionTool;
  /**
   * Returns `read`, `bash`, `edit` and `write`.
   * @example const tools = createCodingTools(pi.cwd);
   */
  export function createCodingTools(cwd?: string, options?: any): Toolsmith.ExtensionTool[];
  /**
   * Does the same as `createCodingTools`.
   * @example const tools = createCodingToolDefinitions(pi.cwd);
   */
  export function createCodingToolDefinitions(cwd?: string, options?: any): Toolsmith.ExtensionTool[];
  /**
   * Returns `read`, `grep`, `find` and `ls`.
   * @example const tools = createReadOnlyTools(pi.cwd);
   */
  export function createReadOnlyTools(cwd?: string, options?: any): Toolsmith.ExtensionTool[];
  /**
   * Does the same as `createReadOnlyTools`.
   * @example const tools = createReadOnlyToolDefinitions(pi.cwd);
   */
  export function createReadOnlyToolDefinitions(cwd?: string, options?: any): Toolsmith.ExtensionTool[];
  /**
   * Returns all of them by name.
   * @example const { read } = createAllTools(pi.cwd);
   */
  export function createAllTools(cwd?: string, options?: any): Record<string, Toolsmith.ExtensionTool>;
  /**
   * Does the same as `createAllTools`.
   * @example const { bash } = createAllToolDefinitions(pi.cwd);
   */
  export function createAllToolDefinitions(cwd?: string, options?: any): Record<string, Toolsmith.ExtensionTool>;
  /**
   * Returns the shell of this machine as operations of `createBashTool`.
   * @example const { exitCode } = await createLocalBashOperations().exec("true", pi.cwd, {});
   */
  export function createLocalBashOperations(): { exec(command: string, cwd: string, options?: any): Promise<{ exitCode: number | null }> };
  const whole: Record<string, any>;
  export default whole;
}

declare module "@mariozechner/pi-tui*" { export * from "@oh-my-pi/pi-tui"; }
declare module "@mariozechner/pi-ai*" { export * from "@oh-my-pi/pi-ai"; }
declare module "@mariozechner/pi-utils*" { export * from "@oh-my-pi/pi-utils"; }
declare module "@mariozechner/*" {
  export * from "@oh-my-pi/pi-coding-agent";
  export { default } from "@oh-my-pi/pi-coding-agent";
}
declare module "@earendil-works/pi-tui*" { export * from "@oh-my-pi/pi-tui"; }
declare module "@earendil-works/pi-ai*" { export * from "@oh-my-pi/pi-ai"; }
declare module "@earendil-works/pi-utils*" { export * from "@oh-my-pi/pi-utils"; }
declare module "@earendil-works/*" {
  export * from "@oh-my-pi/pi-coding-agent";
  export { default } from "@oh-my-pi/pi-coding-agent";
}
declare module "@f5-sales-demo/pi-tui*" { export * from "@oh-my-pi/pi-tui"; }
declare module "@f5-sales-demo/pi-ai*" { export * from "@oh-my-pi/pi-ai"; }
declare module "@f5-sales-demo/pi-utils*" { export * from "@oh-my-pi/pi-utils"; }
declare module "@f5-sales-demo/*" {
  export * from "@oh-my-pi/pi-coding-agent";
  export { default } from "@oh-my-pi/pi-coding-agent";
}
declare module "@f5xc-salesdemos/pi-tui*" { export * from "@oh-my-pi/pi-tui"; }
declare module "@f5xc-salesdemos/pi-ai*" { export * from "@oh-my-pi/pi-ai"; }
declare module "@f5xc-salesdemos/pi-utils*" { export * from "@oh-my-pi/pi-utils"; }
declare module "@f5xc-salesdemos/*" {
  export * from "@oh-my-pi/pi-coding-agent";
  export { default } from "@oh-my-pi/pi-coding-agent";
}

// Tools written for opencode.
declare module "@opencode-ai/plugin*" {
  export interface ToolContext {
    directory: string;
    worktree: string;
    sessionID: string;
    messageID: string;
    callID: string;
    agent: string;
    abort: AbortSignal;
    metadata(said?: { title?: string; metadata?: Record<string, any> }): void;
    ask(request?: { permission?: string; patterns?: string[]; [field: string]: any }): Promise<void>;
  }
  type Given<Shape> = { [Name in keyof Shape]: Toolsmith.Arguments<Shape[Name]> };
  export interface ToolDefinition<Shape = any> {
    description: string;
    args: Shape;
    execute(args: Given<Shape>, context: ToolContext): unknown;
  }
  export function tool<Shape extends Record<string, any>>(definition: ToolDefinition<Shape>): ToolDefinition<Shape>;
  export namespace tool {
    const schema: typeof import("zod");
  }
}

// Node's and Bun's modules. Install `@types/node` or `@types/bun` for their real types.
declare module "node:*";
declare module "bun*";
declare module "arktype*";

interface ImportMeta {
  url: string;
  dirname: string;
  filename: string;
  resolve(specifier: string): string;
}

declare module "*.txt" {
  const text: string;
  export default text;
}
declare module "*.md" {
  const text: string;
  export default text;
}
