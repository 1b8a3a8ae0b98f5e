// ------------------------------------------------------------------------------------------- components

declare module "@oh-my-pi/pi-tui*" {
  export type Component = Toolsmith.Component;
  export type SelectItem = Toolsmith.SelectItem;

  /**
   * Draws its children below each other.
   * @example
   * const list = new Container();
   * list.addChild(new Text("one", 0, 0));
   * list.addChild(new Text("two", 0, 0));
   * const lines = list.render(40);
   */
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
  /**
   * Draws its children with padding and a background.
   * @example
   * const box = new Box(1, 0, (text) => theme.bg("selectedBg", text));
   * box.addChild(new Text("inside", 0, 0));
   * const lines = box.render(40);
   */
  export class Box extends Container {
    constructor(paddingX?: number, paddingY?: number, background?: Toolsmith.Style);
    setPaddingX(columns: number): void;
    setPaddingY(lines: number): void;
    setBgFn(background: Toolsmith.Style | undefined): void;
    setBorder(border?: unknown): void;
  }
  /**
   * Draws a text, wrapped to the width.
   * @example const lines = new Text("a text that is wrapped", 0, 0).render(10);
   */
  export class Text implements Toolsmith.Component {
    constructor(text?: string, paddingX?: number, paddingY?: number, background?: Toolsmith.Style);
    getText(): string;
    setText(text: string): boolean;
    setCustomBgFn(background: Toolsmith.Style | undefined): void;
    setStyleFn(style: Toolsmith.Style | undefined): this;
    invalidate(): void;
    render(width: number): string[];
  }
  /**
   * Draws the first line of a text, cut to the width.
   * @example const lines = new TruncatedText("a text that is cut", 0, 0).render(10);
   */
  export class TruncatedText implements Toolsmith.Component {
    constructor(text: string, paddingX?: number, paddingY?: number);
    invalidate(): void;
    render(width: number): string[];
  }
  /**
   * Draws empty lines.
   * @example const lines = new Spacer(2).render(40);
   */
  export class Spacer implements Toolsmith.Component {
    constructor(lines?: number);
    setLines(lines: number): void;
    invalidate(): void;
    render(width: number): string[];
  }
  /**
   * Draws Markdown.
   * @example const lines = new Markdown("# Title\n\n- **one**\n- two", 0, 0, getMarkdownTheme()).render(40);
   */
  export class Markdown implements Toolsmith.Component {
    constructor(text: string, paddingX?: number, paddingY?: number, theme?: object, style?: object);
    setText(text: string): void;
    invalidate(): void;
    render(width: number): string[];
  }
  /**
   * Draws a line as wide as the terminal.
   * @example const lines = new DynamicBorder((text) => theme.fg("border", text)).render(40);
   */
  export class DynamicBorder implements Toolsmith.Component {
    constructor(color?: Toolsmith.Style);
    invalidate(): void;
    render(width: number): string[];
  }
  /**
   * Draws a spinner and a message.
   * @example
   * const loader = new Loader({ requestRender() {} }, (text) => text, (text) => text, "Working");
   * const lines = loader.render(40);
   * loader.stop();
   */
  export class Loader extends Text {
    constructor(tui: unknown, spinnerColor?: Toolsmith.Style, messageColor?: Toolsmith.Style, message?: string);
    start(): void;
    stop(): void;
    setMessage(message: string): void;
  }
  /**
   * Draws a spinner that a key cancels.
   * @example
   * const loader = new CancellableLoader({ requestRender() {} }, (text) => text, (text) => text, "Working");
   * loader.onAbort = () => {};
   * loader.dispose();
   */
  export class CancellableLoader extends Loader {
    onAbort?: () => void;
    readonly signal: AbortSignal;
    readonly aborted: boolean;
    handleInput(data: string): void;
    dispose(): void;
  }
  /**
   * Draws a list to choose from.
   * @example
   * const list = new SelectList([{ value: "a", label: "First" }], 5, getSelectListTheme());
   * list.onSelect = (item) => pi.logger.info(item.value);
   * const lines = list.render(40);
   */
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
  /**
   * Draws a line of input.
   * @example
   * const input = new Input();
   * input.setValue("text");
   * const lines = input.render(40);
   */
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
  /**
   * Draws a cancellable spinner between two lines.
   * @example
   * const loader = new BorderedLoader({ requestRender() {} }, theme, "Working");
   * const lines = loader.render(40);
   * loader.dispose();
   */
  export class BorderedLoader extends Container {
    constructor(tui: unknown, theme: Toolsmith.Theme, message: string, options?: { cancellable?: boolean });
    onAbort?: () => void;
    readonly signal: AbortSignal;
    readonly aborted: boolean;
    setMessage(message: string): void;
    handleInput(data: string): void;
  }

