// The context of a call, the session as tools see it, the models, and the events of a session.

declare namespace Toolsmith {
  // -------------------------------------------------------------------------------------------- contexts

  /** The context of a call. A member that does not exist is `undefined`. */
  interface CustomToolContext {
    /**
     * The session, for reading.
     * @example const entries = ctx.sessionManager.getBranch();
     */
    readonly sessionManager: ReadonlySessionManager;
    /**
     * The known models.
     * @example const models = ctx.modelRegistry.getAvailable();
     */
    readonly modelRegistry: ModelRegistry;
    /**
     * The model of the session, if there is one.
     * @example const name = ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : "no model";
     */
    readonly model: Model | undefined;
    /**
     * The settings, without secrets.
     * @example const mode = ctx.settings.approval?.mode;
     */
    readonly settings: any;
    /**
     * `true` if calls run without asking.
     * @example if (ctx.autoApprove) pi.logger.warn("nobody is asked");
     */
    readonly autoApprove: boolean | undefined;
    /**
     * The working directory.
     * @example await pi.exec("ls", [], { cwd: ctx.cwd });
     */
    readonly cwd: string;
    /**
     * The id of the session.
     * @example const cache = `${ctx.sessionId}.json`;
     */
    readonly sessionId: string | undefined;
    /**
     * The user interface. Its dialogs close when the call is stopped.
     * @example ctx.ui.notify("Done");
     */
    readonly ui: UIContext;
    /**
     * `true` if a person can be asked.
     * @example const target = ctx.hasUI ? await ctx.ui.select("Target", ["staging", "production"]) : "staging";
     */
    readonly hasUI: boolean;
    /**
     * Triggered when the call is stopped; the same as the last argument of `execute`.
     * @example ctx.signal.throwIfAborted();
     */
    readonly signal: AbortSignal;
    /**
     * The mode of the program: `tui`, `print`, `json` or `rpc`.
     * @example if (ctx.mode === "tui") ctx.ui.setTitle("Working");
     */
    readonly mode: string;
    /**
     * The thinking level.
     * @example const level = ctx.thinkingLevel;
     */
    readonly thinkingLevel: string;
    /**
     * An empty list; elsewhere the models the user cycles through.
     * @example const models = ctx.scopedModels;
     */
    readonly scopedModels: Model[];
    /**
     * The active tools.
     * @example const names = ctx.tools.map((tool) => tool.name);
     */
    readonly tools: { name: string; description: string; [field: string]: any }[];
    /**
     * Returns `true` if no run is in progress.
     * @example const idle = ctx.isIdle();
     */
    isIdle(): boolean;
    /**
     * Returns `true` if messages of the user wait.
     * @example if (ctx.hasQueuedMessages()) pi.logger.info("the user wrote something");
     */
    hasQueuedMessages(): boolean;
    /**
     * Does the same as `hasQueuedMessages`.
     * @example const waiting = ctx.hasPendingMessages();
     */
    hasPendingMessages(): boolean;
    /**
     * Stops the run.
     * @example ctx.abort();
     */
    abort(): void;
    /**
     * Ends the session once it is idle.
     * @example ctx.shutdown();
     */
    shutdown(): void;
    /**
     * Returns `true` if the user trusts the project.
     * @example const trusted = ctx.isProjectTrusted();
     */
    isProjectTrusted(): boolean;
    /**
     * Returns the size of the context, if it is known.
     * @example const usage = ctx.getContextUsage();
     */
    getContextUsage(): any;
    /**
     * Returns the system prompt.
     * @example const length = ctx.getSystemPrompt().length;
     */
    getSystemPrompt(): string;
    /**
     * Returns the facts the system prompt is built from.
     * @example const options = ctx.getSystemPromptOptions();
     */
    getSystemPromptOptions(): any;
    /**
     * Replaces old messages by a summary, in the background.
     * @example
     * ctx.compact({
     *   customInstructions: "Keep the names of changed files.",
     *   onComplete: () => pi.logger.info("compacted"),
     *   onError: (error) => pi.logger.warn("not compacted", { error: String(error) }),
     * });
     */
    compact(options?: string | { customInstructions?: string; onComplete?(result: any): void; onError?(error: unknown): void }): Promise<any>;
    /**
     * Calls a tool by name, with validation and approval as for a call of the model.
     * @example const { content, isError } = await ctx.executeTool("ls", { path: "." });
     */
    executeTool(
      name: string,
      args?: Record<string, any>,
      options?: { signal?: AbortSignal; onUpdate?: AgentToolUpdateCallback },
    ): Promise<AgentToolResult & { isError: boolean; result: AgentToolResult }>;
    /**
     * Calls the built-in tool of a name, also one that an extension replaced.
     * @example const { content } = await ctx.invokeTool("ls", { path: "." });
     */
    invokeTool(
      name: string,
      args?: Record<string, any>,
      options?: { signal?: AbortSignal; onUpdate?: AgentToolUpdateCallback },
    ): Promise<AgentToolResult & { isError: boolean; result: AgentToolResult }>;
    /**
     * Does the same as `pi.sendMessage`.
     * @example await ctx.sendMessage({ customType: "build", content: "The build passed." }, { deliverAs: "nextTurn" });
     */
    sendMessage(message: { customType: string; content?: any; display?: boolean; details?: any }, options?: any): Promise<void>;
    /**
     * Does the same as `pi.sendUserMessage`.
     * @example await ctx.sendUserMessage("Run the tests", { deliverAs: "followUp" });
     */
    sendUserMessage(content: string | (TextContent | ImageContent)[], options?: any): Promise<void>;
  }

