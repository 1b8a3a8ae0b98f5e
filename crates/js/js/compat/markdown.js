// The Markdown component. The host lays the text out as for its own messages; the component paints it with its theme.

import { host } from "toolsmith:kernel";

const plain = (text) => text;

/** Members of a Markdown theme by the role of a run. */
const PAINTERS = {
  mdHeading: "heading",
  mdLink: "link",
  mdLinkUrl: "linkUrl",
  mdCode: "code",
  mdCodeBlock: "codeBlock",
  mdCodeBlockBorder: "codeBlockBorder",
  mdQuote: "quote",
  mdQuoteBorder: "quoteBorder",
  mdHr: "hr",
  mdListBullet: "listBullet",
};

export class Markdown {
  #text;
  #paddingX;
  #paddingY;
  #theme;
  #style;
  #drawn;

  constructor(text, paddingX = 1, paddingY = 1, theme = {}, defaultTextStyle) {
    this.#text = String(text);
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#theme = theme ?? {};
    this.#style = defaultTextStyle ?? {};
  }
  setText(text) {
    this.#text = String(text);
    this.#drawn = undefined;
  }
  invalidate() {
    this.#drawn = undefined;
  }

  #by(name) {
    return this.#theme[name] ?? plain;
  }

  #paint({ text, role, bold, italic, strike, link }) {
    const style = this.#style;
    let shown = text;
    const painter = PAINTERS[role];
    if (painter === undefined && style.color) shown = style.color(shown);
    if (bold || style.bold) shown = this.#by("bold")(shown);
    if (italic || style.italic) shown = this.#by("italic")(shown);
    if (strike || style.strikethrough) shown = this.#by("strikethrough")(shown);
    if (style.underline) shown = this.#by("underline")(shown);
    if (painter !== undefined) shown = this.#by(painter)(shown);
    return link === undefined ? shown : `\x1b]8;;${link}\x1b\\${shown}\x1b]8;;\x1b\\`;
  }

  /** Code is coloured as a whole: replaces the rows between two fences. */
  #highlight(rows) {
    const { highlightCode } = this.#theme;
    if (typeof highlightCode !== "function") return rows;
    const fenceAt = (row) => row.findIndex((run) => run.role === "mdCodeBlockBorder" && run.text.startsWith("```"));
    const out = [];
    for (let at = 0; at < rows.length; at += 1) {
      out.push(rows[at]);
      const column = fenceAt(rows[at]);
      if (column < 0) continue;
      let end = at + 1;
      while (end < rows.length && fenceAt(rows[end]) < 0) end += 1;
      const lines = rows.slice(at + 1, end);
      const code = lines.map((row) =>
        row
          .filter((run) => run.role === "mdCodeBlock")
          .map((run) => run.text)
          .join(""),
      );
      const painted = highlightCode(code.join("\n"), rows[at][column].text.slice(3)) ?? code;
      lines.forEach((row, index) =>
        out.push([
          ...row.filter((run) => run.role !== "mdCodeBlock"),
          { text: painted[index] ?? code[index], role: "painted" },
        ]),
      );
      if (end < rows.length) out.push(rows[end]);
      at = end;
    }
    return out;
  }

  render(width) {
    if (this.#drawn?.width === width) return this.#drawn.lines;
    if (this.#text.trim() === "") return [];
    const side = " ".repeat(Math.max(0, this.#paddingX));
    const inner = Math.max(1, width - this.#paddingX * 2);
    const fill = (line) =>
      this.#style.bgColor ? this.#style.bgColor(line + " ".repeat(Math.max(0, width - host.visibleWidth(line)))) : line;
    const rows = this.#highlight(JSON.parse(host.markdownRows(this.#text, inner)));
    const drawn = rows.map((row) =>
      fill(side + row.map((run) => (run.role === "painted" ? run.text : this.#paint(run))).join("")),
    );
    const blank = Array.from({ length: this.#paddingY }, () => fill(""));
    const lines = [...blank, ...drawn, ...blank];
    this.#drawn = { width, lines };
    return lines;
  }
}
