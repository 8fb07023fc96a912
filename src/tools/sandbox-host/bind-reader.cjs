// Loaded into a wrangler that serves, before its own code: gives the Worker the binding `PAGE_READER`, a process that reads pages for a
// busy service. wrangler has no option for a server outside of the runtime.
"use strict";
const { registerHooks } = require("node:module");
const { isMainThread } = require("node:worker_threads");
const { wrapMiniflare } = require("../service/wrap-miniflare.cjs");

/** Set by the starting program: the address of the process. */
const SETTING = "ORBWEAVER_PAGE_READER";
const MINIFLARE = /\/node_modules\/miniflare\/dist\/src\/index\.js$/;
/** wrangler's own Workers. */
const OF_WRANGLER = new Set(["ProxyWorker", "InspectorProxyWorker"]);

/** @typedef {{ config: { name?: string, env?: Record<string, unknown> } }} WorkerOptions */

const address = process.env[SETTING];
delete process.env[SETTING];

if (isMainThread && address !== undefined) registerHooks({ load: loadBound });

/** @type {import("node:module").LoadHookSync} */
function loadBound(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  if (!MINIFLARE.test(url)) return loaded;
  const bound = `\nmodule.exports = require(${JSON.stringify(__filename)}).bindReader(module.exports);\n`;
  return { ...loaded, source: String(loaded.source) + bound };
}

/** @param {Record<string, any>} miniflare */
exports.bindReader = (miniflare) => wrapMiniflare(miniflare, withReader);

/** @param {{ workers?: WorkerOptions[] }} options */
function withReader(options) {
  if (!Array.isArray(options.workers)) throw new Error("This miniflare names its Workers in another way");
  return {
    ...options,
    workers: options.workers.map((worker) => {
      const { config } = worker;
      if (OF_WRANGLER.has(config.name ?? "")) return worker;
      const reader = { type: "external", address, http: {} };
      return { ...worker, config: { ...config, env: { ...config.env, PAGE_READER: reader } } };
    }),
  };
}