  /** An entry of a session; docs/sessions.md describes the types. */
  interface SessionEntry {
    type: string;
    id: string;
    parentId?: string | null;
    timestamp?: string;
    [field: string]: any;
  }

  /** The session as tools see it. It can be read, and files can be stored beside it; its entries cannot be changed. */
  interface ReadonlySessionManager {
    /**
     * Returns the working directory of the session.
     * @example const cwd = ctx.sessionManager.getCwd();
     */
    getCwd(): string;
    /**
     * Does the same as `getCwd`.
     * @example const cwd = ctx.sessionManager.getRecordedCwd();
     */
    getRecordedCwd(): string;
    /**
     * Returns the directory of the session's file.
     * @example const dir = ctx.sessionManager.getSessionDir();
     */
    getSessionDir(): string | undefined;
    /**
     * Returns the id of the session.
     * @example const id = ctx.sessionManager.getSessionId();
     */
    getSessionId(): string;
    /**
     * Returns the file of the session, if it is stored.
     * @example const file = ctx.sessionManager.getSessionFile();
     */
    getSessionFile(): string | undefined;
    /**
     * Returns the name of the session.
     * @example const name = ctx.sessionManager.getSessionName() ?? "unnamed";
     */
    getSessionName(): string | undefined;
    /**
     * Returns the first line of the session's file.
     * @example const started = ctx.sessionManager.getHeader()?.timestamp;
     */
    getHeader(): any;
    /**
     * Returns all entries, of all branches.
     * @example const count = ctx.sessionManager.getEntries().length;
     */
    getEntries(): SessionEntry[];
    /**
     * Returns an entry by its id.
     * @example const entry = ctx.sessionManager.getEntry(ctx.sessionManager.getLeafId() ?? "");
     */
    getEntry(id: string): SessionEntry | undefined;
    /**
     * Returns the id of the newest entry of the current branch.
     * @example const leaf = ctx.sessionManager.getLeafId();
     */
    getLeafId(): string | null;
    /**
     * Returns the newest entry of the current branch.
     * @example const type = ctx.sessionManager.getLeafEntry()?.type;
     */
    getLeafEntry(): SessionEntry | undefined;
    /**
     * Returns the entries of the current branch, oldest first, or of the branch that ends with an entry. This is how a tool finds
     * its own earlier results.
     * @example
     * const results = ctx.sessionManager.getBranch()
     *   .filter((entry) => entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "notes")
     *   .map((entry) => entry.message.details);
     */
    getBranch(from?: string): SessionEntry[];
    /**
     * Returns the entries as a tree.
     * @example const roots = ctx.sessionManager.getTree().map((node) => node.entry.type);
     */
    getTree(): { entry: SessionEntry; children: any[]; label?: string }[];
    /**
     * Returns the label of an entry.
     * @example const label = ctx.sessionManager.getLabel(ctx.sessionManager.getLeafId() ?? "");
     */
    getLabel(id: string): string | undefined;
    /**
     * Returns the tokens and the cost of the session.
     * @example const { totalTokens, cost } = ctx.sessionManager.getUsageStatistics();
     */
    getUsageStatistics(): { input: number; output: number; cacheRead: number; cacheWrite: number; totalTokens: number; cost: number };
    /**
     * Returns the directory of the session's artifacts, if it is stored.
     * @example const dir = ctx.sessionManager.getArtifactsDir();
     */
    getArtifactsDir(): string | null;
    /**
     * Reserves a file beside the session.
     * @example const { id, path } = await ctx.sessionManager.allocateArtifactPath("report");
     */
    allocateArtifactPath(kind?: string): Promise<any>;
    /**
     * Stores a text beside the session.
     * @example const artifact = await ctx.sessionManager.saveArtifact("a long text", "report");
     */
    saveArtifact(text: string, kind?: string): Promise<any>;
    /**
     * Returns the path of an artifact.
     * @example
     * await ctx.sessionManager.saveArtifact("a long text");
     * const path = await ctx.sessionManager.getArtifactPath("0");
     */
    getArtifactPath(id: string): Promise<string | null>;
    /**
     * Stores bytes by their hash, and returns a reference.
     * @example const reference = await ctx.sessionManager.putBlob(new Uint8Array([1, 2, 3]));
     */
    putBlob(bytes: Uint8Array): Promise<any>;
    /**
     * Does the same as `putBlob`, without a promise.
     * @example const reference = ctx.sessionManager.putBlobSync(new Uint8Array([1, 2, 3]));
     */
    putBlobSync(bytes: Uint8Array): any;
  }

