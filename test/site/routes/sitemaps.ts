import { gzipSync } from "node:zlib";
import type { Exchange, Route } from "../exchange.ts";
import { PRODUCTS } from "../products.ts";
import { reply, TEXT } from "../reply.ts";
import { ARTICLES } from "./data.ts";
import { treePaths } from "./tree.ts";

const XML = "application/xml; charset=utf-8";
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** Pages of the sitemap; /sitemap-only is linked from nowhere else. */
const PAGES = [
  "/",
  "/articles/",
  ...ARTICLES.map(({ path }) => path),
  "/docs/",
  "/docs/install",
  "/docs/configuration",
  "/docs/api",
  "/shop",
  ...PRODUCTS.map(({ slug }) => `/shop/${slug}`),
  "/forum/leaking-skylight",
  "/tables",
  "/sitemap-only",
  "/private/ledger",
];

/** Sitemaps: whole, indexed, compressed, broken (sitemaps.org protocol 0.9). */
export const sitemaps: Route[] = [
  {
    path: "/sitemap.xml",
    about: "the site's pages; or an index, a broken file, 404 (option sitemap)",
    answer: mainSitemap,
  },
  {
    path: "/sitemap-pages.xml",
    about: "the site's pages, always",
    answer: (exchange) => sendXml(exchange, urlSet(exchange.origin, PAGES)),
  },
  {
    path: "/sitemap-index.xml",
    about: "an index of sitemap-pages.xml, sitemap-tree.xml.gz and one that is not there",
    answer: (exchange) => sendXml(exchange, index(exchange.origin)),
  },
  {
    path: "/sitemap-tree.xml.gz",
    about: "all pages of /tree/, as a gzip file without Content-Encoding",
    answer: (exchange) =>
      reply(exchange, {
        type: "application/gzip",
        body: gzipSync(urlSet(exchange.origin, treePaths(exchange.settings.treePages))),
      }),
  },
  {
    path: "/sitemap-broken.xml",
    about: "bare ampersands, a foreign host, a missing end",
    answer: (exchange) => sendXml(exchange, broken(exchange)),
  },
  {
    path: "/sitemap-loop.xml",
    about: "an index that names itself",
    answer: (exchange) =>
      sendXml(exchange, indexOf([`${exchange.origin}/sitemap-loop.xml`, `${exchange.origin}/sitemap-pages.xml`])),
  },
  {
    path: "/sitemap.txt",
    about: "the site's pages as text, one to a line",
    answer: (exchange) =>
      reply(exchange, { type: TEXT, body: PAGES.map((path) => `${exchange.origin}${path}\n`).join("") }),
  },
  {
    path: "/sitemap-only",
    about: "a page that only the sitemap names",
    answer: (exchange) =>
      reply(exchange, {
        body: "<!doctype html><title>The hidden cove</title><h1>The hidden cove</h1><p>No path leads here; it is only on the chart.</p>",
      }),
  },
];

function mainSitemap(exchange: Exchange): void {
  const { sitemap } = exchange.settings;
  if (sitemap === "missing") return reply(exchange, { status: 404, type: TEXT, body: "no such file\n" });
  if (sitemap === "index") return sendXml(exchange, index(exchange.origin));
  sendXml(exchange, sitemap === "broken" ? broken(exchange) : urlSet(exchange.origin, PAGES));
}

function sendXml(exchange: Exchange, body: string): void {
  reply(exchange, { type: XML, body });
}

function urlSet(origin: string, paths: readonly string[]): string {
  const urls = paths.map((path) => `<url><loc>${origin}${path}</loc><lastmod>2024-04-02</lastmod></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n${urls.join("\n")}\n</urlset>\n`;
}

function index(origin: string): string {
  return indexOf(["pages.xml", "tree.xml.gz", "missing.xml"].map((name) => `${origin}/sitemap-${name}`));
}

function indexOf(addresses: readonly string[]): string {
  const parts = addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${parts.join("\n")}\n</sitemapindex>\n`;
}

function broken({ origin, otherOrigin }: Exchange): string {
  return [
    `  <?xml version="1.0"?>`,
    `<urlset xmlns="${NAMESPACE}">`,
    `<url><loc>${origin}/shop?page=2&all=1</loc></url>`,
    `<url><loc>\n  ${origin}/articles/seagrass\n</loc><priority>high</priority></url>`,
    `<url><loc>${otherOrigin}/final</loc></url>`,
    "<url><loc>not an address</loc></url>",
    `<url><loc><![CDATA[${origin}/tables]]></loc></url>`,
    `<url><loc>${origin}/lists`,
  ].join("\n");
}
