// Node's tls, as a client. Certificates are checked by what the system trusts.

import { coded } from "toolsmith:node_parts/arguments";
import { Server as NetServer, Socket, normalizeConnect } from "toolsmith:node/net";

export class TLSSocket extends Socket {
  constructor(options) {
    super(options);
    this._secure = true;
    this.encrypted = true;
    this.authorized = false;
    this.authorizationError = null;
    this.alpnProtocol = false;
    this.once("connect", () => {
      this.authorized = true;
      this.alpnProtocol = this._opening.protocol ?? false;
    });
  }
  getProtocol() {
    return this._opening?.version?.replace("TLSv1.", "TLSv1.") ?? null;
  }
  getPeerCertificate() {
    return {};
  }
  getCipher() {
    return {};
  }
  getSession() {
    return undefined;
  }
  setServername() {}
  isSessionReused() {
    return false;
  }
}

export function connect(...args) {
  const [options, callback] = normalizeConnect(args);
  const settings =
    typeof args[0] === "object"
      ? options
      : { ...options, ...args.find((argument) => typeof argument === "object" && argument !== null) };
  if (settings.socket !== undefined) throw unavailable("tls.connect over a socket that is open already");
  if (settings.rejectUnauthorized === false) throw unavailable("rejectUnauthorized: false");
  if (settings.ca !== undefined || settings.cert !== undefined || settings.pfx !== undefined)
    throw unavailable("certificates of one's own (ca, cert, pfx)");
  return callback ? new TLSSocket(settings).connect(settings, callback) : new TLSSocket(settings).connect(settings);
}

const unavailable = (what) =>
  coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    `${what} is not available in Toolsmith's embedded engine; engine = "node" or "bun" runs the tool where it is`,
  );

export class Server extends NetServer {
  constructor() {
    super();
    throw unavailable("tls.createServer");
  }
}
export const createServer = (...args) => new Server(...args);
export const createSecureContext = () => ({ context: {} });
export const checkServerIdentity = () => undefined;
export const getCiphers = () => ["tls_aes_128_gcm_sha256", "tls_aes_256_gcm_sha384", "tls_chacha20_poly1305_sha256"];
export const rootCertificates = Object.freeze([]);
export const DEFAULT_MIN_VERSION = "TLSv1.2";
export const DEFAULT_MAX_VERSION = "TLSv1.3";
export const DEFAULT_CIPHERS = "";
export const DEFAULT_ECDH_CURVE = "auto";

export default {
  DEFAULT_CIPHERS,
  DEFAULT_ECDH_CURVE,
  DEFAULT_MAX_VERSION,
  DEFAULT_MIN_VERSION,
  Server,
  TLSSocket,
  checkServerIdentity,
  connect,
  createSecureContext,
  createServer,
  getCiphers,
  rootCertificates,
};
