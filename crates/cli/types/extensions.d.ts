// The API of extensions and the context of their commands.

declare namespace Toolsmith {
  // ------------------------------------------------------------------------------------------ extensions

  /** The API of extensions: that of tools, registrations, and actions on the session. Tools have these members too. */
  interface ExtensionAPI extends Omit<CustomToolAPI, "registerTool"> {
    /**
     * Offers a tool. One with the name of a built-in tool replaces it. `execute` may have the order of parameters of pi, which is
     * read from their names.
     * @example
     * pi.registerTool({
     *   name: "tail",
     *   description: "Returns the last line of a text",
     *   parameters: pi.zod.object({ text: pi.zod.string() }),
     *   execute: async (id, params, signal, onUpdate, ctx) => ({ content: [{ type: "text", text: params.text.split("\n").at(-1) ?? "" }] }),
     * });
     */
    registerTool<Parameters>(tool: ExtensionTool<Parameters>): void;
    registerTool<Parameters>(tool: CustomTool<Parameters>): void;
    /**
     * Adds a handler of an event; returns a function that removes it. docs/extensions.md lists the events.
     * @example
     * pi.on("tool_call", async (event, ctx) => {
     *   if (event.toolName === "bash") return { block: true, reason: "bash is switched off" };
     * });
     */
    on(event: string, handler: (event: any, ctx: ExtensionContext) => any): () => void;
    /**
     * Adds a command, `/name`.
     * @example
     * pi.registerCommand("greet", {
     *   description: "Greet somebody",
     *   handler: async (args, ctx) => ctx.ui.notify(`Hello, ${args || "World"}!`),
     * });
     */
    registerCommand(
      name: string,
      options: {
        description?: string;
        getArgumentCompletions?(prefix: string): any;
        handler(args: string, ctx: CommandContext): any;
        [option: string]: any;
      },
    ): void;
    /**
     * Adds a key to the terminal interface.
     * @example pi.registerShortcut("ctrl+alt+g", { description: "Greet", handler: (ctx) => ctx.ui.notify("Hello!") });
     */
    registerShortcut(key: string, options: { description?: string; handler(ctx: CommandContext): any; [option: string]: any }): void;
    /**
     * Adds a command-line option, `--name` or `--name=value`.
     * @example pi.registerFlag("dry-run", { description: "Change nothing", type: "boolean", default: false });
     */
    registerFlag(name: string, options?: { description?: string; type?: "boolean" | "string"; default?: any }): void;
    /**
     * Returns the value of an option this module registered.
     * @example
     * pi.registerFlag("level", { type: "string", default: "low" });
     * const level = pi.getFlag("level");
     */
    getFlag(name: string): any;
    /**
     * Draws custom messages of a type.
     * @example pi.registerMessageRenderer("build", (message, options, theme) => new pi.pi.Text(theme.bold(message.content), 0, 0));
     */
    registerMessageRenderer(type: string, renderer: (message: any, options: RenderOptions, theme: Theme) => Component | undefined): void;
    /**
     * Draws custom entries of a type.
     * @example pi.registerEntryRenderer("build", (entry, options, theme) => new pi.pi.Text(theme.fg("dim", "built"), 0, 0));
     */
    registerEntryRenderer(type: string, renderer: (entry: any, options: RenderOptions, theme: Theme) => Component | undefined): void;
    /**
     * Adds a provider and its models.
     * @example
     * pi.registerProvider("local", {
     *   baseUrl: "http://127.0.0.1:8080/v1",
     *   api: "openai-completions",
     *   models: [{ id: "small", name: "Small", contextWindow: 8192, maxTokens: 1024 }],
     * });
     */
    registerProvider(name: string, options: any): void;
    /**
     * Removes a provider that an extension added.
     * @example pi.unregisterProvider("local");
     */
    unregisterProvider(name: string): void;
    /**
     * Adds a message with a type of its own to the session. `deliverAs` says when the model receives it.
     * @example pi.sendMessage({ customType: "build", content: "The build passed.", display: true }, { deliverAs: "nextTurn" });
     */
    sendMessage(
      message: { customType: string; content?: string | (TextContent | ImageContent)[]; display?: boolean; details?: any },
      options?: { deliverAs?: "steer" | "followUp" | "nextTurn" | "aside"; triggerTurn?: boolean },
    ): void;
    /**
     * Sends a message as the user.
     * @example pi.sendUserMessage("Run the tests", { deliverAs: "followUp" });
     */
    sendUserMessage(
      content: string | (TextContent | ImageContent)[],
      options?: { deliverAs?: "steer" | "followUp" | "nextTurn" | "aside"; expandPromptTemplates?: boolean },
    ): void;
    /**
     * Stores an entry that the model never sees, such as the state of an extension.
     * @example pi.appendEntry("build-state", { passed: true });
     */
    appendEntry(type: string, data?: unknown): void;
    /**
     * Returns the names of the active tools.
     * @example const hasBash = pi.getActiveTools().includes("bash");
     */
    getActiveTools(): string[];
    /**
     * Returns all tools, active or not.
     * @example const names = pi.getAllTools().map((tool) => tool.name);
     */
    getAllTools(): { name: string; description: string; parameters: any; [field: string]: any }[];
    /**
     * Replaces the active tools. Unknown names are ignored.
     * @example pi.setActiveTools(pi.getActiveTools().filter((name) => name !== "bash"));
     */
    setActiveTools(names: readonly string[]): void;
    /**
     * Returns the commands of the session.
     * @example const commands = pi.getCommands().map((command) => `/${command.name}`);
     */
    getCommands(): any[];
    /**
     * Returns the name of the session.
     * @example const name = pi.getSessionName() ?? "unnamed";
     */
    getSessionName(): string | undefined;
    /**
     * Names the session.
     * @example pi.setSessionName("Release");
     */
    setSessionName(name: string): void;
    /**
     * Sets the label of this extension, or with two arguments the label of an entry of the session.
     * @example pi.setLabel("Release helper");
     */
    setLabel(label: string): void;
    setLabel(entryId: string, label: string | null | undefined): void;
    /**
     * Returns the label of this extension.
     * @example const label = pi.getLabel() ?? "no label";
     */
    getLabel(): string | undefined;
    /**
     * Switches the model; resolves to `false` if the model is unknown or has no key.
     * @example const switched = await pi.setModel(ctx.model);
     */
    setModel(model: Model | string | undefined): Promise<boolean>;
    /**
     * Returns the thinking level.
     * @example const level = pi.getThinkingLevel();
     */
    getThinkingLevel(): string;
    /**
     * Sets the thinking level: `off`, `minimal`, `low`, `medium`, `high` or `xhigh`.
     * @example pi.setThinkingLevel("low");
     */
    setThinkingLevel(level: string): void;
    /**
     * Returns the settings, without secrets.
     * @example const settings = pi.getSettings();
     */
    getSettings(): any;
    /**
     * Has no effect here; a warning names it.
     * @example pi.registerAssistantThinkingRenderer(() => undefined);
     */
    registerAssistantThinkingRenderer(...given: any[]): void;
    /**
     * Has no effect here; a warning names it.
     * @example pi.registerMarkdownTransformer("links", (text: string) => text);
     */
    registerMarkdownTransformer(...given: any[]): void;
    /**
     * Has no effect here; a warning names it. Tools have `renderCall` and `renderResult`.
     * @example pi.registerToolRenderer("bash", {});
     */
    registerToolRenderer(...given: any[]): void;
    /**
     * Has no effect here; a warning names it.
     * @example pi.registerVirtualModel("fast", {});
     */
    registerVirtualModel(...given: any[]): void;
    /**
     * Has no effect here.
     * @example pi.unregisterVirtualModel("fast");
     */
    unregisterVirtualModel(...given: any[]): void;
    /**
     * Has no effect here; a warning names it. docs/mcp.md says how servers are configured.
     * @example pi.registerMcpServer("files", {});
     */
    registerMcpServer(...given: any[]): void;
    /**
     * Has no effect here.
     * @example pi.unregisterMcpServer("files");
     */
    unregisterMcpServer(...given: any[]): void;
    /**
     * Returns an empty list.
     * @example const servers = pi.getMcpServers();
     */
    getMcpServers(): any[];
    /**
     * Has no effect here; a warning names it. `ctx.ui.setStatus` sets the status line.
     * @example pi.registerServiceStatus("build").update("passed");
     */
    registerServiceStatus(...given: any[]): any;
  }

