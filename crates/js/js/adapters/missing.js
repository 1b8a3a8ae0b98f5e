// Stubs for names a package has elsewhere and not here: they load, and throw when they are used (CONTRACT 1.4).

/** A value that says what is missing as soon as anything is done with it. */
export function missing(module, name) {
  const refuse = () => {
    throw new Error(`"${name}" of "${module}" is not available in Toolsmith`);
  };
  return new Proxy(function () {}, {
    apply: refuse,
    construct: refuse,
    get(target, key) {
      // Looking at it, as `await` and printing do, is not using it.
      if (typeof key === "symbol" || key === "then" || key === "toJSON") return undefined;
      if (key === "name") return name;
      if (key === "prototype") return target.prototype;
      return refuse();
    },
    set: refuse,
  });
}

/** A whole module nobody has here, as `require` gives it. */
export function missingModule(module) {
  return new Proxy(
    {},
    {
      get: (_, key) =>
        typeof key === "symbol" || key === "then" || key === "toJSON" || key === "__esModule"
          ? undefined
          : missing(module, key),
    },
  );
}
