// A list of settings whose values are changed with the keys.

import { host } from "toolsmith:kernel";
import { Key, matchesKey } from "toolsmith:compat/keys";

export class SettingsList {
  #items;
  #selected = 0;
  #max;
  #theme;
  #change;
  #cancel;
  #below;

  constructor(items, maxVisible = 10, theme = {}, onChange = () => {}, onCancel = () => {}) {
    this.#items = items;
    this.#max = maxVisible;
    this.#theme = theme;
    this.#change = onChange;
    this.#cancel = onCancel;
  }
  updateValue(id, value) {
    const item = this.#items.find((known) => known.id === id);
    if (item) item.currentValue = value;
  }
  invalidate() {}
  render(width) {
    if (this.#below !== undefined) return this.#below.render(width);
    const plain = (text) => text;
    const { label = plain, value = plain, description = plain, hint = plain, cursor = "→ " } = this.#theme;
    if (this.#items.length === 0) return [hint("  No settings available")];
    const first = Math.max(0, Math.min(this.#selected - Math.floor(this.#max / 2), this.#items.length - this.#max));
    const column = Math.min(30, Math.max(...this.#items.map((item) => host.visibleWidth(item.label))));
    const lines = this.#items.slice(first, first + this.#max).map((item, index) => {
      const selected = first + index === this.#selected;
      const name = item.label + " ".repeat(Math.max(0, column - host.visibleWidth(item.label)));
      return host.cutToWidth(
        `${selected ? cursor : "  "}${label(name, selected)}  ${value(item.currentValue, selected)}`,
        width,
        "…",
      );
    });
    const chosen = this.#items[this.#selected];
    if (chosen?.description)
      lines.push(
        "",
        ...host.wrapText(chosen.description, Math.max(1, width - 2)).map((line) => description(`  ${line}`)),
      );
    lines.push("", hint("  Enter/Space to change · Esc to cancel"));
    return lines;
  }
  handleInput(data) {
    if (this.#below !== undefined) return this.#below.handleInput?.(data);
    const count = this.#items.length;
    if (matchesKey(data, Key.up)) this.#selected = (this.#selected + count - 1) % Math.max(1, count);
    else if (matchesKey(data, Key.down)) this.#selected = (this.#selected + 1) % Math.max(1, count);
    else if (matchesKey(data, Key.enter) || matchesKey(data, Key.space)) this.#activate();
    else if (matchesKey(data, Key.escape) || matchesKey(data, "ctrl+c")) this.#cancel();
  }
  #activate() {
    const item = this.#items[this.#selected];
    if (item === undefined) return;
    if (item.submenu) {
      this.#below = item.submenu(item.currentValue, (value) => {
        this.#below = undefined;
        if (value !== undefined) this.#set(item, value);
      });
    } else if (item.values?.length > 0)
      this.#set(item, item.values[(item.values.indexOf(item.currentValue) + 1) % item.values.length]);
  }
  #set(item, value) {
    item.currentValue = value;
    this.#change(item.id, value);
  }
}
