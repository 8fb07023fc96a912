// Loaded into a wrangler that serves, before its own code. wrangler dev puts a Worker of its own, in a second workerd, in front
// of the service: it holds requests back while the service is built again. A service that is not built again needs none, and
// each request would pass through two runtimes. So the service's own runtime listens on the port that users are told.
"use strict";
const { registerHooks } = require("node:module");
const { isMainThread } = require("node:worker_threads");

/** Set by the starting program: the host and the port to serve on, 0 for any free one. */
const SETTING = "ORBWEAVER_SERVE_ON";
const MINIFLARE = /\/node_modules\/miniflare\/dist\/src\/index\.js$/;
const WRANGLER = /\/wrangler-dist\/cli\.js$/;
/**
 * Where wrangler decides if a debugger may connect. With one, each line of the log passes through V8's inspector, and a
 * WebSocket through wrangler's own Worker; without one, it is written to the standard output of the runtime.
 */
const WITHOUT_INSPECTOR = "input2.dev?.inspector === false";
/** wrangler's own Workers, in a runtime of their own. */
const OF_WRANGLER = new Set(["ProxyWorker", "InspectorProxyWorker"]);

/**
 * wrangler reads the source map of the whole service for each line of its log that has a call stack, which takes a second, and the
 * runtime stops when nobody reads what it writes. So one stack in this time is translated; all other lines are passed on as they are.
 */
const STACKS_EVERY_MS = 10_000;
const CALL_SITE = /\n\s+at /;

/** @typedef {{ level: string, message: string }} LogLine */
/** @typedef {{ workers?: { config: { name?: string } }[], handleStructuredLogs?: (line: LogLine) => void }} MiniflareOptions */

/** @type {{ host: string, port: number } | undefined} */
const address = process.env[SETTING] === undefined ? undefined : JSON.parse(process.env[SETTING]);
delete process.env[SETTING];

if (isMainThread && address !== undefined) registerHooks({ load: loadDirect });

/** @type {import("node:module").LoadHookSync} */
function loadDirect(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  if (WRANGLER.test(url)) {
    return { ...loaded, source: String(loaded.source).replace(WITHOUT_INSPECTOR, "true") };
  }
  if (!MINIFLARE.test(url)) return loaded;
  const direct = `\nmodule.exports = require(${JSON.stringify(__filename)}).serveDirectly(module.exports);\n`;
  return { ...loaded, source: String(loaded.source) + direct };
}

/**
 * Miniflare whose service listens on the given address, which is printed when it answers there.
 * @param {Record<string, any>} miniflare
 */
exports.serveDirectly = (miniflare) => {
  class DirectMiniflare extends miniflare.Miniflare {
    constructor(/** @type {MiniflareOptions} */ options) {
      super(onAddress(options));
      if (isService(options)) {
        this.ready.then(
          (/** @type {URL} */ { port }) => console.log(`Serving on port ${port}`),
          // wrangler waits for the same promise, and says what is wrong.
          () => undefined,
        );
      }
    }
    setOptions(/** @type {MiniflareOptions} */ options) {
      return super.setOptions(onAddress(options));
    }
  }
  const exported = Object.getOwnPropertyDescriptors(miniflare);
  return Object.defineProperties({}, { ...exported, Miniflare: { value: DirectMiniflare, enumerable: true } });
};

/** @param {MiniflareOptions} options */
function isService({ workers }) {
  if (!Array.isArray(workers)) throw new Error("This miniflare names its Workers in another way");
  return !workers.some(({ config }) => OF_WRANGLER.has(config.name ?? ""));
}

/** @param {MiniflareOptions} options */
function onAddress(options) {
  if (!isService(options)) return options;
  const { handleStructuredLogs: log } = options;
  return { ...options, ...address, ...(log === undefined ? {} : { handleStructuredLogs: passingOn(log) }) };
}

let translatedAtMs = -STACKS_EVERY_MS;

/** @param {(line: LogLine) => void} log */
function passingOn(log) {
  return (/** @type {LogLine} */ line) => {
    const nowMs = performance.now();
    if (!CALL_SITE.test(line.message) || nowMs - translatedAtMs < STACKS_EVERY_MS) {
      process.stdout.write(`${line.message}\n`);
      return;
    }
    translatedAtMs = nowMs;
    log(line);
  };
}
