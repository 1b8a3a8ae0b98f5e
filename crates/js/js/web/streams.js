// Web streams, from the library that implements them, and the two for text.

export * from "toolsmith:npm/web-streams";
import { TransformStream } from "toolsmith:npm/web-streams";

export class TextDecoderStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    const stream = new TransformStream({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
    this.readable = stream.readable;
    this.writable = stream.writable;
    this.encoding = decoder.encoding;
  }
}

export class TextEncoderStream {
  constructor() {
    const encoder = new TextEncoder();
    const stream = new TransformStream({ transform: (chunk, controller) => controller.enqueue(encoder.encode(chunk)) });
    this.readable = stream.readable;
    this.writable = stream.writable;
    this.encoding = "utf-8";
  }
}
