import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** A small site of a test's own on 127.0.0.1. */
export interface MapSite {
  url: string;
  /** Paths in the order in which they were asked for. */
  asked: string[];
  close(): Promise<void>;
}

type Answer = (path: string, request: IncomingMessage, response: ServerResponse) => void;

async function serve(answerWith: (origin: () => string) => Answer): Promise<MapSite> {
  const asked: string[] = [];
  let url = "";
  const answer = answerWith(() => url);
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    answer(path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const html = (response: ServerResponse, body: string): void =>
  void response.writeHead(200, { "content-type": "text/html" }).end(body);
const missing = (response: ServerResponse): void => void response.writeHead(404).end("nothing here");

/** No sitemap; 50 list pages, each linked from the one before alone, of 20 items each, and items that link home. */
export function listSite(elsewhere = ""): Promise<MapSite> {
  return serve(() => (path, _request, response) => {
    const page = Number(/^\/(?:\?page=(\d+))?$/.exec(path)?.[1] ?? (path === "/" ? 1 : Number.NaN));
    if (page >= 1 && page <= 50) {
      const items = Array.from(
        { length: 20 },
        (_, index) => `<li><a href="/item/${(page - 1) * 20 + index}">Item</a></li>`,
      );
      const next = page < 50 ? `<a href="/?page=${page + 1}">Next</a>` : "";
      return html(
        response,
        `<title>List ${page}</title><nav><a href="/">Home</a>${elsewhere}</nav><ul>${items.join("")}</ul>${next}`,
      );
    }
    const item = /^\/item\/(\d+)$/.exec(path)?.[1];
    if (item === undefined) return missing(response);
    html(response, `<title>Item ${item}</title><a href="/">Home</a><a href="/item/${Number(item) ^ 1}">Its twin</a>`);
  });
}

/** Sitemaps that never end: indexes in a circle, an index of thousands, bombs, one that does not come. */
export function hostileSite(): Promise<MapSite> {
  const bomb = gzipSync(Buffer.alloc(200_000_000, " "));
  return serve((origin) => (path, _request, response) => {
    const xml = (body: string): void => void response.writeHead(200, { "content-type": "application/xml" }).end(body);
    const index = (names: string[]): void =>
      xml(
        `<sitemapindex>${names.map((name) => `<sitemap><loc>${origin()}${name}</loc></sitemap>`).join("")}</sitemapindex>`,
      );
    if (path === "/robots.txt") return void response.writeHead(200).end("Sitemap: /a.xml\nSitemap: /bomb.xml.gz\n");
    if (path === "/a.xml") return index(["/b.xml", "/a.xml"]);
    if (path === "/b.xml")
      return index([
        "/a.xml",
        "/bomb.xml.gz",
        "/deep.xml",
        "/pages.xml",
        ...Array.from({ length: 5_000 }, (_, number) => `/next.xml?${number}`),
      ]);
    if (path === "/bomb.xml.gz") return void response.writeHead(200, { "content-type": "application/gzip" }).end(bomb);
    if (path === "/deep.xml") return xml("<url>".repeat(500_000));
    if (path === "/pages.xml") return xml(`<urlset><url><loc>${origin()}/found</loc></url></urlset>`);
    if (path.startsWith("/next.xml")) return index([`${path}0`, `${path}1`]);
    if (path === "/") return html(response, `<title>Trap</title><a href="/calendar?day=1">Calendar</a>`);
    const day = Number(/^\/calendar\?day=(\d+)$/.exec(path)?.[1]);
    if (day >= 1) return html(response, `<title>Day ${day}</title><a href="/calendar?day=${day + 1}">Next</a>`);
    missing(response);
  });
}
