// Node's `http2`.

import { absentAll } from "toolsmith:node_parts/absent";

export const {
  connect,
  createServer,
  createSecureServer,
  getDefaultSettings,
  getPackedSettings,
  getUnpackedSettings,
  performServerHandshake,
  Http2ServerRequest,
  Http2ServerResponse,
} = absentAll("http2", [
  "connect",
  "createServer",
  "createSecureServer",
  "getDefaultSettings",
  "getPackedSettings",
  "getUnpackedSettings",
  "performServerHandshake",
  "Http2ServerRequest",
  "Http2ServerResponse",
]);
export const constants = Object.freeze({
  NGHTTP2_NO_ERROR: 0,
  HTTP2_HEADER_STATUS: ":status",
  HTTP2_HEADER_METHOD: ":method",
  HTTP2_HEADER_PATH: ":path",
  HTTP2_HEADER_AUTHORITY: ":authority",
  HTTP2_HEADER_SCHEME: ":scheme",
});
export const sensitiveHeaders = Symbol("sensitiveHeaders");
export default {
  connect,
  createServer,
  createSecureServer,
  getDefaultSettings,
  getPackedSettings,
  getUnpackedSettings,
  performServerHandshake,
  Http2ServerRequest,
  Http2ServerResponse,
  constants,
  sensitiveHeaders,
};
