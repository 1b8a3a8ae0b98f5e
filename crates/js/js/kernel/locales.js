// The methods of built-in objects that depend on a locale. `Intl` is loaded at their first call.

import { builtin, host } from "./host.js";

const MODULE = "toolsmith:web/intl";

function replace(prototype, name, method) {
  Object.defineProperty(method, "name", { value: name, configurable: true });
  Object.defineProperty(prototype, name, { value: method, writable: true, configurable: true, enumerable: false });
}

export function installLocales(defineLazy) {
  if (!host.hasIntl) return;
  defineLazy(MODULE, ["Intl"]);
  const { valueOf: numberOf } = Number.prototype;
  const { valueOf: bigintOf } = BigInt.prototype;
  const { getTime } = Date.prototype;
  const apply = Reflect.apply;
  replace(Number.prototype, "toLocaleString", function (locales, options) {
    return builtin(MODULE).numberText(apply(numberOf, this, []), locales, options);
  });
  replace(BigInt.prototype, "toLocaleString", function (locales, options) {
    return builtin(MODULE).numberText(apply(bigintOf, this, []), locales, options);
  });
  for (const [name, required, defaults] of [
    ["toLocaleString", "any", "all"],
    ["toLocaleDateString", "date", "date"],
    ["toLocaleTimeString", "time", "time"],
  ]) {
    replace(Date.prototype, name, function (locales, options) {
      return builtin(MODULE).dateText(apply(getTime, this, []), locales, options, required, defaults);
    });
  }
  replace(String.prototype, "localeCompare", function (other, locales, options) {
    return builtin(MODULE).compareTexts(String(this), other, locales, options);
  });
  const { toLowerCase, toUpperCase } = String.prototype;
  const isTurkic = (locales) => locales !== undefined && ["tr", "az"].includes(builtin(MODULE).caseLanguage(locales));
  replace(String.prototype, "toLocaleLowerCase", function (locales) {
    const text = isTurkic(locales)
      ? String(this).replaceAll("I\u0307", "i").replaceAll("I", "ı").replaceAll("İ", "i")
      : String(this);
    return apply(toLowerCase, text, []);
  });
  replace(String.prototype, "toLocaleUpperCase", function (locales) {
    return apply(toUpperCase, isTurkic(locales) ? String(this).replaceAll("i", "İ") : String(this), []);
  });
  const joined = function (locales, options) {
    const texts = Array.from(this, (value) =>
      value === undefined || value === null ? "" : String(value.toLocaleString(locales, options)),
    );
    return texts.join(",");
  };
  replace(Array.prototype, "toLocaleString", joined);
  replace(Object.getPrototypeOf(Uint8Array.prototype), "toLocaleString", joined);
}
