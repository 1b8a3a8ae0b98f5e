// What compiled decorators call, unless a tsconfig.json asks for the older kind with `experimentalDecorators`: decorators receive
// the value and a context. What needs the class to be compiled in another way is refused.

const refuse = (what) => {
  throw new TypeError(
    `${what} is not supported; for decorators of the older kind, set experimentalDecorators in tsconfig.json`,
  );
};

const metadata = new WeakMap();

function metadataOf(owner) {
  if (!metadata.has(owner)) metadata.set(owner, Object.create(null));
  return metadata.get(owner);
}

/** Calls decorators from the last to the first, each with what the one after it made. */
function chain(decorators, value, context) {
  for (const decorator of [...decorators].reverse()) {
    const made = decorator(value, context);
    if (made === undefined) continue;
    if (typeof made !== "function")
      throw new TypeError(`a decorator of "${String(context.name)}" must return a function or nothing`);
    value = made;
  }
  return value;
}

function decorateClass(decorators, target) {
  const initializers = [];
  const context = {
    kind: "class",
    name: target.name,
    metadata: metadataOf(target),
    addInitializer: (run) => void initializers.push(run),
  };
  const made = chain(decorators, target, context);
  for (const run of initializers) run.call(made);
  return made;
}

export default function decorate(decorators, target, name, given) {
  if (arguments.length < 3) return decorateClass(decorators, target);
  const isStatic = typeof target === "function";
  const context = {
    name,
    static: isStatic,
    private: false,
    metadata: metadataOf(isStatic ? target : target.constructor),
    addInitializer: (run) =>
      void (isStatic ? run.call(target) : refuse("addInitializer in a decorator of an instance member")),
    access: { has: (object) => name in object, get: (object) => object[name] },
  };
  if (given === undefined) {
    context.access.set = (object, value) => void (object[name] = value);
    for (const decorator of [...decorators].reverse()) {
      if (decorator(undefined, { ...context, kind: "field" }) !== undefined)
        refuse(`a decorator that changes the value of the field "${String(name)}"`);
    }
    return undefined;
  }
  const descriptor = Object.getOwnPropertyDescriptor(target, name);
  if (descriptor.get && descriptor.set) refuse(`a decorator of "${String(name)}", which has a getter and a setter,`);
  const [kind, member] = descriptor.get ? ["getter", "get"] : descriptor.set ? ["setter", "set"] : ["method", "value"];
  descriptor[member] = chain(decorators, descriptor[member], { ...context, kind });
  Object.defineProperty(target, name, descriptor);
  return descriptor;
}
