// In place of the kernel's own: a real runtime has these.

export const { AbortController, AbortSignal, CustomEvent, DOMException, Event, EventTarget } = globalThis;
