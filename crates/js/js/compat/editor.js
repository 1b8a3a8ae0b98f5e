// The editor component: several lines of text with a cursor, history and the usual keys.

import { host } from "toolsmith:kernel";
import { getKeybindings, matchesKey, Key, decodeKittyPrintable } from "toolsmith:compat/keys";

export const CURSOR_MARKER = "\x1b_pi:c\x07";

const segmenter = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter() : undefined;
/** Characters as a person sees them, where the engine can tell. */
const characters = (text) =>
  segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : Array.from(text);
const WORD = /[\p{L}\p{N}_]/u;
const MAX_HISTORY = 100;
const PASTE = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~|$)/;

/** The cursor drawn into the text, for terminals whose own cursor is hidden. */
export const renderFakeCursor = (character = " ") => `\x1b[7m${character}\x1b[27m`;

export class Editor {
  focused = false;
  disableSubmit = false;
  onSubmit = undefined;
  onChange = undefined;
  borderColor = undefined;
  #tui;
  #theme;
  #paddingX = 0;
  #lines = [""];
  #line = 0;
  // In UTF-16 units, as strings count.
  #column = 0;
  #history = [];
  #historyAt = -1;
  #undo = [];
  #provider;
  #suggestions;
  #chosen = 0;
  #maxVisible = 5;

