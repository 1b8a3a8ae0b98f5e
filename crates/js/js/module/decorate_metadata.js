// What compiled decorators with types call.

export default (key, value) => (typeof Reflect.metadata === "function" ? Reflect.metadata(key, value) : () => {});
