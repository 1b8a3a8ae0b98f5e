// Node's http: requests and a server.

import { Agent, ClientRequest } from "toolsmith:node_parts/http_client";
import {
  IncomingMessage,
  OutgoingMessage,
  validateHeaderName,
  validateHeaderValue,
} from "toolsmith:node_parts/http_messages";
import { Server, ServerResponse } from "toolsmith:node_parts/http_server";
import { METHODS, STATUS_CODES } from "toolsmith:node_parts/http_status";

export {
  Agent,
  ClientRequest,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  STATUS_CODES,
  Server,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
};

export const globalAgent = new Agent({ keepAlive: true });
export const request = (input, options, callback) => new ClientRequest(input, options, callback);
export function get(input, options, callback) {
  const asked = request(input, options, callback);
  asked.end();
  return asked;
}
export const createServer = (options, listener) => new Server(options, listener);
export const maxHeaderSize = 16384;
export const setMaxIdleHTTPParsers = () => {};

export default {
  Agent,
  ClientRequest,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  STATUS_CODES,
  Server,
  ServerResponse,
  createServer,
  get,
  globalAgent,
  maxHeaderSize,
  request,
  setMaxIdleHTTPParsers,
  validateHeaderName,
  validateHeaderValue,
};
