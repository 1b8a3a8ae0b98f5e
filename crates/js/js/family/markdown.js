// The Markdown component: blocks as lines, drawn with the theme it is given.

import { host } from "toolsmith:kernel";

const plain = (text) => text;

export class Markdown {
  #text;
  #paddingX;
  #paddingY;
  #theme;
  #style;

  constructor(text, paddingX = 1, paddingY = 1, theme = {}, defaultTextStyle) {
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#theme = theme;
    this.#style = defaultTextStyle ?? {};
  }
  setText(text) {
    this.#text = String(text);
  }
  invalidate() {}

  #by(name) {
    return this.#theme[name] ?? plain;
  }

  /** A run of text with its styles. */
  #run(run) {
    if (run.type !== "text") return "";
    let text = run.text;
    if (run.code) text = this.#by("code")(text);
    else {
      if (this.#style.color) text = this.#style.color(text);
      if (run.bold || this.#style.bold) text = this.#by("bold")(text);
      if (run.italic || this.#style.italic) text = this.#by("italic")(text);
      if (run.strike || this.#style.strikethrough) text = this.#by("strikethrough")(text);
    }
    if (run.link === undefined) return text;
    const shown = this.#by("link")(text);
    return run.link === run.text ? shown : `${shown}${this.#by("linkUrl")(` (${run.link})`)}`;
  }

  #inline(children) {
    return (children ?? []).map((child) => this.#run(child)).join("");
  }

  #blocks(blocks, width) {
    const lines = [];
    for (const [index, block] of blocks.entries()) {
      const drawn = this.#block(block, width);
      if (index > 0 && drawn.length > 0 && block.type !== "item") lines.push("");
      lines.push(...drawn);
    }
    return lines;
  }

  #block(block, width) {
    switch (block.type) {
      case "text":
        return host.wrapText(this.#run(block), width);
      case "heading":
        return host.wrapText(this.#by("heading")(this.#by("bold")(`${block.level > 2 ? `${"#".repeat(block.level)} ` : ""}${this.#inline(block.children)}`)), width);
      case "code": {
        const text = (block.children ?? []).map((child) => child.text).join("").replace(/\n$/, "");
        const border = this.#by("codeBlockBorder");
        const code = this.#theme.highlightCode ? this.#theme.highlightCode(text, block.language) : text.split("\n").map(this.#by("codeBlock"));
        return [border(`\`\`\`${block.language}`), ...code.map((line) => `  ${line}`), border("```")];
      }
      case "quote": {
        const bar = this.#by("quoteBorder")(`${this.#theme.symbols?.quoteBorder ?? "│"} `);
        return this.#blocks(block.children ?? [], Math.max(1, width - 2)).map((line) => bar + this.#by("quote")(line));
      }
      case "list":
        return (block.children ?? []).flatMap((item, index) => this.#item(item, block.start === null || block.start === undefined ? undefined : block.start + index, width));
      case "rule":
        return [this.#by("hr")((this.#theme.symbols?.hrChar ?? "─").repeat(Math.max(1, Math.min(width, 80))))];
      case "table":
        return this.#table(block.children ?? [], width);
      default:
        return host.wrapText(this.#inline(block.children), width);
    }
  }

  #item(item, number, width) {
    const mark = number === undefined ? `${this.#theme.symbols?.bullet ?? "•"} ` : `${number}. `;
    const children = item.children ?? [];
    const split = children.findIndex((child) => child.type !== "text");
    const inline = split < 0 ? children : children.slice(0, split);
    const rest = split < 0 ? [] : children.slice(split);
    const inner = Math.max(1, width - mark.length);
    const first = inline.length > 0 ? host.wrapText(this.#inline(inline), inner) : [];
    const below = rest.flatMap((block) => this.#block(block, inner));
    return [...first, ...below].map((line, index) => (index === 0 ? this.#by("listBullet")(mark) : " ".repeat(mark.length)) + line);
  }

  #table(rows, width) {
    const cells = rows.map((row) => (row.children ?? []).map((cell) => this.#inline(cell.children)));
    const columns = Math.max(0, ...cells.map((row) => row.length));
    const room = Math.max(3, Math.floor((width - columns * 3 - 1) / Math.max(1, columns)));
    const widths = Array.from({ length: columns }, (_, column) => Math.min(room, Math.max(1, ...cells.map((row) => host.visibleWidth(row[column] ?? "")))));
    const line = (row) => `│ ${widths.map((size, column) => {
      const cut = host.cutToWidth(row[column] ?? "", size, "…");
      return cut + " ".repeat(Math.max(0, size - host.visibleWidth(cut)));
    }).join(" │ ")} │`;
    const rule = `├${widths.map((size) => "─".repeat(size + 2)).join("┼")}┤`;
    return cells.flatMap((row, index) => (index === 0 ? [line(row), rule] : [line(row)]));
  }

  render(width) {
    if (this.#text.trim() === "") return [];
    const side = " ".repeat(Math.max(0, this.#paddingX));
    const inner = Math.max(1, width - this.#paddingX * 2);
    const fill = (line) => (this.#style.bgColor ? this.#style.bgColor(line + " ".repeat(Math.max(0, width - host.visibleWidth(line)))) : line);
    const lines = this.#blocks(JSON.parse(host.parseMarkdown(this.#text)), inner).map((line) => fill(side + line));
    const blank = Array.from({ length: this.#paddingY }, () => fill(""));
    return [...blank, ...lines, ...blank];
  }
}
