// The components tools draw themselves with, and the functions to measure text.

import { host } from "toolsmith:kernel";
import { Markdown } from "toolsmith:compat/markdown";
import { Key, decodeKittyPrintable, getKeybindings, keyText, matchesKey } from "toolsmith:compat/keys";

export * from "toolsmith:compat/keys";
export * from "toolsmith:compat/editor";
export * from "toolsmith:compat/settings_list";
export { Markdown };

export const visibleWidth = (text) => host.visibleWidth(String(text));
export const wrapTextWithAnsi = (text, width) => host.wrapText(String(text), Math.max(1, Math.trunc(width)));
export const padding = (count) => " ".repeat(Math.max(0, Math.trunc(count)));

export const Ellipsis = { Unicode: 0, Ascii: 1, Omit: 2 };

/** Cuts a text to a width. The third argument is the mark where something was cut, as text or as one of `Ellipsis`. */
export function truncateToWidth(text, maxWidth, ellipsis, pad) {
  const mark =
    ellipsis === undefined || ellipsis === null || ellipsis === Ellipsis.Unicode
      ? "…"
      : ellipsis === Ellipsis.Ascii
        ? "..."
        : ellipsis === Ellipsis.Omit
          ? ""
          : String(ellipsis);
  const width = Math.max(0, Math.trunc(maxWidth));
  const cut = host.cutToWidth(String(text), width, mark);
  return pad ? cut + padding(width - visibleWidth(cut)) : cut;
}

export const sliceByColumn = (line, start, length) => {
  const ahead = host.cutToWidth(String(line), start + length, "");
  const before = host.cutToWidth(String(line), start, "");
  return ahead.startsWith(before) ? ahead.slice(before.length) : ahead;
};

export const applyBackgroundToLine = (line, width, background) =>
  background(line + padding(width - visibleWidth(line)));

export class Container {
  children = [];
  addChild(child) {
    this.children.push(child);
  }
  removeChild(child) {
    this.children = this.children.filter((known) => known !== child);
  }
  clear() {
    this.children = [];
  }
  invalidate() {
    for (const child of this.children) child.invalidate?.();
  }
  dispose() {
    for (const child of this.children) child.dispose?.();
  }
  disposeChildren() {
    this.dispose();
    this.clear();
  }
  render(width) {
    return this.children.flatMap((child) => child.render(width));
  }
}

