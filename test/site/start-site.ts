/**
 * A web site on 127.0.0.1 for tests: real HTTP, two origins, every answer known. `GET /__routes` describes each route
 * and its query parameters; this is the map.
 *
 * Pages: / /articles/ /articles/{ferry-timetable,seagrass,bell-foundry,night-market} /docs/
 *   /docs/{install,configuration,api} /shop /shop/:slug /forum/leaking-skylight /tables /code /lists /images /metadata
 *   /contact /inn/menu /brand /private/ledger /noscript /final /tree /tree/ /tree/0 /tree/:number
 * A maze: /maze/ /maze/page/:number /maze/moved/:number/:hop /maze/loop/:number /maze/calendar/:year/:month
 *   /maze/terms /maze/list
 * Data: /example.json /broken.json /plain.txt /example.xml /example.md /feed.rss /feed.atom /llms.txt
 * Forms and sign-in: /form /form/submit /login /account /account/berth /logout /basic-auth /set-cookie
 * Walls: /bot-wall /bot-wall/{passable,503,200} /walls/:kind /signed-only /signed-only/moved /browser-only /captcha /access-denied
 *   /login-wall /paywall /consent /consent-page /soft-404 /soft-404/* /missing /gone /server-error
 * Mirrors and changes: /echo /echo.json /client-info /mobile /languages /counter /changing
 * Script: /app/{shell,slow,scroll,lists,click,buttons,iframe,iframe-other,framed,shadow,polling,hang,memory} /noscript
 *   /app/{dialogs,popups,popup-target,navigates,history,routes,private-fetch,ads,typing,controls,console} /app/history/:view
 *   and what they load: /app/{board.json,bundle.js,drawer.txt,gauge.json} /app/scroll/entries /private-target
 *   /private-target/* /ads/{banner.js,banner.gif} /pagead/show_ads.js /js/{analytics.js,harbour.js} /adframe/*
 * Encodings: /encoding/:name /sjis.html
 * Redirects: /redirect /redirect/:count /redirect-code/:code /redirect-to /redirect-other /redirect-relative/here
 *   /redirect-loop /redirect-loop/back /redirect-cookie-loop /redirect-private /redirect-file /redirect-nowhere
 *   /redirect-unicode /caf%C3%A9 /meta-refresh
 * Time: /slow /drip /stall /held-up /hang
 * Breakage: /status/:code /no-content /reset /truncated /cut-chunks /not-gzip /not-http /two-responses /status-999 /flaky /flaky-reset /rate-limited /unavailable
 * Types and pictures: /type/:name /img/:size/:name /img/mark.svg /favicon.ico
 * Sizes: /huge /endless /long-line /deep /many-links /empty /blank /chunked /long-header
 * Compression: /compressed/:name /bomb /bomb-twice /bomb-br
 * Documents: /example.pdf /scanned.pdf /broken.pdf /download.pdf /documents/ /documents/:name /letter/:name
 * Robots and sitemaps: /robots.txt /sitemap.xml /sitemap-{pages,index,broken,loop}.xml /sitemap-tree.xml.gz
 *   /sitemap.txt /sitemap-only
 * Control: /__routes /__hits /__requests /__reset
 *
 * Cookies do not know ports (RFC 6265 section 8.5): a browser sends them to both origins. A test of cookies across hosts
 * reaches the second origin as `localhost`.
 */

import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange, RobotsMode, SitemapMode, SiteSettings } from "./exchange.ts";
import { reply, TEXT } from "./reply.ts";
import { MAX_MAZE_PAGES } from "./routes/maze.ts";
import { createRouter } from "./router.ts";
import { routes } from "./routes/index.ts";
import { Traffic } from "./traffic.ts";
import type { SeenRequest } from "./traffic.ts";

export interface SiteOptions {
  /** Port of the main origin on 127.0.0.1; any free one when left out. */
  port?: number;
  /** Port of the second origin; any free one when left out. */
  otherPort?: number;
  /** What `/robots.txt` answers (default "normal"). */
  robots?: RobotsMode;
  /** What `/sitemap.xml` answers (default "normal"). */
  sitemap?: SitemapMode;
  /** Pages below `/tree/`, the root included (default and maximum 2,000). */
  treePages?: number;
  /** Pages below `/maze/` (default and maximum 2,000). */
  mazePages?: number;
}