  interface Model {
    provider: string;
    id: string;
    available?: boolean;
    [field: string]: any;
  }

  /** The known models. Keys never reach a tool: the host makes the requests. */
  interface ModelRegistry {
    /**
     * Returns all models.
     * @example const ids = ctx.modelRegistry.getAll().map((model) => model.id);
     */
    getAll(): Model[];
    /**
     * Returns the models that can be used.
     * @example const [model] = ctx.modelRegistry.getAvailable();
     */
    getAvailable(): Model[];
    /**
     * Returns a model by provider and id.
     * @example const model = ctx.modelRegistry.find("anthropic", "claude-sonnet-4-5");
     */
    find(provider: string, id: string): Model | undefined;
    /**
     * Asks a model. A failure is a message with `stopReason: "error"`.
     * @example
     * const answer = await ctx.modelRegistry.complete(ctx.model, {
     *   systemPrompt: "Answer in one word.",
     *   messages: [{ role: "user", content: "Is water wet?" }],
     * }, { signal, maxTokens: 100 });
     */
    complete(model: Model | undefined, context: { systemPrompt?: string; messages?: any[]; tools?: any[] }, options?: { signal?: AbortSignal; reasoning?: string; maxTokens?: number }): Promise<any>;
    /**
     * Does the same as `complete`.
     * @example const answer = await ctx.modelRegistry.completeSimple(ctx.model, { messages: [{ role: "user", content: "Hello" }] });
     */
    completeSimple(model: Model | undefined, context: any, options?: any): Promise<any>;
    /**
     * Asks a model; gives the events of the answer.
     * @example for await (const event of ctx.modelRegistry.stream(ctx.model, { messages: [{ role: "user", content: "Hello" }] })) pi.logger.debug(event.type);
     */
    stream(model: Model | undefined, context: any, options?: any): any;
    /**
     * Does the same as `stream`.
     * @example const answer = await ctx.modelRegistry.streamSimple(ctx.model, { messages: [{ role: "user", content: "Hello" }] }).result();
     */
    streamSimple(model: Model | undefined, context: any, options?: any): any;
    /**
     * Returns `undefined`: errors of the configuration are shown to the user.
     * @example const error = ctx.modelRegistry.getError();
     */
    getError(): undefined;
    /**
     * Returns a placeholder for the key, for code that passes it on to `complete`.
     * @example const { ok } = await ctx.modelRegistry.getApiKeyAndHeaders(ctx.model);
     */
    getApiKeyAndHeaders(model: Model | undefined): Promise<{ ok: true; apiKey: string; headers: Record<string, string>; model: Model | undefined }>;
    /**
     * Returns `true` if a model's provider has a key.
     * @example const usable = ctx.modelRegistry.hasConfiguredAuth(ctx.model);
     */
    hasConfiguredAuth(model: Model | undefined): boolean;
    /**
     * Returns `false`.
     * @example const oauth = ctx.modelRegistry.isUsingOAuth(ctx.model);
     */
    isUsingOAuth(model: Model | undefined): boolean;
    /**
     * Does nothing: the list is always current.
     * @example await ctx.modelRegistry.refresh();
     */
    refresh(): Promise<void>;
    /**
     * Returns the name of a provider.
     * @example const name = ctx.modelRegistry.getProviderDisplayName("anthropic");
     */
    getProviderDisplayName(provider: string): string;
    /**
     * Returns a placeholder for the key.
     * @example const key = await ctx.modelRegistry.getApiKey(ctx.model);
     */
    getApiKey(...of: unknown[]): Promise<string>;
    /**
     * Returns a placeholder for the key.
     * @example const key = await ctx.modelRegistry.getApiKeyForProvider("anthropic");
     */
    getApiKeyForProvider(provider: string): Promise<string>;
    /**
     * Returns placeholders for keys.
     * @example const known = ctx.modelRegistry.authStorage.hasAuth("anthropic");
     */
    authStorage: { getApiKey(...of: unknown[]): Promise<string>; hasAuth(...of: unknown[]): boolean; get(...of: unknown[]): undefined };
  }