  /**
   * Draws settings with their values.
   * @example
   * const items = [{ id: "wrap", label: "Wrap", currentValue: "on", values: ["on", "off"] }];
   * const lines = new SettingsList(items, 5, getSettingsListTheme(), () => {}, () => {}).render(40);
   */
  export class SettingsList implements Toolsmith.Component {
    constructor(items: any[], maxVisible?: number, theme?: object, onChange?: (id: string, value: string) => void, onCancel?: () => void, options?: object);
    updateValue(id: string, value: string): void;
    invalidate(): void;
    render(width: number): string[];
    handleInput(data: string): void;
  }
  /**
   * Draws an image, or its description.
   * @example const lines = new Image("", "image/png", { fallbackColor: (text) => text }).render(40);
   */
  export class Image implements Toolsmith.Component {
    constructor(data: string, mimeType: string, theme?: { fallbackColor?: Toolsmith.Style }, options?: { filename?: string; [option: string]: any });
    invalidate(): void;
    render(width: number): string[];
  }

  /**
   * Names of keys.
   * @example const isEnter = matchesKey("\r", Key.enter);
   */
  export const Key: Toolsmith.KeyNames;
  /**
   * Returns `true` if input is a key.
   * @example const stop = matchesKey("\x03", "ctrl+c");
   */
  export function matchesKey(data: string, key: string): boolean;
  /**
   * Returns the name of the key that input is.
   * @example const name = parseKey("\t");
   */
  export function parseKey(data: string): string;
  /**
   * Returns `true` if a key was released.
   * @example const released = isKeyRelease("a");
   */
  export function isKeyRelease(data: string): boolean;
  /**
   * Returns `true` if a held key repeats.
   * @example const repeated = isKeyRepeat("a");
   */
  export function isKeyRepeat(data: string): boolean;
  /**
   * Returns `true` if the terminal reports keys by the protocol of kitty.
   * @example const precise = isKittyProtocolActive();
   */
  export function isKittyProtocolActive(): boolean;
  /**
   * Sets what `isKittyProtocolActive` returns.
   * @example setKittyProtocolActive(false);
   */
  export function setKittyProtocolActive(active: boolean): void;
  /**
   * Returns the character that a sequence of the protocol of kitty types.
   * @example const letter = decodeKittyPrintable("\x1b[97u");
   */
  export function decodeKittyPrintable(data: string): string | undefined;
  /**
   * The keys of actions.
   * @example const keys = new KeybindingsManager().getKeys("tui.select.up");
   */
  export class KeybindingsManager {
    matches(data: string, action: string): boolean;
    getKeys(action: string): string[];
    getDefinition(action: string): { defaultKeys: string[] };
    getConflicts(): any[];
    getUserBindings(): Record<string, any>;
    getResolvedBindings(): Record<string, string[]>;
  }
  /**
   * Returns the keys of actions.
   * @example const up = getKeybindings().matches("\x1b[A", "tui.select.up");
   */
  export function getKeybindings(): KeybindingsManager;
  /**
   * Does the same as `getKeybindings`.
   * @example const keys = getEditorKeybindings().getKeys("tui.input.submit");
   */
  export function getEditorKeybindings(): KeybindingsManager;
  /**
   * Returns the keys of an action as text.
   * @example const text = keyText("tui.select.confirm");
   */
  export function keyText(action: string): string;
  /**
   * Marks the place of the cursor in a line.
   * @example const line = `text${CURSOR_MARKER}`;
   */
  export const CURSOR_MARKER: string;
  /**
   * Returns a character drawn as a cursor.
   * @example const cursor = renderFakeCursor("a");
   */
  export function renderFakeCursor(character?: string): string;
  /**
   * Draws an editor of several lines.
   * @example
   * const editor = new Editor({ requestRender() {} }, getEditorTheme());
   * editor.setText("one\ntwo");
   * const lines = editor.render(40);
   */
  export class Editor implements Toolsmith.Component {
    constructor(tui: unknown, theme?: object, options?: { paddingX?: number; autocompleteMaxVisible?: number });
    focused: boolean;
    disableSubmit: boolean;
    onSubmit?: (text: string) => void;
    onChange?: (text: string) => void;
    borderColor?: Toolsmith.Style;
    getText(): string;
    getExpandedText(): string;
    getLines(): string[];
    getCursor(): { line: number; col: number };
    setText(text: string): void;
    insertTextAtCursor(text: string): void;
    addToHistory(text: string): void;
    setAutocompleteProvider(provider: any): void;
    setAutocompleteMaxVisible(count: number): void;
    isShowingAutocomplete(): boolean;
    setPaddingX(columns: number): void;
    getPaddingX(): number;
    invalidate(): void;
    handleInput(data: string): void;
    render(width: number): string[];
  }
  /**
   * Returns `true` if a component can have the focus.
   * @example const focusable = isFocusable(new Input());
   */
  export function isFocusable(component: unknown): boolean;
  /**
   * Returns `false`: components never own the screen.
   * @example const whole = isViewportTUI();
   */
  export function isViewportTUI(tui?: unknown): boolean;
  /**
   * Returns the abilities of the terminal.
   * @example const { trueColor } = getCapabilities();
   */
  export function getCapabilities(): { images: string | null; trueColor: boolean; hyperlinks: boolean };
  /**
   * Returns the assumed size of a character cell.
   * @example const { widthPx } = getCellDimensions();
   */
  export function getCellDimensions(): { widthPx: number; heightPx: number };
  /**
   * Returns the size of a Base64 image, or `null`.
   * @example const size = getImageDimensions("", "image/png");
   */
  export function getImageDimensions(data: string, mimeType?: string): { widthPx: number; heightPx: number } | null;
  /**
   * Returns a description of an image.
   * @example const text = imageFallback("image/png", { widthPx: 10, heightPx: 10 }, "logo.png");
   */
  export function imageFallback(mimeType: string, size?: { widthPx: number; heightPx: number }, filename?: string): string;
  /**
   * Returns a text with a link.
   * @example const link = hyperlink("docs", "https://example.com");
   */
  export function hyperlink(text: string, url: string): string;
  /**
   * Compares a text with a query whose letters occur in order; a lower score is better.
   * @example const { matches } = fuzzyMatch("mn", "main.rs");
   */
  export function fuzzyMatch(query: string, text: string): { matches: boolean; score: number };
  /**
   * Returns the items that match a query, best first.
   * @example const found = fuzzyFilter(["main.rs", "lib.rs"], "mn");
   */
  export function fuzzyFilter<T>(items: readonly T[], query: string, textOf?: (item: T) => string): T[];
  /**
   * Returns the columns of a text; escape sequences have none.
   * @example const columns = visibleWidth(theme.bold("Title"));
   */
  export function visibleWidth(text: string): number;
  /**
   * Wraps a text to a width and keeps its styles.
   * @example const lines = wrapTextWithAnsi("a text that is wrapped", 10);
   */
  export function wrapTextWithAnsi(text: string, width: number): string[];
  /**
   * Returns spaces.
   * @example const line = `key${padding(4)}value`;
   */
  export function padding(count: number): string;
  /**
   * The marks of a cut.
   * @example const short = truncateToWidth("a long text", 6, Ellipsis.Ascii);
   */
  export const Ellipsis: { readonly Unicode: 0; readonly Ascii: 1; readonly Omit: 2 };
  /**
   * Cuts a text to a width, and with `pad` fills it.
   * @example const cell = truncateToWidth("name", 10, "…", true);
   */
  export function truncateToWidth(text: string, maxWidth: number, ellipsis?: string | 0 | 1 | 2 | null, pad?: boolean): string;
  /**
   * Returns some columns of a line.
   * @example const part = sliceByColumn("a long text", 2, 4);
   */
  export function sliceByColumn(line: string, start: number, length: number): string;
  /**
   * Fills a line to a width and colours its background.
   * @example const line = applyBackgroundToLine("chosen", 20, (text) => theme.bg("selectedBg", text));
   */
  export function applyBackgroundToLine(line: string, width: number, background: Toolsmith.Style): string;
}

