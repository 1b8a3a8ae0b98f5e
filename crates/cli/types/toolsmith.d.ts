// Types for tools that run in Toolsmith. Written by `toolsmith types`; do not edit, it is replaced.
//
// Modules are declared with patterns, so a package that is installed beside the tool brings its own types.

/** What Toolsmith gives to tools, and what it takes from them. Not importable: use the modules below. */
declare namespace Toolsmith {
  // ---------------------------------------------------------------------------------------------- tools

  /** The default export of a tool module. Return nothing to offer no tool. */
  type CustomToolFactory = (pi: CustomToolAPI) => Made | Promise<Made>;
  type Made = CustomTool<any, any> | CustomTool<any, any>[] | null | undefined | void;

  /** The arguments `execute` gets for a schema: zod, TypeBox, arktype, or plain JSON Schema (then `any`). */
  type Arguments<S> = 0 extends 1 & S
    ? any
    : S extends { _zod: { output: infer Output } }
      ? Output
      : S extends { static: infer Output }
        ? Output
        : S extends { infer: infer Output; allows: unknown }
          ? Output
          : any;

  /** A tool the model can call. */
  interface CustomTool<Parameters = any, Details = any> {
    /** What the model calls. Letters, digits, `_` and `-`, at most 64. */
    name: string;
    /** What people see; the name if it is left out. */
    label?: string;
    /** What the model reads to decide when to call it. */
    description: string;
    /** The arguments, as a zod, TypeBox or arktype schema, or as JSON Schema. */
    parameters: Parameters;
    /** Does the work. Throw to report an error to the model. */
    execute(
      toolCallId: string,
      params: Arguments<Parameters>,
      onUpdate: AgentToolUpdateCallback<Details>,
      ctx: CustomToolContext,
      signal: AbortSignal,
    ): Promise<AgentToolResult<Details>> | AgentToolResult<Details>;
    /** Draws the call. With exactly two parameters it gets `(args, theme)`, so the second has both types. */
    renderCall?(args: Arguments<Parameters>, options: RenderOptions & Theme, theme: Theme): Component | string | undefined;
    /** Draws a partial or final result. */
    renderResult?(
      result: AgentToolResult<Details>,
      options: RenderOptions,
      theme: Theme,
      args: Arguments<Parameters>,
    ): Component | string | undefined;
    /** Hears of the session's life. */
    onSession?(event: CustomToolSessionEvent, ctx: CustomToolContext): void | Promise<void>;
    /** Asks providers for strict schemas: every object closed, every property required. */
    strict?: boolean;
    /** Not offered unless it is named. */
    hidden?: boolean;
    /** False loads the module in every run, instead of offering what it declared before. */
    cache?: boolean;
    /** Calls `pushPendingAction`. */
    deferrable?: boolean;
    /** What a call needs before it may run; `exec` if it is left out. */
    approval?: Approval | ((args: Arguments<Parameters>) => Approval | Promise<Approval>);
    /** Lines for the person who is asked. */
    formatApprovalDetails?(args: Arguments<Parameters>): string | string[] | undefined | Promise<string | string[] | undefined>;
    loadMode?: "essential" | "discoverable";
    /** `exclusive` waits for all earlier calls and holds all later ones. */
    concurrency?: "shared" | "exclusive";
    mcpServerName?: string;
    mcpToolName?: string;
    /** Changes the arguments before they are checked. */
    prepareArguments?(args: any): any;
    /** Lines for the model, added to the description. */
    promptGuidelines?: string[];
    /** Called when the session ends. */
    dispose?(): void | Promise<void>;
    /** The deadline of a call in milliseconds. Updates extend it. */
    timeout?: number;
  }

  /** A tool as extensions register it: `execute` has another order of parameters. */
  interface ExtensionTool<Parameters = any, Details = any> extends Omit<CustomTool<Parameters, Details>, "execute"> {
    execute(
      toolCallId: string,
      params: Arguments<Parameters>,
      signal: AbortSignal,
      onUpdate: AgentToolUpdateCallback<Details>,
      ctx: CustomToolContext,
    ): Promise<AgentToolResult<Details>> | AgentToolResult<Details>;
    promptSnippet?: string;
    executionMode?: "sequential" | "parallel";
  }

