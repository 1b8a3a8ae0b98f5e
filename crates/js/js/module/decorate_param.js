// What compiled decorators of parameters call.

export default (index, decorator) => (target, key) => decorator(target, key, index);