  // ------------------------------------------------------------------------------------- session events

  /** The events of a session, told apart by `reason`. */
  interface SessionEvents {
    /**
     * The session is ready. Rebuild state from `ctx.sessionManager.getBranch()`.
     * @example if (event.reason === "start") pi.logger.info("session", { entries: ctx.sessionManager.getBranch().length });
     */
    start: {
      reason: "start";
      /** What `getState` of the previous version of the module returned, after a reload. */
      previousState?: any;
    };
    /**
     * The session was replaced by a new or resumed one.
     * @example if (event.reason === "switch") pi.logger.info("switched", { from: event.previousSessionFile });
     */
    switch: { reason: "switch"; previousSessionFile?: string };
    /**
     * The conversation continues from an earlier message in a new file.
     * @example if (event.reason === "branch") pi.logger.info("branched", { from: event.previousSessionFile });
     */
    branch: { reason: "branch"; previousSessionFile?: string };
    /**
     * Another branch of the session became the current one.
     * @example if (event.reason === "tree") pi.logger.info("moved", { to: ctx.sessionManager.getLeafId() });
     */
    tree: { reason: "tree" };
    /**
     * The session ends.
     * @example if (event.reason === "shutdown") pi.logger.info("session ends");
     */
    shutdown: { reason: "shutdown" };
    /**
     * Old messages are about to be summarised.
     * @example if (event.reason === "auto_compaction_start") ctx.ui.setStatus("memory", `Compacting: ${event.trigger}, ${event.action}`);
     */
    auto_compaction_start: { reason: "auto_compaction_start"; trigger: "threshold" | "overflow" | "idle"; action: "context-full" | "handoff" };
    /**
     * Old messages were summarised, or that failed.
     * @example
     * if (event.reason === "auto_compaction_end") {
     *   ctx.ui.setStatus("memory", undefined);
     *   if (event.errorMessage) pi.logger.warn("not compacted", { aborted: event.aborted, error: event.errorMessage });
     * }
     */
    auto_compaction_end: {
      reason: "auto_compaction_end";
      action: "context-full" | "handoff";
      result?: any;
      aborted: boolean;
      willRetry: boolean;
      errorMessage?: string;
    };
    /**
     * A failed request will be repeated after a delay.
     * @example if (event.reason === "auto_retry_start") ctx.ui.setStatus("retry", `Attempt ${event.attempt} of ${event.maxAttempts} in ${event.delayMs} ms`);
     */
    auto_retry_start: { reason: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string };
    /**
     * The repetitions of a request ended.
     * @example if (event.reason === "auto_retry_end" && !event.success) pi.logger.warn("gave up", { error: event.finalError });
     */
    auto_retry_end: { reason: "auto_retry_end"; success: boolean; attempt: number; finalError?: string };
    /**
     * Rules interrupted a response of the model.
     * @example if (event.reason === "ttsr_triggered") pi.logger.info("rules", { names: event.rules.map((rule) => rule.name) });
     */
    ttsr_triggered: { reason: "ttsr_triggered"; rules: any[] };
    /**
     * The model was reminded of open todos.
     * @example if (event.reason === "todo_reminder") ctx.ui.notify(`${event.todos.length} open, reminder ${event.attempt} of ${event.maxAttempts}`);
     */
    todo_reminder: { reason: "todo_reminder"; todos: any[]; attempt: number; maxAttempts: number };
  }
  /** The first argument of `onSession`. */
  type CustomToolSessionEvent = SessionEvents[keyof SessionEvents];
}