  /** The context of handlers, which is that of tools. */
  type ExtensionContext = CustomToolContext;

  /** The context of commands and shortcuts: that of tools, and members that change the session. */
  interface CommandContext extends CustomToolContext {
    /**
     * Waits until no run is in progress.
     * @example await ctx.waitForIdle();
     */
    waitForIdle(): Promise<void>;
    /**
     * Starts a new session.
     * @example
     * const { cancelled } = await ctx.newSession({ setup: (manager) => manager.appendSessionInfo("Fresh start") });
     */
    newSession(options?: {
      setup?(manager: SetupSessionManager): unknown;
      withSession?(ctx: CommandContext): unknown;
    }): Promise<{ cancelled: boolean; [field: string]: any }>;
    /**
     * Switches to another session: an id, an id prefix or a file.
     * @example
     * const before = ctx.sessionManager.getSessionFile();
     * await ctx.newSession();
     * await ctx.switchSession(before);
     */
    switchSession(session: string | undefined, options?: any): Promise<{ cancelled: boolean; [field: string]: any }>;
    /**
     * Starts a new session that continues from a user message, or with `position: "at"` from any entry.
     * @example
     * const entry = ctx.sessionManager.getEntries().find((entry) => entry.message?.role === "user");
     * if (entry) await ctx.fork(entry.id);
     */
    fork(entryId: string, options?: { position?: "before" | "at"; [option: string]: any }): Promise<{ cancelled: boolean; [field: string]: any }>;
    /**
     * Does the same as `fork`.
     * @example
     * const entry = ctx.sessionManager.getEntries().find((entry) => entry.message?.role === "user");
     * if (entry) await ctx.branch(entry.id);
     */
    branch(entryId: string, options?: any): Promise<{ cancelled: boolean; [field: string]: any }>;
    /**
     * Moves to an entry within the session.
     * @example
     * const [first] = ctx.sessionManager.getEntries();
     * if (first) await ctx.navigateTree(first.id);
     */
    navigateTree(entryId: string, options?: { summarize?: boolean; label?: string }): Promise<{ cancelled: boolean; [field: string]: any }>;
    /**
     * Loads extensions, tools and settings again.
     * @example await ctx.reload();
     */
    reload(): Promise<void>;
  }

  /** The session manager that `setup` of `newSession` receives; it can add to the new session. */
  interface SetupSessionManager extends ReadonlySessionManager {
    appendCustomEntry(type: string, data?: unknown): void;
    appendCustomMessageEntry(type: string, content: string, display?: boolean, details?: unknown): void;
    appendMessage(message: any): void;
    appendSessionInfo(name: string): void;
    appendLabelChange(entryId: string, label?: string | null): void;
  }
}
