// Node's https: requests over TLS.

import { coded } from "toolsmith:node_parts/arguments";
import { Agent as HttpAgent, ClientRequest } from "toolsmith:node_parts/http_client";
import { Server as HttpServer } from "toolsmith:node_parts/http_server";
import tls from "toolsmith:node/tls";

export class Agent extends HttpAgent {
  constructor(options) {
    super(options);
    this.protocol = "https:";
    this.defaultPort = 443;
  }
  createConnection(options, callback) {
    return tls.connect(options, callback);
  }
}
export const globalAgent = new Agent({ keepAlive: true });

const SECURE = { protocol: "https:", port: 443, connect: (address) => tls.connect(address) };
export const request = (input, options, callback) => new ClientRequest(input, options, callback, SECURE);
export function get(input, options, callback) {
  const asked = request(input, options, callback);
  asked.end();
  return asked;
}
export class Server extends HttpServer {
  constructor() {
    super();
    throw coded(
      Error,
      "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      `https.createServer is not available in Toolsmith's embedded engine; engine = "node" or "bun" runs the tool where it is`,
    );
  }
}
export const createServer = (...args) => new Server(...args);

export default { Agent, Server, createServer, get, globalAgent, request };
