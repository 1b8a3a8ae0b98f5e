// -------------------------------------------------------------------------------------------- functions

declare module "@oh-my-pi/pi-ai*" {
  /**
   * Returns a schema of one of several strings, in the form every provider accepts.
   * @example const mode = StringEnum(["fast", "slow"], { description: "Speed", default: "fast" });
   */
  export const StringEnum: Toolsmith.StringEnum;
  export { Type, type Static, type TSchema } from "@sinclair/typebox";
  export { z } from "zod";
  export type TextContent = Toolsmith.TextContent;
  export type ImageContent = Toolsmith.ImageContent;
  export type Model<Api = any> = Toolsmith.Model;
  /**
   * Returns an empty list; `ctx.modelRegistry` has the models.
   * @example const providers = getProviders();
   */
  export function getProviders(): never[];
  /**
   * Returns an empty list; `ctx.modelRegistry` has the models.
   * @example const models = getModels("anthropic");
   */
  export function getModels(...of: unknown[]): never[];
  /**
   * Returns `undefined`; `ctx.modelRegistry` has the models.
   * @example const model = getModel("anthropic", "claude-sonnet-4-5");
   */
  export function getModel(...of: unknown[]): undefined;
  /**
   * Returns `undefined`: keys never reach a tool.
   * @example const key = getEnvApiKey("anthropic");
   */
  export function getEnvApiKey(provider: string): undefined;
  /**
   * Returns zeros; `ctx.sessionManager.getUsageStatistics()` has the cost.
   * @example const { total } = calculateCost();
   */
  export function calculateCost(...of: unknown[]): { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  /**
   * Asks a model.
   * @example const answer = await complete(ctx.model, { messages: [{ role: "user", content: "Hello" }] }, { signal });
   */
  export function complete(model: Toolsmith.Model | undefined, context: { systemPrompt?: string; messages?: any[]; tools?: any[] }, options?: any): Promise<any>;
  /**
   * Does the same as `complete`.
   * @example const answer = await completeSimple(ctx.model, { messages: [{ role: "user", content: "Hello" }] });
   */
  export function completeSimple(model: Toolsmith.Model | undefined, context: any, options?: any): Promise<any>;
  /**
   * Asks a model; gives the events of the answer.
   * @example for await (const event of stream(ctx.model, { messages: [{ role: "user", content: "Hello" }] })) pi.logger.debug(event.type);
   */
  export function stream(model: Toolsmith.Model | undefined, context: any, options?: any): AssistantMessageEventStream;
  /**
   * Does the same as `stream`.
   * @example const answer = await streamSimple(ctx.model, { messages: [{ role: "user", content: "Hello" }] }).result();
   */
  export function streamSimple(model: Toolsmith.Model | undefined, context: any, options?: any): AssistantMessageEventStream;
  /**
   * Events that one side pushes and another iterates.
   * @example
   * const events = new EventStream((event) => event.type === "done");
   * events.push({ type: "done" });
   * const last = await events.result();
   */
  export class EventStream {
    constructor(isLast?: (event: any) => boolean, resultOf?: (event: any) => any);
    push(event: any): void;
    end(result?: any): void;
    result(): Promise<any>;
    [Symbol.asyncIterator](): AsyncGenerator<any>;
  }
  /**
   * The events of an answer.
   * @example const events = new AssistantMessageEventStream();
   */
  export class AssistantMessageEventStream extends EventStream {
    constructor();
  }
  /**
   * Returns an empty stream.
   * @example const events = createAssistantMessageEventStream();
   */
  export function createAssistantMessageEventStream(): AssistantMessageEventStream;
  /**
   * Returns an id that sorts by time.
   * @example const id = uuidv7();
   */
  export function uuidv7(): string;
  /**
   * Does nothing; `pi.registerProvider` adds a provider.
   * @example registerApiProvider({});
   */
  export function registerApiProvider(...of: unknown[]): void;
  /**
   * Returns `true` if a message failed because the context was too long.
   * @example const tooLong = isContextOverflow({ errorMessage: "prompt is too long" });
   */
  export function isContextOverflow(message: any): boolean;
}

declare module "@oh-my-pi/pi-utils*" {
  /**
   * Writes to the log file; the same as `pi.logger`.
   * @example logger.info("started");
   */
  export const logger: Toolsmith.Logger;
  /**
   * The environment of the process.
   * @example const home = $env.HOME;
   */
  export const $env: Record<string, string | undefined>;
  /**
   * The name of the program.
   * @example const agent = `${APP_NAME}/${VERSION}`;
   */
  export const APP_NAME: string;
  /**
   * The version of the program.
   * @example const version = VERSION;
   */
  export const VERSION: string;
  /**
   * The name of the configuration directory.
   * @example const path = `${pi.cwd}/${CONFIG_DIR_NAME}`;
   */
  export const CONFIG_DIR_NAME: string;
  /**
   * Returns the name of the configuration directory.
   * @example const name = getConfigDirName();
   */
  export function getConfigDirName(): string;
  /**
   * Returns the user's configuration directory.
   * @example const path = getConfigRootDir();
   */
  export function getConfigRootDir(): string;
  /**
   * Returns the user's directory of tools and extensions.
   * @example const tools = `${getAgentDir()}/tools`;
   */
  export function getAgentDir(): string;
  /**
   * Returns the working directory.
   * @example const path = getProjectDir();
   */
  export function getProjectDir(): string;
  /**
   * Returns the project's configuration directory.
   * @example const tools = `${getProjectAgentDir()}/tools`;
   */
  export function getProjectAgentDir(cwd?: string): string;
  /**
   * Returns `true` for an error of the file system.
   * @example const known = isFsError(new Error("other"));
   */
  export function isFsError(error: unknown): boolean;
  /**
   * Returns `true` if a file does not exist.
   * @example const known = isEnoent(new Error("other"));
   */
  export function isEnoent(error: unknown): boolean;
  /**
   * Returns `true` if a file exists already.
   * @example const known = isEexist(new Error("other"));
   */
  export function isEexist(error: unknown): boolean;
  /**
   * Returns `true` if access was denied.
   * @example const known = isEacces(new Error("other"));
   */
  export function isEacces(error: unknown): boolean;
  /**
   * Returns `true` if a directory was found instead of a file.
   * @example const known = isEisdir(new Error("other"));
   */
  export function isEisdir(error: unknown): boolean;
  /**
   * Returns `true` if a file was found instead of a directory.
   * @example const known = isEnotdir(new Error("other"));
   */
  export function isEnotdir(error: unknown): boolean;
  /**
   * Returns `true` if a directory is not empty.
   * @example const known = isEnotempty(new Error("other"));
   */
  export function isEnotempty(error: unknown): boolean;
  /**
   * Returns `true` if an error has a code.
   * @example const busy = hasFsCode(new Error("other"), "EBUSY");
   */
  export function hasFsCode(error: unknown, code: string): boolean;
  /**
   * Returns `true` for an object that is not a list.
   * @example const known = isRecord({});
   */
  export function isRecord(value: unknown): value is Record<string, unknown>;
  /**
   * Returns an error for anything that was thrown.
   * @example const error = toError("failed");
   */
  export function toError(value: unknown): Error;
  /**
   * Returns a string, or `undefined`.
   * @example const text = asString("text");
   */
  export function asString(value: unknown): string | undefined;
  /**
   * Parses JSON; returns `null` if that fails.
   * @example const value = tryParseJson("{}");
   */
  export function tryParseJson(text: string): any;
  /**
   * Returns a function that calls another one once.
   * @example const config = once(() => ({ loaded: true }))();
   */
  export function once<T>(make: () => T): () => T;
  /**
   * Waits for work until a signal is triggered.
   * @example const value = await untilAborted(signal, async () => 1);
   */
  export function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /**
   * Waits until a time has passed or a signal is triggered.
   * @example await abortableSleep(1, signal);
   */
  export function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Removes escape sequences.
   * @example const plain = stripAnsi(theme.bold("Title"));
   */
  export function stripAnsi(text: string): string;
  /**
   * Removes escape sequences and control characters.
   * @example const plain = sanitizeText("a\x07b");
   */
  export function sanitizeText(text: string): string;
  /**
   * Formats a size.
   * @example const size = formatBytes(2048);
   */
  export function formatBytes(bytes: number): string;
  /**
   * Formats a duration.
   * @example const time = formatDuration(65_000);
   */
  export function formatDuration(milliseconds: number): string;
  /**
   * Formats a number in short. `toLocaleString` formats it for a language.
   * @example const tokens = formatNumber(12_300);
   */
  export function formatNumber(value: number): string;
  /**
   * Returns the plural of an English word if the count is not one.
   * @example const word = pluralize("file", 2);
   */
  export function pluralize(word: string, count: number): string;
  /**
   * Returns a count and a word.
   * @example const text = formatCount("file", 2);
   */
  export function formatCount(word: string, count: number): string;
  /**
   * Cuts a text to a number of characters.
   * @example const short = truncate("a long text", 6);
   */
  export function truncate(text: string, max: number, mark?: string): string;
}

