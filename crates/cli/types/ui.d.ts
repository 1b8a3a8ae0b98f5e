// The user interface as tools see it.

declare namespace Toolsmith {
  // -------------------------------------------------------------------------------------- user interface

  interface DialogOptions {
    /**
     * Closes the dialog without an answer.
     * @example const name = await ctx.ui.input("Name", "World", { signal });
     */
    signal?: AbortSignal;
    /**
     * Closes the dialog after this many milliseconds.
     * @example const sure = await ctx.ui.confirm("Continue?", "It takes a minute.", { timeout: 60_000 });
     */
    timeout?: number;
  }

  /** A source of completions of the editor. */
  interface AutocompleteProvider {
    getSuggestions(lines: string[], cursorLine: number, cursorCol: number, options?: any): any;
    [member: string]: any;
  }

  /** A factory of a component that the interface shows. */
  type ComponentFactory = (tui: any, theme: Theme) => Component;

  /**
   * The user interface. Where nobody can be asked, dialogs return `undefined`, `confirm` returns `false` and the rest does nothing;
   * docs/rendering.md says what works where.
   */
  interface UIContext {
    /**
     * Offers a list; returns the chosen label.
     * @example const target = await ctx.ui.select("Deploy to", ["staging", { label: "production", description: "for everybody" }]);
     */
    select(title: string, options: readonly (string | { label: string; description?: string })[], more?: DialogOptions): Promise<string | undefined>;
    /**
     * Asks a yes-or-no question.
     * @example if (!(await ctx.ui.confirm("Delete?", "3 files"))) throw new Error("Not confirmed");
     */
    confirm(title: string, message?: string, more?: DialogOptions): Promise<boolean>;
    /**
     * Asks for one line of text.
     * @example const name = (await ctx.ui.input("Name", "World")) ?? "World";
     */
    input(title: string, placeholder?: string, more?: DialogOptions): Promise<string | undefined>;
    /**
     * Asks for a longer text.
     * @example const message = await ctx.ui.editor("Commit message", "Fix the build");
     */
    editor(title: string, prefill?: string, more?: DialogOptions): Promise<string | undefined>;
    /**
     * Shows a component until it calls `done`. A factory of three parameters receives `done` in place of the key bindings.
     * @example
     * const chosen = await ctx.ui.custom((tui, theme, keybindings, done) => {
     *   const list = new pi.pi.SelectList([{ value: "a", label: "First" }], 10, pi.pi.getSelectListTheme());
     *   list.onSelect = (item) => done(item.value);
     *   list.onCancel = () => done(undefined);
     *   return list;
     * }, { overlay: true, overlayOptions: { width: "60%", anchor: "center" } });
     */
    custom<T = unknown>(
      factory: (tui: any, theme: Theme, keybindingsOrDone: any, done: (result?: T) => void) => Component | Promise<Component>,
      options?: { overlay?: boolean; overlayOptions?: any; signal?: AbortSignal; onHandle?(handle: any): void },
    ): Promise<T | undefined>;
    /**
     * Asks several questions, one after the other; returns `undefined` if one is not answered.
     * @example
     * const answers = await ctx.ui.askDialog([
     *   { question: "Language?", options: ["Rust", "TypeScript"] },
     *   { question: "Name?" },
     * ]);
     */
    askDialog(
      questions: readonly { question?: string; header?: string; options?: readonly (string | { label: string; description?: string })[]; multiSelect?: boolean }[],
    ): Promise<{ question: string; answers: string[]; answer: string }[] | undefined>;
    /**
     * Shows a notice.
     * @example ctx.ui.notify("The server is slow", "warning");
     */
    notify(message: string, level?: "info" | "warning" | "error"): void;
    /**
     * Sets an entry of the status line; `undefined` removes it.
     * @example ctx.ui.setStatus("build", "building");
     */
    setStatus(key: string, text: string | null | undefined): void;
    /**
     * Shows lines, or a component, near the editor; `undefined` removes them.
     * @example ctx.ui.setWidget("todo", ["1 task is open"], { placement: "belowEditor" });
     */
    setWidget(
      key: string,
      content: readonly string[] | string | ComponentFactory | null | undefined,
      options?: { placement?: "aboveEditor" | "belowEditor" },
    ): void;
    /**
     * Replaces the footer; `undefined` restores it.
     * @example ctx.ui.setFooter((tui, theme, data) => new pi.pi.Text(theme.fg("dim", data.getGitBranch() ?? ""), 0, 0));
     */
    setFooter(factory: ((tui: any, theme: Theme, data: any) => Component) | undefined): void;
    /**
     * Replaces the header; `undefined` restores it.
     * @example ctx.ui.setHeader((tui, theme) => new pi.pi.Text(theme.bold("Release"), 0, 0));
     */
    setHeader(factory: ComponentFactory | undefined): void;
    /**
     * Replaces the editor; `undefined` restores it.
     * @example ctx.ui.setEditorComponent((tui, theme, keybindings) => new pi.pi.CustomEditor(tui, theme, keybindings));
     */
    setEditorComponent(factory: ((tui: any, theme: any, keybindings: any) => any) | undefined): void;
    /**
     * Returns `undefined`: the factory of an editor is not kept.
     * @example const factory = ctx.ui.getEditorComponent();
     */
    getEditorComponent(): undefined;
    /**
     * Sets the title of the window.
     * @example ctx.ui.setTitle("Release 2");
     */
    setTitle(title: string): void;
    /**
     * Sets the text beside the working indicator; without an argument, restores it.
     * @example ctx.ui.setWorkingMessage("Indexing");
     */
    setWorkingMessage(message?: string): void;
    /**
     * Sets the frames of the working indicator; without an argument, restores them.
     * @example ctx.ui.setWorkingIndicator({ frames: ["-", "+"], intervalMs: 200 });
     */
    setWorkingIndicator(indicator?: { frames?: readonly string[]; intervalMs?: number }): void;
    /**
     * Shows or hides the working indicator.
     * @example ctx.ui.setWorkingVisible(false);
     */
    setWorkingVisible(visible: boolean): void;
    /**
     * Sets the text in the place of hidden thinking; without an argument, restores it.
     * @example ctx.ui.setHiddenThinkingLabel("Considering");
     */
    setHiddenThinkingLabel(label?: string): void;
    /**
     * Replaces the text of the editor.
     * @example ctx.ui.setEditorText("Run the tests");
     */
    setEditorText(text: string): void;
    /**
     * Returns the text of the editor.
     * @example const draft = ctx.ui.getEditorText();
     */
    getEditorText(): string;
    /**
     * Inserts text at the cursor of the editor.
     * @example ctx.ui.pasteToEditor("src/main.rs");
     */
    pasteToEditor(text: string): void;
    /**
     * Adds completions to the editor. The function receives the provider before it, and returns one.
     * @example
     * ctx.ui.addAutocompleteProvider((before) => ({
     *   ...before,
     *   getSuggestions: async (lines, line, column, options) =>
     *     lines[line].startsWith("#") ? { prefix: "#", items: [{ value: "#12", label: "Issue 12" }] } : before.getSuggestions(lines, line, column, options),
     * }));
     */
    addAutocompleteProvider(wrap: (before: AutocompleteProvider) => AutocompleteProvider): void;
    /**
     * Receives input before the editor; returns a function that ends this.
     * @example
     * const stop = ctx.ui.onTerminalInput((data) => (data === "\x07" ? { consume: true } : undefined));
     * stop();
     */
    onTerminalInput(handler: (data: string) => { consume?: boolean; data?: string } | undefined | void): () => void;
    /**
     * Returns `true` if the output of tools is expanded.
     * @example const expanded = ctx.ui.getToolsExpanded();
     */
    getToolsExpanded(): boolean;
    /**
     * Expands or collapses the output of tools.
     * @example ctx.ui.setToolsExpanded(true);
     */
    setToolsExpanded(expanded: boolean): void;
    /**
     * Returns the themes that can be set.
     * @example const names = ctx.ui.getAllThemes().map((theme) => theme.name);
     */
    getAllThemes(): { name: string; path: string | undefined }[];
    /**
     * Returns a theme by its name.
     * @example const light = ctx.ui.getTheme("light");
     */
    getTheme(name: string): Theme | undefined;
    /**
     * Switches the theme.
     * @example
     * const { success, error } = ctx.ui.setTheme("light");
     * if (!success) pi.logger.warn("theme not set", { error });
     */
    setTheme(theme: string | Theme): { success: boolean; error?: string };
    /**
     * The current theme.
     * @example const title = ctx.ui.theme.fg("accent", "Title");
     */
    readonly theme: Theme;
  }
}
