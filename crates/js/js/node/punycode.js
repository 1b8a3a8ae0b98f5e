// Names of hosts in letters that are not ASCII, written in those that are (RFC 3492).

const [BASE, T_MIN, T_MAX, SKEW, DAMP] = [36, 1, 26, 38, 700];

function adapt(delta, points, first) {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return Math.floor(k + ((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

const threshold = (k, bias) => (k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias);
const letterOf = (digit) => String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
function digitOf(code) {
  if (code >= 48 && code < 58) return code - 22;
  if (code >= 65 && code < 91) return code - 65;
  if (code >= 97 && code < 123) return code - 97;
  return BASE;
}

export function decode(text) {
  const split = text.lastIndexOf("-");
  const output = [...text.slice(0, Math.max(split, 0))].map((letter) => letter.codePointAt(0));
  if (output.some((code) => code >= 128)) throw new RangeError("Illegal input >= 0x80 (not a basic code point)");
  let [n, i, bias] = [128, 0, 72];
  for (let at = split > 0 ? split + 1 : 0; at < text.length;) {
    const before = i;
    for (let w = 1, k = BASE; ; k += BASE) {
      const digit = at < text.length ? digitOf(text.charCodeAt(at++)) : BASE;
      if (digit >= BASE) throw new RangeError("Invalid input");
      i += digit * w;
      const t = threshold(k, bias);
      if (digit < t) break;
      w *= BASE - t;
      if (!Number.isSafeInteger(w)) throw new RangeError("Overflow: input needs wider integers to process");
    }
    bias = adapt(i - before, output.length + 1, before === 0);
    n += Math.floor(i / (output.length + 1));
    i %= output.length + 1;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}

export function encode(text) {
  const codes = [...text].map((letter) => letter.codePointAt(0));
  let output = String.fromCodePoint(...codes.filter((code) => code < 128));
  const basic = output.length;
  let handled = basic;
  if (basic > 0) output += "-";
  let [n, delta, bias] = [128, 0, 72];
  while (handled < codes.length) {
    const next = Math.min(...codes.filter((code) => code >= n));
    delta += (next - n) * (handled + 1);
    n = next;
    for (const code of codes) {
      if (code < n) delta++;
      if (code !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        output += letterOf(t + ((q - t) % (BASE - t)));
        q = Math.floor((q - t) / (BASE - t));
      }
      output += letterOf(q);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

function eachLabel(domain, change) {
  const at = domain.lastIndexOf("@");
  const labels = domain
    .slice(at + 1)
    .replace(/[\u3002\uff0e\uff61]/g, ".")
    .split(".");
  return domain.slice(0, at + 1) + labels.map(change).join(".");
}

export const toASCII = (domain) =>
  eachLabel(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label));
export const toUnicode = (domain) =>
  eachLabel(domain, (label) => (label.startsWith("xn--") ? decode(label.slice(4).toLowerCase()) : label));
export const ucs2 = {
  decode: (text) => [...text].map((letter) => letter.codePointAt(0)),
  encode: (codes) => String.fromCodePoint(...codes),
};
export const version = "2.1.0";
export default { version, ucs2, decode, encode, toASCII, toUnicode };
