import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { articlePage } from "./article-pages.ts";

/** What the site is made of. */
export interface SiteData {
  pages: number;
  /** How it tells that a page has changed: by ETags, by its sitemap, or not at all. */
  dates: "none" | "etag" | "sitemap";
}

/** What has been sent since the last question. */
export interface Served {
  requests: number;
  notModified: number;
  bytes: number;
}

const CHILDREN = 5;
const CROSS_LINKS = 7;
const DIFFERENT_ARTICLES = 180;
const { pages, dates } = workerData as SiteData;

const articles = new Map<number, string>();

function article(number: number): string {
  const place = number % DIFFERENT_ARTICLES;
  // Links of the article itself would lead to pages that this site does not have.
  const made = articles.get(place) ?? articlePage(place).html.replaceAll(/(<a\b[^>]*?)\bhref=/g, "$1data-target=");
  articles.set(place, made);
  return made;
}

const path = (number: number): string => (number === 0 ? "/" : `/p/${number}`);

/** Links to the page's children in a tree, to some pages elsewhere, and to the page above. */
function links(number: number): string {
  const children = Array.from({ length: CHILDREN }, (_, index) => number * CHILDREN + index + 1);
  const cross = Array.from({ length: CROSS_LINKS }, (_, index) => (number * 7919 + index * 104_729) % pages);
  const targets = [...children.filter((child) => child < pages), ...cross, Math.floor((number - 1) / CHILDREN)];
  const items = targets.map((target) => `<li><a href="${path(Math.max(0, target))}">Page ${target}</a></li>`);
  return `<nav><ul>${items.join("")}</ul></nav>`;
}

/** Pages 1 to `changed` have another article than at the start. */
let changed = 0;
let served: Served = { requests: 0, notModified: 0, bytes: 0 };

const isChanged = (number: number): boolean => number > 0 && number <= changed;

function sitemap(): string {
  const entries = Array.from({ length: pages }, (_, number) => {
    const date = isChanged(number) ? new Date().toISOString() : "2026-01-01T00:00:00Z";
    return `<url><loc>${origin}${path(number)}</loc><lastmod>${date}</lastmod></url>`;
  });
  return `<urlset>${entries.join("")}</urlset>`;
}

let origin = "";

const server = createServer((request, response) => {
  served.requests++;
  if (request.url === "/sitemap.xml" && dates === "sitemap") {
    const text = sitemap();
    served.bytes += text.length;
    response.writeHead(200, { "content-type": "text/xml" }).end(text);
    return;
  }
  const [, found] = /^\/p\/(\d+)$/.exec(request.url ?? "") ?? [];
  const number = request.url === "/" ? 0 : Number(found ?? Number.NaN);
  if (!Number.isInteger(number) || number >= pages) {
    response.writeHead(404, { "content-type": "text/plain" }).end("No such page\n");
    return;
  }
  const etag = `"${number}-${isChanged(number) ? changed : 0}"`;
  const validator = dates === "etag" ? { etag } : {};
  if (dates === "etag" && request.headers["if-none-match"] === etag) {
    served.notModified++;
    response.writeHead(304, validator).end();
    return;
  }
  const news = isChanged(number) ? "<p>The harbour master has added a paragraph to this page since then.</p>" : "";
  const body = article(number)
    .replace("</article>", `${news}</article>`)
    .replace("</body>", `${links(number)}</body>`);
  served.bytes += Buffer.byteLength(body);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...validator }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(`http://127.0.0.1:${port}`);
});

parentPort?.on("message", (message: { changed?: number }) => {
  if (message.changed !== undefined) changed = message.changed;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(served);
  served = { requests: 0, notModified: 0, bytes: 0 };
});
