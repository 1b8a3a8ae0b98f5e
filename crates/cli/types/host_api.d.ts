// The host API, which a factory receives.

declare namespace Toolsmith {
  // ------------------------------------------------------------------------------------------- host API

  /** The host API, which a factory receives. Its members may be destructured. */
  interface CustomToolAPI {
    /**
     * The working directory.
     * @example const manifest = `${pi.cwd}/package.json`;
     */
    readonly cwd: string;
    /**
     * Runs a program without a shell. A non-zero exit code is not an error; a missing program is.
     * @example
     * const { stdout, code } = await pi.exec("git", ["--version"], { signal, timeout: 10_000 });
     * if (code !== 0) throw new Error("git failed");
     */
    exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
    /**
     * The user interface of the module. Inside a call, prefer `ctx.ui`, whose dialogs close when the call is stopped.
     * @example pi.ui.notify("The index is up to date");
     */
    readonly ui: UIContext;
    /**
     * `true` if a person can be asked.
     * @example const sure = pi.hasUI && (await pi.ui.confirm("Continue?"));
     */
    readonly hasUI: boolean;
    /**
     * Writes to the log file, never to the terminal.
     * @example pi.logger.info("scanned", { files: 3 });
     */
    readonly logger: Logger;
    /**
     * The library TypeBox.
     * @example const parameters = pi.typebox.Type.Object({ path: pi.typebox.Type.String() });
     */
    readonly typebox: typeof import("@sinclair/typebox");
    /**
     * The library zod.
     * @example const parameters = pi.zod.object({ path: pi.zod.string() });
     */
    readonly zod: typeof import("zod");
    /**
     * The library arktype: its `type` function, with the other exports as members.
     * @example const parameters = pi.arktype({ path: "string" });
     */
    readonly arktype: any;
    /**
     * The exports of the module `toolsmith`: components, themes, functions for text.
     * @example const title = new pi.pi.Text("Title", 0, 0);
     */
    readonly pi: typeof import("toolsmith");
    /**
     * Stages a change that the user, or the model, applies or discards later.
     * @example
     * pi.pushPendingAction({
     *   label: "Write the version",
     *   files: [{ path: "VERSION", content: "2\n" }],
     * });
     */
    pushPendingAction(action: PendingAction): void;
    /**
     * A bus between modules. Data crosses as JSON.
     * @example pi.events.emit("index:ready", { files: 3 });
     */
    readonly events: EventBus;
    /**
     * Offers a tool without returning it, also after the factory has ended.
     * @example
     * pi.registerTool({
     *   name: "extra",
     *   description: "Says that it was registered",
     *   parameters: pi.zod.object({}),
     *   execute: async () => ({ content: [{ type: "text", text: "registered" }] }),
     * });
     */
    registerTool(tool: CustomTool<any, any>): void;
  }

  interface ExecOptions {
    /**
     * Stops the program, and every process it started.
     * @example await pi.exec("true", [], { signal });
     */
    signal?: AbortSignal;
    /**
     * Stops the program after this many milliseconds.
     * @example const { killed } = await pi.exec("true", [], { timeout: 5000 });
     */
    timeout?: number;
    /**
     * The directory the program runs in. Default: `pi.cwd`.
     * @example await pi.exec("ls", [], { cwd: "/" });
     */
    cwd?: string;
    /**
     * Variables to set; `null` removes one.
     * @example await pi.exec("env", [], { env: { LANG: "C", DEBUG: null } });
     */
    env?: Record<string, string | null | undefined>;
    /**
     * The standard input.
     * @example const { stdout } = await pi.exec("sort", [], { stdin: "b\na\n" });
     */
    stdin?: string;
    /**
     * Another name of `stdin`.
     * @example const { stdout } = await pi.exec("cat", [], { input: "text" });
     */
    input?: string;
  }
  interface ExecResult {
    /**
     * The standard output.
     * @example const lines = (await pi.exec("printf", ["one\ntwo\n"])).stdout.split("\n");
     */
    stdout: string;
    /**
     * The standard error.
     * @example const { stderr } = await pi.exec("sh", ["-c", "echo problem >&2"]);
     */
    stderr: string;
    /**
     * The exit code.
     * @example const exists = (await pi.exec("test", ["-e", "package.json"])).code === 0;
     */
    code: number;
    /**
     * A timeout or the signal stopped the program.
     * @example if ((await pi.exec("sleep", ["5"], { timeout: 20 })).killed) pi.logger.warn("too slow");
     */
    killed: boolean;
  }

