// Loaded into wrangler before its own code: gives the requests of the Worker and its browsers to the egress proxy. wrangler has no option for
// it, and miniflare's own takes a function or a Worker, through which bodies and WebSockets would pass a second time.
"use strict";
const { registerHooks } = require("node:module");
const { isMainThread } = require("node:worker_threads");
const { wrapMiniflare } = require("../service/wrap-miniflare.cjs");

/** Set by the starting program: the proxy's address and tokens. Nobody that wrangler starts needs to know. */
const SETTING = "ORBWEAVER_EGRESS";
const MINIFLARE = /\/node_modules\/miniflare\/dist\/src\/index\.js$/;
/** Miniflare's option for a Worker's outbound service. */
const OUTBOUND_SCHEMA = 'var OutboundServiceSchema = external_exports2.discriminatedUnion("type", [';
/** The end of the flags that miniflare starts a browser with. */
const BROWSER_FLAGS = '"--remote-debugging-port=0"';
/** Name of the proxy in a browser, the only one that it can connect to (RFC 2606 § 2: no host has it). */
const PROXY_NAME = "egress.invalid";
/** wrangler's own Workers, which call nothing but the service. */
const OF_WRANGLER = new Set(["ProxyWorker", "InspectorProxyWorker"]);
/** HttpOptions.Style of workerd.capnp: the request line holds the whole URL, also of https. */
const PROXY_STYLE = 1;

/** @typedef {{ workerAddresses: Ways, browserAddress: string, tokens: Ways }} Egress */
/** @typedef {{ pages: string, operator: string }} Ways */
/** @typedef {{ config: { name?: string, env?: Record<string, unknown> }, dev?: Record<string, unknown> }} WorkerOptions */

/** @type {Egress | undefined} */
const egress = process.env[SETTING] === undefined ? undefined : JSON.parse(process.env[SETTING]);
delete process.env[SETTING];

if (isMainThread && egress !== undefined) registerHooks({ load: loadRouted });

/** @type {import("node:module").LoadHookSync} */
function loadRouted(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  if (!MINIFLARE.test(url)) return loaded;
  const taught = extend(String(loaded.source), OUTBOUND_SCHEMA, " ExternalServiceBindingSchema,");
  const proxied = extend(taught, BROWSER_FLAGS, `, ...${JSON.stringify(browserFlags())}`);
  const routed = `\nmodule.exports = require(${JSON.stringify(__filename)}).routeEgress(module.exports);\n`;
  return { ...loaded, source: proxied + routed };
}

/**
 * Traffic that would not pass through the proxy must not leave at all, so a miniflare that is made otherwise does not start.
 * @param {string} source @param {string} place @param {string} addition
 */
function extend(source, place, addition) {
  if (source.split(place).length !== 2) {
    throw new Error("This miniflare is not made like the pinned one, and could go around the egress proxy.");
  }
  return source.replace(place, () => place + addition);
}

/**
 * Chromium would leave this machine's own addresses out of the proxy. What cannot pass through a proxy is off. Every other
 * name, and every address, is one that does not exist: a connection that goes around the proxy, such as WebTransport,
 * ends before it begins.
 */
function browserFlags() {
  const [host, port] = egress?.browserAddress.split(":") ?? [];
  return [
    `--proxy-server=${PROXY_NAME}:${port}`,
    "--proxy-bypass-list=<-loopback>",
    `--host-resolver-rules=MAP ${PROXY_NAME} ${host}, MAP * ~NOTFOUND`,
    "--disable-quic",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  ];
}

/**
 * Miniflare with a way out for each of its Workers: every `fetch` by the token for pages, and the binding `EGRESS` by the
 * one for servers that the settings name.
 * @param {Record<string, any>} miniflare
 */
exports.routeEgress = (miniflare) => wrapMiniflare(miniflare, withEgress);

/** @param {{ workers?: WorkerOptions[] }} options */
function withEgress(options) {
  if (!Array.isArray(options.workers)) throw new Error("This miniflare names its Workers in another way");
  return {
    ...options,
    workers: options.workers.map((worker) => (OF_WRANGLER.has(worker.config.name ?? "") ? worker : routed(worker))),
  };
}

/** @param {WorkerOptions} worker */
function routed(worker) {
  const { config, dev } = worker;
  return {
    ...worker,
    config: { ...config, env: { ...config.env, EGRESS: wayOut("operator") } },
    dev: { ...dev, outboundService: wayOut("pages") },
  };
}

/** @param {"pages" | "operator"} purpose */
function wayOut(purpose) {
  if (egress === undefined) throw new Error("There is no egress proxy");
  const header = { name: "Proxy-Authorization", value: `Bearer ${egress.tokens[purpose]}` };
  return {
    type: "external",
    address: egress.workerAddresses[purpose],
    http: { style: PROXY_STYLE, injectRequestHeaders: [header] },
  };
}
