// Types for tools that run in Toolsmith. Written by `toolsmith types`; do not edit, it is replaced.
//
// Modules are declared with patterns, so a package that is installed beside the tool brings its own types. The comments are the
// source of docs/api.md, and a test runs every example.

/** The types of the host API. They are not imported by this name: `import type { CustomTool } from "toolsmith"`. */
declare namespace Toolsmith {
  // ---------------------------------------------------------------------------------------------- tools

  /** The default export of a tool module. Returning nothing offers no tool. */
  type CustomToolFactory = (pi: CustomToolAPI) => Made | Promise<Made>;
  type Made = CustomTool<any, any> | CustomTool<any, any>[] | null | undefined | void;

  /**
   * The export `getState` of a module: the state that its next version receives as `event.previousState` of `start`, after a
   * reload. It has to be JSON.
   */
  type GetState<State = any> = () => State | Promise<State>;

  /** The arguments `execute` receives for a schema: zod, TypeBox, arktype, or plain JSON Schema (then `any`). */
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
    /**
     * The name the model calls. Providers accept letters, digits, `_` and `-`, at most 64; a tool with another name is offered
     * under a mapped one.
     * @example name: "repo_stats",
     */
    name: string;
    /**
     * The name people see. Default: `name`.
     * @example label: "Repo Stats",
     */
    label?: string;
    /**
     * The text the model reads to decide when to call the tool.
     * @example description: "Counts tracked files that match a glob. Use it before reading many files.",
     */
    description: string;
    /**
     * The arguments: a zod, TypeBox or arktype schema, or JSON Schema.
     * @example parameters: pi.zod.object({ name: pi.zod.string().describe("Whom to greet") }),
     */
    parameters: Parameters;
    /**
     * Does the work. Throw an error to report a failure to the model; use `signal` to stop when the user stops the call.
     * @example
     * async execute(toolCallId, params, onUpdate, ctx, signal) {
     *   onUpdate({ content: [{ type: "text", text: "Working" }] });
     *   return { content: [{ type: "text", text: `Hello, ${params.name}!` }], details: { length: params.name.length } };
     * },
     */
    execute(
      toolCallId: string,
      params: Arguments<Parameters>,
      onUpdate: AgentToolUpdateCallback<Details>,
      ctx: CustomToolContext,
      signal: AbortSignal,
    ): Promise<AgentToolResult<Details>> | AgentToolResult<Details>;
    /**
     * Draws the call. A function with exactly two parameters receives `(args, theme)`, so the second has both types.
     * @example
     * renderCall(args, options, theme) {
     *   return new pi.pi.Text(theme.bold("Greet ") + theme.fg("accent", args.name), 0, 0);
     * },
     */
    renderCall?(args: Arguments<Parameters>, options: RenderOptions & Theme, theme: Theme): Component | string | undefined;
    /**
     * Draws a partial or final result.
     * @example
     * renderResult(result, options, theme, args) {
     *   if (options.isPartial) return new pi.pi.Text(theme.fg("dim", "Greeting"), 0, 0);
     *   return new pi.pi.Text(theme.fg("success", `${theme.status.success} Greeted ${args.name}`), 0, 0);
     * },
     */
    renderResult?(
      result: AgentToolResult<Details>,
      options: RenderOptions,
      theme: Theme,
      args: Arguments<Parameters>,
    ): Component | string | undefined;
    /**
     * Receives the events of the session.
     * @example
     * onSession(event, ctx) {
     *   if (event.reason === "start") pi.logger.info("session started", { id: ctx.sessionManager.getSessionId() });
     * },
     */
    onSession?(event: CustomToolSessionEvent, ctx: CustomToolContext): void | Promise<void>;
    /**
     * Requests strict schemas from providers: every object closed, every property required.
     * @example strict: true,
     */
    strict?: boolean;
    /**
     * Offers the tool only where it is named, such as with `--tools`.
     * @example hidden: true,
     */
    hidden?: boolean;
    /**
     * `false` loads the module in every run, instead of offering the tool as it was declared before.
     * @example cache: false,
     */
    cache?: boolean;
    /**
     * States that the tool calls `pushPendingAction`.
     * @example deferrable: true,
     */
    deferrable?: boolean;
    /**
     * The permission a call needs. Default: `"exec"`, which asks before every call.
     * @example approval: (args) => (args.name === "root" ? { tier: "exec", reason: "Greets the administrator" } : "read"),
     */
    approval?: Approval | ((args: Arguments<Parameters>) => Approval | Promise<Approval>);
    /**
     * Returns lines for the person who is asked for approval.
     * @example formatApprovalDetails: (args) => [`Name: ${args.name}`],
     */
    formatApprovalDetails?(args: Arguments<Parameters>): string | string[] | undefined | Promise<string | string[] | undefined>;
    /**
     * `"discoverable"` allows Toolsmith to leave the tool out of the first request and let the model search for it.
     * @example loadMode: "discoverable",
     */
    loadMode?: "essential" | "discoverable";
    /**
     * `"exclusive"` waits for all earlier calls and holds all later ones. Default: `"shared"`.
     * @example concurrency: "exclusive",
     */
    concurrency?: "shared" | "exclusive";
    /**
     * `"sequential"` is the same as `concurrency: "exclusive"`.
     * @example executionMode: "sequential",
     */
    executionMode?: "sequential" | "parallel";
    /**
     * Schema of the result's `details`. Agents that call the tool over MCP get them as structured content.
     * @example outputSchema: pi.zod.object({ total: pi.zod.number() }),
     */
    outputSchema?: any;
    /**
     * Effects that agents which call the tool over MCP should know of: whether repeating a call changes nothing more, and
     * whether it reaches anything outside this machine.
     * @example annotations: { idempotentHint: true, openWorldHint: false },
     */
    annotations?: { idempotentHint?: boolean; openWorldHint?: boolean };
    /**
     * The name of the MCP server the tool stands for.
     * @example mcpServerName: "files",
     */
    mcpServerName?: string;
    /**
     * The name of the tool on that server.
     * @example mcpToolName: "read_file",
     */
    mcpToolName?: string;
    /**
     * Changes the arguments before they are validated, such as names of an earlier version.
     * @example prepareArguments: (args) => ({ name: args.name ?? args.who }),
     */
    prepareArguments?(args: any): any;
    /**
     * One line about the tool for the system prompt.
     * @example promptSnippet: "Greet people by name",
     */
    promptSnippet?: string;
    /**
     * Guidelines for the model, added to the system prompt.
     * @example promptGuidelines: ["Greet a person only once."],
     */
    promptGuidelines?: string[];
    /**
     * The deadline of a call in milliseconds. Updates extend it.
     * @example timeout: 30_000,
     */
    timeout?: number;
    /**
     * Releases resources when the session ends.
     * @example dispose: () => pi.logger.debug("closed"),
     */
    dispose?(): void | Promise<void>;
    /**
     * `"self"` draws the renderers' lines without a box.
     * @example renderShell: "self",
     */
    renderShell?: "default" | "self";
    /**
     * `true` is the same as `renderShell: "self"`.
     * @example inline: true,
     */
    inline?: boolean;
    /**
     * Hides the call once there is a result.
     * @example mergeCallAndResult: true,
     */
    mergeCallAndResult?: boolean;
    /**
     * States that `renderCall` animates with `spinnerFrame`.
     * @example animatedPendingPreview: true,
     */
    animatedPendingPreview?: boolean;
    /**
     * States that `renderResult` animates partial results with `spinnerFrame`.
     * @example animatedPartialResult: true,
     */
    animatedPartialResult?: boolean;
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
  }

  type ApprovalTier = "read" | "write" | "exec";
  /** A tier, a decision, or both with a reason. */
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
    /** The bytes as Base64. */
    data: string;
    mimeType: string;
  }

  /** The result of a call, or a part of it. */
  interface AgentToolResult<Details = any> {
    /**
     * The text and images the model receives.
     * @example return { content: [{ type: "text", text: "Done" }] };
     */
    content: (TextContent | ImageContent)[];
    /**
     * Data for renderers and for later calls. The model does not receive it; the session stores it. It takes at most an eighth of the
     * tool's memory limit.
     * @example return { content: [{ type: "text", text: "Done" }], details: { files: 3 } };
     */
    details?: Details;
    /**
     * Marks the result as a failure without throwing.
     * @example return { content: [{ type: "text", text: "Nothing matched" }], isError: true };
     */
    isError?: boolean;
  }
  /** Streams a partial result to the user. */
  type AgentToolUpdateCallback<Details = any> = (partial: AgentToolResult<Details>) => void;

  /** The second argument of `renderCall` and `renderResult`. */
  interface RenderOptions {
    /**
     * The user expanded the output of tools.
     * @example
     * const lines = ["one", "two", "three", "four"];
     * return new pi.pi.Text(lines.slice(0, options.expanded ? undefined : 2).join("\n"), 0, 0);
     */
    expanded: boolean;
    /**
     * The result is an update, and the call is still running.
     * @example return new pi.pi.Text(options.isPartial ? "Working" : "Done", 0, 0);
     */
    isPartial: boolean;
    /**
     * The frame of the spinner while the call is running.
     * @example
     * const frame = theme.spinnerFrames[(options.spinnerFrame ?? 0) % theme.spinnerFrames.length];
     * return new pi.pi.Text(options.isPartial ? `${frame} Working` : "Done", 0, 0);
     */
    spinnerFrame?: number;
    /**
     * `false` while the model is still writing the arguments; otherwise absent.
     * @example return new pi.pi.Text(options.argsComplete === false ? "Receiving arguments" : args.name, 0, 0);
     */
    argsComplete?: false;
    /**
     * `false` until the call starts; otherwise absent.
     * @example return new pi.pi.Text(options.executionStarted === false ? "Waiting" : "Started", 0, 0);
     */
    executionStarted?: false;
  }

  /**
   * The last argument of renderers with the parameters of pi: `renderCall(args, theme, context)` and
   * `renderResult(result, options, theme, context)`. It also has the members of the options.
   */
  interface RenderContext {
    /**
     * The arguments of the call.
     * @example return new pi.pi.Text(JSON.stringify(context.args), 0, 0);
     */
    args: any;
    /**
     * An object that both renderers of one call share.
     * @example
     * context.state.drawn = (context.state.drawn ?? 0) + 1;
     * return new pi.pi.Text(`Drawn ${context.state.drawn} times`, 0, 0);
     */
    state: any;
    /**
     * The component this renderer returned before.
     * @example
     * const text = context.lastComponent ?? new pi.pi.Text("", 0, 0);
     * text.setText("Done");
     * return text;
     */
    lastComponent: any;
    /**
     * Requests that the call is drawn again.
     * @example
     * context.state.timer ??= setTimeout(() => context.invalidate(), 10);
     * return new pi.pi.Text("Done", 0, 0);
     */
    invalidate(): void;
    /**
     * The id of the call.
     * @example return new pi.pi.Text(theme.fg("dim", context.toolCallId), 0, 0);
     */
    toolCallId: string;
    /**
     * The working directory.
     * @example return new pi.pi.Text(`in ${context.cwd}`, 0, 0);
     */
    cwd: string;
    /**
     * The user expanded the output of tools.
     * @example return new pi.pi.Text(context.expanded ? "all of it" : "in short", 0, 0);
     */
    expanded: boolean;
    /**
     * The result is an update.
     * @example return new pi.pi.Text(context.isPartial ? "Working" : "Done", 0, 0);
     */
    isPartial: boolean;
    /**
     * The call failed.
     * @example return new pi.pi.Text(theme.fg(context.isError ? "error" : "success", "Done"), 0, 0);
     */
    isError: boolean;
    /**
     * The duration of a finished call in milliseconds.
     * @example return new pi.pi.Text(context.durationMs === undefined ? "Running" : `${context.durationMs} ms`, 0, 0);
     */
    durationMs: number | undefined;
    /**
     * The terminal shows images.
     * @example return new pi.pi.Text(context.showImages ? "with images" : "without images", 0, 0);
     */
    showImages: boolean;
    /**
     * The columns beside the output.
     * @example return new pi.pi.Text("Done", context.outputPad, 0);
     */
    outputPad: number;
    /**
     * `false` while the model is still writing the arguments.
     * @example return new pi.pi.Text(context.argsComplete ? "Ready" : "Receiving arguments", 0, 0);
     */
    argsComplete: boolean;
    /**
     * `false` until the call starts.
     * @example return new pi.pi.Text(context.executionStarted ? "Started" : "Waiting", 0, 0);
     */
    executionStarted: boolean;
    /**
     * Returns the keys of an action.
     * @example return new pi.pi.Text(`Press ${context.keyText("tui.select.confirm")}`, 0, 0);
     */
    keyText(action: string): string;
    /**
     * Returns the keys of an action with a description.
     * @example return new pi.pi.Text(context.keyHint("tui.select.cancel", "to close"), 0, 0);
     */
    keyHint(action: string, description: string): string;
  }
}