export interface Site {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  port: number;
  /** The second origin: the same pages from another port. */
  otherUrl: string;
  otherPort: number;
  /** Requests so far on both origins, of one path or of each (without query; `/__…` is not counted). */
  hits(): Record<string, number>;
  hits(path: string): number;
  /** The last request to a path, as it came in. */
  lastRequest(path: string): SeenRequest | undefined;
  /** Every request in the order it came, for tests of pace and order. */
  requests(): readonly SeenRequest[];
  /** Forgets counts, requests and the attempts of routes that change their answer. */
  reset(): void;
  /** Cuts every connection and frees both ports. */
  close(): Promise<void>;
}

const MAX_TREE_PAGES = 2_000;
/** Node's five seconds would cut clients that are still unpacking an answer or about to reuse the connection. */
const KEEP_ALIVE_MS = 120_000;
const findRoute = createRouter(routes);

/** Starts the test site on two ports of 127.0.0.1. Each site counts for itself, so tests do not see each other. */
export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const settings: SiteSettings = {
    robots: options.robots ?? "normal",
    sitemap: options.sitemap ?? "normal",
    treePages: Math.min(options.treePages ?? MAX_TREE_PAGES, MAX_TREE_PAGES),
    mazePages: Math.min(options.mazePages ?? MAX_MAZE_PAGES, MAX_MAZE_PAGES),
  };
  const traffic = new Traffic();
  const closing = new AbortController();
  const origins = { main: "", other: "" };
  const serve = (origin: "main" | "other") => (request: IncomingMessage, response: ServerResponse) => {
    const [own, opposite] = origin === "main" ? [origins.main, origins.other] : [origins.other, origins.main];
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const signal = AbortSignal.any([leaving.signal, closing.signal]);
    void answer({ request, response, signal, settings, traffic, origin: own, otherOrigin: opposite });
  };
  const connection = { keepAliveTimeout: KEEP_ALIVE_MS };
  const servers = [createServer(connection, serve("main")), createServer(connection, serve("other"))] as const;
  const port = await listen(servers[0], options.port ?? 0);
  const otherPort = await listen(servers[1], options.otherPort ?? 0);
  origins.main = `http://127.0.0.1:${port}`;
  origins.other = `http://127.0.0.1:${otherPort}`;

  function hits(): Record<string, number>;
  function hits(path: string): number;
  function hits(path?: string): number | Record<string, number> {
    return path === undefined ? traffic.allHits() : traffic.hits(path);
  }

  return {
    url: origins.main,
    port,
    otherUrl: origins.other,
    otherPort,
    hits,
    lastRequest: (path) => traffic.last(path),
    requests: () => traffic.log(),
    reset: () => traffic.reset(),
    close: async () => {
      closing.abort();
      await Promise.all(servers.map(stop));
    },
  };
}

async function answer(arrived: Omit<Exchange, "url" | "params">): Promise<void> {
  const { request, response, traffic } = arrived;
  const target = request.url ?? "/";
  const url = new URL(target.startsWith("/") ? `${arrived.origin}${target}` : target);
  if (!url.pathname.startsWith("/__")) {
    const { method = "GET", headers } = request;
    traffic.record(url.pathname, { method, target, host: headers.host ?? "", headers, atMs: Date.now() });
  }
  const match = findRoute(url.pathname);
  const exchange: Exchange = { ...arrived, url, params: match?.params ?? {} };
  try {
    if (match) await match.route.answer(exchange);
    else reply(exchange, { status: 404, type: TEXT, body: `No page at ${url.pathname}\n` });
  } catch (error) {
    if (arrived.signal.aborted) return;
    if (response.headersSent) response.destroy();
    else reply(exchange, { status: 500, type: TEXT, body: `The test site failed: ${String(error)}\n` });
  }
}

/** Listens on 127.0.0.1 and gives the port; rejects when it is taken. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address() as AddressInfo;
      resolve(address.port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