  /** A staged change. It needs `files`, `apply`, or both. */
  interface PendingAction<Details = any> {
    /**
     * A short description of the change.
     * @example pi.pushPendingAction({ label: "Bump the version", files: [{ path: "VERSION", content: "3\n" }] });
     */
    label: string;
    /**
     * Makes the change. Without it, the host writes `files`.
     * @example
     * pi.pushPendingAction({
     *   label: "Publish",
     *   apply: async (reason) => ({ content: [{ type: "text", text: `Published: ${reason}` }] }),
     * });
     */
    apply?(reason: string): AgentToolResult<Details> | Promise<AgentToolResult<Details>>;
    /**
     * Runs when the change is discarded. A returned result replaces the default text.
     * @example
     * pi.pushPendingAction({
     *   label: "Publish",
     *   apply: () => ({ content: [{ type: "text", text: "Published" }] }),
     *   reject: (reason) => ({ content: [{ type: "text", text: `Not published: ${reason}` }] }),
     * });
     */
    reject?(reason: string): AgentToolResult<Details> | undefined | void | Promise<AgentToolResult<Details> | undefined | void>;
    /**
     * Data that clients receive with the action.
     * @example pi.pushPendingAction({ label: "Tag", details: { tag: "v2" }, apply: () => ({ content: [] }) });
     */
    details?: unknown;
    /**
     * The tool that staged the action. Default: `"custom_tool"`.
     * @example pi.pushPendingAction({ label: "Tag", sourceToolName: "release", apply: () => ({ content: [] }) });
     */
    sourceToolName?: string;
    /**
     * The files to write, which the host shows as an exact difference. `content: null` deletes a file. `baseHash` is the SHA-256
     * of the content the change was computed from, or `null` if the file must not exist; without it, the file is bound to its
     * present content.
     * @example
     * pi.pushPendingAction({
     *   label: "Add a note",
     *   files: [{ path: "NOTES.md", content: "A note.\n", baseHash: null }],
     * });
     */
    files?: { path: string; content: string | Uint8Array | null; baseHash?: string | null }[];
  }

  type LogFunction = (message: string, context?: unknown) => void;
  /** Writes JSON lines to the log file, which `toolsmith doctor` names. */
  interface Logger {
    /**
     * Logs an error.
     * @example pi.logger.error("request failed", { status: 500 });
     */
    error: LogFunction;
    /**
     * Logs a warning.
     * @example pi.logger.warn("cache is stale");
     */
    warn: LogFunction;
    /**
     * Logs information.
     * @example pi.logger.info("scanned", { files: 3 });
     */
    info: LogFunction;
    /**
     * Logs details for authors. They are kept if `TOOLSMITH_LOG` is `debug`.
     * @example pi.logger.debug("parsed", { nodes: 42 });
     */
    debug: LogFunction;
    /**
     * Accepted for compatible agents; measures nothing.
     * @example
     * const stop = pi.logger.time("scan");
     * stop();
     */
    time(...labels: unknown[]): () => void;
  }

  /** A bus between modules: every module receives what one emits. */
  interface EventBus {
    /**
     * Sends data to all listeners of a channel.
     * @example pi.events.emit("build:done", { ok: true });
     */
    emit(channel: string, data?: unknown): void;
    /**
     * Adds a listener; returns a function that removes it.
     * @example
     * const stop = pi.events.on("build:done", (data) => pi.logger.info("built", data));
     * stop();
     */
    on(channel: string, listener: (data: any) => void): () => void;
    /**
     * Adds a listener for one event; returns a function that removes it.
     * @example pi.events.once("build:done", () => pi.logger.info("built"));
     */
    once(channel: string, listener: (data: any) => void): () => void;
    /**
     * Removes a listener.
     * @example
     * const listener = () => {};
     * pi.events.on("build:done", listener);
     * pi.events.off("build:done", listener);
     */
    off(channel: string, listener: (data: any) => void): void;
  }
}