  type ApprovalTier = "read" | "write" | "exec";
  type Approval =
    | ApprovalTier
    | "allow"
    | "prompt"
    | "deny"
    | { tier?: ApprovalTier; reason?: string; override?: boolean; policy?: "allow" | "prompt" | "deny"; policyKey?: string };

  interface TextContent {
    type: "text";
    text: string;
  }
  interface ImageContent {
    type: "image";
    /** Base64. */
    data: string;
    mimeType: string;
  }

  /** What a tool answers. The model sees `content`; `details` are for people and renderers. */
  interface AgentToolResult<Details = any> {
    content: (TextContent | ImageContent)[];
    details?: Details;
    isError?: boolean;
  }
  /** Streams a partial result to the person who watches. */
  type AgentToolUpdateCallback<Details = any> = (partial: AgentToolResult<Details>) => void;

  interface RenderOptions {
    expanded: boolean;
    isPartial: boolean;
    spinnerFrame?: number;
  }

  // ------------------------------------------------------------------------------------------- host API

  /** What a factory receives. */
  interface CustomToolAPI {
    /** The folder tools work in. */
    readonly cwd: string;
    /** Runs a program without a shell. A non-zero exit code is no error; a missing program is. */
    exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
    readonly ui: UIContext;
    /** Whether a person can be asked. */
    readonly hasUI: boolean;
    /** Writes to Toolsmith's log, never to the terminal. */
    readonly logger: Logger;
    readonly typebox: typeof import("@sinclair/typebox");
    readonly zod: typeof import("zod");
    readonly arktype: any;
    /** What the main package exports. */
    readonly pi: typeof import("@oh-my-pi/pi-coding-agent");
    /** Stages a change that somebody applies or discards later. */
    pushPendingAction(action: PendingAction): void;
    /** The bus between tools. */
    readonly events: EventBus;
    /** Offers a tool without returning it. */
    registerTool(tool: CustomTool<any, any>): void;
  }

  /** What an extension receives. Its tools are taken; what else it registers is accepted and not used here. */
  interface ExtensionAPI extends Omit<CustomToolAPI, "registerTool"> {
    registerTool<Parameters>(tool: ExtensionTool<Parameters>): void;
    registerTool<Parameters>(tool: CustomTool<Parameters>): void;
    on(event: string, handler: (event: any, ctx: CustomToolContext) => any): () => void;
    registerCommand(name: string, options: { description?: string; handler(args: string, ctx: CustomToolContext): any; [option: string]: any }): void;
    registerShortcut(key: string, options: { handler(ctx: CustomToolContext): any; [option: string]: any }): void;
    registerMessageRenderer(type: string, renderer: (...given: any[]) => any): void;
    registerProvider(name: string, options: any): void;
    unregisterProvider(name: string): void;
    registerFlag(name: string, options?: { description?: string; type?: string; default?: any }): void;
    getFlag(name: string): any;
    setLabel(label: string): void;
    getLabel(): string | undefined;
    sendMessage(message: any, options?: any): void;
    sendUserMessage(message: any, options?: any): void;
    appendEntry(type: string, data?: unknown): void;
    getActiveTools(): string[];
    getAllTools(): { name: string; description: string; parameters: any }[];
    setActiveTools(names: string[]): Promise<void>;
    getCommands(): any[];
    getSessionName(): string | undefined;
    setSessionName(name: string): void;
    setModel(model: any): Promise<boolean>;
    getThinkingLevel(): string;
    setThinkingLevel(level: string): void;
  }

  interface ExecOptions {
    signal?: AbortSignal;
    /** Milliseconds. */
    timeout?: number;
    cwd?: string;
    env?: Record<string, string | null | undefined>;
    stdin?: string;
  }
  interface ExecResult {
    stdout: string;
    stderr: string;
    code: number;
    /** A timeout or the signal ended it. */
    killed: boolean;
  }

