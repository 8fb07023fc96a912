// Loaded into a wrangler that serves, before its own code. miniflare answers requests below /cdn-cgi/local on the
// service's own port, to anyone who reaches it: objects of the bucket without a key, cron triggers, bindings. Here they
// are answered only with a token that the starting program has made. Headers by which miniflare's own parts name another
// address, place or Worker are dropped: a page whose name resolves to this machine could pass for the service's own with
// one. A request whose Host is none, and a failure of miniflare's own, get the service's errors.
"use strict";
const { registerHooks } = require("node:module");
const { isMainThread } = require("node:worker_threads");

/** Set by the starting program. No other process that wrangler starts needs to know it. */
const SETTING = "ORBWEAVER_LOCAL_TOKEN";
const MINIFLARE = /\/node_modules\/miniflare\/dist\/src\/index\.js$/;
/** Where miniflare reads the Worker that all requests enter by. */
const READS_ENTRY =
  /(const filePath = \w+\.default\.join\(__dirname, "workers", "core\/entry\.worker\.js"\);\s*\w+ = )(\w+\.default\.readFileSync\(filePath, "utf8"\))/g;
/** Where its `fetch` begins. */
const BEGINS = "async fetch(request, env, ctx) {\n    let startTime = Date.now()";
/** The first statement of its `fetch` that knows the address. */
const KNOWS_ADDRESS = "let requestUrl = new URL(request.url);";
/** Where it answers a failure with its stack, which names files of this machine. */
const TELLS_STACK = "return new Response(e?.stack ?? String(e), { status: 500 });";
/** A name or an address, and a port: neither a user nor a path, which the address of the request would contain. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s@/?#\\:[\]%]+)(?::\d{1,5})?$/i;

const token = process.env[SETTING];
delete process.env[SETTING];

if (isMainThread && token !== undefined) registerHooks({ load: loadClosed });

/** @type {import("node:module").LoadHookSync} */
function loadClosed(url, context, nextLoad) {
  const loaded = nextLoad(url, context);
  if (!MINIFLARE.test(url)) return loaded;
  const source = String(loaded.source);
  if (source.match(READS_ENTRY)?.length !== 1) throw unlikePinned();
  const close = `require(${JSON.stringify(__filename)}).closeLocalPaths`;
  return { ...loaded, source: source.replace(READS_ENTRY, (_, before, read) => `${before}${close}(${read})`) };
}

/**
 * The entry Worker with a check of the token in front. A request enters twice by it: into wrangler's proxy, and from there,
 * with the address that was asked for in a header, into the service.
 * @param {string} source
 */
exports.closeLocalPaths = (source) => {
  for (const place of [BEGINS, KNOWS_ADDRESS, TELLS_STACK]) if (source.split(place).length !== 2) throw unlikePinned();
  const check = `
    const localToken = request.headers.get("X-Orbweaver-Local-Token");
    const isLocal = [request.url, request.headers.get("MF-Original-URL")].some(
      (address) => /^\\/(?:cdn-cgi\\/local|__cf_local)(?:\\/|$)/.test(address ? new URL(address).pathname : ""));
    if (isLocal && localToken !== ${JSON.stringify(token)}) {
      return Response.json({ success: false, code: "NOT_FOUND", error: "There is nothing at this address" }, { status: 404 });
    }
`;
  const [head, begin] = BEGINS.split("\n");
  const checkUrl = `
    if (!${HOST}.test(request.headers.get("Host") ?? "localhost") || !URL.canParse(request.url)) {
      return Response.json({ success: false, code: "HOST_NOT_ALLOWED", error: "The Host header is not a valid host" }, { status: 421 });
    }
    const ofProxy = request.headers.get(CoreHeaders.PROXY_SHARED_SECRET);
    const proxySecret = env[CoreBindings.DATA_PROXY_SHARED_SECRET];
    if (ofProxy === null || proxySecret === undefined || ofProxy !== new TextDecoder().decode(proxySecret)) {
      // wrangler's messages to its proxy are in this header; the proxy checks a secret of its own.
      const isMessage = new URL(request.url).pathname.startsWith("/cdn-cgi/ProxyWorker/");
      const named = [...request.headers.keys()].filter(
        (name) => name.startsWith("mf-") && !(isMessage && name === "mf-cf-blob"));
      if (named.length > 0) request = new Request(request);
      for (const name of named) request.headers.delete(name);
    }
`;
  const failure = `return Response.json({ success: false, code: "UNKNOWN_ERROR", error: "An unexpected error occurred." }, { status: 500 });`;
  return source
    .replace(BEGINS, () => `${head}${checkUrl}${begin}`)
    .replace(KNOWS_ADDRESS, () => KNOWS_ADDRESS + check)
    .replace(TELLS_STACK, () => `console.error(e?.stack ?? String(e)); ${failure}`);
};

function unlikePinned() {
  return new Error("This miniflare is not made like the pinned one, and would open its local paths to everyone.");
}
