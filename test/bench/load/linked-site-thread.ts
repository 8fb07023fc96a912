import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { articlePage } from "./article-pages.ts";

const CHILDREN = 5;
const CROSS_LINKS = 7;
const DIFFERENT_ARTICLES = 180;
const { pages } = workerData as { pages: number };

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

const server = createServer((request, response) => {
  const [, found] = /^\/p\/(\d+)$/.exec(request.url ?? "") ?? [];
  const number = request.url === "/" ? 0 : Number(found ?? Number.NaN);
  if (!Number.isInteger(number) || number >= pages) {
    response.writeHead(404, { "content-type": "text/plain" }).end("No such page\n");
    return;
  }
  const body = article(number).replace("</body>", `${links(number)}</body>`);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(`http://127.0.0.1:${port}`);
});