  interface PendingAction<Details = any> {
    /** What it will do. */
    label: string;
    /** Does it; without it the host writes `files`. */
    apply?(reason: string): AgentToolResult<Details> | Promise<AgentToolResult<Details>>;
    reject?(reason: string): AgentToolResult<Details> | undefined | void | Promise<AgentToolResult<Details> | undefined | void>;
    details?: unknown;
    sourceToolName?: string;
    /** What each file becomes, `null` to delete it. `baseHash` is the SHA-256 of what it has to be now, `null` for no file. */
    files?: { path: string; content: string | Uint8Array | null; baseHash?: string | null }[];
  }

  type LogFunction = (message: string, context?: unknown) => void;
  interface Logger {
    error: LogFunction;
    warn: LogFunction;
    info: LogFunction;
    debug: LogFunction;
    time(...labels: unknown[]): () => void;
  }

  interface EventBus {
    emit(channel: string, data?: unknown): void;
    on(channel: string, listener: (data: any) => void): () => void;
    once(channel: string, listener: (data: any) => void): () => void;
    off(channel: string, listener: (data: any) => void): void;
  }

  interface DialogOptions {
    signal?: AbortSignal;
    timeout?: number;
  }
  /** The person at the other end. Without one, dialogs give `undefined` and `confirm` gives `false`. */
  interface UIContext {
    select(title: string, options: readonly (string | { label: string })[], more?: DialogOptions): Promise<string | undefined>;
    confirm(title: string, message?: string, more?: DialogOptions): Promise<boolean>;
    input(title: string, placeholder?: string, more?: DialogOptions): Promise<string | undefined>;
    editor(title: string, prefill?: string, more?: DialogOptions): Promise<string | undefined>;
    /** A factory of three parameters gets `done` in place of the keybindings. */
    custom<T = unknown>(
      factory: (tui: any, theme: Theme, keybindingsOrDone: any, done: (result?: T) => void) => Component | Promise<Component>,
      options?: object,
    ): Promise<T | undefined>;
    notify(message: string, level?: "info" | "warning" | "error"): void;
    setStatus(key: string, text: string | null | undefined): void;
    setWidget(key: string, lines: readonly string[] | string | null | undefined): void;
    setTitle(title: string): void;
    setWorkingMessage(message?: string): void;
    setEditorText(text: string): void;
    getEditorText(): string;
    readonly theme: Theme;
  }

  // -------------------------------------------------------------------------------------------- contexts

  /** What a call is handed. */
  interface CustomToolContext {
    readonly sessionManager: ReadonlySessionManager;
    readonly modelRegistry: ModelRegistry;
    readonly model: Model | undefined;
    readonly settings: any;
    readonly autoApprove: boolean | undefined;
    readonly cwd: string;
    readonly sessionId: string | undefined;
    readonly ui: UIContext;
    readonly hasUI: boolean;
    readonly signal: AbortSignal;
    isIdle(): boolean;
    hasQueuedMessages(): boolean;
    hasPendingMessages(): boolean;
    abort(): void;
    getContextUsage(): undefined;
    getSystemPrompt(): string;
  }

