// Objects whose members are on a prototype, because they are made for every call, and which `{...object}` copies nevertheless.

/** The traps of a proxy around instances of a class. Members run on the instance, so that private ones work. */
export function spreadable(prototype) {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  return {
    get: (target, key) => target[key],
    set: (target, key, value) =>
      Reflect.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true }),
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...names])],
    getOwnPropertyDescriptor(target, key) {
      const own = Reflect.getOwnPropertyDescriptor(target, key);
      if (own !== undefined || !names.includes(key)) return own;
      return { get: () => target[key], set: undefined, enumerable: true, configurable: true };
    },
  };
}
