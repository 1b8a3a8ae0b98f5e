// Colours for text, as the package `chalk` has them.

const CODES = {
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  black: [30, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  gray: [90, 39],
  grey: [90, 39],
  redBright: [91, 39],
  greenBright: [92, 39],
  yellowBright: [93, 39],
  blueBright: [94, 39],
  magentaBright: [95, 39],
  cyanBright: [96, 39],
  whiteBright: [97, 39],
  bgBlack: [40, 49],
  bgRed: [41, 49],
  bgGreen: [42, 49],
  bgYellow: [43, 49],
  bgBlue: [44, 49],
  bgMagenta: [45, 49],
  bgCyan: [46, 49],
  bgWhite: [47, 49],
};

const wrap = (open, close) => (text) => `\x1b[${open}m${text}\x1b[${close}m`;

function hexParts(text) {
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(String(text)) ?? [undefined, "ffffff"];
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16)).join(";");
}

const MAKERS = {
  rgb: (r, g, b) => wrap(`38;2;${r};${g};${b}`, 39),
  bgRgb: (r, g, b) => wrap(`48;2;${r};${g};${b}`, 49),
  hex: (text) => wrap(`38;2;${hexParts(text)}`, 39),
  bgHex: (text) => wrap(`48;2;${hexParts(text)}`, 49),
  ansi256: (code) => wrap(`38;5;${code}`, 39),
  bgAnsi256: (code) => wrap(`48;5;${code}`, 49),
};

/** A function that applies its styles, with one member for each further style. */
function styled(styles) {
  const apply = (...words) => styles.reduceRight((text, style) => style(text), words.map(String).join(" "));
  return new Proxy(apply, {
    get(target, key) {
      if (key === "level") return 1;
      if (Object.hasOwn(CODES, key)) return styled([...styles, wrap(...CODES[key])]);
      if (Object.hasOwn(MAKERS, key)) return (...args) => styled([...styles, MAKERS[key](...args)]);
      if (key === "visible") return styled(styles);
      return Reflect.get(target, key);
    },
  });
}

const chalk = styled([]);
export class Chalk {
  constructor() {
    return styled([]);
  }
}
export { chalk };
export const supportsColor = { level: 1, hasBasic: true, has256: false, has16m: false };
export default chalk;