  interface SessionEntry {
    type: string;
    id: string;
    parentId?: string | null;
    timestamp?: string;
    [field: string]: any;
  }
  /** The session so far. It can be read and not changed. */
  interface ReadonlySessionManager {
    getCwd(): string;
    getSessionDir(): string | undefined;
    getSessionId(): string;
    getSessionFile(): string | undefined;
    getSessionName(): string | undefined;
    getHeader(): any;
    getEntries(): SessionEntry[];
    getEntry(id: string): SessionEntry | undefined;
    getLeafId(): string | null;
    getLeafEntry(): SessionEntry | undefined;
    getBranch(from?: string): SessionEntry[];
    getTree(): any;
    getLabel(id: string): string | undefined;
    getUsageStatistics(): any;
    getArtifactsDir(): string | null;
    allocateArtifactPath(kind?: string): Promise<any>;
    saveArtifact(text: string, kind?: string): Promise<any>;
    getArtifactPath(id: string): Promise<string | null>;
    putBlob(bytes: Uint8Array): Promise<any>;
  }
  interface Model {
    provider: string;
    id: string;
    available?: boolean;
    [field: string]: any;
  }
  interface ModelRegistry {
    getAll(): Model[];
    getAvailable(): Model[];
    find(provider: string, id: string): Model | undefined;
    getError(): undefined;
    /** Keys never reach a tool. */
    getApiKey(...of: unknown[]): Promise<undefined>;
    getApiKeyForProvider(provider: string): Promise<undefined>;
    authStorage: { getApiKey(...of: unknown[]): Promise<undefined>; hasAuth(...of: unknown[]): false; get(...of: unknown[]): undefined };
  }