export class Spacer {
  #lines;
  constructor(lines = 1) {
    this.#lines = lines;
  }
  setLines(lines) {
    this.#lines = lines;
  }
  invalidate() {}
  render() {
    return Array.from({ length: Math.max(0, this.#lines) }, () => "");
  }
}

export class Text {
  #text;
  #paddingX;
  #paddingY;
  #background;
  #style;
  constructor(text = "", paddingX = 1, paddingY = 1, background) {
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }
  getText() {
    return this.#text;
  }
  setText(text) {
    const changed = this.#text !== String(text);
    this.#text = String(text);
    return changed;
  }
  setCustomBgFn(background) {
    this.#background = background;
  }
  setStyleFn(style) {
    this.#style = style;
    return this;
  }
  invalidate() {}
  render(width) {
    if (this.#text.trim() === "") return [];
    const side = padding(this.#paddingX);
    const inner = Math.max(1, width - this.#paddingX * 2);
    const fill = (line) => (this.#background ? applyBackgroundToLine(line, width, this.#background) : line);
    const lines = wrapTextWithAnsi(this.#text, inner).map((line) =>
      fill(side + (this.#style ? this.#style(line) : line)),
    );
    const blank = Array.from({ length: this.#paddingY }, () => fill(""));
    return [...blank, ...lines, ...blank];
  }
}

export class TruncatedText {
  #text;
  #paddingX;
  #paddingY;
  constructor(text, paddingX = 0, paddingY = 0) {
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
  }
  invalidate() {}
  render(width) {
    const blank = Array.from({ length: this.#paddingY }, () => "");
    const line =
      padding(this.#paddingX) + truncateToWidth(this.#text.split("\n")[0], Math.max(1, width - this.#paddingX * 2));
    return [...blank, line, ...blank];
  }
}

export class Box extends Container {
  #paddingX;
  #paddingY;
  #background;
  constructor(paddingX = 1, paddingY = 1, background) {
    super();
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }
  setPaddingX(columns) {
    this.#paddingX = columns;
  }
  setPaddingY(lines) {
    this.#paddingY = lines;
  }
  setBgFn(background) {
    this.#background = background;
  }
  setBorder() {}
  render(width) {
    const inner = super.render(Math.max(1, width - this.#paddingX * 2));
    if (inner.length === 0) return [];
    const fill = (line) => (this.#background ? applyBackgroundToLine(line, width, this.#background) : line);
    const blank = Array.from({ length: this.#paddingY }, () => fill(""));
    return [...blank, ...inner.map((line) => fill(padding(this.#paddingX) + line)), ...blank];
  }
}

export class DynamicBorder {
  #color;
  constructor(color = (text) => text) {
    this.#color = color;
  }
  invalidate() {}
  render(width) {
    return [this.#color("─".repeat(Math.max(1, width)))];
  }
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** A spinner with a message. It moves until it is stopped. */
export class Loader extends Text {
  #tui;
  #spinnerColor;
  #messageColor;
  #message;
  #frame = 0;
  #frames;
  #timer;
  constructor(tui, spinnerColor, messageColor, message = "Loading...", indicator) {
    super("", 1, 0);
    this.#tui = tui;
    this.#spinnerColor = typeof spinnerColor === "function" ? spinnerColor : (text) => text;
    this.#messageColor = typeof messageColor === "function" ? messageColor : (text) => text;
    this.#message = String(message);
    this.#frames = indicator?.frames ?? FRAMES;
    this.#show();
    this.start();
  }
  #show() {
    const frame =
      this.#frames.length > 0 ? `${this.#spinnerColor(this.#frames[this.#frame % this.#frames.length])} ` : "";
    this.setText(`${frame}${this.#messageColor(this.#message)}`);
  }
  start() {
    if (this.#timer !== undefined || this.#frames.length < 2) return;
    this.#timer = setInterval(() => {
      this.#frame += 1;
      this.#show();
      this.#tui?.requestRender?.();
    }, 100);
    this.#timer.unref?.();
  }
  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
  dispose() {
    this.stop();
  }
  setMessage(message) {
    this.#message = String(message);
    this.#show();
    this.#tui?.requestRender?.();
  }
}

export class CancellableLoader extends Loader {
  #controller = new AbortController();
  onAbort = undefined;
  get signal() {
    return this.#controller.signal;
  }
  get aborted() {
    return this.signal.aborted;
  }
  handleInput(data) {
    if (getKeybindings().matches(data, "tui.select.cancel")) {
      this.#controller.abort();
      this.onAbort?.();
    }
  }
}

/** A loader between two lines, with a hint how to cancel it. */
export class BorderedLoader extends Container {
  #loader;
  constructor(tui, theme, message, options) {
    super();
    const by = (color) => (text) => (typeof theme?.fg === "function" ? theme.fg(color, text) : text);
    this.#loader = new CancellableLoader(tui, by("accent"), by("muted"), message);
    this.addChild(new DynamicBorder(by("border")));
    this.addChild(this.#loader);
    if (options?.cancellable !== false)
      this.addChild(new Text(by("dim")(`${keyText("tui.select.cancel")} to cancel`), 1, 0));
    this.addChild(new DynamicBorder(by("border")));
  }
  get signal() {
    return this.#loader.signal;
  }
  get aborted() {
    return this.#loader.aborted;
  }
  set onAbort(handler) {
    this.#loader.onAbort = handler;
  }
  get onAbort() {
    return this.#loader.onAbort;
  }
  setMessage(message) {
    this.#loader.setMessage(message);
  }
  handleInput(data) {
    this.#loader.handleInput(data);
  }
}

/** A list to choose from with the arrow keys. */
export class SelectList {
  #items;
  #filtered;
  #selected = 0;
  #max;
  #theme;
  onSelect = undefined;
  onCancel = undefined;
  onSelectionChange = undefined;
  constructor(items, maxVisible = 10, theme = {}) {
    this.#items = items;
    this.#filtered = items;
    this.#max = maxVisible;
    this.#theme = theme;
  }
  setFilter(filter) {
    this.#filtered = this.#items.filter((item) => item.value.toLowerCase().startsWith(filter.toLowerCase()));
    this.#selected = 0;
  }
  setSelectedIndex(index) {
    this.#selected = Math.max(0, Math.min(index, this.#filtered.length - 1));
  }
  getSelectedItem() {
    return this.#filtered[this.#selected] ?? null;
  }
  invalidate() {}
  render(width) {
    const plain = (text) => text;
    if (this.#filtered.length === 0) return [(this.#theme.noMatch ?? plain)("  No matches")];
    const first = Math.max(0, Math.min(this.#selected - Math.floor(this.#max / 2), this.#filtered.length - this.#max));
    return this.#filtered.slice(first, first + this.#max).map((item, index) => {
      const selected = first + index === this.#selected;
      const label = `${item.label ?? item.value}`;
      const description = item.description ? `  ${(this.#theme.description ?? plain)(item.description)}` : "";
      const line = selected ? (this.#theme.selectedText ?? plain)(`→ ${label}`) : `  ${label}`;
      return truncateToWidth(line + description, width);
    });
  }
  handleInput(data) {
    const count = this.#filtered.length;
    if (matchesKey(data, Key.up)) this.#move((this.#selected + count - 1) % Math.max(1, count));
    else if (matchesKey(data, Key.down)) this.#move((this.#selected + 1) % Math.max(1, count));
    else if (matchesKey(data, Key.enter)) {
      const item = this.getSelectedItem();
      if (item) this.onSelect?.(item);
    } else if (matchesKey(data, Key.escape) || matchesKey(data, Key.ctrl("c"))) this.onCancel?.();
  }
  #move(index) {
    this.#selected = index;
    const item = this.getSelectedItem();
    if (item) this.onSelectionChange?.(item);
  }
}

/** One line of input. */
export class Input {
  #value = "";
  #cursor = 0;
  onSubmit = undefined;
  onEscape = undefined;
  focused = false;
  getValue() {
    return this.#value;
  }
  setValue(value) {
    this.#value = String(value);
    this.#cursor = this.#value.length;
  }
  invalidate() {}
  render(width) {
    const before = this.#value.slice(0, this.#cursor);
    const at = this.#value[this.#cursor] ?? " ";
    const marker = this.focused ? "\x1b_pi:c\x07" : "";
    // A long value is seen around its cursor.
    const room = Math.max(1, width - 4);
    const start = visibleWidth(before) > room ? before.length - room : 0;
    return [
      truncateToWidth(
        `> ${before.slice(start)}${marker}\x1b[7m${at}\x1b[27m${this.#value.slice(this.#cursor + 1)}`,
        width,
        "",
      ),
    ];
  }
  #insert(text) {
    this.#value = this.#value.slice(0, this.#cursor) + text + this.#value.slice(this.#cursor);
    this.#cursor += text.length;
  }
  #cut(from, to) {
    this.#value = this.#value.slice(0, from) + this.#value.slice(to);
    this.#cursor = from;
  }
  handleInput(data) {
    const is = (action) => getKeybindings().matches(data, action);
    const pasted = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~|$)/.exec(data);
    if (pasted !== null) this.#insert(pasted[1].replace(/[\x00-\x1f\x7f]+/g, " "));
    else if (is("tui.input.submit") || data === "\n") this.onSubmit?.(this.#value);
    else if (is("tui.select.cancel")) this.onEscape?.();
    else if (is("tui.editor.cursorLeft")) this.#cursor = Math.max(0, this.#cursor - 1);
    else if (is("tui.editor.cursorRight")) this.#cursor = Math.min(this.#value.length, this.#cursor + 1);
    else if (is("tui.editor.cursorLineStart")) this.#cursor = 0;
    else if (is("tui.editor.cursorLineEnd")) this.#cursor = this.#value.length;
    else if (is("tui.editor.deleteToLineStart")) this.#cut(0, this.#cursor);
    else if (is("tui.editor.deleteToLineEnd")) this.#cut(this.#cursor, this.#value.length);
    else if (is("tui.editor.deleteWordBackward"))
      this.#cut(this.#value.slice(0, this.#cursor).replace(/\S+\s*$/, "").length, this.#cursor);
    else if (is("tui.editor.deleteCharBackward")) this.#cut(Math.max(0, this.#cursor - 1), this.#cursor);
    else if (is("tui.editor.deleteCharForward")) this.#cut(this.#cursor, this.#cursor + 1);
    else {
      const typed = decodeKittyPrintable(data) ?? data;
      if (!/[\x00-\x1f\x7f]/.test(typed)) this.#insert(typed);
    }
  }
}

export const isFocusable = (component) => component !== null && typeof component === "object" && "focused" in component;

/** Whether a component manages the whole screen; ours belong to the host. */
export const isViewportTUI = () => false;

const screen = () => JSON.parse(host.uiCall(0, "screen", "") || "{}");

/** What the terminal can show. */
export function getCapabilities() {
  const { images, trueColor, hyperlinks } = screen();
  return { images: images ?? null, trueColor: trueColor === true, hyperlinks: hyperlinks === true };
}
export const getCellDimensions = () => ({ widthPx: 9, heightPx: 18 });

/** The size of an image from its first bytes, or null. */
export function getImageDimensions(data, _mimeType) {
  const json = host.imageSize(String(data));
  return json === "" ? null : JSON.parse(json);
}

/** An image is described here; the user interface shows those of results. */
export class Image {
  #text;
  constructor(data, mimeType, theme = {}, options = {}, dimensions) {
    const size = dimensions ?? getImageDimensions(data, mimeType);
    this.#text = (theme.fallbackColor ?? ((text) => text))(
      imageFallback(mimeType, size ?? undefined, options.filename),
    );
  }
  invalidate() {}
  render(width) {
    return [truncateToWidth(this.#text, width)];
  }
}
export const imageFallback = (mimeType, size, filename) =>
  `[Image: ${[filename, mimeType && `[${mimeType}]`, size && `${size.widthPx}x${size.heightPx}`].filter(Boolean).join(" ")}]`;
export const hyperlink = (text, url) => `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;

/** How well a query matches a text, letters in order; less is better. */
export function fuzzyMatch(query, text) {
  const letters = [...String(query).toLowerCase()];
  const target = String(text).toLowerCase();
  let at = -1;
  let score = 0;
  for (const letter of letters) {
    const next = target.indexOf(letter, at + 1);
    if (next < 0) return { matches: false, score: 0 };
    score += at >= 0 && next === at + 1 ? -1 : next - at;
    at = next;
  }
  return { matches: true, score };
}

/** The best matches of a list for a query, letters in order. */
export function fuzzyFilter(items, query, textOf = (item) => String(item)) {
  if (String(query).trim() === "") return [...items];
  const scored = items.map((item) => ({ item, ...fuzzyMatch(query, textOf(item)) })).filter((entry) => entry.matches);
  return scored.sort((one, other) => one.score - other.score).map((entry) => entry.item);
}
