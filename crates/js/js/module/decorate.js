// What compiled decorators call.

export default function decorate(decorators, target, key, given) {
  const descriptor =
    arguments.length < 3 ? undefined : given === null ? Object.getOwnPropertyDescriptor(target, key) : given;
  let result = arguments.length < 3 ? target : descriptor;
  for (const decorator of [...decorators].reverse()) {
    result =
      (arguments.length < 3
        ? decorator(result)
        : arguments.length > 3
          ? decorator(target, key, result)
          : decorator(target, key)) || result;
  }
  if (arguments.length > 3 && result) Object.defineProperty(target, key, result);
  return result;
}