  /** What `onSession` is told. */
  type CustomToolSessionEvent =
    | { reason: "start" | "tree" | "shutdown"; previousSessionFile?: undefined }
    | { reason: "switch" | "branch"; previousSessionFile?: string }
    | { reason: "auto_compaction_start"; trigger: "threshold" | "overflow" | "idle"; action: "context-full" | "handoff" }
    | {
        reason: "auto_compaction_end";
        action: "context-full" | "handoff";
        result?: any;
        aborted: boolean;
        willRetry: boolean;
        errorMessage?: string;
      }
    | { reason: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
    | { reason: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
    | { reason: "ttsr_triggered"; rules: any[] }
    | { reason: "todo_reminder"; todos: any[]; attempt: number; maxAttempts: number };

  // ------------------------------------------------------------------------------------------- rendering

  /** Something that can be drawn: one string per row. */
  interface Component {
    render(width: number): string[];
    invalidate?(): void;
    handleInput?(data: string): void;
    dispose?(): void;
  }

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
  type ThemeBg =
    | "selectedBg" | "userMessageBg" | "customMessageBg" | "toolPendingBg" | "toolSuccessBg" | "toolErrorBg" | "statusLineBg";
  type Style = (text: string) => string;
  type Symbols = Readonly<Record<string, string>>;

  /** Colours by role, text styles and symbols. */
  interface Theme {
    readonly name: string;
    readonly isLight: boolean;
    readonly spinnerFrames: string[];
    /** Throws for a colour it does not know. */
    fg(color: ThemeColor, text: string): string;
    bg(color: ThemeBg, text: string): string;
    bold: Style;
    dim: Style;
    italic: Style;
    underline: Style;
    inverse: Style;
    strikethrough: Style;
    getFgAnsi(color: ThemeColor): string;
    getBgAnsi(color: ThemeBg): string;
    getColorMode(): string;
    symbol(key: string): string;
    styledSymbol(key: string, color: ThemeColor): string;
    getSymbolPreset(): string;
    getSpinnerFrames(kind?: string): string[];
    getThinkingBorderColor(level?: string): Style;
    getBashModeBorderColor(): Style;
    getLangIcon(language?: string): string;
    readonly status: Symbols;
    readonly nav: Symbols;
    readonly tree: Symbols;
    readonly progress: Symbols;
    readonly boxRound: Symbols;
    readonly boxSharp: Symbols;
    readonly sep: Symbols;
    readonly icon: Symbols;
    readonly checkbox: Symbols;
    readonly radio: Symbols;
    readonly format: Symbols;
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

// --------------------------------------------------------------------------------------------- packages

declare module "@oh-my-pi/pi-tui*" {
  export type Component = Toolsmith.Component;
  export type SelectItem = Toolsmith.SelectItem;


  export class Container implements Toolsmith.Component {
    children: Toolsmith.Component[];
    addChild(child: Toolsmith.Component): void;
    removeChild(child: Toolsmith.Component): void;
    clear(): void;
    invalidate(): void;
    dispose(): void;
    disposeChildren(): void;
    render(width: number): string[];
  }
  export class Box extends Container {
    constructor(paddingX?: number, paddingY?: number, background?: Toolsmith.Style);
    setPaddingX(columns: number): void;
    setPaddingY(lines: number): void;
    setBgFn(background: Toolsmith.Style | undefined): void;
    setBorder(border?: unknown): void;
  }
  export class Text implements Toolsmith.Component {
    constructor(text?: string, paddingX?: number, paddingY?: number, background?: Toolsmith.Style);
    getText(): string;
    setText(text: string): boolean;
    setCustomBgFn(background: Toolsmith.Style | undefined): void;
    setStyleFn(style: Toolsmith.Style | undefined): this;
    invalidate(): void;
    render(width: number): string[];
  }
  export class TruncatedText implements Toolsmith.Component {
    constructor(text: string, paddingX?: number, paddingY?: number);
    invalidate(): void;
    render(width: number): string[];
  }
  export class Spacer implements Toolsmith.Component {
    constructor(lines?: number);
    setLines(lines: number): void;
    invalidate(): void;
    render(width: number): string[];
  }
  export class Markdown implements Toolsmith.Component {
    constructor(text: string, paddingX?: number, paddingY?: number, theme?: object, style?: object);
    setText(text: string): void;
    invalidate(): void;
    render(width: number): string[];
  }
  export class DynamicBorder implements Toolsmith.Component {
    constructor(color?: Toolsmith.Style);
    invalidate(): void;
    render(width: number): string[];
  }
  export class Loader extends Text {
    constructor(tui: unknown, spinnerColor?: Toolsmith.Style, messageColor?: Toolsmith.Style, message?: string);
    start(): void;
    stop(): void;
    setMessage(message: string): void;
  }
  export class CancellableLoader extends Loader {
    onAbort?: () => void;
    readonly signal: AbortSignal;
    readonly aborted: boolean;
    handleInput(data: string): void;
    dispose(): void;
  }
  export class SelectList implements Toolsmith.Component {
    constructor(items: readonly Toolsmith.SelectItem[], maxVisible?: number, theme?: object);
    onSelect?: (item: Toolsmith.SelectItem) => void;
    onCancel?: () => void;
    onSelectionChange?: (item: Toolsmith.SelectItem) => void;
    setFilter(filter: string): void;
    setSelectedIndex(index: number): void;
    getSelectedItem(): Toolsmith.SelectItem | null;
    invalidate(): void;
    render(width: number): string[];
    handleInput(data: string): void;
  }
  export class Input implements Toolsmith.Component {
    onSubmit?: (value: string) => void;
    onEscape?: () => void;
    focused: boolean;
    getValue(): string;
    setValue(value: string): void;
    invalidate(): void;
    render(width: number): string[];
    handleInput(data: string): void;
  }
  export { CancellableLoader as BorderedLoader };

  export class SettingsList implements Toolsmith.Component {
    constructor(items: any[], maxVisible?: number, theme?: object, onChange?: (id: string, value: string) => void, onCancel?: () => void, options?: object);
    updateValue(id: string, value: string): void;
    invalidate(): void;
    render(width: number): string[];
    handleInput(data: string): void;
  }
  export class Image implements Toolsmith.Component {
    constructor(data: string, mimeType: string, theme?: object, options?: { filename?: string; [option: string]: any });
    invalidate(): void;
    render(width: number): string[];
  }

  export const Key: Toolsmith.KeyNames;
  export function matchesKey(data: string, key: string): boolean;
  export function parseKey(data: string): string;
  export function isKeyRelease(data: string): boolean;
  export function isKeyRepeat(data: string): boolean;
  export function isKittyProtocolActive(): boolean;
  export function setKittyProtocolActive(active: boolean): void;
  export function getKeybindings(): any;
  export function getEditorKeybindings(): any;
  export function keyText(action: string): string;
  export const CURSOR_MARKER: string;
  export function isFocusable(component: unknown): boolean;
  export function getCapabilities(): { images: null; trueColor: boolean; hyperlinks: boolean };
  export function imageFallback(mimeType: string, size?: { widthPx: number; heightPx: number }, filename?: string): string;
  export function hyperlink(text: string, url: string): string;
  export function fuzzyMatch(query: string, text: string): { matches: boolean; score: number };
  export function visibleWidth(text: string): number;
  export function wrapTextWithAnsi(text: string, width: number): string[];
  export function padding(count: number): string;
  export const Ellipsis: { readonly Unicode: 0; readonly Ascii: 1; readonly Omit: 2 };
  export function truncateToWidth(text: string, maxWidth: number, ellipsis?: string | 0 | 1 | 2 | null, pad?: boolean): string;
  export function sliceByColumn(line: string, start: number, length: number): string;
  export function applyBackgroundToLine(line: string, width: number, background: Toolsmith.Style): string;
  export function fuzzyFilter<T>(items: readonly T[], query: string, textOf?: (item: T) => string): T[];
}

declare module "@oh-my-pi/pi-ai*" {
  export const StringEnum: Toolsmith.StringEnum;
  export { Type, type Static, type TSchema } from "@sinclair/typebox";
  export { z } from "zod";
  export type TextContent = Toolsmith.TextContent;
  export type ImageContent = Toolsmith.ImageContent;
  export type Model<Api = any> = Toolsmith.Model;
  export function getProviders(): never[];
  export function getModels(...of: unknown[]): never[];
  export function getModel(...of: unknown[]): undefined;
  export function getEnvApiKey(provider: string): undefined;
  export function calculateCost(...of: unknown[]): { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

declare module "@oh-my-pi/pi-utils*" {
  export const logger: Toolsmith.Logger;
  export const $env: Record<string, string | undefined>;
  export const APP_NAME: string;
  export const VERSION: string;
  export const CONFIG_DIR_NAME: string;
  export function getConfigDirName(): string;
  export function getConfigRootDir(): string;
  export function getAgentDir(): string;
  export function getProjectDir(): string;
  export function getProjectAgentDir(cwd?: string): string;
  export function isFsError(error: unknown): boolean;
  export function isEnoent(error: unknown): boolean;
  export function isEexist(error: unknown): boolean;
  export function isEacces(error: unknown): boolean;
  export function isEisdir(error: unknown): boolean;
  export function isEnotdir(error: unknown): boolean;
  export function isEnotempty(error: unknown): boolean;
  export function hasFsCode(error: unknown, code: string): boolean;
  export function isRecord(value: unknown): value is Record<string, unknown>;
  export function toError(value: unknown): Error;
  export function asString(value: unknown): string | undefined;
  export function tryParseJson(text: string): any;
  export function once<T>(make: () => T): () => T;
  export function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  export function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  export function stripAnsi(text: string): string;
  export function sanitizeText(text: string): string;
  export function formatBytes(bytes: number): string;
  export function formatDuration(milliseconds: number): string;
  export function formatNumber(value: number): string;
  export function pluralize(word: string, count: number): string;
  export function formatCount(word: string, count: number): string;
  export function truncate(text: string, max: number, mark?: string): string;
}

declare module "@oh-my-pi/*" {
  export type CustomToolFactory = Toolsmith.CustomToolFactory;
  export type CustomToolAPI = Toolsmith.CustomToolAPI;
  export type CustomTool<Parameters = any, Details = any> = Toolsmith.CustomTool<Parameters, Details>;
  export type CustomToolContext = Toolsmith.CustomToolContext;
  export type CustomToolSessionEvent = Toolsmith.CustomToolSessionEvent;
  export type CustomToolUIContext = Toolsmith.UIContext;
  export type CustomToolPendingAction = Toolsmith.PendingAction;
  export type ExtensionAPI = Toolsmith.ExtensionAPI;
  export type ExtensionContext = Toolsmith.CustomToolContext;
  export type ExtensionFactory = (pi: Toolsmith.ExtensionAPI) => void | Promise<void>;
  export type ToolDefinition<Parameters = any, Details = any> = Toolsmith.ExtensionTool<Parameters, Details>;
  export type AgentToolResult<Details = any> = Toolsmith.AgentToolResult<Details>;
  export type CustomToolResult<Details = any> = Toolsmith.AgentToolResult<Details>;
  export type AgentToolUpdateCallback<Details = any> = Toolsmith.AgentToolUpdateCallback<Details>;
  export type RenderResultOptions = Toolsmith.RenderOptions;
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
    BorderedLoader, Box, CancellableLoader, Container, DynamicBorder, Input, Key, Loader, Markdown, SelectList, Spacer, Text,
    SettingsList, TruncatedText, keyText, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi,
  } from "@oh-my-pi/pi-tui";
  export type { Component, SelectItem } from "@oh-my-pi/pi-tui";

  /** Gives the tool back, with the types of its arguments inferred. */
  export function defineTool<Parameters, Details = any>(tool: CustomTool<Parameters, Details>): CustomTool<Parameters, Details>;

  export const Theme: new () => Toolsmith.Theme;
  export const theme: Toolsmith.Theme;
  export function getMarkdownTheme(): Record<string, any>;
  export function getSelectListTheme(): Record<string, any>;
  export function getSettingsListTheme(): Record<string, any>;
  export function getEditorTheme(): Record<string, any>;
  export function getSymbolTheme(): Record<string, Toolsmith.Symbols>;
  export function isValidThemeColor(name: string): boolean;
  export function highlightCode(code: string, language?: string): string[];
  export function initTheme(...of: unknown[]): void;

  export const DEFAULT_MAX_LINES: number;
  export const DEFAULT_MAX_BYTES: number;
  export const DEFAULT_MAX_COLUMN: number;
  export const GREP_MAX_LINE_LENGTH: number;
  export function formatSize(bytes: number): string;
  export function formatBytes(bytes: number): string;
  export function truncateHead(content: string, options?: Toolsmith.TruncationOptions): Toolsmith.TruncationResult;
  export function truncateTail(content: string, options?: Toolsmith.TruncationOptions): Toolsmith.TruncationResult;
  export function truncateLine(line: string, max?: number): { text: string; wasTruncated: boolean };

  export const logger: Toolsmith.Logger;
  export const VERSION: string;
  export const CONFIG_DIR_NAME: string;
  export function getAgentDir(): string;
  export function isToolCallEventType(name: string, event: any): boolean;
  export function parseFrontmatter(text: string): { frontmatter: Record<string, string>; body: string };
  export function stripFrontmatter(text: string): string;
  export function isBashToolResult(event: any): boolean;
  export function isReadToolResult(event: any): boolean;
  export function isEditToolResult(event: any): boolean;
  export function isWriteToolResult(event: any): boolean;
  export function isGrepToolResult(event: any): boolean;
  export function isFindToolResult(event: any): boolean;
  export function isLsToolResult(event: any): boolean;
  export function rawKeyHint(key: string, description: string): string;
  export function keyHint(action: string, description: string): string;
  export function appKeyHint(keybindings: unknown, action: string, description: string): string;
  export function editorKey(action: string): string;
  /** Runs changes of one file one after the other. */
  export function withFileMutationQueue<T>(path: string, change: () => Promise<T>): Promise<T>;
  export function truncateToVisualLines(text: string, maxLines: number, width: number, paddingX?: number): { visualLines: string[]; skippedCount: number };
  export function renderDiff(text: string): string;
  export function getLanguageFromPath(path: string): string | undefined;
  export function createEventBus(): { on(channel: string, listener: (data: any) => void): () => void; emit(channel: string, data?: unknown): void; clear(): void };
  export function getShellConfig(): { shell: string; args: string[] };
  const whole: Record<string, any>;
  export default whole;
  export function execCommand(command: string, args: readonly string[], cwd?: string, options?: Toolsmith.ExecOptions): Promise<Toolsmith.ExecResult>;
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