  constructor(tui, theme, options) {
    // Earlier versions took the theme alone.
    [this.#tui, this.#theme] =
      theme === undefined || typeof tui?.borderColor === "function" ? [undefined, tui ?? {}] : [tui, theme ?? {}];
    this.borderColor = this.#theme.borderColor;
    this.#paddingX = options?.paddingX ?? 0;
    this.#maxVisible = options?.autocompleteMaxVisible ?? 5;
  }

  getText() {
    return this.#lines.join("\n");
  }
  getExpandedText() {
    return this.getText();
  }
  getLines() {
    return [...this.#lines];
  }
  getCursor() {
    return { line: this.#line, col: this.#column };
  }
  setText(text) {
    this.#historyAt = -1;
    this.#replace(
      String(text ?? "")
        .replace(/\r\n?/g, "\n")
        .replace(/\t/g, "    ")
        .split("\n"),
    );
  }
  insertTextAtCursor(text) {
    this.#remember();
    this.#insert(String(text));
  }
  addToHistory(text) {
    const trimmed = String(text).trim();
    if (trimmed !== "" && this.#history[0] !== trimmed)
      this.#history = [trimmed, ...this.#history].slice(0, MAX_HISTORY);
  }
  setAutocompleteProvider(provider) {
    this.#provider = provider;
  }
  setAutocompleteMaxVisible(count) {
    this.#maxVisible = Math.max(1, Math.trunc(count));
  }
  isShowingAutocomplete() {
    return this.#suggestions !== undefined;
  }
  setPaddingX(columns) {
    this.#paddingX = Math.max(0, Math.trunc(columns));
  }
  getPaddingX() {
    return this.#paddingX;
  }
  invalidate() {}
  dispose() {}

  #replace(lines, line = lines.length - 1, column = lines[line].length) {
    this.#lines = lines.length === 0 ? [""] : lines;
    this.#line = Math.max(0, Math.min(line, this.#lines.length - 1));
    this.#column = Math.max(0, Math.min(column, this.#lines[this.#line].length));
    this.#changed();
  }
  #changed() {
    this.onChange?.(this.getText());
    this.#tui?.requestRender?.();
  }
  #remember() {
    this.#undo.push({ lines: [...this.#lines], line: this.#line, column: this.#column });
    if (this.#undo.length > MAX_HISTORY) this.#undo.shift();
  }
  #insert(text) {
    const line = this.#lines[this.#line];
    const parts = text
      .replace(/\r\n?/g, "\n")
      .replace(/\t/g, "    ")
      .split("\n")
      .map((part) => part.replace(/[\x00-\x1f\x7f]/g, ""));
    const after = line.slice(this.#column);
    const lines = [...this.#lines];
    const last = parts.length - 1;
    const column = (last === 0 ? this.#column : 0) + parts[last].length;
    lines.splice(
      this.#line,
      1,
      ...parts.map(
        (part, index) => (index === 0 ? line.slice(0, this.#column) : "") + part + (index === last ? after : ""),
      ),
    );
    this.#replace(lines, this.#line + last, column);
  }
  /** The character before the cursor, or at it. */
  #neighbour(step) {
    const line = this.#lines[this.#line];
    if (step < 0) return characters(line.slice(0, this.#column)).at(-1);
    return characters(line.slice(this.#column))[0];
  }
  #move(step) {
    const next = this.#neighbour(step);
    if (next !== undefined) this.#column += step * next.length;
    else if (step < 0 && this.#line > 0) this.#column = this.#lines[--this.#line].length;
    else if (step > 0 && this.#line < this.#lines.length - 1) [this.#line, this.#column] = [this.#line + 1, 0];
    this.#tui?.requestRender?.();
  }
  #word(step) {
    let moved = false;
    for (let seen = false; ;) {
      const next = this.#neighbour(step);
      if (next === undefined) {
        if (!moved) this.#move(step);
        return;
      }
      const isWord = WORD.test(next);
      if (seen && !isWord) return;
      seen ||= isWord;
      this.#column += step * next.length;
      moved = true;
    }
  }
  #remove(from, to) {
    this.#remember();
    const lines = [...this.#lines];
    lines[this.#line] = lines[this.#line].slice(0, from) + lines[this.#line].slice(to);
    this.#replace(lines, this.#line, from);
  }
  #backspace() {
    const before = this.#neighbour(-1);
    if (before !== undefined) return this.#remove(this.#column - before.length, this.#column);
    if (this.#line === 0) return;
    this.#remember();
    const lines = [...this.#lines];
    const column = lines[this.#line - 1].length;
    lines.splice(this.#line - 1, 2, lines[this.#line - 1] + lines[this.#line]);
    this.#replace(lines, this.#line - 1, column);
  }
  #delete() {
    const next = this.#neighbour(1);
    if (next !== undefined) return this.#remove(this.#column, this.#column + next.length);
    if (this.#line === this.#lines.length - 1) return;
    this.#move(1);
    this.#backspace();
  }
  #vertical(step) {
    const line = this.#line + step;
    if (line < 0 || line >= this.#lines.length) return this.#recall(-step);
    this.#line = line;
    this.#column = Math.min(this.#column, this.#lines[line].length);
    this.#tui?.requestRender?.();
  }
  #recall(step) {
    const at = this.#historyAt + step;
    if (at < -1 || at >= this.#history.length) return;
    this.#historyAt = at;
    this.#replace((at < 0 ? "" : this.#history[at]).split("\n"));
  }
  #submit() {
    const text = this.getText();
    // A backslash at the end continues on the next line.
    if (this.#lines[this.#line].endsWith("\\") && this.#column === this.#lines[this.#line].length) {
      this.#backspace();
      return this.#insert("\n");
    }
    if (this.disableSubmit) return;
    this.#replace([""]);
    this.#undo = [];
    this.#historyAt = -1;
    this.onSubmit?.(text.trim());
  }
  async #suggest(force) {
    const state = this.getText();
    const found = await this.#provider?.getSuggestions(this.#lines, this.#line, this.#column, {
      force,
      signal: AbortSignal.timeout(2000),
    });
    // An answer to an older text is of no use.
    if (state !== this.getText()) return;
    this.#suggestions = found?.items?.length > 0 ? found : undefined;
    this.#chosen = 0;
    this.#tui?.requestRender?.();
  }
  #accept() {
    const { prefix, items } = this.#suggestions;
    const next = this.#provider.applyCompletion(this.#lines, this.#line, this.#column, items[this.#chosen], prefix);
    this.#suggestions = undefined;
    this.#replace([...next.lines], next.cursorLine, next.cursorCol);
  }

  handleInput(data) {
    const bindings = getKeybindings();
    const is = (action) => bindings.matches(data, action);
    const pasted = PASTE.exec(data);
    if (pasted !== null) {
      this.#remember();
      return this.#insert(pasted[1]);
    }
    if (this.#suggestions !== undefined) {
      const count = this.#suggestions.items.length;
      if (is("tui.select.cancel")) return void (this.#suggestions = undefined);
      if (is("tui.select.up")) return void (this.#chosen = (this.#chosen + count - 1) % count);
      if (is("tui.select.down")) return void (this.#chosen = (this.#chosen + 1) % count);
      if (is("tui.input.tab") || is("tui.select.confirm")) return this.#accept();
    }
    if (is("tui.input.newLine") || data === "\n") {
      this.#remember();
      return this.#insert("\n");
    }
    if (is("tui.input.submit")) return this.#submit();
    if (is("tui.input.tab")) return void this.#suggest(true);
    if (is("tui.editor.undo")) {
      const before = this.#undo.pop();
      if (before) this.#replace(before.lines, before.line, before.column);
      return;
    }
    if (is("tui.editor.deleteToLineEnd")) return this.#remove(this.#column, this.#lines[this.#line].length);
    if (is("tui.editor.deleteToLineStart")) return this.#remove(0, this.#column);
    if (is("tui.editor.deleteWordBackward")) {
      const end = this.#column;
      const line = this.#line;
      this.#word(-1);
      return this.#line === line ? this.#remove(this.#column, end) : this.#delete();
    }
    if (is("tui.editor.deleteCharBackward")) return this.#backspace();
    if (is("tui.editor.deleteCharForward")) return this.#delete();
    if (is("tui.editor.cursorWordLeft")) return this.#word(-1);
    if (is("tui.editor.cursorWordRight")) return this.#word(1);
    if (is("tui.editor.cursorLineStart")) return void (this.#column = 0);
    if (is("tui.editor.cursorLineEnd")) return void (this.#column = this.#lines[this.#line].length);
    if (is("tui.editor.cursorUp") || matchesKey(data, Key.up)) return this.#vertical(-1);
    if (is("tui.editor.cursorDown") || matchesKey(data, Key.down)) return this.#vertical(1);
    if (is("tui.editor.cursorLeft")) return this.#move(-1);
    if (is("tui.editor.cursorRight")) return this.#move(1);
    const typed = decodeKittyPrintable(data) ?? data;
    if (typed !== "" && !/[\x00-\x1f\x7f]/.test(typed)) {
      this.#remember();
      this.#insert(typed);
      if (this.#provider !== undefined) void this.#suggest(false);
    }
  }

  render(width) {
    const border = this.borderColor ?? this.#theme.borderColor ?? ((text) => text);
    const rule = border("─".repeat(Math.max(1, width)));
    const side = " ".repeat(this.#paddingX);
    const inner = Math.max(1, width - 2 * this.#paddingX);
    const rows = [];
    this.#lines.forEach((line, at) => {
      if (at !== this.#line) return rows.push(...host.wrapText(line, inner));
      const here = characters(line.slice(this.#column))[0] ?? " ";
      const marker = this.focused ? CURSOR_MARKER : "";
      const rest = line.slice(this.#column + (line.length > this.#column ? here.length : 0));
      rows.push(...host.wrapText(`${line.slice(0, this.#column)}${marker}${renderFakeCursor(here)}${rest}`, inner));
    });
    const list = (this.#suggestions?.items ?? []).slice(0, this.#maxVisible).map((item, index) => {
      const text = `${index === this.#chosen ? "→ " : "  "}${item.label ?? item.value}${item.description ? `  ${item.description}` : ""}`;
      return host.cutToWidth(text, width, "…");
    });
    return [rule, ...rows.map((row) => side + row), rule, ...list];
  }
}
