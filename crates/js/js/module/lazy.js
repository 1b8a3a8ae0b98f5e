// Parts of libraries that are loaded when they are used: most tools use little of what a library has.

import { builtin } from "toolsmith:kernel";

/** A function of a built-in module. */
export const lazyFunction =
  (module, name) =>
  (...args) =>
    builtin(module)[name](...args);

/** A class of a built-in module, also for those who only ask whether something is an instance of it. */
export function lazyClass(module, name) {
  // Of a function, unlike of a class, the prototype may be said to be another.
  const proxy = new Proxy(function () {}, {
    get: (_, key) => builtin(module)[name][key],
    construct(_, args, target) {
      const real = builtin(module)[name];
      return Reflect.construct(real, args, target === proxy ? real : target);
    },
  });
  return proxy;
}
