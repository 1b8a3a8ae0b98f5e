// Text to bytes and back: TextEncoder, TextDecoder, base64.

import { host } from "toolsmith:kernel";

const bytesOf = (input) =>
  input instanceof Uint8Array
    ? input
    : ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input ?? new ArrayBuffer(0));

export class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return host.utf8Encode(String(text));
  }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of String(text)) {
      const bytes = host.utf8Encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}

const NAMES = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "unicode-1-1-utf-8": "utf-8",
  "utf-16": "utf-16le",
  "utf-16le": "utf-16le",
  "ucs-2": "utf-16le",
  unicode: "utf-16le",
  "utf-16be": "utf-16be",
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  ascii: "windows-1252",
  "us-ascii": "windows-1252",
  "windows-1252": "windows-1252",
  l1: "windows-1252",
};

/** How many bytes at the end begin a character that is not finished. */
function unfinished(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

const WINDOWS =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

export class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBom;
  #held = new Uint8Array(0);
  #started = false;

  constructor(label = "utf-8", options = {}) {
    this.#encoding = NAMES[String(label).trim().toLowerCase()];
    if (this.#encoding === undefined)
      throw Object.assign(new RangeError(`The "${label}" encoding is not supported`), {
        code: "ERR_ENCODING_NOT_SUPPORTED",
      });
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBom = Boolean(options?.ignoreBOM);
  }
  get encoding() {
    return this.#encoding;
  }
  get fatal() {
    return this.#fatal;
  }
  get ignoreBOM() {
    return this.#ignoreBom;
  }

  decode(input, { stream = false } = {}) {
    let bytes = bytesOf(input);
    if (this.#held.length > 0) {
      const joined = new Uint8Array(this.#held.length + bytes.length);
      joined.set(this.#held);
      joined.set(bytes, this.#held.length);
      bytes = joined;
    }
    const wide = this.#encoding.startsWith("utf-16");
    const hold = !stream ? 0 : wide ? bytes.length % 2 : this.#encoding === "utf-8" ? unfinished(bytes) : 0;
    this.#held = bytes.slice(bytes.length - hold);
    let text = this.#text(bytes.subarray(0, bytes.length - hold));
    if (!this.#started && !this.#ignoreBom && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    this.#started = stream && (this.#started || text !== "");
    return text;
  }

  #text(bytes) {
    if (this.#encoding === "utf-8") return host.utf8Decode(bytes, this.#fatal);
    if (this.#encoding === "windows-1252") {
      return host.latin1Decode(bytes).replace(/[\u0080-\u009f]/g, (c) => WINDOWS[c.charCodeAt(0) - 0x80]);
    }
    const little = this.#encoding === "utf-16le";
    let text = "";
    for (let index = 0; index + 1 < bytes.length; index += 2) {
      text += String.fromCharCode(
        little ? bytes[index] | (bytes[index + 1] << 8) : (bytes[index] << 8) | bytes[index + 1],
      );
    }
    return text;
  }
}

const invalidCharacter = () =>
  new DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");

export function btoa(text) {
  const bytes = new Uint8Array(String(text).length);
  for (let index = 0; index < bytes.length; index++) {
    const code = String(text).charCodeAt(index);
    if (code > 255) throw invalidCharacter();
    bytes[index] = code;
  }
  return host.base64Encode(bytes, false);
}

export function atob(text) {
  const clean = String(text).replace(/[\t\n\f\r ]/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(clean) || clean.replace(/=+$/, "").length % 4 === 1) throw invalidCharacter();
  return host.latin1Decode(host.base64Decode(clean));
}
